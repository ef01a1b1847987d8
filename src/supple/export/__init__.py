"""What leaves the house: models as files for other programs.

The functions are imported when they are first asked for. No module here has the name of a function: once imported, the
module would take the function's place.
"""

from supple.lazy import lazy_names

__all__ = ["c_library"]

_HOMES: dict[str, tuple[str, ...]] = {"supple.export.c_library_files": ("c_library",)}
"""Modules, and the public names that are defined there."""
__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
