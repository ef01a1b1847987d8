"""Geometric stiffness of plates: buckling loads, rigid rotations, spinning strips."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
import scipy

from supple.structures import Material, Rectangle, beam, plate, shell
from supple.structures.elements.plate import Plate
from supple.structures.elements.stressed_state import INERTIA, LoadCases

STEEL = Material(E=200e9, nu=0.3, rho=8000)


def test_a_simply_supported_square_buckles_at_four_pi_squared_d_over_b_squared() -> None:
    square = plate((1.0, 1.0), 0.005, STEEL, elements=(12, 12))
    x, y = square.nodes[:, 0], square.nodes[:, 1]
    u = np.zeros((len(x), 6))
    u[:, 3], u[:, 4] = -x, 0.3 * y  # uniform stress along x alone, E t per length
    cases = LoadCases(u.reshape(-1, 1), np.zeros((INERTIA, 1)), np.zeros(3), np.full(len(x), -1))
    assert isinstance(square.elements, Plate)
    (state,) = square.elements.geometric_stiffness(cases)
    fixed = np.zeros((len(x), 6), bool)
    fixed[:, 2:5] = True
    fixed[(x < 1e-9) | (x > 1 - 1e-9)] |= np.array([1, 0, 0, 0, 0, 1], bool)
    fixed[np.abs(y) > 0.5 - 1e-9] |= np.array([0, 1, 0, 0, 0, 1], bool)
    free = np.flatnonzero(~fixed.ravel())
    K, K_sigma = (scipy.sparse.csc_array(m[free][:, free]) for m in (square.stiffness, state.matrix))
    share = 1.0 / scipy.sparse.linalg.eigsh(-K_sigma, 1, K, which="LA")[0][0]
    D = STEEL.E * 0.005**3 / 12 / (1 - 0.09)
    assert share * STEEL.E * 0.005 == pytest.approx(4 * pi**2 * D, rel=0.012)


def test_stresses_turn_with_the_plate() -> None:
    """A rigid rotation theta of a stressed plate turns its forces and, as rotation vectors add, half its moments.

    Forces hold for any bending and a uniform strain in the plane, moments for a uniform curvature.
    """
    sheet = plate([(0, 0), (1, 0), (1.3, 0.8), (0.1, 1)], 0.01, STEEL, spacing=0.3)
    u = 1e-3 * np.random.default_rng(1).normal(size=(len(sheet.nodes), 6))
    u[:, 2:5] = sheet.nodes @ np.array([[0, 2e-3, 1e-3], [0, 1e-3, -3e-3], [0, 0, 0]])
    x, y, zero = sheet.nodes.T
    bent = np.stack([-3e-3 * y - 1e-3 * x, 2e-3 * x + 1e-3 * y, zero, zero, zero,
                     -1e-3 * x**2 - 1.5e-3 * y**2 - 1e-3 * x * y], axis=1)  # fmt: skip
    both = np.stack([u.ravel(), bent.ravel()], axis=1)
    cases = LoadCases(both, np.zeros((INERTIA, 2)), np.zeros(3), np.full(len(x), -1))
    assert isinstance(sheet.elements, Plate)
    for i, state in enumerate(sheet.elements.geometric_stiffness(cases)):
        np.testing.assert_allclose(state.forces, sheet.stiffness @ both[:, i], atol=1e-9 * np.abs(state.forces).max())
        m, f = state.forces.reshape(-1, 2, 3).swapaxes(0, 1)
        found = (state.matrix @ sheet.layout.rigid_motions(np.zeros(3))[:, :3]).reshape(-1, 2, 3, 3)
        for a, theta in enumerate(np.eye(3)):
            np.testing.assert_allclose(found[:, 1, :, a], np.cross(theta, f), atol=1e-8 * np.abs(state.forces).max())
            if i == 1:
                np.testing.assert_allclose(found[:, 0, :, a], np.cross(theta, m) / 2, atol=1e-8 * np.abs(m).max())


def test_stresses_turn_with_a_warped_element() -> None:
    """Forces turn with a rigid rotation, moments by half, under uniform strains and curvatures of the flat element.

    Moments about the normal, of edges that bow in the plane, are left out: they do not turn in flat elements either.
    """
    x, h = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0.8, 0], [0, 0.8, 0]]), 0.05 * np.array([1.0, -1, 1, -1])
    normal = np.array([0.0, 0.0, 1.0])
    facet = shell(x + h[:, None] * normal, [[0, 1, 2, 3]], 0.01, STEEL)
    u = np.zeros((4, 6))
    u[:, 0], u[:, 1] = -3e-3 * x[:, 1], 2e-3 * x[:, 0]
    u[:, 5] = -1e-3 * x[:, 0] ** 2 - 1.5e-3 * x[:, 1] ** 2
    u[:, 3:5] = x[:, :2] @ np.array([[2e-3, 1e-3], [1e-3, -3e-3]])
    u[:, 3:] += np.cross(u[:, :3], h[:, None] * normal)
    cases = LoadCases(u.reshape(-1, 1), np.zeros((INERTIA, 1)), np.zeros(3), np.full(4, -1))
    assert isinstance(facet.elements, Plate)
    (state,) = facet.elements.geometric_stiffness(cases)
    np.testing.assert_allclose(state.forces, facet.stiffness @ u.ravel(), atol=1e-9 * np.abs(state.forces).max())
    m, f = state.forces.reshape(-1, 2, 3).swapaxes(0, 1)
    m = m * [1.0, 1.0, 0.0]
    found = (state.matrix @ facet.layout.rigid_motions(np.zeros(3))[:, :3]).reshape(-1, 2, 3, 3)
    for a, theta in enumerate(np.eye(3)):
        np.testing.assert_allclose(found[:, 1, :, a], np.cross(theta, f), atol=1e-9 * np.abs(f).max())
        np.testing.assert_allclose(found[:, 0, :2, a], np.cross(theta, m)[:, :2] / 2, atol=1e-9 * np.abs(m).max())


def test_a_strip_stiffens_and_buckles_as_a_beam_does() -> None:
    material = Material(E=70e9, nu=0.0, rho=2700)
    strip = plate((2.0, 0.1), 0.004, material, elements=(20, 2), frames={"start": "x_min", "end": "x_max"})
    bar = beam(2.0, Rectangle(0.1, 0.004), material, elements=20)
    a, b = (structure.reduce("cantilever", 2).report for structure in (strip, bar))
    assert a is not None
    assert b is not None
    assert a.load_cases == b.load_cases
    np.testing.assert_allclose(a.frequencies, b.frequencies, rtol=7e-3)
    np.testing.assert_allclose(a.southwell[:, 1], b.southwell[:, 1], rtol=2e-3)
    for case in ("acceleration x", "force x at end"):
        i = a.load_cases.index(case)
        lower = [np.min(np.abs(r.buckling[i])) for r in (a, b)]
        assert lower[0] == pytest.approx(lower[1], rel=5e-3)
