"""Forces on the bodies and joints: applied wrenches, spring-dampers between points, joint springs and dampers."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step
from supple.recursions.kinematics import joint_step, pose_step, twist_step, velocity_step
from supple.recursions.modal import inertia_of_modes, modal_gyroscopic_step, offdiagonal_sum, own_inertia, own_moment
from supple.recursions.nodes import node_force, node_motion, node_pose, node_steps
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree, Workspace
from supple.spatial import (
    TINY,
    Number,
    Vec3,
    Vec6,
    accumulate,
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
    scale6,
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
def point_position(tree: Tree, flex: Flex | None, e: int, end: int, q: Array, ws: Workspace) -> Vec3:
    """Position in the ground frame of one end (0 or 1) of spring-damper e."""
    k = tree.spring_bodies[e, end]
    r = spring_point(tree, e, end)
    if flex is not None:
        s = flex.spring_attachments[e, end]
        if s >= 0:
            R_node, l = node_pose(flex, s, q)
            r = add(l, rotate(R_node, r))
    return add(load3(ws.p_ground, k), rotate(load9(ws.R_ground, k), r))


@step
def spring_point(tree: Tree, e: int, end: int) -> Vec3:
    """One end of spring-damper e in its body's frame, or from its attachment node."""
    i = 3 * end
    return tree.spring_points[e, i], tree.spring_points[e, i + 1], tree.spring_points[e, i + 2]


@step
def point_velocity(tree: Tree, flex: Flex | None, e: int, end: int, v: Array, ws: Workspace) -> Vec3:
    """Velocity in ground axes of one end of spring-damper e."""
    k = tree.spring_bodies[e, end]
    r = spring_point(tree, e, end)
    V = load6(ws.V, k)
    if flex is not None:
        s = flex.spring_attachments[e, end]
        if s >= 0:
            V = node_motion(flex, s, v, V, ws.flex)
            r = rotate(load9(ws.flex.node_R, s), r)
    return rotate(load9(ws.R_ground, k), add(linear(V), cross(angular(V), r)))


@step
def node_act(flex: Flex, s: int, r: Vec3, moment: Vec3, force: Vec3, w: FlexWorkspace) -> Vec6:
    """A moment and a force at r from attachment s as a force at the body's origin; those on its modes go to `modal`."""
    f = join(add(moment, cross(rotate(load9(w.node_R, s), r), force)), force)
    return scale6(-1, node_force(flex, s, scale6(-1, f), w, w.modal))


@step
def spring_end(tree: Tree, flex: Flex | None, e: int, end: int, force: Vec3, ws: Workspace) -> None:
    """Let a force in ground axes act at one end of spring-damper e: the load of its body becomes less."""
    k = tree.spring_bodies[e, end]
    r = spring_point(tree, e, end)
    F = unrotate(load9(ws.R_ground, k), force)
    f = join(cross(r, F), F)
    if flex is not None:
        s = flex.spring_attachments[e, end]
        if s >= 0:
            f = node_act(flex, s, r, scale(0.0, F), F, ws.flex)
    accumulate(ws.load, k, scale6(-1, f))


@step
def spring_vector(tree: Tree, flex: Flex | None, e: int, q: Array, ws: Workspace) -> Vec3:
    """From the first end of spring-damper e to the second, in ground axes."""
    a = point_position(tree, flex, e, 0, q, ws)
    return add(point_position(tree, flex, e, 1, q, ws), scale(-1, a))


@step
def spring_step(tree: Tree, flex: Flex | None, e: int, q: Array, v: Array, ws: Workspace) -> None:
    """Let spring-damper e pull both its bodies with k (L - L0) + c dL/dt along the line of its ends."""
    stiffness, damping, free_length = load3(tree.spring_constants, e)
    d = spring_vector(tree, flex, e, q, ws)
    rate = add(point_velocity(tree, flex, e, 1, v, ws), scale(-1, point_velocity(tree, flex, e, 0, v, ws)))
    length_2 = dot(d, d) + TINY
    pull = stiffness * (1 - free_length / np.sqrt(length_2)) + damping * dot(d, rate) / length_2
    spring_end(tree, flex, e, 0, scale(pull, d), ws)
    spring_end(tree, flex, e, 1, scale(-pull, d), ws)


@step
def wrench_step(tree: Tree, flex: Flex | None, e: int, ws: Workspace) -> None:
    """Let the constant wrench e act on its body: its load becomes less."""
    k = tree.wrench_body[e]
    value = load6(tree.wrench_value, e)
    axes = load9(tree.wrench_rotation, e)
    moment, force = rotate(axes, angular(value)), rotate(axes, linear(value))
    r = load3(tree.wrench_point, e)
    if tree.wrench_grounded[e]:
        R_ground_body = load9(ws.R_ground, k)
        moment, force = unrotate(R_ground_body, moment), unrotate(R_ground_body, force)
    f = join(add(moment, cross(r, force)), force)
    if flex is not None:
        s = flex.wrench_attachment[e]
        if s >= 0:
            if not tree.wrench_grounded[e]:
                R_node = load9(ws.flex.node_R, s)
                moment, force = rotate(R_node, moment), rotate(R_node, force)
            f = node_act(flex, s, r, moment, force, ws.flex)
    accumulate(ws.load, k, scale6(-1, f))


@step
def load_step(tree: Tree, flex: Flex | None, k: int, q: Array, v: Array, wrench: Array, ws: Workspace) -> None:
    """Gyroscopic force (3.33), (B.50) less the caller's wrench on body k. Given omega. Computes load.

    Of a flexible body it computes its inertia and `modal` too.
    """
    w = load3(ws.omega, k)
    if flex is not None and flex.modes[k] > 0:
        inertia_of_modes(tree, flex, k, q, ws.flex)
    moment = cross(w, symmetric_times(own_inertia(tree, flex, k, ws), w))
    force = cross(w, cross(w, own_moment(tree, flex, k, ws)))
    load = add_scaled(join(moment, force), -1, load6(wrench, k))
    if flex is not None and flex.modes[k] > 0:
        load = add6(load, modal_gyroscopic_step(flex, k, v, w, ws.flex))
    store(ws.load, k, load)


@step
def loaded_motion(tree: Tree, flex: Flex | None, q: Array, v: Array, wrench: Array, ws: Workspace) -> None:
    """The outward pass that inverse and forward dynamics share: R, l, H, omega, bias, load and modal of all bodies.

    `wrench` (n + 1, 6) is the caller's, in body axes at body origins. Poses and velocities in the ground frame are
    found only where a force element needs them.
    """
    for k in range(1, len(tree.parent)):
        joint_step(tree, flex, k, q, ws)
        velocity_step(tree, flex, k, q, v, ws)
        load_step(tree, flex, k, q, v, wrench, ws)
    if len(tree.spring_bodies) > 0 or len(tree.wrench_body) > 0:
        for k in range(1, len(tree.parent)):
            pose_step(tree, flex, k, q, ws)
            twist_step(tree, flex, k, v, ws)
        node_steps(flex, q, ws)
        for e in range(len(tree.spring_bodies)):
            spring_step(tree, flex, e, q, v, ws)
        for e in range(len(tree.wrench_body)):
            wrench_step(tree, flex, e, ws)
