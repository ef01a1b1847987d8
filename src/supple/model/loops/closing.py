"""Steps that close loops: of the joints as far as they can, of flexible bodies, least in strain, for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    from supple.model.loops.loops import Loops
    from supple.model.model import Model

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
IMMOVABLE = 1e-12
"""Compliance, relative to the largest, below which modes cannot move what joints leave."""
MASSLESS = 1e-6
"""Inertia, relative to the largest, that every joint has at least."""


class Closing:
    """Steps from one state, for the constraint equations' Jacobian J = [J_j, J_m] of joints and modes.

    Steps of the joints have the least kinetic energy: -M^-1 J_j* S^-1 phi with S = J_j M^-1 J_j*. In directions U that
    they cannot move, S U = 0, modes move with the least strain energy: -K^-1 C (C* K^-1 C)^-1 U* phi with C = J_m* U.

    Parameters
    ----------
    loops : Loops
    q : (nq,) array
    J : (rows, nv) array
    given : (nv,) array of bool
        Speeds that do not change.
    """

    def __init__(self, loops: Loops, q: Floats, J: Floats, given: Bools) -> None:
        model, unit = loops.model, loops.scales.speeds
        self._model = model
        self._joints = np.flatnonzero(~given & ~model.is_mode)
        self._modes = np.flatnonzero(~given & model.is_mode)
        own = np.ix_(self._joints, self._joints)
        M = (np.outer(unit, unit) * model.mass_matrix(q))[own]
        M += MASSLESS * M.diagonal().max(initial=0.0) * np.eye(len(M))
        X = unit[self._joints, None] * _solved(M, (J[:, self._joints] * unit[self._joints]).T)
        S = J[:, self._joints] @ X
        found = loops.redundancy(J, given | model.is_mode)
        self._size = np.where(found.moved, np.sqrt(np.abs(S.diagonal())), loops.scales.rows)
        scaled = np.where(np.outer(found.moved, found.moved), S / np.outer(self._size, self._size), 0.0)
        self._X, self._J = X / self._size, J / self._size[:, None]
        self._values, self._vectors = np.linalg.eigh((scaled + scaled.T) / 2)
        self._flat = np.arange(len(J)) < len(J) - found.rank

    def joints(self, errors: Floats, damping: float = 0.0) -> Floats:
        """Step (nv,) of the joints alone that takes errors (rows,) away, or as much of them as it can."""
        return self._of_joints(errors / self._size, damping)

    def strained(self, errors: Floats, deformation: Floats, damping: float = 0.0) -> Floats:
        """Step (nv,) that takes errors (rows,) away, after which the strain energy is least.

        Parameters
        ----------
        errors : (rows,) array
        deformation : (nv,) array
            Modal coordinates of what is strained already; zeros for the least change.
        damping : float
            Added to the matrices of both parts, relative to their diagonals.
        """
        out, r = np.zeros(self._model.nv), errors / self._size
        J, d = self._J[:, self._modes], deformation[self._modes]
        U = self._vectors[:, self._flat]
        K = stiffness(self._model)[np.ix_(self._modes, self._modes)]
        C = J.T @ U
        bent = _solved(K, C)
        A = C.T @ bent
        A += damping * A.diagonal().max(initial=0.0) * np.eye(len(A))
        out[self._modes] = bent @ np.linalg.lstsq(A, U.T @ (J @ d - r), rcond=IMMOVABLE)[0] - d
        return out + self._of_joints(r + J @ out[self._modes], damping)

    def _of_joints(self, r: Floats, damping: float) -> Floats:
        out, U = np.zeros(self._model.nv), self._vectors[:, ~self._flat]
        out[self._joints] = -self._X @ (U @ ((U.T @ r) / (self._values[~self._flat] + damping)))
        return out


def _solved(A: Floats, B: Floats) -> Floats:
    """A^-1 B of a positive definite A, scaled to a unit diagonal."""
    if not A.size:
        return np.zeros_like(B)
    size = np.sqrt(A.diagonal())[:, None]
    return np.asarray(scipy.linalg.cho_solve(scipy.linalg.cho_factor(A / size / size.T), B / size) / size)


def stiffness(model: Model) -> Floats:
    """K (nv, nv) of the modes of all bodies."""
    out = np.zeros((model.nv, model.nv))
    for k, placed in enumerate(model.description.bodies.values(), start=1):
        if isinstance(placed.body, FlexibleBody):
            own = slice(model.tree.v_mode[k], model.tree.v_first[k + 1])
            out[own, own] = scipy.sparse.csr_array(placed.body.stiffness).toarray()
    return out


def strain_energies(model: Model, deformation: Floats) -> Floats:
    """Strain energy (bodies,), J, of each body for a change (nv,) of the modal coordinates."""
    share = 0.5 * deformation * (stiffness(model) @ deformation)
    ends = [slice(model.tree.v_mode[k], model.tree.v_first[k + 1]) for k in range(1, len(model.bodies) + 1)]
    return np.array([float(share[own].sum()) for own in ends])


def deformation(model: Model, q: Floats, shape: Floats) -> Floats:
    """Change (nv,) of the modal coordinates from a shape (nq,) to that of q (nq,); zero for joints."""
    out = np.zeros(model.nv)
    modes = np.flatnonzero(model.is_mode)
    places = model.q_of_speed[modes]
    out[modes] = q[places] - shape[places]
    return out
