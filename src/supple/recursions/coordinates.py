"""From speeds to coordinates: rates, and the motion of constant speeds."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.recursions.kinematics import axis_rotation, joint_rotation
from supple.recursions.tree import ONE_AXIS, QUATERNION, THREE_AXES, TWO_AXES, Array, Flex, Tree
from supple.spatial import TINY, Vec3, add, cross, dot, load3, load9, rotate, scale, unrotate


@step
def quaternion_rate(q: Array, i: int, w: Vec3, rate: Array) -> None:
    """Half the quaternion times the angular velocity in body axes."""
    x, y, z, s = q[i], q[i + 1], q[i + 2], q[i + 3]
    rate[i] = 0.5 * (s * w[0] + y * w[2] - z * w[1])
    rate[i + 1] = 0.5 * (s * w[1] + z * w[0] - x * w[2])
    rate[i + 2] = 0.5 * (s * w[2] + x * w[1] - y * w[0])
    rate[i + 3] = -0.5 * (x * w[0] + y * w[1] + z * w[2])


@step
def angle_rates(tree: Tree, k: int, q: Array, w: Vec3) -> Vec3:
    """Rates of three successive angles from the angular velocity in body axes (Sayers, (28) and (29)).

    In the axes before the third rotation R3 w = rate1 d1 + rate2 a2 + rate3 a3, where only d1 = R2* a1 moves. Solved
    by e = a2 x a3 for the first rate, which fails where the middle angle turns a1 into the plane of the others, then
    within that plane. Of coordinate axes nearly everything is zero or one.
    """
    i = tree.q_rotation[k]
    a_1 = tree.axes[k, 0], tree.axes[k, 1], tree.axes[k, 2]
    a_2 = tree.axes[k, 3], tree.axes[k, 4], tree.axes[k, 5]
    a_3 = tree.axes[k, 6], tree.axes[k, 7], tree.axes[k, 8]
    e = cross(a_2, a_3)
    square = dot(e, e)
    d_1 = unrotate(axis_rotation(tree.axes, k, 1, q[i + 1]), a_1)
    turned = rotate(axis_rotation(tree.axes, k, 2, q[i + 2]), w)
    first = dot(turned, e) / dot(d_1, e)
    rest = add(turned, scale(-first, d_1))
    return first, dot(rest, cross(a_3, e)) / square, dot(rest, cross(e, a_2)) / square


@step
def joint_components(tree: Tree, k: int, q: Array, x: Vec3) -> Vec3:
    """R_joint_body x; of three angles by one rotation after the other, which is cheaper than their product."""
    if tree.rotation_kind[k] == THREE_AXES:
        i = tree.q_rotation[k]
        x = rotate(axis_rotation(tree.axes, k, 2, q[i + 2]), x)
        x = rotate(axis_rotation(tree.axes, k, 1, q[i + 1]), x)
        return rotate(axis_rotation(tree.axes, k, 0, q[i]), x)
    return rotate(joint_rotation(tree, k, q), x)


@step
def joint_rates(tree: Tree, flex: Flex | None, k: int, q: Array, v: Array, rate: Array) -> None:
    """Rates of the coordinates of body k. Speeds in body axes are turned back; the others are rates already."""
    i, j = tree.q_rotation[k], tree.v_rotation[k]
    kind = tree.rotation_kind[k]
    if kind == ONE_AXIS:
        rate[i] = v[j]
    elif kind == TWO_AXES:
        rate[i], rate[i + 1] = v[j], v[j + 1]
    elif kind == THREE_AXES:
        rate[i], rate[i + 1], rate[i + 2] = angle_rates(tree, k, q, (v[j], v[j + 1], v[j + 2]))
    elif kind == QUATERNION:
        quaternion_rate(q, i, (v[j], v[j + 1], v[j + 2]), rate)

    i, j = tree.q_translation[k], tree.v_translation[k]
    if tree.translations[k] == 3:
        u = joint_components(tree, k, q, (v[j], v[j + 1], v[j + 2]))
        rate[i], rate[i + 1], rate[i + 2] = rotate(load9(tree.rates, k), u)
    else:
        for n in range(tree.translations[k]):
            rate[i + n] = v[j + n]
    if flex is not None:
        for n in range(flex.modes[k]):
            rate[flex.q_mode[k] + n] = v[flex.v_mode[k] + n]


@step
def turn(q: Array, i: int, w: Vec3, out: Array) -> None:
    """The unit quaternion at i after turning by the rotation vector w in body axes."""
    half = 0.5 * np.sqrt(dot(w, w) + TINY)
    c, s = np.cos(half), 0.5 * np.sin(half) / half
    x, y, z, r = q[i], q[i + 1], q[i + 2], q[i + 3]
    a = s * w[0], s * w[1], s * w[2]
    new = (
        r * a[0] + x * c + y * a[2] - z * a[1],
        r * a[1] + y * c + z * a[0] - x * a[2],
        r * a[2] + z * c + x * a[1] - y * a[0],
        r * c - x * a[0] - y * a[1] - z * a[2],
    )
    length = np.sqrt(new[0] * new[0] + new[1] * new[1] + new[2] * new[2] + new[3] * new[3])
    for n in range(4):
        out[i + n] = new[n] / length


@step
def screw_displacement(w: Vec3, u: Vec3) -> Vec3:
    """How far the origin goes, in the axes at the start, while a body turns by w and moves by u, both in body axes."""
    angle_2 = dot(w, w) + TINY
    angle = np.sqrt(angle_2)
    half_sine = np.sin(0.5 * angle)
    wu = cross(w, u)
    first = scale(2 * half_sine * half_sine / angle_2, wu)
    second = scale((1 - np.sin(angle) / angle) / angle_2, cross(w, wu))
    return add(u, add(first, second))


@step
def three_angles_step(tree: Tree, k: int, q: Array, v: Array, dt: float, out: Array) -> None:
    """Three angles after dt, by one classical Runge-Kutta step: their flow has no closed form in the angles."""
    i, j = tree.q_rotation[k], tree.v_rotation[k]
    w = v[j], v[j + 1], v[j + 2]
    start = q[i], q[i + 1], q[i + 2]
    k_1 = angle_rates(tree, k, q, w)
    for n in range(3):
        out[i + n] = start[n] + 0.5 * dt * k_1[n]
    k_2 = angle_rates(tree, k, out, w)
    for n in range(3):
        out[i + n] = start[n] + 0.5 * dt * k_2[n]
    k_3 = angle_rates(tree, k, out, w)
    for n in range(3):
        out[i + n] = start[n] + dt * k_3[n]
    k_4 = angle_rates(tree, k, out, w)
    for n in range(3):
        out[i + n] = start[n] + dt / 6 * (k_1[n] + 2 * (k_2[n] + k_3[n]) + k_4[n])


@step
def advance_step(tree: Tree, flex: Flex | None, k: int, q: Array, v: Array, dt: float, out: Array) -> None:
    """Coordinates of body k after the time dt at constant speeds v."""
    kind = tree.rotation_kind[k]
    i, j = tree.q_rotation[k], tree.v_rotation[k]
    w = (0.0, 0.0, 0.0)
    if kind == ONE_AXIS:
        out[i] = q[i] + dt * v[j]
        w = scale(dt * v[j], load3(tree.axes, k))
    elif kind == TWO_AXES:
        out[i], out[i + 1] = q[i] + dt * v[j], q[i + 1] + dt * v[j + 1]
    elif kind == THREE_AXES:
        three_angles_step(tree, k, q, v, dt, out)
        w = scale(dt, (v[j], v[j + 1], v[j + 2]))
    elif kind == QUATERNION:
        w = scale(dt, (v[j], v[j + 1], v[j + 2]))
        turn(q, i, w, out)

    i, j = tree.q_translation[k], tree.v_translation[k]
    if tree.translations[k] == 3:
        moved = screw_displacement(w, scale(dt, (v[j], v[j + 1], v[j + 2])))
        rates = rotate(load9(tree.rates, k), joint_components(tree, k, q, moved))
        for n in range(3):
            out[i + n] = q[i + n] + rates[n]
    else:
        for n in range(tree.translations[k]):
            out[i + n] = q[i + n] + dt * v[j + n]
    if flex is not None:
        for n in range(flex.modes[k]):
            out[flex.q_mode[k] + n] = q[flex.q_mode[k] + n] + dt * v[flex.v_mode[k] + n]


@sweep
def rates(tree: Tree, flex: Flex | None, q: Array, v: Array, rate: Array) -> None:
    """Rates of the coordinates (s, nq) for a batch of states."""
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            joint_rates(tree, flex, k, q[s], v[s], rate[s])


@sweep
def advance(tree: Tree, flex: Flex | None, q: Array, v: Array, dt: Array, out: Array) -> None:
    """Coordinates out (s, nq) after the times dt (s,) at constant speeds."""
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            advance_step(tree, flex, k, q[s], v[s], dt[s], out[s])
