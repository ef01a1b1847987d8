"""Closed chains: constraints between frames on top of the tree (section 9).

A constraint is a row: a number that depends on how a second frame lies and moves relative to a first one. With the
relative pose R, p, velocity w, u and acceleration dw, du, all relative to the first frame and in its axes, a row has

    phi(R, p) = 0,    phi' = N . (w, u),    phi'' = N . (dw, du) + curvature,

and its force acts as the wrench lambda N on the second body and -lambda N on the first. J* is found by carrying these
wrenches inward, M^-1 J* by the articulated sweeps: linear in the bodies for each row. The effective inertia that the
tree reflects to the closures is the inverse of S = J M^-1 J*; it is never needed itself.

S may be singular: rows repeat each other in an overconstrained mechanism, or in passing where a mechanism has a choice.
So forces are found by rounds of solutions with a little more than S on the diagonal (Tikhonov, iterated), each of what
the ones before have left. That gives the forces of least size, and passes through singular postures.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.engines.kernels import step, sweep
from supple.recursions.articulated import (
    accelerate_step,
    articulate,
    articulated_inertias,
    residual_step,
    singular_freedom,
)
from supple.recursions.composite import posture_step
from supple.recursions.coordinates import advance_step
from supple.recursions.forces import node_act
from supple.recursions.kinematics import (
    acceleration_step,
    ground_acceleration,
    pose_step,
    twist_step,
    velocity_step,
)
from supple.recursions.newton_euler import at_rest, joint_force_step
from supple.recursions.nodes import node_motion, node_pose, node_rate_step, node_step
from supple.recursions.tree import Array, Flex, Tree, Workspace
from supple.spatial import (
    Mat3,
    Number,
    Vec3,
    Vec6,
    accumulate,
    add,
    add6,
    angular,
    cross,
    dot,
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
    store,
    unrotate,
)

# What a row demands (`Closures.row_kind`); a is fixed in the first frame, b in the second, c and d are numbers.
ALONG = 0  # a . p = c
ANGLE = 1  # a . R b = c
DISTANCE = 2  # |p| = c
SCREW = 3  # a . p = d times the angle about a
COUPLING = 4  # a sum of two coordinates times numbers is c; it has no frames
HEIGHT = 5  # a wheel with axis b (a ball for b = 0) and radius d stands on the plane z = c of the first frame
SLIP = 6  # its touching point does not move along a: a condition on velocities alone


SOFTNESS = 1e-7
"""What is added to S, relative to its diagonal, so that rows which repeat others, or do so in passing, do no harm."""
ROUNDS = 3
"""Solutions, each of what the ones before have left; what the softness changes is then beyond rounding."""
SMALLEST = 1e-20
"""Of the diagonal of S, below which nothing that the joints do changes a row."""


class Closures(NamedTuple):
    """Constraints of a model as flat arrays. Never written to."""

    pair_bodies: Array
    """(pairs, 2) bodies of the first and second frame."""
    pair_seats: Array
    """(pairs, 2) their seats on flexible bodies; -1 on rigid ones."""
    pair_positions: Array
    """(pairs, 6) the frames' origins in their bodies, or from their seats, m."""
    pair_rotations: Array
    """(pairs, 18) their axes, R_body_frame or R_seat_frame."""
    row_kind: Array
    """(rows,) one of the constants above."""
    row_pair: Array
    """(rows,) its pair of frames; -1 of a coupling."""
    row_first: Array
    """(rows, 3) a."""
    row_second: Array
    """(rows, 3) b."""
    row_number: Array
    """(rows, 2) c, d."""
    row_coordinates: Array
    """(rows, 2) coordinates that a coupling joins."""
    row_speeds: Array
    """(rows, 2) their speeds."""
    row_ratios: Array
    """(rows, 2) their factors."""


class ClosureWorkspace(NamedTuple):
    """What is computed of the closures. One for each thread."""

    R_first: Array
    """(pairs, 9) R_ground_first."""
    p_second: Array
    """(pairs, 3) origin of the second frame in the ground frame."""
    R: Array
    """(pairs, 9) R_first_second."""
    p: Array
    """(pairs, 3) origin of the second frame in the first."""
    V: Array
    """(pairs, 6) w, u."""
    A: Array
    """(pairs, 6) dw, du for the accelerations in `Workspace.alpha`."""
    N: Array
    """(rows, 6) how a row sees the relative velocity."""
    position: Array
    """(rows,) phi; zero where there is none."""
    velocity: Array
    """(rows,) phi'."""
    acceleration: Array
    """(rows,) phi'' for the accelerations in `Workspace.alpha`."""
    J: Array
    """(rows, nv) phi' = J v."""
    X: Array
    """(rows, nv) M^-1 J*, its columns as rows."""
    S: Array
    """(rows, rows) J M^-1 J*."""
    hold: Array
    """(rows, nv) drive forces that hold given accelerations at zero against a unit force of a row."""
    force: Array
    """(rows,) lambda."""
    L: Array
    """(rows, rows) factor of S, made a little firmer."""
    pivot: Array
    """(rows,) D of L D L*."""
    left: Array
    """(rows,) of use within a step only."""
    error: Array
    """(rows,) what the forces must bring about."""
    change: Array
    """(nv,) step of the coordinates in the directions of the speeds."""
    still: Array
    """(nv,) zeros."""


def closure_workspace(closures: Closures, speeds: int, dtype: type) -> ClosureWorkspace:
    """New arrays."""
    pairs, rows = len(closures.pair_bodies), len(closures.row_kind)
    return ClosureWorkspace(
        R_first=np.zeros((pairs, 9), dtype),
        p_second=np.zeros((pairs, 3), dtype),
        R=np.zeros((pairs, 9), dtype),
        p=np.zeros((pairs, 3), dtype),
        V=np.zeros((pairs, 6), dtype),
        A=np.zeros((pairs, 6), dtype),
        N=np.zeros((rows, 6), dtype),
        position=np.zeros(rows, dtype),
        velocity=np.zeros(rows, dtype),
        acceleration=np.zeros(rows, dtype),
        J=np.zeros((rows, speeds), dtype),
        X=np.zeros((rows, speeds), dtype),
        S=np.zeros((rows, rows), dtype),
        hold=np.zeros((rows, speeds), dtype),
        force=np.zeros(rows, dtype),
        L=np.zeros((rows, rows), dtype),
        pivot=np.zeros(rows, dtype),
        left=np.zeros(rows, dtype),
        error=np.zeros(rows, dtype),
        change=np.zeros(speeds, dtype),
        still=np.zeros(speeds, dtype),
    )


# ---------------------------------------------------------------- the frames of a pair


@step
def frame_rotation(cl: Closures, e: int, end: int) -> Mat3:
    """R_body_frame, or R_seat_frame, of one end (0 or 1) of pair e."""
    i = 9 * end
    r = cl.pair_rotations
    return (
        r[e, i],
        r[e, i + 1],
        r[e, i + 2],
        r[e, i + 3],
        r[e, i + 4],
        r[e, i + 5],
        r[e, i + 6],
        r[e, i + 7],
        r[e, i + 8],
    )


@step
def frame_position(cl: Closures, e: int, end: int) -> Vec3:
    """Origin of one end of pair e in its body, or from its seat."""
    i = 3 * end
    return cl.pair_positions[e, i], cl.pair_positions[e, i + 1], cl.pair_positions[e, i + 2]


@step
def frame_pose(flex: Flex | None, cl: Closures, e: int, end: int, q: Array, ws: Workspace) -> tuple[Mat3, Vec3]:
    """R_ground_frame and the origin in the ground frame of one end of pair e. Given R_ground, p_ground."""
    k, s = cl.pair_bodies[e, end], cl.pair_seats[e, end]
    R, l = frame_rotation(cl, e, end), frame_position(cl, e, end)
    if flex is not None and s >= 0:
        R_node, l_node = node_pose(flex, s, q)
        R, l = matmul(R_node, R), add(l_node, rotate(R_node, l))
    R_ground = load9(ws.R_ground, k)
    return matmul(R_ground, R), add(load3(ws.p_ground, k), rotate(R_ground, l))


@step
def frame_velocity(flex: Flex | None, cl: Closures, e: int, end: int, v: Array, ws: Workspace) -> Vec6:
    """Velocity of one end of pair e in its own axes. Given V, node_*."""
    s = cl.pair_seats[e, end]
    R, l = frame_rotation(cl, e, end), frame_position(cl, e, end)
    V = load6(ws.V, cl.pair_bodies[e, end])
    if flex is not None and s >= 0:
        V = node_motion(flex, s, v, V, ws.flex)
        R_node = load9(ws.flex.node_R, s)
        R, l = matmul(R_node, R), rotate(R_node, l)
    w = angular(V)
    return join(unrotate(R, w), unrotate(R, add(linear(V), cross(w, l))))


@step
def frame_acceleration(
    flex: Flex | None, cl: Closures, e: int, end: int, q: Array, v: Array, a: Array, ws: Workspace
) -> Vec6:
    """True acceleration of one end of pair e in its own axes, less gravity. Given alpha, omega, node_*."""
    k, s = cl.pair_bodies[e, end], cl.pair_seats[e, end]
    R, l = frame_rotation(cl, e, end), frame_position(cl, e, end)
    A, w = load6(ws.alpha, k), load3(ws.omega, k)
    if flex is not None and s >= 0:
        bias = node_rate_step(flex, s, q, v, w, ws.flex)
        A = add6(node_motion(flex, s, a, A, ws.flex), bias)
        w = add(w, angular(load6(ws.flex.node_rate, s)))
        R_node = load9(ws.flex.node_R, s)
        R, l = matmul(R_node, R), rotate(R_node, l)
    point = add(add(linear(A), cross(angular(A), l)), cross(w, cross(w, l)))
    return join(unrotate(R, angular(A)), unrotate(R, point))


@step
def pair_pose_step(flex: Flex | None, cl: Closures, e: int, q: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Where the second frame of pair e is in the first. Computes R_first, p_second, R, p."""
    R_first, p_first = frame_pose(flex, cl, e, 0, q, ws)
    R_second, p_second = frame_pose(flex, cl, e, 1, q, ws)
    store(cw.R_first, e, R_first)
    store(cw.p_second, e, p_second)
    for j in range(3):
        column = unrotate(R_first, (R_second[j], R_second[3 + j], R_second[6 + j]))
        for i in range(3):
            cw.R[e, 3 * i + j] = column[i]
    store(cw.p, e, unrotate(R_first, add(p_second, scale(-1, p_first))))


@step
def pair_velocity_step(flex: Flex | None, cl: Closures, e: int, v: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """How the second frame of pair e moves in the first. Given R, p. Computes V."""
    first = frame_velocity(flex, cl, e, 0, v, ws)
    second = frame_velocity(flex, cl, e, 1, v, ws)
    R, p = load9(cw.R, e), load3(cw.p, e)
    w_first = angular(first)
    carried = add(linear(first), cross(w_first, p))
    w = add(rotate(R, angular(second)), scale(-1, w_first))
    store(cw.V, e, join(w, add(rotate(R, linear(second)), scale(-1, carried))))


@step
def pair_acceleration_step(
    flex: Flex | None, cl: Closures, e: int, q: Array, v: Array, a: Array, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """How that motion changes, seen from the first frame. Given R, p, V and accelerations of all bodies. Computes A."""
    first = frame_acceleration(flex, cl, e, 0, q, v, a, ws)
    second = frame_acceleration(flex, cl, e, 1, q, v, a, ws)
    w_first = angular(frame_velocity(flex, cl, e, 0, v, ws))
    R, p, V = load9(cw.R, e), load3(cw.p, e), load6(cw.V, e)
    turning = add(angular(first), cross(w_first, angular(V)))
    swung = add(cross(angular(first), p), cross(w_first, add(cross(w_first, p), scale(2, linear(V)))))
    dw = add(rotate(R, angular(second)), scale(-1, turning))
    du = add(rotate(R, linear(second)), scale(-1, add(linear(first), swung)))
    store(cw.A, e, join(dw, du))


# ---------------------------------------------------------------- the rows


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
def row_step(cl: Closures, i: int, q: Array, v: Array, a: Array, cw: ClosureWorkspace) -> None:
    """Row i. Given R, p, V, A of its pair. Computes N, position, velocity, acceleration."""
    e = cl.row_pair[i]
    if e < 0:
        x, y = cl.row_ratios[i, 0], cl.row_ratios[i, 1]
        j, k = cl.row_speeds[i, 0], cl.row_speeds[i, 1]
        stretch = x * q[cl.row_coordinates[i, 0]] + y * q[cl.row_coordinates[i, 1]]
        cw.position[i] = stretch - cl.row_number[i, 0]
        cw.velocity[i] = x * v[j] + y * v[k]
        cw.acceleration[i] = x * a[j] + y * a[k]
    else:
        V = load6(cw.V, e)
        N, position, curvature = frame_row(cl, i, load9(cw.R, e), load3(cw.p, e), V)
        store(cw.N, i, N)
        cw.position[i] = position
        cw.velocity[i] = dot6(N, V)
        cw.acceleration[i] = dot6(N, load6(cw.A, e)) + curvature


# ---------------------------------------------------------------- forces


@step
def frame_force(
    flex: Flex | None, cl: Closures, e: int, end: int, f: Vec6, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """Let a wrench in the first frame's axes act at the second frame's origin on the body of one end of pair e.

    The load of the body becomes less.
    """
    k, s = cl.pair_bodies[e, end], cl.pair_seats[e, end]
    R_ground = load9(ws.R_ground, k)
    R_first = load9(cw.R_first, e)
    moment = unrotate(R_ground, rotate(R_first, angular(f)))
    force = unrotate(R_ground, rotate(R_first, linear(f)))
    l = unrotate(R_ground, add(load3(cw.p_second, e), scale(-1, load3(ws.p_ground, k))))
    own = join(add(moment, cross(l, force)), force)
    if flex is not None and s >= 0:
        R_node = load9(ws.flex.node_R, s)
        arm = unrotate(R_node, add(l, scale(-1, load3(ws.flex.node_l, s))))
        own = node_act(flex, s, arm, moment, force, ws.flex)
    accumulate(ws.load, k, scale6(-1, own))


@step
def row_force(flex: Flex | None, cl: Closures, i: int, size: Number, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Let the force of row i, of a size, act on both its bodies."""
    e = cl.row_pair[i]
    f = scale6(size, load6(cw.N, i))
    frame_force(flex, cl, e, 1, f, ws, cw)
    frame_force(flex, cl, e, 0, scale6(-1, f), ws, cw)


@step
def carry_inward(tree: Tree, flex: Flex | None, still: Array, ws: Workspace, tau: Array) -> None:
    """Forces on all speeds that balance the loads on the bodies and modes, H Phi of them. Given load, modal."""
    n = len(tree.parent)
    for k in range(n):
        store(ws.f, k, load6(ws.load, k))
    if flex is not None:
        for k in range(1, n):
            for i in range(flex.v_mode[k], flex.v_mode[k] + flex.modes[k]):
                tau[i] = ws.flex.modal[i]
    for k in range(n - 1, 0, -1):
        joint_force_step(tree, flex, k, still, ws, tau)


@step
def jacobian_row(tree: Tree, flex: Flex | None, cl: Closures, i: int, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Row i of J: what its force of one newton (or newton metre) gives on all speeds. Given `at_rest`. Computes J."""
    n = len(cw.still)
    if cl.row_pair[i] < 0:
        for j in range(n):
            cw.J[i, j] = 0.0
        cw.J[i, cl.row_speeds[i, 0]] += cl.row_ratios[i, 0]
        cw.J[i, cl.row_speeds[i, 1]] += cl.row_ratios[i, 1]
        return
    at_rest(flex, ws)
    row_force(flex, cl, i, 1.0, ws, cw)
    carry_inward(tree, flex, cw.still, ws, cw.J[i])
    for j in range(n):
        cw.J[i, j] = -cw.J[i, j]


# ---------------------------------------------------------------- sweeps over one state


@step
def closure_motion(
    tree: Tree, flex: Flex | None, cl: Closures, q: Array, v: Array, a: Array, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """All rows. Given R, l, H, omega and the accelerations alpha of all bodies for a. Computes all but J, X, S."""
    for k in range(1, len(tree.parent)):
        pose_step(tree, flex, k, q, ws)
        twist_step(tree, flex, k, v, ws)
    if flex is not None:
        for s in range(len(flex.seat_body)):
            node_step(flex, s, q, ws.flex)
    for e in range(len(cl.pair_bodies)):
        pair_pose_step(flex, cl, e, q, ws, cw)
        pair_velocity_step(flex, cl, e, v, ws, cw)
        pair_acceleration_step(flex, cl, e, q, v, a, ws, cw)
    for i in range(len(cl.row_kind)):
        row_step(cl, i, q, v, a, cw)


@step
def respond(tree: Tree, flex: Flex | None, given: Array, i: int, ws: Workspace, cw: ClosureWorkspace) -> None:
    """How the tree answers to the force of row i: M^-1 J*, and the drive forces that hold given accelerations at zero.

    Given J, D, G, and the tree `at_rest`. Computes X, hold.
    """
    n = len(tree.parent)
    ws.f[:] = 0.0
    for j in range(len(given)):
        ws.eps[j] = cw.J[i, j]
        cw.hold[i, j] = 0.0
    for k in range(n - 1, 0, -1):
        residual_step(tree, flex, k, cw.hold[i], given, ws)
    for k in range(1, n):
        accelerate_step(tree, flex, k, cw.hold[i], given, ws, cw.X[i])


@step
def reflect(tree: Tree, flex: Flex | None, cl: Closures, given: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """J, M^-1 J* and S = J M^-1 J*, in O(bodies) a row. Given N and the articulated D, G; leaves the tree at rest."""
    rows, n = len(cl.row_kind), len(cw.still)
    for i in range(rows):
        jacobian_row(tree, flex, cl, i, ws, cw)
    at_rest(flex, ws)
    for i in range(rows):
        respond(tree, flex, given, i, ws, cw)
        for j in range(i + 1):
            total = 0.0 * cw.X[i, 0]
            for k in range(n):
                total = total + cw.J[j, k] * cw.X[i, k]
            cw.S[i, j] = total
            cw.S[j, i] = total


@step
def free_motion(
    tree: Tree,
    flex: Flex | None,
    cl: Closures,
    q: Array,
    v: Array,
    drive: Array,
    given: Array,
    wrench: Array,
    ws: Workspace,
    cw: ClosureWorkspace,
    a: Array,
) -> None:
    """The tree with its closures open, and what closes them. Computes a, `drive` of given freedoms, all of `cw`."""
    ground_acceleration(-1.0, tree, ws)
    articulate(tree, flex, q, v, drive, given, wrench, ws, a)
    closure_motion(tree, flex, cl, q, v, a, ws, cw)
    reflect(tree, flex, cl, given, ws, cw)


@step
def close(given: Array, drive: Array, cw: ClosureWorkspace, a: Array) -> None:
    """Add what the closure forces do to accelerations, and to the drive forces where accelerations are given."""
    for i in range(len(cw.force)):
        for j in range(len(a)):
            if given[j]:
                drive[j] = drive[j] + cw.force[i] * cw.hold[i, j]
            else:
                a[j] = a[j] + cw.force[i] * cw.X[i, j]


# ---------------------------------------------------------------- numbers


@step
def factor_closures(cw: ClosureWorkspace) -> None:
    """L and D of S made a little firmer, see SOFTNESS; rows that nothing changes are left out. Computes L, pivot."""
    S, L = cw.S, cw.L
    for i in range(len(cw.pivot)):
        own = S[i, i] * (1 + SOFTNESS)
        for k in range(i):
            total = S[i, k]
            for m in range(k):
                total = total - L[i, m] * L[k, m] * cw.pivot[m]
            L[i, k] = total / cw.pivot[k]
            own = own - L[i, k] * total
        cw.pivot[i] = own if S[i, i].real > SMALLEST else 1.0 + 0.0 * own


@step
def solve_closures(r: Array, x: Array, cw: ClosureWorkspace) -> None:
    """x (rows,) of least size with S x = r, by rounds of solutions with what is a little firmer than S.

    Given L, pivot, and r, which is not changed. Each round is of what the ones before have left: a direction in which S
    is larger than the softness is found to rounding; one in which it is smaller, because rows repeat each other or do
    so in passing, gets no force, and its conditions are left to the others.
    """
    rows = len(r)
    for i in range(rows):
        x[i] = 0.0
    for _ in range(ROUNDS):
        for i in range(rows):
            total = r[i]
            for k in range(rows):
                total = total - cw.S[i, k] * x[k]
            for k in range(i):
                total = total - cw.L[i, k] * cw.left[k]
            cw.left[i] = total
        for i in range(rows - 1, -1, -1):
            total = cw.left[i] / cw.pivot[i]
            for k in range(i + 1, rows):
                total = total - cw.L[k, i] * cw.left[k]
            cw.left[i] = total
        for i in range(rows):
            if cw.S[i, i].real > SMALLEST:
                x[i] = x[i] + cw.left[i]


@sweep
def forward_dynamics(
    tree: Tree,
    flex: Flex | None,
    cl: Closures,
    q: Array,
    v: Array,
    drive: Array,
    given: Array,
    wrench: Array,
    ws: Workspace,
    cw: ClosureWorkspace,
    a: Array,
    force: Array,
) -> int:
    """Accelerations a (s, nv) and closure forces (s, rows) for a batch of states.

    Return 0, or 1 + the freedom of the open tree that has no inertia.

    `drive` and `given` as those of the tree.
    """
    for s in range(len(q)):
        free_motion(tree, flex, cl, q[s], v[s], drive[s], given, wrench[s % len(wrench)], ws, cw, a[s])
        fault = singular_freedom(given, ws)
        if fault > 0:
            return fault
        for i in range(len(cw.error)):
            cw.error[i] = -cw.acceleration[i]
        factor_closures(cw)
        solve_closures(cw.error, cw.force, cw)
        close(given, drive[s], cw, a[s])
        for i in range(len(cw.force)):
            force[s, i] = cw.force[i]
    return 0


@step
def closing_step(
    tree: Tree,
    flex: Flex | None,
    cl: Closures,
    q: Array,
    v: Array,
    given: Array,
    ws: Workspace,
    cw: ClosureWorkspace,
    q_new: Array,
    v_new: Array,
) -> None:
    """One step towards the closed loops, of least kinetic energy: dq = -M^-1 J* S^-1 phi, and so for the speeds.

    Given freedoms stay. A state that is closed but for an error e is left with one of the order of its square.
    """
    open_motion(tree, flex, cl, q, v, given, ws, cw)
    factor_closures(cw)
    solve_closures(cw.position, cw.force, cw)
    for j in range(len(v)):
        cw.change[j] = 0.0
        for i in range(len(cw.force)):
            cw.change[j] -= cw.force[i] * cw.X[i, j]
    for k in range(1, len(tree.parent)):
        advance_step(tree, flex, k, q, cw.change, 1.0, q_new)
    solve_closures(cw.velocity, cw.force, cw)
    for j in range(len(v)):
        v_new[j] = v[j]
        for i in range(len(cw.force)):
            v_new[j] -= cw.force[i] * cw.X[i, j]


@sweep
def closing(
    tree: Tree,
    flex: Flex | None,
    cl: Closures,
    q: Array,
    v: Array,
    given: Array,
    ws: Workspace,
    cw: ClosureWorkspace,
    q_new: Array,
    v_new: Array,
) -> None:
    """States (s, nq), (s, nv) after a `closing_step` each."""
    for s in range(len(q)):
        closing_step(tree, flex, cl, q[s], v[s], given, ws, cw, q_new[s], v_new[s])


@sweep
def residuals(
    tree: Tree,
    flex: Flex | None,
    cl: Closures,
    q: Array,
    v: Array,
    ws: Workspace,
    cw: ClosureWorkspace,
    position: Array,
    velocity: Array,
) -> None:
    """phi and phi' (s, rows) for a batch of states."""
    for s in range(len(q)):
        still_motion(tree, flex, q[s], v[s], cw.still, ws)
        closure_motion(tree, flex, cl, q[s], v[s], cw.still, ws, cw)
        for i in range(len(cl.row_kind)):
            position[s, i] = cw.position[i]
            velocity[s, i] = cw.velocity[i]


@sweep
def jacobians(
    tree: Tree, flex: Flex | None, cl: Closures, q: Array, ws: Workspace, cw: ClosureWorkspace, J: Array
) -> None:
    """J (s, rows, nv) for a batch of coordinates."""
    for s in range(len(q)):
        still_motion(tree, flex, q[s], cw.still, cw.still, ws)
        closure_motion(tree, flex, cl, q[s], cw.still, cw.still, ws, cw)
        for i in range(len(cl.row_kind)):
            jacobian_row(tree, flex, cl, i, ws, cw)
            for j in range(len(cw.still)):
                J[s, i, j] = cw.J[i, j]


@sweep
def reflection(
    tree: Tree, flex: Flex | None, cl: Closures, q: Array, v: Array, given: Array, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """`open_motion` of one state, callable from Python."""
    open_motion(tree, flex, cl, q, v, given, ws, cw)


@step
def open_motion(
    tree: Tree, flex: Flex | None, cl: Closures, q: Array, v: Array, given: Array, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """Everything in `cw` but accelerations and forces: errors, J, M^-1 J* and S; given freedoms stay still."""
    still_motion(tree, flex, q, v, cw.still, ws)
    articulated_inertias(tree, flex, given, ws)
    closure_motion(tree, flex, cl, q, v, cw.still, ws, cw)
    reflect(tree, flex, cl, given, ws, cw)


@step
def still_motion(tree: Tree, flex: Flex | None, q: Array, v: Array, a: Array, ws: Workspace) -> None:
    """Posture, angular velocities and accelerations of all bodies for a, gravity left out."""
    ground_acceleration(0.0, tree, ws)
    for k in range(1, len(tree.parent)):
        posture_step(tree, flex, k, q, ws)
        velocity_step(tree, flex, k, q, v, ws)
        acceleration_step(tree, flex, k, a, ws)


@sweep
def loads(
    tree: Tree,
    flex: Flex | None,
    cl: Closures,
    q: Array,
    force: Array,
    ws: Workspace,
    cw: ClosureWorkspace,
    wrench: Array,
    modal: Array,
) -> None:
    """What forces (s, rows) do to bodies, (s, n + 1, 6) in body axes at body origins, and to modes, (s, nv)."""
    for s in range(len(q)):
        still_motion(tree, flex, q[s], cw.still, cw.still, ws)
        closure_motion(tree, flex, cl, q[s], cw.still, cw.still, ws, cw)
        at_rest(flex, ws)
        for i in range(len(cl.row_kind)):
            if cl.row_pair[i] >= 0:
                row_force(flex, cl, i, force[s, i], ws, cw)
        for k in range(len(tree.parent)):
            for j in range(6):
                wrench[s, k, j] = -ws.load[k, j]
        if flex is not None:
            for j in range(len(cw.still)):
                modal[s, j] = -ws.flex.modal[j]
