"""Forces on the bodies and joints: applied wrenches, spring-dampers between points, joint springs and dampers."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step
from supple.recursions.kinematics import joint_step, pose_step, twist_step, velocity_step
from supple.recursions.tree import Array, Tree, Workspace
from supple.spatial import (
    TINY,
    Number,
    Vec3,
    accumulate,
    add,
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
    """Force of the spring and damper on freedom i."""
    force = -tree.damping[i] * v[i]
    j = tree.q_of_speed[i]
    if j >= 0:
        force = force - tree.stiffness[i] * (q[j] - tree.rest[i])
    return force


@step
def point_velocity(k: int, r: Vec3, ws: Workspace) -> Vec3:
    """Velocity in ground axes of the point r of body k."""
    V = load6(ws.V, k)
    return rotate(load9(ws.R_ground, k), add(linear(V), cross(angular(V), r)))


@step
def push(k: int, r: Vec3, force: Vec3, ws: Workspace) -> None:
    """Let a force in ground axes act at the point r of body k: its load becomes less."""
    F = unrotate(load9(ws.R_ground, k), scale(-1, force))
    accumulate(ws.load, k, join(cross(r, F), F))


@step
def spring_vector(tree: Tree, e: int, ws: Workspace) -> Vec3:
    """From the first end of spring-damper e to the second, in ground axes."""
    ends = load6(tree.spring_points, e)
    i, j = tree.spring_bodies[e, 0], tree.spring_bodies[e, 1]
    a = add(load3(ws.p_ground, i), rotate(load9(ws.R_ground, i), angular(ends)))
    b = add(load3(ws.p_ground, j), rotate(load9(ws.R_ground, j), linear(ends)))
    return add(b, scale(-1, a))


@step
def spring_step(tree: Tree, e: int, ws: Workspace) -> None:
    """Let spring-damper e pull both its bodies with k (L - L0) + c dL/dt along the line of its ends."""
    ends = load6(tree.spring_points, e)
    r_i, r_j = angular(ends), linear(ends)
    i, j = tree.spring_bodies[e, 0], tree.spring_bodies[e, 1]
    stiffness, damping, free_length = load3(tree.spring_constants, e)
    d = spring_vector(tree, e, ws)
    rate = add(point_velocity(j, r_j, ws), scale(-1, point_velocity(i, r_i, ws)))
    length_2 = dot(d, d) + TINY
    pull = stiffness * (1 - free_length / np.sqrt(length_2)) + damping * dot(d, rate) / length_2
    push(i, r_i, scale(pull, d), ws)
    push(j, r_j, scale(-pull, d), ws)


@step
def wrench_step(tree: Tree, e: int, ws: Workspace) -> None:
    """Let the constant wrench e act on its body: its load becomes less."""
    k = tree.wrench_body[e]
    value = scale6(-1, load6(tree.wrench_value, e))
    axes = load9(tree.wrench_rotation, e)
    moment, force = rotate(axes, angular(value)), rotate(axes, linear(value))
    if tree.wrench_grounded[e]:
        R_ground_body = load9(ws.R_ground, k)
        moment, force = unrotate(R_ground_body, moment), unrotate(R_ground_body, force)
    accumulate(ws.load, k, join(add(moment, cross(load3(tree.wrench_point, e), force)), force))


@step
def load_step(tree: Tree, k: int, wrench: Array, ws: Workspace) -> None:
    """Gyroscopic force (3.33) less the caller's wrench on body k: (w x J w, w x (w x h)) - wrench. Computes load."""
    w = load3(ws.omega, k)
    moment = cross(w, symmetric_times(load6(tree.inertia, k), w))
    force = cross(w, cross(w, load3(tree.moment, k)))
    store(ws.load, k, add_scaled(join(moment, force), -1, load6(wrench, k)))


@step
def loaded_motion(tree: Tree, q: Array, v: Array, wrench: Array, ws: Workspace) -> None:
    """The outward pass that inverse and forward dynamics share: R, l, H, omega, bias and load of all bodies.

    `wrench` (n + 1, 6) is the caller's, in body axes at body origins. Poses and velocities in the ground frame are
    found only where a force element needs them.
    """
    for k in range(1, len(tree.parent)):
        joint_step(tree, k, q, ws)
        velocity_step(tree, k, v, ws)
        load_step(tree, k, wrench, ws)
    if len(tree.spring_bodies) > 0 or len(tree.wrench_body) > 0:
        for k in range(1, len(tree.parent)):
            pose_step(tree, k, ws)
            twist_step(tree, k, v, ws)
        for e in range(len(tree.spring_bodies)):
            spring_step(tree, e, ws)
        for e in range(len(tree.wrench_body)):
            wrench_step(tree, e, ws)
