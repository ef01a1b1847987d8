"""Expressions to first order in variables that stay small.

A node x of the graph is split into its value x0 where the small variables are zero and an expression that is right to
first order. The rules, for small s:

    a product of two factors that are both small is dropped;
    what multiplies something small is taken at its value x0;
    a function whose argument has a constant x0 becomes its value and slope there: sin s = s, cos s = 1;
    everything else is computed from its arguments as it was.

So the result is right to first order, and may hold some terms of second order: (x0 + s) (y0 + t) keeps s t, because
leaving it out would take more operations than it saves, and sin(x + s) stays, because cos(x) s + sin(x) costs more.
Sayers (1991) drops products of small variables in the same way.

Where few of many variables are small, x0 may be as long as x, and both would be computed. So there is a second way,
`apart=False`: what multiplies something small is taken at x0 only where that depends on parameters alone. Nothing is
then computed twice, and more terms of second order stay.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from supple.errors import StateError
from supple.expressions.derivatives import local_slopes
from supple.expressions.function import Nodes, rebuilt
from supple.expressions.graph import Expr, order_of
from supple.expressions.operations import FUNCTIONS


def truncated(nodes: Nodes, small: Iterable[Expr], what: str = "expression", apart: bool = True) -> Nodes:
    """Nodes of the same shape, right to first order in the `small` leaves.

    Parameters
    ----------
    nodes : array of Expr or numbers
    small : iterable of Expr
        Inputs (or parameters) that stay small.
    what : str
        What the nodes are, for the message where something has no value or no slope at zero.
    apart : bool
        Whether what multiplies something small is taken at its value x0 also where that is computed apart.

    Examples
    --------
    >>> from supple.expressions.graph import Graph
    >>> g = Graph()
    >>> x, s = g.input("x"), g.input("s")
    >>> g.node(truncated(np.array([x * np.cos(s) + np.sin(s) * s]), [s])[0]) is x
    True
    """
    leaves = list(small)
    out = nodes.astype(object)
    outputs = [x for x in out.flat if isinstance(x, Expr)]
    if leaves and outputs:
        orders = _Orders(leaves, what, apart)
        for node in order_of(outputs):
            orders.split(node)
        for i, x in enumerate(out.flat):
            if isinstance(x, Expr):
                out.flat[i] = orders.first[x.id]
    return out


def small_ids(nodes: Iterable[Expr], small: Iterable[Expr]) -> frozenset[int]:
    """Numbers of the nodes that vanish with the small variables, as far as their form shows it; zero is one of them."""
    leaves, found = {leaf.id for leaf in small}, set[int]()
    for node in order_of(nodes):
        vanishing = [a.id in found for a in node.args]
        if (
            node.id in leaves
            or node is node.graph.zero
            or (node.op in ("add", "sub", "neg") and all(vanishing))
            or (node.op == "mul" and any(vanishing))
            or (node.op == "div" and vanishing[0] and not vanishing[1])
            or (node.op in FUNCTIONS and FUNCTIONS[node.op].parity < 0 and vanishing[0])
        ):
            found.add(node.id)
    return frozenset(found)


class _Orders:
    """Values of nodes at zero, and expressions that are right to first order, by the numbers of the nodes."""

    def __init__(self, small: list[Expr], what: str, apart: bool) -> None:
        self.graph, self.what, self.apart = small[0].graph, what, apart
        self.fixed: set[int] = set()
        self.small = {leaf.id: leaf for leaf in small}
        self.zeroth: dict[int, Expr] = dict.fromkeys(self.small, self.graph.zero)
        self.first = dict(self.small)

    def split(self, node: Expr) -> None:
        """Add a node whose arguments are there."""
        if node.id in self.first:
            return
        g = self.graph
        x, x0 = [self.first[a.id] for a in node.args], [self.zeroth[a.id] for a in node.args]
        if all(a is b for a, b in zip(x, x0, strict=True)):
            self.first[node.id] = self.zeroth[node.id] = rebuilt(g, node, x)
            return
        if node.op == "div" and x0[1] is g.zero:
            raise self._fault(node, "a denominator vanishes when they are zero")
        self.zeroth[node.id] = rebuilt(g, node, x0)
        if node.op == "mul" and g.zero in x0:
            little = 0 if x0[0] is g.zero else 1
            other = self._beside(x[1 - little], x0[1 - little])
            self.first[node.id] = g.zero if x0[0] is x0[1] else x[little] * other
        elif node.op == "div" and x0[0] is g.zero:
            self.first[node.id] = x[0] / self._beside(x[1], x0[1])
        elif node.op in FUNCTIONS and all(a.op == "constant" for a in x0):
            self.first[node.id] = self._expanded(node, x, x0)
        else:
            self.first[node.id] = rebuilt(g, node, x)

    def _beside(self, x: Expr, x0: Expr) -> Expr:
        """What multiplies something small: x0, or x where x0 would be computed apart."""
        if self.apart:
            return x0
        for node in order_of([x0]):
            if node.op in ("constant", "parameter") or (node.args and all(a.id in self.fixed for a in node.args)):
                self.fixed.add(node.id)
        return x0 if x0.id in self.fixed else x

    def _expanded(self, node: Expr, x: list[Expr], x0: list[Expr]) -> Expr:
        """A function by its value and slopes at constant arguments x0; those that are not small have no part in it."""
        out = self.zeroth[node.id]
        kink = FUNCTIONS[node.op].kink
        if kink is not None and kink(*(a.value for a in x0)):
            raise self._fault(node, f"{node.op} has no slope where they are zero")
        if not _is_finite(out):
            raise self._fault(node, f"{node.op} has no value where they are zero")
        slopes = local_slopes(node)
        for a, a0, slope in zip(x, x0, slopes, strict=True):
            if a is not a0:
                slope0 = self._at_zero(slope)
                if not _is_finite(slope0):
                    raise self._fault(node, f"{node.op} has no finite slope where they are zero")
                out = out + slope0 * (a - a0)
        return out

    def _at_zero(self, node: Expr) -> Expr:
        """The value of a slope: a few operations on nodes that are known."""
        if node.id not in self.zeroth:
            self.zeroth[node.id] = rebuilt(self.graph, node, [self._at_zero(a) for a in node.args])
        return self.zeroth[node.id]

    def _fault(self, node: Expr, why: str) -> StateError:
        names = [n.name for n in order_of([node]) if n.id in self.small]
        return StateError(f"{self.what}: expected something with a first order in {', '.join(names)}, but {why}")


def _is_finite(node: Expr) -> bool:
    return node.op == "constant" and bool(np.isfinite(node.value))
