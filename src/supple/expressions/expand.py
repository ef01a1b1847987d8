"""Expressions multiplied out, as a textbook prints them.

Two terms become one where they can: K - K cos^2 is K sin^2, and products of sines and cosines of two angles are
functions of their sum or difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from supple.expressions.graph import Expr, Graph
from supple.expressions.normal_form import Forms, Polynomial, TooLong, degree, in_order, same, times

LIMIT = 60
"""Terms of a sum beyond which an expression is better left as it is."""
ON_THE_WAY = 5
"""Times as many terms there may be before some cancel."""


@dataclass(frozen=True)
class Monomial:
    """A number times powers of atoms.

    Attributes
    ----------
    coefficient : float
    powers : tuple of (Expr, int)
        Atoms with their exponents, negative below a fraction's bar.
    """

    coefficient: float
    powers: tuple[tuple[Expr, int], ...]


def expanded(node: Expr, limit: int = LIMIT) -> Expr | None:
    """The same expression as a sum of products, in the same graph; None if it has more than `limit` terms.

    Examples
    --------
    >>> from supple.expressions.graph import Graph
    >>> g = Graph()
    >>> a, b = g.input("a"), g.input("b")
    >>> expanded((g.cos(a) + g.cos(b)) * (g.cos(a) - g.cos(b)) + g.sin(a) ** 2) is g.sin(b) ** 2
    True
    """
    expansion = Expansion(node.graph, limit)
    form = expansion.shortest(node)
    return None if form is None else expansion.together.node(form)


class Expansion:
    """Nodes of a graph multiplied out, what they have in common once.

    Parameters
    ----------
    graph : Graph
    limit : int
        Most terms of a sum.
    """

    def __init__(self, graph: Graph, limit: int = LIMIT) -> None:
        self.limit = limit
        self.together, self.apart = (Forms(graph, limit * ON_THE_WAY, apart) for apart in (False, True))

    def products(self, node: Expr) -> list[Monomial] | None:
        """The terms of a node, none for zero, in the order of their degrees; None if there are more than the limit."""
        form = self.shortest(node)
        if form is None:
            return None
        nodes = node.graph.nodes
        return [Monomial(c, tuple((nodes[i], n) for i, n in monomial)) for monomial, c in in_order(form)]

    def shortest(self, node: Expr) -> Polynomial | None:
        """The shorter of two forms: sums of angles made as early as possible; taken apart, made at the end."""
        found = []
        for forms in (self.together, self.apart):
            try:
                joined = self.together.joined(self.together.cancelled(forms.of(node)))
                found.append(_with_sines(self.together, joined))
            except TooLong:
                continue
        best = min(found, key=lambda form: (len(form), sum(map(degree, form))), default=None)
        return best if best is not None and len(best) <= self.limit else None


def _with_sines(forms: Forms, a: Polynomial) -> Polynomial:
    """The same with sin^2 for 1 - cos^2: pair by pair, or of an angle throughout where that is shorter."""
    nodes = forms.graph.nodes
    for cosine in sorted({atom for monomial in a for atom, n in monomial if nodes[atom].op == "cos" and n > 1}):
        sine = forms.graph.function("sin", nodes[cosine].args[0]).id
        tried = [_paired(forms, x, cosine, sine) for x in (a, _replaced(forms, a, cosine, sine))]
        a = min(tried, key=len)
    return a


def _replaced(forms: Forms, a: Polynomial, cosine: int, sine: int) -> Polynomial:
    """1 - sin^2 for every square of a cosine, by the binomial theorem."""
    parts = []
    for monomial, c in a.items():
        n = max(dict(monomial).get(cosine, 0) // 2, 0)
        terms = {times(monomial, {cosine: -2 * n, sine: 2 * k}): (-1.0) ** k * math.comb(n, k) for k in range(n + 1)}
        parts.append((terms, c))
    return forms.sum(*parts)


def _paired(forms: Forms, a: Polynomial, cosine: int, sine: int) -> Polynomial:
    """Every K - K cos^2 as K sin^2."""
    for monomial, c in in_order(a):
        partner = times(monomial, {cosine: -2})
        if dict(monomial).get(cosine, 0) > 1 and partner in a and same(a[partner], -c):
            rest = {m: x for m, x in a.items() if m not in (monomial, partner)}
            shorter = forms.sum((rest, 1.0), ({times(partner, {sine: 2}): -c}, 1.0))
            return _paired(forms, shorter, cosine, sine)
    return a
