"""The formulations in which a mechanism can be simulated, behind one protocol: `Model` and `erls.ErlsModel`."""

from supple.formulations.protocol import Formulation, TracedFormulation
from supple.formulations.registry import (
    FORMULATIONS,
    SHORT_NAMES,
    floating_frames,
    require_formulation,
    restored,
    settings_of,
)

__all__ = [
    "FORMULATIONS",
    "SHORT_NAMES",
    "Formulation",
    "TracedFormulation",
    "floating_frames",
    "require_formulation",
    "restored",
    "settings_of",
]
