"""Shapes at the ports of a flexible body whose second-order shapes follow its modes.

Rotation and displacement of all ports are Pi_t = F_0 R (I + c A) with constant columns F_0 and R = P_1 + P_2 A~ (see
`second_order`), so that Omega = Pi_t Lam Pi_t* = F_0 (R Lam' R*) F_0*. The leading columns are those of the undeformed
body, in which R Lam' R* is about I; in the trailing ones it grows with the square of the deformation.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.second_order import less_gain, less_reduced
from supple.recursions.small_factors import factor_semidefinite
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import Number


@step
def port_shape(flex: Flex, k: int, r: int, j: int, w: FlexWorkspace) -> Number:
    """Entry (j, r) of R of body k. Given xi_reduced."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    at, n = flex.gain_first[k] + j, flex.modes[k]
    total = flex.port_shape[at + r * m]
    for s in range(flex.second_order[k]):
        total = total + w.xi_reduced[flex.v_mode[k] + r, s] * flex.port_shape[at + (n + s) * m]
    return total


@step
def take_column(first: int, n: int, A: Array, at: int, m: int, x: Array) -> None:
    """x[first], ... become a column of the array A whose entries are m apart."""
    for r in range(n):
        x[first + r] = A[at + r * m]


@step
def port_shape_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """R Lam' R*, its factor and Lam R* of body k. Given xi_reduced, xi_gain. Computes Omega, F, port_gain.

    Cost a column: 3 products a mode and shape b, and one a further column.
    """
    i, n, g, o = flex.v_mode[k], flex.modes[k], flex.gain_first[k], flex.port_matrix[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    for j in range(flex.columns[k]):
        for r in range(n):
            w.port_gain[g + r * m + j] = port_shape(flex, k, r, j, w)
    for j in range(flex.columns[k]):
        take_column(i, n, w.port_gain, g + j, m, w.column)
        less_gain(flex, k, w.column, w)
        for l in range(j, flex.columns[k]):
            total = 0.0 * w.column[i]
            for r in range(n):
                total = total + w.port_gain[g + r * m + l] * w.column[i + r]
            w.Omega[o + l * m + j] = total
        less_reduced(flex, k, w.column, w)
        for r in range(n):
            w.port_gain[g + r * m + j] = w.column[i + r]
    factor_semidefinite(w.Omega, o, m, flex.columns[k], flex.leading[k])
    for j in range(flex.columns[k]):
        for l in range(m):
            total = flex.column[o + l * m + j] + 0.0 * w.Omega[o]
            for r in range(j + 1, flex.columns[k]):
                total = total + flex.column[o + l * m + r] * w.Omega[o + r * m + j]
            w.F[o + l * m + j] = total
