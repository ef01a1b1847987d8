"""The signals of a result: every number over time by one name, "q.arm.angle", "position.boom/end.z", "work".

A name is that of the variable and its labels, joined by dots. The end of a name is enough where it says which signal is
meant: "arm.angle" is the coordinate, "boom/end.z" the position of the frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats
from supple.errors import StateError, nearest

if TYPE_CHECKING:
    import xarray as xr

TIME = "time"
FIRST = ("q", "position", "displacement", "v", "velocity", "a", "acceleration", "tau", "wrench")
"""Variables in the order in which the end of a name is looked up; all others follow."""
SHOWN = 8
"""Signals that a message lists."""


@dataclass(frozen=True, eq=False)
class Signal:
    """One number over time.

    Attributes
    ----------
    name, unit : str
        The unit is "" of a number without one.
    values : (times,) array
    """

    name: str
    unit: str
    values: Floats


def times_of(result: xr.Dataset) -> Floats:
    """(times,) s; an error if these are no results over time."""
    if TIME not in result.variables or result[TIME].dims != (TIME,):
        raise StateError("results: expected a variable 'time', got none")
    return np.asarray(result[TIME].values, dtype=float)


def signals(result: xr.Dataset) -> dict[str, Signal]:
    """All signals of a result by name: states first, then frames and joints, then all others."""
    times_of(result)
    known = [str(name) for name in result.data_vars]
    order = [name for name in FIRST if name in known] + [name for name in known if name not in FIRST]
    found: dict[str, Signal] = {}
    for name in order:
        x = result[name]
        if TIME in x.dims and x.dtype.kind in "fiub":
            for signal in _parts(name, x.transpose(TIME, ...)):
                found.setdefault(signal.name, signal)
    return found


def find_signal(known: dict[str, Signal], name: str) -> Signal:
    """A signal by its name or the end of it.

    Raises
    ------
    StateError
        If there is none, with the nearest name, or if the end fits several signals of one variable.
    """
    if name in known:
        return known[name]
    ends = [x for x in known if x.endswith(f".{name}")]
    rank = {x: FIRST.index(x.split(".")[0]) if x.split(".")[0] in FIRST else len(FIRST) for x in ends}
    best = [x for x in ends if rank[x] == min(rank.values())]
    if len(best) == 1:
        return known[best[0]]
    if best:
        listed = ", ".join(map(repr, best[:SHOWN])) + (", ..." if len(best) > SHOWN else "")
        raise StateError(f"signal {name!r}: expected the name of one, got the end of {len(best)}: {listed}")
    short = {x.partition(".")[2] for x in known} - {""}
    variables = dict.fromkeys(x.partition(".")[0] for x in known)
    hint = nearest(name, [*known, *short]) or f"; there are signals of {', '.join(variables)}"
    raise StateError(f"no signal {name!r}{hint}")


def _parts(name: str, x: xr.DataArray) -> Iterator[Signal]:
    """The signals of one variable, time being its first axis."""
    values, units = np.asarray(x.values, dtype=float), _units(x)
    labels = [_labels(x, dim) for dim in x.dims[1:]]
    flat = values.reshape(len(values), prod(x.shape[1:]))
    for column, at in enumerate(product(*(range(n) for n in x.shape[1:]))):
        words = (name, *(labels[axis][i] for axis, i in enumerate(at)))
        yield Signal(".".join(words), units[at[-1]] if at else units[0], flat[:, column])


def _labels(x: xr.DataArray, dim: object) -> list[str]:
    if dim in x.coords:
        return [str(label) for label in x.coords[dim].values]
    return [str(i) for i in range(x.sizes[dim])]


def _units(x: xr.DataArray) -> list[str]:
    """A unit for each place along the last axis.

    The attribute `units` has one for all; several for equal parts, "N m, N" of a wrench; or the name of the coordinate
    that has one for each, "see speed_unit".
    """
    count, text = (x.shape[-1] if x.ndim > 1 else 1), str(x.attrs.get("units", ""))
    named = text.removeprefix("see ")
    if named in x.coords and x.coords[named].dims == x.dims[-1:]:
        return [_plain(str(unit)) for unit in x.coords[named].values]
    units = [unit.strip() for unit in text.split(",")]
    if count % len(units):
        return [text] * count
    return [_plain(unit) for unit in units for _ in range(count // len(units))]


def _plain(unit: str) -> str:
    return "" if unit == "1" else unit
