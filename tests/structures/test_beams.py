"""Beams against closed forms: frequencies, their rate of convergence, and static deflections."""

from __future__ import annotations

from math import cos, pi, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from supple.errors import ModelError
from supple.structures import Circle, Material, Rectangle, Section, Structure, Tube, beam, beam_path
from supple.structures.eigen.lowest_modes import cut, lowest_modes

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
THIN = Section(A=1e-2, Iy=1e-12, Iz=4e-12, J=1e-12)
"""So thin that its rotary inertia changes frequencies by 1e-9: the beam of the classical formulas."""
CLAMPED_FREE = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613])
FREE_FREE = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])


def bending(structure: Structure, fixed: list[str], count: int, plane: str = "z") -> Floats:
    """Frequencies (rad/s) in one plane of a beam along x with some degrees of freedom fixed, such as "0.uz"."""
    layout = structure.layout
    names = ("rx", "ry", "rz", "ux", "uy", "uz")
    label = [f"{layout.point[i]}.{names[layout.component[i]]}" for i in range(layout.size)]
    used = ("uz", "ry") if plane == "z" else ("uy", "rz")
    kept = np.array([i for i, name in enumerate(label) if name.split(".")[1] in used and name not in fixed])
    squares, _ = lowest_modes(cut(structure.stiffness, kept), cut(structure.mass_matrix, kept), count)
    return np.sqrt(squares)


def classical(beta_length: Floats, length: float, section: Section) -> Floats:
    return (beta_length / length) ** 2 * sqrt(ALUMINIUM.E * section.Iy / (ALUMINIUM.rho * section.A))


def hertz(structure: Structure, basis: str, modes: int, kind: str) -> Floats:
    report = structure.reduce(basis, modes).report
    assert report is not None
    return np.array([f for f, k in zip(report.frequencies, report.kinds, strict=True) if k == kind])


def test_cantilever_frequencies() -> None:
    found = hertz(beam(1.3, THIN, ALUMINIUM, 30), "cantilever", 6, "bending z")
    np.testing.assert_allclose(found[:3], classical(CLAMPED_FREE, 1.3, THIN) / (2 * pi), rtol=5e-6)


@pytest.mark.parametrize(
    ("fixed", "roots"),
    [
        (["0.uz", "0.ry"], CLAMPED_FREE),
        (["0.uz", "{n}.uz"], np.array([1.0, 2.0, 3.0]) * pi),
        (["0.uz", "0.ry", "{n}.uz", "{n}.ry"], FREE_FREE),
    ],
    ids=["cantilever", "pinned", "clamped"],
)
def test_frequencies_converge_with_the_fourth_power(fixed: list[str], roots: Floats) -> None:
    errors = []
    for n in (6, 12):
        names = [name.format(n=n) for name in fixed]
        errors.append(bending(beam(1.3, THIN, ALUMINIUM, n), names, 3) / classical(roots, 1.3, THIN) - 1)
    assert (errors[0] > 0).all()  # a consistent mass never lowers a frequency
    np.testing.assert_allclose(np.log2(errors[0] / errors[1]), 4.0, atol=0.25)


def test_frequencies_with_rotary_inertia_of_a_pinned_beam() -> None:
    # Rayleigh: w^2 = E I b^4 / (rho A (1 + k^2 b^2)) with b = n pi / L
    section, L = Rectangle(0.05, 0.1), 1.0
    b = np.array([1.0, 2.0, 3.0]) * pi / L
    k2 = section.Iy / section.A
    exact = np.sqrt(70e9 * section.Iy * b**4 / (2700 * section.A * (1 + k2 * b**2)))
    found = bending(beam(L, section, ALUMINIUM, 40), ["0.uz", "40.uz"], 3)
    np.testing.assert_allclose(found, exact, rtol=3e-6)
    assert (exact < 0.999 * np.sqrt(70e9 * section.Iy * b**4 / (2700 * section.A))).all()


@pytest.mark.parametrize("plane", ["y", "z"])
def test_timoshenko_frequencies_of_a_pinned_beam(plane: str) -> None:
    section, L = Rectangle(0.05, 0.1), 1.0
    I = section.Iy if plane == "z" else section.Iz
    kappa, rho, E, G = section.shear_factors(0.3)[0], 2700.0, 70e9, ALUMINIUM.G
    fixed = ["0.u" + plane, "{n}.u" + plane]
    exact = []
    for b in np.array([1.0, 2.0, 3.0]) * pi / L:
        middle = rho * section.A + rho * I * b**2 * (1 + E / (kappa * G))
        exact.append(sqrt(min(np.roots([rho**2 * I / (kappa * G), -middle, E * I * b**4]))))
    stiff, *found = (
        bending(beam(L, section, ALUMINIUM, n, shear=shear), [name.format(n=n) for name in fixed], 3, plane)
        for n, shear in ((40, False), (40, True), (80, True))
    )
    np.testing.assert_allclose(found[1], exact, rtol=1e-4)
    assert (np.array(exact) < 0.998 * stiff).all()
    errors = found / np.array(exact) - 1
    np.testing.assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.05)  # shear is constant in an element


def test_axial_and_torsional_frequencies_are_those_of_the_discrete_rod() -> None:
    # clamped-free linear rod elements: w^2 = 6 c^2 / h^2 (1 - cos t) / (2 + cos t), t = (2 k - 1) pi / (2 n)
    n, L, section = 10, 2.0, Rectangle(0.03, 0.05)
    structure = beam(L, section, ALUMINIUM, n)
    t = [(2 * k - 1) * pi / (2 * n) for k in (1, 2)]
    discrete = np.array([sqrt(6 * (1 - cos(a)) / (2 + cos(a))) * n / L / (2 * pi) for a in t])
    np.testing.assert_allclose(hertz(structure, "cantilever", 30, "axial")[:2], discrete * sqrt(70e9 / 2700), rtol=1e-9)
    speed = sqrt(ALUMINIUM.G * section.J / (2700 * section.polar))
    np.testing.assert_allclose(hertz(structure, "cantilever", 30, "torsion")[:2], discrete * speed, rtol=1e-9)
    assert discrete[0] == pytest.approx(1 / (4 * L), rel=2e-3)


def test_lumped_masses_converge_with_the_second_power() -> None:
    exact = classical(CLAMPED_FREE, 1.3, THIN)
    errors = [
        bending(beam(1.3, THIN, ALUMINIUM, n, lumped=True), ["0.uz", "0.ry"], 3) / exact - 1 for n in (10, 20, 40)
    ]
    np.testing.assert_allclose(np.log2(errors[1] / errors[2]), 2.0, atol=0.1)
    assert (errors[2] < 0).all()
    assert beam(1.3, THIN, ALUMINIUM, 5, lumped=True).mass == pytest.approx(beam(1.3, THIN, ALUMINIUM, 5).mass)


@pytest.mark.parametrize("shear", [False, True])
@pytest.mark.parametrize("elements", [1, 7])
def test_static_deflections_are_exact_at_the_nodes(elements: int, shear: bool) -> None:
    section, L = Rectangle(0.05, 0.1), 0.8
    structure = beam(L, section, ALUMINIUM, elements, shear=shear)
    E, G, kappa = 70e9, ALUMINIUM.G, section.shear_factors(0.3)[0]
    sheared = L / (kappa * G * section.A) if shear else 0.0
    tip = structure.static({"end": (0, 0, 0, 100.0, 100.0, 100.0)})[-1] / 100.0
    np.testing.assert_allclose(tip[3], L / (E * section.A), rtol=1e-12)
    np.testing.assert_allclose(tip[4], L**3 / (3 * E * section.Iz) + sheared, rtol=1e-10)
    np.testing.assert_allclose(tip[5], L**3 / (3 * E * section.Iy) + sheared, rtol=1e-10)
    np.testing.assert_allclose(tip[2], L**2 / (2 * E * section.Iz), rtol=1e-10)
    np.testing.assert_allclose(tip[1], -(L**2) / (2 * E * section.Iy), rtol=1e-10)
    turned = structure.static({"end": (100.0, 0, 0, 0, 0, 0)})[-1] / 100.0
    np.testing.assert_allclose(turned, [L / (G * section.J), 0, 0, 0, 0, 0], rtol=1e-12)


def test_an_L_bends_and_twists() -> None:
    section, a, b = Rectangle(0.03, 0.02), 0.5, 0.3
    L = beam_path([(0, 0, 0), (a, 0, 0), (a, b, 0)], section, ALUMINIUM, [4, 3], frames={"elbow": 1})
    assert L.frames == {"start": (0,), "corner1": (4,), "end": (7,), "elbow": (4,)}
    tip = L.static({"end": (0, 0, 1.0)})[-1]
    E, G = 70e9, ALUMINIUM.G
    exact = (a**3 + b**3) / (3 * E * section.Iy) + a * b**2 / (G * section.J)
    assert tip[5] == pytest.approx(exact, rel=1e-10)
    assert L.mass == pytest.approx(2700 * section.A * (a + b))
    np.testing.assert_allclose(L.com, [(a * a / 2 + b * a) / (a + b), b * b / 2 / (a + b), 0])


def test_direction_of_the_section() -> None:
    section, tip = Rectangle(0.04, 0.01), (0.0, 0.0, 2.0)
    stiff, soft = 8 / (3 * 70e9 * section.Iz), 8 / (3 * 70e9 * section.Iy)
    upright = beam_path([(0, 0, 0), tip], section, ALUMINIUM, 2)  # y stays y
    assert upright.static({"end": (0, 1.0, 0)})[-1][4] == pytest.approx(stiff)
    assert upright.static({"end": (1.0, 0, 0)})[-1][3] == pytest.approx(soft)
    turned = beam_path([(0, 0, 0), tip], section, ALUMINIUM, 2, y_axis="x")
    assert turned.static({"end": (1.0, 0, 0)})[-1][3] == pytest.approx(stiff)
    slanted = beam_path([(0, 0, 0), (1, 1, 0), (2, 0, 0)], section, ALUMINIUM, 2, y_axis=["z", (0, 0, 1)])
    flat = beam_path([(0, 0, 0), (1, 1, 0), (2, 0, 0)], section, ALUMINIUM, 2)
    assert slanted.static({"end": (0, 0, 1.0)})[-1][5] < 0.6 * flat.static({"end": (0, 0, 1.0)})[-1][5]


def test_planes_do_not_couple_at_all() -> None:
    for points in ([(0, 0, 0), (2, 0, 0)], [(0, 0, 0), (0, -2, 0)], [(1, 1, 1), (1, 1, 3)]):
        structure = beam_path(points, Rectangle(0.02, 0.01), ALUMINIUM, 6)
        body = structure.reduce("cantilever", 12)
        shapes = body.shapes.toarray().reshape(7, 6, 12)
        used = np.abs(shapes).max(axis=0) > 0
        assert (used.sum(axis=0) <= 2).all()
        assert np.count_nonzero(structure.stiffness.toarray()) == structure.stiffness.nnz


def test_equal_frequencies_of_two_planes_do_not_mix() -> None:
    body = beam(2.0, Circle(0.02), ALUMINIUM, 8).reduce("cantilever", 4)
    assert body.report is not None
    assert body.report.kinds == ("bending z", "bending y", "bending z", "bending y")
    assert body.report.frequencies[0] == pytest.approx(body.report.frequencies[1], rel=1e-12)
    np.testing.assert_array_equal(np.count_nonzero(body.integrals.E, axis=1), 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: beam(0.0, THIN, ALUMINIUM, 3), "beam: length: expected a positive number, got 0"),
        (lambda: beam(1.0, THIN, ALUMINIUM, 0), "elements: expected a whole number of at least 1, got 0"),
        (lambda: beam(1.0, THIN, ALUMINIUM, 2.5), "elements: expected a whole number"),  # type: ignore[arg-type]
        (lambda: beam(1.0, "square", ALUMINIUM, 2), "section: expected a section such as Rectangle"),  # type: ignore[arg-type]
        (lambda: beam(1.0, THIN, THIN, 2), "material: expected a Material"),  # type: ignore[arg-type]
        (lambda: beam_path([(0, 0, 0)], THIN, ALUMINIUM, 3), "expected two points or more, got 1"),
        (lambda: beam_path([(0, 0), (1, 0)], THIN, ALUMINIUM, 3), r"points: expected numbers of shape \(2, 3\)"),
        (
            lambda: beam_path([(0, 0, 0), (1, 0, 0), (1, 0, 0)], THIN, ALUMINIUM, 3),
            "segment 2: expected two different points, got a length of 0",
        ),
        (lambda: beam_path([(0, 0, 0), (1, 0, 0)], THIN, ALUMINIUM, [3, 4]), "elements: expected one or 1, .* got 2"),
        (lambda: beam_path([(0, 0, 0), (1, 0, 0)], THIN, ALUMINIUM, 3, y_axis="x"), "segment 1: expected a y_axis not"),
        (
            lambda: beam_path([(0, 0, 0), (1, 0, 0)], THIN, ALUMINIUM, 3, frames={"a": 7}),
            "'a': expected a point from 0",
        ),
    ],
)
def test_faults_are_named(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ModelError, match=message):
        make()


def test_one_looks_into_the_ends_of_a_tube() -> None:
    tube, rod = (
        beam(1.0, section, Material(E=2e11, nu=0.3, rho=7800.0), 4) for section in (Tube(0.05, 0.04), Circle(0.05))
    )
    for structure, hollow in ((tube, True), (rod, False)):
        assert structure.surface is not None
        x = structure.surface.vertices(structure.nodes)
        corners = x[structure.surface.faces]
        lids = corners[np.ptp(corners[:, :, 0], axis=1) == 0.0]
        middle = np.linalg.norm(lids.mean(axis=1)[:, 1:], axis=1).min()
        assert (middle > 0.04) == hollow  # no triangle of a lid is in the hole
        assert {0.0, 1.0} == set(lids[:, 0, 0].tolist())
        normals = np.cross(lids[:, 1] - lids[:, 0], lids[:, 2] - lids[:, 0])[:, 0]
        assert (np.sign(normals) == np.where(lids[:, 0, 0] > 0.5, 1.0, -1.0)).all()  # outward
