"""Plates against published frequencies and theory, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any, cast

import numpy as np
import pytest
import scipy

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures import Layer, Layup, Material, Orthotropic, Structure, plate
from supple.structures.discretization.dof_map import Bools
from supple.structures.eigen.lowest_modes import cut, lowest_modes

STEEL = Material(E=200e9, nu=0.3, rho=8000)
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700, yield_strength=250e6)
PANEL = plate((2.0, 1.0), 0.004, ALUMINIUM, elements=(8, 4), frames={"start": "x_min", "end": "corner3"})


def frequencies(structure: Structure, fixed: Bools, count: int) -> Floats:
    """Hz, with some degrees of freedom of the structure fixed."""
    free = np.flatnonzero(~fixed)
    squares, _ = lowest_modes(cut(structure.stiffness, free), cut(structure.mass_matrix, free), count)
    return np.sqrt(squares) / (2 * pi)


def test_a_free_square_plate_has_the_published_frequencies() -> None:
    """NAFEMS FV12: 1.622, 2.360, 2.922, 4.233, 4.233 Hz; the last ones are 1 % above Leissa's (1973) 34.801."""
    square = plate((10.0, 10.0), 0.05, STEEL, elements=(16, 16))
    K, M = (scipy.sparse.csc_array(m) for m in (square.stiffness, square.mass_matrix))
    squares = scipy.sparse.linalg.eigsh(K, 11, M, sigma=-1.0)[0]
    found = np.sqrt(np.sort(squares)[6:]) / (2 * pi)
    np.testing.assert_allclose(found[:3], [1.622, 2.360, 2.922], rtol=8e-3)
    np.testing.assert_allclose(found[3:], [4.233, 4.233], rtol=1e-2)
    unit = sqrt(200e9 * 0.05**3 / 12 / 0.91 / 400) / (2 * pi * 100)
    np.testing.assert_allclose(found[3:], 34.801 * unit, rtol=8e-3)


def test_a_cantilevered_square_plate_has_the_published_frequencies() -> None:
    """NAFEMS FV16: 0.421, 1.029, 2.582, 3.306, 3.753, 6.555 Hz; by a rectangle's grid and by a polygon's elements."""
    corners = [(0, -5), (10, -5), (10, 5), (0, 5)]
    for square, close in (
        (plate((10.0, 10.0), 0.05, STEEL, elements=(16, 16)), 1e-2),
        (plate(corners, 0.05, STEEL, spacing=0.6), 1.5e-2),
    ):
        found = frequencies(square, np.repeat(square.nodes[:, 0] < 1e-9, 6), 6)
        np.testing.assert_allclose(found, [0.421, 1.029, 2.582, 3.306, 3.753, 6.555], rtol=close)
        assert square.mass == pytest.approx(40_000)


def test_a_simply_supported_sandwich_vibrates_as_theory_says() -> None:
    """omega^2 m (1 + k D / S) = k^2 D, k = (pi / a)^2 + (pi / b)^2; the core's shear halves the frequency."""
    face, core = Layer(0.0005, ALUMINIUM), Layer(0.03, Orthotropic(1e5, 1e5, 0.3, 1e5, 30, G13=5e6, G23=5e6))
    layup = Layup([face, core, face])
    panel = plate((1.2, 0.8), layup=layup, elements=(18, 12))
    x, y = panel.nodes[:, 0], panel.nodes[:, 1]
    rim = (x < 1e-9) | (x > 1.2 - 1e-9) | (np.abs(y) > 0.4 - 1e-9)
    fixed = np.zeros((len(x), 6), bool)
    fixed[rim, 5] = True
    fixed[(np.abs(y) > 0.4 - 1e-9), 1] = True  # rotations along the edges of a hard simple support
    fixed[(x < 1e-9) | (x > 1.2 - 1e-9), 0] = True
    fixed[:, 2:5] = True
    k = (pi / 1.2) ** 2 + (pi / 0.8) ** 2
    D, S = layup.D[0, 0], layup.shear[0, 0]
    thin = sqrt(k**2 * D / layup.mass) / (2 * pi)
    exact = thin / sqrt(1 + k * D / S)
    assert exact < 0.6 * thin
    assert frequencies(panel, fixed.ravel(), 1)[0] == pytest.approx(exact, rel=8e-3)


def test_an_unequal_layup_bends_when_it_is_pulled() -> None:
    """A strip of two metals under a pull N: curvature -B / (A D - B^2) N of the strip's beam constants (nu = 0)."""
    stiff, soft = Material(E=200e9, nu=0.0, rho=8000), Material(E=70e9, nu=0.0, rho=2700)
    layup = Layup([Layer(0.002, soft), Layer(0.001, stiff)])
    strip = plate((1.0, 0.1), layup=layup, elements=(10, 2), frames={"start": "x_min", "end": "x_max"})
    A, B, D = (m[0, 0] * 0.1 for m in (layup.A, layup.B, layup.D))
    moved = strip.static({"end": (1000.0, 0, 0)})[strip.frames["end"][0]]
    np.testing.assert_allclose(moved[[1, 3]], np.array([-B, D]) / (A * D - B**2) * 1000, rtol=1e-7)
    assert strip.com[2] == pytest.approx(layup.moment / layup.mass)
    inertia = strip.reduce("cantilever", 1).inertia
    assert inertia[0, 0] == pytest.approx(
        1.0 * 0.1 * (layup.mass * 0.1**2 / 12 + layup.inertia - layup.moment**2 / layup.mass), rel=1e-12
    )


def test_strains_are_those_of_both_faces() -> None:
    """A moment M at the end of a strip: 6 M / E b t^2 on the lower face, the opposite on the upper."""
    metal = Material(E=70e9, nu=0.3, rho=1, yield_strength=100e6)
    strip = plate((1.0, 0.1), 0.004, metal, elements=(10, 2), frames={"start": "x_min", "end": "x_max"})
    gauges = strip.strains
    assert gauges is not None
    strains = gauges.matrix @ strip.static({"end": (0, -2.0, 0, 0, 0, 0)}).ravel()
    at = gauges.labels.index("element 4 lower strain xx")
    expected = 6 * 2.0 / (70e9 * 0.1 * 0.004**2)
    poisson = -0.3 * expected
    np.testing.assert_allclose(strains[at : at + 4], [expected, poisson, poisson, 0], atol=0.02 * expected)
    assert strains[gauges.labels.index("element 4 upper strain xx")] == pytest.approx(-strains[at])
    assert gauges.utilization(strains)[at] == pytest.approx(70e9 * expected / 100e6, rel=0.02)
    assert gauges.positions[at][2] == -0.002
    fibres = Layup([Layer(0.001, Orthotropic(140e9, 10e9, 0.3, 5e9, 1600), pi / 2)])
    turned = plate((1.0, 0.1), layup=fibres, elements=(4, 1), frames={"start": "x_min", "end": "x_max"}).strains
    assert turned is not None
    assert turned.labels[:3] == ("element 0 lower strain 11", "element 0 lower strain 22", "element 0 lower shear 12")
    u = np.zeros((10, 6))
    u[:, 3] = np.tile(np.linspace(0, 1e-3, 5), 2)
    np.testing.assert_allclose((turned.matrix @ u.ravel())[:3], [0, 1e-3, 0], atol=1e-15)
    assert np.isnan(turned.utilization(np.zeros(len(turned.labels)))).all()
    given = Layup.from_abd(np.eye(3), np.zeros((3, 3)), np.eye(3), (1, 1), 0.1, 1.0)
    assert plate((1.0, 1.0), layup=given, elements=(1, 1)).strains is None


def test_the_surface_is_closed_and_has_the_thickness() -> None:
    for made in (PANEL, plate([(0, 0), (1, 0), (1, 1), (0.5, 0.4), (0, 1)], 0.05, STEEL, spacing=0.2)):
        surface = made.surface
        assert surface is not None
        a, b, c = np.moveaxis(surface.vertices(made.nodes)[surface.faces], 1, 0)
        rho = 2700 if made is PANEL else 8000
        assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(made.mass / rho)
        edges = np.sort(np.concatenate([surface.faces[:, [0, 1]], surface.faces[:, [1, 2]], surface.faces[:, [2, 0]]]))
        assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()


def test_frames_are_corners_edges_positions_and_functions() -> None:
    made = plate(
        [(0, 0), (1, 0), (1.5, 1), (0, 1)],
        0.01,
        STEEL,
        spacing=0.25,
        frames={
            "a": "corner3",
            "b": (0.4, 0.3),
            "c": [(0.2, 0.2), (0.3, 0.8)],
            "d": "edge4",
            "e": lambda x: x[0] > 1.4,
        },
    )
    at = {name: made.nodes[list(nodes)] for name, nodes in made.frames.items()}
    np.testing.assert_allclose(at["a"], [[1.5, 1, 0]])
    np.testing.assert_allclose(at["b"], [[0.4, 0.3, 0]])
    np.testing.assert_allclose(at["c"], [[0.2, 0.2, 0], [0.3, 0.8, 0]])
    assert len(at["d"]) > 3
    assert (at["d"][:, 0] == 0).all()
    assert (at["e"][:, 0] > 1.4).all()


ARGUMENTS: dict[str, Any] = {"outline": (1.0, 0.5), "thickness": 0.01, "material": STEEL, "elements": (2, 2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"thickness": 0.0}, "plate: thickness: expected a positive number, got 0"),
        ({"thickness": None}, "plate: expected a thickness and a material, or a layup"),
        ({"layup": Layup([Layer(1, STEEL)])}, "plate: expected either a layup or a thickness and a material, got both"),
        ({"material": "steel"}, "plate: material: expected a Material, got 'steel'"),
        ({"outline": (1.0, -0.5)}, "plate: outline: width: expected a positive number, got -0.5"),
        ({"outline": 3.0}, "plate: outline: expected a length and width, or corners"),
        ({"outline": [(0, 0), (1, 1), (1, 0), (0, 1)]}, "plate: outline: .* does not cross itself"),
        ({"outline": [(0, 0), (1, 0), (0, 1)]}, "plate: elements: expected only for a rectangle"),
        (
            {"outline": [(0, 0), (1, 0), (0, 1)], "elements": None},
            "plate: spacing: expected the length of the elements",
        ),
        ({"elements": (2, 0)}, "plate: elements: expected two whole numbers of at least 1"),
        ({"elements": None}, "plate: expected either elements or a spacing, got neither"),
        ({"elements": None, "spacing": -1.0}, "plate: spacing: expected a positive number"),
        ({"elements": (1000, 1000)}, "plate: mesh: expected at most 50,000 nodes, got 1,002,001"),
        ({"elements": (10**12, 1)}, "plate: mesh: expected at most 50,000 nodes, got 2,000,000,000,002"),
        ({"frames": {"a": (2.0, 0.0)}}, r"plate: frame 'a': expected a position on the plate, got \[2.0, 0.0\]"),
        ({"frames": {"a": "left"}}, "plate: frame 'a': no edge or corner 'left'; .*'x_min'"),
        ({"frames": {"a": "corner5"}}, "plate: frame 'a': no edge or corner 'corner5'"),
        ({"frames": {"a": 3}}, r"plate: frame 'a': expected a position \(x, y\), several, or an edge, got 3"),
        ({"frames": {"a": lambda x: x[0] > 5}}, "plate: frame 'a': expected some nodes"),
        ({"frames": {"a/b": (0.5, 0.0)}}, "frame 'a/b': expected a name that is no number and has no '/'"),
    ],
)
def test_wrong_plates_are_refused(change: dict[str, Any], message: str) -> None:
    make = cast(Callable[..., Structure], plate)
    with pytest.raises(ModelError, match=message):
        make(**{**ARGUMENTS, **change})
