"""Mass on arms, in second order.

A point at the arm c from a centre that turns by theta moves by theta x c, and by theta x (theta x c) / 2 more. Sections
of beams have such arms, and masses beside their nodes. Twist brings the wide side of a blade nearer to the axis of its
spin, and centrifugal forces turn it back (propeller moment). The shapes of second order made here move nothing but
these points. Functions 1 and x of masses beside nodes and c of mass spread around its centre, times the three
directions, are enough to keep int b and int x b* of the motion that they stand for; combinations that have no effect
are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.mass import MassModel, Sparse

NOTICEABLE = 1e-2
"""Change of a squared frequency per squared spin below which a shape is left out."""
NEGLIGIBLE = 1e-5
"""Share of a function in a shape that is there only because others are left out."""
INDEPENDENT = 1e-10


@dataclass(frozen=True, eq=False)
class Swing:
    """k shapes of mass on arms.

    Attributes
    ----------
    motion : three (rows, k) arrays
        Of the rows of mass, for unit amplitudes.
    matrices : list of (n, n) sparse arrays
        C of each.
    """

    motion: tuple[Floats, Floats, Floats]
    matrices: list[Sparse]


def swing(mass: MassModel, coordinates: Floats | Sparse, probes: Floats, size: float) -> Swing:
    """Shapes of mass on arms that the coordinates turn noticeably.

    Parameters
    ----------
    mass : MassModel
        With positions measured from the root.
    coordinates : (dofs, n) array
        Their shapes.
    probes : (dofs, p) array
        Shapes of unit mass that such a body may take, to judge what is noticeable.
    size : float
        Of the body, m.
    """
    count = len(mass.positions)
    if mass.swung is None or probes.shape[1] == 0:
        return Swing((np.zeros((count, 0)), np.zeros((count, 0)), np.zeros((count, 0))), [])
    rows, arms = mass.swung.rows, mass.swung.arms
    theta, seen = ([T @ shapes for T in mass.swung.turns] for shapes in (coordinates, probes))
    columns, amplitudes, effects, work = [], [], [], []
    for t, forces in _functions(mass, size):
        spread = mass.weights.diagonal()[rows] * t[rows]
        for b in range(3):
            columns.append((t, b))
            amplitudes.append(_amplitude(theta, arms, spread, b))
            effects.append(_amplitude(seen, arms, spread, b).toarray().ravel())
            work.append(np.outer(forces, np.eye(3)[b]).ravel())
    A, loads = np.array(effects), np.array(work).T
    _, sizes, V = np.linalg.svd(loads @ A, full_matrices=False)
    Y = A @ V[sizes > NOTICEABLE].T
    Q, _ = np.linalg.qr(Y / np.linalg.norm(Y, axis=0))
    Q[np.abs(Q) < NEGLIGIBLE] = 0.0
    motion = np.zeros((3, count, len(columns)))
    for i, (t, b) in enumerate(columns):
        motion[b, :, i] = t
    x, y, z = motion @ Q
    return Swing((x, y, z), [_sum(amplitudes, q) for q in Q.T])


def _functions(mass: MassModel, size: float) -> list[tuple[Floats, Floats]]:
    """Functions t (rows,) of unit mass, of masses beside nodes and of spread mass, with int t size and int t x (4,)."""
    out = []
    swung = np.zeros(len(mass.positions), bool)
    if mass.swung is not None:
        swung[mass.swung.rows] = True
    weights = mass.weights.diagonal()
    for counted in (True, False):
        used = swung & (mass.counted == counted)
        ones = np.full(len(used), size if counted else 0.0)
        functions = np.column_stack([ones, mass.positions]) * used[:, None]
        gram = functions.T @ (weights[:, None] * functions)
        values, vectors = np.linalg.eigh(gram)
        kept = values > INDEPENDENT * max(values.max(), np.finfo(float).tiny)
        t = functions @ vectors[:, kept] / np.sqrt(values[kept])
        out += list(zip(t.T, (functions.T @ (weights[:, None] * t)).T, strict=True))
    return out


def _amplitude(theta: list[Any], arms: Floats, spread: Floats, b: int) -> Sparse:
    """sum_i spread_i g_i with g(r, s) = (theta_r (theta_s . c) + theta_s (theta_r . c)) / 2 - (theta_r . theta_s) c."""
    x, y, z = (scipy.sparse.diags_array(arms[:, a]) @ theta[a] for a in range(3))
    first = scipy.sparse.csr_array((scipy.sparse.diags_array(spread) @ theta[b]).T @ (x + y + z))
    weighted = scipy.sparse.diags_array(spread * arms[:, b])
    x, y, z = (scipy.sparse.csr_array(T.T @ (weighted @ T)) for T in theta)
    return scipy.sparse.csr_array((first + first.T) * 0.5 - (x + y + z))


def _sum(matrices: list[Sparse], shares: Floats) -> Sparse:
    out = scipy.sparse.csr_array(matrices[0].shape)
    for matrix, share in zip(matrices, shares, strict=True):
        out = scipy.sparse.csr_array(out + share * matrix)
    out.data[np.abs(out.data) < 1e-13 * np.abs(out.data).max(initial=0.0)] = 0.0
    out.eliminate_zeros()
    return out
