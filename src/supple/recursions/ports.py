"""Crossing a flexible body: articulated inertia and forces, attachments to frame, two-port form of (7.8)-(7.12).

Each port is an attachment node that carries a child, which brings the articulated inertia Gamma and the force z+. All
ports of the body together, with F F* = Omega = Pi_t Lam Pi_t*, B = phi(k, t) - M_rf Ups, LM = Lam M_fr, S_0 = M_rr -
M_rf LM:

    W = (I + Gamma Omega)^-1 Gamma      P_R = S_0 + B W B*
    y = Ups* e - Omega z+               z_R = b_r + LM* e + B (z+ + W y)
    etaddot = Lam e - LM alpha - Ups (z+ + W y + W B* alpha)        e = T_f - b_f - K eta

The modes enter by vectors alone: no matrix of their size is formed or inverted, and the cost is linear in their number.
W comes from Gamma by a rank-one step for each column of F, symmetric and positive, without any inverse (Gamma, singular
along the child's degrees of freedom, has none, so that (7.10) as printed fails).

Against the source: the frame is at the inboard node, so that Pi_d = 0; e leaves z+ out, which then appears beside W y.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.modal import lam_times
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
    join,
    linear,
    load3,
    load6,
    load9,
    load_inertia,
    rotate,
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
def port_map_step(flex: Flex, k: int, c: int, w: FlexWorkspace) -> None:
    """B of the port of child c on body k: phi(k, t) - M_rf Ups (Q*, I). Given node_*, coupling. Cost: 36 a mode."""
    s = flex.attachment[c]
    i, gain = flex.v_mode[k], flex.attachment_row[s]
    for j in range(36):
        w.B[c, j] = 0.0
    for r in range(flex.modes[k]):
        m, u = load6(w.coupling, i + r), load6(flex.attachment_gain, gain + r)
        turned = rotate(load9(w.node_Q, s), angular(u))
        for j in range(6):
            for n in range(3):
                w.B[c, 6 * j + n] -= m[j] * turned[n]
                w.B[c, 6 * j + 3 + n] -= m[j] * u[3 + n]
    x, y, z = load3(w.node_l, s)
    for j in range(6):
        w.B[c, 7 * j] += 1.0
    w.B[c, 4] -= z
    w.B[c, 5] += y
    w.B[c, 9] += z
    w.B[c, 11] -= x
    w.B[c, 15] -= y
    w.B[c, 16] += x


@step
def participation_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """LM = Lam M_fr of the deformed body, a column at a time. Given coupling. Computes modal participation."""
    i, n = flex.v_mode[k], flex.modes[k]
    for r in range(n):
        store(w.participation, i + r, load6(w.coupling, i + r))
    for j in range(6):
        for r in range(n):
            w.column[i + r] = w.participation[i + r, j]
        lam_times(flex, k, w.column)
        for r in range(n):
            w.participation[i + r, j] = w.column[i + r]


@step
def schur_step(flex: Flex, k: int, own: Inertia, P: Array, w: FlexWorkspace) -> None:
    """What is left of a flexible body with its modes free: participation, S_0 (in the row of P) and B of its ports.

    Given its own inertia M_rr, coupling, node_*. Constants where the deformation is left out.
    """
    row, i = flex.mode_row[k], flex.v_mode[k]
    if flex.full[k]:
        participation_step(flex, k, w)
        for r in range(flex.modes[k]):  # the sum over the modes is symmetric
            own = subtract_outer(own, load6(w.participation, i + r), load6(w.coupling, i + r))
        store_inertia(P, k, own)
        for p in range(flex.port_first[k], flex.port_first[k + 1]):
            port_map_step(flex, k, flex.port_child[p], w)
    else:
        for r in range(flex.modes[k]):
            store(w.participation, i + r, load6(flex.mode_participation, row + r))
        store_inertia(P, k, load_inertia(flex.condensed_inertia, k))
        for p in range(flex.port_first[k], flex.port_first[k + 1]):
            c = flex.port_child[p]
            for j in range(36):
                w.B[c, j] = flex.attachment_rest[c, j]


@step
def turned_column(flex: Flex, k: int, j: int, w: FlexWorkspace, f: Array) -> None:
    """f = column j of F of body k, turned with the nodes of the ports."""
    first = flex.port_first[k]
    ports = flex.port_first[k + 1] - first
    o = flex.port_matrix[k] + j
    for p in range(ports):
        s = flex.attachment[flex.port_child[first + p]]
        i = 6 * p
        m = 6 * ports
        x = (flex.column[o + i * m], flex.column[o + (i + 1) * m], flex.column[o + (i + 2) * m])
        x = rotate(load9(w.node_Q, s), x)
        for n in range(3):
            f[i + n] = x[n]
            f[i + 3 + n] = flex.column[o + (i + 3 + n) * m]


@step
def through_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """W of all ports of body k, from their Gamma, a column of F at a time.

    Cost with one port: 36 + 6 + 6 + 21 products a column; F is triangular, which a traced model makes use of.
    """
    first = flex.port_first[k]
    m = 6 * (flex.port_first[k + 1] - first)
    o = flex.port_matrix[k]
    for i in range(m * m):
        w.W[o + i] = 0.0
    for p in range(m // 6):
        c = flex.port_child[first + p]
        for i in range(6):
            for j in range(6):
                w.W[o + (6 * p + i) * m + 6 * p + j] = w.Gamma[c, SLOT[i][j]]
    f, u = w.work[0], w.work[1]
    for n in range(flex.columns[k]):
        turned_column(flex, k, n, w, f)
        total = 1.0 + 0.0 * w.W[o]
        for i in range(m):
            u[i] = 0.0
            for j in range(m):
                u[i] += w.W[o + i * m + j] * f[j]
            total = total + f[i] * u[i]
        scale = 1 / total
        for i in range(m):
            g = scale * u[i]
            for j in range(i + 1):
                w.W[o + i * m + j] -= g * u[j]
                w.W[o + j * m + i] = w.W[o + i * m + j]


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
def modal_residual_step(flex: Flex, k: int, eps: Array, f: Array, w: FlexWorkspace) -> None:
    """z_R = b_r + LM* e + B (z+ + W y) (7.11). Given b_r in the row of f, e in eps, z+ of the ports in z.

    Computes f; z becomes z+ + W y. Cost: 12 products a mode, 6 more a further port.
    """
    first, last = flex.port_first[k], flex.port_first[k + 1]
    i, n = flex.v_mode[k], flex.modes[k]
    m = 6 * (last - first)
    o = flex.port_matrix[k]
    x, y = w.work[0], w.work[1]
    for p in range(first, last):
        c = flex.port_child[p]
        s = flex.attachment[c]
        z = load6(w.z, c)
        turned = join(unrotate(load9(w.node_Q, s), angular(z)), linear(z))
        total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(n):
            total = add_scaled(total, eps[i + r], load6(flex.attachment_gain, flex.attachment_row[s] + r))
        for j in range(6):
            x[6 * (p - first) + j] = turned[j]
            y[6 * (p - first) + j] = total[j]
    for j in range(m):
        for r in range(m):
            y[j] -= flex.compliance[o + j * m + r] * x[r]
    for p in range(first, last):
        j = 6 * (p - first)
        turning = rotate(load9(w.node_Q, flex.attachment[flex.port_child[p]]), (y[j], y[j + 1], y[j + 2]))
        y[j], y[j + 1], y[j + 2] = turning
    force = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for r in range(n):
        force = add_scaled(force, eps[i + r], load6(w.participation, i + r))
    for p in range(first, last):
        c = flex.port_child[p]
        for j in range(6):
            for r in range(m):
                w.z[c, j] += w.W[o + (6 * (p - first) + j) * m + r] * y[r]
        force = add6(force, block_times(w.B, c, load6(w.z, c)))
    accumulate(f, k, force)


@step
def modal_acceleration_step(flex: Flex, k: int, alpha: Vec6, eps: Array, w: FlexWorkspace, a: Array) -> None:
    """etaddot = Lam e - LM alpha - Ups (z+ + W y + W B* alpha) (7.12). Given alpha, e in eps, z, BW. Computes a."""
    i, n = flex.v_mode[k], flex.modes[k]
    for r in range(n):
        a[i + r] = eps[i + r]
    lam_times(flex, k, a)
    for r in range(n):
        a[i + r] -= dot6(load6(w.participation, i + r), alpha)
    for p in range(flex.port_first[k], flex.port_first[k + 1]):
        c = flex.port_child[p]
        s = flex.attachment[c]
        x = add6(load6(w.z, c), block_transposed_times(w.BW, c, alpha))
        turned = join(unrotate(load9(w.node_Q, s), angular(x)), linear(x))
        for r in range(n):
            a[i + r] -= dot6(load6(flex.attachment_gain, flex.attachment_row[s] + r), turned)
