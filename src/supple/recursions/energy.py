"""Energy, momentum and centre of mass."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.recursions.forces import spring_vector
from supple.recursions.kinematics import joint_step, pose_step, twist_step
from supple.recursions.tree import Array, Tree, Workspace
from supple.spatial import (
    TINY,
    Number,
    Vec3,
    Vec6,
    add,
    add6,
    dot,
    dot6,
    force_to_parent,
    load3,
    load6,
    load9,
    rigid_momentum,
    rotate,
    scale,
)


@step
def body_momentum(tree: Tree, k: int, ws: Workspace) -> Vec6:
    """M(k) V(k) in body axes."""
    return rigid_momentum(tree.mass[k], load3(tree.moment, k), load6(tree.inertia, k), load6(ws.V, k))


@step
def first_moment(tree: Tree, k: int, ws: Workspace) -> Vec3:
    """Mass times centre of mass of body k in the ground frame."""
    turned = rotate(load9(ws.R_ground, k), load3(tree.moment, k))
    return add(scale(tree.mass[k], load3(ws.p_ground, k)), turned)


@step
def spring_energy(tree: Tree, q: Array, ws: Workspace) -> Number:
    """Energy in the springs of the joints and between points."""
    energy = 0.0
    for i in range(len(tree.stiffness)):
        j = tree.q_of_speed[i]
        if j >= 0:
            stretch = q[j] - tree.rest[i]
            energy = energy + 0.5 * tree.stiffness[i] * stretch * stretch
    for e in range(len(tree.spring_bodies)):
        d = spring_vector(tree, e, ws)
        stretch = np.sqrt(dot(d, d) + TINY) - tree.spring_constants[e, 2]
        energy = energy + 0.5 * tree.spring_constants[e, 0] * stretch * stretch
    return energy


@sweep
def energy_and_momentum(
    tree: Tree, q: Array, v: Array, ws: Workspace, energy: Array, momentum: Array, moment: Array
) -> None:
    """For a batch of states: energy (s, 2) kinetic and potential; momentum (s, 6) about the ground's origin, in ground
    axes; moment (s, 3), the total mass times the centre of mass in the ground frame.

    The joints' own inertia counts in the energy alone: it is not a body.
    """
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for s in range(len(q)):
        kinetic = 0.0
        potential = 0.0
        total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        moments = (0.0, 0.0, 0.0)
        for k in range(1, len(tree.parent)):
            joint_step(tree, k, q[s], ws)
            pose_step(tree, k, ws)
            twist_step(tree, k, v[s], ws)
            body = body_momentum(tree, k, ws)
            kinetic = kinetic + 0.5 * dot6(body, load6(ws.V, k))
            total = add6(total, force_to_parent(load9(ws.R_ground, k), load3(ws.p_ground, k), body))
            moments = add(moments, first_moment(tree, k, ws))
        for i in range(len(tree.joint_inertia)):
            kinetic = kinetic + 0.5 * tree.joint_inertia[i] * v[s, i] * v[s, i]
        potential = spring_energy(tree, q[s], ws) - dot(g, moments)
        energy[s, 0] = kinetic
        energy[s, 1] = potential
        for i in range(6):
            momentum[s, i] = total[i]
        for i in range(3):
            moment[s, i] = moments[i]
