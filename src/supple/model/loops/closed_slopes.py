"""Derivatives of the motion of closed systems, from those of the equations that it solves.

Constraint forces come in rounds (`closure_forces.solve_closures`). With D the diagonal of S and e the regularization,
accelerations and forces of round k solve

    inverse dynamics(q, v, a_k) - J* lambda_k = tau        phi''(q, v, a_k) + e D (lambda_k - lambda_k-1) = 0,

with lambda_0 = 0, and where the left sides change by r_k and s_k along a direction at the a_k and lambda_k found, these
change by

    M da_k - J* dlambda_k = dtau - r_k
    J da_k + e D (dlambda_k - dlambda_k-1) = -s_k - e dD (lambda_k - lambda_k-1).

Only the left sides are differentiated, by the tangents of their blocks: much less work than through the articulated
inertias and the Delassus matrix. Where S resists far more than its regularization in all directions that are not
redundant, all rounds have the same a and lambda, and D is as good as constant. Near singular configurations rounds
differ, and the diagonal of S is differentiated too, as J M^-1 J* of each row. Prescribed accelerations are known and
their forces are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.recursions.closure_forces import REFINEMENTS, REGULARIZATION, SMALLEST
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.model import Model

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
CLEAR = 1e4 * REGULARIZATION
"""Eigenvalue of S, its diagonal being one, from which on rounds differ by less than 1e-12 of the forces."""
REDUNDANT = 1e-13
"""Motion for a unit force along an eigenvector of S, relative to that of all rows, that is rounding: none."""


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
        r, s, M, error = self._changes(q, v, a, force, prescribed)
        rows = _Rows.of(self._inverse(q, M, ~prescribed), loops.sweeps.jacobian(q), ~prescribed)
        last = r.copy()
        parts = [(r, s)] * REFINEMENTS
        near = np.flatnonzero(rows.near)
        if len(near):
            rounds = rows.at(near).rounds(a[near], force[near], error[near])
            changes = self._changes_of_diagonal(q[near], rows.at(near), s.shape[-1])
            for k, (a_k, force_k, more) in enumerate(rounds):
                parts[k] = r.copy(), s.copy()
                if k < REFINEMENTS - 1:
                    own = self._changes(q[near], v[near], a_k, force_k, prescribed)
                    parts[k][0][near], parts[k][1][near] = own[:2]
                parts[k][1][near] += REGULARIZATION * changes * more[..., None]
        closing = np.zeros_like(s)
        for r_k, s_k in parts:
            closing = rows.solved(closing, rows.opened(r_k) - s_k)
        da = np.zeros_like(r)
        da[:, rows.free] = rows.answer @ closing - rows.W @ last[:, rows.free]
        needed = r + M @ da - np.swapaxes(rows.J, -1, -2) @ closing  # zero where accelerations are free
        unit = np.eye(v.shape[-1])
        known_slopes = np.concatenate([np.zeros((len(unit), r.shape[-1] - len(unit))), unit], axis=1)
        a_slopes = np.where(prescribed[:, None], known_slopes, da)
        return ClosedSlopes(a, tau, a_slopes, np.where(prescribed[:, None], needed, known_slopes))

    def _changes(
        self, q: Floats, v: Floats, a: Floats, force: Floats, prescribed: Mask
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return r (s, nv, n) and s (s, rows, n) with q, v and what is known; M, and the second rates of the rows."""
        loops = self._model.loops
        assert loops is not None
        tree = self._tangents.jacobians("inverse_dynamics", ("coordinates", "v", "a"), (q, v, a), False, False)
        rows = loops.constraint_slopes(q, v, a, force)
        M, unit = tree["dtau_da"], np.eye(v.shape[-1])
        left = [tree["dtau_dcoordinates"] - rows.pull_by_q, tree["dtau_dv"], np.where(prescribed, M, -unit)]
        opened = [rows.acceleration_by_q, rows.acceleration_by_v, np.where(prescribed, rows.J, 0.0)]
        return np.concatenate(left, axis=-1), np.concatenate(opened, axis=-1), M, rows.acceleration

    def _changes_of_diagonal(self, q: Floats, rows: _Rows, width: int) -> Floats:
        """Return the changes (s, rows, width) of the diagonal of S: of J X less half of X* M X for X = M^-1 J*, twice.

        Only the first nq, those with q, are not zero.
        """
        loops = self._model.loops
        assert loops is not None
        count, states = rows.J.shape[1], len(q)
        X = np.concatenate([rows.answers(), np.zeros((states, 1, rows.J.shape[2]))], axis=1)
        many, zero = np.repeat(q, count + 1, axis=0), np.zeros((states * (count + 1), X.shape[2]))
        flat = X.reshape(zero.shape)
        tree = self._tangents.jacobians("inverse_dynamics", ("coordinates",), (many, zero, flat), False, False)
        force = tree["dtau_dcoordinates"].reshape(states, count + 1, X.shape[2], -1)
        moved = loops.constraint_slopes(many, zero, flat, np.zeros((len(many), count))).acceleration_by_q
        moved = np.einsum("siij->sij", moved.reshape(states, count + 1, count, -1)[:, :count])
        inertia = np.einsum("sin,sinj->sij", X[:, :count], force[:, :count] - force[:, count:])
        return np.pad(2.0 * moved - inertia, ((0, 0), (0, 0), (0, width - moved.shape[-1])))

    def weights(self, q: Floats, v: Floats, tau: Floats, w: Floats) -> WeightedEquations:
        """Return equations with w . da = sum of mu . (dtau - r) - nu . s, for weights w (s, nv)."""
        loops = self._model.loops
        assert loops is not None
        model = self._model
        a, force, _ = loops.sweeps.forward(States(q, v), tau, model.none_prescribed)
        W = model.evaluation.inverse_mass_matrix(q)[0]
        rows = _Rows.of(W, loops.sweeps.jacobian(q), ~model.none_prescribed)
        mu, nu = rows.weights(w)
        whole = [np.sum(mu, axis=0), np.sum(nu, axis=0)]
        near = np.flatnonzero(rows.near)
        every = np.arange(len(q))
        if not len(near):
            return WeightedEquations(every, (q, v, a, force, *whole), whole[0])
        error = loops.constraint_slopes(q[near], v[near], a[near], force[near]).acceleration
        own = rows.at(near)
        parts = [(every, (q, v, a, force, *whole))]
        for x in parts[0][1][4:]:  # nothing of these states
            x[near] = 0.0
        shares = np.zeros((len(near), force.shape[1]))
        for k, (a_k, force_k, more) in enumerate(own.rounds(a[near], force[near], error)):
            parts.append((near, (q[near], v[near], a_k, force_k, mu[k][near], nu[k][near])))
            shares += REGULARIZATION * nu[k][near] * more
        X, still = own.answers(), np.zeros((len(near), v.shape[1]))
        for i in range(force.shape[1]):  # the change of the diagonal of S, see `_changes_of_diagonal`
            unit = np.zeros_like(shares)
            unit[:, i] = 2.0 * shares[:, i]
            opposite = -shares[:, i, None] * X[:, i]
            parts.append((near, (q[near], still, X[:, i], np.zeros_like(shares), opposite, unit)))
            parts.append((near, (q[near], still, still, np.zeros_like(shares), -opposite, np.zeros_like(shares))))
        joined = tuple(np.concatenate(x) for x in zip(*(inputs for _, inputs in parts), strict=True))
        return WeightedEquations(np.concatenate([i for i, _ in parts]), joined, np.sum(mu, axis=0))

    def _inverse(self, q: Floats, M: Floats, free: Mask) -> Floats:
        """M^-1 of the free speeds; of all, from the articulated inertias, it is the more exact."""
        if free.all():
            return self._model.evaluation.inverse_mass_matrix(q)[0]
        return np.asarray(np.linalg.inv(M[:, free][..., free]), dtype=np.float64)


class WeightedEquations(NamedTuple):
    """Sums of equations whose gradients make up those of weighted accelerations."""

    state: NDArray[np.intp]
    """(p,) which state each belongs to."""
    inputs: tuple[Floats, ...]
    """q, v, a, force, mu and nu of each, (p, ...)."""
    mu: Floats
    """(s, nv) weights of the forces tau of the states."""


class _Rows(NamedTuple):
    """The constraints of states (s,), and their regularized Delassus matrix by its eigenvalues."""

    W: Floats
    """(s, free, free) M^-1 of the free speeds."""
    J: Floats
    """(s, rows, nv)."""
    free: Mask
    """(nv,) speeds whose accelerations are not prescribed."""
    answer: Floats
    """(s, free, rows) W J*."""
    scale: Floats
    """(s, rows, 1) one over the roots of the diagonal of S; zero for rows that nothing moves."""
    vectors: Floats
    """(s, rows, rows) eigenvectors of the S that has a unit diagonal."""
    inverse: Floats
    """(s, rows, 1) one over its regularized eigenvalues; zero in directions in which rows are redundant."""
    near: Mask
    """(s,) whether there is an eigenvalue that its regularization changes, but of redundant rows."""

    @classmethod
    def of(cls, W: Floats, J: Floats, free: Mask) -> _Rows:
        """Return those of an inverse mass matrix and a Jacobian."""
        Jf = J[..., free]
        answer = W @ np.swapaxes(Jf, -1, -2)
        S = Jf @ answer
        size = np.sqrt(np.diagonal(S, axis1=-2, axis2=-1))
        scale = np.divide(1.0, size, out=np.zeros_like(size), where=size**2 > SMALLEST)[..., None]
        values, vectors = np.linalg.eigh(scale * S * np.swapaxes(scale, -1, -2))
        moved = answer * np.swapaxes(scale, -1, -2)
        moves = np.linalg.norm(moved @ vectors, axis=1)
        redundant = moves <= REDUNDANT * np.linalg.norm(moved, axis=(1, 2))[:, None]
        inverse = np.where(redundant, 0.0, 1.0 / (np.maximum(values, 0.0) + REGULARIZATION))
        near = (~redundant & (values < CLEAR)).any(axis=-1)
        return cls(W, J, free, answer, scale, vectors, inverse[..., None], near)

    def at(self, states: NDArray[np.intp]) -> _Rows:
        """Return those of some states."""
        parts = {name: x[states] for name, x in self._asdict().items() if name != "free"}
        return _Rows(**parts, free=self.free)

    def answers(self) -> Floats:
        """Return M^-1 J* (s, rows, nv), zero where accelerations are prescribed."""
        out = np.zeros_like(self.J)
        out[..., self.free] = np.swapaxes(self.answer, -1, -2)
        return out

    def opened(self, r: Floats) -> Floats:
        """Return J M^-1 r (s, rows, n): the second rates that forces r give the rows."""
        return self.J[..., self.free] @ (self.W @ r[:, self.free])

    def solved(self, before: Floats, right: Floats) -> Floats:
        """Return x (s, rows, n) with (S + e D) x = e D before + right, of rows that are not redundant."""
        moving = np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0.0)
        scaled = self.scale * right + REGULARIZATION * (moving * before)
        out: Floats = self.scale * (self.vectors @ (self.inverse * (np.swapaxes(self.vectors, -1, -2) @ scaled)))
        return out

    def rounds(self, a: Floats, force: Floats, error: Floats) -> list[tuple[Floats, Floats, Floats]]:
        """Return accelerations, forces, and their last change, of all rounds, given what the last one has found.

        `error` (s, rows) are the second rates that are left.
        """
        S = self.J[..., self.free] @ self.answer
        right = (S @ force[..., None]) - error[..., None]
        found, x = list[tuple[Floats, Floats, Floats]](), np.zeros_like(right)
        for _ in range(REFINEMENTS):
            new = self.solved(x, right)
            a_k = a.copy()
            a_k[:, self.free] += (self.answer @ (new - force[..., None]))[..., 0]
            found.append((a_k, new[..., 0], (new - x)[..., 0]))
            x = new
        return found

    def weights(self, w: Floats) -> tuple[list[Floats], list[Floats]]:
        """Return mu (s, nv) and nu (s, rows) of each round, for weights w (s, nv) of the accelerations."""
        moved = self.W @ w[..., self.free, None]
        left = self.J[..., self.free] @ moved
        mu, nu = list[Floats](), list[Floats]()
        before: Floats = np.zeros_like(left)
        for k in range(REFINEMENTS):
            before = self.solved(before, left if k == 0 else np.zeros_like(left))
            own = np.zeros_like(w)
            own[:, self.free] = ((moved if k == 0 else 0.0) - self.answer @ before)[..., 0]
            mu.insert(0, own)
            nu.insert(0, before[..., 0])
        return mu, nu
