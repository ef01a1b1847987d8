"""What the steps of a segment are given, in words that mean the same in every recording.

Arrays are numbered as they come. Where they begin is left to each recording: arrays that share cells are a region, and
a cell is known by its place in a region. How wide the rows are is a matter of those regions that a segment uses
(`Signature.widths`). How long an array is is left open, since most steps work on a few rows of it; a step that asks is
another matter (`Signature.strict`).
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.blocks.places import Indices

Key = tuple[Any, ...]
ANYWHERE = 0
"""The region of all cells that are in no array: it begins at 0."""


class Region(NamedTuple):
    """Cells that follow each other, of one or more arrays."""

    first: int
    last: int
    number: int


class Signature:
    """What all steps of a segment are given but for integers.

    Parameters
    ----------
    calls : iterable of (Key, arguments)
        Step and place of the element for each call, and its arguments.

    Attributes
    ----------
    loose, strict : bytes
        Equal for segments that may be alike: if no step asks for the length of an array, or also if one does.
    whole : bool
        Whether all arrays are known; otherwise only segments of one recording can be alike.
    bases : array of int
        First cells of regions: of `ANYWHERE`, of memory, of numbers.
    widths : list of tuples
        What decides where entries of arrays are, for each region.
    indices : list of Indices
        By their numbers.
    """

    def __init__(self, calls: Iterable[tuple[Key, tuple[Any, ...]]]) -> None:
        calls = list(calls)
        arrays = list({id(x): x for _, args in calls for arg in args for x in _arrays(arg)}.values())
        self.indices = [x for x in arrays if type(x) is Indices]
        self.whole = True
        self._number = {id(x): i for i, x in enumerate(self.indices)}
        self._memory = _regions((x for x in arrays if type(x) is Cells), 1)
        self._numbers = _regions((x for x in arrays if type(x) is ModelNumbers), 1 + len(self._memory))
        regions = sorted([*self._memory, *self._numbers], key=lambda x: x.number)
        self._firsts = [0, *(x.first for x in regions)]
        self.bases: NDArray[np.int64] = np.array(self._firsts)
        self.widths: list[Key] = [()] * len(self._firsts)
        for x in arrays:
            if type(x) is not Indices and x.size:
                region, place = self._place(x)
                self.widths[region] += ((place, x.rows, _fixed(x.extents)),)
        self.loose, self.strict = (
            hashlib.sha256(
                repr([(head, [self._part(x, exact, True) for x in args]) for head, args in calls]).encode()
            ).digest()
            for exact in (False, True)
        )

    def number(self, indices: Any) -> int | None:
        """The number of an array of integers; None if it is not among the arguments."""
        return self._number.get(id(indices))

    def region(self, row: int, numbers: bool) -> int:
        """The region that a cell in memory, or a number, is in."""
        regions = self._numbers if numbers else self._memory
        at = bisect_right(regions, row, key=lambda x: x.first) - 1
        return regions[at].number if at >= 0 and row < regions[at].last else ANYWHERE

    def _place(self, x: Any) -> tuple[int, int]:
        """The region that an array is in, and where it begins there."""
        region = self.region(x.first, type(x) is ModelNumbers)
        return region, x.first - self._firsts[region]

    def _part(self, x: Any, exact: bool, argument: bool = False) -> Any:
        """What is said of an argument, or of a part of one; integers are given with each segment."""
        kind = type(x)
        if kind is int:
            return int if argument else (int, x)
        if kind is Cells or kind is ModelNumbers:
            place = self._place(x) if x.size else None
            return kind, place, x.extents if exact else len(x.extents)
        if kind is Indices:
            return Indices, self._number[id(x)], x.width, len(x.values) if exact else None
        if isinstance(x, tuple):
            return (kind, *[self._part(part, exact) for part in x])
        if isinstance(x, bool | float | str | None):
            return kind, x
        self.whole = False
        return kind, id(x)


def _arrays(x: Any) -> Iterator[Any]:
    """All arrays of an argument."""
    if type(x) in (Cells, ModelNumbers, Indices):
        yield x
    elif isinstance(x, tuple):
        for part in x:
            yield from _arrays(part)


def _fixed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without what does not decide where its entries are: the length of the first axis that has more than one.

    Axes of length one before it have one entry, wherever it is.
    """
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return shape[:first] + (-1,) * (first < len(shape)) + shape[first + 1 :]


def _regions(arrays: Iterable[Any], first: int) -> list[Region]:
    """The regions of some arrays in the order of their cells, numbered in that of the arrays."""
    spans: list[list[int]] = []
    for number, x in sorted(enumerate(arrays), key=lambda item: item[1].first):
        if x.size:
            if spans and x.first < spans[-1][1]:
                spans[-1][1] = max(spans[-1][1], x.first + x.size)
                spans[-1][2] = min(spans[-1][2], number)
            else:
                spans.append([x.first, x.first + x.size, number])
    rank = {number: i for i, number in enumerate(sorted(span[2] for span in spans))}
    return [Region(begin, end, first + rank[number]) for begin, end, number in spans]
