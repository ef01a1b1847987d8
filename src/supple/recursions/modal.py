"""Inertia and gyroscopic forces of one flexible body: M_m of (B.8), b_m of (B.50).

With Z(r) = int (x + u) Psi_r*, where u is the deformation (see `structures.integrals`):

    M_rf(r) = (ax(Z(r)), E(r))    S = int (x + u)(x + u)* = S_0 + eta(r) (X(r)* + Z(r))    J = tr(S) I - S

and, since the points obey Newton's law with the acceleration w x (w x (x + u)) + 2 w x du/dt beside those of the frame
and of the modes, with Y = etadot(r) Z(r) and U(r) = etadot(s) N(s, r):

    b_f(r) = w* Z(r) w - w* w tr(Z(r)) + 2 w* ax(U(r))
    b_w = w x J w + 2 (tr(Y) w - Y* w)      b_v = w x (w x h + 2 E etadot)

All terms of one Lagrangian, so that energy is conserved. In the model of (8.1) Z = X, and Y, U, E etadot are left out.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.tree import Array, Flex, FlexWorkspace, Tree, Workspace
from supple.spatial import (
    Mat3,
    Number,
    Sym3,
    Vec3,
    Vec6,
    add,
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
def deformed_second(flex: Flex, row: int, first: int, q: Array) -> Mat3:
    """Z(r) of the mode at `row`; `first` is its body's first modal coordinate."""
    Z = load9(flex.mode_second, row)
    for i in range(flex.pair_first[row], flex.pair_first[row + 1]):
        Z = add_block(Z, q[first + flex.pair_mode[i]], load9(flex.pair_value, i))
    return Z


@step
def inertia_of_modes(tree: Tree, flex: Flex, k: int, q: Array, w: FlexWorkspace) -> None:
    """Second moments of the modes of body k, its first moment and inertia. Computes second, coupling, moment,
    inertia.

    Cost: 9 products a pair of modes, 18 a mode; nothing where the deformation is left out.
    """
    row, i, j = flex.mode_row[k], flex.v_mode[k], flex.q_mode[k]
    h, J = load3(tree.moment, k), load6(tree.inertia, k)
    if flex.full[k]:
        S = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(flex.modes[k]):
            Z = deformed_second(flex, row + r, j, q)
            X = load9(flex.mode_second, row + r)
            store(w.second, i + r, Z)
            S = add_block(S, q[j + r], add_transposed(Z, X))
            h = add(h, scale(q[j + r], load3(flex.mode_momentum, row + r)))
        J = (J[0] + S[4] + S[8], J[1] - S[1], J[2] - S[2], J[3] + S[0] + S[8], J[4] - S[5], J[5] + S[0] + S[4])
    else:
        for r in range(flex.modes[k]):
            store(w.second, i + r, load9(flex.mode_second, row + r))
    for r in range(flex.modes[k]):
        store_pair(w.coupling, i + r, axial(load9(w.second, i + r)), load3(flex.mode_momentum, row + r))
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
def coriolis_force(flex: Flex, row: int, first: int, v: Array, w: Vec3) -> Number:
    """2 w* ax(U(r)); `first` is the body's first modal speed."""
    u = (0.0, 0.0, 0.0)
    for i in range(flex.pair_first[row], flex.pair_first[row + 1]):
        u = add(u, scale(v[first + flex.pair_mode[i]], load3(flex.pair_axial, i)))
    return 2 * dot(w, u)


@step
def modal_gyroscopic_step(flex: Flex, k: int, v: Array, omega: Vec3, w: FlexWorkspace) -> Vec6:
    """What the modes of body k have of b_m, in `modal`, and what their rates add to its rigid part (B.50).

    Given omega, second.
    """
    row, i = flex.mode_row[k], flex.v_mode[k]
    for r in range(flex.modes[k]):
        w.modal[i + r] = centrifugal_force(load9(w.second, i + r), omega)
    Y = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    p = (0.0, 0.0, 0.0)
    if flex.full[k]:
        for r in range(flex.modes[k]):
            w.modal[i + r] += coriolis_force(flex, row + r, i, v, omega)
            Y = add_block(Y, v[i + r], load9(w.second, i + r))
            p = add(p, scale(v[i + r], load3(flex.mode_momentum, row + r)))
    trace = Y[0] + Y[4] + Y[8]
    x, y, z = omega
    turned = (
        trace * x - (Y[0] * x + Y[3] * y + Y[6] * z),
        trace * y - (Y[1] * x + Y[4] * y + Y[7] * z),
        trace * z - (Y[2] * x + Y[5] * y + Y[8] * z),
    )
    return scale6(2, join(turned, cross(omega, p)))


@step
def offdiagonal_sum(flex: Flex, row: int, which: int, x: Array, first: int) -> Number:
    """Entries off the diagonal of G (which = 0), K (1) or C (2) at `row` times x[first], x[first + 1], ..."""
    total = 0.0
    for i in range(flex.offdiagonal_first[row], flex.offdiagonal_first[row + 1]):
        total = total + flex.offdiagonal_value[i, which] * x[first + flex.offdiagonal_mode[i]]
    return total


@step
def lam_times(flex: Flex, k: int, x: Array) -> None:
    """Overwrite the modal entries of body k in x (all speeds) by Lam x, by its sparse factors. Nothing for modes."""
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
