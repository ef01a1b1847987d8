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
from numpy.typing import NDArray

from supple.erls.arrays import Numbers, dot, matmul, matvec, skew, solve, transposed, weighted
from supple.erls.chain import Chain
from supple.erls.compatibility import Configuration, Deformation, Drift, configuration, deformation, drift
from supple.erls.link_springs import Places, link_springs, spring_energy, spring_loads
from supple.erls.link_wrenches import LinkWrench, centres, rotations, virtual_work
from supple.erls.work import LinkIntegrals, Shape, inertia_changes, link_loads, shape_of


@dataclass(frozen=True, eq=False)
class RigidLinkEquations:
    """M a + b = B* tau of one state (or batch), with what it was made of.

    Attributes
    ----------
    mass : (..., n + d, n + d)
    bias : (..., n + d)
    actuation : (..., n + d, n + d)
        B: rates of the whole relative motions theta + xi of the joints, and of the modes, for unit speeds. A joint's
        torque acts on the former, as it turns one link's end against the other's.
    configuration, deformation
    """

    mass: Numbers
    bias: Numbers
    actuation: Numbers
    configuration: Configuration
    deformation: Deformation


def hybrid(x: RigidLinkEquations, drive: Numbers, given: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Accelerations and forces tau; `drive` (..., n + d) holds accelerations where they are `given`, else forces.

    M_F a_F - B_G* tau_G = r, with F the free and G the prescribed speeds: the rows of G give tau_G, the others then
    a_F.
    """
    G, F = np.flatnonzero(given), np.flatnonzero(~given)
    known = matvec(transposed(x.actuation[..., F, :]), drive[..., F]) - matvec(x.mass[..., G], drive[..., G]) - x.bias
    a, tau = (np.array(np.broadcast_to(drive, known.shape), known.dtype) for _ in range(2))
    own, other = x.actuation[..., G[:, None], G], x.actuation[..., G[:, None], F]
    W = transposed(solve(own, other, symmetric=False))
    M_F, M_G = x.mass[..., F[:, None], F], x.mass[..., G[:, None], F]
    rest = known[..., F] - matvec(W, known[..., G])
    a[..., F] = solve(M_F - matmul(W, M_G), rest[..., None], symmetric=not len(G))[..., 0]
    needed = matvec(M_G, a[..., F]) - known[..., G]
    tau[..., G] = solve(transposed(own), needed[..., None], symmetric=False)[..., 0]
    return a, tau


class Dynamics:
    """The equations of a chain; unknowns are theta, then the elastic coordinates of all links."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.constants = [LinkIntegrals.of(link) for link in chain.links]
        self.springs = link_springs(chain)

    def equations(self, q: Numbers, v: Numbers, loads: Sequence[LinkWrench] = ()) -> RigidLinkEquations:
        """M, b and B of states (..., n + d); `loads` are those of `forces`."""
        n = self.chain.joints
        theta, eta, theta_rate, eta_rate = q[..., :n], q[..., n:], v[..., :n], v[..., n:]
        at, now = self._deformed(q)
        shapes = [shape_of(k, now.psi[i], self._own(eta, i)) for i, k in enumerate(self.constants)]
        actuation = self.actuation_matrix(at, now, q.shape[:-1])
        rates = drift(self.chain, at, now, theta_rate, eta_rate)
        loads = [*loads, *self.spring_loads(at, now, q, v, rates)]
        bias = self._bias(at, now, shapes, (theta_rate, eta_rate, eta), rates, loads)
        force = self._joint_forces(theta + matvec(at.slip, eta), theta_rate + rates.slip, rates.slip_bias)
        bias = bias + matvec(transposed(actuation[..., :n, :]), force)
        return RigidLinkEquations(self._mass(at, now, shapes, actuation), bias, actuation, at, now)

    def spring_loads(
        self, at: Configuration, now: Deformation, q: Numbers, v: Numbers, rates: Drift
    ) -> list[LinkWrench]:
        """Forces of springs between places of the links, in states (..., n + d)."""
        if not self.springs:
            return []
        n = self.chain.joints
        places = Places(self.chain, at, now, q[..., :n], q[..., n:])
        twists = [V for V, _ in self.motions(at, v[..., :n])]
        return spring_loads(self.springs, places, twists, rates, v[..., n:])

    def mass_matrix(self, q: Numbers) -> Numbers:
        """M (..., n + d, n + d)."""
        n = self.chain.joints
        at, now = self._deformed(q)
        shapes = [shape_of(k, now.psi[i], self._own(q[..., n:], i)) for i, k in enumerate(self.constants)]
        return self._mass(at, now, shapes, self.actuation_matrix(at, now, q.shape[:-1]))

    def actuation_matrix(self, at: Configuration, now: Deformation, axes: tuple[int, ...]) -> Numbers:
        """B (..., n + d, n + d)."""
        n, d = self.chain.joints, self.chain.modes
        upper = np.concatenate([_over(np.eye(n) + now.slip, axes), _over(at.slip, axes)], axis=-1)
        lower = np.broadcast_to(np.concatenate([np.zeros((d, n)), np.eye(d)], axis=1), (*axes, d, n + d))
        return np.concatenate([upper, lower], axis=-2)

    def energy(self, q: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
        """Kinetic and potential energy (...), the second of gravity, strain and the springs of joints."""
        chain, n = self.chain, self.chain.joints
        at, now = self._deformed(q)
        theta, eta = q[..., :n], q[..., n:]
        R = rotations(chain, at)
        potential: Any = 0.0
        for i, (link, p) in enumerate(zip(chain.links, centres(chain, at, theta), strict=True)):
            potential = potential - link.mass * ((p + matvec(R[i], now.psi[i][..., 3:])) @ chain.gravity)
            potential = potential + 0.5 * (self._own(eta, i) ** 2 @ link.squares)
        if self.springs:
            potential = potential + spring_energy(self.springs, Places(chain, at, now, theta, eta))
        extension = theta + matvec(at.slip, eta) - chain.rest
        kinetic = 0.5 * dot(v, matvec(self.mass_matrix(q), v))
        return kinetic, np.asarray(potential + 0.5 * (extension**2 @ chain.stiffness))

    def _deformed(self, q: Numbers) -> tuple[Configuration, Deformation]:
        at = configuration(self.chain, q[..., : self.chain.joints])
        return at, deformation(self.chain, at, q[..., self.chain.joints :])

    def _mass(self, at: Configuration, now: Deformation, shapes: list[Shape], actuation: Numbers) -> Numbers:
        """M = N* L N, the sum over the links; D = P + J Xi is full, P is not, so Xi comes last."""
        n, axes = self.chain.joints, actuation.shape[:-2]
        joints: Any = at.mass - now.pull - transposed(now.pull)
        mixed: Any = 0.0
        slipping: Any = transposed(now.swept)
        elastic: Any = np.eye(self.chain.modes) + transposed(at.coupled) @ at.slip
        for i, (link, k) in enumerate(zip(self.chain.links, self.constants, strict=True)):
            whole, coupled, own = inertia_changes(k, shapes[i])
            J, G, P = at.J[i], now.G[i], at.P[i]
            turn = transposed(J[..., :3, :])
            # half of the terms that come with their own transpose
            half = turn @ (whole @ (0.5 * J[..., :3, :]) + coupled[..., 3:] @ J[..., 3:, :] + coupled @ G)
            joints = joints + half + transposed(half) + transposed(G) @ (link.inertia @ G)
            span = self.chain.span(i)
            padding = [(0, 0)] * (own.ndim - 1) + [(span.start, self.chain.modes - span.stop)]
            mixed = mixed + turn @ (coupled @ P + np.pad(own, padding)) + transposed(now.G_P[i]) @ (link.inertia @ P)
            slipping = slipping + turn @ (coupled @ J)
            elastic = elastic + transposed(P) @ (link.inertia @ P)
        mixed = mixed + matmul(slipping, at.slip)
        M = np.concatenate(
            [
                np.concatenate([_over(joints, axes), _over(mixed, axes)], axis=-1),
                np.concatenate([_over(transposed(mixed), axes), _over(elastic, axes)], axis=-1),
            ],
            axis=-2,
        )
        if self.chain.inertia.any():
            rows = actuation[..., :n, :]
            M = M + transposed(rows) @ (self.chain.inertia[:, None] * rows)
        return M

    def _bias(
        self,
        at: Configuration,
        now: Deformation,
        shapes: list[Shape],
        state: tuple[Numbers, Numbers, Numbers],
        rates: Drift,
        loads: Sequence[LinkWrench],
    ) -> Numbers:
        """N* (l + L [dJ/dt dtheta/dt; n]) of (75), with the forces of each link in its own axes."""
        theta_rate, eta_rate, eta = state
        on_theta: Any = 0.0
        on_eta: Any = 0.0
        on_slip: Any = 0.0
        own = []
        R = rotations(self.chain, at) if any(load.grounded for load in loads) else []
        for i, motion in enumerate(self.motions(at, theta_rate)):
            span = self.chain.span(i)
            rigid, elastic = (rates.psi[i], rates.psi_bias[i]), (eta[..., span], eta_rate[..., span])
            f_V, f_psi, f_eta = link_loads(self.constants[i], shapes[i], motion, rigid, elastic)
            for load in (x for x in loads if x.link == i):
                done = virtual_work(load, R[i] if load.grounded else None, now.psi[i], eta[..., span])
                f_V, f_psi, f_eta = (f - work for f, work in zip((f_V, f_psi, f_eta), done, strict=True))
            J = transposed(at.J[i])
            on_theta = on_theta + matvec(J, f_V) + matvec(transposed(now.G_P[i]), f_psi)
            on_eta = on_eta + matvec(transposed(at.P[i]), f_psi)
            on_slip = on_slip + matvec(J, f_psi)
            own.append(f_eta)
        on_theta = on_theta + matvec(transposed(now.slip), on_slip)
        on_eta = on_eta + matvec(transposed(at.slip), on_slip) + np.concatenate(own, axis=-1)
        return np.concatenate([on_theta, on_eta], axis=-1)

    def motions(self, at: Configuration, theta_rate: Numbers) -> list[tuple[Numbers, Numbers]]:
        """Velocities (..., 6) of the equivalent rigid links, and accelerations less gravity at zero joint ones."""
        found: list[tuple[Numbers, Numbers, Numbers]] = []
        still = np.zeros((*theta_rate.shape[:-1], 6), theta_rate.dtype)
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

    def _joint_forces(self, whole: Numbers, rate: Numbers, slip_bias: Numbers) -> Numbers:
        """Springs, dampers and rotors (..., n) of the joints, which see the whole motion theta + xi."""
        chain = self.chain
        return np.asarray(chain.stiffness * (whole - chain.rest) + chain.damping * rate + chain.inertia * slip_bias)

    def _own(self, eta: Numbers, i: int) -> Numbers:
        return eta[..., self.chain.span(i)]


def _over(x: Numbers, axes: tuple[int, ...]) -> Numbers:
    """x with the leading axes of the states."""
    return np.broadcast_to(x, (*axes, *x.shape[-2:]))
