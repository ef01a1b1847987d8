"""Regressor of inverse dynamics: generalized forces for a unit of each inertial parameter of the rigid bodies.

Inverse dynamics is linear in mass m, first moment h = m c and inertia J of a body, both about its origin: what it needs
is f = A (m, h, J), where A depends on its angular velocity and acceleration, and tau(i) = u* f, where u is its partial
velocity: its motion for a unit speed i. Partial velocities go outward, one degree of freedom after the other, and meet
A at each body: 6 numbers are carried from body to body, not the 60 of A.
"""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.kinematics import acceleration_step, ground_acceleration, joint_step, velocity_step
from supple.recursions.nodes import node_shape, shift_motion
from supple.recursions.states import States, state_at
from supple.recursions.tree import Array, Flex, Tree, Workspace
from supple.spatial import (
    Number,
    Vec3,
    Vec6,
    add,
    angular,
    cross,
    dot,
    linear,
    load3,
    load6,
    load9,
    motion_to_child,
    store,
)

PARAMETERS = 10
"""Inertial parameters of a rigid body: m, h (3), J (6: xx, xy, xz, yy, yz, zz)."""


@step
def parameter_forces(u: Vec6, w: Vec3, alpha: Vec6) -> tuple[Number, ...]:
    """u* A (10): forces on a degree of freedom for units of m, h and J of a body.

    Given its partial velocity u = (e, d), angular velocity w and acceleration alpha = (r, a). From f = (J r + h x a +
    w x J w, m a - h x r + w x (w x h)) they are d* a for m, a x e + d x r + (d x w) x w for h, and for J the entries of
    e r* + (e x w) w*, those off the diagonal added in pairs. Cost: 46 multiplications, 38 additions.
    """
    e, d = angular(u), linear(u)
    r, a = angular(alpha), linear(alpha)
    c = cross(e, w)
    h = add(add(cross(a, e), cross(d, r)), cross(cross(d, w), w))
    return (
        dot(d, a),
        h[0],
        h[1],
        h[2],
        e[0] * r[0] + c[0] * w[0],
        e[0] * r[1] + e[1] * r[0] + c[0] * w[1] + c[1] * w[0],
        e[0] * r[2] + e[2] * r[0] + c[0] * w[2] + c[2] * w[0],
        e[1] * r[1] + c[1] * w[1],
        e[1] * r[2] + e[2] * r[1] + c[1] * w[2] + c[2] * w[1],
        e[2] * r[2] + c[2] * w[2],
    )


@step
def store_row(flex: Flex | None, i: int, k: int, ws: Workspace, Y: Array) -> None:
    """Write row i of the columns of body k. Given its V for a unit speed i, omega, alpha. A flexible body has none."""
    if flex is None or flex.modes[k] == 0:
        row = parameter_forces(load6(ws.V, k), load3(ws.omega, k), load6(ws.alpha, k))
        for p in range(PARAMETERS):
            Y[i, k - 1, p] = row[p]


@step
def carry_step(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> None:
    """Partial velocity of body k, of which its parent's is known. Given R, l, node_l. Computes V."""
    u = load6(ws.V, tree.parent[k])
    if flex is not None and flex.attachment[k] >= 0:
        u = shift_motion(load3(ws.flex.node_l, flex.attachment[k]), u)
    store(ws.V, k, motion_to_child(load9(ws.R, k), load3(ws.l, k), u))


@step
def carries(tree: Tree, j: int, k: int) -> bool:
    """Whether body j is body k or on its way to the ground."""
    b = k
    while b > j:
        b = tree.parent[b]
    return b == j


@step
def joint_rows(tree: Tree, flex: Flex | None, j: int, ws: Workspace, Y: Array) -> None:
    """Rows of the degrees of freedom of joint j: the columns of all bodies that it carries. Given H and all motions."""
    for i in range(tree.v_first[j], tree.v_mode[j]):
        store(ws.V, j, load6(ws.H, i))
        store_row(flex, i, j, ws, Y)
        for k in range(j + 1, len(tree.parent)):
            if carries(tree, j, k):
                carry_step(tree, flex, k, ws)
                store_row(flex, i, k, ws, Y)


@step
def mode_rows(tree: Tree, flex: Flex, j: int, ws: Workspace, Y: Array) -> None:
    """Rows of the modes of body j, which move its attachment nodes. Given node_Q and all motions."""
    for r in range(flex.modes[j]):
        i = flex.v_mode[j] + r
        for k in range(j + 1, len(tree.parent)):
            if carries(tree, j, k):
                if tree.parent[k] == j:
                    u = node_shape(flex, flex.attachment[k], r, ws.flex)
                    store(ws.V, k, motion_to_child(load9(ws.R, k), load3(ws.l, k), u))
                else:
                    carry_step(tree, flex, k, ws)
                store_row(flex, i, k, ws, Y)


@sweep
def regressor(tree: Tree, flex: Flex | None, states: States, a: Array, ws: Workspace, Y: Array) -> None:
    """Y (s, nv, n, 10) for a batch of states and accelerations a (s, nv); entries that stay zero are not written."""
    ground_acceleration(-1.0, tree, ws)
    for s in range(len(states.q)):
        state = state_at(states, s)
        for k in range(1, len(tree.parent)):
            joint_step(tree, flex, k, state.q, ws)
            velocity_step(tree, flex, k, state.q, state.v, ws)
            acceleration_step(tree, flex, k, a[s], ws)
        for j in range(1, len(tree.parent)):
            joint_rows(tree, flex, j, ws, Y[s])
            if flex is not None:
                mode_rows(tree, flex, j, ws, Y[s])
