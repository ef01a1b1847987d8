"""How the kinetic energy of a motion is shared among the bodies."""

from __future__ import annotations

import numpy as np

from supple.linear.start import Floats, Numbers
from supple.model.model import Model
from supple.model.motion_slopes import joint_wrench_slopes


def body_energies(model: Model, q: Floats, motions: Numbers) -> Floats:
    """Shares (bodies, n) in the kinetic energy of motions (nv, n), real or complex; each column adds up to one.

    Twice a body's energy is the power of the inertial forces of accelerations equal to the speeds: what passes its
    joint, less what it hands on to its children, with the work of the joints between, and what its modes take. The
    inertia of a joint counts with the body that the joint carries.
    """
    energies = _twice(model, q, motions.real)
    if np.iscomplexobj(motions):
        energies += _twice(model, q, motions.imag)
    return energies / energies.sum(axis=0)


def _twice(model: Model, q: Floats, motions: Floats) -> Floats:
    tree, x = model.tree, motions.T
    # Of the tree: what passes through closed loops does no work in all, and would only take it from body to body.
    f = np.einsum("kij,rj->rki", joint_wrench_slopes(model, q), x)
    work = x * (x @ model.mass_matrix(q))
    rotor = x * x * tree.joint_inertia
    out = np.zeros((len(model.bodies) + 1, len(x)))
    for k, name in enumerate(model.bodies, start=1):
        V = model.velocity(q, x, name, axes="frame")
        joint, own = slice(tree.v_first[k], tree.v_mode[k]), slice(tree.v_mode[k], tree.v_first[k + 1])
        passed = np.einsum("ri,ri->r", V, f[:, k - 1])
        turned = rotor[:, joint].sum(axis=1)
        out[k] += passed + turned + work[:, own].sum(axis=1)
        out[tree.parent[k]] -= passed + turned - work[:, joint].sum(axis=1)
    return out[1:]
