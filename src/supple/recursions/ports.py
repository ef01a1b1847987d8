"""Crossing a flexible body: articulated inertia and forces, attachments to frame, two-port form of (7.8)-(7.12).

Each port is an attachment node that carries a child, which brings the articulated inertia Gamma and the force z+. All
ports of the body together, with Omega = Pi_t Lam Pi_t*, Ups = Lam Pi_t*, B = phi(k, t) - M_rf Ups, LM = Lam M_fr, S_0 =
M_rr - M_rf LM:

    W = (I + Gamma Omega)^-1 Gamma            P_R = S_0 + B W B*
    z = (I + Gamma Omega)^-1 (z+ + Gamma Ups* e)                     z_R = b_r + LM* e + B z
    etaddot = Lam e - LM alpha - Ups (z + W B* alpha)                e = T_f - b_f - K eta

The modes enter by vectors alone: no matrix of their size is formed or inverted, and the cost is linear in their number.
Gamma is singular along the child's degrees of freedom, so that (7.10) as printed, with its inverse, fails. With Omega =
F D F*, F lower triangular in the rows of its pivots, x becomes y = (I + Gamma Omega)^-1 x by

    S = D^-1 + F* Gamma F      s = S^-1 F* x      y = x - Gamma F s      F* y = D^-1 s

A heavy child makes the first form of y a small difference of large numbers in the directions in which the modes yield.
In the rows of the pivots it therefore comes from the second, by back substitution, which cancels nothing.

Against the source: the frame is at the inboard node, so that Pi_d = 0. Forces at ports and Gamma are as the modes see
them: with the exact rate Q of a node's turn, (Q* moment ; force).
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.port_shapes import port_shape_step
from supple.recursions.second_order_compliance import (
    follow_response,
    followed_motion,
    hat_with_compliance,
    lam_step,
    less_shape_inertia,
    let_follow,
    mode_coupling,
    shape_force,
    shape_momentum_step,
    sparse_lam_times,
    take_common_mass,
)
from supple.recursions.small_factors import factor, solve
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import (
    SLOT,
    Inertia,
    Mat3,
    Number,
    Vec6,
    accumulate,
    add6,
    add_scaled,
    angular,
    cross,
    dot,
    dot6,
    inertia_times,
    join,
    linear,
    load3,
    load6,
    load9,
    load_inertia,
    matmul,
    rotate_symmetric,
    scale,
    store,
    store_inertia,
    subtract_outer,
    unrotate,
)


@step
def block_column(A: Array, k: int, j: int) -> Vec6:
    """Column j of the 6x6 matrix in row k of an (n, 36) array."""
    return A[k, j], A[k, 6 + j], A[k, 12 + j], A[k, 18 + j], A[k, 24 + j], A[k, 30 + j]


@step
def block_times(A: Array, k: int, x: Vec6) -> Vec6:
    """The 6x6 matrix in row k of an (n, 36) array, times x."""
    y = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for j in range(6):
        y = add_scaled(y, x[j], block_column(A, k, j))
    return y


@step
def block_transposed_times(A: Array, k: int, x: Vec6) -> Vec6:
    """The transpose of the 6x6 matrix in row k of an (n, 36) array, times x."""
    return (
        dot6(block_column(A, k, 0), x),
        dot6(block_column(A, k, 1), x),
        dot6(block_column(A, k, 2), x),
        dot6(block_column(A, k, 3), x),
        dot6(block_column(A, k, 4), x),
        dot6(block_column(A, k, 5), x),
    )


@step
def column(flex: Flex, k: int, i: int, w: FlexWorkspace) -> Number:
    """Entry i of F, of the undeformed body or as it is."""
    if flex.second_order[k] > 0:
        return w.F[i]
    return flex.column[i]


@step
def weight(flex: Flex, k: int, i: int, w: FlexWorkspace) -> Number:
    """1 / D at the diagonal entry i, of the undeformed body or as it is."""
    if flex.second_order[k] > 0:
        return 1 / w.Omega[i]
    return 1.0


@step
def inverse_matrix(Q: Mat3) -> Mat3:
    """Q^-1, by the cross products of its columns."""
    a, b, c = (Q[0], Q[3], Q[6]), (Q[1], Q[4], Q[7]), (Q[2], Q[5], Q[8])
    bc = cross(b, c)
    inverse = 1 / dot(a, bc)
    x, y, z = scale(inverse, bc), scale(inverse, cross(c, a)), scale(inverse, cross(a, b))
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


@step
def momentum_of_columns(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """M_rf Lam R* of body k, six rows, in S. Given second. Cost: 6 products a mode and column of F_0."""
    g, o, n, first = flex.gain_first[k], flex.port_matrix[k], flex.modes[k], flex.xi_first[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    for l in range(flex.columns[k]):
        total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(n):
            total = add_scaled(total, flex.port_gain[g + r * m + l], mode_coupling(flex, k, r, w))
        for j in range(flex.second_order[k]):
            at = g + (n + j) * m + l
            direct = add_scaled(load6(w.shape_momentum, first + j), -1, hat_with_compliance(flex, k, j, w))
            total = add_scaled(total, w.port_hat[at], direct)
            total = add_scaled(total, flex.port_shape[at], load6(w.shape_raw, first + j))
        for i in range(6):
            w.S[o + i * m + l] = total[i]


@step
def port_map_step(flex: Flex, k: int, p: int, w: FlexWorkspace) -> None:
    """B of port p of body k: phi(k, t) (Q^-*, I) - M_rf Lam R* F_0*. Given node_*, and that momentum in S."""
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    c = flex.port_child[first + p]
    s = flex.attachment[c]
    for n in range(6):
        for i in range(6):
            w.B[c, 6 * n + i] = 0.0
            for j in range(flex.columns[k]):
                w.B[c, 6 * n + i] -= w.S[o + n * m + j] * flex.column[o + (6 * p + i) * m + j]
    Q = inverse_matrix(load9(w.node_Q, s))
    for n in range(3):
        for i in range(3):
            w.B[c, 6 * n + i] += Q[3 * i + n]
        w.B[c, 21 + 7 * n] += 1.0
    x, y, z = load3(w.node_l, s)
    w.B[c, 4] -= z
    w.B[c, 5] += y
    w.B[c, 9] += z
    w.B[c, 11] -= x
    w.B[c, 15] -= y
    w.B[c, 16] += x


@step
def participation_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """Lam_0 M_0* of the deformed body, a column at a time. Given second. Computes modal participation."""
    i, n = flex.v_mode[k], flex.modes[k]
    for r in range(n):
        store(w.participation, i + r, mode_coupling(flex, k, r, w))
    for j in range(6):
        for r in range(n):
            w.column[i + r] = w.participation[i + r, j]
        sparse_lam_times(flex, k, w.column)
        for r in range(n):
            w.participation[i + r, j] = w.column[i + r]


@step
def schur_step(flex: Flex, k: int, own: Inertia, P: Array, w: FlexWorkspace) -> None:
    """What is left of a flexible body with its modes free: participation, S_0 (in the row of P) and B of its ports.

    Given its own inertia M_rr, second, node_*, and of second-order shapes xi_slope, xi_second. Constants where the
    deformation is left out.
    """
    row, i = flex.mode_row[k], flex.v_mode[k]
    if flex.full[k]:
        participation_step(flex, k, w)
        for r in range(flex.modes[k]):  # the sum over the modes is symmetric
            own = subtract_outer(own, load6(w.participation, i + r), mode_coupling(flex, k, r, w))
        if flex.second_order[k] > 0:
            lam_step(flex, k, w)
            shape_momentum_step(flex, k, w)
            own = less_shape_inertia(flex, k, own, w)
            port_shape_step(flex, k, w)
        store_inertia(P, k, own)
        momentum_of_columns(flex, k, w)
        for p in range(flex.port_first[k + 1] - flex.port_first[k]):
            port_map_step(flex, k, p, w)
    else:
        for r in range(flex.modes[k]):
            store(w.participation, i + r, load6(flex.mode_participation, row + r))
        store_inertia(P, k, load_inertia(flex.condensed_inertia, k))
        for p in range(flex.port_first[k], flex.port_first[k + 1]):
            c = flex.port_child[p]
            for j in range(36):
                w.B[c, j] = flex.attachment_rest[c, j]


@step
def seen_inertia(Q: Mat3, P: Inertia) -> Inertia:
    """An inertia at a node as its modes see it: (Q*, I) P (Q, I)."""
    Q_t = (Q[0], Q[3], Q[6], Q[1], Q[4], Q[7], Q[2], Q[5], Q[8])
    J = rotate_symmetric(Q_t, (P[0], P[1], P[2], P[3], P[4], P[5]))
    C = matmul(Q_t, (P[6], P[7], P[8], P[9], P[10], P[11], P[12], P[13], P[14]))
    return (*J, *C, P[15], P[16], P[17], P[18], P[19], P[20])


@step
def gather_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """W of body k starts as the inertias at its ports, as the modes see them; Gamma becomes so too."""
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    for i in range(m * m):
        w.W[o + i] = 0.0
    for p in range(m // 6):
        c = flex.port_child[first + p]
        seen = seen_inertia(load9(w.node_Q, flex.attachment[c]), load_inertia(w.Gamma, c))
        store_inertia(w.Gamma, c, seen)
        for i in range(6):
            for j in range(6):
                w.W[o + (6 * p + i) * m + 6 * p + j] = seen[SLOT[i][j]]


@step
def trailing_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """Let the columns f of F that second-order shapes alone have yield, one at a time: W less u (W f)*.

    u = d W f / (1 + d f* W f). Given W, F, Omega. Computes trailing: u in the columns of f.
    """
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    u = w.work[0]
    for t in range(flex.leading[k], flex.columns[k]):
        total = 1.0 + 0.0 * w.W[o]
        d = w.Omega[o + t * m + t]
        for i in range(m):
            u[i] = 0.0
            for j in range(m):
                u[i] += w.W[o + i * m + j] * w.F[o + j * m + t]
            total = total + d * w.F[o + i * m + t] * u[i]
        share = d / total
        for i in range(m):
            w.trailing[o + i * m + t] = share * u[i]
            for j in range(i + 1):
                w.W[o + i * m + j] -= w.trailing[o + i * m + t] * u[j]
                w.W[o + j * m + i] = w.W[o + i * m + j]


@step
def column_product(flex: Flex, k: int, j: int, x: Array, w: FlexWorkspace) -> Number:
    """Entry j of F* x for x (6 a port)."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    total = 0.0 * x[0]
    for i in range(m):
        total = total + column(flex, k, flex.port_matrix[k] + i * m + j, w) * x[i]
    return total


@step
def leading_rows(flex: Flex, k: int, low: int, x: Array, s: Array, w: FlexWorkspace) -> None:
    """Overwrite x (6 a port) by what the leading columns of F let through, y above, in its rows from `low` on.

    Given GF, S, and in s (columns) F* x, which becomes s above. Of a body without second-order shapes rows need none of
    the rows before them.
    """
    first, o, n = flex.port_first[k], flex.port_matrix[k], flex.leading[k]
    m = 6 * (flex.port_first[k + 1] - first)
    solve(w.S, o, m, n, s)
    for i in range(low, m):
        for j in range(n):
            x[i] -= w.GF[o + i * m + j] * s[j]
    for j in range(n - 1, -1, -1):
        p = flex.column_pivot[6 * first + j]
        if p >= low:
            x[p] = 0.0  # its entry of the column is not in the sum
            left = weight(flex, k, o + j * m + j, w) * s[j] - column_product(flex, k, j, x, w)
            x[p] = left / column(flex, k, o + p * m + j, w)


@step
def leading_step(flex: Flex, k: int, x: Array, s: Array, w: FlexWorkspace) -> None:
    """Overwrite x (6 a port) by what the leading columns of F let through. Given GF, S. s is working space."""
    for j in range(flex.leading[k]):
        s[j] = column_product(flex, k, j, x, w)
    leading_rows(flex, k, 0, x, s, w)


@step
def through_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """W of all ports of body k. Given Gamma, and F of a body with second-order shapes. Computes GF, S, W.

    Cost with one port and six columns: 600 products, of which F, triangular, leaves out a third.
    """
    first, o, n = flex.port_first[k], flex.port_matrix[k], flex.leading[k]
    m = 6 * (flex.port_first[k + 1] - first)
    gather_step(flex, k, w)
    if flex.second_order[k] > 0:
        trailing_step(flex, k, w)
    for i in range(m):
        for j in range(n):
            total = 0.0 * w.W[o]
            for r in range(m):
                total = total + w.W[o + i * m + r] * column(flex, k, o + r * m + j, w)
            w.GF[o + i * m + j] = total
    for i in range(n):
        for j in range(i + 1):
            total = 0.0 * w.W[o]
            for r in range(m):
                total = total + column(flex, k, o + r * m + i, w) * w.GF[o + r * m + j]
            w.S[o + i * m + j] = total
        w.S[o + i * m + i] += weight(flex, k, o + i * m + i, w)
    factor(w.S, o, m, n)
    x, s = w.work[0], w.work[1]
    for j in range(m):
        low = 0 if flex.second_order[k] > 0 else j  # W is symmetric
        for i in range(m):
            x[i] = w.W[o + i * m + j]
        for i in range(n):
            s[i] = w.GF[o + j * m + i]
        leading_rows(flex, k, low, x, s, w)
        for i in range(low, m):
            w.W[o + i * m + j] = x[i]
            if flex.second_order[k] == 0:
                w.W[o + j * m + i] = x[i]


@step
def port_step(flex: Flex, k: int, P: Array, w: FlexWorkspace) -> None:
    """P_R = S_0 + B W B* into the row of P. Given S_0 there, B, Gamma of all ports. Computes W, BW. Cost: no mode."""
    through_step(flex, k, w)
    first, last = flex.port_first[k], flex.port_first[k + 1]
    m = 6 * (last - first)
    o = flex.port_matrix[k]
    for p in range(first, last):
        c = flex.port_child[p]
        for i in range(6):
            for j in range(6):
                total = 0.0 * w.W[o]
                for p_2 in range(first, last):
                    d = flex.port_child[p_2]
                    for n in range(6):
                        total = total + w.B[d, 6 * i + n] * w.W[o + (6 * (p_2 - first) + n) * m + 6 * (p - first) + j]
                w.BW[c, 6 * i + j] = total
        for i in range(6):
            for j in range(i, 6):
                total = 0.0 * w.W[o]
                for n in range(6):
                    total = total + w.BW[c, 6 * i + n] * w.B[c, 6 * j + n]
                P[k, SLOT[i][j]] += total


@step
def modal_response(flex: Flex, k: int, x: Array, s: Array, w: FlexWorkspace) -> Vec6:
    """LM* e and R Lam e of body k for forces e on its modes, in x (all speeds): a force, and columns in s.

    x becomes what `modal_acceleration_step` takes. Given participation. Cost: 6 products a mode, and one a column of
    F_0 that it moves; with second-order shapes 3 more for each.
    """
    i, n, g, first = flex.v_mode[k], flex.modes[k], flex.gain_first[k], flex.xi_first[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    if flex.second_order[k] > 0:
        take_common_mass(flex, k, x, w)
        follow_response(flex, k, w.xi_gain, x, w)
    force = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for r in range(n):
        force = add_scaled(force, x[i + r], load6(w.participation, i + r))
    for j in range(flex.second_order[k]):
        force = add_scaled(force, followed_motion(flex, k, j, w), load6(w.shape_momentum, first + j))
        force = add_scaled(force, -w.xi_work[1, first + j], load6(w.shape_raw, first + j))
    for l in range(flex.columns[k]):
        total = 0.0 * x[i]
        for r in range(n):
            total = total + flex.port_gain[g + r * m + l] * x[i + r]
        for j in range(flex.second_order[k]):
            at = g + (n + j) * m + l
            total = total + flex.port_shape[at] * w.xi_work[0, first + j] - w.port_hat[at] * w.xi_work[1, first + j]
        s[l] = total
    return force


@step
def port_forces(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """z of the ports of body k. Given R Lam e in the third row of `work`, z+ in z, Gamma."""
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    x, y, s = w.work[0], w.work[1], w.work[2]
    for i in range(m):
        y[i] = 0.0
        for j in range(flex.columns[k]):
            y[i] += flex.column[o + i * m + j] * s[j]
    for p in range(m // 6):
        c, i = flex.port_child[first + p], 6 * p
        z = load6(w.z, c)
        moved = inertia_times(load_inertia(w.Gamma, c), (y[i], y[i + 1], y[i + 2], y[i + 3], y[i + 4], y[i + 5]))
        z = add6(join(unrotate(load9(w.node_Q, flex.attachment[c]), angular(z)), linear(z)), moved)
        for n in range(6):
            x[i + n] = z[n]
    if flex.second_order[k] > 0:
        for t in range(flex.leading[k], flex.columns[k]):
            force = column_product(flex, k, t, x, w)
            for i in range(m):
                x[i] -= w.trailing[o + i * m + t] * force
    leading_step(flex, k, x, s, w)
    for p in range(m // 6):
        for n in range(6):
            w.z[flex.port_child[first + p], n] = x[6 * p + n]


@step
def modal_residual_step(flex: Flex, k: int, eps: Array, f: Array, w: FlexWorkspace) -> None:
    """z_R = b_r + LM* e + B z (7.11). Given b_r in the row of f, e in eps, z+ of the ports in z, which becomes z.

    Computes f; eps becomes what `modal_acceleration_step` takes.
    """
    force = modal_response(flex, k, eps, w.work[2], w)
    if flex.port_first[k + 1] > flex.port_first[k]:
        port_forces(flex, k, w)
        for p in range(flex.port_first[k], flex.port_first[k + 1]):
            c = flex.port_child[p]
            force = add6(force, block_times(w.B, c, load6(w.z, c)))
    accumulate(f, k, force)


@step
def modal_acceleration_step(flex: Flex, k: int, alpha: Vec6, eps: Array, w: FlexWorkspace, a: Array) -> None:
    """etaddot = Lam e - LM alpha - Ups (z + W B* alpha) (7.12). Given alpha, e in eps, z, BW. Computes a."""
    i, n, first, o = flex.v_mode[k], flex.modes[k], flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    y, h = w.work[0], w.work[1]
    for p in range(m // 6):
        c = flex.port_child[first + p]
        x = add6(load6(w.z, c), block_transposed_times(w.BW, c, alpha))
        for j in range(6):
            y[6 * p + j] = x[j]
    for l in range(flex.columns[k]):
        h[l] = 0.0
        for j in range(m):
            h[l] += flex.column[o + j * m + l] * y[j]
    for r in range(n):
        a[i + r] = eps[i + r]
    sparse_lam_times(flex, k, a)
    for r in range(n):
        a[i + r] -= dot6(load6(w.participation, i + r), alpha)
        for l in range(flex.columns[k]):
            a[i + r] -= flex.port_gain[flex.gain_first[k] + r * m + l] * h[l]
    if flex.second_order[k] > 0:
        for j in range(flex.second_order[k]):
            force = shape_force(flex, k, j, alpha, w)
            for l in range(flex.columns[k]):
                force = force + flex.port_shape[flex.gain_first[k] + (n + j) * m + l] * h[l]
            for r in range(n):
                a[i + r] -= w.xi_gain[i + r, j] * force
        let_follow(flex, k, a, w)
