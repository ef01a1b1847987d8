"""The ports of flexible bodies: what modes and second-order shapes move of their attachment nodes, as few columns.

Rotation and displacement of all ports of a body are Pi_t = F_0 R, with F_0 lower triangular in the rows of its pivots;
its leading columns have Omega = Pi_t Lam Pi_t* = F_0 F_0*. They come from Pi_t itself, row by row, and not from Omega,
whose rounding would hide directions that move little. Trailing columns hold what second-order shapes add to these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.model.flexible_rows import Constants
from supple.structures.body.flexible_body import ShapeFrame

DEPENDENT = 1e-12
"""Remainder of a row, relative to the largest row of its kind, when the rows before it explain it."""
COMPARABLE = 0.01
"""Remainder of a row, relative to the largest, with which it may come before that one: two digits are lost at most."""


@dataclass(frozen=True, eq=False)
class Ports:
    """Columns of one body with m children on it, n modes and k second-order shapes.

    Attributes
    ----------
    columns : (6 m, c) array
        F_0.
    order : list of int
        Rows in the order in which F_0 is triangular: those of the diagonal of its leading columns, then the others.
    leading : int
        Number of leading columns.
    shape : (n + k, c) array
        P_1* in the rows of modes, P_2* in those of shapes.
    gain : (n + k, c) array
        Lam P_1* in the rows of modes, which are those of the undeformed body.
    """

    columns: Floats
    order: list[int]
    leading: int
    shape: Floats
    gain: Floats


def _independent(X: Floats, size: Floats) -> tuple[Floats, Floats, list[int]]:
    """L and Q with L Q = X, orthonormal rows of Q, and the rows of X that brought them.

    Rows are judged against `size` (rows,). Of each port the displacements come first: a joint at it mostly lets
    rotations go, and these then stand alone in their columns, not beside what a heavy child resists. But no row comes
    before others of which far more is left: as modes from elsewhere have rounding in place of zeros, its column would
    have a small diagonal entry and large ones below it, by which the recursions would divide errors.
    """
    Q, L = np.zeros((0, X.shape[1])), np.zeros((len(X), 0))
    left, pivots = X.copy(), list[int]()
    rows = np.arange(len(X)).reshape(-1, 2, 3)[:, ::-1].ravel()
    while True:
        rest = np.array([i for i in rows if i not in pivots], dtype=np.int64)
        remainder = np.linalg.norm(left[rest], axis=1) / np.maximum(size[rest], np.finfo(float).tiny)
        if not remainder.max(initial=0.0) > DEPENDENT:
            return L, Q, pivots
        chosen = int(rest[np.argmax(remainder >= COMPARABLE * remainder.max())])
        direction = left[chosen] - (left[chosen] @ Q.T) @ Q  # once more for what rounding left of the first time
        direction /= np.linalg.norm(direction)
        column = left @ direction
        column[pivots] = 0.0
        left = left - np.outer(column, direction)
        L, Q = np.column_stack([L, column]), np.concatenate([Q, direction[None]])
        pivots.append(chosen)


def _largest_of_kind(X: Floats) -> Floats:
    """Return, for each row (6 a port), the size of the largest of all rotations, or of all displacements."""
    by_kind = np.linalg.norm(X, axis=1).reshape(-1, 2, 3)
    return np.broadcast_to(by_kind.max(axis=(0, 2), keepdims=True), by_kind.shape).ravel()


def ports(constants: Constants, frames: list[ShapeFrame]) -> Ports:
    """The columns of a body whose children are on these frames."""
    Pi = np.concatenate([frame.shape for frame in frames])
    X = constants.half_solve(Pi.T).T
    F, Q, pivots = _independent(X, _largest_of_kind(X))
    order = pivots + [i for i in range(len(X)) if i not in pivots]
    n, k, leading = Pi.shape[1], constants.shapes, len(pivots)
    if k == 0:
        return Ports(F, order, leading, constants.half_times(Q.T), constants.half_solve_transposed(Q.T))
    second = np.concatenate([frame.second for frame in frames])
    D = second - Pi @ constants.reduction
    P_2 = scipy.linalg.solve_triangular(F[pivots], D[pivots], lower=True) if leading else np.zeros((0, k))
    left = D - F @ P_2
    left[pivots] = 0.0
    G, rest, _ = _independent(left, _largest_of_kind(np.concatenate([D, F @ P_2], axis=1)))
    columns = np.concatenate([F, G], axis=1)
    shape, gain = np.zeros((2, n + k, columns.shape[1]))
    shape[:n, :leading], gain[:n, :leading] = constants.half_times(Q.T), constants.half_solve_transposed(Q.T)
    shape[n:, :leading], shape[n:, leading:] = P_2.T, rest.T
    return Ports(columns, order, leading, shape, gain)


def port_arrays(
    constants: list[Constants | None], parents: list[int], children: list[tuple[int, ShapeFrame]]
) -> dict[str, Any]:
    """Children of each flexible body, and the matrices of its ports: fields of `Flex`."""
    rest = np.zeros((len(constants), 36))
    columns, leading = np.zeros((2, len(constants)), dtype=np.int64)
    first, start, gains, order = [0], [0], [0], list[int]()
    matrices, shapes, gain = ([np.zeros(0)] for _ in range(3))
    orders = [np.zeros(0, dtype=np.int64)]
    known: dict[tuple[Any, ...], Ports] = {}  # of equal bodies with children on the same frames
    for k, constant in enumerate(constants):
        own = [(c, frame) for c, frame in children if parents[c] == k]
        m = 6 * len(own)
        if own and constant:
            key = id(constant), *((frame.shape.tobytes(), frame.second.tobytes()) for _, frame in own)
            found = known.setdefault(key, known.get(key) or ports(constant, [frame for _, frame in own]))
            columns[k], leading[k] = found.columns.shape[1], found.leading
            wide = (0, m - found.columns.shape[1])
            matrices.append(np.pad(found.columns, ((0, 0), wide)).ravel())
            shapes.append(np.pad(found.shape, ((0, 0), wide)).ravel())
            gain.append(np.pad(found.gain, ((0, 0), wide)).ravel())
            orders.append(np.array(found.order))
            seen = constant.coupling.T @ found.gain[: len(constant.coupling)] @ found.columns.T
            for i, (c, frame) in enumerate(own):
                phi = np.eye(6)
                phi[:3, 3:] = np.cross(np.eye(3), frame.position)
                rest[c] = (phi - seen[:, 6 * i : 6 * i + 6]).ravel()
                order.append(c)
        first.append(len(order))
        start.append(start[-1] + m * m)
        gains.append(sum(len(x) for x in gain))
    return {
        "attachment_rest": rest,
        "columns": columns,
        "leading": leading,
        "port_order": np.concatenate(orders).astype(np.int64),
        "port_first": np.array(first),
        "port_child": np.array(order, dtype=np.int64),
        "port_matrix": np.array(start),
        "column": np.concatenate(matrices),
        "gain_first": np.array(gains),
        "port_shape": np.concatenate(shapes),
        "port_gain": np.concatenate(gain),
    }
