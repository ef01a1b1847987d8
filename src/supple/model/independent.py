"""Which speeds of a closed system can be chosen freely, the others following from its constraints.

Coordinate partitioning (Wehage and Haug, 1982): the columns of J that can be solved for well are those of the dependent
speeds. Speeds have different units and inertias, so columns are compared by what they contribute to S = J M^-1 J*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

if TYPE_CHECKING:
    from supple.model.closed import Loops

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
FLAT = 1e-9
"""Share of the largest below which a condition repeats others."""


def independent(loops: Loops, q: Floats, given: Mask) -> Mask:
    """Speeds (nv,) that the constraints leave free at a posture, of the many choices one that is well conditioned.

    Parameters
    ----------
    loops : Loops
    q : (nq,) array
        A posture with its loops closed.
    given : (nv,) array of bool
        Speeds whose motion is prescribed: neither free nor dependent.
    """
    cw = loops.reflect(q, given=given)
    size = np.sqrt(np.maximum(cw.S.diagonal(), 1e-300))[:, None]
    J, X = np.where(given, 0.0, cw.J) / size, np.where(given, 0.0, cw.X) / size
    reach = np.abs(J).sum(axis=0)
    # 1 / mass, for a diagonal mass matrix; for others a measure of the same kind.
    lightness = np.abs(X).sum(axis=0) / np.where(reach > 0, reach, 1.0)
    R, order = qr(J * np.sqrt(lightness), mode="r", pivoting=True)
    pivots = np.abs(R.diagonal())
    rank = int((pivots > np.sqrt(FLAT) * pivots.max(initial=0.0)).sum())
    free: Mask = ~given
    free[order[:rank]] = False
    return free


def condition(loops: Loops, q: Floats, given: Mask, free: Mask) -> float:
    """How well the dependent speeds can be solved for: 1 if they answer as all do, 0 if they cannot close the loops.

    The least eigenvalue of S with the free speeds held, relative to S with none of them held.
    """
    S, held = (loops.reflect(q, given=mask).S for mask in (given, given | free))
    size = np.sqrt(np.maximum(S.diagonal(), 1e-300))
    scale = np.outer(size, size)
    values, V = np.linalg.eigh(S / scale)
    used = values > FLAT * max(float(values.max(initial=0.0)), FLAT)
    W = V[:, used] / np.sqrt(values[used])
    return float(np.linalg.eigvalsh(W.T @ (held / scale) @ W).min(initial=1.0))
