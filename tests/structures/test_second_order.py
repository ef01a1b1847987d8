"""Displacements of second order: buckling loads, Southwell coefficients, kinematics of bent and twisted beams."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from supple.structures import (
    FlexibleBody,
    Material,
    Rectangle,
    SecondOrder,
    beam,
    beam_path,
)
from supple.structures.beam_element import Element, gauss
from supple.structures.beam_stress import BeamSegment

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
LENGTH = 2.0
THIN = Rectangle(0.02, 0.01)


def slaved(body: FlexibleBody) -> SecondOrder:
    assert body.second_order is not None
    return body.second_order


def along(body: FlexibleBody, coefficients: Floats) -> Floats:
    """sum_k coefficients_k C_k (n, n)."""
    return np.einsum("k,krs->rs", coefficients, slaved(body).quadratic.dense())


def under_force(body: FlexibleBody, frame: str, component: int) -> Floats:
    """Geometric stiffness of a unit moment or force at a frame: -g there."""
    return -along(body, body.frames[frame].second[component])


def buckling(body: FlexibleBody, geometric: Floats) -> tuple[float, float]:
    """Lowest factors of a load, against and along it, at which the stiffness is singular; inf for none."""
    shares = scipy.linalg.eigh(-geometric, body.stiffness.toarray(), eigvals_only=True)
    least = 1e-12 * np.abs(shares).max()
    return (
        -1.0 / shares.min() if shares.min() < -least else np.inf,
        1.0 / shares.max() if shares.max() > least else np.inf,
    )


# ------------------------------------------------------------ the element


def test_linear_axial_force_gives_the_published_matrix() -> None:
    """Cubic shapes and N linear from N1 to N2: exact, so that rounding is all that may differ."""
    l, N1, N2 = 0.7, 3.0, -1.4
    segment = BeamSegment(Element(l, THIN, ALUMINIUM, False), np.eye(3), np.array([0]), np.zeros((2, 3)), False)
    s, w = gauss()
    resultants = np.zeros((len(s), 6))
    resultants[:, 0] = N1 + (N2 - N1) * s
    K = np.tensordot(resultants, segment.unit_matrices(s, w), 2)
    a = 3.0 * (N1 + N2) / (5.0 * l)
    expected = np.array(
        [
            [a, N2 / 10, -a, N1 / 10],
            [N2 / 10, l * (3 * N1 + N2) / 30, -N2 / 10, -l * (N1 + N2) / 60],
            [-a, -N2 / 10, a, -N1 / 10],
            [N1 / 10, -l * (N1 + N2) / 60, -N1 / 10, l * (N1 + 3 * N2) / 30],
        ]
    )
    for dofs, sign in (((4, 2, 10, 8), 1.0), ((5, 1, 11, 7), -1.0)):
        signs = np.array([1.0, sign, 1.0, sign])
        np.testing.assert_allclose(K[np.ix_(dofs, dofs)], expected * np.outer(signs, signs), atol=1e-14 * a)


@pytest.mark.parametrize("shear", [False, True])
def test_energy_is_the_work_of_the_resultants_on_exact_strains(shear: bool) -> None:
    """Strains of a section that turns by exp(theta), by second differences: 1e-6 is their error at this step.

    Left out on both sides: the stretch of the axis, and the trapeze term, which is not one of a rigid section. Axial
    forces work on the slope of the axis, those of a section that turns by itself on another angle: none with shear.
    """
    element = Element(0.7, Rectangle(0.2, 0.1), ALUMINIUM, shear)
    segment = BeamSegment(element, np.eye(3), np.array([0]), np.zeros((2, 3)), False)
    s, w = gauss()
    rng = np.random.default_rng(1)
    n, m = rng.normal(size=(2, len(s), 3))
    d = rng.normal(size=12)
    d[[3, 9]] = 0.0
    if shear:
        n[:, 0] = 0.0
    turn, _ = element.motion(s)
    slopes, rates = element.slopes(s), element.strains(s)[:, 1:]
    weights = w * element.length

    def work(size: float) -> float:
        theta, rate = size * (turn @ d), size * (rates @ d)
        tangent = np.column_stack([np.ones(len(s)), size * (slopes @ d)])
        R = Rotation.from_rotvec(theta)
        h = 1e-5
        bend = (Rotation.from_rotvec(theta - h * rate).inv() * Rotation.from_rotvec(theta + h * rate)).as_rotvec()
        strain = R.inv().apply(tangent) - [1.0, 0.0, 0.0]
        return float(weights @ (np.sum(n * strain, axis=1) + np.sum(m * bend, axis=1) / (2.0 * h)))

    h = 1e-3
    twist = rates[:, 0] @ d
    trapeze = float(weights * n[:, 0] * element.section.polar / element.section.A @ twist**2)
    K = np.tensordot(np.concatenate([n, m], axis=1), segment.unit_matrices(s, w), 2)
    assert d @ K @ d - trapeze == pytest.approx((work(h) + work(-h)) / h**2, rel=1e-5)


# ------------------------------------------------------------ buckling


def test_euler_column_and_own_weight() -> None:
    """One bending plane: pi^2/4 EI/L^2, and q L^3/EI = 7.837347, the first zero of a Bessel function of order -1/3."""
    body = beam(LENGTH, THIN, ALUMINIUM, 20).reduce("cantilever", modes=24)
    EI, mass = ALUMINIUM.E * THIN.Iy, ALUMINIUM.rho * THIN.A
    compression, tension = buckling(body, under_force(body, "end", 3))
    assert tension > 1e3 * compression
    first = np.pi**2 / 4.0 * EI / LENGTH**2
    assert first < compression < 1.0001 * first  # modes converge from above
    weight = buckling(body, -along(body, slaved(body).E[:, 0]))[0]
    zero = scipy.optimize.brentq(lambda x: scipy.special.jv(-1.0 / 3.0, x), 1.5, 2.2)
    assert weight * mass * LENGTH**3 / EI == pytest.approx(2.25 * zero**2, rel=2e-6)
    assert 2.25 * zero**2 == pytest.approx(7.837347, abs=5e-7)


@pytest.mark.parametrize("shear", [False, True])
def test_nodal_coordinates_and_columns_that_shear(shear: bool) -> None:
    """Engesser's load P/(1 + P/kGA): shear makes 2.5 % here, Haringx's formula 6e-4 more; 40 elements give 3e-6."""
    square = Rectangle(0.2, 0.2)
    body = beam(1.0, square, ALUMINIUM, 40, shear=shear).reduce("nodal")
    euler = np.pi**2 / 4.0 * ALUMINIUM.E * square.Iy
    soft = euler / (square.shear_factors(ALUMINIUM.nu)[0] * ALUMINIUM.G * square.A) if shear else 0.0
    compression, _ = buckling(body, under_force(body, "end", 3))
    assert compression == pytest.approx(euler / (1.0 + soft), rel=1e-5)


def test_lateral_buckling_of_a_strip() -> None:
    """A force on the tip along the height: 4.012599 sqrt(EI GJ)/L^2 either way; linear twist converges with h^2."""
    strip = Rectangle(0.001, 0.05)
    scale = np.sqrt(ALUMINIUM.E * strip.Iz * ALUMINIUM.G * strip.J) / LENGTH**2
    exact = 2.0 * scipy.optimize.brentq(lambda x: scipy.special.jv(-0.25, x), 1.5, 2.5)
    assert exact == pytest.approx(4.012599, abs=5e-7)
    errors = []
    for elements in (10, 20):
        body = beam(LENGTH, strip, ALUMINIUM, elements).reduce("nodal")
        down, up = buckling(body, under_force(body, "end", 5))
        assert down == pytest.approx(up, rel=1e-9)
        errors.append(up / scale / exact - 1.0)
    assert 0.0 < errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


def test_right_angle_frame() -> None:
    """Argyris et al. (1979): a thin frame buckles out of its plane under a force at its end, at 1.088 N one way and
    0.68 N the other. Moments cross the corner, where bending of one leg is twist of the other.
    """
    frame = beam_path(
        [(0, 0, 0), (0.24, 0, 0), (0.24, -0.24, 0)],
        Rectangle(0.0006, 0.03),
        Material(E=71.24e9, nu=0.31, rho=2700),
        20,
        y_axis="z",
    )
    body = frame.reduce("nodal")
    against, along_x = buckling(body, under_force(body, "end", 3))
    assert against == pytest.approx(0.680, rel=5e-3)
    assert along_x == pytest.approx(1.088, rel=5e-3)


# ------------------------------------------------------------ stiffening


@pytest.mark.parametrize("basis", ["cantilever", "nodal"])
def test_southwell_coefficients_and_hanging_strips(basis: str) -> None:
    """Values of the continuous beam without rotary inertia: in a foil that makes 1e-7, 30 elements 1e-6.

    Hung from one end the strip bends near it, which takes many modes: nodal coordinates have them all.
    """
    foil = Rectangle(0.02, 0.001)
    body = beam(LENGTH, foil, ALUMINIUM, 30).reduce(basis, modes=None if basis == "nodal" else [1, 2, 3])
    K, M = body.stiffness.toarray(), body.mass_matrix.toarray()
    spread, uniform = -along(body, slaved(body).X[:, 0, 0]), -along(body, slaved(body).E[:, 0])
    _, modes = scipy.linalg.eigh(K, M, subset_by_index=[0, 0])
    shape = modes[:, 0]
    assert shape @ spread @ shape == pytest.approx(1.193336, rel=2e-6)
    assert shape @ (spread + LENGTH * uniform) @ shape == pytest.approx(2.764214, rel=2e-6)
    EI, mass = ALUMINIUM.E * foil.Iy, ALUMINIUM.rho * foil.A
    for gamma, expected in ((1.0, 3.732626), (10.0, 5.291783), (100.0, 12.868742)):
        gravity = gamma * EI / (mass * LENGTH**3)
        squares = scipy.linalg.eigh(K + gravity * uniform, M, eigvals_only=True)
        error = np.sqrt(squares[0] * mass * LENGTH**4 / EI) / expected - 1.0
        assert -1e-6 < error < (2e-6 if basis == "nodal" else 2e-2)


# ------------------------------------------------------------ kinematics


def exact_end(body: FlexibleBody, eta: Floats) -> Floats:
    """Rotation vector and position of the end of a straight beam whose material curvatures are linear in eta."""
    assert body.strains is not None
    values = body.strains.matrix @ eta
    by_label = dict(zip(body.strains.labels, values, strict=True))
    R, r = Rotation.identity(), np.zeros(3)
    for i in range(len(body.nodes) - 1):
        l = float(np.linalg.norm(body.nodes[i + 1] - body.nodes[i]))
        twist = by_label[f"{i}-{i + 1} twist"]
        first, last = (
            np.array([twist, *(by_label[f"{i}-{i + 1} at {i + end} curvature {axis}"] for axis in "yz")])
            for end in range(2)
        )
        pieces = 40
        for j in range(pieces):
            bend = (first + (last - first) * (j + 0.5) / pieces) * l / pieces
            r = r + (R * Rotation.from_rotvec(bend / 2.0)).apply([l / pieces, 0.0, 0.0])
            R = R * Rotation.from_rotvec(bend)
    return np.concatenate([R.as_rotvec(), r])


def test_second_order_displacement_of_the_end_of_a_beam() -> None:
    """Second differences of the exact curve; its pieces, all turned by their middle, make errors of some 1e-5."""
    body = beam(1.0, Rectangle(0.02, 0.015), ALUMINIUM, 6).reduce("craig-bampton", modes=2)
    rng = np.random.default_rng(3)
    for _ in range(3):
        eta = rng.normal(size=body.modes) / np.sqrt(body.stiffness.diagonal())
        eta *= 1e-3 / np.abs(body.frames["end"].shape @ eta).max()
        differences = exact_end(body, eta) + exact_end(body, -eta) - 2.0 * exact_end(body, 0.0 * eta)
        g = slaved_end(body, eta)
        assert np.abs(g[:3]).min() > 1e-3 * np.abs(g).max()  # all rotations and displacements of second order take part
        np.testing.assert_allclose(g, differences, atol=1e-4 * np.abs(g).max())


def slaved_end(body: FlexibleBody, eta: Floats) -> Floats:
    """eta* g eta at the end."""
    C = slaved(body).quadratic.dense()
    return body.frames["end"].second @ np.einsum("r,krs,s->k", eta, C, eta)
