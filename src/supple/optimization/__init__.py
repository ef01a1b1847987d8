"""Values of a model for which a measure of its motion is best, under bounds and constraints."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.optimization.optimizing import optimize
    from supple.optimization.optimum import Optimum

__all__ = ["Optimum", "optimize"]

_HOMES = {"supple.optimization.optimizing": ("optimize",), "supple.optimization.optimum": ("Optimum",)}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
