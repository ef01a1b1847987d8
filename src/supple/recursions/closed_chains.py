"""Kinematics, projection and dynamics of closed chains: the sweeps over all bodies and all rows."""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.articulated import articulate, articulated_inertias, singular_dof
from supple.recursions.closure_forces import (
    close,
    closing_step,
    delassus,
    factor_closures,
    jacobian_rows,
    row_force,
    solve_closures,
)
from supple.recursions.closure_rows import (
    pair_acceleration_step,
    pair_pose_step,
    pair_velocity_step,
    row_acceleration_step,
    row_step,
)
from supple.recursions.closures import ClosedTree, ClosureWorkspace, Projection
from supple.recursions.composite import configuration_step
from supple.recursions.kinematics import (
    acceleration_step,
    ground_acceleration,
    joint_step,
    pose_step,
    twist_step,
    velocity_step,
)
from supple.recursions.newton_euler import at_rest
from supple.recursions.states import Actuation, States, actuation_at, state_at
from supple.recursions.tree import Array, Flex, Tree, Workspace
from supple.spatial import copy_rows


@step
def constraint_rates(ct: ClosedTree, state: States, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Errors of all rows and their rates. Given R, l, H. Computes R_first ... V of the pairs, N ... curvature."""
    cl, q, v = ct.closures, state.q, state.v
    for k in range(1, len(ct.tree.parent)):
        pose_step(ct.tree, ct.flex, k, q, ws)
        twist_step(ct.tree, ct.flex, k, v, ws)
    for e in range(len(cl.pair_frames)):
        pair_pose_step(ct, e, q, ws, cw)
        pair_velocity_step(ct, e, state, ws, cw)
    for i in range(len(cl.row_kind)):
        row_step(cl, i, q, v, cw)


@step
def constraint_accelerations(ct: ClosedTree, state: States, a: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Second rates of all rows. Given `constraint_rates`, omega, alpha of all bodies for a. Computes acceleration."""
    cl = ct.closures
    for e in range(len(cl.pair_frames)):
        pair_acceleration_step(ct, e, state, a, ws, cw)
    for i in range(len(cl.row_kind)):
        row_acceleration_step(cl, i, a, cw)


@step
def still_motion(tree: Tree, flex: Flex | None, q: Array, v: Array, a: Array, ws: Workspace) -> None:
    """Joint poses, angular velocities and accelerations of all bodies for a, gravity left out."""
    ground_acceleration(0.0, tree, ws)
    for k in range(1, len(tree.parent)):
        joint_step(tree, flex, k, q, ws)
        velocity_step(tree, flex, k, q, v, ws)
        acceleration_step(tree, flex, k, a, ws)


@step
def open_motion(ct: ClosedTree, state: States, given: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Everything in `cw` but accelerations and forces: errors, J, M^-1 J* and S; prescribed dofs stay still."""
    for k in range(1, len(ct.tree.parent)):
        configuration_step(ct.tree, ct.flex, k, state.q, ws)
    articulated_inertias(ct.tree, ct.flex, given, ws)
    constraint_rates(ct, state, ws, cw)
    jacobian_rows(ct, state.q, ws, cw)
    delassus(ct, given, ws, cw)


@step
def free_motion(
    ct: ClosedTree, state: States, actuation: Actuation, ws: Workspace, cw: ClosureWorkspace, a: Array
) -> None:
    """The tree with its closures open, and what closes them: a, `drive` of prescribed dofs, all of `cw` but forces."""
    ground_acceleration(-1.0, ct.tree, ws)
    articulate(ct.tree, ct.flex, state, actuation, ws, a)
    constraint_rates(ct, state, ws, cw)
    constraint_accelerations(ct, state, a, ws, cw)
    jacobian_rows(ct, state.q, ws, cw)
    delassus(ct, actuation.given, ws, cw)


@sweep
def constraint_kinematics(
    ct: ClosedTree,
    states: States,
    ws: Workspace,
    cw: ClosureWorkspace,
    position: Array,
    velocity: Array,
    J: Array,
) -> None:
    """Errors (s, rows) and their rates for a batch of states, J (s, rows, nv) too unless that is empty.

    No inertia is needed. Leaves what it computes in `cw` as it is for the last state.
    """
    for s in range(len(states.q)):
        state = state_at(states, s)
        for k in range(1, len(ct.tree.parent)):
            joint_step(ct.tree, ct.flex, k, state.q, ws)
        constraint_rates(ct, state, ws, cw)
        for i in range(len(cw.position)):
            position[s, i] = cw.position[i]
            velocity[s, i] = cw.velocity[i]
        if len(J) > 0:
            jacobian_rows(ct, state.q, ws, cw)
            copy_rows(cw.J, J[s])


@sweep
def constraint_wrenches(
    ct: ClosedTree, states: States, force: Array, ws: Workspace, cw: ClosureWorkspace, wrench: Array
) -> None:
    """What forces of the rows (s, rows) do to bodies: wrench (s, n + 1, 6) in body axes at body origins."""
    for s in range(len(states.q)):
        state = state_at(states, s)
        for k in range(1, len(ct.tree.parent)):
            joint_step(ct.tree, ct.flex, k, state.q, ws)
        constraint_rates(ct, state, ws, cw)
        at_rest(ct.flex, ws)
        for i in range(len(cw.position)):
            if ct.closures.row_pair[i] >= 0:
                row_force(ct, i, -force[s, i], state.q, ws, cw)
        copy_rows(ws.load, wrench[s])


@sweep
def projection(
    ct: ClosedTree, states: States, given: Array, ws: Workspace, cw: ClosureWorkspace, out: Projection
) -> int:
    """Steps towards the closed loops for a batch of states, prescribed dofs held, and what they are computed from.

    Return 0, or 1 + the degree of freedom of the open tree that has no inertia. `cw` is left as of the last state.
    """
    for s in range(len(states.q)):
        open_motion(ct, state_at(states, s), given, ws, cw)
        fault = singular_dof(given, ws)
        if fault > 0:
            return fault
        factor_closures(cw.S, cw.L, cw.pivot)
        closing_step(cw.position, out.shift[s], cw)
        closing_step(cw.velocity, out.impulse[s], cw)
        for i in range(len(cw.position)):
            out.position[s, i] = cw.position[i]
            out.velocity[s, i] = cw.velocity[i]
        if len(out.J) > 0:
            copy_rows(cw.J, out.J[s])
            copy_rows(cw.X, out.X[s])
            copy_rows(cw.S, out.S[s])
    return 0


@sweep
def forward_dynamics(
    ct: ClosedTree,
    states: States,
    actuation: Actuation,
    ws: Workspace,
    cw: ClosureWorkspace,
    a: Array,
    force: Array,
) -> int:
    """Accelerations a (s, nv) and closure forces (s, rows) for a batch of states.

    Return 0, or 1 + the degree of freedom of the open tree that has no inertia. `cw` is left as of the last state.
    """
    for s in range(len(states.q)):
        acting = actuation_at(actuation, s)
        free_motion(ct, state_at(states, s), acting, ws, cw, a[s])
        fault = singular_dof(acting.given, ws)
        if fault > 0:
            return fault
        factor_closures(cw.S, cw.L, cw.pivot)
        for i in range(len(cw.error)):
            cw.error[i] = -cw.acceleration[i]
        solve_closures(cw.S, cw.L, cw.pivot, cw.error, cw.left, cw.force)
        close(acting.given, acting.drive, cw, a[s])
        for i in range(len(cw.force)):
            force[s, i] = cw.force[i]
    return 0
