"""What the joints of an equivalent rigid-link system carry: momentum of the links outboard of each.

The equations of motion never meet these forces: they do no work. They follow from Newton's and Euler's laws, link by
link on the deformed mechanism: the rate of a link's momentum, less weight and applied wrenches, is what its inboard
joint passes to it less what it passes on. The rate is the virtual work (49) on dP_0 and dphi alone, accelerations
included. Along the axis of a joint the wrench is the joint's force tau to first order in the deformation, as the
compatibility (3) of displacements is of first order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.erls.arrays import Numbers, matvec, skew
from supple.erls.compatibility import configuration, deformation, drift
from supple.erls.dynamics import Dynamics
from supple.erls.link_wrenches import LinkWrench, centres, rotations, virtual_work
from supple.erls.work import inertia_changes, link_loads, shape_of


def momentum_rates(
    dynamics: Dynamics, q: Numbers, v: Numbers, a: Numbers, loads: Sequence[LinkWrench]
) -> list[Numbers]:
    """Wrench (..., 6) that each link takes in all: moment about the ground's origin and force, ground axes.

    Weight and applied loads are taken off.
    """
    chain, n = dynamics.chain, dynamics.chain.joints
    theta, eta = q[..., :n], q[..., n:]
    at = configuration(chain, theta)
    now = deformation(chain, at, eta)
    rates = drift(chain, at, now, v[..., :n], v[..., n:])
    R, p = rotations(chain, at), centres(chain, at, theta)
    slip = matvec(now.slip, a[..., :n]) + matvec(at.slip, a[..., n:])
    out = []
    for i, (V, A) in enumerate(dynamics.motions(at, v[..., :n])):
        k, span = dynamics.constants[i], chain.span(i)
        shape = shape_of(k, now.psi[i], eta[..., span])
        second = matvec(now.G_P[i], a[..., :n]) + matvec(at.P[i], a[..., n:]) + matvec(at.J[i], slip)
        moving = V, A + matvec(at.J[i], a[..., :n])
        rigid, elastic = (rates.psi[i], rates.psi_bias[i] + second), (eta[..., span], v[..., n:][..., span])
        f: Any = link_loads(k, shape, moving, rigid, elastic)[0]
        turning = matvec(inertia_changes(k, shape)[2], a[..., n:][..., span])
        f = f + np.concatenate([turning, np.zeros_like(turning)], axis=-1)
        for load in (x for x in loads if x.link == i):
            f = f - virtual_work(load, R[i] if load.grounded else None, now.psi[i], eta[..., span])[0]
        moment, force = matvec(R[i], f[..., :3]), matvec(R[i], f[..., 3:])
        out.append(np.concatenate([moment + matvec(skew(p[i]), force), force], axis=-1))
    return out


def carried_wrenches(dynamics: Dynamics, taken: list[Numbers], roots: tuple[Numbers, Numbers]) -> Numbers:
    """Wrench (..., links, 6) that each joint passes to its link, at the link's root and in its axes.

    Parameters
    ----------
    taken : list of (..., 6) arrays
        What each link takes, of `momentum_rates`.
    roots : (..., links, 3, 3) and (..., links, 3) arrays
        Rotations and positions of the roots in the ground frame.
    """
    total = list(taken)
    for i in reversed(range(len(total))):
        parent = dynamics.chain.connections[i].parent
        if parent >= 0:
            total[parent] = total[parent] + total[i]
    found = np.stack(total, axis=-2)
    R, p = roots
    moment, force = found[..., :3] - np.cross(p, found[..., 3:]), found[..., 3:]
    turned = [(np.swapaxes(R, -1, -2) @ x[..., None])[..., 0] for x in (moment, force)]
    return np.concatenate(turned, axis=-1)
