"""Where the bodies are and how they move: the base-to-tip sweep that every other recursion starts with."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.recursions.nodes import IDENTITY, node_motion, node_pose, node_rate_step, node_step
from supple.recursions.second_order import second_order_rate_step, second_order_step
from supple.recursions.states import States, state_at
from supple.recursions.tree import (
    NO_ROTATION,
    ONE_AXIS,
    QUATERNION,
    THREE_AXES,
    TWO_AXES,
    Array,
    Flex,
    Tree,
    Workspace,
)
from supple.spatial import (
    Mat3,
    Vec6,
    add,
    add6,
    add_scaled,
    angular,
    copy_rows,
    cross,
    join,
    linear,
    load3,
    load6,
    load9,
    matmul,
    motion_to_child,
    quaternion_rotation,
    rotate,
    rotation_about,
    scale,
    store,
    store_pair,
    unrotate,
)


@step
def axis_rotation(axes: Array, k: int, i: int, angle: float) -> Mat3:
    """Rotation by `angle` about the i-th axis of joint k."""
    a = axes[k, 3 * i], axes[k, 3 * i + 1], axes[k, 3 * i + 2]
    return rotation_about(a, np.cos(angle), np.sin(angle))


@step
def joint_rotation(tree: Tree, k: int, q: Array) -> Mat3:
    """R_joint_body: how joint k has turned."""
    kind = tree.rotation_kind[k]
    i = tree.q_rotation[k]
    if kind == ONE_AXIS:
        return axis_rotation(tree.axes, k, 0, q[i])
    if kind == TWO_AXES:
        return matmul(axis_rotation(tree.axes, k, 0, q[i]), axis_rotation(tree.axes, k, 1, q[i + 1]))
    if kind == THREE_AXES:
        R_12 = matmul(axis_rotation(tree.axes, k, 0, q[i]), axis_rotation(tree.axes, k, 1, q[i + 1]))
        return matmul(R_12, axis_rotation(tree.axes, k, 2, q[i + 2]))
    if kind == QUATERNION:
        return quaternion_rotation(q[i], q[i + 1], q[i + 2], q[i + 3])
    return IDENTITY


@step
def unit_rows(H: Array, first: int, column: int) -> None:
    """Rows `first ... first + 2` of H become unit vectors from `column` on: motion in body axes."""
    for i in range(3):
        for j in range(6):
            H[first + i, j] = 0.0
        H[first + i, column + i] = 1.0


@step
def rotation_map(tree: Tree, k: int, q: Array, H: Array) -> None:
    """Write the rotational rows of H(k)."""
    kind = tree.rotation_kind[k]
    i = tree.v_rotation[k]
    a = load3(tree.axes, k)
    if kind == ONE_AXIS:
        store_pair(H, i, a, scale(tree.pitch[k], a))
    elif kind == TWO_AXES:
        R_2 = axis_rotation(tree.axes, k, 1, q[tree.q_rotation[k] + 1])
        a_2 = tree.axes[k, 3], tree.axes[k, 4], tree.axes[k, 5]
        store_pair(H, i, unrotate(R_2, a), (0.0, 0.0, 0.0))
        store_pair(H, i + 1, a_2, (0.0, 0.0, 0.0))
    elif kind != NO_ROTATION:
        unit_rows(H, i, 0)


@step
def translation_map(tree: Tree, k: int, R_joint_body: Mat3, H: Array) -> None:
    """Write the translational rows of H(k): body axes for three translations, else the turned directions."""
    count = tree.translations[k]
    i = tree.v_translation[k]
    if count == 3:
        unit_rows(H, i, 3)
    else:
        for j in range(count):
            d = tree.directions[k, 3 * j], tree.directions[k, 3 * j + 1], tree.directions[k, 3 * j + 2]
            store_pair(H, i + j, (0.0, 0.0, 0.0), unrotate(R_joint_body, d))


@step
def joint_step(tree: Tree, flex: Flex | None, k: int, q: Array, ws: Workspace) -> None:
    """Pose of body k in its parent, and joint map.

    Given q. Computes R, l, H, on a flexible parent the pose of the attachment node too, of a flexible body what follows
    its modes. The origin moves by the translations (Sayers, (14)) and, for a screw, by pitch times angle along the
    axis.
    """
    R_parent_joint = load9(tree.rotation, k)
    R_joint_body = joint_rotation(tree, k, q)
    l = load3(tree.position, k)
    if tree.rotation_kind[k] == ONE_AXIS:
        l = add(l, rotate(R_parent_joint, scale(tree.pitch[k] * q[tree.q_rotation[k]], load3(tree.axes, k))))
    for j in range(tree.translations[k]):
        d = tree.directions[k, 3 * j], tree.directions[k, 3 * j + 1], tree.directions[k, 3 * j + 2]
        l = add(l, rotate(R_parent_joint, scale(q[tree.q_translation[k] + j], d)))
    R = matmul(R_parent_joint, R_joint_body)
    if flex is not None and flex.attachment[k] >= 0:
        node_step(flex, flex.attachment[k], q, ws.flex)
        R_parent_node = load9(ws.flex.node_R, flex.attachment[k])
        R, l = matmul(R_parent_node, R), rotate(R_parent_node, l)
    if flex is not None and flex.second_order[k] > 0:
        second_order_step(flex, k, q, ws.flex)
    store(ws.R, k, R)
    store(ws.l, k, l)
    rotation_map(tree, k, q, ws.H)
    translation_map(tree, k, R_joint_body, ws.H)


@step
def joint_velocity(tree: Tree, k: int, v: Array, H: Array) -> Vec6:
    """H*(k) beta(k): velocity of body k relative to its parent."""
    x = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(tree.v_first[k], tree.v_mode[k]):
        x = add_scaled(x, v[i], load6(H, i))
    return x


@step
def inboard_motion(tree: Tree, flex: Flex | None, k: int, x: Array, motion: Array, ws: Workspace) -> Vec6:
    """What body k has of its parent's motion (rows of `motion`), seen at its origin, in its axes.

    On a flexible parent that is A* of (3.17), with the modal part in x.
    """
    parent = load6(motion, tree.parent[k])
    if flex is not None and flex.attachment[k] >= 0:
        parent = node_motion(flex, flex.attachment[k], x, parent, ws.flex)
    return motion_to_child(load9(ws.R, k), load3(ws.l, k), parent)


@step
def velocity_step(tree: Tree, flex: Flex | None, k: int, q: Array, v: Array, ws: Workspace) -> None:
    """Angular velocity (3.12) and Coriolis acceleration (3.27) of body k.

    Given R, l, H and the parent's omega. Computes omega, bias. With the joint's relative velocity (w_rel, u): an axis
    or direction fixed in the body turns with it, one fixed in the parent with that, so that a direction fixed in the
    parent leaves 2 omega_parent x u and one fixed in the body (omega + omega_parent) x u. Of two axes the first turns
    in the body at -(second x first). On a flexible parent, the parent is the attachment node. Velocities of the origins
    are never needed.
    """
    R = load9(ws.R, k)
    l = load3(ws.l, k)
    w_parent = load3(ws.omega, tree.parent[k])
    attachment_bias = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if flex is not None and flex.attachment[k] >= 0:
        attachment_bias = node_rate_step(flex, flex.attachment[k], q, v, w_parent, ws.flex)
        w_parent = add(w_parent, angular(load6(ws.flex.node_rate, flex.attachment[k])))
    w_inboard = unrotate(R, w_parent)
    relative = joint_velocity(tree, k, v, ws.H)
    w_rel = angular(relative)
    u = linear(relative)
    w = add(w_inboard, w_rel)
    rotational = cross(w_inboard, w_rel)
    if tree.rotation_kind[k] == TWO_AXES:
        i = tree.v_rotation[k]
        first = scale(v[i], angular(load6(ws.H, i)))
        second = scale(v[i + 1], angular(load6(ws.H, i + 1)))
        rotational = add(rotational, cross(first, second))
    if tree.translations[k] == 3:
        coriolis = cross(add(w, w_inboard), u)
    else:
        coriolis = cross(add(w_inboard, w_inboard), u)
    store(ws.omega, k, w)
    centrifugal = unrotate(R, cross(w_parent, cross(w_parent, l)))
    bias = join(rotational, add(centrifugal, coriolis))
    if flex is not None:
        if flex.attachment[k] >= 0:
            bias = add6(bias, motion_to_child(R, l, attachment_bias))
        if flex.second_order[k] > 0:
            second_order_rate_step(flex, k, v, ws.flex)
    store(ws.bias, k, bias)


@step
def pose_step(tree: Tree, flex: Flex | None, k: int, q: Array, ws: Workspace) -> None:
    """Pose of body k in the ground frame. Given R, l and the parent's pose. Computes R_ground, p_ground.

    Where the dynamics leaves the deformation of the parent out, the pose has it all the same.
    """
    p = tree.parent[k]
    R, l = load9(ws.R, k), load3(ws.l, k)
    if flex is not None:
        s = flex.attachment[k]
        if s >= 0 and flex.full[p]:
            l = add(load3(ws.flex.node_l, s), l)
        elif s >= 0:
            R_node, l_node = node_pose(flex, s, q, ws.flex)
            R, l = matmul(R_node, R), add(l_node, rotate(R_node, l))
    R_ground_parent = load9(ws.R_ground, p)
    store(ws.R_ground, k, matmul(R_ground_parent, R))
    store(ws.p_ground, k, add(load3(ws.p_ground, p), rotate(R_ground_parent, l)))


@step
def twist_step(tree: Tree, flex: Flex | None, k: int, v: Array, ws: Workspace) -> None:
    """Velocity of body k (3.13). Given R, l, H and the parent's V. Computes V."""
    store(ws.V, k, add6(inboard_motion(tree, flex, k, v, ws.V, ws), joint_velocity(tree, k, v, ws.H)))


@step
def acceleration_step(tree: Tree, flex: Flex | None, k: int, a: Array, ws: Workspace) -> None:
    """Acceleration of body k (3.26). Given R, l, H, bias and the parent's alpha. Computes alpha."""
    relative = add6(joint_velocity(tree, k, a, ws.H), load6(ws.bias, k))
    store(ws.alpha, k, add6(inboard_motion(tree, flex, k, a, ws.alpha, ws), relative))


@step
def ground_acceleration(sign: float, tree: Tree, ws: Workspace) -> None:
    """The ground's row of alpha becomes `sign` times gravity; -1 lets gravity act on all bodies."""
    for i in range(3):
        ws.alpha[0, i] = 0.0
        ws.alpha[0, 3 + i] = sign * tree.gravity[i]


@sweep
def poses(tree: Tree, flex: Flex | None, q: Array, ws: Workspace, R: Array, p: Array) -> None:
    """Poses of all bodies in the ground frame, for a batch of coordinates: R (s, n + 1, 9), p (s, n + 1, 3)."""
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            joint_step(tree, flex, k, q[s], ws)
            pose_step(tree, flex, k, q[s], ws)
        copy_rows(ws.R_ground, R[s])
        copy_rows(ws.p_ground, p[s])


@sweep
def motions(tree: Tree, flex: Flex | None, states: States, a: Array, ws: Workspace, V: Array, A: Array) -> None:
    """Velocities and accelerations of all body frames, gravity left out, body axes: V, A (s, n + 1, 6)."""
    ground_acceleration(0.0, tree, ws)
    for s in range(len(states.q)):
        state = state_at(states, s)
        for k in range(1, len(tree.parent)):
            joint_step(tree, flex, k, state.q, ws)
            velocity_step(tree, flex, k, state.q, state.v, ws)
            twist_step(tree, flex, k, state.v, ws)
            acceleration_step(tree, flex, k, a[s], ws)
        copy_rows(ws.V, V[s])
        copy_rows(ws.alpha, A[s])


@sweep
def joint_maps(tree: Tree, flex: Flex | None, q: Array, ws: Workspace, X: Array, H: Array) -> None:
    """X (s, n, 6, 6) of `spatial.force_to_parent`, to the parent's origin, and H (s, nv, 6), zero for modes."""
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            joint_step(tree, flex, k, q[s], ws)
            R, l = load9(ws.R, k), load3(ws.l, k)
            if flex is not None and flex.attachment[k] >= 0:
                l = add(load3(ws.flex.node_l, flex.attachment[k]), l)
            for j in range(3):
                column = (R[j], R[3 + j], R[6 + j])
                lever = cross(l, column)
                for i in range(3):
                    X[s, k - 1, i, j] = column[i]
                    X[s, k - 1, 3 + i, 3 + j] = column[i]
                    X[s, k - 1, i, 3 + j] = lever[i]
            for i in range(tree.v_first[k], tree.v_mode[k]):
                store(H[s], i, load6(ws.H, i))
