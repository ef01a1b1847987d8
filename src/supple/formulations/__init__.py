"""The formulations in which a mechanism can be simulated, behind one protocol: `Model` and `erls.ErlsModel`."""

from supple.formulations.protocol import Formulation, TracedFormulation
from supple.formulations.registry import FORMULATIONS, floating_frames, require_formulation, restored, settings_of

__all__ = [
    "FORMULATIONS",
    "Formulation",
    "TracedFormulation",
    "floating_frames",
    "require_formulation",
    "restored",
    "settings_of",
]
