"""Redundant constraint equations: the one place where the rank of J is decided, with one tolerance.

Rank is a question of geometry: J alone is asked, not S = J M^-1 J*, so that masses do not matter and joints without
inertia may be there. J is made free of units, its columns times the typical changes of the coordinates and each row
then of length one. What a row has beside a combination of others is then a number between 0 and 1, and so are, but for
the root of their number, the singular values: at a distance d from a singular configuration they are of the order d.

Other numbers that look like this one decide something else:

    `closure_forces.REGULARIZATION`, 1e-7 of the diagonal of S, decides nothing. A rank that jumps in passing would stop
    every integrator, so forces are found for a regularized S, and fade out where a direction is about to be lost.
    `closure_forces.SMALLEST` keeps a row that no joint moves from being divided by; it has no scale to be relative to.
    `singular_configurations.NEARLY_SINGULAR` is how far from losing rank a configuration is worth a warning.
    `assembly.CLOSED` and `NEARLY` are errors of positions, which must be well below TOLERANCE: at a configuration that
    is closed to an error e, redundant equations leave singular values of the order e.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
TOLERANCE = 1e-5
"""What is left of a constraint equation, relative to itself, when others explain it; singular value of the scaled J."""
LEVER = 1e-15 / TOLERANCE
"""Change of an equation for typical speeds, relative to its typical size, that is rounding: scaled to length one, the
rounding of an equation that changes by less would no longer be below TOLERANCE."""


class Redundancy:
    """Which constraint equations are redundant at a configuration, what their rank is, and a basis of the others.

    Parameters
    ----------
    J : (rows, nv) array
    rows : (rows,) array
        Typical size of each equation, see `Scales`.
    speeds : (nv,) array
        Typical change of each coordinate in the direction of its speed; zero for those that are held.
    """

    def __init__(self, J: Floats, rows: Floats, speeds: Floats) -> None:
        self._speeds = speeds
        self._scaled, self._sizes, self.moved = unit_rows(J, rows, speeds)

    moved: Bools
    """(rows,) equations that the speeds which are not held can change."""

    @cached_property
    def rank(self) -> int:
        """Number of independent equations."""
        return int(_rank(self._decomposed[1]))

    @cached_property
    def basis(self) -> Floats:
        """(rows, rank) combinations of the equations, none of which is redundant."""
        return self._decomposed[0][:, : self.rank] / self._sizes[:, None]

    @cached_property
    def motions(self) -> Floats:
        """(nv, n) a basis of the motions that the equations allow, J motions = 0; what is held does not move."""
        free = np.flatnonzero(self._speeds)
        V = np.linalg.svd(self._scaled[:, free])[2][self.rank :]
        out = np.zeros((len(self._speeds), len(V)))
        out[free] = self._speeds[free, None] * V.T
        return out

    @cached_property
    def independent(self) -> Bools:
        """(rows,) equations, as many as the rank, that are not redundant; the most independent ones."""
        out = np.zeros(len(self.moved), dtype=bool)
        if self.rank:
            order = scipy.linalg.qr(self._scaled.T, mode="r", pivoting=True)[1]
            out[order[: self.rank]] = True
        return out

    def repeated(self) -> dict[int, list[int]]:
        """Equations that those before them make redundant, and which of these they are combinations of."""
        kept: list[int] = []
        directions: Floats = np.zeros((0, self._scaled.shape[1]))
        out: dict[int, list[int]] = {}
        for i in map(int, np.flatnonzero(self.moved)):
            left = self._scaled[i]
            for _ in range(2):  # once more, since rounding of a small rest is not across the others
                left = left - (directions @ left) @ directions
            length = float(np.linalg.norm(left))
            if length > TOLERANCE:
                kept.append(i)
                directions = np.vstack([directions, left / length])
            else:
                share = np.linalg.lstsq(self._scaled[kept].T, self._scaled[i], rcond=TOLERANCE)[0]
                out[i] = [kept[j] for j in np.flatnonzero(np.abs(share) > TOLERANCE)]
        return out

    def solve(self, S: Floats, r: Floats) -> Floats:
        """x (rows,) with S x = r in the directions of the basis, for S = J M^-1 J*."""
        B = self.basis
        A = B.T @ S @ B
        size = np.sqrt(A.diagonal())
        y = np.linalg.lstsq(A / np.outer(size, size), (B.T @ r) / size, rcond=None)[0]
        return np.asarray(B @ (y / size), dtype=np.float64)

    @cached_property
    def _decomposed(self) -> tuple[Floats, Floats]:
        U, values, _ = np.linalg.svd(self._scaled, full_matrices=False)
        return U, values


def ranks(J: Floats, rows: Floats, speeds: Floats) -> NDArray[np.int64]:
    """Number of independent equations (states,) for each of some J (states, rows, nv); see `Redundancy`."""
    values = np.asarray(np.linalg.svd(unit_rows(J, rows, speeds)[0], compute_uv=False), dtype=np.float64)
    return np.asarray(_rank(values), dtype=np.int64)


def unit_rows(J: Floats, rows: Floats, speeds: Floats) -> tuple[Floats, Floats, Bools]:
    """J (..., rows, nv) free of units, its rows of length one; what each was divided by; which rows are not zero.

    Rows that are rounding become zero.
    """
    scaled = J * speeds / rows[:, None]
    moved = np.abs(scaled).max(axis=-1, initial=0.0) > LEVER
    length = np.where(moved, np.linalg.norm(scaled, axis=-1), 1.0)
    return np.where(moved[..., None], scaled / length[..., None], 0.0), length * rows, moved


def _rank(values: Floats) -> Any:
    """How many singular values (..., n) count."""
    return (values > TOLERANCE).sum(axis=-1)
