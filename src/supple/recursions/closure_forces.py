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
def carry_inward(tree: Tree, flex: Flex | None, path: Array, row: int, still: Array, ws: Workspace, tau: Array) -> None:
    """Forces on all speeds that balance the loads on the bodies and modes, H Phi of them. Given load, modal.

    Loads are on bodies of the path in that row; tau of other joints is left as it is.
    """
    n = len(tree.parent)
    for k in range(n):
        store(ws.f, k, load6(ws.load, k))
    if flex is not None:
        for k in range(1, n):
            for i in range(flex.v_mode[k], flex.v_mode[k] + flex.modes[k]):
                tau[i] = ws.flex.modal[i]
    for k in range(n - 1, 0, -1):
        if path[row, k]:
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
    carry_inward(ct.tree, ct.flex, cl.row_path, i, cw.still, ws, cw.J[i])
    for j in range(n):
        cw.J[i, j] = -cw.J[i, j]


@step
def respond(ct: ClosedTree, given: Array, i: int, ws: Workspace, cw: ClosureWorkspace) -> None:
    """How the tree answers to the force of row i: M^-1 J*, and the forces that hold prescribed accelerations at 0.

    Given J, D, G, and the tree `at_rest`. Computes X, hold. X of what the force does not reach is zero already.
    """
    tree, flex, path, reach = ct.tree, ct.flex, ct.closures.row_path, ct.closures.row_reach
    n = len(tree.parent)
    ws.f[:] = 0.0
    for j in range(len(given)):
        ws.eps[j] = cw.J[i, j]
        cw.hold[i, j] = 0.0
    for k in range(n - 1, 0, -1):
        if path[i, k] or (flex is not None and reach[i, k]):  # which leaves what is needed of modes on the way out
            residual_step(tree, flex, k, cw.hold[i], given, ws)
    for k in range(1, n):
        if reach[i, k]:
            accelerate_step(tree, flex, k, cw.hold[i], given, ws, cw.X[i])


@step
def jacobian_rows(ct: ClosedTree, q: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """J of all rows, in O(bodies) a row. Given R, l, H and N. Leaves the tree `at_rest`."""
    for i in range(len(ct.closures.row_kind)):
        jacobian_row(ct, i, q, ws, cw)


@step
def delassus(ct: ClosedTree, given: Array, ws: Workspace, cw: ClosureWorkspace) -> None:
    """M^-1 J* and S = J M^-1 J*, in O(bodies) a row. Given J and the articulated D, G; leaves the tree at rest."""
    at_rest(ct.flex, ws)
    for i in range(len(cw.force)):
        respond(ct, given, i, ws, cw)
    delassus_product(cw.J, cw.X, cw.columns, cw.S)


@step
def delassus_product(J: Array, X: Array, columns: Array, S: Array) -> None:
    """S = J X*, which is symmetric, row by row: no sum waits for its own last term. Computes columns too."""
    rows = len(S)
    for k in range(len(columns)):
        for j in range(rows):
            columns[k, j] = J[j, k]
    for i in range(rows):
        for j in range(i + 1):
            S[i, j] = 0.0
        for k in range(len(columns)):
            factor = X[i, k]
            for j in range(i + 1):
                S[i, j] = S[i, j] + columns[k, j] * factor
        for j in range(i):
            S[j, i] = S[i, j]


@step
def matrix_product(A: Array, B: Array, C: Array) -> None:
    """C = A B, row by row."""
    for i in range(len(A)):
        for j in range(C.shape[1]):
            C[i, j] = 0.0
        for k in range(len(B)):
            factor = A[i, k]
            for j in range(C.shape[1]):
                C[i, j] = C[i, j] + factor * B[k, j]


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
def factor_closures(S: Array, L: Array, pivot: Array) -> None:
    """L, both halves, and D of the regularized S, see REGULARIZATION; rows that nothing changes are left out.

    What a pivot leaves is subtracted row by row: no sum waits for its own last term. Cost: rows^3 / 6 products.
    """
    rows = len(pivot)
    for i in range(rows):
        for j in range(i, rows):
            L[i, j] = S[i, j]
        L[i, i] = S[i, i] * (1 + REGULARIZATION)
    for k in range(rows):
        pivot[k] = L[k, k] if S[k, k].real > SMALLEST else 1.0 + 0.0 * L[k, k]
        inverse = 1 / pivot[k]
        for i in range(k + 1, rows):
            ratio = L[k, i] * inverse
            for j in range(i, rows):
                L[i, j] = L[i, j] - ratio * L[k, j]
            L[k, i] = ratio
            L[i, k] = ratio


@step
def solve_closures(S: Array, L: Array, pivot: Array, r: Array, left: Array, x: Array) -> None:
    """x (rows,) of least size with S x = r, by refinement of solutions with the regularized S.

    Given L, pivot, and r, which is not changed. Each round is of what the ones before have left: a direction in which S
    is 1e5 times the regularization is found to rounding, one in which it is ten times to a thousandth; one in which it
    is smaller, because rows repeat each other or do so in passing, gets no force, and its conditions are left to
    others. Cost: 6 rows^2 products.
    """
    rows = len(r)
    for i in range(rows):
        x[i] = 0.0
    turn = 0
    while turn < REFINEMENTS:  # as a `for` it would be written out, and take three times as long to compile
        for i in range(rows):
            left[i] = r[i]
        for k in range(rows):
            known = x[k]
            for i in range(rows):
                left[i] = left[i] - S[k, i] * known
        for k in range(rows):
            inward = left[k]
            for i in range(k + 1, rows):
                left[i] = left[i] - L[k, i] * inward
        for k in range(rows):
            left[k] = left[k] / pivot[k]
        for k in range(rows - 1, -1, -1):
            outward = left[k]
            for i in range(k):
                left[i] = left[i] - L[k, i] * outward
        for i in range(rows):
            x[i] = x[i] + (left[i] if S[i, i].real > SMALLEST else 0.0 * left[i])
        turn = turn + 1


@step
def closing_step(error: Array, change: Array, cw: ClosureWorkspace) -> None:
    """The step towards the closed loops of least kinetic energy: -M^-1 J* S^-1 error, of coordinates or of speeds.

    Given X, S and its factor. Computes change (nv,); force is overwritten. Prescribed degrees of freedom stay. A state
    that is closed but for an error e is left with one of the order of its square.
    """
    solve_closures(cw.S, cw.L, cw.pivot, error, cw.left, cw.force)
    for j in range(len(change)):
        change[j] = 0.0
        for i in range(len(cw.force)):
            change[j] -= cw.force[i] * cw.X[i, j]
