"""Parameter sweeps: many runs of one model with other numbers, and what is measured of each."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.sampling.distributions import case_seed
    from supple.sweeps.case_blocks import Block
    from supple.sweeps.parameter_sweep import open_sweep, sweep
    from supple.sweeps.plan import SweepPlan

__all__ = ["Block", "SweepPlan", "case_seed", "open_sweep", "sweep"]

_HOMES = {
    "supple.sampling.distributions": ("case_seed",),
    "supple.sweeps.case_blocks": ("Block",),
    "supple.sweeps.plan": ("SweepPlan",),
    "supple.sweeps.parameter_sweep": ("open_sweep", "sweep"),
}
__getattr__ = lazy_names(__name__, _HOMES)
