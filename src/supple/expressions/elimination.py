"""Symmetric linear equations solved on nodes, in the order of elimination that costs the fewest operations.

M = L D L* after a renumbering of the unknowns. What an entry costs is known from three properties: whether it is zero,
whether it depends on parameters alone (then it is computed once and free), and whether it is small (then its products
with other small ones are dropped, see `small`). How they spread does not depend on values, so an order is judged
without building anything. For up to `SEARCHED` unknowns the best order is found by dynamic programming over the sets
of eliminated unknowns: what remains after a set is taken as that of the cheapest order that led to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.errors import StateError
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.small import small_ids

SEARCHED = 12
"""Most unknowns for which all orders are looked at; beyond, each step takes the unknown that is cheapest then."""


def solve_symmetric(M: Nodes, r: Nodes, small: Iterable[Expr] = (), names: Sequence[str] = ()) -> Nodes:
    """x with M x = r, one division for each unknown.

    Parameters
    ----------
    M : (n, n) array of Expr or numbers
        Symmetric; the upper triangle is not read.
    r : (n,) array of Expr or numbers
    small : iterable of Expr
        Leaves that stay small; products of two factors that both vanish with them are left out.
    names : sequence of str
        What the unknowns are called in error messages.

    Raises
    ------
    StateError
        Every order meets a pivot that is zero, or that vanishes with the small variables.

    Examples
    --------
    >>> g = Graph()
    >>> m, f = g.parameter("m"), g.input("f")
    >>> solve_symmetric(np.array([[m, 0], [0, m]]), np.array([f, 2 * f]))[1] is 2 * f * (1 / m)
    True
    """
    system = _System(M, r, small)
    return system.solution(_eliminated(system, names))


def pivots(M: Nodes) -> Nodes:
    """D (n,) of M = L D L*, each in the place of its unknown: what is left of M's diagonal when it is eliminated."""
    system = _System(M, np.zeros(len(M), dtype=object), ())
    _eliminated(system, ())
    return np.array([system.M[k, k] for k in range(len(M))], dtype=object)


class Elimination(NamedTuple):
    """How the unknowns are eliminated.

    Attributes
    ----------
    order : tuple of int
        The unknowns, first eliminated first.
    filled : list of (int, int)
        Entries below the diagonal that are zero in M and not zero in L, as pairs of unknowns.
    """

    order: tuple[int, ...]
    filled: list[tuple[int, int]]


def elimination(M: Nodes, r: Nodes, small: Iterable[Expr] = (), names: Sequence[str] = ()) -> Elimination:
    """The order in which `solve_symmetric` eliminates the unknowns, and what it fills in.

    Examples
    --------
    >>> g = Graph()
    >>> x = g.input("x")
    >>> M = np.array([[1, x, x], [x, 1, 0], [x, 0, 1]])  # the first unknown, eliminated first, would join the others
    >>> elimination(M, np.array([x, x, x]))
    Elimination(order=(1, 2, 0), filled=[])
    """
    system = _System(M, r, small)
    zeros = {pair for pair, node in system.M.items() if node is system.graph.zero}
    order = _eliminated(system, names)
    filled = [(i, k) for k in order for i in system.factors[k] if (i, k) in zeros]
    return Elimination(order, filled)


def _eliminated(system: _System, names: Sequence[str]) -> tuple[int, ...]:
    """The order in which all unknowns were eliminated."""
    count = len(system.r)
    chosen = _searched(system.pattern) if count <= SEARCHED else _greedy(system.pattern)
    if len(chosen) < count:
        raise _fault([k for k in range(count) if k not in chosen], names)
    for k in chosen:
        if not system.eliminate(k):
            raise _fault([k], names)
    return chosen


def _fault(unknowns: Sequence[int], names: Sequence[str]) -> StateError:
    called = ", ".join(names[k] if names else f"unknown {k}" for k in unknowns)
    return StateError(
        f"equations for {called}: expected a matrix that can be inverted, got a pivot that is zero, or that is zero "
        "when the small variables are"
    )


# ---------------------------------------------------------------- what an order costs


class Pattern(NamedTuple):
    """Properties of M and r as bits: bit j of row i is that of M[i, j], bit n that of r[i]."""

    there: tuple[int, ...]
    """Not zero."""
    varying: tuple[int, ...]
    """Not a function of parameters alone."""
    small: tuple[int, ...]
    """Vanishing with the small variables, or zero."""


def _after(pattern: Pattern, gone: int, k: int) -> tuple[int, Pattern] | None:
    """Operations of eliminating unknown k after those in `gone`, and what is left; None where the pivot is zero.

    M[i, j] loses l M[k, j] with l = M[i, k] / M[k, k], for i and j that meet k, and so does r.
    """
    there, varying, small = (list(rows) for rows in pattern)
    n = len(there)
    pivot = 1 << k
    if small[k] & pivot:
        return None
    row = there[k] & ~gone & ~pivot
    pivot_varies = bool(varying[k] & pivot)
    cost = pivot_varies + (there[k] >> n & 1)  # 1 / D, and its product with r on the way back
    above = row
    for i in range(n):
        bit = 1 << i
        if not row & bit:
            continue
        factor_varies, factor_small = pivot_varies or bool(varying[k] & bit), bool(small[k] & bit)
        reached = row & ~small[k] if factor_small else row
        moved = reached if factor_varies else reached & varying[k]
        vanishing = reached if factor_small else reached & small[k]
        counted = reached & above  # of each pair one
        cost += factor_varies + 2  # l, and its use on the way back
        cost += (counted & moved).bit_count() + (counted & there[i] & (moved | varying[i])).bit_count()
        small[i] &= ~(reached & ~vanishing)
        there[i] |= reached
        varying[i] |= moved
        above &= ~bit
    return cost, Pattern(tuple(there), tuple(varying), tuple(small))


def _searched(pattern: Pattern) -> tuple[int, ...]:
    """The best order, or the longest there is."""
    n = len(pattern.there)
    layer: dict[int, tuple[int, tuple[int, ...], Pattern]] = {0: (0, (), pattern)}
    longest: tuple[int, ...] = ()
    for _ in range(n):
        following: dict[int, tuple[int, tuple[int, ...], Pattern]] = {}
        for gone, (cost, order, left) in layer.items():
            for k in range(n):
                step = None if gone >> k & 1 else _after(left, gone, k)
                if step is None:
                    continue
                total, after = cost + step[0], gone | 1 << k
                if after not in following or total < following[after][0]:
                    following[after] = total, (*order, k), step[1]
        if not following:
            return longest
        layer = following
        longest = next(iter(layer.values()))[1]
    return longest


def _greedy(pattern: Pattern) -> tuple[int, ...]:
    """The order in which each unknown is the cheapest of those left; shorter where all pivots left are zero."""
    order: list[int] = []
    gone = 0
    while len(order) < len(pattern.there):
        steps = {k: _after(pattern, gone, k) for k in range(len(pattern.there)) if not gone >> k & 1}
        possible = {k: step for k, step in steps.items() if step is not None}
        if not possible:
            break
        k = min(possible, key=lambda k: possible[k][0])
        pattern = possible[k][1]
        order.append(k)
        gone |= 1 << k
    return tuple(order)


# ---------------------------------------------------------------- the elimination itself


class _System:
    """M, r and the factors, with the properties of every entry."""

    def __init__(self, M: Nodes, r: Nodes, small: Iterable[Expr]) -> None:
        n = len(r)
        given = [x for x in (*M.flat, *r) if isinstance(x, Expr)]
        g = self.graph = given[0].graph if given else Graph()
        self.M = {(i, j): g.node(M[max(i, j), min(i, j)]) for i in range(n) for j in range(n)}
        self.r = {i: g.node(r[i]) for i in range(n)}
        self.small = {g.zero.id, *small_ids([*self.M.values(), *self.r.values()], small)}
        self.factors: dict[int, dict[int, Expr]] = {}
        self.inverse: dict[int, Expr] = {}

    @property
    def pattern(self) -> Pattern:
        """Where M and r are zero, vary, are small."""
        n = len(self.r)
        fixed = set[int]()
        for node in order_of([*self.M.values(), *self.r.values()]):
            if node.op in ("constant", "parameter") or (node.args and all(a.id in fixed for a in node.args)):
                fixed.add(node.id)
        rows = [[*(self.M[i, j] for j in range(n)), self.r[i]] for i in range(n)]
        return Pattern(
            tuple(_bits(x is not self.graph.zero for x in row) for row in rows),
            tuple(_bits(x.id not in fixed for x in row) for row in rows),
            tuple(_bits(x.id in self.small for x in row) for row in rows),
        )

    def eliminate(self, k: int) -> bool:
        """Take unknown k out of the equations that are left; false where its pivot is zero."""
        pivot = self.M[k, k]
        if pivot.id in self.small:
            return False
        inverse = self.inverse[k] = self.graph.one / pivot
        left = [i for i in self.r if i not in self.inverse and self.M[i, k] is not self.graph.zero]
        factors = self.factors[k] = {i: self._product(self.M[i, k], inverse) for i in left}
        for place, i in enumerate(left):
            for j in left[place:]:
                self.M[i, j] = self.M[j, i] = self._less(self.M[i, j], factors[i], self.M[j, k])
            self.r[i] = self._less(self.r[i], factors[i], self.r[k])
        return True

    def solution(self, order: Sequence[int]) -> Nodes:
        """x, last eliminated first."""
        x: dict[int, Expr] = {}
        for k in reversed(order):
            x[k] = self._product(self.r[k], self.inverse[k])
            for i, factor in self.factors[k].items():
                x[k] = self._less(x[k], factor, x[i])
        return np.array([x[k] for k in range(len(order))], dtype=object)

    def _product(self, a: Expr, b: Expr) -> Expr:
        """a b, small if a or b is, dropped if both are."""
        vanishing = (a.id in self.small) + (b.id in self.small)
        out: Expr = self.graph.zero if vanishing == 2 else a * b
        if vanishing:
            self.small.add(out.id)
        return out

    def _less(self, a: Expr, b: Expr, c: Expr) -> Expr:
        """a - b c, small if both terms are."""
        product = self._product(b, c)
        out: Expr = a - product
        if a.id in self.small and product.id in self.small:
            self.small.add(out.id)
        return out


def _bits(values: Iterable[Any]) -> int:
    return sum(1 << j for j, value in enumerate(values) if value)
