"""The equations of motion: section 5 of Vidoni et al. (2015).

M a + b = B* tau. (75) as printed has more rows than unknowns: the virtual displacements that were discarded are those
of N of (69), so it has to be multiplied by N*, and M = N* L N. By J* M_r D = 0 and its rate, J* M_r G = -H, most of the
coupling of the equivalent rigid links with q_r is known beforehand and never formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.erls.arrays import Numbers, matvec, skew, transposed, weighted
from supple.erls.chain import Chain
from supple.erls.compatibility import Deformation, Posture, deformation, drift, posture
from supple.erls.forces import Load, rotations, virtual_work
from supple.erls.work import Constants, Shape, inertia_changes, link_loads, shape_of


@dataclass(frozen=True, eq=False)
class Equations:
    """M a + b = B* tau of one state (or batch), with what it was made of.

    Attributes
    ----------
    mass : (..., n + d, n + d)
    bias : (..., n + d)
    drive : (..., n + d, n + d)
        B: rates of the whole relative motions theta + xi of the joints, and of the modes, for unit speeds. A joint's
        torque acts on the former, as it turns one link's end against the other's.
    posture, deformation
    """

    mass: Numbers
    bias: Numbers
    drive: Numbers
    posture: Posture
    deformation: Deformation


class Dynamics:
    """The equations of a chain; unknowns are theta, then the elastic coordinates of all links."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.constants = [Constants.of(link) for link in chain.links]

    def equations(self, q: Numbers, v: Numbers, loads: Sequence[Load] = ()) -> Equations:
        """M, b and B of states (..., n + d); `loads` are those of `forces`."""
        n = self.chain.joints
        theta, eta, theta_rate, eta_rate = q[..., :n], q[..., n:], v[..., :n], v[..., n:]
        at = posture(self.chain, theta)
        now = deformation(self.chain, at, eta)
        shapes = [shape_of(k, now.psi[i], self._own(eta, i)) for i, k in enumerate(self.constants)]
        drive = self.drive_matrix(at, now, q.shape[:-1])
        psi_rate, psi_bias, slip_rate, slip_bias = drift(self.chain, at, now, theta_rate, eta_rate)
        bias = self._bias(at, now, shapes, (theta_rate, eta_rate, eta), psi_rate, psi_bias, loads)
        bias = bias + self._joint_forces(at, drive, theta, eta, theta_rate + slip_rate, slip_bias)
        return Equations(self._mass(at, now, shapes, drive), bias, drive, at, now)

    def mass_matrix(self, q: Numbers) -> Numbers:
        """M (..., n + d, n + d)."""
        n = self.chain.joints
        at = posture(self.chain, q[..., :n])
        now = deformation(self.chain, at, q[..., n:])
        shapes = [shape_of(k, now.psi[i], self._own(q[..., n:], i)) for i, k in enumerate(self.constants)]
        return self._mass(at, now, shapes, self.drive_matrix(at, now, q.shape[:-1]))

    def drive_matrix(self, at: Posture, now: Deformation, axes: tuple[int, ...]) -> Numbers:
        """B (..., n + d, n + d)."""
        n, d = self.chain.joints, self.chain.modes
        upper = np.concatenate([_over(np.eye(n) + now.slip, axes), _over(at.slip, axes)], axis=-1)
        lower = np.broadcast_to(np.concatenate([np.zeros((d, n)), np.eye(d)], axis=1), (*axes, d, n + d))
        return np.concatenate([upper, lower], axis=-2)

    def _mass(self, at: Posture, now: Deformation, shapes: list[Shape], drive: Numbers) -> Numbers:
        """M = N* L N, the sum over the links."""
        n, axes = self.chain.joints, drive.shape[:-2]
        joints: Any = at.mass - now.pull - transposed(now.pull)
        mixed: Any = 0.0
        elastic: Any = np.eye(self.chain.modes)
        for i, (link, k) in enumerate(zip(self.chain.links, self.constants, strict=True)):
            whole, coupled, own = inertia_changes(k, shapes[i])
            J, G, D = at.J[i], now.G[i], at.D[i]
            turn = transposed(J[..., :3, :])
            # half of the terms that come with their own transpose
            half = turn @ (whole @ (0.5 * J[..., :3, :]) + coupled[..., 3:] @ J[..., 3:, :] + coupled @ G)
            joints = joints + half + transposed(half) + transposed(G) @ (link.inertia @ G)
            span = self.chain.span(i)
            padding = [(0, 0)] * (own.ndim - 1) + [(span.start, self.chain.modes - span.stop)]
            mixed = mixed + turn @ (coupled @ D + np.pad(own, padding)) + transposed(now.G_P[i]) @ (link.inertia @ D)
            elastic = elastic + transposed(D) @ (link.inertia @ D)
        M = np.concatenate(
            [
                np.concatenate([_over(joints, axes), _over(mixed, axes)], axis=-1),
                np.concatenate([_over(transposed(mixed), axes), _over(elastic, axes)], axis=-1),
            ],
            axis=-2,
        )
        if self.chain.inertia.any():
            rows = drive[..., :n, :]
            M = M + transposed(rows) @ (self.chain.inertia[:, None] * rows)
        return M

    def _bias(
        self,
        at: Posture,
        now: Deformation,
        shapes: list[Shape],
        state: tuple[Numbers, Numbers, Numbers],
        psi_rate: list[Numbers],
        psi_bias: list[Numbers],
        loads: Sequence[Load],
    ) -> Numbers:
        """N* (l + L [dJ/dt dtheta/dt; n]) of (75), with the forces of each link in its own axes."""
        theta_rate, eta_rate, eta = state
        on_theta: Any = 0.0
        on_eta: Any = 0.0
        own = []
        R = rotations(self.chain, at) if any(load.grounded for load in loads) else []
        for i, motion in enumerate(self.motions(at, theta_rate)):
            span = self.chain.span(i)
            rigid, elastic = (psi_rate[i], psi_bias[i]), (eta[..., span], eta_rate[..., span])
            f_V, f_psi, f_eta = link_loads(self.constants[i], shapes[i], motion, rigid, elastic)
            for load in (x for x in loads if x.link == i):
                done = virtual_work(load, R[i] if load.grounded else None, now.psi[i], eta[..., span])
                f_V, f_psi, f_eta = (f - work for f, work in zip((f_V, f_psi, f_eta), done, strict=True))
            on_theta = on_theta + matvec(transposed(at.J[i]), f_V) + matvec(transposed(now.G[i]), f_psi)
            on_eta = on_eta + matvec(transposed(at.D[i]), f_psi)
            own.append(f_eta)
        return np.concatenate([on_theta, on_eta + np.concatenate(own, axis=-1)], axis=-1)

    def motions(self, at: Posture, theta_rate: Numbers) -> list[tuple[Numbers, Numbers]]:
        """Velocities (..., 6) of the equivalent rigid links, and accelerations less gravity at zero joint ones."""
        found: list[tuple[Numbers, Numbers, Numbers]] = []
        still = 0.0 * np.concatenate([theta_rate, np.zeros((*theta_rate.shape[:-1], 6))], axis=-1)[..., -6:]
        ground = still + np.concatenate([np.zeros(3), -self.chain.gravity])
        for i, c in enumerate(self.chain.connections):
            V_p, dV_p = found[c.parent][:2] if c.parent >= 0 else (still, ground)
            V, dV = (matvec(at.T[i], matvec(c.B, x)) for x in (V_p, dV_p))
            if c.coordinate >= 0:
                s = theta_rate[..., c.coordinate]
                dV = dV - weighted(s, matvec(c.cross, V))
                V = V + weighted(s, c.A)
            V, dV = matvec(c.K, V), matvec(c.K, dV)
            spun = matvec(skew(V[..., :3]), V[..., 3:])
            found.append((V, dV, np.concatenate([dV[..., :3], dV[..., 3:] + spun], axis=-1)))
        return [(V, A) for V, _, A in found]

    def _joint_forces(
        self, at: Posture, drive: Numbers, theta: Numbers, eta: Numbers, rate: Numbers, slip_bias: Numbers
    ) -> Numbers:
        """Springs, dampers and rotors of the joints, which see theta + xi."""
        chain = self.chain
        whole = theta + matvec(at.slip, eta)
        force = chain.stiffness * (whole - chain.rest) + chain.damping * rate + chain.inertia * slip_bias
        return matvec(transposed(drive[..., : chain.joints, :]), force)

    def _own(self, eta: Numbers, i: int) -> Numbers:
        return eta[..., self.chain.span(i)]


def _over(x: Numbers, axes: tuple[int, ...]) -> Numbers:
    """x with the leading axes of the states."""
    return np.broadcast_to(x, (*axes, *x.shape[-2:]))
