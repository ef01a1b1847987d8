"""Attachment nodes: how a node of a flexible body moves with it, and how it passes forces on, A(k) of (3.17).

A node turns by the rotation vector theta = lambda eta and moves by gamma eta; its angular velocity relative to the body
frame is Q(theta) lambda etadot, the exact rate of that turn. (The source takes lambda etadot itself, which is not the
rate of any orientation; energy would not be conserved.) In the model of (8.1) the node stays where it was: theta = 0.
"""

from __future__ import annotations

from supple.engines.kernels import step
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
def node_sum(flex: Flex, s: int, x: Array, first: int) -> Vec6:
    """Pi_t x of attachment node s."""
    return shape_sum(flex.attachment_shape, flex.attachment_row[s], flex.modes[flex.attachment_body[s]], x, first)


@step
def node_pose(flex: Flex, s: int, q: Array) -> tuple[Mat3, Vec3]:
    """R_body_node and position of attachment node s in its body, deformed."""
    u = node_sum(flex, s, q, flex.q_mode[flex.attachment_body[s]])
    return node_turn(angular(u))[0], add(load3(flex.attachment_position, s), linear(u))


@step
def node_step(flex: Flex, s: int, q: Array, w: FlexWorkspace) -> None:
    """Where attachment node s is, as the dynamics sees it. Computes node_l, node_R, node_Q."""
    k = flex.attachment_body[s]
    l = load3(flex.attachment_position, s)
    if flex.full[k]:
        u = node_sum(flex, s, q, flex.q_mode[k])
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
    """Motion of attachment node s for a unit speed of mode r of its body. Given node_Q."""
    return turned_motion(load9(w.node_Q, s), load6(flex.attachment_shape, flex.attachment_row[s] + r))


@step
def node_relative(flex: Flex, s: int, x: Array, w: FlexWorkspace) -> Vec6:
    """Motion of attachment node s relative to its body frame for modal speeds or accelerations x. Given node_Q."""
    return turned_motion(load9(w.node_Q, s), node_sum(flex, s, x, flex.v_mode[flex.attachment_body[s]]))


@step
def node_rate_step(flex: Flex, s: int, q: Array, v: Array, omega: Vec3, w: FlexWorkspace) -> Vec6:
    """Velocity of attachment node s in its body, and what its acceleration has beside A* alpha_m (B.11).

    Given the body's omega, node_*. Computes node_rate. Without the terms of the deformation only the centrifugal
    acceleration is left.
    """
    k = flex.attachment_body[s]
    rate = node_relative(flex, s, v, w)
    store(w.node_rate, s, rate)
    l = load3(w.node_l, s)
    if not flex.full[k]:
        return centrifugal_bias(omega, l)
    theta = angular(node_sum(flex, s, q, flex.q_mode[k]))
    return node_bias(theta, angular(node_sum(flex, s, v, flex.v_mode[k])), rate, omega, l)


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
    first, row = flex.v_mode[k], flex.attachment_row[s]
    g = join(unrotate(load9(w.node_Q, s), angular(f)), linear(f))
    for r in range(flex.modes[k]):
        modal[first + r] += dot6(load6(flex.attachment_shape, row + r), g)
    return shift_force(load3(w.node_l, s), f)
