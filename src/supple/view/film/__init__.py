"""Pictures and films of models, drawn without a browser or a graphics card."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.view.film.camera import Camera

__all__ = ["Camera"]

_HOMES = {"supple.view.film.camera": ("Camera",)}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
