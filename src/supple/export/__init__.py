"""What leaves the house: models as files for other programs.

The functions are imported when they are first asked for. No module here has the name of a function: once imported, the
module would take the function's place.
"""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.export.c_library_files import c_library
    from supple.export.casadi_file import casadi
    from supple.export.fmu_file import fmu
    from supple.export.linear_mat import mat
    from supple.export.python_module import python
    from supple.export.still_glb import glb

__all__ = ["c_library", "casadi", "fmu", "glb", "mat", "python"]

_HOMES = {
    "supple.export.c_library_files": ("c_library",),
    "supple.export.casadi_file": ("casadi",),
    "supple.export.fmu_file": ("fmu",),
    "supple.export.linear_mat": ("mat",),
    "supple.export.python_module": ("python",),
    "supple.export.still_glb": ("glb",),
}
"""Modules, and the public names that are defined there."""
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
