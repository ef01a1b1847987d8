"""The nodes of a body in one state: where they are, how modes move them, and the mass matrix that they have.

The mass matrix m of the nodes is the one of least size that gives a body the kinetic energy it has in every motion that
its frame and modes allow: N* m N = M_m of (3.25) with N = [Pi, B*]. In nodal coordinates N is square, and m is the
finite-element mass matrix itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.engines.plain import plain
from supple.errors import StateError
from supple.model.operators.body_blocks import Bodies, phi
from supple.model.operators.linear_operator import Numbers
from supple.recursions.nodes import node_turn
from supple.structures.body.flexible_body import FlexibleBody

MISSED = 1e-9
"""Share of a body's mass matrix that its nodes may leave out by rounding."""


@dataclass(frozen=True, eq=False)
class BodyNodes:
    """Nodes of one body.

    Attributes
    ----------
    B : (6, 6 nodes) array
        [phi(k, 1), phi(k, 2), ...].
    Pi : (6 nodes, modes) array
    m : (6 nodes, 6 nodes) array
    attachment : dict of int to int
        The node that carries each child.
    """

    B: Numbers
    Pi: Numbers
    m: Numbers
    attachment: dict[int, int]


def body_nodes(bodies: Bodies, k: int, q: Numbers) -> BodyNodes:
    """The nodes of body k; a rigid one has its frame alone."""
    children = [int(c) for c in np.flatnonzero(bodies.tree.parent == k) if c > 0]
    described, flex = bodies.described[k - 1], bodies.flex
    if flex is None or not isinstance(described, FlexibleBody):
        return BodyNodes(np.eye(6), np.zeros((6, 0)), bodies.mass(k), dict.fromkeys(children, 0))
    positions = list(described.nodes)
    shapes = list(described.shapes.toarray().reshape(len(positions), 6, -1))
    follow = _following(described, len(positions), int(flex.second_order[k]))
    turning = [bool(x) for x in described.turning]
    attachment = {}
    for c in children:
        s = flex.attachment[c]
        row = flex.attachment_row[s]
        n = flex.modes[k]
        place, shape = flex.attachment_position[s], flex.attachment_shape[row : row + n].T
        same = [j for j, x in enumerate(positions) if np.array_equal(x, place) and np.array_equal(shapes[j], shape)]
        attachment[c] = same[0] if same else len(positions)
        if not same:
            positions.append(place)
            shapes.append(shape)
            follow.append(flex.attachment_shape[row + n : row + n + flex.second_order[k]].T)
            turning.append(True)
    eta = q[flex.q_mode[k] : flex.q_mode[k] + flex.modes[k]]
    moved = list(zip(positions, shapes, strict=True))
    if flex.full[k]:
        xi = bodies.at.xi[flex.xi_first[k] : flex.xi_first[k] + flex.second_order[k]]
        turned = [shape + second @ bodies.slopes(k).T for shape, second in zip(shapes, follow, strict=True)]
        ways = [shape @ eta + second @ xi for shape, second in zip(shapes, follow, strict=True)]
        moved = [_moved(x, u, shape) for x, u, shape in zip(positions, ways, turned, strict=True)]
    B = np.concatenate([phi(x) for x, _ in moved], axis=1)
    Pi = np.concatenate([shape for _, shape in moved])
    return BodyNodes(B, Pi, _mass(bodies.mass(k), B, Pi, np.repeat(turning, 3)), attachment)


def _following(body: FlexibleBody, nodes: int, count: int) -> list[Numbers]:
    """Second-order shapes (6, shapes) of all nodes; none where they are left out."""
    if body.second_order is None or count == 0:
        return [np.zeros((6, 0))] * nodes
    return list(body.second_order.shapes.reshape(nodes, 6, -1))


def _moved(x: Numbers, u: Numbers, shape: Numbers) -> tuple[Numbers, Numbers]:
    """Position and shapes of a node that has moved by u."""
    Q = np.reshape(plain(node_turn)(tuple(u[:3]))[1], (3, 3))
    return x + u[3:], np.concatenate([Q @ shape[:3], shape[3:]])


def _left_inverse(N: Numbers) -> Numbers:
    """Return the pseudo-inverse of N; of a complex N its analytic continuation, as complex steps need it."""
    if not np.iscomplexobj(N):
        return np.asarray(np.linalg.pinv(N))
    R: Any = np.linalg.qr(N.real, mode="r")
    if R.shape[0] < R.shape[1] or np.linalg.matrix_rank(R) < R.shape[1]:
        return np.asarray(np.linalg.pinv(N))
    inverse = np.linalg.inv(R)
    Q = N @ inverse  # whose real part has orthonormal columns
    return np.asarray(inverse @ np.linalg.solve(Q.T @ Q, Q.T))


def _mass(M: Numbers, B: Numbers, Pi: Numbers, turning: Numbers) -> Numbers:
    """m; rotations of nodes that have none of their own take no part."""
    N = np.concatenate([Pi, B.T], axis=1)
    kept = np.concatenate([turning.reshape(-1, 3), np.ones((len(turning) // 3, 3), bool)], axis=1).reshape(-1)
    back = _left_inverse(N[kept])
    m = np.zeros((len(N), len(N)), M.dtype)
    m[np.ix_(kept, kept)] = back.T @ M @ back
    if np.abs(N.T @ m @ N - M).max() > MISSED * np.abs(M).max():
        raise StateError("operators: nodal: expected nodes that show all modes of their body, got too few of them")
    return m
