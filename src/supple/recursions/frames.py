"""Frames on bodies that may be flexible: where they are, how they move, and what forces at them do.

A frame moves with its body, or on a flexible one with a node of it, which moves by u and turns by theta, (theta ; u) =
Pi eta (see `nodes`). Springs, wrenches, constraints and what a caller asks for are numbers of `Frames`. Where not said
otherwise, vectors are in body axes.

Where the deformation is left out of the dynamics ("ruthless", (8.1)), that sees the node undeformed; `exact` asks for
the deformed one all the same, as poses in space do.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.nodes import (
    IDENTITY,
    centrifugal_bias,
    node_bias,
    node_turn,
    shape_sum,
    shift_force,
    shift_motion,
    turned_motion,
)
from supple.recursions.states import States
from supple.recursions.tree import Array, Flex, Frames, Workspace
from supple.spatial import (
    Mat3,
    Vec3,
    Vec6,
    accumulate,
    add,
    add6,
    angular,
    cross,
    dot6,
    join,
    linear,
    load3,
    load6,
    load9,
    matmul,
    rotate,
    scale,
    scale6,
    unrotate,
)


@step
def on_node(flex: Flex, frames: Frames, i: int, x: Array, first: int) -> Vec6:
    """Pi x: rotation and displacement of the node of frame i for the modal quantities x[first], x[first + 1], ..."""
    return shape_sum(frames.shape, frames.shape_row[i], flex.modes[frames.body[i]], x, first)


@step
def frame_node(flex: Flex, frames: Frames, i: int, q: Array, exact: bool) -> tuple[Mat3, Mat3, Vec3]:
    """R_body_node, Q and the position of the node of frame i; Q makes its angular velocity of rates of theta."""
    k = frames.body[i]
    l = load3(frames.node_position, i)
    if exact or flex.full[k]:
        u = on_node(flex, frames, i, q, flex.q_mode[k])
        R, Q = node_turn(angular(u))
        return R, Q, add(l, linear(u))
    return IDENTITY, IDENTITY, l


@step
def frame_in_body(flex: Flex | None, frames: Frames, i: int, q: Array, exact: bool) -> tuple[Mat3, Vec3]:
    """R_body_frame and the origin of frame i in its body."""
    R, p = load9(frames.rotation, i), load3(frames.position, i)
    if flex is not None and frames.shape_row[i] >= 0:
        R_node, _, l = frame_node(flex, frames, i, q, exact)
        return matmul(R_node, R), add(l, rotate(R_node, p))
    return R, p


@step
def frame_pose(flex: Flex | None, frames: Frames, i: int, q: Array, ws: Workspace) -> tuple[Mat3, Vec3]:
    """R_ground_frame and the origin of frame i in the ground frame. Given R_ground, p_ground."""
    R, p = frame_in_body(flex, frames, i, q, True)
    k = frames.body[i]
    R_ground = load9(ws.R_ground, k)
    return matmul(R_ground, R), add(load3(ws.p_ground, k), rotate(R_ground, p))


@step
def frame_velocity(flex: Flex | None, frames: Frames, i: int, state: States, V: Vec6, exact: bool) -> Vec6:
    """Velocity of the origin of frame i, for the velocity V of its body."""
    p = load3(frames.position, i)
    if flex is not None and frames.shape_row[i] >= 0:
        R_node, Q, l = frame_node(flex, frames, i, state.q, exact)
        rate = turned_motion(Q, on_node(flex, frames, i, state.v, flex.v_mode[frames.body[i]]))
        V = add6(shift_motion(l, V), rate)
        p = rotate(R_node, p)
    return shift_motion(p, V)


@step
def frame_acceleration(
    flex: Flex | None, frames: Frames, i: int, state: States, a: Array, body: tuple[Vec3, Vec6], exact: bool
) -> Vec6:
    """Acceleration of the origin of frame i, for the angular velocity and the acceleration of its body."""
    w, A = body
    p = load3(frames.position, i)
    if flex is not None and frames.shape_row[i] >= 0:
        k = frames.body[i]
        R_node, Q, l = frame_node(flex, frames, i, state.q, exact)
        theta_rate = on_node(flex, frames, i, state.v, flex.v_mode[k])
        rate = turned_motion(Q, theta_rate)
        A = add6(shift_motion(l, A), turned_motion(Q, on_node(flex, frames, i, a, flex.v_mode[k])))
        if exact or flex.full[k]:
            theta = angular(on_node(flex, frames, i, state.q, flex.q_mode[k]))
            A = add6(A, node_bias(theta, angular(theta_rate), rate, w, l))
        else:
            A = add6(A, centrifugal_bias(w, l))
        w = add(w, angular(rate))
        p = rotate(R_node, p)
    at = shift_motion(p, A)
    return join(angular(at), add(linear(at), cross(w, cross(w, p))))


@step
def frame_load(flex: Flex | None, frames: Frames, i: int, q: Array, at: Vec3, f: Vec6) -> tuple[Vec6, Vec6]:
    """A wrench f at a point `at` of the body of frame i: at the body's origin, and as the modes of its node see it."""
    seen = f
    if flex is not None and frames.shape_row[i] >= 0:
        _, Q, l = frame_node(flex, frames, i, q, False)
        on = shift_force(add(at, scale(-1, l)), f)
        seen = join(unrotate(Q, angular(on)), linear(on))
    return shift_force(at, f), seen


@step
def frame_act(flex: Flex | None, frames: Frames, i: int, q: Array, at: Vec3, f: Vec6, ws: Workspace) -> None:
    """Let a wrench f act at a point `at` of the body, through the node, of frame i: load and modal become less."""
    k = frames.body[i]
    own, seen = frame_load(flex, frames, i, q, at, f)
    accumulate(ws.load, k, scale6(-1, own))
    if flex is not None and frames.shape_row[i] >= 0:
        row = frames.shape_row[i]
        for r in range(flex.modes[k]):
            ws.flex.modal[flex.v_mode[k] + r] -= dot6(load6(frames.shape, row + r), seen)
