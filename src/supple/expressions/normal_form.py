"""Expressions as polynomials: sums of numbers times powers of atoms.

Atoms are leaves, functions whose arguments are in this form themselves, and sums, which appear in denominators alone.
The square of a sine becomes 1 - cos^2, so that what cancels does cancel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from itertools import combinations

from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.operations import FUNCTIONS

ROUNDING = 1e-14
"""Relative difference of coefficients that counts as none."""
ANGLES = 4
"""Terms of an angle beyond which its sine is not taken apart."""

Monomial = tuple[tuple[int, int], ...]
"""Ids of atoms, ascending, with their exponents."""
Polynomial = dict[Monomial, float]
ONE: Monomial = ()


class TooLong(Exception):
    """An expression has too many terms, or no number is its coefficient."""


class Forms:
    """Polynomials of nodes.

    Parameters
    ----------
    graph : Graph
    limit : int
        Most terms there may be.
    apart : bool
        Whether functions of sums of angles are taken apart.
    """

    def __init__(self, graph: Graph, limit: int, apart: bool) -> None:
        self.graph, self.limit, self.apart = graph, limit, apart
        self.known: dict[int, Polynomial | None] = {}

    def of(self, node: Expr) -> Polynomial:
        """The polynomial of a node; raises TooLong if there is none."""
        for x in order_of([node]):
            if x.id not in self.known:
                self.known[x.id] = None  # stays if the next line fails
                self.known[x.id] = self._step(x, [self._found(a) for a in x.args])
        return self._found(node)

    def _found(self, node: Expr) -> Polynomial:
        found = self.known[node.id]
        if found is None:
            raise TooLong
        return found

    def _step(self, node: Expr, args: list[Polynomial]) -> Polynomial:
        """The polynomial of a node from those of its arguments."""
        match node.op:
            case "constant":
                return self.sum(({ONE: node.value}, 1.0))
            case "input" | "parameter":
                return {((node.id, 1),): 1.0}
            case "neg":
                return self.sum((args[0], -1.0))
            case "add" | "sub":
                total = self.sum((args[0], 1.0), (args[1], 1.0 if node.op == "add" else -1.0))
                return total if self.apart else self.joined(total)
            case "mul":
                return self.product(*args)
            case "div":
                return self._quotient(*args)
        return self._function(node.op, args)

    # ------------------------------------------------------------ arithmetic

    def sum(self, *parts: tuple[Polynomial, float]) -> Polynomial:
        """Polynomials times numbers, added; what is left by rounding alone is dropped."""
        out: Polynomial = {}
        for polynomial, scale in parts:
            for monomial, c in polynomial.items():
                new = scale * c
                total = out.get(monomial, 0.0) + new
                if not math.isfinite(total):
                    raise TooLong
                out[monomial] = total
                if abs(total) <= ROUNDING * abs(new):
                    del out[monomial]
        if len(out) > self.limit:
            raise TooLong
        return out

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """a b."""
        if len(a) * len(b) > self.limit**2 // 4:
            raise TooLong
        parts = []
        for m, x in a.items():
            for n, y in b.items():
                if x * y == 0.0:  # underflow: the term would be lost
                    raise TooLong
                powers = dict(m)
                for atom, exponent in n:
                    powers[atom] = powers.get(atom, 0) + exponent
                parts.append((self._regular(powers), x * y))
        return self.sum(*parts)

    def _regular(self, powers: dict[int, int]) -> Polynomial:
        """A product of powers: squares of sines and of roots, and sums that are in no denominator, are replaced."""
        for atom, exponent in powers.items():
            node = self.graph.nodes[atom]
            if node.op == "sin" and exponent > 1:
                cos = self._function("cos", [self.of(node.args[0])])
                square = self.sum(({ONE: 1.0}, 1.0), (self.product(cos, cos), -1.0))
                return self.product(self._regular({**powers, atom: exponent - 2}), square)
            if node.op == "sqrt" and abs(exponent) > 1:
                step = 2 if exponent > 0 else -2
                inside = self.of(node.args[0])
                replaced = inside if step > 0 else self._quotient({ONE: 1.0}, inside)
                return self.product(self._regular({**powers, atom: exponent - step}), replaced)
            if node.op in ("add", "sub") and exponent > 0:
                return self.product(self._regular({**powers, atom: exponent - 1}), self.of(node))
        return {tuple(sorted((atom, n) for atom, n in powers.items() if n)): 1.0}

    def _quotient(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """a / b: common factors of the terms of b are taken out, what is left of more than one term is an atom."""
        if not b:
            raise TooLong
        if len(b) == 1:
            ((monomial, c),) = b.items()
            return self.product(a, self.sum((self._regular({atom: -n for atom, n in monomial}), 1.0 / c)))
        factor, rest = self._factored(b)
        if len(rest) < 2:
            return self._quotient(self._quotient(a, factor), rest)
        if a:
            own, left = self._factored(a)
            if left == rest:
                return self._quotient(own, factor)
        atom, sign = self.node(rest), 1.0
        if atom.op == "neg":
            atom, sign = atom.args[0], -1.0
        return self.product(self._quotient(a, factor), {((atom.id, -1),): sign})

    def cancelled(self, a: Polynomial) -> Polynomial:
        """The same with K for K b / (b + c) + K c / (b + c)."""
        for monomial, x in in_order(a):
            for atom, exponent in monomial:
                if exponent > 0 or self.graph.nodes[atom].op not in ("add", "sub"):
                    continue
                below = self.of(self.graph.nodes[atom])
                first, y = in_order(below)[0]
                rest = times(monomial, {i: -n for i, n in first})
                whole = self.sum((self.product(below, {rest: 1.0}), x / y))
                if whole and all(m in a and same(a[m], c) for m, c in whole.items()):
                    once = self.product({times(rest, {atom: 1}): 1.0}, {ONE: x / y})
                    return self.cancelled(self.sum((a, 1.0), (whole, -1.0), (once, 1.0)))
        return a

    def _factored(self, a: Polynomial) -> tuple[Polynomial, Polynomial]:
        """A product common to all terms of a sum, with the first coefficient; and what is left."""
        c = in_order(a)[0][1]
        atoms = sorted({atom for monomial in a for atom, _ in monomial})
        lowest = {atom: min(dict(monomial).get(atom, 0) for monomial in a) for atom in atoms}
        common: Monomial = tuple((atom, n) for atom, n in lowest.items() if n)
        left = self.product(a, {tuple((atom, -n) for atom, n in common): 1.0})
        return {common: c}, {monomial: x / c for monomial, x in left.items()}

    # ------------------------------------------------------------ functions

    def _function(self, name: str, args: list[Polynomial]) -> Polynomial:
        """A function of polynomials; signs are taken out of odd and even ones."""
        parity = FUNCTIONS[name].parity
        if parity and args[0] and in_order(args[0])[0][1] < 0.0:
            opposite = self._function(name, [self.sum((args[0], -1.0))])
            return opposite if parity > 0 else self.sum((opposite, -1.0))
        if self.apart and name in ("sin", "cos") and 1 < len(args[0]) <= ANGLES and ONE not in args[0]:
            return self._taken_apart(name, args[0])
        node = self.graph.function(name, *map(self.node, args))
        if node.op == "constant":
            return self.sum(({ONE: node.value}, 1.0))
        if node.op == "neg":
            return {((node.args[0].id, 1),): -1.0}
        return {((node.id, 1),): 1.0}

    def _taken_apart(self, name: str, angle: Polynomial) -> Polynomial:
        """sin(a + b) or cos(a + b) as products, a the first term of the angle."""
        first, c = in_order(angle)[0]
        a, b = {first: c}, {monomial: x for monomial, x in angle.items() if monomial != first}
        sin_a, cos_a, sin_b, cos_b = (self._function(f, [x]) for x in (a, b) for f in ("sin", "cos"))
        if name == "sin":
            return self.sum((self.product(sin_a, cos_b), 1.0), (self.product(cos_a, sin_b), 1.0))
        return self.sum((self.product(cos_a, cos_b), 1.0), (self.product(sin_a, sin_b), -1.0))

    # ------------------------------------------------------------ sums of angles

    def joined(self, a: Polynomial) -> Polynomial:
        """Products of functions of two angles as functions of the sum or difference, where that saves a term."""
        found = next(self._pairs(a), None)
        while found is not None:
            monomial, partner, whole = found
            rest = {m: x for m, x in a.items() if m not in (monomial, partner)}
            a = self.sum((rest, 1.0), (whole, 1.0))
            found = next(self._pairs(a), None)
        return a

    def _pairs(self, a: Polynomial) -> Iterator[tuple[Monomial, Monomial, Polynomial]]:
        """Two terms of a sum that are one, and this one."""
        for monomial, c in in_order(a):
            turns = [self.graph.nodes[i] for i, n in monomial if n > 0 and self.graph.nodes[i].op in ("sin", "cos")]
            for x, y in combinations(turns, 2):
                if x.args[0] is y.args[0] or (x.op, y.op) == ("sin", "sin"):
                    continue
                if y.op == "sin":
                    x, y = y, x
                others = [self.graph.function("sin" if z.op == "cos" else "cos", z.args[0]) for z in (x, y)]
                rest = times(monomial, {x.id: -1, y.id: -1})
                partner = times(rest, {z.id: 1 for z in others})
                d = a.get(partner, 0.0)
                if not same(abs(d), abs(c)):
                    continue
                # sin a cos b + cos a sin b, cos a cos b - sin a sin b belong to the sum a + b
                plus = (c * d > 0.0) == (x.op == "sin")
                angle = self.sum((self.of(x.args[0]), 1.0), (self.of(y.args[0]), 1.0 if plus else -1.0))
                yield monomial, partner, self.product({rest: c}, self._function(x.op, [angle]))

    # ------------------------------------------------------------ back to nodes

    def node(self, a: Polynomial) -> Expr:
        """The node of a polynomial, positive terms first; made from the right, which keeps the order of the terms."""
        g, terms = self.graph, in_order(a)
        positive = [self._monomial(monomial, c) for monomial, c in terms if c > 0.0]
        negative = [self._monomial(monomial, -c) for monomial, c in terms if c < 0.0]
        total = reduce(lambda rest, term: term + rest, reversed(positive), g.zero)
        return reduce(lambda before, term: before - term, negative, total)

    def _monomial(self, monomial: Monomial, c: float) -> Expr:
        g = self.graph
        above, below = (
            reduce(
                lambda rest, atom: g.nodes[atom] * rest,
                [i for i, n in reversed(monomial) for _ in range(sign * n)],
                one,
            )
            for sign, one in ((1, g.constant(c)), (-1, g.one))
        )
        return g.div(above, below)


def degree(monomial: Monomial) -> int:
    """Factors of a monomial, above and below the bar."""
    return sum(abs(n) for _, n in monomial)


def in_order(a: Polynomial) -> list[tuple[Monomial, float]]:
    """Terms in the order of their degrees and of the atoms in the graph."""
    return sorted(a.items(), key=lambda term: (degree(term[0]), term[0]))


def times(monomial: Monomial, powers: dict[int, int]) -> Monomial:
    """A monomial times powers of atoms."""
    out = dict(monomial)
    for atom, n in powers.items():
        out[atom] = out.get(atom, 0) + n
    return tuple(sorted((atom, n) for atom, n in out.items() if n))


def same(x: float, y: float) -> bool:
    """Whether two coefficients differ by rounding alone."""
    return abs(x - y) <= ROUNDING * abs(x)
