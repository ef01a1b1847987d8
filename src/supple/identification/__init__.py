"""Numbers of a model from measurements: base parameters of rigid bodies, fits of simulated motions."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.identification.fit_result import Fit
    from supple.identification.fitting import fit
    from supple.identification.identifiability import Combination
    from supple.identification.measurements import Measurements, read_measurements
    from supple.identification.parameter_groups import BaseParameters, base_parameters

__all__ = ["BaseParameters", "Combination", "Fit", "Measurements", "base_parameters", "fit", "read_measurements"]

_HOMES = {
    "supple.identification.fit_result": ("Fit",),
    "supple.identification.fitting": ("fit",),
    "supple.identification.identifiability": ("Combination",),
    "supple.identification.measurements": ("Measurements", "read_measurements"),
    "supple.identification.parameter_groups": ("BaseParameters", "base_parameters"),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
