"""Sweeps: many cases of one model, and what they say about its measures."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.sweeps.rank_correlations import rank_correlation
    from supple.sweeps.saltelli import saltelli_points
    from supple.sweeps.sobol_indices import given_data_indices, saltelli_indices
    from supple.sweeps.statistics import mean, quantile, standard_deviation
    from supple.sweeps.sweep_summary import summary
    from supple.sweeps.sweep_tables import summary_tables
    from supple.sweeps.tolerance_bounds import needed_cases, wilks_bounds

__all__ = [
    "given_data_indices",
    "mean",
    "needed_cases",
    "quantile",
    "rank_correlation",
    "saltelli_indices",
    "saltelli_points",
    "standard_deviation",
    "summary",
    "summary_tables",
    "wilks_bounds",
]

_HOMES = {
    "supple.sweeps.rank_correlations": ("rank_correlation",),
    "supple.sweeps.saltelli": ("saltelli_points",),
    "supple.sweeps.sobol_indices": ("given_data_indices", "saltelli_indices"),
    "supple.sweeps.statistics": ("mean", "quantile", "standard_deviation"),
    "supple.sweeps.sweep_summary": ("summary",),
    "supple.sweeps.sweep_tables": ("summary_tables",),
    "supple.sweeps.tolerance_bounds": ("needed_cases", "wilks_bounds"),
}
__getattr__ = lazy_names(__name__, _HOMES)
