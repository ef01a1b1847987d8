"""The formulations that can be simulated, behind one protocol: `Model`, `erls.ErlsModel` and `symbolic.KaneModel`."""

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
