"""Derivatives on the graph: forward, reverse, and sparse Jacobians."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.operations import OPERATIONS


def local_slopes(node: Expr) -> Sequence[Expr]:
    """Derivatives of a node by its arguments."""
    return OPERATIONS[node.op].slopes(node)


def forward(outputs: Sequence[Expr], direction: Mapping[Expr, Expr | float]) -> list[Expr]:
    """Derivatives of outputs along a direction: how much each leaf changes, zero if not named."""
    slope = {leaf.id: leaf.graph.node(rate) for leaf, rate in direction.items()}
    for node in order_of(outputs):
        if node.id not in slope:
            moving = [(i, slope[a.id]) for i, a in enumerate(node.args) if a.id in slope]
            if moving:
                slope[node.id] = _chained(node, moving)
    return [slope.get(out.id, out.graph.zero) for out in outputs]


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


def gradient(output: Expr, leaves: Sequence[Expr]) -> list[Expr]:
    """Derivatives of one output by many leaves, in reverse: costs a few times the output itself."""
    g: Graph = output.graph
    weight: dict[int, Expr] = {output.id: g.one}
    for node in reversed(order_of([output])):
        w = weight.get(node.id)
        if w is None or not node.args:
            continue
        for a, slope in zip(node.args, local_slopes(node), strict=True):
            weight[a.id] = g.add(weight.get(a.id, g.zero), g.mul(w, slope))
    return [weight.get(leaf.id, g.zero) for leaf in leaves]


def jacobian(outputs: Nodes, leaves: Nodes) -> Nodes:
    """Derivatives of all outputs by all leaves, shape of the outputs + shape of the leaves; zeros are constants.

    Forward, a leaf at a time, or in reverse, an output at a time, whichever has fewer.
    """
    rows, columns = list(outputs.flat), list(leaves.flat)
    out = np.empty((len(rows), len(columns)), dtype=object)
    if len(rows) < len(columns):
        for i, row in enumerate(rows):
            out[i] = gradient(row, columns)
    else:
        for j, leaf in enumerate(columns):
            out[:, j] = forward(rows, {leaf: 1.0})
    return out.reshape(outputs.shape + leaves.shape)
