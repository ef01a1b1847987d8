"""Derivatives of functions of a model on graph nodes: along directions of an input, or from the equations solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.expressions.derivatives import along
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr
from supple.model.functions.values import Values


def derivative(t: Any, what: str, x: Values, outputs: Nodes, by: str) -> Nodes:
    """Return derivatives of outputs with respect to an input, the direction last; of q in those of the speeds."""
    if what == "forward_dynamics" and t.model.loops is None:
        return acceleration_derivative(t, x, outputs, by)
    return directional(t, outputs, x.leaves(by), by)


def directional(t: Any, outputs: Nodes, by: Nodes, name: str) -> Nodes:
    """Return forward derivatives along each direction of an input."""
    if name == "q":
        directions = [dict(zip(by, column, strict=True)) for column in t.tangent(by).T]
    else:
        directions = [{leaf: 1.0} for leaf in by]
    rows = [t.graph.node(x) for x in outputs.flat]
    moving = [{leaf: rate for leaf, rate in d.items() if not _is_zero(rate)} for d in directions]
    columns = np.array(along(rows, moving), dtype=object)
    return np.moveaxis(columns.reshape(len(moving), *outputs.shape), 0, -1)


def acceleration_derivative(t: Any, x: Values, a: Nodes, by: str) -> Nodes:
    """Return da = M^-1 (dtau - d(balance) at fixed a), from M a + bias = tau: cheaper than through the recursion.

    Of trees alone. The balance is differentiated for accelerations that are leaves, which are then replaced by a.
    """
    W = t.inverse_mass_matrix(x.q)
    if by == "tau":
        return t.by_forces(x.q, W)
    balance = t.balance(x.q, x.v, t.a, x.tau)
    if x.wrench is not None:
        balance = balance - x.applied(t)[0]
    forces = directional(t, balance, x.leaves(by), by)
    leaves = np.concatenate([t.a, *x.all_leaves()])
    at_leaves = Function("forces", t.graph, {"leaves": leaves}, {"d": forces}, t.parameters.values())
    at_a = at_leaves.substitute(dict(zip(t.a, a, strict=True))).outputs["d"]
    return -(W @ at_a)


def rate(t: Any, outputs: Nodes, q: Nodes, v: Nodes) -> Nodes:
    """Return the rates of functions of the coordinates at speeds v."""
    (found,) = along([t.graph.node(x) for x in outputs.flat], [dict(zip(q, t.rates(q, v), strict=True))])
    return np.array(found, dtype=object).reshape(outputs.shape)


def _is_zero(x: Any) -> bool:
    return bool(x.op == "constant" and x.value == 0.0) if isinstance(x, Expr) else x == 0
