"""Displacements of second order that follow the modes, by which loads stiffen or soften a body.

A point of a flexible body goes to p = x + Psi eta + b xi with xi_j = eta* C_j eta / 2 (a quadratic manifold; for a beam
the foreshortening by its slopes). The coordinates xi follow eta, so that with A = C eta (one row a shape), T = [I ; A]:

    dxi = A deta      ddxi = A ddeta + gamma      gamma_j = deta* C_j deta

Whatever holds for n + k independent modes (Psi, b) holds for the n of them with T between:

    G = T* [[G_0, g], [g*, G_b]] T     M_fr = T* (M_fr, M_br)     Pi = Pi_0 + Pi_b A     b_f = T* (b_f + G (0, gamma))

with g = Psi* M b, G_b = b* M b. The mass matrix is a congruence of a positive one, and all forces follow from one
Lagrangian: gravity, spin, joint forces and outboard bodies stiffen or soften the body by themselves, and energy is
conserved. `second_order_compliance` has the inverse of G. The source leaves these displacements out; docs/theory.md
says more.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.tree import Array, Flex, FlexWorkspace
from supple.spatial import Number


@step
def curvature_sum(flex: Flex, row: int, j: int, x: Array, first: int) -> Number:
    """Entry `row` of C_j x, for the modal quantities x[first], x[first + 1], ..."""
    total = 0.0
    for e in range(flex.curvature_first[row], flex.curvature_first[row + 1]):
        total = total + flex.curvature_value[e, j] * x[first + flex.curvature_mode[e]]
    return total


@step
def lower_curvature_sum(flex: Flex, row: int, r: int, j: int, x: Array, first: int) -> Number:
    """Entry r of L x with L + L* = C_j, lower triangular, for a body whose rows begin at `row`."""
    total = 0.0
    for e in range(flex.curvature_first[row + r], flex.curvature_first[row + r + 1]):
        if flex.curvature_mode[e] < r:
            total = total + flex.curvature_value[e, j] * x[first + flex.curvature_mode[e]]
        elif flex.curvature_mode[e] == r:
            total = total + 0.5 * flex.curvature_value[e, j] * x[first + r]
    return total


@step
def second_order_step(flex: Flex, k: int, q: Array, w: FlexWorkspace) -> None:
    """Coordinates xi of body k and their slopes. Computes xi, xi_slope. Cost: a product for each entry of C."""
    row, i, first = flex.mode_row[k], flex.v_mode[k], flex.q_mode[k]
    for j in range(flex.second_order[k]):
        double = 0.0
        for r in range(flex.modes[k]):
            w.xi_slope[i + r, j] = curvature_sum(flex, row + r, j, q, first)
            double = double + w.xi_slope[i + r, j] * q[first + r]
        w.xi[flex.xi_first[k] + j] = 0.5 * double


@step
def second_order_rate_step(flex: Flex, k: int, v: Array, w: FlexWorkspace) -> None:
    """How xi of body k changes, and gamma. Given xi_slope. Computes xi_rate, xi_bias.

    Cost: a product for each entry of the lower triangles of C, and 3 n k.
    """
    row, i, first = flex.mode_row[k], flex.v_mode[k], flex.xi_first[k]
    for j in range(flex.second_order[k]):
        w.xi_rate[first + j] = slope_times(flex, k, j, v, w)
        half = 0.0
        for r in range(flex.modes[k]):
            half = half + v[i + r] * lower_curvature_sum(flex, row, r, j, v, i)
        w.xi_bias[first + j] = 2 * half


@step
def slope_times(flex: Flex, k: int, j: int, x: Array, w: FlexWorkspace) -> Number:
    """Entry j of A x for modal speeds or accelerations x (all speeds) of body k. Given xi_slope."""
    total = 0.0
    for i in range(flex.v_mode[k], flex.v_mode[k] + flex.modes[k]):
        total = total + w.xi_slope[i, j] * x[i]
    return total


@step
def add_slopes(flex: Flex, k: int, j: int, force: Number, w: FlexWorkspace, modal: Array) -> None:
    """Add A* f for a force f on xi_j of body k to the forces on its modes (all speeds). Given xi_slope."""
    for i in range(flex.v_mode[k], flex.v_mode[k] + flex.modes[k]):
        modal[i] += w.xi_slope[i, j] * force


@step
def shape_mass_times(flex: Flex, k: int, x: Array, w: FlexWorkspace, rows: Array) -> None:
    """y = A x and g* x + G_b y for modal speeds or accelerations x (all speeds), in both `rows`. Given xi_slope."""
    row, i, first = flex.mode_row[k], flex.v_mode[k], flex.xi_first[k]
    n, count = flex.modes[k], flex.second_order[k]
    for j in range(count):
        rows[0, first + j] = slope_times(flex, k, j, x, w)
        rows[1, first + j] = 0.0
    for j in range(count):
        for r in range(n):
            rows[1, first + j] += flex.shape_mass[row + r, j] * x[i + r]
        for l in range(count):
            rows[1, first + j] += flex.shape_mass[row + n + l, j] * rows[0, first + l]


@step
def add_shape_inertia(flex: Flex, k: int, x: Array, w: FlexWorkspace, force: Array) -> None:
    """Add (G - G_0) x to the forces on the modes of body k (all speeds). Given xi_slope. Cost: 4 n k products."""
    row, i, first = flex.mode_row[k], flex.v_mode[k], flex.xi_first[k]
    shape_mass_times(flex, k, x, w, w.xi_work)
    for r in range(flex.modes[k]):
        for j in range(flex.second_order[k]):
            force[i + r] += flex.shape_mass[row + r, j] * w.xi_work[0, first + j]
            force[i + r] += w.xi_slope[i + r, j] * w.xi_work[1, first + j]


@step
def shape_inertia_energy(flex: Flex, k: int, v: Array, w: FlexWorkspace) -> Number:
    """deta* (G - G_0) deta / 2. Given xi_slope."""
    row, i, first = flex.mode_row[k], flex.v_mode[k], flex.xi_first[k]
    energy = 0.0
    if flex.second_order[k] > 0:
        shape_mass_times(flex, k, v, w, w.xi_work)
        for j in range(flex.second_order[k]):
            cross = 0.0
            for r in range(flex.modes[k]):
                cross = cross + flex.shape_mass[row + r, j] * v[i + r]
            energy = energy + 0.5 * w.xi_work[0, first + j] * (cross + w.xi_work[1, first + j])
    return energy


@step
def shape_inertia_entry(flex: Flex, k: int, r: int, s: int, w: FlexWorkspace) -> Number:
    """Entry (r, s) of G - G_0 of body k. Given xi_slope."""
    row, i, n = flex.mode_row[k], flex.v_mode[k], flex.modes[k]
    total = 0.0
    for j in range(flex.second_order[k]):
        own = flex.shape_mass[row + r, j]
        for l in range(flex.second_order[k]):
            own = own + w.xi_slope[i + r, l] * flex.shape_mass[row + n + l, j]
        total = total + own * w.xi_slope[i + s, j] + w.xi_slope[i + r, j] * flex.shape_mass[row + s, j]
    return total
