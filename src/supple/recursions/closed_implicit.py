"""Newton iterations of implicit steps as sweeps: of trees, of springs between their frames, and of closed chains.

With Mt = M + g_1 C + g_2 K of the open tree (see `implicit`, `spring_slopes`) and what the drives leave of the forces,
r, the correction of the accelerations w is

    dw = Mt^-1 (r + J* lambda),   S lambda = -(J (w + Mt^-1 r) + J' v),   S = J Mt^-1 J*,

so that w + dw fulfils the constraint equations of accelerations. S is the Delassus matrix of the stiff tree, by the
same recursion as that of the model.
"""

from __future__ import annotations

from supple.engines.kernels import step, sweep
from supple.recursions.closed_chains import constraint_accelerations, constraint_rates
from supple.recursions.closure_forces import (
    delassus,
    delassus_product,
    factor_closures,
    jacobian_rows,
    solve_closures,
)
from supple.recursions.closures import ClosedTree, Closures, ClosureWorkspace
from supple.recursions.implicit import Correction, WorkingTree, tree_iteration
from supple.recursions.kinematics import acceleration_step
from supple.recursions.spring_slopes import SpringSlopes, renew_springs, spring_correction
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Array


@sweep
def newton_iteration(
    own: WorkingTree,
    stiff: WorkingTree,
    springs: SpringSlopes | None,
    renew: bool,
    state: States,
    actuation: Actuation,
    w: Array,
    out: Correction,
) -> None:
    """Forces that the accelerations w (nv,) of one state take, what the drives leave of them, the correction of w."""
    tree_iteration(own, stiff, renew, state, actuation, w, out)
    if springs is not None:
        if renew:
            renew_springs(own, stiff, springs, state.q, actuation.given)
        spring_correction(springs, out.change)


@step
def stiffen_closures(springs: SpringSlopes, before: Array, change: Array, cw: ClosureWorkspace) -> None:
    """What springs between frames change: the corrections `change`, the accelerations of the rows, X and S.

    `before` is overwritten by the corrections without springs.
    """
    for j in range(len(change)):
        before[j] = change[j]
    spring_correction(springs, change)
    for i in range(len(cw.force)):
        for j in range(len(change)):
            cw.acceleration[i] += cw.J[i, j] * (change[j] - before[j])
        spring_correction(springs, cw.X[i])
    delassus_product(cw.J, cw.X, cw.columns, cw.S)


@sweep
def closed_newton_iteration(
    closures: Closures,
    own: WorkingTree,
    stiff: WorkingTree,
    springs: SpringSlopes | None,
    renew: bool,
    state: States,
    actuation: Actuation,
    w: Array,
    cw: ClosureWorkspace,
    out: Correction,
) -> None:
    """As `newton_iteration`; of prescribed accelerations the force is what their drives have to give.

    `out.residual` is used up.
    """
    ct, total = ClosedTree(own.tree, own.flex, closures), out.residual
    tree_iteration(own, stiff, renew, state, actuation, w, out)
    for j in range(len(w)):
        total[j] = w[j] + out.change[j]
    for k in range(1, len(own.tree.parent)):
        acceleration_step(own.tree, own.flex, k, total, own.ws)
    constraint_rates(ct, state, own.ws, cw)
    constraint_accelerations(ct, state, total, own.ws, cw)
    jacobian_rows(ct, state.q, own.ws, cw)
    delassus(ClosedTree(stiff.tree, stiff.flex, closures), actuation.given, stiff.ws, cw)
    if springs is not None:
        if renew:
            renew_springs(own, stiff, springs, state.q, actuation.given)
        stiffen_closures(springs, total, out.change, cw)
    factor_closures(cw.S, cw.L, cw.pivot)
    for i in range(len(cw.error)):
        cw.error[i] = -cw.acceleration[i]
    solve_closures(cw.S, cw.L, cw.pivot, cw.error, cw.left, cw.force)
    for i in range(len(cw.force)):
        for j in range(len(w)):
            if actuation.given[j]:
                out.force[j] -= cw.force[i] * cw.J[i, j]
            else:
                out.change[j] += cw.force[i] * cw.X[i, j]
