"""Energy, momentum and centre of mass."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.recursions.composite import configuration_step
from supple.recursions.forces import spring_vector
from supple.recursions.kinematics import pose_step, twist_step
from supple.recursions.modal import modal_momentum, offdiagonal_sum, own_inertia, own_moment
from supple.recursions.second_order import shape_inertia_energy
from supple.recursions.states import States, state_at
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
    return energy + shape_inertia_energy(flex, k, v, w)


@step
def first_moment(tree: Tree, flex: Flex | None, k: int, q: Array, ws: Workspace) -> Vec3:
    """Mass times centre of mass of body k in the ground frame, deformed."""
    h = load3(tree.moment, k)
    if flex is not None:
        row, j = flex.mode_row[k], flex.q_mode[k]
        for r in range(flex.modes[k]):
            h = add(h, scale(q[j + r], load3(flex.mode_momentum, row + r)))
        row = row + flex.modes[k]
        for s in range(flex.second_order[k]):
            h = add(h, scale(ws.flex.xi[flex.xi_first[k] + s], load3(flex.mode_momentum, row + s)))
    return add(scale(tree.mass[k], load3(ws.p_ground, k)), rotate(load9(ws.R_ground, k), h))


@step
def body_sums_step(
    tree: Tree, flex: Flex | None, k: int, state: States, ws: Workspace, energy: Array, momentum: Array, moment: Array
) -> None:
    """Add what body k has of kinetic energy, momentum and first moment. Given V, R_ground, p_ground, coupling."""
    body, V = body_momentum(tree, flex, k, state.v, ws), load6(ws.V, k)
    energy[0] += 0.5 * dot6(body, V)
    if flex is not None:
        energy[0] += modal_energy(flex, k, state.v, V, ws.flex)
    on_ground = force_to_parent(load9(ws.R_ground, k), load3(ws.p_ground, k), body)
    for i in range(6):
        momentum[i] += on_ground[i]
    own = first_moment(tree, flex, k, state.q, ws)
    for i in range(3):
        moment[i] += own[i]


@step
def joint_energy_step(tree: Tree, flex: Flex | None, k: int, state: States, energy: Array) -> None:
    """Add the energy of the joint's own inertia and spring of body k; that of a mode is the diagonal of G and K."""
    for i in range(tree.v_first[k], tree.v_first[k + 1]):
        energy[0] += 0.5 * tree.joint_inertia[i] * state.v[i] * state.v[i]
        j = tree.q_of_speed[i]
        if j >= 0:
            stretch = state.q[j] - tree.rest[i]
            energy[1] += 0.5 * tree.stiffness[i] * stretch * stretch


@step
def deformation_energy_step(flex: Flex, k: int, q: Array, energy: Array) -> None:
    """Add the energy of deformation of body k but for the diagonal of K."""
    for r in range(flex.modes[k]):
        other = offdiagonal_sum(flex, flex.mode_row[k] + r, 1, q, flex.q_mode[k])
        energy[1] += 0.5 * q[flex.q_mode[k] + r] * other


@step
def spring_energy_step(tree: Tree, flex: Flex | None, e: int, q: Array, ws: Workspace, energy: Array) -> None:
    """Add the energy of the spring e between points. Given R_ground, p_ground."""
    d = spring_vector(tree, flex, e, q, ws)
    stretch = np.sqrt(dot(d, d) + TINY) - tree.spring_constants[e, 2]
    energy[1] += 0.5 * tree.spring_constants[e, 0] * stretch * stretch


@sweep
def energy_and_momentum(
    tree: Tree, flex: Flex | None, states: States, ws: Workspace, energy: Array, momentum: Array, moment: Array
) -> None:
    """For a batch of states: energy (s, 2) kinetic and potential; momentum (s, 6) about the ground's origin, in ground
    axes; moment (s, 3), the total mass times the centre of mass in the ground frame. All zero at the start.

    The joints' own inertia counts in the energy alone: it is not a body.
    """
    n = len(tree.parent)
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for s in range(len(states.q)):
        state = state_at(states, s)
        for k in range(1, n):
            configuration_step(tree, flex, k, state.q, ws)
            pose_step(tree, flex, k, state.q, ws)
            twist_step(tree, flex, k, state.v, ws)
            body_sums_step(tree, flex, k, state, ws, energy[s], momentum[s], moment[s])
        for k in range(1, n):
            joint_energy_step(tree, flex, k, state, energy[s])
        if flex is not None:
            for k in range(1, n):
                deformation_energy_step(flex, k, state.q, energy[s])
        for e in range(len(tree.spring_frames)):
            spring_energy_step(tree, flex, e, state.q, ws, energy[s])
        energy[s, 1] -= dot(g, (moment[s, 0], moment[s, 1], moment[s, 2]))
