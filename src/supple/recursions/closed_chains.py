"""Dynamics and kinematics of closed chains: the sweeps over all bodies and all rows."""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.articulated import articulate, articulated_inertias, singular_dof
from supple.recursions.closure_forces import close, closing_changes, constraint_state, factor_closures, solve_closures
from supple.recursions.closure_rows import pair_acceleration_step, pair_pose_step, pair_velocity_step, row_step
from supple.recursions.closures import Closures, ClosureWorkspace
from supple.recursions.composite import configuration_step
from supple.recursions.kinematics import acceleration_step, ground_acceleration, pose_step, twist_step, velocity_step
from supple.recursions.nodes import node_step
from supple.recursions.tree import Array, Flex, Tree, Workspace


@step
def closure_motion(
    tree: Tree, flex: Flex | None, cl: Closures, q: Array, v: Array, a: Array, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """All rows. Given R, l, H, omega and the accelerations alpha of all bodies for a. Computes all but J, X, S."""
    for k in range(1, len(tree.parent)):
        pose_step(tree, flex, k, q, ws)
        twist_step(tree, flex, k, v, ws)
    if flex is not None:
        for s in range(len(flex.attachment_body)):
            node_step(flex, s, q, ws.flex)
    for e in range(len(cl.pair_bodies)):
        pair_pose_step(flex, cl, e, q, ws, cw)
        pair_velocity_step(flex, cl, e, v, ws, cw)
        pair_acceleration_step(flex, cl, e, q, v, a, ws, cw)
    for i in range(len(cl.row_kind)):
        row_step(cl, i, q, v, a, cw)


@step
def still_motion(tree: Tree, flex: Flex | None, q: Array, v: Array, a: Array, ws: Workspace) -> None:
    """Configuration, angular velocities and accelerations of all bodies for a, gravity left out."""
    ground_acceleration(0.0, tree, ws)
    for k in range(1, len(tree.parent)):
        configuration_step(tree, flex, k, q, ws)
        velocity_step(tree, flex, k, q, v, ws)
        acceleration_step(tree, flex, k, a, ws)


@step
def open_motion(
    tree: Tree, flex: Flex | None, cl: Closures, q: Array, v: Array, given: Array, ws: Workspace, cw: ClosureWorkspace
) -> None:
    """Everything in `cw` but accelerations and forces: errors, J, M^-1 J* and S; prescribed dofs stay still."""
    still_motion(tree, flex, q, v, cw.still, ws)
    articulated_inertias(tree, flex, given, ws)
    closure_motion(tree, flex, cl, q, v, cw.still, ws, cw)
    constraint_state(tree, flex, cl, given, ws, cw)


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
    """The tree with its closures open, and what closes them. Computes a, `drive` of prescribed dofs, all of `cw`."""
    ground_acceleration(-1.0, tree, ws)
    articulate(tree, flex, q, v, drive, given, wrench, ws, a)
    closure_motion(tree, flex, cl, q, v, a, ws, cw)
    constraint_state(tree, flex, cl, given, ws, cw)


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

    Return 0, or 1 + the degree of freedom of the open tree that has no inertia.

    `drive` and `given` as those of the tree. Leaves all of `cw` as it is for the last state: it is the only sweep that
    closures have, since what it computes on its way serves assembly and projection too, and compiling takes long.
    """
    for s in range(len(q)):
        free_motion(tree, flex, cl, q[s], v[s], drive[s], given, wrench[s % len(wrench)], ws, cw, a[s])
        fault = singular_dof(given, ws)
        if fault > 0:
            return fault
        factor_closures(cw)
        closing_changes(cw)
        for i in range(len(cw.error)):
            cw.error[i] = -cw.acceleration[i]
        solve_closures(cw.error, cw.force, cw)
        close(given, drive[s], cw, a[s])
        for i in range(len(cw.force)):
            force[s, i] = cw.force[i]
    return 0
