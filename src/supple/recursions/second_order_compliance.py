"""Lam = G^-1 of a body whose second-order shapes follow its modes, without a matrix of the size of the modes.

With the notation of `second_order` and c = Lam_0 g, in a basis of shapes b whose masses beside the modes, G_b - g* c,
are one or nothing (`structures.shape_basis`), all of them constant:

    A~ = (I + A c)^-1 A      Q = A~ Lam_0 A~*      S = I + Q of the shapes with mass      E = S^-1, zero for the others
    Lam' = Lam_0 - Lam_0 A~* E A~ Lam_0            Lam = (I - c A~) Lam' (I - A~* c*)

What meets Lam from both sides has the same form: momentum at the frame and motions of the ports are

    M_rf = (M_0 + D A~) (I + c A)      D = M_b - M_0 c        Pi_t = F_0 (P_1 + P_2 A~) (I + c A)

with M_0, P_1 those of the modes alone. D is zero for shapes without mass, so that with U = D - M_0 Lam_0 A~*

    M_rf Lam M_fr = M_0 Lam_0 M_0* + D D* - U E U*

Ports may move without mass: with raw = A~ Lam_0 P_1* and hat = raw + Q P_2*

    Pi_t Lam Pi_t* = F_0 (P_1 Lam_0 P_1* + P_2 hat + raw* P_2* - hat* E hat) F_0*
    M_rf Lam Pi_t* = (M_0 Lam_0 P_1* + U E hat + M_0 Lam_0 A~* P_2*) F_0*

Modes that do not couple stay so in all products with Lam_0: the cost is linear in modes times shapes b.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.modal import axial, shape_coupling
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import (
    Inertia,
    Vec6,
    add_scaled,
    join,
    load3,
    load6,
    load9,
    scale6,
    store,
    subtract_outer,
)


@step
def sparse_lam_times(flex: Flex, k: int, x: Array) -> None:
    """Overwrite the modal entries of body k in x (all speeds) by Lam_0 x, by sparse factors. Nothing for modes."""
    row, first = flex.mode_row[k], flex.v_mode[k]
    n = flex.modes[k]
    for r in range(n):
        for i in range(flex.factor_first[row + r], flex.factor_first[row + r + 1]):
            x[first + r] -= flex.factor_value[i] * x[first + flex.factor_mode[i]]
    for r in range(n):
        x[first + r] *= flex.factor_scale[row + r]
    for r in range(n - 1, -1, -1):
        for i in range(flex.factor_first[row + r], flex.factor_first[row + r + 1]):
            x[first + flex.factor_mode[i]] -= flex.factor_value[i] * x[first + r]


@step
def mode_coupling(flex: Flex, k: int, r: int, w: FlexWorkspace) -> Vec6:
    """M_0 of mode r of body k: its momentum at the frame without what follows it. Given second."""
    own = axial(load9(w.second, flex.v_mode[k] + r))
    return join(own, load3(flex.mode_momentum, flex.mode_row[k] + r))


@step
def reduced_slopes(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """A~ of body k, by elimination; I + A c is close to I. Given xi_slope. Computes xi_reduced."""
    row, i, n, count = flex.mode_row[k], flex.v_mode[k], flex.modes[k], flex.second_order[k]
    M = w.xi_matrix
    for a in range(count):
        for b in range(count):
            M[a, b] = 1.0 if a == b else 0.0
            for r in range(n):
                M[a, b] += w.xi_slope[i + r, a] * flex.shape_reduction[row + r, b]
    for r in range(n):
        for a in range(count):
            w.xi_reduced[i + r, a] = w.xi_slope[i + r, a]
    for a in range(count):
        for b in range(a + 1, count):
            ratio = M[b, a] * (1 / M[a, a])
            for c in range(a + 1, count):
                M[b, c] -= ratio * M[a, c]
            for r in range(n):
                w.xi_reduced[i + r, b] -= ratio * w.xi_reduced[i + r, a]
    for a in range(count - 1, -1, -1):
        inverse = 1 / M[a, a]
        for r in range(n):
            for b in range(a + 1, count):
                w.xi_reduced[i + r, a] -= M[a, b] * w.xi_reduced[i + r, b]
            w.xi_reduced[i + r, a] *= inverse


@step
def factor_shapes(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """S = I + Q of the shapes of body k with mass as L d L*, L below the diagonal d. Given xi_Q. Computes xi_S."""
    first, count = flex.xi_first[k], flex.massive[k]
    S = w.xi_S
    for a in range(count):
        for b in range(a + 1):
            S[first + a, b] = w.xi_Q[first + a, b]
        S[first + a, a] += 1.0
    for a in range(count):
        inverse = 1 / S[first + a, a]
        for b in range(a + 1, count):
            ratio = S[first + b, a] * inverse
            for c in range(a + 1, b + 1):
                S[first + b, c] -= ratio * S[first + c, a]
        for b in range(a + 1, count):
            S[first + b, a] *= inverse


@step
def lam_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """What Lam of body k has beside Lam_0. Given xi_slope. Computes xi_reduced, xi_gain, xi_Q, xi_S.

    Cost: n k^2 / 2 products for Q; n k^2 for A~ if modes and shapes b have mass in common.
    """
    reduced_slopes(flex, k, w)
    i, n, first, count = flex.v_mode[k], flex.modes[k], flex.xi_first[k], flex.second_order[k]
    for j in range(count):
        for r in range(n):
            w.column[i + r] = w.xi_reduced[i + r, j]
        sparse_lam_times(flex, k, w.column)
        for r in range(n):
            w.xi_gain[i + r, j] = w.column[i + r]
    for a in range(count):
        for b in range(a + 1):
            w.xi_Q[first + a, b] = 0.0
            for r in range(n):
                w.xi_Q[first + a, b] += w.xi_reduced[i + r, a] * w.xi_gain[i + r, b]
            w.xi_Q[first + b, a] = w.xi_Q[first + a, b]
    factor_shapes(flex, k, w)


@step
def shape_momentum_step(flex: Flex, k: int, own: Inertia, w: FlexWorkspace) -> Inertia:
    """The inertia M_rr - M_0 Lam_0 M_0* of body k less what M_rf Lam M_fr has more: D D* - U S^-1 U*.

    Given second, xi_second, xi_gain, xi_S. Computes shape_momentum, shape_raw, shape_left, shape_gain. Cost: 6 products
    a mode and shape b.
    """
    row, i, n = flex.mode_row[k], flex.v_mode[k], flex.modes[k]
    first, count = flex.xi_first[k], flex.massive[k]
    for j in range(flex.second_order[k]):
        raw = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(n):
            raw = add_scaled(raw, w.xi_gain[i + r, j], mode_coupling(flex, k, r, w))
        store(w.shape_raw, first + j, raw)
    for j in range(count):
        D = shape_coupling(flex, k, j, w)
        for r in range(n):
            D = add_scaled(D, -flex.shape_reduction[row + r, j], mode_coupling(flex, k, r, w))
        left = add_scaled(D, -1, load6(w.shape_raw, first + j))
        store(w.shape_momentum, first + j, D)
        store(w.shape_left, first + j, left)
        own = subtract_outer(own, D, D)
        for l in range(j):
            left = add_scaled(left, -w.xi_S[first + j, l], load6(w.shape_gain, first + l))
        store(w.shape_gain, first + j, left)
    for j in range(count - 1, -1, -1):
        left = load6(w.shape_gain, first + j)
        gain = scale6(1 / w.xi_S[first + j, j], left)
        own = subtract_outer(own, scale6(-1, gain), left)
        for l in range(j + 1, count):
            gain = add_scaled(gain, -w.xi_S[first + l, j], load6(w.shape_gain, first + l))
        store(w.shape_gain, first + j, gain)
    return own


@step
def take_common_mass(flex: Flex, k: int, x: Array, w: FlexWorkspace) -> None:
    """Overwrite the modal entries of body k in x (all speeds) by (I - A~* c*) x. Given xi_reduced."""
    row, i, n = flex.mode_row[k], flex.v_mode[k], flex.modes[k]
    for j in range(flex.second_order[k]):
        total = 0.0 * x[i]
        for r in range(n):
            total = total + flex.shape_reduction[row + r, j] * x[i + r]
        w.xi_work[0, flex.xi_first[k] + j] = total
    for r in range(n):
        for j in range(flex.second_order[k]):
            x[i + r] -= w.xi_reduced[i + r, j] * w.xi_work[0, flex.xi_first[k] + j]


@step
def follow_response(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """Overwrite s (second row of `xi_work`) by y = S^-1 s of the shapes of body k with mass. Given xi_S.

    That is s - Q y, what A~ makes of the response, and so become the rows of shapes without mass.
    """
    first, count = flex.xi_first[k], flex.massive[k]
    y = w.xi_work[1]
    for j in range(count):
        for l in range(j):
            y[first + j] -= w.xi_S[first + j, l] * y[first + l]
    for j in range(count):
        y[first + j] *= 1 / w.xi_S[first + j, j]
    for j in range(count - 1, -1, -1):
        for l in range(j + 1, count):
            y[first + j] -= w.xi_S[first + l, j] * y[first + l]
    for j in range(count, flex.second_order[k]):
        for l in range(count):
            y[first + j] -= w.xi_Q[first + j, l] * y[first + l]


@step
def let_follow(flex: Flex, k: int, x: Array, w: FlexWorkspace) -> None:
    """Overwrite the modal entries of body k in x = Lam_0 e (all speeds) by (I - c A~) Lam' (e - A~* f).

    Given the forces f on shapes in the first row of `xi_work`, xi_reduced, xi_gain, xi_Q, xi_S.
    """
    row, i, n, first = flex.mode_row[k], flex.v_mode[k], flex.modes[k], flex.xi_first[k]
    f, y = w.xi_work[0], w.xi_work[1]
    for j in range(flex.second_order[k]):
        y[first + j] = 0.0
        for r in range(n):
            y[first + j] += w.xi_reduced[i + r, j] * x[i + r]
        for l in range(flex.second_order[k]):
            y[first + j] -= w.xi_Q[first + j, l] * f[first + l]
    follow_response(flex, k, w)
    for j in range(flex.second_order[k]):
        force = f[first + j] + y[first + j] if j < flex.massive[k] else f[first + j]
        for r in range(n):
            x[i + r] -= w.xi_gain[i + r, j] * force + flex.shape_reduction[row + r, j] * y[first + j]


@step
def lam_times(flex: Flex, k: int, x: Array, w: FlexWorkspace) -> None:
    """Overwrite the modal entries of body k in x (all speeds) by Lam x. Given `lam_step`."""
    if flex.second_order[k] > 0:
        take_common_mass(flex, k, x, w)
    sparse_lam_times(flex, k, x)
    if flex.second_order[k] > 0:
        for j in range(flex.second_order[k]):
            w.xi_work[0, flex.xi_first[k] + j] = 0.0
        let_follow(flex, k, x, w)
