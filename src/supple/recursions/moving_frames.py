"""How a change of one joint coordinate, speed or acceleration moves all that is outboard of it.

All vectors of one tree on the ground are taken in the axes and at the origin O of its first body, its root, and
velocities relative to that origin's. A change of a degree of freedom i then moves every outboard body alike: as if they
stood on a frame that is displaced by the motion J(i) of a unit speed, that turns with psi(i), and whose acceleration
changes by phi(i), a motion vector. A particle of any of these bodies with the velocity x' is accelerated by

    phi_v + phi_w x x + 2 psi x x'

more: the acceleration of the frame and Coriolis's. With V and A, velocity and spatial acceleration of what the motion
vector J is displaced on (of the parent, and of those degrees of freedom of the joint that i does not carry along):

    by q    displaced by J      psi = V x J     phi = A x J + V x psi
    by v                        psi = J         phi = dJ/dt + V x J
    by a                        psi = 0         phi = J

where of psi only the rotation counts, since a constant velocity of all bodies changes no force. q is changed in the
directions of the speeds, so that J is what it is for the speeds, whatever the coordinates are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.engines.kernels import step
from supple.recursions.kinematics import joint_velocity
from supple.recursions.nodes import IDENTITY
from supple.recursions.tree import NO_ROTATION, ONE_AXIS, TWO_AXES, Array, Sizes, Tree, Workspace
from supple.spatial import (
    Vec3,
    Vec6,
    add,
    add6,
    add_scaled,
    angular,
    cross,
    force_to_parent,
    join,
    linear,
    load3,
    load6,
    load9,
    matmul,
    motion_to_child,
    rotate,
    scale,
    store,
)

BY_V, BY_Q, TURN_BY_Q = 6, 12, 18
"""Where the parts of a row of `motion` and `force` begin; the first is at 0."""


class DerivativeWorkspace(NamedTuple):
    """What derivatives of inverse dynamics need beside a `Workspace`; all in root axes at the root's origin."""

    R: Array
    """(n + 1, 9) R_root_body. By `root_pose_step`."""
    p: Array
    """(n + 1, 3) origin of the body. By `root_pose_step`."""
    V: Array
    """(n + 1, 6) velocity of the body, relative to the root's origin. By `root_motion_step`."""
    A: Array
    """(n + 1, 6) its spatial acceleration less gravity. By `root_motion_step`."""
    rate: Array
    """(nv, 6) dJ/dt. By `root_motion_step`."""
    motion: Array
    """(nv, 21) J, phi by v, phi by q, psi by q of each degree of freedom. By `root_motion_step`."""
    inertia: Array
    """(n + 1, 10) mass, first moment and inertia about O of the composite body. By `force_derivatives`."""
    coriolis: Array
    """(n + 1, 12) 2 (tr(N) I - N) and 2 p of the composite body, N = int x x'*, p = int x'. By `force_derivatives`."""
    f: Array
    """(n + 1, 6) force across the inboard joint of the composite body. By `force_derivatives`."""
    force: Array
    """(nv, 21) of each degree of freedom. By `force_derivatives.change_step`."""


def derivative_workspace(size: Sizes) -> DerivativeWorkspace:
    """New arrays."""
    rows, nv = size.bodies + 1, size.speeds
    widths = {"R": 9, "p": 3, "V": 6, "A": 6, "inertia": 10, "coriolis": 12, "f": 6}
    of_bodies = {name: np.zeros((rows, width)) for name, width in widths.items()}
    of_speeds = {name: np.zeros((nv, width)) for name, width in {"rate": 6, "motion": 21, "force": 21}.items()}
    return DerivativeWorkspace(**of_bodies, **of_speeds)


@step
def motion_cross(x: Vec6, y: Vec6) -> Vec6:
    """x x y of motion vectors: the rate of y that moves with x."""
    w = angular(x)
    return join(cross(w, angular(y)), add(cross(w, linear(y)), cross(linear(x), angular(y))))


@step
def force_cross(x: Vec6, f: Vec6) -> Vec6:
    """x x* f: the rate of a force that moves with x."""
    w = angular(x)
    return join(add(cross(w, angular(f)), cross(linear(x), linear(f))), cross(w, linear(f)))


@step
def part3(a: Array, i: int, first: int) -> Vec3:
    """Three entries of row i."""
    return a[i, first], a[i, first + 1], a[i, first + 2]


@step
def part6(a: Array, i: int, first: int) -> Vec6:
    """Six entries of row i."""
    return a[i, first], a[i, first + 1], a[i, first + 2], a[i, first + 3], a[i, first + 4], a[i, first + 5]


@step
def put(a: Array, i: int, first: int, x: tuple[float, ...]) -> None:
    """Write a tuple into row i, from an entry on."""
    for n in range(len(x)):
        a[i, first + n] = x[n]


@step
def root_pose_step(tree: Tree, k: int, ws: Workspace, dw: DerivativeWorkspace) -> None:
    """Pose of body k in its root, and J of its degrees of freedom. Given R, l, H and the parent's pose."""
    R, p = IDENTITY, (0.0, 0.0, 0.0)
    parent = tree.parent[k]
    if parent > 0:
        R_parent = load9(dw.R, parent)
        R = matmul(R_parent, load9(ws.R, k))
        p = add(load3(dw.p, parent), rotate(R_parent, load3(ws.l, k)))
    store(dw.R, k, R)
    store(dw.p, k, p)
    for i in range(tree.v_first[k], tree.v_mode[k]):
        h = load6(ws.H, i)
        J = force_to_parent(R, p, join(linear(h), angular(h)))  # a motion vector is a force with its halves exchanged
        put(dw.motion, i, 0, join(linear(J), angular(J)))


@step
def inboard_frame(tree: Tree, k: int, v: Array, ws: Workspace, dw: DerivativeWorkspace) -> tuple[Vec6, Vec6]:
    """V and A of the parent of body k; of the ground, as its root sees it."""
    parent = tree.parent[k]
    if parent > 0:
        return load6(dw.V, parent), load6(dw.A, parent)
    none = (0.0, 0.0, 0.0)
    V = join(none, scale(-1, linear(joint_velocity(tree, k, v, ws.H))))
    return V, motion_to_child(load9(ws.R, k), none, load6(ws.alpha, 0))


@step
def frame_step(i: int, V: Vec6, A: Vec6, rate: Vec6, dw: DerivativeWorkspace) -> None:
    """phi and psi of degree of freedom i. Given J, its rate, V and A of what it is displaced on."""
    J = part6(dw.motion, i, 0)
    psi = motion_cross(V, J)
    store(dw.rate, i, rate)
    put(dw.motion, i, BY_V, add6(rate, psi))
    put(dw.motion, i, BY_Q, add6(motion_cross(A, J), motion_cross(V, psi)))
    put(dw.motion, i, TURN_BY_Q, angular(psi))


@step
def series_velocity(first: int, last: int, v: Array, V: Vec6, dw: DerivativeWorkspace) -> Vec6:
    """Velocity after the degrees of freedom first ... last - 1, before which it is V."""
    for i in range(first, last):
        V = add_scaled(V, v[i], part6(dw.motion, i, 0))
    return V


@step
def series_acceleration(first: int, last: int, v: Array, a: Array, A: Vec6, dw: DerivativeWorkspace) -> Vec6:
    """The same of the spatial acceleration."""
    for i in range(first, last):
        A = add_scaled(add_scaled(A, a[i], part6(dw.motion, i, 0)), v[i], load6(dw.rate, i))
    return A


@step
def root_motion_step(tree: Tree, k: int, v: Array, a: Array, ws: Workspace, dw: DerivativeWorkspace) -> None:
    """phi and psi of the degrees of freedom of body k, and its V and A. Given J, the parent's V and A.

    One or two translations are fixed in the parent and carry the rotations; three are fixed in the body, as spherical
    rotations are, and are displaced on the parent. Of two axes the first carries the second; they come without three
    translations.
    """
    V, A = inboard_frame(tree, k, v, ws, dw)
    V_body = series_velocity(tree.v_first[k], tree.v_mode[k], v, V, dw)
    t, count = tree.v_translation[k], tree.translations[k]
    i, kind = tree.v_rotation[k], tree.rotation_kind[k]
    for j in range(t, t + count):
        frame_step(j, V, A, motion_cross(V_body if count == 3 else V, part6(dw.motion, j, 0)), dw)
    A_body = series_acceleration(t, t + count, v, a, A, dw)
    if count < 3:
        V, A = series_velocity(t, t + count, v, V, dw), A_body
    if kind == TWO_AXES:
        frame_step(i, V, A, motion_cross(V, part6(dw.motion, i, 0)), dw)
        V, A = series_velocity(i, i + 1, v, V, dw), series_acceleration(i, i + 1, v, a, A, dw)
        frame_step(i + 1, V, A, motion_cross(V_body, part6(dw.motion, i + 1, 0)), dw)
        A_body = series_acceleration(i + 1, i + 2, v, a, A, dw)
    elif kind == ONE_AXIS:
        frame_step(i, V, A, motion_cross(V_body if count == 3 else V, part6(dw.motion, i, 0)), dw)
        A_body = series_acceleration(i, i + 1, v, a, A_body, dw)
    elif kind != NO_ROTATION:
        for j in range(i, i + 3):
            frame_step(j, V, A, motion_cross(V_body, part6(dw.motion, j, 0)), dw)
        A_body = series_acceleration(i, i + 3, v, a, A_body, dw)
    store(dw.V, k, V_body)
    store(dw.A, k, A_body)
