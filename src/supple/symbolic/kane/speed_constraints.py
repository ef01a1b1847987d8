"""Nonholonomic constraints and closed loops: some speeds made to depend on the others.

The constraints A u + b = 0 are solved for the dependent speeds, u_D = T u_I + c. Kane's equations of the independent
ones are then T* (M u' - f) = 0 with the accelerations that the constraints leave, u_D' = T u_I' + gamma.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.errors import ModelError
from supple.expressions.derivatives import forward, jacobian
from supple.expressions.function import Nodes, rebuilt
from supple.expressions.graph import Expr, order_of
from supple.expressions.linear_equations import solve_general


@dataclass(frozen=True)
class SpeedConstraint:
    """An expression that vanishes.

    Attributes
    ----------
    velocity : Expr
        Linear in the speeds.
    dependent : int
        Number of the speed that is computed from it.
    position : Expr or None
        What it is the rate of, if it is one.
    coordinate : Expr or None
        The coordinate that then depends on the others.
    """

    velocity: Expr
    dependent: int
    position: Expr | None
    coordinate: Expr | None


@dataclass(frozen=True)
class Reduced:
    """Equations of the independent speeds.

    Attributes
    ----------
    independent, dependent : list of int
        Numbers of the speeds.
    M, f : arrays of Expr
        M u_I' = f.
    speeds : array of Expr
        The dependent speeds in terms of the independent ones.
    """

    independent: list[int]
    dependent: list[int]
    M: Nodes
    f: Nodes
    speeds: Nodes

    def image(self, v: Sequence[Expr]) -> dict[Expr, Expr]:
        """What the dependent speeds are to be replaced by."""
        return {v[i]: node for i, node in zip(self.dependent, self.speeds, strict=True)}


def reduced(
    constraints: Sequence[SpeedConstraint],
    v: Sequence[Expr],
    rates: Mapping[Expr, Expr],
    M: Nodes,
    f: Nodes,
) -> Reduced:
    """Equations M u' = f under constraints, in the independent speeds.

    Parameters
    ----------
    constraints : sequence of SpeedConstraint
    v : sequence of Expr
        All speeds.
    rates : mapping of Expr to Expr
        Rates of the coordinates, and of time.
    M, f : arrays of Expr
        Of all speeds.
    """
    dependent = [c.dependent for c in constraints]
    names = [v[i].name for i in dependent]
    if len(set(dependent)) < len(dependent):
        raise ModelError(f"dependent speeds: expected a different one for each constraint, got {', '.join(names)}")
    independent = [i for i in range(len(v)) if i not in dependent]
    velocities = np.array([c.velocity for c in constraints], dtype=object)
    leaves = np.array(list(v), dtype=object)
    A = jacobian(velocities, leaves)
    _check_linear(A, leaves, constraints)
    still = substituted(velocities, {leaf: leaf.graph.zero for leaf in leaves})
    drift = np.array(forward(list(velocities), rates), dtype=object)
    columns = np.column_stack([A[:, independent], still, drift])
    try:
        solved = solve_general(A[:, dependent], -columns)
    except ZeroDivisionError as error:
        raise ModelError(
            f"dependent speeds: the constraints cannot be solved for {', '.join(names)}: "
            f"nothing is left of {names[error.args[0]]}"
        ) from None
    T, c, gamma = solved[:, : len(independent)], solved[:, -2], solved[:, -1]
    u_I = leaves[independent]
    image = dict(zip(leaves[dependent], T @ u_I + c, strict=True))
    speeds = np.array(list(image.values()), dtype=object)
    M_I, M_ID, M_D = (
        M[np.ix_(independent, independent)],
        M[np.ix_(independent, dependent)],
        M[np.ix_(dependent, dependent)],
    )
    gamma = substituted(gamma, image)
    lumped = M_ID + T.T @ M_D
    reduced_M = M_I + M_ID @ T + T.T @ M_ID.T + T.T @ (M_D @ T)
    reduced_f = substituted(f[independent] + T.T @ f[dependent], image) - lumped @ gamma
    return Reduced(independent, dependent, reduced_M, reduced_f, speeds)


def _check_linear(A: Nodes, v: Nodes, constraints: Sequence[SpeedConstraint]) -> None:
    """Refuse constraints that are not linear in the speeds."""
    speeds = set(v)
    for row, constraint in zip(A, constraints, strict=True):
        held = [n for n in order_of(row) if n in speeds]
        if held:
            raise ModelError(
                f"constraint for {v[constraint.dependent].name!r}: expected an expression linear in the speeds, "
                f"got one that is not linear in {held[0].name!r}"
            )


def substituted(nodes: Nodes, image: Mapping[Expr, Expr]) -> Nodes:
    """The same expressions with leaves replaced."""
    known = {old.id: new for old, new in image.items()}
    for node in order_of(nodes.flat):
        if node.id not in known:
            known[node.id] = rebuilt(node.graph, node, [known[a.id] for a in node.args])
    out = np.empty(nodes.shape, dtype=object)
    for i, node in enumerate(nodes.flat):
        out.flat[i] = known[node.id]
    return out
