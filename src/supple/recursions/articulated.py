"""Forward dynamics by articulated bodies, linear in the number of bodies: (6.1), (7.2), (7.3).

Each freedom of a joint is eliminated on its own, as if a massless body stood between it and the next; this is the
separation of freedoms (7.6) carried to the end. D is then a number, a joint of any size takes the same path,
and a freedom whose acceleration is given (hybrid dynamics) is simply not eliminated.
"""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.composite import own_inertias
from supple.recursions.forces import loaded_motion, passive
from supple.recursions.kinematics import ground_acceleration, joint_step
from supple.recursions.newton_euler import at_rest
from supple.recursions.tree import Array, Tree, Workspace
from supple.spatial import (
    accumulate,
    accumulate_inertia,
    add6,
    add_scaled,
    angular,
    dot,
    dot6,
    force_to_parent,
    inertia_times,
    inertia_to_parent,
    linear,
    load3,
    load6,
    load9,
    load_inertia,
    motion_to_child,
    scale6,
    store,
    subtract_outer,
)

SINGULAR = 1e-14
"""Least D, relative to the inertia it was left from, that is more than rounding."""


@step
def inertia_step(tree: Tree, k: int, given: Array, ws: Workspace) -> None:
    """Eliminate the freedoms of body k from P(k), last to first, and pass P+ to its parent (6.1).

    Given P(k) with all outboard bodies added, H. Computes D, size, G = P H* D^-1; for a given acceleration P stays as
    it is and G holds P H*. Cost: 36 + 6 + 21 products a freedom, 190 for the shift to the parent.
    """
    P = load_inertia(ws.P, k)
    turning, moving = P[0] + P[3] + P[5], P[15] + P[18] + P[20]
    for i in range(tree.v_first[k + 1] - 1, tree.v_first[k] - 1, -1):
        h = load6(ws.H, i)
        u = inertia_times(P, h)
        ws.D[i] = dot6(h, u) + tree.joint_inertia[i]
        ws.size[i] = dot(angular(h), angular(h)) * turning + dot(linear(h), linear(h)) * moving
        if given[i]:
            store(ws.G, i, u)
        else:
            g = scale6(1 / ws.D[i], u)
            store(ws.G, i, g)
            P = subtract_outer(P, g, u)
    accumulate_inertia(ws.P, tree.parent[k], inertia_to_parent(load9(ws.R, k), load3(ws.l, k), P))


@step
def bias_step(k: int, ws: Workspace) -> None:
    """z(k) starts as P(k) a(k) + b(k) (7.2), less the applied wrench. Given P(k) complete, bias, load. Adds to f."""
    accumulate(ws.f, k, add6(inertia_times(load_inertia(ws.P, k), load6(ws.bias, k)), load6(ws.load, k)))


@step
def residual_step(tree: Tree, k: int, drive: Array, given: Array, ws: Workspace) -> None:
    """What is left of the forces on body k, last freedom to first, and z+ passed to its parent (7.2).

    Given z(k) in the rows of f, H, D, G, and in eps the forces T. Computes eps = T - H z; where the acceleration is
    given (its value in `drive`), eps = H z - T and z takes P H* times it.
    """
    z = load6(ws.f, k)
    for i in range(tree.v_first[k + 1] - 1, tree.v_first[k] - 1, -1):
        hz = dot6(load6(ws.H, i), z)
        if given[i]:
            ws.eps[i] = hz - ws.eps[i]
            z = add_scaled(z, drive[i], load6(ws.G, i))
        else:
            ws.eps[i] = ws.eps[i] - hz
            z = add_scaled(z, ws.eps[i], load6(ws.G, i))
    accumulate(ws.f, tree.parent[k], force_to_parent(load9(ws.R, k), load3(ws.l, k), z))


@step
def accelerate_step(tree: Tree, k: int, drive: Array, given: Array, ws: Workspace, a: Array) -> None:
    """Accelerations of the freedoms of body k, first to last, and of the body (7.3).

    Given D, G, eps and the parent's alpha. Computes a, alpha; where the acceleration was given, `drive` becomes the
    force that it takes.
    """
    alpha = motion_to_child(load9(ws.R, k), load3(ws.l, k), load6(ws.alpha, tree.parent[k]))
    for i in range(tree.v_first[k], tree.v_first[k + 1]):
        g_alpha = dot6(load6(ws.G, i), alpha)
        if given[i]:
            a[i] = drive[i]
            drive[i] = ws.eps[i] + g_alpha + ws.D[i] * a[i]
        else:
            a[i] = ws.eps[i] * (1 / ws.D[i]) - g_alpha
        alpha = add_scaled(alpha, a[i], load6(ws.H, i))
    store(ws.alpha, k, add6(alpha, load6(ws.bias, k)))


@step
def articulated_inertias(tree: Tree, given: Array, ws: Workspace) -> None:
    """P, D and G of all bodies (6.1). Given R, l, H."""
    n = len(tree.parent)
    own_inertias(tree, ws)
    for k in range(n - 1, 0, -1):
        inertia_step(tree, k, given, ws)


@step
def inverse_mass_times(tree: Tree, x: Array, given: Array, ws: Workspace, y: Array) -> None:
    """y = M^-1 x by the innovations factors (6.6), in O(n). Given R, l, H, D, G; bias and the ground's alpha zero."""
    n = len(tree.parent)
    ws.f[:] = 0.0
    for i in range(len(x)):
        ws.eps[i] = x[i]
    for k in range(n - 1, 0, -1):
        residual_step(tree, k, x, given, ws)
    for k in range(1, n):
        accelerate_step(tree, k, x, given, ws, y)


@step
def articulate(
    tree: Tree, q: Array, v: Array, drive: Array, given: Array, wrench: Array, ws: Workspace, a: Array
) -> None:
    """Accelerations a (nv,) of one state, all sweeps. Given the ground's alpha.

    `drive` (nv,) holds forces, or accelerations where `given`; afterwards the drive forces of all freedoms.
    """
    n = len(tree.parent)
    loaded_motion(tree, q, v, wrench, ws)
    own_inertias(tree, ws)
    ws.f[:] = 0.0
    for i in range(len(given)):
        ws.eps[i] = passive(tree, i, q, v)
        if not given[i]:
            ws.eps[i] += drive[i]
    for k in range(n - 1, 0, -1):
        bias_step(k, ws)
        inertia_step(tree, k, given, ws)
        residual_step(tree, k, drive, given, ws)
    for k in range(1, n):
        accelerate_step(tree, k, drive, given, ws, a)


@sweep
def forward_dynamics(
    tree: Tree, q: Array, v: Array, drive: Array, given: Array, wrench: Array, ws: Workspace, a: Array
) -> int:
    """Accelerations a (s, nv) for a batch of states; return 0, or 1 + the freedom that has no inertia.

    `drive` (s, nv) as in `articulate`; `wrench` (1 or s, n + 1, 6) are the applied wrenches.
    """
    ground_acceleration(-1.0, tree, ws)
    for s in range(len(q)):
        articulate(tree, q[s], v[s], drive[s], given, wrench[s % len(wrench)], ws, a[s])
        fault = singular_freedom(given, ws)
        if fault > 0:
            return fault
    return 0


@sweep
def inverse_mass_matrix(tree: Tree, q: Array, given: Array, ws: Workspace, x: Array, M: Array) -> int:
    """Inverse mass matrices M (s, nv, nv) for a batch of coordinates, a column at a time; return as above.

    `x` (nv,) is working space; no acceleration is `given`.
    """
    at_rest(ws)
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            joint_step(tree, k, q[s], ws)
        articulated_inertias(tree, given, ws)
        for i in range(len(x)):
            x[:] = 0.0
            x[i] = 1.0
            inverse_mass_times(tree, x, given, ws, M[s, i])
        fault = singular_freedom(given, ws)
        if fault > 0:
            return fault
    return 0


@step
def singular_freedom(given: Array, ws: Workspace) -> int:
    """1 + the outermost freedom whose D is zero to rounding against the inertia around it, negative or NaN; else 0."""
    for i in range(len(given) - 1, -1, -1):
        D = ws.D[i].real
        if not given[i] and not (D > 0.0 and SINGULAR * ws.size[i].real <= D):
            return i + 1
    return 0
