"""Inverse dynamics: forces from accelerations, by the Newton-Euler recursion (4.1), (4.2)."""

from __future__ import annotations

from typing import NamedTuple

from supple.engines.kernels import step, sweep
from supple.recursions.forces import loaded_motion, passive_forces
from supple.recursions.kinematics import acceleration_step, ground_acceleration
from supple.recursions.modal import modal_momentum, offdiagonal_sum, own_inertia, own_moment
from supple.recursions.nodes import node_force
from supple.recursions.second_order import add_shape_inertia
from supple.recursions.states import States, state_at
from supple.recursions.tree import Array, Flex, Tree, Workspace
from supple.spatial import (
    accumulate,
    add6,
    copy_rows,
    dot6,
    force_to_parent,
    load3,
    load6,
    load9,
    rigid_momentum,
    store,
)


@step
def inertia_force_step(tree: Tree, flex: Flex | None, k: int, a: Array, ws: Workspace, tau: Array) -> None:
    """What body k needs by itself, M_m alpha_m + b_m - wrench (4.2). Given alpha, load. Computes f, tau of modes."""
    alpha = load6(ws.alpha, k)
    own = rigid_momentum(tree.mass[k], own_moment(tree, flex, k, ws), own_inertia(tree, flex, k, ws), alpha)
    force = add6(own, load6(ws.load, k))
    if flex is not None:
        force = add6(force, modal_momentum(flex, k, a, ws.flex))
        row, i = flex.mode_row[k], flex.v_mode[k]
        for r in range(flex.modes[k]):
            other = offdiagonal_sum(flex, row + r, 0, a, i) + tree.joint_inertia[i + r] * a[i + r]
            tau[i + r] = dot6(load6(ws.flex.coupling, i + r), alpha) + ws.flex.modal[i + r] + other
        if flex.second_order[k] > 0:
            add_shape_inertia(flex, k, a, ws.flex, tau)
    store(ws.f, k, force)


@step
def joint_force_step(tree: Tree, flex: Flex | None, k: int, a: Array, ws: Workspace, tau: Array) -> None:
    """T(k) = H(k) f(k), and f(k) passed to the parent (4.2). Given f with all outboard bodies added, H.

    Computes tau; the joint's own inertia adds to it. A flexible parent takes the force at the attachment node, its
    modes too.
    """
    f = load6(ws.f, k)
    for i in range(tree.v_first[k], tree.v_mode[k]):
        tau[i] = dot6(load6(ws.H, i), f) + tree.joint_inertia[i] * a[i]
    inward = force_to_parent(load9(ws.R, k), load3(ws.l, k), f)
    if flex is not None and flex.attachment[k] >= 0:
        inward = node_force(flex, flex.attachment[k], inward, ws.flex, tau)
    accumulate(ws.f, tree.parent[k], inward)


@step
def newton_euler(tree: Tree, flex: Flex | None, a: Array, ws: Workspace, tau: Array) -> None:
    """Both sweeps of (4.2). Given R, l, H, bias, load, modal, second and the ground's alpha."""
    n = len(tree.parent)
    for k in range(1, n):
        acceleration_step(tree, flex, k, a, ws)
        inertia_force_step(tree, flex, k, a, ws, tau)
    for i in range(6):
        ws.f[0, i] = 0.0
    for k in range(n - 1, 0, -1):
        joint_force_step(tree, flex, k, a, ws, tau)


@step
def mass_times(tree: Tree, flex: Flex | None, x: Array, ws: Workspace, y: Array) -> None:
    """y = M x with M = H Phi M Phi* H* (3.45), in O(n). Given R, l, H, second; the rest `at_rest`."""
    newton_euler(tree, flex, x, ws, y)


@step
def at_rest(flex: Flex | None, ws: Workspace) -> None:
    """Clear what velocity, gravity and loads give, so that the sweeps are linear in accelerations and forces."""
    ws.bias[:] = 0.0
    ws.load[:] = 0.0
    if flex is not None:
        ws.flex.modal[:] = 0.0
    ws.alpha[0] = 0.0


class Forces(NamedTuple):
    """What inverse dynamics gives for a batch of states."""

    tau: Array
    """(s, nv) generalized forces."""
    f: Array
    """(s, n + 1, 6) forces across the joints; if it is empty they are not kept."""


@sweep
def inverse_dynamics(
    tree: Tree, flex: Flex | None, states: States, a: Array, wrench: Array, ws: Workspace, out: Forces
) -> None:
    """Forces for a batch of states and accelerations a (s, nv).

    What springs and dampers on the joints give is not left for the drives. `wrench` (1 or s, n + 1, 6) are the applied
    wrenches.
    """
    ground_acceleration(-1.0, tree, ws)
    for s in range(len(states.q)):
        state = state_at(states, s)
        loaded_motion(tree, flex, state, wrench[s % len(wrench)], ws)
        newton_euler(tree, flex, a[s], ws, out.tau[s])
        passive_forces(tree, flex, state.q, state.v, ws.eps)
        for i in range(len(tree.damping)):
            out.tau[s, i] -= ws.eps[i]
        if len(out.f) > 0:
            copy_rows(ws.f, out.f[s])
