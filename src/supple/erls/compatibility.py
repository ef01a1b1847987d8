"""Displacements of the links for given joint coordinates and elastic modes: section 2 of Vidoni et al. (2015).

The links of the equivalent rigid-link system move with theta as rigid bodies do, with the Jacobian J. On top of that
each link has the small rigid motion q_r (twists psi at the centres of mass here) and its elastic modes q_d, joined by
(6). The rows of C that belong to one joint are the recursion of `chain`, the slip xi along its axis being free:

    psi_c = chi_c - Z_c eta_c,    chi_c = K_c (T_c (B_c chi_p + F_c eta_p) + A_c xi_c)          Z = U_d at the root

so the solutions of C_r q_r = -C_d q_d are P q_d + J xi: what spans the null space of C_r is the Jacobian itself.
The minimum-norm one (11) is the one orthogonal to it, J* M_r q_r = 0 with M_r = U_r* M U_r. It takes one n x n solution
with the mass matrix J* M_r J of the rigid mechanism in place of the v x v one in C_r C_r*:

    D = P + J Xi,    Xi = -(J* M_r J)^-1 J* M_r P

Deviation. G = -C_r^+ E of (14) is not the derivative of (11): it leaves out that C_r^+ turns with theta, the part
-(I - C_r^+ C_r) (d C_r*/dtheta) (C_r C_r*)^-1 C_d q_d. As printed, velocities are not the rates of the positions, and
energy is not kept once two joints follow each other. Here G is all of d(D q_d)/dtheta, from the rate of J* M_r q_r = 0:

    G = G_P + J Xi_theta,    Xi_theta = -(J* M_r J)^-1 (J* M_r G_P + H),    H_jk = d(J* M_r)_j / dtheta_k  psi

and n of (24) from its second rate. A chain that is `printed` has the G and n of the paper, minimum-norm solutions of
(14) and (22): J* M_r G = 0 and J* M_r n = 0 in place of these rates. All derivatives are exact: dT/dtheta = -A x T.
Cost: linear in links times (n + d).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from supple.erls.arrays import Numbers, matmul, matvec, solve, transposed, weighted
from supple.erls.chain import Chain, Connection


@dataclass(frozen=True, eq=False)
class Configuration:
    """What depends on theta alone; for each link.

    Attributes
    ----------
    T : list of (..., 6, 6)
        Transformations of the joints.
    J : list of (..., 6, n)
        Twists of the equivalent rigid links at their centres of mass, link axes, for unit joint speeds.
    reach : list of (..., 6, n)
        The same of the joint frames before their own joint, T B J_p.
    momentum : list of (..., 6, n)
        M_r J.
    mass : (..., n, n)
        J* M_r J, of the rigid mechanism.
    P : list of (..., 6, d)
        Rigid displacements without slip; zero for the modes of links that do not carry the link.
    coupled : (..., n, d)
        J* M_r P.
    slip : (..., n, d)
        Xi.
    """

    T: list[Numbers]
    J: list[Numbers]
    reach: list[Numbers]
    momentum: list[Numbers]
    mass: Numbers
    P: list[Numbers]
    coupled: Numbers
    slip: Numbers

    def D(self) -> list[Numbers]:
        """(11) in twists, (..., 6, d) of each link; full, so nothing but looking at it needs it."""
        return [P + matmul(J, self.slip) for P, J in zip(self.P, self.J, strict=True)]


@dataclass(frozen=True, eq=False)
class Deformation:
    """What depends on the elastic coordinates too.

    Attributes
    ----------
    psi, chi : lists of (..., 6)
        q_r, and the motion of the roots.
    carried : list of (..., 6)
        T (B chi_p + F eta_p): displacement that reaches the link.
    G_P, G : lists of (..., 6, n)
        Rates of psi for unit joint speeds: without slip, and (14).
    swept : (..., n, n)
        J* M_r G_P.
    slip : (..., n, n)
        Xi_theta.
    pull : (..., n, n)
        H.
    """

    psi: list[Numbers]
    chi: list[Numbers]
    carried: list[Numbers]
    G_P: list[Numbers]
    G: list[Numbers]
    swept: Numbers
    slip: Numbers
    pull: Numbers


def configuration(chain: Chain, theta: Numbers) -> Configuration:
    """J, Xi and D of joint coordinates (..., n)."""
    n, d = chain.joints, chain.modes
    T: list[Numbers] = []
    J: list[Numbers] = []
    P: list[Numbers] = []
    reach, momentum = [], []
    for link, c in zip(chain.links, chain.connections, strict=True):
        T_c = c.transformation(theta)
        T.append(T_c)
        above, below = np.zeros((6, n)), np.zeros((6, d))
        if c.parent >= 0:
            above = T_c @ (c.B @ J[c.parent])
            below = T_c @ (c.B @ P[c.parent] + _placed(c.F, chain.span(c.parent), d))
        reach.append(above)
        J.append(c.K @ (above + _placed(c.A[:, None], slice(c.coordinate, c.coordinate + 1), n)))
        P.append(c.K @ below)
        momentum.append(link.inertia @ J[-1])
    P = [
        x - _placed(link.participation, chain.span(i), d)
        for i, (x, link) in enumerate(zip(P, chain.links, strict=True))
    ]
    mass = _total(momentum, J)
    coupled = _total(momentum, P)
    slip = -solve(mass, coupled) if n and d else np.zeros((n, d))
    return Configuration(T, J, reach, momentum, mass, P, coupled, slip)


def deformation(chain: Chain, at: Configuration, eta: Numbers) -> Deformation:
    """psi, G and H of elastic coordinates (..., d)."""
    n, d = chain.joints, chain.modes
    xi = matvec(at.slip, eta)
    psi = [matvec(P, eta) + matvec(J, xi) for P, J in zip(at.P, at.J, strict=True)]
    chi: list[Numbers] = []
    G_P: list[Numbers] = []
    carried = []
    for i, (link, c) in enumerate(zip(chain.links, chain.connections, strict=True)):
        chi.append(psi[i] + matvec(link.participation, eta[..., chain.span(i)]))
        carried.append(_carried(chain, at, c, i, chi, eta))
        e = -matvec(c.cross, carried[i])[..., :, None] * _placed(np.ones((1, 1)), _own(c), n)  # (13)
        above = at.T[i] @ (c.B @ G_P[c.parent]) if c.parent >= 0 else 0.0
        G_P.append(c.K @ (above + e))
    pull = np.zeros((n, n), dtype=eta.dtype)
    slip = swept = pull
    if n and d:
        swept = _total(at.momentum, G_P)
        if not chain.printed:
            pull = _pull(chain, at, psi)
        slip = -solve(at.mass, swept + pull)
    G = [g + matmul(J, slip) for g, J in zip(G_P, at.J, strict=True)]
    return Deformation(psi, chi, carried, G_P, G, swept, slip, pull)


class Drift(NamedTuple):
    """Rates of psi (14) for each link (..., 6) and of the slip (..., joints); and their n of (24), the bias.

    The bias is what is left of the second rates when all accelerations are zero.
    """

    psi: list[Numbers]
    psi_bias: list[Numbers]
    slip: Numbers
    slip_bias: Numbers


def drift(chain: Chain, at: Configuration, now: Deformation, theta_rate: Numbers, eta_rate: Numbers) -> Drift:
    """Rates of psi and of the slip in a state, and their bias."""
    slip_rate = matvec(now.slip, theta_rate) + matvec(at.slip, eta_rate)
    psi_rate = [
        matvec(G_P, theta_rate) + matvec(P, eta_rate) + matvec(J, slip_rate)
        for G_P, P, J in zip(now.G_P, at.P, at.J, strict=True)
    ]
    chi_rate: list[Numbers] = []
    n_P: list[Numbers] = []
    for i, (link, c) in enumerate(zip(chain.links, chain.connections, strict=True)):
        chi_rate.append(psi_rate[i] + matvec(link.participation, eta_rate[..., chain.span(i)]))
        if c.parent < 0:
            n_P.append(np.zeros_like(chi_rate[0]))
            continue
        term = matvec(at.T[i], matvec(c.B, n_P[c.parent]))
        if c.coordinate >= 0:
            s = theta_rate[..., c.coordinate]
            swept = weighted(s, matvec(c.cross, now.carried[i])) - 2.0 * _carried(chain, at, c, i, chi_rate, eta_rate)
            term = term + weighted(s, matvec(c.cross, swept))  # h and 2 c of (18), (19)
        n_P.append(matvec(c.K, term))
    if not (chain.joints and chain.modes):
        return Drift(psi_rate, n_P, slip_rate, np.zeros_like(slip_rate))
    if chain.printed:
        rest = _total(at.momentum, [x[..., :, None] for x in n_P])[..., 0]
    else:
        rest = _second_rate(chain, at, theta_rate, now.psi, psi_rate, n_P)
    slip_bias = -solve(at.mass, rest[..., None])[..., 0]
    psi_bias = [x + matvec(J, slip_bias) for x, J in zip(n_P, at.J, strict=True)]
    return Drift(psi_rate, psi_bias, slip_rate, slip_bias)


def _carried(chain: Chain, at: Configuration, c: Connection, i: int, chi: list[Numbers], eta: Numbers) -> Numbers:
    """T (B chi_p + F eta_p) of link i."""
    if c.parent < 0:
        return np.zeros_like(chi[i])
    return matvec(at.T[i], matvec(c.B, chi[c.parent]) + matvec(c.F, eta[..., chain.span(c.parent)]))


def _pull(chain: Chain, at: Configuration, psi: list[Numbers]) -> Numbers:
    """H (..., n, n): J* M_r psi differentiated through J alone, from the tips inward."""
    f = [matvec(link.inertia, x) for link, x in zip(chain.links, psi, strict=True)]
    columns: list[Any] = [None] * chain.joints
    for i in reversed(range(len(chain.links))):
        c = chain.connections[i]
        g = matvec(c.K.T, f[i])
        if c.coordinate >= 0:
            columns[c.coordinate] = -matvec(transposed(at.reach[i]), matvec(c.cross.T, g))
        if c.parent >= 0:
            f[c.parent] = f[c.parent] + matvec(c.B.T, matvec(transposed(at.T[i]), g))
    return np.stack(columns, axis=-1)


def _second_rate(
    chain: Chain, at: Configuration, theta_rate: Numbers, psi: list[Numbers], rate: list[Numbers], bias: list[Numbers]
) -> Numbers:
    """Second rate (..., n) of J* M_r psi for zero joint accelerations, psi having the first and second rates given."""
    f, f1, f2 = ([matvec(link.inertia, x) for link, x in zip(chain.links, y, strict=True)] for y in (psi, rate, bias))
    out: list[Any] = [None] * chain.joints
    for i in reversed(range(len(chain.links))):
        c = chain.connections[i]
        g, g1, g2 = (matvec(c.K.T, x[i]) for x in (f, f1, f2))
        if c.coordinate >= 0:
            out[c.coordinate] = matvec(c.A[None], g2)[..., 0]
            s, turned = theta_rate[..., c.coordinate], matvec(c.cross.T, g)
            g2 = g2 + weighted(s, matvec(c.cross.T, weighted(s, turned) - 2.0 * g1))
            g1 = g1 - weighted(s, turned)
        if c.parent >= 0:
            for x, y in ((f, g), (f1, g1), (f2, g2)):
                x[c.parent] = x[c.parent] + matvec(c.B.T, matvec(transposed(at.T[i]), y))
    return np.stack(out, axis=-1)


def _own(c: Connection) -> slice:
    return slice(c.coordinate, c.coordinate + 1) if c.coordinate >= 0 else slice(0, 0)


def _placed(part: Numbers, span: slice, width: int) -> Numbers:
    """Constant columns put at their place among `width`; none where the span is not inside."""
    out = np.zeros((len(part), width))
    if span.start >= 0:
        out[:, span] = part[:, : max(0, span.stop - span.start)]
    return out


def _total(first: list[Numbers], second: list[Numbers]) -> Numbers:
    """Sum over the links of first* second."""
    out: Any = 0.0
    for a, b in zip(first, second, strict=True):
        out = out + transposed(a) @ b
    return np.asarray(out)
