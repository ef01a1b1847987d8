"""Forward dynamics by articulated bodies, linear in the number of bodies: (6.1), (7.2), (7.3).

Each degree of freedom of a joint is eliminated on its own, as if a massless body stood between it and the next; this is
the separation of freedoms (7.6) carried to the end. D is then a number, a joint of any size takes the same path, and a
degree of freedom whose acceleration is given (hybrid dynamics) is simply not eliminated. The modes of a flexible body
come before its joint and are eliminated together, in `ports`; their accelerations are never given.
"""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.composite import configuration_step, own_inertias
from supple.recursions.forces import loaded_motion, loads_at_speeds, passive_forces
from supple.recursions.kinematics import ground_acceleration, inboard_motion
from supple.recursions.newton_euler import at_rest
from supple.recursions.ports import (
    has_ports_or_modes,
    modal_acceleration_step,
    modal_residual_step,
    port_step,
    schur_step,
)
from supple.recursions.states import Actuation, States, actuation_at, state_at
from supple.recursions.tree import Array, Flex, Tree, Workspace
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
    scale6,
    store,
    store_inertia,
    subtract_outer,
)

SINGULAR = 1e-14
"""Least D, relative to the inertia it was left from, that is more than rounding."""


@step
def inertia_step(tree: Tree, flex: Flex | None, k: int, given: Array, ws: Workspace) -> None:
    """Eliminate the dofs of body k from P(k), last to first, and pass P+ to its parent (6.1).

    Given P(k) with all outboard bodies added, H. Computes D, size, G = P H* D^-1; for a prescribed acceleration P stays
    as it is and G holds P H*. The modes of the body are eliminated first, all at once. A flexible parent takes P+ at
    the attachment node. Cost: 36 + 6 + 21 products a degree of freedom, 190 for the shift to the parent.
    """
    if flex is not None and has_ports_or_modes(flex, k):
        port_step(flex, k, ws.P, ws.flex)
        for i in range(tree.v_mode[k], tree.v_first[k + 1]):
            ws.D[i], ws.size[i] = 1.0, 0.0
    P = load_inertia(ws.P, k)
    turning, moving = P[0] + P[3] + P[5], P[15] + P[18] + P[20]
    for i in range(tree.v_mode[k] - 1, tree.v_first[k] - 1, -1):
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
    inward = inertia_to_parent(load9(ws.R, k), load3(ws.l, k), P)
    if flex is not None and flex.attachment[k] >= 0:
        store_inertia(ws.flex.Gamma, k, inward)
        return
    accumulate_inertia(ws.P, tree.parent[k], inward)


@step
def bias_step(k: int, ws: Workspace) -> None:
    """z(k) starts as P(k) a(k) + b(k) (7.2), less the applied wrench. Given P(k) complete, bias, load. Adds to f."""
    accumulate(ws.f, k, add6(inertia_times(load_inertia(ws.P, k), load6(ws.bias, k)), load6(ws.load, k)))


@step
def residual_step(tree: Tree, flex: Flex | None, k: int, drive: Array, given: Array, ws: Workspace) -> None:
    """What is left of the forces on body k, last degree of freedom to first, and z+ passed to its parent (7.2).

    Given z(k) in the rows of f, H, D, G, and in eps the forces T. Computes eps = T - H z; where the acceleration is
    given (its value in `drive`), eps = H z - T and z takes P H* times it.
    """
    if flex is not None and has_ports_or_modes(flex, k):
        modal_residual_step(flex, k, ws.eps, ws.f, ws.flex)
    z = load6(ws.f, k)
    for i in range(tree.v_mode[k] - 1, tree.v_first[k] - 1, -1):
        hz = dot6(load6(ws.H, i), z)
        if given[i]:
            ws.eps[i] = hz - ws.eps[i]
            z = add_scaled(z, drive[i], load6(ws.G, i))
        else:
            ws.eps[i] = ws.eps[i] - hz
            z = add_scaled(z, ws.eps[i], load6(ws.G, i))
    inward = force_to_parent(load9(ws.R, k), load3(ws.l, k), z)
    if flex is not None and flex.attachment[k] >= 0:
        store(ws.flex.z, k, inward)
        return
    accumulate(ws.f, tree.parent[k], inward)


@step
def accelerate_step(tree: Tree, flex: Flex | None, k: int, drive: Array, given: Array, ws: Workspace, a: Array) -> None:
    """Accelerations of the dofs of body k, first to last, and of the body (7.3).

    Given D, G, eps and the parent's alpha. Computes a, alpha; where the acceleration was given, `drive` becomes the
    force that it takes.
    """
    alpha = inboard_motion(tree, flex, k, a, ws.alpha, ws)
    for i in range(tree.v_first[k], tree.v_mode[k]):
        g_alpha = dot6(load6(ws.G, i), alpha)
        if given[i]:
            a[i] = drive[i]
            drive[i] = ws.eps[i] + g_alpha + ws.D[i] * a[i]
        else:
            a[i] = ws.eps[i] * (1 / ws.D[i]) - g_alpha
        alpha = add_scaled(alpha, a[i], load6(ws.H, i))
    store(ws.alpha, k, add6(alpha, load6(ws.bias, k)))
    if flex is not None and flex.modes[k] > 0:
        modal_acceleration_step(flex, k, load6(ws.alpha, k), ws.eps, ws.flex, a)


@step
def condensed_inertias(tree: Tree, flex: Flex | None, ws: Workspace) -> None:
    """P(k) starts as the body's own inertia with its modes free, S_0; the ground's is zero. Given second, node_*."""
    own_inertias(tree, flex, ws)
    if flex is not None:
        for k in range(1, len(tree.parent)):
            if has_ports_or_modes(flex, k):
                schur_step(flex, k, load_inertia(ws.P, k), ws.P, ws.flex)


@step
def articulated_inertias(tree: Tree, flex: Flex | None, given: Array, ws: Workspace) -> None:
    """P, D and G of all bodies (6.1). Given R, l, H, second."""
    n = len(tree.parent)
    condensed_inertias(tree, flex, ws)
    for k in range(n - 1, 0, -1):
        inertia_step(tree, flex, k, given, ws)


@step
def inverse_mass_times(tree: Tree, flex: Flex | None, x: Array, given: Array, ws: Workspace, y: Array) -> None:
    """y = M^-1 x by the innovations factors (6.6), in O(n). Given R, l, H, D, G; bias and the ground's alpha zero."""
    n = len(tree.parent)
    ws.f[:] = 0.0
    for i in range(len(x)):
        ws.eps[i] = x[i]
    for k in range(n - 1, 0, -1):
        residual_step(tree, flex, k, x, given, ws)
    for k in range(1, n):
        accelerate_step(tree, flex, k, x, given, ws, y)


@step
def acting_forces(tree: Tree, flex: Flex | None, state: States, actuation: Actuation, ws: Workspace) -> None:
    """eps starts as the forces T on all dofs, the gyroscopic ones on modes taken off. Given modal. Clears f."""
    drive, given = actuation.drive, actuation.given
    ws.f[:] = 0.0
    passive_forces(tree, flex, state.q, state.v, ws.eps)
    for i in range(len(given)):
        if not given[i]:
            ws.eps[i] += drive[i]
    if flex is not None:
        for k in range(1, len(tree.parent)):
            for i in range(tree.v_mode[k], tree.v_first[k + 1]):
                ws.eps[i] -= ws.flex.modal[i]


@step
def articulate(tree: Tree, flex: Flex | None, state: States, actuation: Actuation, ws: Workspace, a: Array) -> None:
    """Accelerations a (nv,) of one state, all sweeps. Given the ground's alpha. Computes `drive` of prescribed dofs."""
    n, drive, given = len(tree.parent), actuation.drive, actuation.given
    loaded_motion(tree, flex, state, actuation.wrench, ws)
    condensed_inertias(tree, flex, ws)
    acting_forces(tree, flex, state, actuation, ws)
    for k in range(n - 1, 0, -1):
        inertia_step(tree, flex, k, given, ws)
        bias_step(k, ws)
        residual_step(tree, flex, k, drive, given, ws)
    for k in range(1, n):
        accelerate_step(tree, flex, k, drive, given, ws, a)


@step
def articulate_at_speeds(
    tree: Tree, flex: Flex | None, state: States, actuation: Actuation, ws: Workspace, a: Array
) -> None:
    """The same for other speeds in the same configuration. Given all that `articulate` left there, P, D and G first."""
    n, drive, given = len(tree.parent), actuation.drive, actuation.given
    loads_at_speeds(tree, flex, state, actuation.wrench, ws)
    acting_forces(tree, flex, state, actuation, ws)
    for k in range(n - 1, 0, -1):
        bias_step(k, ws)
        residual_step(tree, flex, k, drive, given, ws)
    for k in range(1, n):
        accelerate_step(tree, flex, k, drive, given, ws, a)


@sweep
def forward_dynamics(
    tree: Tree, flex: Flex | None, states: States, actuation: Actuation, ws: Workspace, a: Array
) -> int:
    """Accelerations a (s, nv) for a batch of states; return 0, or 1 + the degree of freedom that has no inertia."""
    ground_acceleration(-1.0, tree, ws)
    for s in range(len(states.q)):
        articulate(tree, flex, state_at(states, s), actuation_at(actuation, s), ws, a[s])
        fault = singular_dof(actuation.given, ws)
        if fault > 0:
            return fault
    return 0


@sweep
def inverse_mass_matrix(
    tree: Tree, flex: Flex | None, q: Array, given: Array, ws: Workspace, x: Array, M: Array
) -> int:
    """Inverse mass matrices M (s, nv, nv) for a batch of coordinates, a column at a time; return as above.

    `x` (nv,) is working space; no acceleration is `given`.
    """
    at_rest(flex, ws)
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            configuration_step(tree, flex, k, q[s], ws)
        articulated_inertias(tree, flex, given, ws)
        for i in range(len(x)):
            x[:] = 0.0
            x[i] = 1.0
            inverse_mass_times(tree, flex, x, given, ws, M[s, i])
        fault = singular_dof(given, ws)
        if fault > 0:
            return fault
    return 0


@sweep
def inverse_mass_solve(tree: Tree, flex: Flex | None, q: Array, given: Array, ws: Workspace, x: Array, y: Array) -> int:
    """y = M^-1 x (s, nv) for a batch of coordinates; return as above. x is used up, no acceleration is `given`."""
    at_rest(flex, ws)
    for s in range(len(q)):
        for k in range(1, len(tree.parent)):
            configuration_step(tree, flex, k, q[s], ws)
        articulated_inertias(tree, flex, given, ws)
        inverse_mass_times(tree, flex, x[s], given, ws, y[s])
        fault = singular_dof(given, ws)
        if fault > 0:
            return fault
    return 0


@step
def singular_dof(given: Array, ws: Workspace) -> int:
    """1 + the outermost dof whose D is zero to rounding against the inertia around it, negative or NaN; else 0."""
    for i in range(len(given) - 1, -1, -1):
        D = ws.D[i].real
        if not given[i] and not (D > 0.0 and SINGULAR * ws.size[i].real <= D):
            return i + 1
    return 0
