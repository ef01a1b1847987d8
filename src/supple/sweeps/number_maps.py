"""The numbers of many runs from those of a few: polynomials through runs that were made the ordinary way.

All numbers that a run is made of are smooth functions of what is varied: masses and lengths enter polynomials, sections
and densities the modes of a structure. So they are interpolated at Chebyshev points, parameter by parameter with as
many points as it takes until more points say nothing new (Trefethen, Approximation Theory and Approximation Practice,
2013). Parameters that meet in one number get a grid of points; those that do not, one after another.

Nothing is assumed that is not looked at: numbers are predicted before they are made, and some cases of the sweep are
made the ordinary way as well. Where a prediction fails, where runs differ in more than numbers (modes that change
places), or where it would take too many runs, `NotSmooth` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from supple.checks import Floats, Ints

POINTS = (2, 3, 5, 9, 17, 33)
"""Numbers of points along a parameter; those of each are among those of the next."""
LOOKS = 3
"""Points of the next larger number that are predicted: the first, the middle and the last of those that are new."""
RELATIVE, NOISE = 1e-12, 2e-14
"""Error of a number, relative to its own size and to the largest number of its array."""
NUDGE = 2.0**-50
"""By so much parameters are changed to see how well numbers are known that come from eigenvectors."""
KNOWN, UNKNOWN = 10.0, 1e-9
"""Times that change is allowed as well; of the size of a number at most so much, else it is not smooth."""
CHECKED = 3
"""Cases that are made the ordinary way, too."""
SLACK = 10.0
"""Times more than in a prediction that those may be off: they are elsewhere in all parameters at once."""

Make = Callable[[Mapping[str, float]], Floats]
"""Numbers (n,) of a run by the values of the parameters; raises `NotSmooth` for one that differs in more than these."""


class NotSmooth(Exception):
    """Why numbers cannot be interpolated."""


@dataclass(frozen=True, eq=False)
class _Span:
    """A parameter: its range among the cases and the number of points along it."""

    low: float
    high: float
    count: int

    @property
    def points(self) -> Floats:
        return _points(self.low, self.high, self.count)

    def weights(self, x: Floats) -> Floats:
        """(cases, points) of the values at the points in those at x."""
        return _weights(self.points, x)


@dataclass(frozen=True, eq=False)
class _Part:
    """Numbers that depend on the same parameters, at all points of their grid: values (points, entries)."""

    paths: tuple[str, ...]
    entries: Ints
    values: Floats


class NumberMap:
    """Numbers as functions of parameters.

    Parameters
    ----------
    make : function
        The ordinary way.
    columns : mapping of path to (cases,) array
        Values of the parameters in all cases.
    groups : (n,) array of int
        The array that each number belongs to.
    most : int
        Runs that may be made the ordinary way.

    Raises
    ------
    NotSmooth
    """

    def __init__(self, make: Make, columns: Mapping[str, Floats], groups: Ints, most: int) -> None:
        self._make, self._groups, self._left = make, groups, most
        self._made: dict[tuple[float, ...], Floats] = {}
        self._columns = dict(columns)
        ends = {path: (float(x.min()), float(x.max())) for path, x in columns.items()}
        self._first = {path: max(both, key=abs) for path, both in ends.items()}  # at zero it might do nothing to others
        self._base = self._at({})
        self._rounding = np.zeros(len(self._base))
        for factor in (1.0 - NUDGE, 1.0 + NUDGE):
            change = np.abs(self._at({path: factor * x for path, x in self._first.items()}) - self._base)
            self._rounding = np.maximum(self._rounding, change)
        self._spans: dict[str, _Span] = {}
        moved: dict[str, np.ndarray[tuple[int], np.dtype[np.bool_]]] = {}
        for path in columns:
            if ends[path][0] < ends[path][1]:
                self._spans[path], moved[path] = self._scanned(path, *ends[path])
        self._parts = [self._part(paths, moved) for paths in _meeting(moved)]
        self._check()

    @property
    def runs(self) -> int:
        """How many were made the ordinary way."""
        return len(self._made)

    def __call__(self, cases: Ints) -> Floats:
        """Numbers (cases, n) of some cases."""
        out = np.repeat(self._base[None], len(cases), axis=0)
        for part in self._parts:
            weights = np.ones((len(cases), 1))
            for path in part.paths:
                own = self._spans[path].weights(self._columns[path][cases])
                weights = (weights[:, :, None] * own[:, None, :]).reshape(len(cases), -1)
            out[:, part.entries] = weights @ part.values
        return out

    # ------------------------------------------------------------ runs the ordinary way

    def _at(self, changes: Mapping[str, float]) -> Floats:
        """Numbers at one corner of all ranges but for some parameters."""
        values = self._first | dict(changes)
        key = tuple(values.values())
        if key not in self._made:
            if self._left <= 0:
                raise NotSmooth("too many parameters meet in the same numbers")
            self._left -= 1
            self._made[key] = self._make(values)
        return self._made[key]

    def _scanned(self, path: str, low: float, high: float) -> tuple[_Span, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """The points that a parameter needs, and the numbers that depend on it."""
        for count, more in pairwise(POINTS):
            points, x = _points(low, high, count), _points(low, high, more)
            new = x[1::2] if count > 2 else x[1:2]
            looked_at = new[np.unique(np.linspace(0, len(new) - 1, LOOKS).round().astype(int))]
            before, found = (np.array([self._at({path: y}) for y in some]) for some in (points, looked_at))
            allowed = self._allowed(np.concatenate([before, found]))
            off = float((np.abs(_weights(points, looked_at) @ before - found) / allowed).max(initial=0.0))
            if off <= 1.0:
                return _Span(low, high, count), np.ptp(np.concatenate([before, found]), axis=0) > allowed
        raise NotSmooth(f"numbers do not depend smoothly on {path!r}: they are off by {off:.1e} times what is allowed")

    def _allowed(self, found: Floats) -> Floats:
        """Errors (n,) that numbers (runs, n) may have."""
        own = np.maximum(np.abs(found).max(axis=0), np.abs(self._base))
        largest, known = np.zeros((2, int(self._groups.max(initial=-1)) + 1))
        np.maximum.at(largest, self._groups, own)
        np.maximum.at(known, self._groups, self._rounding / np.maximum(np.abs(self._base), np.finfo(float).tiny))
        relative = RELATIVE + np.minimum(KNOWN * known[self._groups], UNKNOWN)
        return np.asarray(relative * own + NOISE * largest[self._groups] + np.finfo(float).tiny)

    def _part(self, paths: tuple[str, ...], moved: Mapping[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]) -> _Part:
        entries = np.flatnonzero(np.any([moved[path] for path in paths], axis=0))
        grid = product(*(self._spans[path].points.tolist() for path in paths))
        values = [self._at(dict(zip(paths, point, strict=True)))[entries] for point in grid]
        return _Part(paths, entries, np.array(values))

    def _check(self) -> None:
        """Compare with cases that are made the ordinary way: those farthest from the points, and from each other."""
        wide = [(self._columns[path] - x.low) / (x.high - x.low) for path, x in self._spans.items()]
        if not wide:
            return
        at = np.stack(wide, axis=1)
        distance = np.min(np.minimum(at, 1.0 - at), axis=1)
        for _ in range(min(CHECKED, len(at))):
            case = int(distance.argmax())
            own = self._make({path: float(x[case]) for path, x in self._columns.items()})
            off = np.abs(self(np.array([case]))[0] - own) / self._allowed(own[None])
            if off.max(initial=0.0) > SLACK:
                raise NotSmooth(f"the numbers of case {case} are not those of interpolation: off by {off.max():.1e}")
            distance = np.minimum(distance, np.linalg.norm(at - at[case], axis=1))


def _points(low: float, high: float, count: int) -> Floats:
    """Chebyshev points of the second kind with both ends."""
    x = np.cos(np.pi * np.arange(count) / (count - 1))[::-1]
    return np.asarray(np.where(x < 0, low + (high - low) * (1 + x) / 2, high - (high - low) * (1 - x) / 2))


def _weights(points: Floats, x: Floats) -> Floats:
    """(x, points) barycentric weights (Berrut and Trefethen, 2004)."""
    signs = np.where(np.arange(len(points)) % 2, -1.0, 1.0)
    signs[[0, -1]] *= 0.5
    distance = x[:, None] - points
    with np.errstate(divide="ignore", invalid="ignore"):
        own = signs / distance
        out = own / own.sum(axis=1, keepdims=True)
    met = distance == 0.0
    return np.where(met.any(axis=1, keepdims=True), met, out).astype(float)


def _meeting(moved: Mapping[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]) -> Sequence[tuple[str, ...]]:
    """Parameters in groups; those of different groups meet in no number."""
    groups: list[tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.bool_]]]] = []
    for path, own in moved.items():
        if not own.any():
            continue
        apart = [x for x in groups if not (x[1] & own).any()]
        joined = [x for x in groups if (x[1] & own).any()]
        paths = (*(y for x in joined for y in x[0]), path)
        groups = [*apart, (paths, np.any([own, *(x[1] for x in joined)], axis=0))]
    return [paths for paths, _ in groups]
