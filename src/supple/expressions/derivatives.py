"""Derivatives on the graph: forward, in reverse, and Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from supple.call_checks import checked
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.operations import OPERATIONS

Direction = Mapping[Expr, Expr | float]


def local_slopes(node: Expr) -> Sequence[Expr]:
    """Derivatives of a node by its arguments."""
    return OPERATIONS[node.op].slopes(node)


@checked
def forward(outputs: Sequence[Expr], direction: Direction) -> list[Expr]:
    """Derivatives of outputs along a direction: how much each leaf changes, zero if not named."""
    return along(outputs, [direction])[0]


def along(outputs: Sequence[Expr], directions: Sequence[Direction]) -> list[list[Expr]]:
    """Derivatives of outputs along each of some directions."""
    sweeps = Sweeps(outputs, (leaf for direction in directions for leaf in direction))
    found = [sweeps.slopes(direction) for direction in directions]
    return [[slopes.get(out.id, out.graph.zero) for out in outputs] for slopes in found]


@checked
def gradient(output: Expr, leaves: Sequence[Expr]) -> list[Expr]:
    """Derivatives of one output by many leaves, in reverse: costs a few times the output itself."""
    weights = Sweeps([output], leaves).weights(output)
    return [weights.get(leaf.id, output.graph.zero) for leaf in leaves]


@checked
def jacobian(outputs: Nodes, leaves: Nodes) -> Nodes:
    """Derivatives of all outputs by all leaves, shape of the outputs + shape of the leaves; zeros are constants.

    Forward, a leaf at a time, or in reverse, an output at a time, whichever has fewer. Of a large graph in which most
    outputs depend on few leaves take `sparse_jacobian`.
    """
    rows, columns = list(outputs.flat), list(leaves.flat)
    out = np.empty((len(rows), len(columns)), dtype=object)
    sweeps = Sweeps(rows, columns)
    if len(rows) < len(columns):
        for i, row in enumerate(rows):
            weights = sweeps.weights(row)
            out[i] = [weights.get(leaf.id, row.graph.zero) for leaf in columns]
    else:
        for j, leaf in enumerate(columns):
            slopes = sweeps.slopes({leaf: 1.0})
            out[:, j] = [slopes.get(row.id, row.graph.zero) for row in rows]
    return out.reshape(outputs.shape + leaves.shape)


class Sweeps:
    """Sweeps over what lies between leaves and outputs: each visits the nodes alone that its derivatives are made of.

    Parameters
    ----------
    outputs : sequence of Expr
    leaves : iterable of Expr
        Leaves, or any nodes; what else moves with such a node is not held.
    """

    def __init__(self, outputs: Sequence[Expr], leaves: Iterable[Expr]) -> None:
        self._users: dict[int, list[Expr]] = {leaf.id: [] for leaf in leaves}
        """Of each node that moves with leaves those made of it, rising."""
        for node in order_of(outputs):
            if not node.args or OPERATIONS[node.op].stepwise:
                continue
            for a in dict.fromkeys(node.args):
                if a.id in self._users:
                    self._users[a.id].append(node)
                    self._users.setdefault(node.id, [])

    def slopes(self, direction: Direction) -> dict[int, Expr]:
        """Derivatives along a direction, forward, by the number of each node that moves."""
        slope = {leaf.id: leaf.graph.node(rate) for leaf, rate in direction.items()}
        for node in reversed(_reached(direction, lambda x: self._users.get(x.id, ()))):
            if node.id not in slope:
                slope[node.id] = _chained(node, [(i, slope[a.id]) for i, a in enumerate(node.args) if a.id in slope])
        return slope

    def weights(self, output: Expr) -> dict[int, Expr]:
        """Derivatives of one output, in reverse, by the number of each node that it depends on and that moves."""
        g: Graph = output.graph
        if output.id not in self._users:
            return {}
        weight: dict[int, Expr] = {output.id: g.one}
        for node in _reached([output], self._moving_arguments):
            for a, slope in zip(node.args, local_slopes(node) if node.args else (), strict=True):
                if a.id in self._users:
                    weight[a.id] = g.add(weight.get(a.id, g.zero), g.mul(weight[node.id], slope))
        return weight

    def _moving_arguments(self, node: Expr) -> Iterable[Expr]:
        stepwise = node.args and OPERATIONS[node.op].stepwise
        return () if stepwise else (a for a in node.args if a.id in self._users)


def _reached(start: Iterable[Expr], following: Callable[[Expr], Iterable[Expr]]) -> list[Expr]:
    """All nodes that one comes to, the newest first."""
    found: dict[int, Expr] = {}
    stack = list(start)
    while stack:
        node = stack.pop()
        if node.id not in found:
            found[node.id] = node
            stack.extend(following(node))
    return [found[i] for i in sorted(found, reverse=True)]


def _chained(node: Expr, moving: list[tuple[int, Expr]]) -> Expr:
    """Sum of local slopes times the slopes of the arguments; of a quotient (a' - x b') / b."""
    if node.op == "div":
        rates = dict(moving)
        top = rates.get(0, node.graph.zero) - node * rates.get(1, node.graph.zero)
        return top / node.args[1]
    local = local_slopes(node)
    total = node.graph.zero
    for i, rate in moving:
        total = total + local[i] * rate
    return total
