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
from supple.structures.body import ShapeFrame

DEPENDENT = 1e-12
"""What is left of a row, relative to its size, when the rows before it explain it."""


@dataclass(frozen=True, eq=False)
class Ports:
    """Columns of one body with m children on it, n modes and k second-order shapes.

    Attributes
    ----------
    columns : (6 m, c) array
        F_0.
    pivots : list of int
        Rows of the leading columns.
    shape : (n + k, c) array
        P_1* in the rows of modes, P_2* in those of shapes.
    gain : (n + k, c) array
        Lam P_1* in the rows of modes, which are those of the undeformed body.
    """

    columns: Floats
    pivots: list[int]
    shape: Floats
    gain: Floats


def _independent(X: Floats, size: Floats) -> tuple[Floats, Floats, list[int]]:
    """L and Q with L Q = X, orthonormal rows of Q, and the rows of X that brought them.

    `size` (rows,) is what rows are judged against. Of each port the displacements come first: a joint at it mostly lets
    rotations go, and these then stand alone in their columns, not beside what a heavy child resists.
    """
    Q, L = np.zeros((0, X.shape[1])), np.zeros((len(X), 0))
    pivots: list[int] = []
    for i in np.arange(len(X)).reshape(-1, 2, 3)[:, ::-1].ravel():
        own, left = np.zeros(len(Q)), X[i]
        for _ in range(2):  # once more for what rounding left of the first time
            part = Q @ left
            own, left = own + part, left - part @ Q
        length = float(np.linalg.norm(left))
        L[i, : len(own)] = own
        if length > DEPENDENT * size[i]:
            Q, L = np.concatenate([Q, left[None] / length]), np.pad(L, ((0, 0), (0, 1)))
            L[i, -1] = length
            pivots.append(int(i))
    return L, Q, pivots


def ports(constants: Constants, frames: list[ShapeFrame]) -> Ports:
    """The columns of a body whose children are on these frames."""
    Pi = np.concatenate([frame.shape for frame in frames])
    X = constants.half_solve(Pi.T).T
    F, Q, pivots = _independent(X, np.linalg.norm(X, axis=1))
    n, k, leading = Pi.shape[1], constants.shapes, len(pivots)
    if k == 0:
        return Ports(F, pivots, constants.half_times(Q.T), constants.half_solve_transposed(Q.T))
    second = np.concatenate([frame.second for frame in frames])
    D = second - Pi @ constants.reduction
    P_2 = scipy.linalg.solve_triangular(F[pivots], D[pivots], lower=True) if leading else np.zeros((0, k))
    left = D - F @ P_2
    left[pivots] = 0.0
    G, rest, _ = _independent(left, np.linalg.norm(D, axis=1) + np.linalg.norm(F @ P_2, axis=1))
    columns = np.concatenate([F, G], axis=1)
    shape, gain = np.zeros((2, n + k, columns.shape[1]))
    shape[:n, :leading], gain[:n, :leading] = constants.half_times(Q.T), constants.half_solve_transposed(Q.T)
    shape[n:, :leading], shape[n:, leading:] = P_2.T, rest.T
    return Ports(columns, pivots, shape, gain)


def port_arrays(
    constants: list[Constants | None], parents: list[int], children: list[tuple[int, ShapeFrame]]
) -> dict[str, Any]:
    """Children of each flexible body, and the matrices of its ports: fields of `Flex`."""
    rest = np.zeros((len(constants), 36))
    columns, leading = np.zeros((2, len(constants)), dtype=np.int64)
    first, start, gains, order = [0], [0], [0], list[int]()
    matrices, pivots, shapes, gain = ([np.zeros(0)] for _ in range(4))
    known: dict[tuple[Any, ...], Ports] = {}  # of equal bodies with children on the same frames
    for k, constant in enumerate(constants):
        own = [(c, frame) for c, frame in children if parents[c] == k]
        m = 6 * len(own)
        if own and constant:
            key = id(constant), *((frame.shape.tobytes(), frame.second.tobytes()) for _, frame in own)
            found = known.setdefault(key, known.get(key) or ports(constant, [frame for _, frame in own]))
            columns[k], leading[k] = found.columns.shape[1], len(found.pivots)
            wide = (0, m - found.columns.shape[1])
            matrices.append(np.pad(found.columns, ((0, 0), wide)).ravel())
            shapes.append(np.pad(found.shape, ((0, 0), wide)).ravel())
            gain.append(np.pad(found.gain, ((0, 0), wide)).ravel())
            pivots.append(np.pad(np.array(found.pivots, float), (0, m - len(found.pivots))))
            seen = constant.coupling.T @ found.gain[: len(constant.coupling)] @ found.columns.T
            for i, (c, frame) in enumerate(own):
                phi = np.eye(6)
                phi[:3, 3:] = np.cross(np.eye(3), frame.position)
                rest[c] = (phi - seen[:, 6 * i : 6 * i + 6]).ravel()
                order.append(c)
        first.append(len(order))
        start.append(start[-1] + m * m)
        gains.append(sum(len(x) for x in gain))
    rows = np.concatenate(pivots).astype(np.int64)
    return {
        "attachment_rest": rest,
        "columns": columns,
        "leading": leading,
        "column_pivot": rows,
        "pivot_place": 6 * (rows // 6) + (rows + 3) % 6,
        "port_first": np.array(first),
        "port_child": np.array(order, dtype=np.int64),
        "port_matrix": np.array(start),
        "column": np.concatenate(matrices),
        "gain_first": np.array(gains),
        "port_shape": np.concatenate(shapes),
        "port_gain": np.concatenate(gain),
    }
