"""What the modes of a flexible body leave of the inertias at its ports: W, and (I + Gamma Omega)^-1 of forces.

Gamma is singular along the child's degrees of freedom, so that (7.10) as printed, with its inverse, fails. With Omega =
F D F*, F lower triangular in the rows of its pivots, x becomes y = (I + Gamma Omega)^-1 x by

    S = D^-1 + F* Gamma F      s = S^-1 F* x      y = x - Gamma F s      F* y = D^-1 s

A heavy child makes the first form of y a small difference of large numbers in the directions in which the modes yield.
In the rows of the pivots it therefore comes from the second, by back substitution, which cancels nothing.

Matrices of all ports of a body stand in flat arrays from `port_matrix` on, 6 rows and columns a port.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.small_factors import factor, solve
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import (
    SLOT,
    Inertia,
    Mat3,
    Number,
    Vec6,
    add_scaled,
    congruence,
    cross,
    dot,
    dot6,
    load9,
    load_inertia,
    matmul,
    scale,
    store_inertia,
)


@step
def inverse_matrix(Q: Mat3) -> Mat3:
    """Q^-1, by the cross products of its columns."""
    a, b, c = (Q[0], Q[3], Q[6]), (Q[1], Q[4], Q[7]), (Q[2], Q[5], Q[8])
    bc = cross(b, c)
    inverse = 1 / dot(a, bc)
    x, y, z = scale(inverse, bc), scale(inverse, cross(c, a)), scale(inverse, cross(a, b))
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


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
def seen_inertia(Q: Mat3, P: Inertia) -> Inertia:
    """An inertia at a node as its modes see it: (Q*, I) P (Q, I). Q is no rotation."""
    Q_t = (Q[0], Q[3], Q[6], Q[1], Q[4], Q[7], Q[2], Q[5], Q[8])
    J = congruence(Q_t, (P[0], P[1], P[2], P[3], P[4], P[5]))
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

    u = d W f / (1 + d f* W f). Given W, F, Omega. Computes trailing: u in the columns of f; and 1 / (1 + d f* W f)
    on the diagonal of S.
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
        w.S[o + t * m + t] = 1 / total
        share = d * w.S[o + t * m + t]
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
    """Overwrite x (6 a port) by what the leading columns of F let through, y above, in its rows from place `low` on.

    Given GF, S, and in s (columns) F* x, which becomes s above. Without trailing columns F is lower triangular in the
    order of `port_order`: rows need none of the rows before them.
    """
    first, o, n = flex.port_first[k], flex.port_matrix[k], flex.leading[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    solve(w.S, o, m, n, s)
    for t in range(low, m):
        i = flex.port_order[6 * first + t]
        for j in range(n):
            x[i] -= w.GF[o + i * m + j] * s[j]
    for j in range(n - 1, low - 1, -1):
        p = flex.port_order[6 * first + j]
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
    for t in range(m):
        j = flex.port_order[6 * first + t]
        low = 0 if flex.columns[k] > n else t  # W is symmetric
        for i in range(m):
            x[i] = w.W[o + i * m + j]
        for i in range(n):
            s[i] = w.GF[o + j * m + i]
        leading_rows(flex, k, low, x, s, w)
        for r in range(low, m):
            i = flex.port_order[6 * first + r]
            w.W[o + i * m + j] = x[i]
            if flex.columns[k] == n:
                w.W[o + j * m + i] = x[i]
