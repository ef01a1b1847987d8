"""Parameter sweeps: many runs of one model with other numbers, what is measured of each, and what all of them say."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.sampling.distributions import case_seed
    from supple.sampling.saltelli import saltelli_points
    from supple.sweeps.case_blocks import Block
    from supple.sweeps.parameter_sweep import open_sweep, sweep
    from supple.sweeps.plan import SweepPlan
    from supple.sweeps.rank_correlations import rank_correlation
    from supple.sweeps.sobol_indices import given_data_indices, saltelli_indices
    from supple.sweeps.statistics import mean, quantile, standard_deviation
    from supple.sweeps.sweep_summary import summary
    from supple.sweeps.sweep_tables import summary_tables
    from supple.sweeps.tolerance_bounds import needed_cases, wilks_bounds

__all__ = [
    "Block",
    "SweepPlan",
    "case_seed",
    "given_data_indices",
    "mean",
    "needed_cases",
    "open_sweep",
    "quantile",
    "rank_correlation",
    "saltelli_indices",
    "saltelli_points",
    "standard_deviation",
    "summary",
    "summary_tables",
    "sweep",
    "wilks_bounds",
]

_HOMES = {
    "supple.sampling.distributions": ("case_seed",),
    "supple.sampling.saltelli": ("saltelli_points",),
    "supple.sweeps.case_blocks": ("Block",),
    "supple.sweeps.parameter_sweep": ("open_sweep", "sweep"),
    "supple.sweeps.plan": ("SweepPlan",),
    "supple.sweeps.rank_correlations": ("rank_correlation",),
    "supple.sweeps.sobol_indices": ("given_data_indices", "saltelli_indices"),
    "supple.sweeps.statistics": ("mean", "quantile", "standard_deviation"),
    "supple.sweeps.sweep_summary": ("summary",),
    "supple.sweeps.sweep_tables": ("summary_tables",),
    "supple.sweeps.tolerance_bounds": ("needed_cases", "wilks_bounds"),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
