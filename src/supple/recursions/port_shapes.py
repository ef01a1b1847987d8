"""Motions of the ports of a flexible body whose second-order shapes follow its modes, see `second_order_compliance`.

Omega = F_0 (R Lam' R*) F_0* with R = P_1 + P_2 A~. In the leading columns of F_0 the inner matrix is about I; in the
trailing ones, which shapes b alone move, it grows with the square of the deformation.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.small_factors import factor_semidefinite
from supple.recursions.tree import Flex, FlexWorkspace


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
def port_shape_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """R Lam' R* of body k and its factor. Given xi_gain, xi_Q, xi_S. Computes port_raw, port_hat, port_left, Omega, F.

    Cost: a product a mode, shape b and column that the mode moves.
    """
    o, first, columns = flex.port_matrix[k], flex.xi_first[k], flex.columns[k]
    m = 6 * (flex.port_first[k + 1] - flex.port_first[k])
    at = flex.gain_first[k] + flex.modes[k] * m
    column_slopes(flex, k, w)
    for j in range(flex.massive[k]):
        for l in range(columns):
            i = at + j * m + l
            w.port_left[i] = w.port_hat[i]
            for s in range(j):
                w.port_left[i] -= w.xi_S[first + j, s] * w.port_left[at + s * m + l]
    for a in range(columns):
        for b in range(a + 1):
            w.Omega[o + a * m + b] = 0.0
            if a == b and a < flex.leading[k]:
                w.Omega[o + a * m + b] = 1.0
            for j in range(flex.second_order[k]):
                i = at + j * m
                w.Omega[o + a * m + b] += flex.port_shape[i + a] * w.port_hat[i + b]
                w.Omega[o + a * m + b] += w.port_raw[i + a] * flex.port_shape[i + b]
    for j in range(flex.massive[k]):
        inverse = 1 / w.xi_S[first + j, j]
        i = at + j * m
        for b in range(columns):
            ratio = inverse * w.port_left[i + b]
            for a in range(b, columns):
                w.Omega[o + a * m + b] -= w.port_left[i + a] * ratio
    factor_semidefinite(w.Omega, o, m, columns, flex.leading[k])
    for j in range(columns):
        for l in range(m):
            total = flex.column[o + l * m + j] + 0.0 * w.Omega[o]
            for r in range(j + 1, columns):
                total = total + flex.column[o + l * m + r] * w.Omega[o + r * m + j]
            w.F[o + l * m + j] = total
