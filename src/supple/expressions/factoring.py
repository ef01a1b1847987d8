"""The same outputs with fewer operations: a x + a y written as a (x + y), and what is free brought together.

Sums of sums are taken as one sum of many terms, products of products as one product, as far as the inner ones are used
in one place only: nothing that others share is computed twice. In a product all factors that depend on parameters alone
become one, in a sum all such terms, because what they make up is computed once and free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from supple.expressions.function import Nodes, rebuilt
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.operations import OPERATIONS

SIGNS = {"add": (False, False), "sub": (False, True), "neg": (True,)}
"""Sums, and which of their arguments are taken away."""
PRODUCTS = frozenset(["mul"])
WITHIN = {**dict.fromkeys(SIGNS, PRODUCTS | SIGNS.keys()), "mul": PRODUCTS}
"""What is taken apart within what."""
COUNTED = {name for name, operation in OPERATIONS.items() if operation.counted}


def factored(outputs: Mapping[str, Nodes]) -> dict[str, Nodes]:
    """Arrays of the same shapes whose nodes have the same values, to rounding, and take no more operations.

    Passes over the graph are repeated while they bring something.

    Parameters
    ----------
    outputs : mapping of str to array of Expr or numbers
        What is computed together, as the outputs of a `Function`: what they share stays shared.

    Examples
    --------
    >>> import numpy as np
    >>> g = Graph()
    >>> a, x, y = g.input("a"), g.input("x"), g.input("y")
    >>> factored({"z": np.array([a * x + 2 + a * y])})["z"][0] is 2 + a * (x + y)
    True
    """
    best = {key: x.astype(object) for key, x in outputs.items()}
    nodes = [n for x in best.values() for n in x.flat if isinstance(n, Expr)]
    present = _Ordered(nodes)
    while nodes:
        image = _Pass(present).image
        better = _Ordered([image[n.id] for n in present.outputs])
        if better.cost >= present.cost:
            break
        for x in best.values():
            for i, n in enumerate(x.flat):
                if isinstance(n, Expr):
                    x.flat[i] = image[n.id]
        present = better
    return best


class _Ordered:
    """The nodes that some outputs need, in order; numbers of those that depend on parameters alone; what they cost."""

    def __init__(self, outputs: list[Expr]) -> None:
        self.outputs, self.order, self.fixed = outputs, order_of(outputs), set[int]()
        self.cost = 0
        fixed = self.fixed
        for node in self.order:
            for a in node.args:
                if a.id not in fixed:
                    self.cost += node.op in COUNTED
                    break
            else:
                if node.args or node.op in ("constant", "parameter"):
                    fixed.add(node.id)
                else:
                    self.cost += node.op in COUNTED


class Term(NamedTuple):
    """A product, or its negative."""

    negative: bool
    fixed: Expr
    """The product of all factors that depend on parameters alone."""
    factors: tuple[Expr, ...]
    """The others."""


class _Pass:
    """One pass over the nodes that the outputs need; `image` has what stands for each of them."""

    def __init__(self, given: _Ordered) -> None:
        self.graph: Graph = given.outputs[0].graph
        self.fixed = given.fixed
        self.inner = self._inner(given.order, given.outputs)
        self.image: dict[int, Expr] = {}
        for node in given.order:
            if node.id in self.inner:
                continue  # taken apart by the one node that uses it
            if node.op in WITHIN and node.id not in self.fixed:
                self.image[node.id] = self._sum(self._terms(node))
            else:
                self.image[node.id] = rebuilt(self.graph, node, [self.image[a.id] for a in node.args])

    def _inner(self, order: list[Expr], outputs: list[Expr]) -> set[int]:
        """Sums within sums, products within sums and products, used nowhere else."""
        uses = Counter(a.id for node in order for a in node.args)
        uses.update(node.id for node in outputs)
        found: set[int] = set()
        for node in order:
            within = WITHIN.get(node.op, ())
            for a in node.args if within else ():
                if a.op in within and uses[a.id] == 1 and a.id not in self.fixed:
                    found.add(a.id)
        return found

    def _terms(self, node: Expr) -> list[Term]:
        """A node as a sum of products, from left to right."""
        out: list[Term] = []
        stack = [(node, False)]
        while stack:
            x, negative = stack.pop()
            if x is not node and x.id not in self.inner:
                out.append(self._term([x], negative))
            elif x.op == "mul":
                out.append(self._term(self._factors(x), negative))
            else:
                stack += [(a, negative != sign) for a, sign in zip(x.args, SIGNS[x.op], strict=True)][::-1]
        return out

    def _factors(self, product: Expr) -> list[Expr]:
        out, stack = [], [*product.args[::-1]]
        while stack:
            x = stack.pop()
            if x.id in self.inner:
                stack += x.args[::-1]
            else:
                out.append(x)
        return out

    def _term(self, factors: list[Expr], negative: bool) -> Term:
        fixed, varying = self.graph.one, []
        for f in factors:
            image = self.image[f.id]
            if f.id in self.fixed:
                fixed = self.graph.mul(fixed, image)
            else:
                negative, image = (not negative, image.args[0]) if image.op == "neg" else (negative, image)
                varying.append(image)
        return Term(negative, fixed, tuple(varying))

    def _sum(self, terms: list[Term]) -> Expr:
        """The sum of terms: what most of them share is taken out, then what most of the rest share, and so on."""
        g = self.graph
        if len(terms) > 1:
            terms = self._like_terms(terms)
        while (shared := self._shared(terms)) is not None:
            group = [t for t in terms if shared in t.factors or shared is t.fixed]
            together = g.mul(shared, self._sum([_without(t, shared, g.one) for t in group]))
            place = terms.index(group[0])
            terms = [t for t in terms if t not in group]
            terms.insert(place, Term(False, g.one, (together,)))
        total = g.zero
        for t in sorted(terms, key=lambda t: bool(t.factors)):  # what is fixed first
            product = t.fixed
            for f in t.factors:
                product = g.mul(product, f)
            total = g.sub(total, product) if t.negative else g.add(total, product)
        return total

    def _like_terms(self, terms: list[Term]) -> list[Term]:
        """Terms that differ in their fixed factors only as one: p x + x is (p + 1) x."""
        g = self.graph
        alike: dict[tuple[int, ...], list[Term]] = {}
        for t in terms:
            alike.setdefault(tuple(sorted(f.id for f in t.factors)), []).append(t)
        out = []
        for same in alike.values():
            fixed = same[0].fixed
            for t in same[1:]:
                fixed = g.add(fixed, t.fixed) if t.negative == same[0].negative else g.sub(fixed, t.fixed)
            if fixed is not g.zero:
                out.append(same[0]._replace(fixed=fixed))
        return out

    def _shared(self, terms: list[Term]) -> Expr | None:
        """The factor that stands in most terms, beside others; of equals one that varies, then the oldest."""
        one = self.graph.one
        if len(terms) < 2:
            return None
        varying = Counter(f for t in terms for f in set(t.factors) if len(t.factors) > 1 or t.fixed is not one)
        fixed = Counter(t.fixed for t in terms if t.factors and t.fixed is not one)
        counts = [(n, f in varying, -f.id, f) for c in (varying, fixed) for f, n in c.items() if n > 1]
        return max(counts)[-1] if counts else None


def _without(t: Term, factor: Expr, one: Expr) -> Term:
    """A term divided by one of its factors."""
    if factor is t.fixed:
        return t._replace(fixed=one)
    place = t.factors.index(factor)
    return t._replace(factors=t.factors[:place] + t.factors[place + 1 :])
