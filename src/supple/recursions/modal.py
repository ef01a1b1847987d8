"""Inertia and gyroscopic forces of one flexible body: M_m of (B.8), b_m of (B.50).

With Z(r) = int (x + u) Psi_r*, where u is the deformation (see `structures.integrals`):

    M_rf(r) = (ax(Z(r)), E(r))    S = int (x + u)(x + u)* = S_0 + eta(r) (X(r)* + Z(r))    J = tr(S) I - S

and, since the points obey Newton's law with the acceleration w x (w x (x + u)) + 2 w x du/dt beside those of the frame
and of the modes, with Y = etadot(r) Z(r) and U(r) = etadot(s) N(s, r):

    b_f(r) = w* Z(r) w - w* w tr(Z(r)) + 2 w* ax(U(r))
    b_w = w x J w + 2 (tr(Y) w - Y* w)      b_v = w x (w x h + 2 E etadot)

All terms of one Lagrangian, so that energy is conserved. In the model of (8.1) Z = X, and Y, U, E etadot are left out.
Where shapes of second order follow the modes, the sums go over both, and what they give for the shapes is referred to
the modes by A of `second_order`.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.second_order import add_slopes
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree, Workspace
from supple.spatial import (
    Mat3,
    Number,
    Sym3,
    Vec3,
    Vec6,
    add,
    add6,
    add_scaled,
    cross,
    dot,
    join,
    load3,
    load6,
    load9,
    scale,
    scale6,
    store,
    store_pair,
)


@step
def axial(A: Mat3) -> Vec3:
    """int a x b where A = int a b*."""
    return A[5] - A[7], A[6] - A[2], A[1] - A[3]


@step
def add_block(Z: Mat3, x: Number, N: Mat3) -> Mat3:
    """Z + x N."""
    return (
        Z[0] + x * N[0],
        Z[1] + x * N[1],
        Z[2] + x * N[2],
        Z[3] + x * N[3],
        Z[4] + x * N[4],
        Z[5] + x * N[5],
        Z[6] + x * N[6],
        Z[7] + x * N[7],
        Z[8] + x * N[8],
    )


@step
def add_transposed(Z: Mat3, X: Mat3) -> Mat3:
    """Z + X*."""
    return (
        Z[0] + X[0],
        Z[1] + X[3],
        Z[2] + X[6],
        Z[3] + X[1],
        Z[4] + X[4],
        Z[5] + X[7],
        Z[6] + X[2],
        Z[7] + X[5],
        Z[8] + X[8],
    )


@step
def deformed_second(flex: Flex, k: int, r: int, q: Array, w: FlexWorkspace) -> Mat3:
    """Z(r) of mode r of body k, or of its second-order shape r - modes. Given xi."""
    row, first = flex.mode_row[k] + r, flex.q_mode[k]
    Z = load9(flex.mode_second, row)
    for i in range(flex.pair_first[row], flex.pair_first[row + 1]):
        Z = add_block(Z, q[first + flex.pair_mode[i]], load9(flex.pair_value, i))
    for i in range(flex.shape_pair_first[row], flex.shape_pair_first[row + 1]):
        Z = add_block(Z, w.xi[flex.xi_first[k] + flex.shape_pair_number[i]], load9(flex.shape_pair_value, i))
    return Z


@step
def shape_seconds(flex: Flex, k: int, q: Array, w: FlexWorkspace) -> None:
    """Z of the second-order shapes of body k. Given xi. Computes xi_second."""
    for s in range(flex.second_order[k]):
        store(w.xi_second, flex.xi_first[k] + s, deformed_second(flex, k, flex.modes[k] + s, q, w))


@step
def coupling_step(flex: Flex, k: int, w: FlexWorkspace) -> None:
    """M_rf of body k. Given second, xi_second, xi_slope. Computes coupling. Cost: 6 products a mode and shape b."""
    row, i, n = flex.mode_row[k], flex.v_mode[k], flex.modes[k]
    for r in range(n):
        store_pair(w.coupling, i + r, axial(load9(w.second, i + r)), load3(flex.mode_momentum, row + r))
    for j in range(flex.second_order[k]):
        own = shape_coupling(flex, k, j, w)
        for r in range(n):
            store(w.coupling, i + r, add_scaled(load6(w.coupling, i + r), w.xi_slope[i + r, j], own))


@step
def shape_coupling(flex: Flex, k: int, j: int, w: FlexWorkspace) -> Vec6:
    """Momentum at the frame of body k for a unit rate of its second-order shape j. Given xi_second."""
    row = flex.mode_row[k] + flex.modes[k] + j
    return join(axial(load9(w.xi_second, flex.xi_first[k] + j)), load3(flex.mode_momentum, row))


@step
def inertia_of_modes(tree: Tree, flex: Flex, k: int, q: Array, w: FlexWorkspace) -> None:
    """Second moments of the modes of body k, its first moment and inertia. Given xi, xi_slope. Computes second,
    xi_second, coupling, moment, inertia.

    Cost: 9 products a pair of modes, 18 a mode; nothing where the deformation is left out.
    """
    row, i, j = flex.mode_row[k], flex.v_mode[k], flex.q_mode[k]
    n, first = flex.modes[k], flex.xi_first[k]
    h, J = load3(tree.moment, k), load6(tree.inertia, k)
    if flex.full[k]:
        S = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(n):
            Z = deformed_second(flex, k, r, q, w)
            store(w.second, i + r, Z)
            S = add_block(S, q[j + r], add_transposed(Z, load9(flex.mode_second, row + r)))
            h = add(h, scale(q[j + r], load3(flex.mode_momentum, row + r)))
        shape_seconds(flex, k, q, w)
        for s in range(flex.second_order[k]):
            Z = load9(w.xi_second, first + s)
            S = add_block(S, w.xi[first + s], add_transposed(Z, load9(flex.mode_second, row + n + s)))
            h = add(h, scale(w.xi[first + s], load3(flex.mode_momentum, row + n + s)))
        J = (J[0] + S[4] + S[8], J[1] - S[1], J[2] - S[2], J[3] + S[0] + S[8], J[4] - S[5], J[5] + S[0] + S[4])
    else:
        for r in range(n):
            store(w.second, i + r, load9(flex.mode_second, row + r))
    coupling_step(flex, k, w)
    store(w.moment, k, h)
    store(w.inertia, k, J)


@step
def own_moment(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> Vec3:
    """Mass times centre of mass of body k, rigid or deformed."""
    if flex is not None and flex.modes[k] > 0:
        return load3(ws.flex.moment, k)
    return load3(tree.moment, k)


@step
def own_inertia(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> Sym3:
    """Inertia of body k about its origin, rigid or deformed."""
    if flex is not None and flex.modes[k] > 0:
        return load6(ws.flex.inertia, k)
    return load6(tree.inertia, k)


@step
def modal_momentum(flex: Flex, k: int, x: Array, w: FlexWorkspace) -> Vec6:
    """M_rf x: what modal speeds or accelerations x (all speeds) add to the momentum of body k at its origin."""
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(flex.v_mode[k], flex.v_mode[k] + flex.modes[k]):
        total = add_scaled(total, x[i], load6(w.coupling, i))
    return total


@step
def centrifugal_force(Z: Mat3, w: Vec3) -> Number:
    """int Psi_r . (w x (w x (x + u))) = w* Z w - w* w tr(Z)."""
    return (
        (Z[1] + Z[3]) * (w[0] * w[1])
        + (Z[2] + Z[6]) * (w[0] * w[2])
        + (Z[5] + Z[7]) * (w[1] * w[2])
        - (Z[0] + Z[4]) * (w[2] * w[2])
        - (Z[0] + Z[8]) * (w[1] * w[1])
        - (Z[4] + Z[8]) * (w[0] * w[0])
    )


@step
def coriolis_force(flex: Flex, k: int, r: int, v: Array, omega: Vec3, w: FlexWorkspace) -> Number:
    """2 w* ax(U(r)) of mode r of body k, or of its second-order shape r - modes. Given xi_rate."""
    row, first = flex.mode_row[k] + r, flex.v_mode[k]
    u = (0.0, 0.0, 0.0)
    for i in range(flex.pair_first[row], flex.pair_first[row + 1]):
        u = add(u, scale(v[first + flex.pair_mode[i]], load3(flex.pair_axial, i)))
    for i in range(flex.shape_pair_first[row], flex.shape_pair_first[row + 1]):
        u = add(u, scale(w.xi_rate[flex.xi_first[k] + flex.shape_pair_number[i]], load3(flex.shape_pair_axial, i)))
    return 2 * dot(omega, u)


@step
def shape_gyroscopic_force(flex: Flex, k: int, j: int, v: Array, omega: Vec3, w: FlexWorkspace) -> Number:
    """Gyroscopic force on the second-order shape j of body k, with G_b gamma. Given xi_second, xi_rate, xi_bias."""
    n, first = flex.modes[k], flex.xi_first[k]
    force = centrifugal_force(load9(w.xi_second, first + j), omega) + coriolis_force(flex, k, n + j, v, omega, w)
    for l in range(flex.second_order[k]):
        force = force + flex.shape_mass[flex.mode_row[k] + n + l, j] * w.xi_bias[first + l]
    return force


@step
def modal_gyroscopic_step(flex: Flex, k: int, v: Array, omega: Vec3, w: FlexWorkspace) -> Vec6:
    """What the modes of body k have of b_m, in `modal`, and what their rates add to its rigid part (B.50).

    Given omega, second, and of second-order shapes xi_slope, xi_second, xi_rate, xi_bias.
    """
    row, i, n, first = flex.mode_row[k], flex.v_mode[k], flex.modes[k], flex.xi_first[k]
    for r in range(n):
        w.modal[i + r] = centrifugal_force(load9(w.second, i + r), omega)
    Y = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    p = (0.0, 0.0, 0.0)
    bias = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if flex.full[k]:
        for r in range(n):
            w.modal[i + r] += coriolis_force(flex, k, r, v, omega, w)
            Y = add_block(Y, v[i + r], load9(w.second, i + r))
            p = add(p, scale(v[i + r], load3(flex.mode_momentum, row + r)))
            for j in range(flex.second_order[k]):
                w.modal[i + r] += flex.shape_mass[row + r, j] * w.xi_bias[first + j]
        for j in range(flex.second_order[k]):
            add_slopes(flex, k, j, shape_gyroscopic_force(flex, k, j, v, omega, w), w, w.modal)
            Y = add_block(Y, w.xi_rate[first + j], load9(w.xi_second, first + j))
            p = add(p, scale(w.xi_rate[first + j], load3(flex.mode_momentum, row + n + j)))
            bias = add_scaled(bias, w.xi_bias[first + j], shape_coupling(flex, k, j, w))
    trace = Y[0] + Y[4] + Y[8]
    x, y, z = omega
    turned = (
        trace * x - (Y[0] * x + Y[3] * y + Y[6] * z),
        trace * y - (Y[1] * x + Y[4] * y + Y[7] * z),
        trace * z - (Y[2] * x + Y[5] * y + Y[8] * z),
    )
    return add6(bias, scale6(2, join(turned, cross(omega, p))))


@step
def offdiagonal_sum(flex: Flex, row: int, which: int, x: Array, first: int) -> Number:
    """Entries off the diagonal of G (which = 0), K (1) or C (2) at `row` times x[first], x[first + 1], ..."""
    total = 0.0
    for i in range(flex.offdiagonal_first[row], flex.offdiagonal_first[row + 1]):
        total = total + flex.offdiagonal_value[i, which] * x[first + flex.offdiagonal_mode[i]]
    return total
