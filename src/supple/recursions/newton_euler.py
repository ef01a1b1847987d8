"""Inverse dynamics: forces from accelerations, by the Newton-Euler recursion (4.1)."""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.forces import loaded_motion, passive
from supple.recursions.kinematics import acceleration_step, ground_acceleration
from supple.recursions.tree import Array, Tree, Workspace
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
def inertia_force_step(tree: Tree, k: int, ws: Workspace) -> None:
    """f(k) = M(k) alpha(k) + b(k) - wrench, what body k needs by itself. Given alpha, load. Computes f."""
    force = rigid_momentum(tree.mass[k], load3(tree.moment, k), load6(tree.inertia, k), load6(ws.alpha, k))
    store(ws.f, k, add6(force, load6(ws.load, k)))


@step
def joint_force_step(tree: Tree, k: int, a: Array, ws: Workspace, tau: Array) -> None:
    """T(k) = H(k) f(k), and f(k) passed to the parent (4.1). Given f with all outboard bodies added, H.

    Computes tau; the joint's own inertia adds to it.
    """
    f = load6(ws.f, k)
    for i in range(tree.v_first[k], tree.v_first[k + 1]):
        tau[i] = dot6(load6(ws.H, i), f) + tree.joint_inertia[i] * a[i]
    accumulate(ws.f, tree.parent[k], force_to_parent(load9(ws.R, k), load3(ws.l, k), f))


@step
def newton_euler(tree: Tree, a: Array, ws: Workspace, tau: Array) -> None:
    """Both sweeps of (4.1). Given R, l, H, bias, load and the ground's alpha."""
    n = len(tree.parent)
    for k in range(1, n):
        acceleration_step(tree, k, a, ws)
        inertia_force_step(tree, k, ws)
    for i in range(6):
        ws.f[0, i] = 0.0
    for k in range(n - 1, 0, -1):
        joint_force_step(tree, k, a, ws, tau)


@step
def mass_times(tree: Tree, x: Array, ws: Workspace, y: Array) -> None:
    """y = M x with M = H Phi M Phi* H* (3.45), in O(n). Given R, l, H; bias, load and the ground's alpha zero."""
    newton_euler(tree, x, ws, y)


@step
def at_rest(ws: Workspace) -> None:
    """Clear what velocity, gravity and loads give, so that the sweeps are linear in accelerations and forces."""
    ws.bias[:] = 0.0
    ws.load[:] = 0.0
    ws.alpha[0] = 0.0


@sweep
def inverse_dynamics(
    tree: Tree, q: Array, v: Array, a: Array, wrench: Array, ws: Workspace, tau: Array, f: Array
) -> None:
    """Drive forces tau (s, nv) and joint wrenches f (s, n + 1, 6) for a batch of states and accelerations.

    What springs and dampers on the joints give is not left for the drives. `wrench` (1 or s, n + 1, 6) are the applied
    wrenches; with an empty f the joint wrenches are not kept.
    """
    ground_acceleration(-1.0, tree, ws)
    for s in range(len(q)):
        loaded_motion(tree, q[s], v[s], wrench[s % len(wrench)], ws)
        newton_euler(tree, a[s], ws, tau[s])
        for i in range(len(tree.damping)):
            tau[s, i] -= passive(tree, i, q[s], v[s])
        if len(f) > 0:
            copy_rows(ws.f, f[s])
