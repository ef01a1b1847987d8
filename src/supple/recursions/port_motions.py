"""Motions of the ports of a flexible body that carries much more than itself.

Modes pull at a heavy child with forces that nearly cancel what acts on them, so that its motion, as the sum of what
they do, is a small difference of large numbers, with errors that its mass makes large forces of. It is known better
from the child itself: with R etaddot = t the motions of the columns of F_0, g = R Lam (e - M_fr alpha) what they would
be without the child, and the symbols of `port_matrices`,

    S t = D^-1 g - F* (z+ + Gamma phi* alpha)        etaddot += Lam R* (t - R etaddot)

for bodies without second-order shapes, of which R Lam R* = I. With them it is L D L*, and t, g and R etaddot stand for
L^-1 of these, Lam R* for Lam R* L^-* D^-1. Trailing columns f have been let go before the others, with the gain u of
`port_matrices`; their motions follow after them, last to first:

    t = (g - d f* y) / (1 + d f* W f)        y = (I - u f*) ... (z+ + Gamma (phi* alpha + F t))

where the product is over the columns let go before, of which t stands for g.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.nodes import shift_motion
from supple.recursions.port_matrices import column, column_product, inverse_matrix, weight
from supple.recursions.second_order import slope_times
from supple.recursions.second_order_compliance import let_follow
from supple.recursions.small_factors import solve
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import (
    Number,
    Vec6,
    add6,
    add_scaled,
    angular,
    inertia_times,
    join,
    linear,
    load3,
    load6,
    load9,
    load_inertia,
    rotate,
)


@step
def free_columns(flex: Flex, k: int, alpha: Vec6, w: FlexWorkspace, g: Array) -> None:
    """L^-1 g of all columns of body k, in g. Given alpha, port_response, port_momentum."""
    first, o, columns = flex.port_first[k], flex.port_matrix[k], flex.columns[k]
    m = 6 * (flex.port_first[k + 1] - first)
    for l in range(columns):
        g[l] = w.port_response[6 * first + l]
        for i in range(6):
            g[l] -= w.port_momentum[o + i * m + l] * alpha[i]
    lower_solve(flex, k, w, g)


@step
def lower_solve(flex: Flex, k: int, w: FlexWorkspace, x: Array) -> None:
    """Overwrite x (columns,) by L^-1 x. Without second-order shapes L = I."""
    o, m = flex.port_matrix[k], 6 * (flex.port_first[k + 1] - flex.port_first[k])
    if flex.second_order[k] > 0:
        for l in range(flex.columns[k]):
            for j in range(l):
                x[l] -= w.Omega[o + l * m + j] * x[j]


@step
def moved_port(flex: Flex, k: int, p: int, alpha: Vec6, x: Array, w: FlexWorkspace) -> Vec6:
    """Motion of port p of body k with that of the frame and of columns x, as the modes see it."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    s = flex.attachment[flex.port_child[flex.port_first[k] + p]]
    moved = shift_motion(load3(w.node_l, s), alpha)
    moved = join(rotate(inverse_matrix(load9(w.node_Q, s)), angular(moved)), linear(moved))
    for l in range(flex.columns[k]):
        f = flex.port_matrix[k] + 6 * p * m + l
        own = (
            column(flex, k, f, w),
            column(flex, k, f + m, w),
            column(flex, k, f + 2 * m, w),
            column(flex, k, f + 3 * m, w),
            column(flex, k, f + 4 * m, w),
            column(flex, k, f + 5 * m, w),
        )
        moved = add_scaled(moved, x[l], own)
    return moved


@step
def carried_forces(flex: Flex, k: int, alpha: Vec6, x: Array, last: int, w: FlexWorkspace, y: Array) -> None:
    """z+ + Gamma (phi* alpha + F x) at the ports of body k, in y (6 a port), less what trailing columns yield to.

    Of these there are the ones before column `last`.
    """
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    for p in range(m // 6):
        c = flex.port_child[first + p]
        moved = moved_port(flex, k, p, alpha, x, w)
        force = add6(load6(w.port_seen, c), inertia_times(load_inertia(w.Gamma, c), moved))
        for i in range(6):
            y[6 * p + i] = force[i]
    for t in range(flex.leading[k], last):
        pull = column_product(flex, k, t, y, w)
        for i in range(m):
            y[i] -= w.trailing[o + i * m + t] * pull


@step
def moved_column(flex: Flex, k: int, l: int, a: Array, w: FlexWorkspace) -> Number:
    """Entry l of R a for modal accelerations a (all speeds) of body k. Given xi_slope."""
    i, n, row = flex.v_mode[k], flex.modes[k], flex.mode_row[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    at = flex.gain_first[k] + l
    total = 0.0 * a[i]
    for r in range(n):
        total = total + flex.port_shape[at + r * m] * a[i + r]
    for j in range(flex.second_order[k]):
        share = flex.port_shape[at + (n + j) * m] + 0.0 * a[i]
        for r in range(n):
            share = share + flex.port_shape[at + r * m] * flex.shape_reduction[row + r, j]
        total = total + share * slope_times(flex, k, j, a, w)
    return total


@step
def add_response(flex: Flex, k: int, x: Array, w: FlexWorkspace, a: Array) -> None:
    """Add Lam R* L^-* D^-1 x to the modal accelerations a of body k (all speeds), for x (columns,)."""
    i, n, at, first = flex.v_mode[k], flex.modes[k], flex.gain_first[k], flex.xi_first[k]
    o, m = flex.port_matrix[k], 6 * (flex.port_first[k + 1] - flex.port_first[k])
    if flex.second_order[k] > 0:
        for l in range(flex.columns[k] - 1, -1, -1):
            x[l] *= weight(flex, k, o + l * m + l, w)
            for j in range(l + 1, flex.columns[k]):
                x[l] -= w.Omega[o + j * m + l] * x[j]
    for r in range(n):
        w.column[i + r] = 0.0
        for l in range(flex.columns[k]):
            w.column[i + r] += flex.port_gain[at + r * m + l] * x[l]
    if flex.second_order[k] > 0:
        for j in range(flex.second_order[k]):
            w.xi_work[0, first + j] = 0.0
            for l in range(flex.columns[k]):
                w.xi_work[0, first + j] -= flex.port_shape[at + (n + j) * m + l] * x[l]
        let_follow(flex, k, w.column, w)
    for r in range(n):
        a[i + r] += w.column[i + r]


@step
def hold_ports(flex: Flex, k: int, alpha: Vec6, w: FlexWorkspace, a: Array) -> None:
    """Correct the modal accelerations a of body k (all speeds) so that its ports move as their children do.

    Given alpha, port_response, port_momentum, port_seen, Gamma, S. Cost: 2 products a mode and column that it moves.
    """
    o, leading = flex.port_matrix[k], flex.leading[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    y, g, x = w.work[0], w.work[1], w.work[2]
    free_columns(flex, k, alpha, w, g)
    for l in range(flex.columns[k]):
        x[l] = 0.0 * g[l] if l < leading else g[l]
    carried_forces(flex, k, alpha, x, flex.columns[k], w, y)
    for l in range(leading):
        x[l] = weight(flex, k, o + l * m + l, w) * g[l] - column_product(flex, k, l, y, w)
    solve(w.S, o, m, leading, x)
    for t in range(flex.columns[k] - 1, leading - 1, -1):
        x[t] = 0.0 * g[t]
        carried_forces(flex, k, alpha, x, t, w, y)
        x[t] = (g[t] - w.Omega[o + t * m + t] * column_product(flex, k, t, y, w)) * w.S[o + t * m + t]
    for l in range(flex.columns[k]):
        g[l] = moved_column(flex, k, l, a, w)
    lower_solve(flex, k, w, g)
    for l in range(flex.columns[k]):
        x[l] -= g[l]
    add_response(flex, k, x, w, a)
