"""Virtual work of inertia, gravity and strain of one link: section 4 of Vidoni et al. (2015).

A material point of a link is at x + u with u = u_r + phi_r x x + Psi eta, seen from the centre of mass of the
equivalent rigid link, in link axes. With that link's velocity (omega, v) and acceleration (alpha, a) it accelerates by

    a + (alpha~ + omega~ omega~) (x + u) + 2 omega x du/dt + d2u/dt2                                       (43)

and the virtual work of inertia is the integral of the product with dP_0 + dphi x (x + u) + du, (42). As q_r are
rotation and displacement about the centre of mass and the elastic modes are orthogonal to both, all that is left of the
integrals are the constants m, S, X, N of `links`. F = I + phi_r~. Rotations of nodes have no rows of their own: the
inertia of a node or section is a set of material points too, which move by omega x (x + u) + du/dt like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.checks import Floats
from supple.erls.arrays import Numbers, axial, inertia_of, matvec, skew, transposed
from supple.erls.links import Link


@dataclass(frozen=True, eq=False)
class LinkIntegrals:
    """The integrals of one link as matrices to multiply coordinates with.

    Attributes
    ----------
    mass : float
    S : (3, 3)
    X : (9, d)
        X(r) stacked by rows.
    N : (9 d, d)
        Row (a, b, r): int Psi_r,a Psi_s,b.
    G : (3 d, d)
        Row (k, r): X_k of (84).
    C : (d, d)
        Damping.
    squares : (d,)
    """

    mass: float
    S: Floats
    X: Floats
    N: Floats
    G: Floats
    C: Floats
    squares: Floats

    @staticmethod
    def of(link: Link) -> LinkIntegrals:
        """From the integrals of a link."""
        d = link.modes
        return LinkIntegrals(
            link.mass,
            link.second,
            link.X.reshape(d, 9).T,
            np.transpose(link.N, (2, 3, 0, 1)).reshape(9 * d, d),
            link.gyroscopic.reshape(3 * d, d),
            link.damping,
            link.squares,
        )


@dataclass(frozen=True, eq=False)
class Shape:
    """The deformed link: psi, eta and the integrals that they change.

    Attributes
    ----------
    u : (..., 3)
        u_r.
    F : (..., 3, 3)
    X : (..., 3, 3)
        int x (Psi eta)*.
    spread : (..., 3, 3, d)
        int Psi_r (Psi eta)*.
    square : (..., 3, 3)
        int (Psi eta) (Psi eta)*.
    """

    u: Numbers
    F: Numbers
    X: Numbers
    spread: Numbers
    square: Numbers


def shape_of(k: LinkIntegrals, psi: Numbers, eta: Numbers) -> Shape:
    """The deformed link."""
    axes, d = eta.shape[:-1], eta.shape[-1]
    spread = matvec(k.N, eta).reshape((*axes, 3, 3, d))
    return Shape(
        psi[..., 3:],
        np.eye(3) + skew(psi[..., :3]),
        matvec(k.X, eta).reshape((*axes, 3, 3)),
        spread,
        matvec(spread, eta[..., None, :]),
    )


def inertia_changes(k: LinkIntegrals, at: Shape) -> tuple[Numbers, Numbers, Numbers]:
    """What the deformation changes in L of (71): blocks (dphi, phi), (dphi, q_r) and (dphi, eta) of (50).

    Returns
    -------
    (..., 3, 3)
        Inertia of the deformed link about the centre of mass less that of the rigid one.
    (..., 3, 6)
        int (x + u) x (e x x) less that of the rigid one, and m u_r~, which is also the block (dphi, P_0).
    (..., 3, d)
        int (x + u) x Psi_r.
    """
    leaned = at.F - np.eye(3)
    first = leaned @ k.S + at.X
    whole = at.F @ at.X + transposed(at.F @ at.X) + leaned @ k.S @ transposed(leaned) + at.square
    whole = whole + leaned @ k.S + transposed(leaned @ k.S) + k.mass * (at.u[..., :, None] * at.u[..., None, :])
    coupled = np.concatenate([inertia_of(first), k.mass * skew(at.u)], axis=-1)
    d = k.X.shape[1]
    X = np.moveaxis(k.X.T.reshape(d, 3, 3), 0, -1)
    leaned_X = (leaned @ X.reshape(3, 3 * d)).reshape((*leaned.shape[:-2], 3, 3, d))
    elastic = [
        leaned_X[..., i, j, :] - leaned_X[..., j, i, :] + at.spread[..., j, i, :] - at.spread[..., i, j, :]
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    return inertia_of(whole), coupled, np.stack(elastic, axis=-2)


def link_loads(
    k: LinkIntegrals,
    at: Shape,
    motion: tuple[Numbers, Numbers],
    rigid: tuple[Numbers, Numbers],
    elastic: tuple[Numbers, Numbers],
) -> tuple[Numbers, Numbers, Numbers]:
    """Forces against (dphi, dP_0), dq_r and deta of one link: inertia (51) and gravity (59), strain (54) and damping.

    Parameters
    ----------
    motion : two (..., 6)
        Velocity of the equivalent rigid link, and its acceleration less gravity for zero accelerations of the
        coordinates.
    rigid : two (..., 6)
        Rate of q_r, and n of (24).
    elastic : two (..., d)
        Elastic coordinates and their rates.
    """
    (V, A), (psi_rate, psi_bias), (eta, eta_rate) = motion, rigid, elastic
    w = skew(V[..., :3])
    O = skew(A[..., :3]) + w @ w
    b = A[..., 3:] + matvec(O, at.u) + psi_bias[..., 3:] + 2.0 * matvec(w, psi_rate[..., 3:])
    field = O @ at.F + skew(psi_bias[..., :3]) + 2.0 * (w @ skew(psi_rate[..., :3]))
    axes, d = eta.shape[:-1], eta.shape[-1]
    X_rate = matvec(k.X, eta_rate).reshape((*axes, 3, 3))
    force = k.mass * b
    on_x = field @ k.S + O @ at.X + 2.0 * (w @ X_rate)
    across = matvec(at.spread, eta_rate[..., None, :])
    on_u = field @ at.X + O @ at.square + 2.0 * (w @ across)
    turn = axial(transposed(on_x))
    whole = axial(at.F @ transposed(on_x) + transposed(on_u)) + matvec(skew(at.u), force)
    swirl = matvec(k.G, eta_rate).reshape((*axes, 3, d))
    on_eta = (
        matvec(k.X.T, field.reshape((*axes, 9)))
        + matvec(transposed(at.spread.reshape((*axes, 9, d))), O.reshape((*axes, 9)))
        + 2.0 * matvec(transposed(swirl), V[..., :3])
        + k.squares * eta
        + matvec(k.C, eta_rate)
    )
    return np.concatenate([whole, force], axis=-1), np.concatenate([turn, force], axis=-1), on_eta
