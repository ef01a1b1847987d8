"""What leaves the house: models as files for other programs.

The functions are imported when they are first asked for. No module here has the name of a function: once imported, the
module would take the function's place.
"""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.export.fmu_file import fmu

__all__: list[str] = ["fmu"]

_HOMES: dict[str, tuple[str, ...]] = {"supple.export.fmu_file": ("fmu",)}
"""Modules, and the public names that are defined there."""
__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
