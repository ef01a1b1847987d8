"""Derivatives of inverse dynamics by coordinates, speeds and accelerations, with the mass matrix among them.

A change of a degree of freedom moves what is outboard of it as one frame (`moving_frames`). The force that a composite
body needs at the root's origin O then changes, as seen in that frame, by the force of the particles' accelerations,

    df = M phi + B psi      B psi = int (x x c ; c),  c = 2 psi x x'      M the inertia of the composite body about O

and, as seen in space, by J x* f more, since the force is displaced with the bodies. So for an ancestor j of i

    dtau(j)/d(i) = J(j) df(i)       dtau(i)/d(j) = r(i) phi(j) + s(i) psi(j),   r = M J, s = B* J

of the composite body of i: the columns of one side and the rows of the other, and M(i, j) = J(j) r(i). With
N = int x x'* and p = int x', B* J = 2 (tr(N) w - N w + p x u) for J = (w ; u). M, N, p and f of composite bodies are
sums. The order is n times depth, as in Singh, Russell and Wensing (2022), from whom psi and phi by q are.

For rigid bodies without spring-dampers between points and without wrenches that keep their axes in space.
"""

from __future__ import annotations

from typing import NamedTuple

from supple.engines.kernels import step
from supple.recursions.moving_frames import (
    BY_Q,
    BY_V,
    TURN_BY_Q,
    DerivativeWorkspace,
    force_cross,
    part3,
    part6,
    put,
    root_motion_step,
    root_pose_step,
)
from supple.recursions.tree import TWO_AXES, Array, Tree, Workspace
from supple.spatial import (
    Sym3,
    Vec3,
    Vec6,
    accumulate,
    add,
    add6,
    angular,
    cross,
    dot,
    dot6,
    force_to_parent,
    join,
    linear,
    load3,
    load6,
    load9,
    rigid_momentum,
    rotate,
    rotate_symmetric,
    scale,
    store,
    unrotate,
)


class ForceDerivatives(NamedTuple):
    """Matrices (nv, nv), zero off the branches at the start: row i is of tau(i)."""

    by_q: Array
    """In the directions of the speeds."""
    by_v: Array
    by_a: Array
    """The mass matrix."""


@step
def shifted_inertia(m: float, h: Vec3, J: Sym3, p: Vec3) -> tuple[Vec3, Sym3]:
    """First moment and inertia about the point from which p runs to that of h and J."""
    x, y, z = p
    g = add(h, add(h, scale(m, p)))  # h about both points
    xx, yy, zz = x * g[0], y * g[1], z * g[2]
    return add(h, scale(m, p)), (
        J[0] + yy + zz,
        J[1] - 0.5 * (x * g[1] + y * g[0]),
        J[2] - 0.5 * (x * g[2] + z * g[0]),
        J[3] + xx + zz,
        J[4] - 0.5 * (y * g[2] + z * g[1]),
        J[5] + xx + yy,
    )


@step
def own_step(tree: Tree, k: int, ws: Workspace, dw: DerivativeWorkspace) -> None:
    """Inertia of body k about O, N, p and f. Given alpha, load and R, p, V in root axes.

    With S = int x x* = tr(J) / 2 - J, row i of N is h(i) u + w x S(i).
    """
    R, V = load9(dw.R, k), load6(dw.V, k)
    own = rigid_momentum(tree.mass[k], load3(tree.moment, k), load6(tree.inertia, k), load6(ws.alpha, k))
    store(dw.f, k, force_to_parent(R, load3(dw.p, k), add6(own, load6(ws.load, k))))
    w, u, m = angular(V), linear(V), tree.mass[k]
    J = rotate_symmetric(R, load6(tree.inertia, k))
    h, J = shifted_inertia(m, rotate(R, load3(tree.moment, k)), J, load3(dw.p, k))
    half = 0.5 * (J[0] + J[3] + J[5])
    x = add(scale(h[0], u), cross(w, (half - J[0], -J[1], -J[2])))
    y = add(scale(h[1], u), cross(w, (-J[1], half - J[3], -J[4])))
    z = add(scale(h[2], u), cross(w, (-J[2], -J[4], half - J[5])))
    put(dw.inertia, k, 0, (m, h[0], h[1], h[2], J[0], J[1], J[2], J[3], J[4], J[5]))
    put(dw.coriolis, k, 0, (2 * (y[1] + z[2]), -2 * x[1], -2 * x[2]))
    put(dw.coriolis, k, 3, (-2 * y[0], 2 * (x[0] + z[2]), -2 * y[2]))
    put(dw.coriolis, k, 6, (-2 * z[0], -2 * z[1], 2 * (x[0] + y[1])))
    put(dw.coriolis, k, 9, scale(2, add(scale(m, u), cross(w, h))))


@step
def composite_sum_step(tree: Tree, k: int, dw: DerivativeWorkspace) -> None:
    """The parent's composite body gains that of body k."""
    if tree.parent[k] > 0:
        for n in range(10):
            dw.inertia[tree.parent[k], n] += dw.inertia[k, n]
        for n in range(12):
            dw.coriolis[tree.parent[k], n] += dw.coriolis[k, n]
        accumulate(dw.f, tree.parent[k], load6(dw.f, k))


@step
def composite_momentum(k: int, x: Vec6, dw: DerivativeWorkspace) -> Vec6:
    """M x of composite body k."""
    return rigid_momentum(dw.inertia[k, 0], part3(dw.inertia, k, 1), part6(dw.inertia, k, 4), x)


@step
def change_step(tree: Tree, k: int, dw: DerivativeWorkspace) -> None:
    """What the degrees of freedom of body k do to the force of its composite body: r, df by v, df by q, s.

    Given motion, and inertia, coriolis and f of the composite body. Computes the rows of `force`.
    """
    N, p, f = load9(dw.coriolis, k), part3(dw.coriolis, k, 9), load6(dw.f, k)
    for i in range(tree.v_first[k], tree.v_mode[k]):
        J, psi = part6(dw.motion, i, 0), part3(dw.motion, i, TURN_BY_Q)
        w = angular(J)
        turned = join(unrotate(N, w), cross(w, p))
        put(dw.force, i, 0, composite_momentum(k, J, dw))
        put(dw.force, i, BY_V, add6(composite_momentum(k, part6(dw.motion, i, BY_V), dw), turned))
        moved = add6(composite_momentum(k, part6(dw.motion, i, BY_Q), dw), join(unrotate(N, psi), cross(psi, p)))
        put(dw.force, i, BY_Q, add6(moved, force_cross(J, f)))
        put(dw.force, i, TURN_BY_Q, add(rotate(N, w), cross(p, linear(J))))


@step
def row_by_q(i: int, j: int, dw: DerivativeWorkspace) -> float:
    """dtau(i)/dq(j) where j carries i along."""
    along = dot6(part6(dw.force, i, 0), part6(dw.motion, j, BY_Q))
    return along + dot(part3(dw.force, i, TURN_BY_Q), part3(dw.motion, j, TURN_BY_Q))


@step
def column_by_q(i: int, j: int, dw: DerivativeWorkspace) -> float:
    """dtau(i)/dq(j) where it does not."""
    return dot6(part6(dw.motion, i, 0), part6(dw.force, j, BY_Q))


@step
def joint_pairs_step(tree: Tree, k: int, dw: DerivativeWorkspace, out: ForceDerivatives) -> None:
    """All between the degrees of freedom of body k, with its joint's springs, dampers and inertias.

    Given motion and force. Rotations do not carry along one or two translations, nor a second axis the first.
    """
    first, last = tree.v_first[k], tree.v_mode[k]
    for i in range(first, last):
        for j in range(first, last):
            out.by_a[i, j] = dot6(part6(dw.motion, i, 0), part6(dw.force, j, 0))
            out.by_v[i, j] = dot6(part6(dw.motion, i, 0), part6(dw.force, j, BY_V))
            out.by_q[i, j] = row_by_q(i, j, dw)
    t, count, r = tree.v_translation[k], tree.translations[k], tree.v_rotation[k]
    if count < 3:
        for i in range(t, t + count):
            for j in range(r, r + (last - first - count)):
                out.by_q[i, j] = column_by_q(i, j, dw)
    if tree.rotation_kind[k] == TWO_AXES:
        out.by_q[r, r + 1] = column_by_q(r, r + 1, dw)
    for i in range(first, last):
        out.by_a[i, i] += tree.joint_inertia[i]
        out.by_v[i, i] += tree.damping[i]
        if tree.q_of_speed[i] >= 0:
            out.by_q[i, i] += tree.stiffness[i]


@step
def pair_step(tree: Tree, k: int, c: int, dw: DerivativeWorkspace, out: ForceDerivatives) -> None:
    """All between the degrees of freedom of body c and those of its ancestor k. Given motion and force."""
    for i in range(tree.v_first[c], tree.v_mode[c]):
        for j in range(tree.v_first[k], tree.v_mode[k]):
            J = part6(dw.motion, j, 0)
            mass = dot6(J, part6(dw.force, i, 0))
            out.by_a[i, j], out.by_a[j, i] = mass, mass
            out.by_v[j, i] = dot6(J, part6(dw.force, i, BY_V))
            out.by_q[j, i] = dot6(J, part6(dw.force, i, BY_Q))
            along = dot6(part6(dw.force, i, 0), part6(dw.motion, j, BY_V))
            out.by_v[i, j] = along + dot(part3(dw.force, i, TURN_BY_Q), angular(J))
            out.by_q[i, j] = row_by_q(i, j, dw)


@step
def force_derivatives(
    tree: Tree, v: Array, a: Array, ws: Workspace, dw: DerivativeWorkspace, out: ForceDerivatives
) -> None:
    """All derivatives at one state. Given R, l, H, alpha and load, as both inverse and forward dynamics leave them."""
    n = len(tree.parent)
    for k in range(1, n):
        root_pose_step(tree, k, ws, dw)
        root_motion_step(tree, k, v, a, ws, dw)
        own_step(tree, k, ws, dw)
    for k in range(n - 1, 0, -1):
        change_step(tree, k, dw)
        joint_pairs_step(tree, k, dw, out)
        composite_sum_step(tree, k, dw)
    for c in range(1, n):
        k = tree.parent[c]
        while k > 0:
            pair_step(tree, k, c, dw, out)
            k = tree.parent[k]
