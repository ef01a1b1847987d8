"""Forces of constraints: what they do to the speeds, how the tree answers, and how large they must be."""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.articulated import accelerate_step, residual_step
from supple.recursions.closures import ClosedTree, ClosureWorkspace
from supple.recursions.frames import frame_act
from supple.recursions.newton_euler import at_rest, joint_force_step
from supple.recursions.tree import Array, Flex, Tree, Workspace
from supple.spatial import (
    Number,
    Vec6,
    add,
    angular,
    join,
    linear,
    load3,
    load6,
    load9,
    rotate,
    scale,
    scale6,
    store,
    unrotate,
)

REGULARIZATION = 1e-7
"""What is added to S, relative to its diagonal, so that rows which repeat others, or do so in passing, do no harm."""
REFINEMENTS = 3
"""Solutions, each of what those before have left: an error of the third power of regularization / eigenvalue."""
SMALLEST = 1e-20
"""Of the diagonal of S, below which nothing that the joints do changes a row."""


@step
def end_force(ct: ClosedTree, e: int, end: int, f: Vec6, q: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Let a wrench in the first frame's axes act at the second frame's origin on the body of one end of pair e."""
    i = ct.closures.pair_frames[e, end]
    k = ct.tree.frames.body[i]
    R_ground = load9(ws.R_ground, k)
    R_first = load9(cw.R_first, e)
    moment = unrotate(R_ground, rotate(R_first, angular(f)))
    force = unrotate(R_ground, rotate(R_first, linear(f)))
    at = unrotate(R_ground, add(load3(cw.p_second, e), scale(-1, load3(ws.p_ground, k))))
    frame_act(ct.flex, ct.tree.frames, i, q, at, join(moment, force), ws)


@step
def row_force(ct: ClosedTree, i: int, size: Number, q: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Let the force of row i, of a size, act on both its bodies."""
    e = ct.closures.row_pair[i]
    f = scale6(size, load6(cw.N, i))
    end_force(ct, e, 1, f, q, ws, cw)
    end_force(ct, e, 0, scale6(-1, f), q, ws, cw)


@step
def carry_inward(tree: Tree, flex: Flex | None, still: Array, ws: Workspace, tau: Array) -> None:
    """Forces on all speeds that balance the loads on the bodies and modes, H Phi of them. Given load, modal."""
    n = len(tree.parent)
    for k in range(n):
        store(ws.f, k, load6(ws.load, k))
    if flex is not None:
        for k in range(1, n):
            for i in range(flex.v_mode[k], flex.v_mode[k] + flex.modes[k]):
                tau[i] = ws.flex.modal[i]
    for k in range(n - 1, 0, -1):
        joint_force_step(tree, flex, k, still, ws, tau)


@step
def jacobian_row(ct: ClosedTree, i: int, q: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """Row i of J: what its force of one newton (or newton metre) gives on all speeds. Given `at_rest`. Computes J."""
    cl, n = ct.closures, len(cw.still)
    if cl.row_pair[i] < 0:
        for j in range(n):
            cw.J[i, j] = 0.0
        cw.J[i, cl.row_speeds[i, 0]] += cl.row_ratios[i, 0]
        cw.J[i, cl.row_speeds[i, 1]] += cl.row_ratios[i, 1]
        return
    at_rest(ct.flex, ws)
    row_force(ct, i, 1.0, q, ws, cw)
    carry_inward(ct.tree, ct.flex, cw.still, ws, cw.J[i])
    for j in range(n):
        cw.J[i, j] = -cw.J[i, j]


@step
def respond(tree: Tree, flex: Flex | None, given: Array, i: int, ws: Workspace, cw: ClosureWorkspace) -> None:
    """How the tree answers to the force of row i: M^-1 J*, and the forces that hold prescribed accelerations at 0.

    Given J, D, G, and the tree `at_rest`. Computes X, hold.
    """
    n = len(tree.parent)
    ws.f[:] = 0.0
    for j in range(len(given)):
        ws.eps[j] = cw.J[i, j]
        cw.hold[i, j] = 0.0
    for k in range(n - 1, 0, -1):
        residual_step(tree, flex, k, cw.hold[i], given, ws)
    for k in range(1, n):
        accelerate_step(tree, flex, k, cw.hold[i], given, ws, cw.X[i])


@step
def jacobian_rows(ct: ClosedTree, q: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """J of all rows, in O(bodies) a row. Given R, l, H and N. Leaves the tree `at_rest`."""
    for i in range(len(ct.closures.row_kind)):
        jacobian_row(ct, i, q, ws, cw)


@step
def delassus(ct: ClosedTree, given: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """M^-1 J* and S = J M^-1 J*, in O(bodies) a row. Given J and the articulated D, G; leaves the tree at rest."""
    n = len(cw.still)
    at_rest(ct.flex, ws)
    for i in range(len(cw.force)):
        respond(ct.tree, ct.flex, given, i, ws, cw)
        for j in range(i + 1):
            total = 0.0 * cw.X[i, 0]
            for k in range(n):
                total = total + cw.J[j, k] * cw.X[i, k]
            cw.S[i, j] = total
            cw.S[j, i] = total


@step
def close(given: Array, drive: Array, cw: ClosureWorkspace, a: Array) -> None:
    """Add what the closure forces do to accelerations, and to the generalized forces where accelerations are given."""
    for i in range(len(cw.force)):
        for j in range(len(a)):
            if given[j]:
                drive[j] = drive[j] + cw.force[i] * cw.hold[i, j]
            else:
                a[j] = a[j] + cw.force[i] * cw.X[i, j]


@step
def factor_closures(cw: ClosureWorkspace) -> None:
    """L and D of the regularized S, see REGULARIZATION; rows that nothing changes are left out. Computes L, pivot."""
    S, L = cw.S, cw.L
    for i in range(len(cw.pivot)):
        own = S[i, i] * (1 + REGULARIZATION)
        for k in range(i):
            total = S[i, k]
            for m in range(k):
                total = total - L[i, m] * L[k, m] * cw.pivot[m]
            L[i, k] = total / cw.pivot[k]
            own = own - L[i, k] * total
        cw.pivot[i] = own if S[i, i].real > SMALLEST else 1.0 + 0.0 * own


@step
def solve_closures(r: Array, x: Array, cw: ClosureWorkspace) -> None:
    """x (rows,) of least size with S x = r, by refinement of solutions with the regularized S.

    Given L, pivot, and r, which is not changed. Each round is of what the ones before have left: a direction in which S
    is 1e5 times the regularization is found to rounding, one in which it is ten times to a thousandth; one in which it
    is smaller, because rows repeat each other or do so in passing, gets no force, and its conditions are left to
    others.
    """
    rows = len(r)
    for i in range(rows):
        x[i] = 0.0
    for _ in range(REFINEMENTS):
        for i in range(rows):
            total = r[i]
            for k in range(rows):
                total = total - cw.S[i, k] * x[k]
            for k in range(i):
                total = total - cw.L[i, k] * cw.left[k]
            cw.left[i] = total
        for i in range(rows - 1, -1, -1):
            total = cw.left[i] / cw.pivot[i]
            for k in range(i + 1, rows):
                total = total - cw.L[k, i] * cw.left[k]
            cw.left[i] = total
        for i in range(rows):
            if cw.S[i, i].real > SMALLEST:
                x[i] = x[i] + cw.left[i]


@step
def closing_step(error: Array, change: Array, cw: ClosureWorkspace) -> None:
    """The step towards the closed loops of least kinetic energy: -M^-1 J* S^-1 error, of coordinates or of speeds.

    Given X, S and its factor. Computes change (nv,); force is overwritten. Prescribed degrees of freedom stay. A state
    that is closed but for an error e is left with one of the order of its square.
    """
    solve_closures(error, cw.force, cw)
    for j in range(len(change)):
        change[j] = 0.0
        for i in range(len(cw.force)):
            change[j] -= cw.force[i] * cw.X[i, j]
