"""Numbers of a model from measurements: regressor and base parameters of rigid bodies, fits of simulated motions."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.identification.parameter_groups import BaseParameters, base_parameters

__all__ = ["BaseParameters", "base_parameters"]

_HOMES = {"supple.identification.parameter_groups": ("BaseParameters", "base_parameters")}
__getattr__ = lazy_names(__name__, _HOMES)
