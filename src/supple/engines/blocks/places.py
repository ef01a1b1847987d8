"""Integers that know where they come from: what a step does for one body says what it does for all that are alike.

While the steps of a body are recorded, the integers that they are called with are `Place`s. What is read from an array
of indices at a place is a place too, and so are sums of places. Wherever the course of a step or an address depends on
a place in any other way, the condition is noted under which the same would come out. Another body whose integers
fulfil all conditions takes the same course, on rows that follow from the same terms. A place that leaves this
arithmetic unnoticed, as the index of a tuple or the end of a Python range, is bound to its value: then no other body
is alike.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

ZERO, ARGUMENT, ITEM, COUNT, TIMES, SUM = range(6)
"""Kinds of terms: zero; (number,) of an argument; (array or its number, term, offset); (array or its
number,) whose items are counted; (term, factor); (term, term)."""
Term = tuple[int, Any, int, int]
Condition = tuple[Any, int, int, int]
"""(comparison, term, term, shift): how the first less the second plus the shift compares with zero."""


class Origins:
    """The terms of a segment and the conditions on them.

    Parameters
    ----------
    arguments : sequence of int
        What the segment is called with.
    """

    def __init__(self, arguments: Sequence[int]) -> None:
        self.terms: dict[Term, int] = {(ZERO, 0, 0, 0): 0}
        self.values = [0]
        self.conditions: dict[Condition, bool] = {}
        self._multiples: dict[tuple[int, int], int] = {}
        self.arguments = [Place(self, self.term((ARGUMENT, i, 0, 0), x), 0, x) for i, x in enumerate(arguments)]

    def term(self, term: Term, value: int) -> int:
        """The number of a term."""
        found = self.terms.get(term)
        if found is None:
            found = self.terms[term] = len(self.values)
            self.values.append(value)
        return found

    def times(self, term: int, factor: int) -> int:
        """The number of a term that is another times a factor."""
        found = self._multiples.get((term, factor))
        if found is None:
            found = self.term((TIMES, term, factor, 0), self.values[term] * factor)
            self._multiples[term, factor] = found
        return found

    def holds(self, comparison: Any, a: int, b: int, shift: int) -> bool:
        """Whether the difference of two terms plus a shift compares so with zero; noted as a condition."""
        outcome = bool(comparison(self.values[a] - self.values[b] + shift, 0))
        if a != b:
            self.conditions[comparison, a, b, shift] = outcome
        return outcome

    def same(self, a: int, b: int) -> None:
        """Note that two terms differ by what they differ by here."""
        self.holds(operator.eq, a, b, self.values[b] - self.values[a])


class Place:
    """An integer: a term of its segment plus an offset."""

    __slots__ = ("offset", "origins", "term", "value")

    def __init__(self, origins: Origins, term: int, offset: int, value: int) -> None:
        self.origins, self.term, self.offset, self.value = origins, term, offset, value

    def __add__(self, other: Any) -> Place:
        if type(other) is int:
            return Place(self.origins, self.term, self.offset + other, self.value + other)
        if type(other) is not Place:
            return NotImplemented
        own = self.origins
        term = own.term((SUM, self.term, other.term, 0), own.values[self.term] + own.values[other.term])
        return Place(own, term, self.offset + other.offset, self.value + other.value)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is int:
            return Place(self.origins, self.term, self.offset - other, self.value - other)
        if type(other) is not Place:
            return NotImplemented
        self.origins.same(self.term, other.term)
        return self.value - other.value

    def __rsub__(self, other: int) -> int:
        return other - operator.index(self)

    def __mul__(self, other: Any) -> Place:
        if type(other) is not int:
            return NotImplemented
        own = self.origins
        return Place(own, own.times(self.term, other), self.offset * other, self.value * other)

    __rmul__ = __mul__

    def __index__(self) -> int:
        self.origins.same(self.term, 0)
        return self.value

    __int__ = __index__

    def __hash__(self) -> int:
        return hash(operator.index(self))

    def __bool__(self) -> bool:
        return not self._compare(operator.eq, 0)

    def _compare(self, comparison: Any, other: Any) -> Any:
        if type(other) is Place:
            return self.origins.holds(comparison, self.term, other.term, self.offset - other.offset)
        if type(other) is int:
            return self.origins.holds(comparison, self.term, 0, self.offset - other)
        return NotImplemented

    def __eq__(self, other: object) -> Any:
        return self._compare(operator.eq, other)

    def __lt__(self, other: Any) -> Any:
        return self._compare(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._compare(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(operator.ge, other)

    def __repr__(self) -> str:
        return f"Place({self.value})"


_noted = threading.local()


@contextmanager
def noted_by(origins: Origins) -> Iterator[None]:
    """Let what a segment reads at numbers that are no places be conditions: for others something else may be there."""
    _noted.origins = origins
    try:
        yield
    finally:
        del _noted.origins


class Indices:
    """Integers of a model, of one or two axes: what is read at a place is a place.

    Attributes
    ----------
    values : list of int
    width : int or None
        Length of the second axis, if there is one.
    """

    __slots__ = ("values", "width")

    def __init__(self, values: Any) -> None:
        rows = values.tolist() if hasattr(values, "tolist") else list(values)
        self.width = len(rows[0]) if rows and isinstance(rows[0], list) else None
        self.values: list[int] = [x for row in rows for x in row] if self.width else rows

    @property
    def count(self) -> int:
        """Length of the first axis, for those who do not decide anything by it."""
        return len(self.values) // (self.width or 1)

    def __len__(self) -> int:
        origins: Origins | None = getattr(_noted, "origins", None)
        if origins is not None:
            origins.same(origins.term((COUNT, self, 0, 0), self.count), 0)
        return self.count

    def __getitem__(self, key: Any) -> Any:
        if type(key) is tuple:
            key = key[0] * self.width + key[1]
        if type(key) is not Place:
            found = self.values[key]
            origins: Origins | None = getattr(_noted, "origins", None)
            if origins is not None:
                origins.same(origins.term((ITEM, self, 0, int(key)), int(found)), 0)
            return found
        value, own = int(self.values[key.value]), key.origins
        return Place(own, own.term((ITEM, self, key.term, key.offset), value), 0, value)


def counted(*bounds: Any) -> Iterable[Any]:
    """`range`, which gives places if it begins at one."""
    if len(bounds) == 1 or type(bounds[0]) is not Place:
        return range(*bounds)
    first, last, *step = bounds
    return (first + i for i in range(0, last - first, *step))


def evaluated(terms: Sequence[Term], arguments: Sequence[int], arrays: Sequence[Indices] = ()) -> list[int] | None:
    """Values of the terms for other arguments and arrays; None if there is no such item of an array."""
    values: list[int] = []
    for kind, a, b, c in terms:
        if kind == ITEM:
            items = (arrays[a] if type(a) is int else a).values
            at = values[b] + c
            if not 0 <= at < len(items):
                return None
            values.append(int(items[at]))
        elif kind == COUNT:
            values.append((arrays[a] if type(a) is int else a).count)
        elif kind == TIMES:
            values.append(values[a] * b)
        elif kind == SUM:
            values.append(values[a] + values[b])
        else:
            values.append(arguments[a] if kind == ARGUMENT else 0)
    return values


def fulfilled(conditions: Sequence[tuple[Condition, bool]], values: Sequence[int]) -> bool:
    """Whether all conditions come out as they did."""
    return all(
        comparison(values[a] - values[b] + shift, 0) == outcome for (comparison, a, b, shift), outcome in conditions
    )
