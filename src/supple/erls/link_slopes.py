"""How the motion of an equivalent rigid-link system changes with its state: by complex steps, exact to rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.erls.arrays import Numbers
from supple.erls.link_forces import LinkForces, Loads
from supple.errors import StateError
from supple.model.complex_steps import by_complex_steps
from supple.model.model import Model
from supple.model.motion_slopes import (
    ForceSlopes,
    InverseSlopes,
    MotionSlopes,
    Vector,
    inverse_slopes_by_complex_steps,
    slopes_by_complex_steps,
)
from supple.structures.body.flexible_body import FlexibleBody


class LinkSlopes(LinkForces):
    """Slopes of the motion and of the balance of forces, and what small motions and equilibria ask for."""

    def hybrid_slopes(self, q: Vector, v: Vector, known: Vector, prescribed: NDArray[np.bool_]) -> MotionSlopes:
        """Derivatives of the motion of one state by q, v and `known`."""
        return slopes_by_complex_steps(self, q, v, known, prescribed)

    def inverse_slopes(self, q: Vector, v: Vector, a: Vector, tau: Vector) -> InverseSlopes:
        """Derivatives of inverse dynamics of one state, and of the power of constant tau, by q, v and a."""
        return inverse_slopes_by_complex_steps(self, q, v, a, tau)

    def linearize(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> tuple[Numbers, Numbers]:
        """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of the motion close to states: dx/dt = A x + B u.

        x holds the changes of the coordinates and of the speeds, u those of tau.
        """
        (q_, v_, u_), shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv))
        if dtype != np.float64:
            raise StateError(f"model {self.name!r}: linearize: expected real states, got complex numbers")
        n, none = self.nv, self.none_prescribed
        A, B = np.zeros((len(q_), 2 * n, 2 * n)), np.zeros((len(q_), 2 * n, n))
        A[:, :n, n:] = np.eye(n)
        for i, state in enumerate(zip(q_, v_, u_, strict=True)):
            slopes = self.hybrid_slopes(*state, none).a
            A[i, n:], B[i, n:] = slopes[:, : 2 * n], slopes[:, 2 * n :]
        return A.reshape((*shape, 2 * n, 2 * n)), B.reshape((*shape, 2 * n, n))

    def balance_slopes(self, q: Vector, v: Vector, a: Vector, external: Loads | None = None) -> ForceSlopes:
        """Changes of M a + b - B* tau of one state with q, v and a, at the constant tau that the state takes."""
        unit = np.eye(self.nv)
        tau = self.inverse_dynamics(q, v, a, external)

        def left(x: Numbers) -> Numbers:
            inertia = (self.mass_matrix(x) @ a[:, None])[..., 0]
            return inertia + self.bias_forces(x, v, external) - self.forces_on_speeds(x, tau)

        if v.any() or self.dynamics.springs:
            by_v = by_complex_steps(lambda x: self.bias_forces(q, x, external), v, unit)
        else:
            by_v = self._damping(q)
        return ForceSlopes(by_complex_steps(left, q, unit), by_v, self.mass_matrix(q))

    def _damping(self, q: Vector) -> Vector:
        """Change (nv, nv) of the forces with the speeds at rest: dampers of joints and links alone."""
        chain = self.chain
        B = self.actuation_matrix(q)[np.ix_(self._back, self._back)][: chain.joints]
        C = B.T @ (chain.damping[:, None] * B)
        for i, link in enumerate(chain.links):
            own = slice(chain.joints + chain.first[i], chain.joints + chain.first[i + 1])
            C[own, own] += link.damping
        return np.asarray(C[np.ix_(self.order, self.order)], dtype=np.float64)

    def frame_slopes(self, q: Vector, v: Vector, a: Vector, frame: str) -> dict[str, Vector]:
        """Changes "dvelocity_dq" (6, nq), "dacceleration_dv" and so on of a frame's motion, by q and v."""
        unit = np.eye(self.nv)
        return {
            "dvelocity_dq": by_complex_steps(lambda x: self.velocity(x, v, frame), q, unit),
            "dvelocity_dv": by_complex_steps(lambda x: self.velocity(q, x, frame), v, unit),
            "dacceleration_dq": by_complex_steps(lambda x: self.acceleration(x, v, a, frame), q, unit),
            "dacceleration_dv": by_complex_steps(lambda x: self.acceleration(q, x, a, frame), v, unit),
        }

    def direction_rates(self, q: Vector, v: Vector) -> Vector:
        """N (nv, nv): the directions of the speeds do not turn, it is zero."""
        return np.zeros((self.nv, self.nv))

    def doubled_energies(self, q: Vector, motions: Vector) -> Vector:
        """Twice the kinetic energy (bodies, n) of each link in motions (nv, n); rotors count with their link."""
        display, _, _ = self.display_state(q, np.zeros(self.nv))
        found = self.display.doubled_energies(display, self.display_jacobian(q) @ motions)
        out = found[0::2] + found[1::2]  # the equivalent rigid link, without mass, and the link
        turned = (self.actuation_matrix(q) @ motions)[self._back]
        for i, connection in enumerate(self.chain.connections):
            if connection.coordinate >= 0:
                out[i] += self.chain.inertia[connection.coordinate] * turned[connection.coordinate] ** 2
        return np.asarray(out, dtype=np.float64)

    # ------------------------------------------------------------ equilibria

    def unit_changes(self) -> Vector:
        """Changes (nv,) of the coordinates that count as one: 1 rad, the mechanism's extent, modes that bend a link."""
        floating = Model(self.description)
        joints = floating.unit_changes()[~floating.is_mode]
        parts = [joints]
        for link in self.chain.links:
            size = link.body.small_amplitude(1.0) if isinstance(link.body, FlexibleBody) else 1.0
            parts.append(np.broadcast_to(size, (link.modes,)))
        return np.concatenate(parts)[self.order]

    def inner_forces(self, q: Vector) -> Vector:
        """Sums of the sizes (nv,) of the forces of springs and deformed links on the speeds, which may cancel."""
        chain = self.chain
        spring = np.abs(chain.stiffness * (self.joint_positions(q) - chain.rest))
        B = self.actuation_matrix(q)[np.ix_(self._back, self._back)][: chain.joints]
        squares = np.concatenate([np.zeros(chain.joints), *(link.squares for link in chain.links)])
        inner = (np.abs(B).T @ spring + squares * np.abs(q[self._back]))[self.order]
        for s in (x.element for x in self.dynamics.springs):
            gap = np.linalg.norm(self.pose(q, s.second)[1] - self.pose(q, s.first)[1])
            size = abs(s.stiffness * (gap - s.length))
            inner = inner + size * sum(np.abs(self.jacobian(q, x))[3:].sum(axis=0) for x in (s.first, s.second))
        return np.asarray(inner, dtype=np.float64)
