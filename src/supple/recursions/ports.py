"""Crossing a flexible body: articulated inertia and forces, attachments to frame, two-port form of (7.8)-(7.12).

Each port is an attachment node that carries a child, which brings the articulated inertia Gamma and the force z+. All
ports of the body together, with Omega = Pi_t Lam Pi_t*, Ups = Lam Pi_t*, B = phi(k, t) - M_rf Ups, LM = Lam M_fr, S_0 =
M_rr - M_rf LM:

    W = (I + Gamma Omega)^-1 Gamma            P_R = S_0 + B W B*
    z = (I + Gamma Omega)^-1 (z+ + Gamma Ups* e)                     z_R = b_r + LM* e + B z
    etaddot = Lam e - LM alpha - Ups (z + W B* alpha)                e = T_f - b_f - K eta

The modes enter by vectors alone: no matrix of their size is formed or inverted, and the cost is linear in their number.
`port_matrices` has W and (I + Gamma Omega)^-1, which no heavy child spoils.

Against the source: the frame is at the inboard node, so that Pi_d = 0. Forces at ports and Gamma are as the modes see
them: with the exact rate Q of a node's turn, (Q* moment ; force).
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.port_matrices import (
    block_times,
    block_transposed_times,
    column_product,
    inverse_matrix,
    leading_step,
    through_step,
)
from supple.recursions.port_motions import hold_ports
from supple.recursions.port_shapes import port_shape_step
from supple.recursions.second_order_compliance import (
    follow_response,
    lam_step,
    let_follow,
    mode_coupling,
    shape_momentum_step,
    sparse_lam_times,
    take_common_mass,
)
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import (
    SLOT,
    Inertia,
    Vec6,
    accumulate,
    add6,
    add_scaled,
    angular,
    dot6,
    inertia_times,
    join,
    linear,
    load3,
    load6,
    load9,
    load_inertia,
    store,
    store_inertia,
    subtract_outer,
    unrotate,
)


@step
def has_ports_or_modes(flex: Flex, k: int) -> bool:
    """Return whether body k has modes or carries children at its nodes; a body with neither is rigid."""
    has: bool = flex.modes[k] + flex.port_first[k + 1] - flex.port_first[k] > 0
    return has


@step
def momentum_of_columns(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """M_rf Lam R* of body k, six rows. Given second. Computes port_momentum. Cost: 6 products a mode and column."""
    g, o, n, first = flex.gain_first[k], flex.port_matrix[k], flex.modes[k], flex.xi_first[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    for l in range(flex.columns[k]):
        total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(n):
            total = add_scaled(total, flex.port_gain[g + r * m + l], mode_coupling(flex, k, r, w))
        for j in range(flex.second_order[k]):
            at = g + (n + j) * m + l
            if j < flex.massive[k]:
                total = add_scaled(total, w.port_hat[at], load6(w.shape_gain, first + j))
            total = add_scaled(total, flex.port_shape[at], load6(w.shape_raw, first + j))
        for i in range(6):
            w.port_momentum[o + i * m + l] = total[i]


@step
def port_map_step(flex: Flex, k: int, p: int, w: FlexWorkspace) -> None:
    """B of port p of body k: phi(k, t) (Q^-*, I) - M_rf Lam R* F_0*. Given node_*, port_momentum."""
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    c = flex.port_child[first + p]
    s = flex.attachment[c]
    for n in range(6):
        for i in range(6):
            w.B[c, 6 * n + i] = 0.0
            for j in range(flex.columns[k]):
                w.B[c, 6 * n + i] -= w.port_momentum[o + n * m + j] * flex.column[o + (6 * p + i) * m + j]
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
            own = shape_momentum_step(flex, k, own, w)
            port_shape_step(flex, k, w)
        store_inertia(P, k, own)
        momentum_of_columns(flex, k, w)
        for p in range(flex.port_first[k + 1] - flex.port_first[k]):
            port_map_step(flex, k, p, w)
    else:
        for r in range(flex.modes[k]):
            store(w.participation, i + r, load6(flex.mode_participation, row + r))
        store_inertia(P, k, load_inertia(flex.condensed_inertia, k))
        if flex.heavy[k]:
            momentum_of_columns(flex, k, w)
        for p in range(flex.port_first[k], flex.port_first[k + 1]):
            c = flex.port_child[p]
            for j in range(36):
                w.B[c, j] = flex.attachment_rest[c, j]


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
        for j in range(flex.second_order[k]):
            total = 0.0 * x[i]
            for r in range(n):
                total = total + w.xi_gain[i + r, j] * x[i + r]
            w.xi_work[0, first + j] = w.xi_work[1, first + j] = total
        follow_response(flex, k, w)
    force = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for r in range(n):
        force = add_scaled(force, x[i + r], load6(w.participation, i + r))
    for j in range(flex.massive[k]):
        force = add_scaled(force, w.xi_work[1, first + j], load6(w.shape_left, first + j))
    for l in range(flex.columns[k]):
        total = 0.0 * x[i]
        for r in range(n):
            total = total + flex.port_gain[g + r * m + l] * x[i + r]
        for j in range(flex.second_order[k]):
            at = g + (n + j) * m + l
            total = total + flex.port_shape[at] * w.xi_work[0, first + j]
            if j < flex.massive[k]:
                total = total - w.port_hat[at] * w.xi_work[1, first + j]
        s[l] = total
    return force


@step
def port_forces(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """z of the ports of body k. Given R Lam e in the third row of `work`, z+ in z, Gamma.

    Computes z, port_seen, port_response.
    """
    first, o = flex.port_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - first)
    x, y, s = w.work[0], w.work[1], w.work[2]
    for i in range(m):
        y[i] = 0.0
        for j in range(flex.columns[k]):
            y[i] += flex.column[o + i * m + j] * s[j]
    for j in range(flex.columns[k]):
        w.port_response[6 * first + j] = s[j]
    for p in range(m // 6):
        c, i = flex.port_child[first + p], 6 * p
        z = load6(w.z, c)
        moved = inertia_times(load_inertia(w.Gamma, c), (y[i], y[i + 1], y[i + 2], y[i + 3], y[i + 4], y[i + 5]))
        store(w.port_seen, c, join(unrotate(load9(w.node_Q, flex.attachment[c]), angular(z)), linear(z)))
        z = add6(load6(w.port_seen, c), moved)
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
            force = 0.0 * alpha[0]
            if j < flex.massive[k]:
                force = dot6(load6(w.shape_momentum, flex.xi_first[k] + j), alpha)
            for l in range(flex.columns[k]):
                force = force + flex.port_shape[flex.gain_first[k] + (n + j) * m + l] * h[l]
            w.xi_work[0, flex.xi_first[k] + j] = force
        let_follow(flex, k, a, w)
    if flex.heavy[k]:
        hold_ports(flex, k, alpha, w, a)
