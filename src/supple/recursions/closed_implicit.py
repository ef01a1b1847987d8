"""One Newton iteration of an implicit step of a closed chain: that of its tree, and the forces that close the loops.

With Mt = M + g_1 C + g_2 K of the open tree (see `implicit`) and what the drives leave of the forces, r, the correction
of the accelerations w is

    dw = Mt^-1 (r + J* lambda),   S lambda = -(J (w + Mt^-1 r) + J' v),   S = J Mt^-1 J*,

so that w + dw fulfils the constraint equations of accelerations. S is the Delassus matrix of the stiff tree, by the
same recursion as that of the model.
"""

from __future__ import annotations

from supple.engines.kernels import sweep
from supple.recursions.closed_chains import constraint_accelerations, constraint_rates
from supple.recursions.closure_forces import delassus, factor_closures, jacobian_rows, solve_closures
from supple.recursions.closures import ClosedTree, Closures, ClosureWorkspace
from supple.recursions.implicit import (
    Correction,
    WorkingTree,
    iteration_correction,
    iteration_motion,
    renew_inertias,
)
from supple.recursions.kinematics import acceleration_step
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Array


@sweep
def closed_newton_iteration(
    closures: Closures,
    own: WorkingTree,
    stiff: WorkingTree,
    renew: bool,
    state: States,
    actuation: Actuation,
    w: Array,
    cw: ClosureWorkspace,
    out: Correction,
) -> None:
    """As `implicit.newton_iteration`; of prescribed accelerations the force is what their drives have to give.

    `out.residual` is left as the accelerations with the loops open.
    """
    ct, total = ClosedTree(own.tree, own.flex, closures), out.residual
    iteration_motion(own, state, actuation)
    if renew:
        renew_inertias(stiff, state.q, actuation.given)
    iteration_correction(own, stiff, state, actuation, w, out)
    for j in range(len(w)):
        total[j] = w[j] + out.change[j]
    for k in range(1, len(own.tree.parent)):
        acceleration_step(own.tree, own.flex, k, total, own.ws)
    constraint_rates(ct, state, own.ws, cw)
    constraint_accelerations(ct, state, total, own.ws, cw)
    jacobian_rows(ct, state.q, own.ws, cw)
    delassus(ClosedTree(stiff.tree, stiff.flex, closures), actuation.given, stiff.ws, cw)
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
