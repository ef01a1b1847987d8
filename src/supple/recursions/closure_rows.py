"""The rows of constraints: how a second frame lies and moves in a first one, and what each kind of row makes of it."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step
from supple.recursions.closures import ALONG, ANGLE, DISTANCE, SCREW, SLIP, ClosedTree, Closures, ClosureWorkspace
from supple.recursions.frames import frame_acceleration, frame_in_body, frame_pose, frame_velocity
from supple.recursions.states import States
from supple.recursions.tree import Array, Workspace
from supple.spatial import (
    Mat3,
    Number,
    Vec3,
    Vec6,
    add,
    angular,
    cross,
    dot,
    dot6,
    join,
    linear,
    load3,
    load6,
    load9,
    rotate,
    scale,
    store,
    unrotate,
)


@step
def end_velocity(ct: ClosedTree, e: int, end: int, state: States, ws: Workspace) -> Vec6:
    """Velocity of one end (0 or 1) of pair e in its own axes. Given V."""
    frames, i = ct.tree.frames, ct.closures.pair_frames[e, end]
    V = frame_velocity(ct.flex, frames, i, state, load6(ws.V, frames.body[i]), False, ws.flex)
    R, _ = frame_in_body(ct.flex, frames, i, state.q, False, ws.flex)
    return join(unrotate(R, angular(V)), unrotate(R, linear(V)))


@step
def end_acceleration(ct: ClosedTree, e: int, end: int, state: States, a: Array, ws: Workspace) -> Vec6:
    """True acceleration of one end of pair e in its own axes, less gravity. Given alpha, omega."""
    frames, i = ct.tree.frames, ct.closures.pair_frames[e, end]
    k = frames.body[i]
    A = frame_acceleration(ct.flex, frames, i, state, a, (load3(ws.omega, k), load6(ws.alpha, k)), False, ws.flex)
    R, _ = frame_in_body(ct.flex, frames, i, state.q, False, ws.flex)
    return join(unrotate(R, angular(A)), unrotate(R, linear(A)))


@step
def pair_pose_step(ct: ClosedTree, e: int, q: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Where the second frame of pair e is in the first. Given R_ground, p_ground. Computes R_first, p_second, R, p."""
    frames, pair = ct.tree.frames, ct.closures.pair_frames
    R_first, p_first = frame_pose(ct.flex, frames, pair[e, 0], q, ws)
    R_second, p_second = frame_pose(ct.flex, frames, pair[e, 1], q, ws)
    store(cw.R_first, e, R_first)
    store(cw.p_second, e, p_second)
    for j in range(3):
        column = unrotate(R_first, (R_second[j], R_second[3 + j], R_second[6 + j]))
        for i in range(3):
            cw.R[e, 3 * i + j] = column[i]
    store(cw.p, e, unrotate(R_first, add(p_second, scale(-1, p_first))))


@step
def pair_velocity_step(ct: ClosedTree, e: int, state: States, ws: Workspace, cw: ClosureWorkspace) -> None:
    """How the second frame of pair e moves in the first. Given R, p. Computes V."""
    first = end_velocity(ct, e, 0, state, ws)
    second = end_velocity(ct, e, 1, state, ws)
    R, p = load9(cw.R, e), load3(cw.p, e)
    w_first = angular(first)
    carried = add(linear(first), cross(w_first, p))
    w = add(rotate(R, angular(second)), scale(-1, w_first))
    store(cw.V, e, join(w, add(rotate(R, linear(second)), scale(-1, carried))))


@step
def pair_acceleration_step(
    ct: ClosedTree, e: int, state: States, a: Array, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """How that motion changes, seen from the first frame. Given R, p, V and accelerations of all bodies. Computes A."""
    first = end_acceleration(ct, e, 0, state, a, ws)
    second = end_acceleration(ct, e, 1, state, a, ws)
    w_first = angular(end_velocity(ct, e, 0, state, ws))
    R, p, V = load9(cw.R, e), load3(cw.p, e), load6(cw.V, e)
    turning = add(angular(first), cross(w_first, angular(V)))
    swung = add(cross(angular(first), p), cross(w_first, add(cross(w_first, p), scale(2, linear(V)))))
    dw = add(rotate(R, angular(second)), scale(-1, turning))
    du = add(rotate(R, linear(second)), scale(-1, add(linear(first), swung)))
    store(cw.A, e, join(dw, du))


@step
def screw_error(a: Vec3, R: Mat3, advance: Number, pitch: Number) -> Number:
    """How far an advance along the axis a of a rotation R is from pitch times its angle, whole turns left out.

    pitch sin(advance / pitch - angle), which is that difference where it is small, and needs no angle.
    """
    axial = (R[7] - R[5], R[2] - R[6], R[3] - R[1])
    sine, cosine = 0.5 * dot(a, axial), 0.5 * (R[0] + R[4] + R[8] - 1)
    turn = advance / pitch
    return pitch * (np.sin(turn) * cosine - np.cos(turn) * sine)


@step
def touching_point(y: Vec3, d: Number) -> tuple[Number, Number, Vec3]:
    """s = z . y, h = sqrt(1 - s^2), and from the centre of a wheel with axis y and radius d to its lowest point."""
    s = y[2]
    h = np.sqrt(1 - s * s)
    return s, h, (d * s * y[0] / h, d * s * y[1] / h, -d * h)


@step
def touching_rate(y: Vec3, w: Vec3, d: Number) -> Vec3:
    """How the touching point moves, seen from the centre, in the first frame's axes: d/dt of d (s y - z) / h."""
    s, h, _ = touching_point(y, d)
    dy = cross(w, y)
    ds = dy[2]
    dh = -s * ds / h
    inner = (s * y[0], s * y[1], s * y[2] - 1)
    rate = (ds * y[0] + s * dy[0], ds * y[1] + s * dy[1], ds * y[2] + s * dy[2])
    return (
        d * (rate[0] - inner[0] * dh / h) / h,
        d * (rate[1] - inner[1] * dh / h) / h,
        d * (rate[2] - inner[2] * dh / h) / h,
    )


@step
def wheel_row(cl: Closures, i: int, a: Vec3, y: Vec3, p: Vec3, V: Vec6) -> tuple[Vec6, Number, Number]:
    """N, phi and curvature of a row about a wheel; y is its axis in the first frame."""
    c, d = cl.row_number[i, 0], cl.row_number[i, 1]
    w = angular(V)
    s, h, m = touching_point(y, d)
    if cl.row_kind[i] == SLIP:
        return join(cross(m, a), a), 0.0 * s, dot(a, cross(w, touching_rate(y, w, d)))
    lever = (y[1], -y[0], 0.0 * s)  # y x z
    ds = dot(lever, w)
    dds = cross(w, cross(w, y))[2]
    N = join(scale(d * s / h, lever), (0.0 * s, 0.0 * s, 1.0 + 0.0 * s))
    return N, p[2] - c - d * h, d * (ds * ds / (h * h * h) + s / h * dds)


@step
def frame_row(cl: Closures, i: int, R: Mat3, p: Vec3, V: Vec6) -> tuple[Vec6, Number, Number]:
    """N, phi and curvature of row i."""
    kind = cl.row_kind[i]
    a, b = load3(cl.row_first, i), load3(cl.row_second, i)
    c, d = cl.row_number[i, 0], cl.row_number[i, 1]
    w, u = angular(V), linear(V)
    zero = 0.0 * p[0]
    none = (zero, zero, zero)
    if kind == ALONG:
        return join(none, a), dot(a, p) - c, zero
    if kind == ANGLE:
        y = rotate(R, b)
        return join(cross(y, a), none), dot(a, y) - c, dot(a, cross(w, cross(w, y)))
    if kind == DISTANCE:
        length = np.sqrt(dot(p, p))
        n = scale(1 / length, p)
        along = dot(n, u)
        return join(none, n), length - c, (dot(u, u) - along * along) / length
    if kind == SCREW:
        return join(scale(-d, a), a), screw_error(a, R, dot(a, p) - c, d), zero
    return wheel_row(cl, i, a, rotate(R, b), p, V)


@step
def row_step(cl: Closures, i: int, q: Array, v: Array, cw: ClosureWorkspace) -> None:
    """Row i and its rate. Given R, p, V of its pair. Computes N, position, velocity, curvature."""
    e = cl.row_pair[i]
    if e < 0:
        x, y = cl.row_ratios[i, 0], cl.row_ratios[i, 1]
        stretch = x * q[cl.row_coordinates[i, 0]] + y * q[cl.row_coordinates[i, 1]]
        cw.position[i] = stretch - cl.row_number[i, 0]
        cw.velocity[i] = x * v[cl.row_speeds[i, 0]] + y * v[cl.row_speeds[i, 1]]
    else:
        V = load6(cw.V, e)
        N, position, curvature = frame_row(cl, i, load9(cw.R, e), load3(cw.p, e), V)
        store(cw.N, i, N)
        cw.position[i] = position
        cw.velocity[i] = dot6(N, V)
        cw.curvature[i] = curvature


@step
def row_acceleration_step(cl: Closures, i: int, a: Array, cw: ClosureWorkspace) -> None:
    """The second rate of row i. Given N, curvature and A of its pair. Computes acceleration."""
    e = cl.row_pair[i]
    if e < 0:
        x, y = cl.row_ratios[i, 0], cl.row_ratios[i, 1]
        cw.acceleration[i] = x * a[cl.row_speeds[i, 0]] + y * a[cl.row_speeds[i, 1]]
    else:
        cw.acceleration[i] = dot6(load6(cw.N, i), load6(cw.A, e)) + cw.curvature[i]
