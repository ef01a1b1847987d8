"""Derivatives of the motion of closed systems, from those of the equations that it solves.

Accelerations and constraint forces solve

    inverse dynamics(q, v, a) - J* lambda = tau        phi''(q, v, a) = 0,

and where the left sides change by r and s along a direction at the a and lambda found, these change by

    M da - J* dlambda = dtau - r        J da = -s.

Only the left sides are differentiated, by the tangents of their blocks: much less work than through the articulated
inertias and the Delassus matrix. Prescribed accelerations are known and their forces are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.recursions.closure_forces import REGULARIZATION, SMALLEST
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.model import Model

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class ClosedSlopes(NamedTuple):
    """Accelerations and generalized forces (s, nv), and their changes (s, nv, nq + 2 nv) with q, v and what is known.

    By q each coordinate by itself.
    """

    a: Floats
    tau: Floats
    a_slopes: Floats
    tau_slopes: Floats


class ClosedDerivatives:
    """The motion of a closed model, differentiated.

    Parameters
    ----------
    model : Model
        Whose tree has tangents.
    """

    def __init__(self, model: Model) -> None:
        assert model.evaluation.tangents is not None
        self._model, self._tangents = model, model.evaluation.tangents

    def __call__(self, q: Floats, v: Floats, known: Floats, prescribed: Mask) -> ClosedSlopes:
        """Slopes in states (s, ...); `known` (s, nv) has accelerations where they are prescribed, else forces."""
        loops = self._model.loops
        assert loops is not None
        a, force, tau = loops.sweeps.forward(States(q, v), known, prescribed)
        tree = self._tangents.jacobians("inverse_dynamics", ("coordinates", "v", "a"), (q, v, a), False, False)
        rows = loops.constraint_slopes(q, v, a, force)
        M, unit = tree["dtau_da"], np.eye(v.shape[-1])
        left = [tree["dtau_dcoordinates"] - rows.pull_by_q, tree["dtau_dv"], np.where(prescribed, M, -unit)]
        opened = [rows.acceleration_by_q, rows.acceleration_by_v, np.where(prescribed, rows.J, 0.0)]
        r, s = np.concatenate(left, axis=-1), np.concatenate(opened, axis=-1)
        da, closing = _solved(self._inverse(q, M, ~prescribed), rows.J, r, s, ~prescribed)
        needed = r + M @ da - np.swapaxes(rows.J, -1, -2) @ closing  # zero where accelerations are free
        known_slopes = np.concatenate([np.zeros((len(unit), r.shape[-1] - len(unit))), unit], axis=1)
        a_slopes = np.where(prescribed[:, None], known_slopes, da)
        return ClosedSlopes(a, tau, a_slopes, np.where(prescribed[:, None], needed, known_slopes))

    def weights(self, q: Floats, w: Floats) -> tuple[Floats, Floats]:
        """mu (s, nv) and nu (s, rows) with w . da = mu . (dtau - r) - nu . s, for weights w (s, nv)."""
        loops = self._model.loops
        assert loops is not None
        J, free = loops.sweeps.jacobian(q), ~self._model.none_prescribed
        unmoved = np.zeros((*J.shape[:2], 1))
        mu, closing = _solved(self._model.evaluation.inverse_mass_matrix(q)[0], J, -w[..., None], unmoved, free)
        return mu[..., 0], -closing[..., 0]

    def _inverse(self, q: Floats, M: Floats, free: Mask) -> Floats:
        """M^-1 of the free speeds; of all, from the articulated inertias, it is the more exact."""
        if free.all():
            return self._model.evaluation.inverse_mass_matrix(q)[0]
        return np.asarray(np.linalg.inv(M[:, free][..., free]), dtype=np.float64)


def _solved(W: Floats, J: Floats, r: Floats, s: Floats, free: Mask) -> tuple[Floats, Floats]:
    """da, zero where it is not free, and dlambda, from M da - J* dlambda = -r and J da = -s; W is M^-1 of the free."""
    Jf = J[..., free]
    moved, answer = W @ r[:, free], W @ np.swapaxes(Jf, -1, -2)
    closing = _least(Jf @ answer, Jf @ moved - s)
    da = np.zeros_like(r)
    da[:, free] = answer @ closing - moved
    return da, closing


def _least(S: Floats, r: Floats) -> Floats:
    """Forces of least size with S x = r; none along what S resists less than its regularization."""
    size = np.sqrt(np.diagonal(S, axis1=-2, axis2=-1))
    scale = np.divide(1.0, size, out=np.zeros_like(size), where=size**2 > SMALLEST)[..., None]
    values, vectors = np.linalg.eigh(scale * S * np.swapaxes(scale, -1, -2))
    kept = values > REGULARIZATION * values.max(axis=-1, initial=0.0, keepdims=True)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)[..., None]
    out: Floats = scale * (vectors @ (inverse * (np.swapaxes(vectors, -1, -2) @ (scale * r))))
    return out
