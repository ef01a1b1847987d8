"""Frames on bodies that may be flexible: where they are, how they move, and what forces at them do.

A frame moves with its body, or on a flexible one with a node of it, which moves by u and turns by theta (see `nodes`).
Springs, wrenches, constraints and what a caller asks for are numbers of `Frames`. Where not said otherwise, vectors are
in body axes.

Where the deformation is left out of the dynamics ("ruthless", (8.1)), that sees the node undeformed; `exact` asks for
the deformed one all the same, as poses in space do.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.nodes import (
    IDENTITY,
    add_modal_force,
    centrifugal_bias,
    deformation,
    deformation_rate,
    node_bias,
    node_turn,
    shapes_sum,
    shift_force,
    shift_motion,
    turned_motion,
)
from supple.recursions.states import States
from supple.recursions.tree import Array, Flex, FlexWorkspace, Frames, Workspace
from supple.spatial import (
    Mat3,
    Vec3,
    Vec6,
    accumulate,
    add,
    add6,
    angular,
    cross,
    join,
    linear,
    load3,
    load9,
    matmul,
    rotate,
    scale,
    scale6,
    unrotate,
)


@step
def frame_node(flex: Flex, frames: Frames, i: int, q: Array, exact: bool, w: FlexWorkspace) -> tuple[Mat3, Mat3, Vec3]:
    """R_body_node, Q and the position of the node of frame i; Q makes its angular velocity of rates of theta.

    Given xi of its body.
    """
    k = frames.body[i]
    l = load3(frames.node_position, i)
    if exact or flex.full[k]:
        u = deformation(flex, k, frames.shape, frames.shape_row[i], q, w)
        R, Q = node_turn(angular(u))
        return R, Q, add(l, linear(u))
    return IDENTITY, IDENTITY, l


@step
def frame_in_body(
    flex: Flex | None, frames: Frames, i: int, q: Array, exact: bool, w: FlexWorkspace | None
) -> tuple[Mat3, Vec3]:
    """R_body_frame and the origin of frame i in its body. Given xi of that."""
    R, p = load9(frames.rotation, i), load3(frames.position, i)
    if flex is not None and frames.shape_row[i] >= 0:
        R_node, _, l = frame_node(flex, frames, i, q, exact, w)
        return matmul(R_node, R), add(l, rotate(R_node, p))
    return R, p


@step
def frame_pose(flex: Flex | None, frames: Frames, i: int, q: Array, ws: Workspace) -> tuple[Mat3, Vec3]:
    """R_ground_frame and the origin of frame i in the ground frame. Given R_ground, p_ground, xi."""
    R, p = frame_in_body(flex, frames, i, q, True, ws.flex)
    k = frames.body[i]
    R_ground = load9(ws.R_ground, k)
    return matmul(R_ground, R), add(load3(ws.p_ground, k), rotate(R_ground, p))


@step
def frame_velocity(
    flex: Flex | None, frames: Frames, i: int, state: States, V: Vec6, exact: bool, w: FlexWorkspace | None
) -> Vec6:
    """Velocity of the origin of frame i, for the velocity V of its body. Given xi, xi_slope."""
    p = load3(frames.position, i)
    if flex is not None and frames.shape_row[i] >= 0:
        R_node, Q, l = frame_node(flex, frames, i, state.q, exact, w)
        own = deformation_rate(flex, frames.body[i], frames.shape, frames.shape_row[i], state.v, w)
        V = add6(shift_motion(l, V), turned_motion(Q, own))
        p = rotate(R_node, p)
    return shift_motion(p, V)


@step
def frame_acceleration(
    flex: Flex | None,
    frames: Frames,
    i: int,
    state: States,
    a: Array,
    body: tuple[Vec3, Vec6],
    exact: bool,
    w: FlexWorkspace | None,
) -> Vec6:
    """Acceleration of the origin of frame i, for the angular velocity and the acceleration of its body.

    Given xi, xi_slope, xi_bias.
    """
    omega, A = body
    p = load3(frames.position, i)
    if flex is not None and frames.shape_row[i] >= 0:
        k, row = frames.body[i], frames.shape_row[i]
        R_node, Q, l = frame_node(flex, frames, i, state.q, exact, w)
        theta_rate = deformation_rate(flex, k, frames.shape, row, state.v, w)
        rate = turned_motion(Q, theta_rate)
        change = deformation_rate(flex, k, frames.shape, row, a, w)
        if flex.second_order[k] > 0:
            change = add6(change, shapes_sum(flex, k, frames.shape, row, w.xi_bias))
        A = add6(shift_motion(l, A), turned_motion(Q, change))
        if exact or flex.full[k]:
            theta = angular(deformation(flex, k, frames.shape, row, state.q, w))
            A = add6(A, node_bias(theta, angular(theta_rate), rate, omega, l))
        else:
            A = add6(A, centrifugal_bias(omega, l))
        omega = add(omega, angular(rate))
        p = rotate(R_node, p)
    at = shift_motion(p, A)
    return join(angular(at), add(linear(at), cross(omega, cross(omega, p))))


@step
def frame_load(
    flex: Flex | None, frames: Frames, i: int, q: Array, at: Vec3, f: Vec6, w: FlexWorkspace | None
) -> tuple[Vec6, Vec6]:
    """A wrench f at a point `at` of the body of frame i: at the body's origin, and as the modes of its node see it."""
    seen = f
    if flex is not None and frames.shape_row[i] >= 0:
        _, Q, l = frame_node(flex, frames, i, q, False, w)
        on = shift_force(add(at, scale(-1, l)), f)
        seen = join(unrotate(Q, angular(on)), linear(on))
    return shift_force(at, f), seen


@step
def frame_act(flex: Flex | None, frames: Frames, i: int, q: Array, at: Vec3, f: Vec6, ws: Workspace) -> None:
    """Let a wrench f act at a point `at` of the body, through the node, of frame i: load and modal become less.

    Given xi, xi_slope.
    """
    k = frames.body[i]
    own, seen = frame_load(flex, frames, i, q, at, f, ws.flex)
    accumulate(ws.load, k, scale6(-1, own))
    if flex is not None and frames.shape_row[i] >= 0:
        add_modal_force(flex, k, frames.shape, frames.shape_row[i], -1.0, seen, ws.flex, ws.flex.modal)
