"""How much loads change the stiffness of a flexible body: its least and largest relative change."""

from __future__ import annotations

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.body.flexible_body import FlexibleBody

MOST_COORDINATES = 40
"""Of more coordinates only the static deflections under inertia and loads at frames are looked at."""
MOST_STATES = 1_000
"""The states in which loads are largest, by an upper bound; the others are left out."""
DEPENDENT = 1e-10
"""Share of a static deflection that is left by the others of which it is a combination."""


class StressedStiffness:
    """Eigenvalues of K_sigma relative to K, with K_sigma = -sum_k Q_k C_k for loads Q on the second-order shapes.

    Parameters
    ----------
    body : FlexibleBody
        With shapes of second order.
    """

    def __init__(self, body: FlexibleBody) -> None:
        assert body.second_order is not None
        X = _unit_stiffness(body)
        C = body.second_order.quadratic
        self._C = np.array([X.T @ (C.matrix(k) @ X) for k in range(body.second_order.count)])
        self._sizes = np.linalg.norm(self._C, ord=2, axis=(1, 2))

    def change(self, loads: Floats) -> tuple[Floats, Floats]:
        """Least and largest relative change (states,) of the stiffness by loads (states, shapes).

        At -1 the body buckles, its root being held. Zero in states with small loads that were left out.
        """
        bound = np.abs(loads) @ self._sizes
        chosen = np.argsort(-bound, kind="stable")[:MOST_STATES]
        chosen = chosen[bound[chosen] > 0.0]
        least, largest = np.zeros((2, len(loads)))
        if len(chosen):
            found = np.linalg.eigvalsh(-np.tensordot(loads[chosen], self._C, 1))
            least[chosen], largest[chosen] = found[:, 0], found[:, -1]
        return least, largest


def _unit_stiffness(body: FlexibleBody) -> Floats:
    """(n, p) deflections X with X* K X = I: of all coordinates or, if these are many, static ones."""
    if body.modes <= MOST_COORDINATES:
        L = np.linalg.cholesky(body.stiffness.toarray())
        return np.asarray(np.linalg.inv(L).T)
    n, integrals = body.modes, body.integrals
    frames = [frame.shape.T for name, frame in body.frames.items() if name != body.root]
    forces = np.concatenate([integrals.E, integrals.X.reshape(n, 9), *frames], axis=1)
    forces = forces[:, np.any(forces != 0.0, axis=0)]
    solved = scipy.sparse.linalg.splu(scipy.sparse.csc_array(body.stiffness)).solve(forces)
    work = forces.T @ solved
    size = np.sqrt(np.diagonal(work))
    values, V = np.linalg.eigh(work / np.outer(size, size))
    kept = values > DEPENDENT * values[-1]
    return np.asarray(solved / size @ (V[:, kept] / np.sqrt(values[kept])))
