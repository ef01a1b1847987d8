"""Stresses on the faces of plates: patches, a strip under a tip load, parts of assemblies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy
from scipy.spatial.transform import Rotation

from supple.checks import Floats
from supple.structures import (
    Bushing,
    Layer,
    Layup,
    Material,
    Orthotropic,
    Part,
    RecoveryTable,
    Structure,
    assemble,
    plate,
    von_mises,
)

METAL = Material(E=70e9, nu=0.3, rho=2700.0, yield_strength=300e6)
PLY = Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)


def stresses(structure: Structure, motion: Floats) -> RecoveryTable:
    """For one motion (k, 6) of the nodes."""
    assert structure.elements is not None
    found = structure.elements.stresses(scipy.sparse.csr_array(motion.reshape(-1, 1)))
    assert found is not None
    return found


def stretched_and_bent(nodes: Floats, strain: Floats, curvature: Floats) -> Floats:
    """Motion (k, 6) of nodes with constant strains and curvatures xx, yy, xy, and without transverse shear."""
    x, y = nodes[:, 0], nodes[:, 1]
    out = np.zeros((len(nodes), 6))
    out[:, 0] = -(curvature[1] * y + 0.5 * curvature[2] * x)
    out[:, 1] = curvature[0] * x + 0.5 * curvature[2] * y
    out[:, 3], out[:, 4] = strain[0] * x + 0.5 * strain[2] * y, strain[1] * y + 0.5 * strain[2] * x
    out[:, 5] = -0.5 * (curvature[0] * x**2 + curvature[1] * y**2 + curvature[2] * x * y)
    return out


def test_constant_strains_and_curvatures_of_a_layup() -> None:
    layup = Layup([Layer(0.002, PLY, 0.5), Layer(0.001, METAL)])
    sheet = plate([(0, 0), (1.0, 0.1), (0.9, 0.8), (0.1, 0.6)], layup=layup, spacing=0.4)
    strain, curvature = np.array([1e-4, -2e-4, 3e-4]), np.array([0.02, 0.05, -0.03])
    found = stresses(sheet, stretched_and_bent(sheet.nodes, strain, curvature))
    k = len(sheet.nodes)
    assert (found.places[1], found.places[k + 1], found.elements[k + 1]) == ("node 1 lower", "node 1 upper", "node 1")
    values = found.values(np.ones(1))
    for face, layer, z in ((slice(0, k), layup.layers[0], -0.0015), (slice(k, 2 * k), layup.layers[1], 0.0015)):
        expected = layer.stiffness().Q @ (strain + z * curvature)
        np.testing.assert_allclose(values[face][:, [0, 1, 3]], np.tile(expected, (k, 1)), rtol=1e-8)
        np.testing.assert_array_equal(values[face][:, [2, 4, 5]], 0.0)
        np.testing.assert_allclose(found.positions[face][:, 2], z)
    assert np.isnan(found.modulus[:k]).all()
    np.testing.assert_array_equal(found.strength[k:], METAL.yield_strength)


def test_a_strip_under_a_tip_load() -> None:
    """sigma = 6 F (L - x) / (b t^2) on the faces, without Poisson's effect.

    Curvatures are constant along an element; the ends have what the elements behind them say.
    """
    L, b, t, F = 1.0, 0.1, 0.01, 5.0
    metal = Material(E=70e9, nu=0.0, rho=2700.0)
    strip = plate((L, b), t, metal, elements=(16, 2), frames={"start": "x_min", "tip": "x_max"})
    moved = strip.static({"tip": [0, 0, 0, 0, 0, F]})
    found = stresses(strip, moved)
    k = len(strip.nodes)
    expected = 6 * F * (L - strip.nodes[:, 0]) / (b * t**2)
    values = found.values(np.ones(1))
    for face, sign in ((slice(0, k), 1.0), (slice(k, 2 * k), -1.0)):
        np.testing.assert_allclose(values[face][:, 0], sign * expected, rtol=1e-6, atol=1e-6 * expected.max())
        np.testing.assert_allclose(von_mises(values[face]), expected, rtol=1e-6, atol=1e-6 * expected.max())
    body = strip.reduce("cantilever", modes=3)
    assert body.recovery is not None
    assert body.recovery.stresses is not None
    eta = body.frames["tip"].shape.T @ [0, 0, 0, 0, 0, F] / body.stiffness.diagonal()
    by_modes = body.recovery.stresses.values(eta)[:k, 0]
    middle = np.isclose(strip.nodes[:, 0], 0.5)
    np.testing.assert_allclose(by_modes[middle], expected[middle], rtol=0.1)  # of three modes


def test_the_clamped_edge_of_a_panel_under_its_weight() -> None:
    """6 w L^2 / (2 t^2) at the root without Poisson's effect: second order in the length of elements, not first."""
    L, t, rho = 1.0, 0.01, 2700.0
    metal = Material(E=70e9, nu=0.0, rho=rho)
    error = []
    for n in (4, 8):
        panel = plate((L, 0.5), t, metal, elements=(n, n), frames={"start": "x_min"})
        weight = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, -9.81], len(panel.nodes))
        fixed = (6 * np.array(panel.frames["start"])[:, None] + np.arange(6)).ravel()
        free = np.setdiff1d(np.arange(panel.layout.size), fixed)
        moved = np.zeros(panel.layout.size)
        held = panel.stiffness[free][:, free].toarray()
        moved[free] = np.linalg.solve(held, (panel.mass_matrix @ weight)[free])
        found = stresses(panel, moved.reshape(-1, 6)).values(np.ones(1))[len(panel.nodes) :, 0]
        root = found[list(panel.frames["start"])]
        np.testing.assert_allclose(root, root.mean(), rtol=1e-6)
        error.append(abs(root.mean() / (3.0 * rho * t * 9.81 * L**2 / t**2) - 1.0))
    assert error[0] < 0.05  # 0.2 without a look behind the rim
    assert error[1] < 0.3 * error[0]


@pytest.mark.parametrize("turn", [Rotation.identity(), Rotation.from_euler("ZYX", [0.4, -1.1, 0.3])])
def test_parts_have_the_stresses_of_their_own(turn: Rotation) -> None:
    sheet, at = plate((0.6, 0.4), 0.005, METAL, elements=(3, 2)), np.array([1.0, -2.0, 0.5])
    joint = Bushing("first.0", "second.0", stiffness=(1.0, 1.0, 1.0))
    whole = assemble({"first": sheet, "second": Part(sheet, at, turn.as_matrix())}, [joint])
    rng = np.random.default_rng(0)
    own, k = rng.normal(size=(2, len(sheet.nodes), 6)), len(sheet.nodes)
    motion = np.concatenate([own[0], turn.apply(own[1].reshape(-1, 3)).reshape(-1, 6)])
    found = stresses(whole, motion)
    assert found.places[2 * k] == "second node 0 lower"
    np.testing.assert_array_equal(found.nodes[2 * k : 3 * k], k + np.arange(k))
    for part, moved in enumerate(own):
        alone = stresses(sheet, moved)
        values = found.values(np.ones(1))[2 * k * part : 2 * k * (part + 1)]
        np.testing.assert_allclose(values, alone.values(np.ones(1)), atol=1e-9 * np.abs(values).max())
    np.testing.assert_allclose(found.positions[2 * k :], at + alone.positions @ turn.as_matrix().T, atol=1e-12)


def test_plates_with_averages_have_stresses() -> None:
    given: dict[str, Any] = {"elements": (6, 3), "frames": {"start": "x_min"}}
    plain = plate((1.0, 0.5), 0.002, METAL, **given).reduce("cantilever", modes=2)
    body = plate((1.0, 0.5), 0.002, METAL, averages={"tip": "x_max"}, **given).reduce("cantilever", modes=2)
    assert body.recovery is not None
    assert plain.recovery is not None
    assert body.recovery.stresses is not None
    assert plain.recovery.stresses is not None
    expected = plain.recovery.stresses.matrix.toarray()
    np.testing.assert_allclose(body.recovery.stresses.matrix.toarray(), expected, atol=1e-9 * np.abs(expected).max())
