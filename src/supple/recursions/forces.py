"""Forces on the bodies and joints: applied wrenches, spring-dampers between points, joint springs and dampers."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step
from supple.recursions.frames import frame_act, frame_in_body, frame_pose, frame_velocity
from supple.recursions.kinematics import joint_step, pose_step, twist_step, velocity_step
from supple.recursions.modal import inertia_of_modes, modal_gyroscopic_step, offdiagonal_sum, own_inertia, own_moment
from supple.recursions.states import States
from supple.recursions.tree import Array, Flex, Tree, Workspace
from supple.spatial import (
    TINY,
    Number,
    Vec3,
    add,
    add6,
    add_scaled,
    angular,
    cross,
    dot,
    join,
    linear,
    load3,
    load6,
    load9,
    rotate,
    scale,
    store,
    symmetric_times,
    unrotate,
)


@step
def passive(tree: Tree, i: int, q: Array, v: Array) -> Number:
    """Force of the spring and damper on degree of freedom i."""
    force = -tree.damping[i] * v[i]
    j = tree.q_of_speed[i]
    if j >= 0:
        force = force - tree.stiffness[i] * (q[j] - tree.rest[i])
    return force


@step
def passive_forces(tree: Tree, flex: Flex | None, q: Array, v: Array, tau: Array) -> None:
    """Forces of springs, dampers and elasticity on all degrees of freedom. Computes tau."""
    for i in range(len(tau)):
        tau[i] = passive(tree, i, q, v)
    if flex is not None:
        for k in range(1, len(tree.parent)):
            row, i, j = flex.mode_row[k], flex.v_mode[k], flex.q_mode[k]
            for r in range(flex.modes[k]):
                tau[i + r] -= offdiagonal_sum(flex, row + r, 1, q, j) + offdiagonal_sum(flex, row + r, 2, v, i)


@step
def spring_vector(tree: Tree, flex: Flex | None, e: int, q: Array, ws: Workspace) -> Vec3:
    """From the first end of spring-damper e to the second, in ground axes. Given R_ground, p_ground."""
    _, first = frame_pose(flex, tree.frames, tree.spring_frames[e, 0], q, ws)
    _, second = frame_pose(flex, tree.frames, tree.spring_frames[e, 1], q, ws)
    return add(second, scale(-1, first))


@step
def spring_end_velocity(tree: Tree, flex: Flex | None, e: int, end: int, state: States, ws: Workspace) -> Vec3:
    """Velocity in ground axes of one end (0 or 1) of spring-damper e. Given V, R_ground."""
    i = tree.spring_frames[e, end]
    k = tree.frames.body[i]
    V = frame_velocity(flex, tree.frames, i, state, load6(ws.V, k), False, ws.flex)
    return rotate(load9(ws.R_ground, k), linear(V))


@step
def spring_end(tree: Tree, flex: Flex | None, i: int, q: Array, force: Vec3, ws: Workspace) -> None:
    """Let a force in ground axes act at the origin of frame i. Given R_ground."""
    F = unrotate(load9(ws.R_ground, tree.frames.body[i]), force)
    _, at = frame_in_body(flex, tree.frames, i, q, False, ws.flex)
    frame_act(flex, tree.frames, i, q, at, join(scale(0.0, F), F), ws)


@step
def spring_step(tree: Tree, flex: Flex | None, e: int, state: States, ws: Workspace) -> None:
    """Let spring-damper e pull both its bodies with k (L - L0) + c dL/dt along the line of its ends."""
    stiffness, damping, free_length = load3(tree.spring_constants, e)
    d = spring_vector(tree, flex, e, state.q, ws)
    first = spring_end_velocity(tree, flex, e, 0, state, ws)
    second = spring_end_velocity(tree, flex, e, 1, state, ws)
    length_2 = dot(d, d) + TINY
    rate = dot(d, add(second, scale(-1, first)))
    pull = stiffness * (1 - free_length / np.sqrt(length_2)) + damping * rate / length_2
    spring_end(tree, flex, tree.spring_frames[e, 0], state.q, scale(pull, d), ws)
    spring_end(tree, flex, tree.spring_frames[e, 1], state.q, scale(-pull, d), ws)


@step
def wrench_step(tree: Tree, flex: Flex | None, e: int, q: Array, ws: Workspace) -> None:
    """Let the constant wrench e act at its frame. Given R_ground."""
    i = tree.wrench_frame[e]
    value = load6(tree.wrench_value, e)
    R, at = frame_in_body(flex, tree.frames, i, q, False, ws.flex)
    f = join(rotate(R, angular(value)), rotate(R, linear(value)))
    if tree.wrench_grounded[e]:
        R_ground = load9(ws.R_ground, tree.frames.body[i])
        f = join(unrotate(R_ground, angular(value)), unrotate(R_ground, linear(value)))
    frame_act(flex, tree.frames, i, q, at, f, ws)


@step
def load_step(tree: Tree, flex: Flex | None, k: int, state: States, wrench: Array, ws: Workspace) -> None:
    """Gyroscopic force (3.33), (B.50) less the caller's wrench on body k. Given omega. Computes load.

    Of a flexible body, whose inertia is given as well, it computes `modal` too.
    """
    w = load3(ws.omega, k)
    moment = cross(w, symmetric_times(own_inertia(tree, flex, k, ws), w))
    force = cross(w, cross(w, own_moment(tree, flex, k, ws)))
    load = add_scaled(join(moment, force), -1, load6(wrench, k))
    if flex is not None and flex.modes[k] > 0:
        load = add6(load, modal_gyroscopic_step(flex, k, state.v, w, ws.flex))
    store(ws.load, k, load)


@step
def element_forces(tree: Tree, flex: Flex | None, state: States, ws: Workspace) -> None:
    """Let all spring-dampers and constant wrenches act. Given R_ground, p_ground, omega. Adds to load and modal."""
    for k in range(1, len(tree.parent)):
        twist_step(tree, flex, k, state.v, ws)
    for e in range(len(tree.spring_frames)):
        spring_step(tree, flex, e, state, ws)
    for e in range(len(tree.wrench_frame)):
        wrench_step(tree, flex, e, state.q, ws)


@step
def loaded_motion(tree: Tree, flex: Flex | None, state: States, wrench: Array, ws: Workspace) -> None:
    """The outward pass that inverse and forward dynamics share: R, l, H, omega, bias, load and modal of all bodies.

    `wrench` (n + 1, 6) is the caller's, in body axes at body origins. Poses and velocities in the ground frame are
    found only where a force element needs them.
    """
    for k in range(1, len(tree.parent)):
        joint_step(tree, flex, k, state.q, ws)
        if flex is not None and flex.modes[k] > 0:
            inertia_of_modes(tree, flex, k, state.q, ws.flex)
        velocity_step(tree, flex, k, state.q, state.v, ws)
        load_step(tree, flex, k, state, wrench, ws)
    if len(tree.spring_frames) > 0 or len(tree.wrench_frame) > 0:
        for k in range(1, len(tree.parent)):
            pose_step(tree, flex, k, state.q, ws)
        element_forces(tree, flex, state, ws)


@step
def loads_at_speeds(tree: Tree, flex: Flex | None, state: States, wrench: Array, ws: Workspace) -> None:
    """What of `loaded_motion` depends on the speeds, for others of them. Given all that it left."""
    for k in range(1, len(tree.parent)):
        velocity_step(tree, flex, k, state.q, state.v, ws)
        load_step(tree, flex, k, state, wrench, ws)
    if len(tree.spring_frames) > 0 or len(tree.wrench_frame) > 0:
        element_forces(tree, flex, state, ws)
