"""Attachment nodes: how a node of a flexible body moves with it, and how it passes forces on, A(k) of (3.17).

A node turns by the rotation vector theta = lambda eta and moves by gamma eta; its angular velocity relative to the body
frame is Q(theta) lambda etadot, the exact rate of that turn. (The source takes lambda etadot itself, which is not the
rate of any orientation; energy would not be conserved.) In the model of (8.1) the node stays where it was: theta = 0.
Shapes of second order that follow the modes move it too (see `second_order`): Pi is then that of the modes, plus that
of the shapes times A.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.second_order import add_slopes, slope_times
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import (
    Mat3,
    Vec3,
    Vec6,
    add,
    add6,
    add_scaled,
    angular,
    cross,
    dot,
    dot6,
    join,
    left_jacobian,
    linear,
    load3,
    load6,
    load9,
    rotate,
    scale,
    so3_coefficients,
    store,
    turn_bias,
    turn_rotation,
    unrotate,
)

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@step
def shape_sum(shape: Array, row: int, modes: int, x: Array, first: int) -> Vec6:
    """Pi x: rotation and displacement of a node for the modal quantities x[first], ...; its shapes begin at a row."""
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for r in range(modes):
        total = add_scaled(total, x[first + r], load6(shape, row + r))
    return total


@step
def node_turn(theta: Vec3) -> tuple[Mat3, Mat3]:
    """R_body_node, and Q: angular velocity from the rates of the rotation vector theta."""
    a, b, _, _ = so3_coefficients(dot(theta, theta))
    return turn_rotation(theta, a, b), left_jacobian(theta, a, b)


@step
def turned_motion(Q: Mat3, x: Vec6) -> Vec6:
    """Motion of a node relative to its body frame, from rates of its rotation vector and displacement."""
    return join(rotate(Q, angular(x)), linear(x))


@step
def centrifugal_bias(omega: Vec3, l: Vec3) -> Vec6:
    """What the acceleration of a node at l has beside A* alpha_m, without the terms of the deformation."""
    return join((0.0 * omega[0], 0.0 * omega[1], 0.0 * omega[2]), cross(omega, cross(omega, l)))


@step
def node_bias(theta: Vec3, theta_rate: Vec3, rate: Vec6, omega: Vec3, l: Vec3) -> Vec6:
    """What the acceleration of a node at l has beside A* alpha_m (B.11), for its `rate` relative to the body frame."""
    _, b, da, db = so3_coefficients(dot(theta, theta))
    turning = add(turn_bias(theta, theta_rate, b, da, db), cross(omega, angular(rate)))
    return join(turning, add(cross(omega, cross(omega, l)), scale(2, cross(omega, linear(rate)))))


@step
def shapes_sum(flex: Flex, k: int, shape: Array, row: int, xi: Array) -> Vec6:
    """Pi_b xi: what the second-order shapes of body k add; those of a node of it begin at `row` with its modes."""
    return shape_sum(shape, row + flex.modes[k], flex.second_order[k], xi, flex.xi_first[k])


@step
def deformation(flex: Flex, k: int, shape: Array, row: int, q: Array, w: FlexWorkspace) -> Vec6:
    """Rotation and displacement of a node of body k whose shapes begin at `row`. Given xi."""
    moved = shape_sum(shape, row, flex.modes[k], q, flex.q_mode[k])
    if flex.second_order[k] > 0:
        moved = add6(moved, shapes_sum(flex, k, shape, row, w.xi))
    return moved


@step
def deformation_rate(flex: Flex, k: int, shape: Array, row: int, x: Array, w: FlexWorkspace) -> Vec6:
    """Pi x of a node of body k whose shapes begin at `row`, for modal speeds or accelerations x. Given xi_slope."""
    moved = shape_sum(shape, row, flex.modes[k], x, flex.v_mode[k])
    for j in range(flex.second_order[k]):
        moved = add_scaled(moved, slope_times(flex, k, j, x, w), load6(shape, row + flex.modes[k] + j))
    return moved


@step
def modal_shape(flex: Flex, k: int, shape: Array, row: int, r: int, w: FlexWorkspace) -> Vec6:
    """Column r of Pi of a node of body k whose shapes begin at `row`. Given xi_slope."""
    moved = load6(shape, row + r)
    for j in range(flex.second_order[k]):
        moved = add_scaled(moved, w.xi_slope[flex.v_mode[k] + r, j], load6(shape, row + flex.modes[k] + j))
    return moved


@step
def add_modal_force(
    flex: Flex, k: int, shape: Array, row: int, sign: float, g: Vec6, w: FlexWorkspace, modal: Array
) -> None:
    """Add sign Pi* g to `modal` (all speeds), for a node of body k whose shapes begin at `row`. Given xi_slope."""
    first, n = flex.v_mode[k], flex.modes[k]
    for r in range(n):
        modal[first + r] += sign * dot6(load6(shape, row + r), g)
    for j in range(flex.second_order[k]):
        add_slopes(flex, k, j, sign * dot6(load6(shape, row + n + j), g), w, modal)


@step
def node_pose(flex: Flex, s: int, q: Array, w: FlexWorkspace) -> tuple[Mat3, Vec3]:
    """R_body_node and position of attachment node s in its body, deformed."""
    u = deformation(flex, flex.attachment_body[s], flex.attachment_shape, flex.attachment_row[s], q, w)
    return node_turn(angular(u))[0], add(load3(flex.attachment_position, s), linear(u))


@step
def node_step(flex: Flex, s: int, q: Array, w: FlexWorkspace) -> None:
    """Where attachment node s is, as the dynamics sees it. Given xi. Computes node_l, node_R, node_Q."""
    k = flex.attachment_body[s]
    l = load3(flex.attachment_position, s)
    if flex.full[k]:
        u = deformation(flex, k, flex.attachment_shape, flex.attachment_row[s], q, w)
        R, Q = node_turn(angular(u))
        store(w.node_l, s, add(l, linear(u)))
        store(w.node_R, s, R)
        store(w.node_Q, s, Q)
    else:
        store(w.node_l, s, l)
        store(w.node_R, s, IDENTITY)
        store(w.node_Q, s, IDENTITY)


@step
def node_shape(flex: Flex, s: int, r: int, w: FlexWorkspace) -> Vec6:
    """Motion of attachment node s for a unit speed of mode r of its body. Given node_Q, xi_slope."""
    own = modal_shape(flex, flex.attachment_body[s], flex.attachment_shape, flex.attachment_row[s], r, w)
    return turned_motion(load9(w.node_Q, s), own)


@step
def node_relative(flex: Flex, s: int, x: Array, w: FlexWorkspace) -> Vec6:
    """Motion of attachment node s relative to its body for modal speeds or accelerations x. Given node_Q, xi_slope."""
    own = deformation_rate(flex, flex.attachment_body[s], flex.attachment_shape, flex.attachment_row[s], x, w)
    return turned_motion(load9(w.node_Q, s), own)


@step
def node_rate_step(flex: Flex, s: int, q: Array, v: Array, omega: Vec3, w: FlexWorkspace) -> Vec6:
    """Velocity of attachment node s in its body, and what its acceleration has beside A* alpha_m (B.11).

    Given the body's omega, node_*, xi, xi_slope, xi_bias. Computes node_rate. Without the terms of the deformation only
    the centrifugal acceleration is left.
    """
    k, row = flex.attachment_body[s], flex.attachment_row[s]
    own = deformation_rate(flex, k, flex.attachment_shape, row, v, w)
    rate = turned_motion(load9(w.node_Q, s), own)
    store(w.node_rate, s, rate)
    l = load3(w.node_l, s)
    if not flex.full[k]:
        return centrifugal_bias(omega, l)
    theta = angular(deformation(flex, k, flex.attachment_shape, row, q, w))
    bias = node_bias(theta, angular(own), rate, omega, l)
    if flex.second_order[k] > 0:
        own = shapes_sum(flex, k, flex.attachment_shape, row, w.xi_bias)
        bias = add6(bias, turned_motion(load9(w.node_Q, s), own))
    return bias


@step
def shift_motion(l: Vec3, x: Vec6) -> Vec6:
    """phi* x: motion at the origin, seen at l."""
    return join(angular(x), add(linear(x), cross(angular(x), l)))


@step
def shift_force(l: Vec3, f: Vec6) -> Vec6:
    """phi f: force at l, referred to the origin."""
    return join(add(angular(f), cross(l, linear(f))), linear(f))


@step
def node_motion(flex: Flex, s: int, x: Array, body: Vec6, w: FlexWorkspace) -> Vec6:
    """A* (x, body): motion of attachment node s from the modal part x (all speeds) and the motion of the body frame."""
    return add6(shift_motion(load3(w.node_l, s), body), node_relative(flex, s, x, w))


@step
def node_force(flex: Flex, s: int, f: Vec6, w: FlexWorkspace, modal: Array) -> Vec6:
    """A f: force at attachment s as a force at the body's origin; its modal part is added to `modal` (all speeds)."""
    k = flex.attachment_body[s]
    g = join(unrotate(load9(w.node_Q, s), angular(f)), linear(f))
    add_modal_force(flex, k, flex.attachment_shape, flex.attachment_row[s], 1.0, g, w, modal)
    return shift_force(load3(w.node_l, s), f)
