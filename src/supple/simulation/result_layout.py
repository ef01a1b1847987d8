"""What readers of results rely on: dimensions and kinds of the variables that all runs have, kinds of attributes.

A netCDF file from elsewhere may hold anything under these names.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any

from supple.errors import ResultsError

if TYPE_CHECKING:
    import xarray as xr

DIMENSIONS = {
    "time": ("time",),
    "q": ("time", "coordinate"),
    **dict.fromkeys(("v", "a", "tau"), ("time", "speed")),
    **dict.fromkeys(("kinetic_energy", "potential_energy", "work"), ("time",)),
    "momentum": ("time", "component"),
    "center_of_mass": ("time", "axis"),
    "position": ("time", "frame", "axis"),
    "orientation": ("time", "frame", "quaternion"),
    **dict.fromkeys(("velocity", "acceleration"), ("time", "frame", "component")),
    "event_time": ("event",),
}
SIZES = {"axis": 3, "quaternion": 4, "component": 6}
NUMBERS = ("rtol", "step", "steps", "evaluations", "rejected_steps", "finished")
"""Attributes."""


def require_layout(result: xr.Dataset) -> None:
    """Raise a `ResultsError` if a variable or attribute is not what results of runs have under its name."""
    for name in DIMENSIONS.keys() & result.variables.keys():
        x, dims = result.variables[name], DIMENSIONS[str(name)]
        if x.dims != dims or x.dtype.kind not in "fiu":
            got = ", ".join(map(str, x.dims))
            raise ResultsError(f"{name}: expected real numbers ({', '.join(dims)}), got {x.dtype} ({got})")
        for dim in dims:
            if x.sizes[dim] != SIZES.get(dim, x.sizes[dim]):
                raise ResultsError(f"{name}: expected {SIZES[dim]} numbers along {dim!r}, got {x.sizes[dim]}")
    for name in NUMBERS:
        if not isinstance(result.attrs.get(name, 0), Real):
            raise ResultsError(f"attribute {name!r}: expected a number, got {result.attrs[name]!r}")
    for name, (fits, what) in LISTS.items():
        if name in result.attrs and not _fits(result.attrs[name], fits):
            raise ResultsError(f"attribute {name!r}: expected {what} in JSON, got {str(result.attrs[name])[:60]!r}")


def _fits(text: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether a string is a list in JSON of things that fit."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(found, list) and all(map(fits, found))


def _timed(x: Any) -> bool:
    return isinstance(x, list) and len(x) == 2 and isinstance(x[0], Real)


LISTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "events": (_timed, "pairs of time and name"),
    "independent": (lambda x: _timed(x) and isinstance(x[1], list), "pairs of time and names"),
    "validity": (lambda x: isinstance(x, str), "sentences"),
}
"""Attributes, what their entries have to be, and words for it."""
