"""Motions of the ports of a flexible body whose second-order shapes follow its modes, see `second_order_compliance`.

Omega = F_0 (R Lam' R*) F_0* with R = P_1 + P_2 A~. In the leading columns of F_0 the inner matrix is about I; in the
trailing ones, which shapes b alone move, it grows with the square of the deformation.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.small_factors import factor_semidefinite
from supple.recursions.tree import Flex, FlexWorkspace
from supple.spatial import Number


@step
def column_slopes(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """A~ Lam_0 P_1* and R^ of body k, a row a shape b. Given xi_gain, xi_Q. Computes port_raw, port_hat."""
    i, n, g, count = flex.v_mode[k], flex.modes[k], flex.gain_first[k], flex.second_order[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    for j in range(count):
        for l in range(flex.columns[k]):
            at = g + (n + j) * m + l
            w.port_raw[at] = 0.0
            for r in range(n):
                w.port_raw[at] += w.xi_gain[i + r, j] * flex.port_shape[g + r * m + l]
            w.port_hat[at] = w.port_raw[at]
            for s in range(count):
                w.port_hat[at] += w.xi_Q[flex.xi_first[k] + j, s] * flex.port_shape[g + (n + s) * m + l]


@step
def hat_compliance(flex: Flex, k: int, j: int, l: int, w: FlexWorkspace) -> Number:
    """Entry (j, l) of E R^ of body k. Given xi_E, port_hat."""
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    at = flex.gain_first[k] + flex.modes[k] * m + l
    total = 0.0 * w.port_hat[at]
    for s in range(flex.second_order[k]):
        total = total + w.xi_E[flex.xi_first[k] + j, s] * w.port_hat[at + s * m]
    return total


@step
def port_shape_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """R Lam' R* of body k and its factor. Given xi_gain, xi_Q, xi_E. Computes port_raw, port_hat, Omega, F.

    Cost: a product a mode, shape b and column that the mode moves.
    """
    o, count = flex.port_matrix[k], flex.second_order[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    at = flex.gain_first[k] + flex.modes[k] * m
    column_slopes(flex, k, w)
    for a in range(flex.columns[k]):
        for b in range(a + 1):
            w.Omega[o + a * m + b] = 0.0
            if a == b and a < flex.leading[k]:
                w.Omega[o + a * m + b] = 1.0
            for j in range(count):
                i = at + j * m
                w.Omega[o + a * m + b] += flex.port_shape[i + a] * w.port_hat[i + b]
                w.Omega[o + a * m + b] += w.port_raw[i + a] * flex.port_shape[i + b]
                w.Omega[o + a * m + b] -= w.port_hat[i + a] * hat_compliance(flex, k, j, b, w)
    factor_semidefinite(w.Omega, o, m, flex.columns[k], flex.leading[k])
    for j in range(flex.columns[k]):
        for l in range(m):
            total = flex.column[o + l * m + j] + 0.0 * w.Omega[o]
            for r in range(j + 1, flex.columns[k]):
                total = total + flex.column[o + l * m + r] * w.Omega[o + r * m + j]
            w.F[o + l * m + j] = total
