"""Energy, momentum and centre of mass."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.recursions.composite import configuration_step
from supple.recursions.forces import spring_vector
from supple.recursions.kinematics import pose_step, twist_step
from supple.recursions.modal import modal_momentum, offdiagonal_sum, own_inertia, own_moment
from supple.recursions.states import States
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree, Workspace
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
def body_momentum(tree: Tree, flex: Flex | None, k: int, v: Array, ws: Workspace) -> Vec6:
    """Momentum of body k in body axes at its origin, M_rr V + M_rf etadot."""
    own = rigid_momentum(tree.mass[k], own_moment(tree, flex, k, ws), own_inertia(tree, flex, k, ws), load6(ws.V, k))
    if flex is not None:
        own = add6(own, modal_momentum(flex, k, v, ws.flex))
    return own


@step
def modal_energy(flex: Flex, k: int, v: Array, V: Vec6, w: FlexWorkspace) -> Number:
    """Kinetic energy of the modes of body k but for the diagonal of G: V* M_rf etadot / 2 + etadot* G etadot / 2."""
    energy = 0.5 * dot6(V, modal_momentum(flex, k, v, w))
    row, i = flex.mode_row[k], flex.v_mode[k]
    for r in range(flex.modes[k]):
        energy = energy + 0.5 * v[i + r] * offdiagonal_sum(flex, row + r, 0, v, i)
    return energy


@step
def first_moment(tree: Tree, flex: Flex | None, k: int, q: Array, ws: Workspace) -> Vec3:
    """Mass times centre of mass of body k in the ground frame, deformed."""
    h = load3(tree.moment, k)
    if flex is not None:
        row, j = flex.mode_row[k], flex.q_mode[k]
        for r in range(flex.modes[k]):
            h = add(h, scale(q[j + r], load3(flex.mode_momentum, row + r)))
    return add(scale(tree.mass[k], load3(ws.p_ground, k)), rotate(load9(ws.R_ground, k), h))


@step
def spring_energy(tree: Tree, flex: Flex | None, q: Array, ws: Workspace) -> Number:
    """Energy in the springs of the joints and between points, and of deformation."""
    energy = 0.0
    for i in range(len(tree.stiffness)):
        j = tree.q_of_speed[i]
        if j >= 0:
            stretch = q[j] - tree.rest[i]
            energy = energy + 0.5 * tree.stiffness[i] * stretch * stretch
    if flex is not None:
        for k in range(1, len(tree.parent)):
            for r in range(flex.modes[k]):
                other = offdiagonal_sum(flex, flex.mode_row[k] + r, 1, q, flex.q_mode[k])
                energy = energy + 0.5 * q[flex.q_mode[k] + r] * other
    for e in range(len(tree.spring_frames)):
        d = spring_vector(tree, flex, e, q, ws)
        stretch = np.sqrt(dot(d, d) + TINY) - tree.spring_constants[e, 2]
        energy = energy + 0.5 * tree.spring_constants[e, 0] * stretch * stretch
    return energy


@sweep
def energy_and_momentum(
    tree: Tree, flex: Flex | None, states: States, ws: Workspace, energy: Array, momentum: Array, moment: Array
) -> None:
    """For a batch of states: energy (s, 2) kinetic and potential; momentum (s, 6) about the ground's origin, in ground
    axes; moment (s, 3), the total mass times the centre of mass in the ground frame.

    The joints' own inertia counts in the energy alone: it is not a body. That of a mode is the diagonal of G.
    """
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for s in range(len(states.q)):
        q, v = states.q[s], states.v[s]
        kinetic = 0.0
        potential = 0.0
        total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        moments = (0.0, 0.0, 0.0)
        for k in range(1, len(tree.parent)):
            configuration_step(tree, flex, k, q, ws)
            pose_step(tree, flex, k, q, ws)
            twist_step(tree, flex, k, v, ws)
            body = body_momentum(tree, flex, k, v, ws)
            kinetic = kinetic + 0.5 * dot6(body, load6(ws.V, k))
            if flex is not None:
                kinetic = kinetic + modal_energy(flex, k, v, load6(ws.V, k), ws.flex)
            total = add6(total, force_to_parent(load9(ws.R_ground, k), load3(ws.p_ground, k), body))
            moments = add(moments, first_moment(tree, flex, k, q, ws))
        for i in range(len(tree.joint_inertia)):
            kinetic = kinetic + 0.5 * tree.joint_inertia[i] * v[i] * v[i]
        potential = spring_energy(tree, flex, q, ws) - dot(g, moments)
        energy[s, 0] = kinetic
        energy[s, 1] = potential
        for i in range(6):
            momentum[s, i] = total[i]
        for i in range(3):
            moment[s, i] = moments[i]
