"""Lam = G^-1 of a body whose second-order shapes follow its modes, without a matrix of the size of the modes.

With the notation of `second_order`, c = Lam_0 g and B B* = G_b - g* c, all of them constant:

    A~ = (I + A c)^-1 A      Q = A~ Lam_0 A~*      E = B (I + B* Q B)^-1 B*
    Lam' = Lam_0 - Lam_0 A~* E A~ Lam_0            Lam = (I - c A~) Lam' (I - A~* c*)

What meets Lam from both sides has the same form: momentum at the frame and motions of the ports are

    M_rf = (M_0 + D A~) (I + c A)      D = M_b - M_0 c        Pi_t = F_0 (P_1 + P_2 A~) (I + c A)

with M_0, P_1 those of the modes alone, so that of X = X_0 + X_1 A~ and Y alike, with hats for A~ Lam_0 X* = A~ Lam_0
X_0* + Q X_1*,

    X Lam' Y* = X_0 Lam_0 Y_0* + X_1 (A~ Lam_0 Y_0*) + (A~ Lam_0 X_0*)* Y_1* + X_1 Q Y_1* - X^* E Y^

Modes that do not couple stay so in all products with Lam_0: the cost is linear in modes times shapes b.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.modal import axial, shape_coupling
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import (
    Inertia,
    Number,
    Vec6,
    add6,
    add_scaled,
    dot6,
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
def added_compliance(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """E of body k. Given xi_Q. Computes xi_E; S = I + B* Q B is eliminated as it stands, which needs no pivots.

    Cost: 3 k^3 products.
    """
    row, first, count = flex.mode_row[k] + flex.modes[k], flex.xi_first[k], flex.second_order[k]
    S, QB, B = w.xi_matrix, w.xi_product, flex.shape_reduction
    for i in range(count):
        for b in range(count):
            QB[i, b] = 0.0
            for j in range(b, count):  # B is lower triangular
                QB[i, b] += w.xi_Q[first + i, j] * B[row + j, b]
    for a in range(count):
        for b in range(a + 1):
            S[a, b] = 1.0 if a == b else 0.0
            for i in range(a, count):
                S[a, b] += B[row + i, a] * QB[i, b]
    for a in range(count):
        for b in range(a + 1, count):
            ratio = S[b, a] * (1 / S[a, a])
            for c in range(a + 1, b + 1):
                S[b, c] -= ratio * S[c, a]
    for i in range(count):
        x = w.xi_work[0]
        for a in range(count):
            x[first + a] = B[row + i, a]
            for b in range(a):
                x[first + a] -= S[a, b] * (1 / S[b, b]) * x[first + b]
        for a in range(count - 1, -1, -1):
            for b in range(a + 1, count):
                x[first + a] -= S[b, a] * x[first + b]
            x[first + a] *= 1 / S[a, a]
        for j in range(count):
            w.xi_E[first + j, i] = 0.0
            for a in range(count):
                w.xi_E[first + j, i] += B[row + j, a] * x[first + a]


@step
def lam_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """What Lam of body k has beside Lam_0. Given xi_slope. Computes xi_reduced, xi_gain, xi_Q, xi_E.

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
    added_compliance(flex, k, w)


@step
def shape_momentum_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """D, A~ Lam_0 M_0* and M^ of body k. Given second, xi_second, xi_gain, xi_Q.

    Computes shape_momentum, shape_raw, shape_hat. Cost: 6 products a mode and shape b.
    """
    row, i, n = flex.mode_row[k], flex.v_mode[k], flex.modes[k]
    first, count = flex.xi_first[k], flex.second_order[k]
    for j in range(count):
        D, raw = shape_coupling(flex, k, j, w), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(n):
            D = add_scaled(D, -flex.shape_reduction[row + r, j], mode_coupling(flex, k, r, w))
            raw = add_scaled(raw, w.xi_gain[i + r, j], mode_coupling(flex, k, r, w))
        store(w.shape_momentum, first + j, D)
        store(w.shape_raw, first + j, raw)
    for j in range(count):
        hat = load6(w.shape_raw, first + j)
        for l in range(count):
            hat = add_scaled(hat, w.xi_Q[first + j, l], load6(w.shape_momentum, first + l))
        store(w.shape_hat, first + j, hat)


@step
def hat_with_compliance(flex: Flex, k: int, j: int, w: FlexWorkspace) -> Vec6:
    """Column j of M^* E of body k. Given shape_hat, xi_E."""
    first = flex.xi_first[k]
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for l in range(flex.second_order[k]):
        total = add_scaled(total, w.xi_E[first + l, j], load6(w.shape_hat, first + l))
    return total


@step
def less_shape_inertia(flex: Flex, k: int, own: Inertia, w: FlexWorkspace) -> Inertia:
    """An inertia less what M_rf Lam M_fr has beside M_0 Lam_0 M_0*. Given shape_momentum, shape_raw, shape_hat."""
    first = flex.xi_first[k]
    for j in range(flex.second_order[k]):
        D, hat = load6(w.shape_momentum, first + j), load6(w.shape_hat, first + j)
        half = scale6(0.5, add6(hat, load6(w.shape_raw, first + j)))
        own = subtract_outer(subtract_outer(own, D, half), half, D)
        own = subtract_outer(own, scale6(-1, hat_with_compliance(flex, k, j, w)), hat)
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
def follow_response(flex: Flex, k: int, gain: Array, x: Array, w: FlexWorkspace) -> None:
    """s = gain* x of body k and y = E s, in the two rows of `xi_work`. Given xi_E."""
    i, n, first, count = flex.v_mode[k], flex.modes[k], flex.xi_first[k], flex.second_order[k]
    for j in range(count):
        total = 0.0 * x[i]
        for r in range(n):
            total = total + gain[i + r, j] * x[i + r]
        w.xi_work[0, first + j] = total
    for j in range(count):
        w.xi_work[1, first + j] = 0.0
        for l in range(count):
            w.xi_work[1, first + j] += w.xi_E[first + j, l] * w.xi_work[0, first + l]


@step
def followed_motion(flex: Flex, k: int, j: int, w: FlexWorkspace) -> Number:
    """Entry j of s - Q y, with s and y of `follow_response`."""
    first = flex.xi_first[k]
    total = w.xi_work[0, first + j]
    for l in range(flex.second_order[k]):
        total = total - w.xi_Q[first + j, l] * w.xi_work[1, first + l]
    return total


@step
def let_follow(flex: Flex, k: int, x: Array, w: FlexWorkspace) -> None:
    """Overwrite the modal entries of body k in x = Lam_0 e (all speeds) by (I - c A~) Lam' e.

    Given xi_reduced, xi_gain, xi_Q, xi_E.
    """
    row, i = flex.mode_row[k], flex.v_mode[k]
    follow_response(flex, k, w.xi_reduced, x, w)
    for j in range(flex.second_order[k]):
        y, s = w.xi_work[1, flex.xi_first[k] + j], followed_motion(flex, k, j, w)
        for r in range(flex.modes[k]):
            x[i + r] -= w.xi_gain[i + r, j] * y + flex.shape_reduction[row + r, j] * s


@step
def lam_times(flex: Flex, k: int, x: Array, w: FlexWorkspace) -> None:
    """Overwrite the modal entries of body k in x (all speeds) by Lam x. Given `lam_step`."""
    if flex.second_order[k] > 0:
        take_common_mass(flex, k, x, w)
    sparse_lam_times(flex, k, x)
    if flex.second_order[k] > 0:
        let_follow(flex, k, x, w)


@step
def shape_force(flex: Flex, k: int, j: int, alpha: Vec6, w: FlexWorkspace) -> Number:
    """D_j . alpha of body k."""
    return dot6(load6(w.shape_momentum, flex.xi_first[k] + j), alpha)
