"""Strains of beams and solids against closed forms, and what becomes of them in a reduction and in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.transform import Rotation

from supple.errors import FileFormatError, ModelError
from supple.structures import (
    Circle,
    CrossSection,
    IBeam,
    Material,
    RecoveryTable,
    Rectangle,
    Section,
    Structure,
    Tube,
    beam,
    beam_path,
    box,
    from_matrices,
    from_mesh,
)
from supple.structures.body.hdf5_reader import load_body

Floats = NDArray[np.float64]
STEEL = Material(E=2e11, nu=0.3, rho=7800)
FLAT = Rectangle(0.03, 0.01)
LENGTH = 1.5


def gauges(structure: Structure) -> RecoveryTable:
    assert structure.strains is not None
    return structure.strains


def select(strains: RecoveryTable, values: Floats, quantity: str) -> tuple[Floats, Floats]:
    """Positions and values of the gauges of one quantity."""
    chosen = [i for i, q in enumerate(strains.quantities) if q == quantity]
    assert chosen
    return strains.positions[chosen], values[chosen]


def under(structure: Structure, end: Any) -> Floats:
    """Strains under a moment and force at the end, the start being held."""
    motion: Any = structure.static({"end": end}).ravel()
    return np.asarray(gauges(structure).matrix @ motion)


# ------------------------------------------------------------ beams


@pytest.mark.parametrize("shear", [False, True])
def test_curvature_of_a_cantilever_is_moment_over_stiffness(shear: bool) -> None:
    structure = beam(LENGTH, FLAT, STEEL, 5, shear=shear)
    strains = gauges(structure)
    M_y, M_z, F_y, F_z = 3.0, -2.0, 7.0, 5.0
    values = under(structure, end=(0, M_y, M_z, 0, F_y, F_z))
    x, k_y = select(strains, values, "curvature y")
    arm = LENGTH - x[:, 0]
    assert len(k_y) == 10
    # The moment about y of a force in z at the distance l is -l F_z, that about z of a force in y is l F_y.
    size = 12.0 / (STEEL.E * FLAT.Iy)
    np.testing.assert_allclose(k_y, (M_y - arm * F_z) / (STEEL.E * FLAT.Iy), atol=1e-10 * size)
    _, k_z = select(strains, values, "curvature z")
    np.testing.assert_allclose(k_z, (M_z + arm * F_y) / (STEEL.E * FLAT.Iz), atol=1e-10 * size)
    np.testing.assert_allclose(select(strains, values, "twist")[1], 0.0, atol=1e-10 * size)


def test_axial_strain_and_twist_are_those_of_a_bar() -> None:
    structure = beam(LENGTH, FLAT, STEEL, 4)
    values = under(structure, end=(6.0, 0, 0, 900.0, 0, 0))
    x, axial = select(gauges(structure), values, "axial strain")
    np.testing.assert_allclose(axial, 900.0 / (STEEL.E * FLAT.A), rtol=1e-11)
    np.testing.assert_allclose(x[:, 0], LENGTH / 4 * np.array([0.5, 1.5, 2.5, 3.5]), rtol=1e-14)
    _, twist = select(gauges(structure), values, "twist")
    np.testing.assert_allclose(twist, 6.0 / (STEEL.G * FLAT.J), rtol=1e-11)
    assert gauges(structure).labels[:3] == ("0-1 axial strain", "0-1 twist", "0-1 at 0 curvature y")
    assert gauges(structure).units[:3] == ("1", "rad/m", "1/m")


OUTLINES: list[tuple[CrossSection, float, float]] = [
    (FLAT, 0.015, 0.005),
    (IBeam(0.04, 0.06, 0.004, 0.003), 0.02, 0.03),
    (Circle(0.02), 0.02, 0.02),
    (Tube(0.03, thickness=0.002), 0.03, 0.03),
]


@pytest.mark.parametrize(("section", "c_y", "c_z"), OUTLINES, ids=lambda x: type(x).__name__)
def test_fibres_hold_the_largest_strain(section: CrossSection, c_y: float, c_z: float) -> None:
    structure = beam(LENGTH, section, STEEL, 3)
    strains = gauges(structure)
    in_z = under(structure, end=(0, 0, 0, 0, 0, 10.0))
    fibres = np.array(["fibre" in q for q in strains.quantities])
    # A force upwards shortens the upper side and stretches the lower one, most at the root.
    most = 10.0 * LENGTH * c_z / (STEEL.E * section.Iy)
    for side, strain in (("+z", -most), ("-z", most)):
        chosen = [i for i, label in enumerate(strains.labels) if label.startswith("0-1 at 0 fibre") and side in label]
        assert len(chosen) in (1, 2)
        np.testing.assert_allclose(in_z[chosen], strain, rtol=1e-10)
    assert np.abs(in_z[fibres]).max() == pytest.approx(most, rel=1e-10)
    in_y = under(structure, end=(0, 0, 0, 50.0, 10.0, 0))
    on_left = [i for i, label in enumerate(strains.labels) if label.startswith("0-1 at 0 fibre +y")]
    expected = 50.0 / (STEEL.E * section.A) - 10.0 * LENGTH * c_y / (STEEL.E * section.Iz)
    np.testing.assert_allclose(in_y[on_left], expected, rtol=1e-10)


def test_a_section_without_outline_has_no_fibres() -> None:
    structure = beam(LENGTH, Section(A=1e-4, Iy=1e-9, Iz=2e-9, J=2e-9), STEEL, 2)
    assert set(gauges(structure).quantities) == {"axial strain", "twist", "curvature y", "curvature z"}


def test_strains_are_in_the_axes_of_the_element() -> None:
    R = Rotation.from_rotvec([0.4, -0.7, 1.1]).as_matrix()
    load = np.array([1.0, 2.0, -3.0, 40.0, 5.0, -6.0])
    straight = beam(LENGTH, FLAT, STEEL, 3)
    turned = beam_path([np.zeros(3), LENGTH * R[:, 0]], FLAT, STEEL, 3, y_axis=R[:, 1])
    turned_load = np.concatenate([R @ load[:3], R @ load[3:]])
    expected = under(straight, end=load)
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(under(turned, end=turned_load), expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(gauges(turned).positions, gauges(straight).positions @ R.T, atol=1e-14)


def test_a_load_on_an_elbow_twists_the_first_leg_and_bends_the_second() -> None:
    elbow = beam_path([(0, 0, 0), (1, 0, 0), (1, 0.5, 0)], FLAT, STEEL, 2)
    strains = gauges(elbow)
    values = dict(zip(strains.labels, under(elbow, end=(0, 0, 0, 0, 0, 8.0)), strict=True))
    assert values["0-1 twist"] == pytest.approx(8.0 * 0.5 / (STEEL.G * FLAT.J), rel=1e-10)
    assert values["2-3 at 2 curvature y"] == pytest.approx(-8.0 * 0.5 / (STEEL.E * FLAT.Iy), rel=1e-10)
    assert abs(values["2-3 twist"]) < 1e-10 * values["0-1 twist"]


def test_strains_hold_the_energy() -> None:
    """Half the integral of E A e^2 + G J t^2 + E Iy ky^2 + E Iz kz^2 is half u K u, for any motion of the nodes."""
    structure = beam_path([(0, 0, 0), (0.6, 0.2, 0.1), (0.7, 0.9, -0.3)], FLAT, STEEL, [3, 2])
    strains = gauges(structure)
    u = np.random.default_rng(3).normal(size=6 * len(structure.nodes)) * 1e-3
    values = strains.matrix @ u
    legs = [np.linalg.norm([0.6, 0.2, 0.1]) / 3] * 3 + [np.linalg.norm([0.1, 0.7, -0.4]) / 2] * 2
    l = np.array(legs)
    e, t = (select(strains, values, name)[1] for name in ("axial strain", "twist"))
    twice = STEEL.E * FLAT.A * np.sum(l * e**2) + STEEL.G * FLAT.J * np.sum(l * t**2)
    for name, I in (("curvature y", FLAT.Iy), ("curvature z", FLAT.Iz)):
        a, b = select(strains, values, name)[1].reshape(-1, 2).T
        twice += STEEL.E * I * np.sum(l * (a**2 + a * b + b**2) / 3)
    assert twice == pytest.approx(u @ structure.stiffness @ u, rel=1e-11)


# ------------------------------------------------------------ solids


def test_rigid_motions_have_no_strain() -> None:
    structures = [beam_path([(0, 0, 0), (1, 2, 0), (1, 2, 1)], FLAT, STEEL, 2), box(1.0, 0.2, 0.1, STEEL, (3, 1, 1))]
    for structure in structures:
        matrix = gauges(structure).matrix
        rigid = structure.layout.motion @ structure.layout.rigid_motions(np.array([0.1, 0.2, 0.3]))
        terms = abs(matrix) @ np.abs(rigid)
        assert np.abs(terms).max() > 1.0
        assert np.abs(matrix @ rigid).max() < 1e-13 * terms.max()


@pytest.mark.parametrize("kind", ["MeshHex", "MeshHex2", "MeshTet", "MeshTet2"])
def test_uniform_strain_of_solids_is_found_in_every_element(kind: str) -> None:
    skfem = pytest.importorskip("skfem", reason="solid elements need scikit-fem")
    plain = (skfem.MeshHex if "Hex" in kind else skfem.MeshTet).init_tensor(*(np.linspace(0, 1, 3),) * 3)
    warp = np.random.default_rng(1).uniform(-0.08, 0.08, plain.p.shape) * (np.abs(plain.p - 0.5) < 0.4)
    bent = type(plain)(plain.p + warp, plain.t)
    mesh = getattr(skfem, kind).from_mesh(bent) if kind.endswith("2") else bent
    structure = from_mesh(mesh, STEEL, {"start": lambda x: x[0] < 1e-9})
    strains = gauges(structure)
    gradient = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]) * 1e-3
    u = np.zeros((len(structure.nodes), 6))
    u[:, 3:] = structure.nodes @ gradient.T
    values = (strains.matrix @ u.ravel()).reshape(-1, 6)
    np.testing.assert_allclose(values, np.tile([1e-3, 5e-3, 9e-3, 6e-3, 14e-3, 10e-3], (mesh.nelements, 1)), rtol=1e-11)
    assert strains.labels[:6] == tuple(
        f"element 0 {name}" for name in ("strain xx", "strain yy", "strain zz", "shear xy", "shear yz", "shear zx")
    )
    centres = mesh.p[:, mesh.t].mean(axis=1).T if kind in ("MeshHex", "MeshTet") else None
    if centres is not None:
        np.testing.assert_allclose(strains.positions[::6], centres, atol=1e-14)


def test_a_solid_bar_in_tension_and_bending() -> None:
    """Without Poisson's ratio the end faces stay plane by themselves: the beam's solution is the solid's."""
    soft = Material(E=7e10, nu=0.0, rho=2700)
    length, width, height = 0.5, 0.05, 0.04
    bar = box(length, width, height, soft, (6, 2, 2))
    strains = gauges(bar)
    tension = under(bar, end=(0, 0, 0, 1e3, 0, 0))
    size = 1e3 / (7e10 * width * height)
    np.testing.assert_allclose(select(strains, tension, "strain xx")[1], size, rtol=1e-9)
    np.testing.assert_allclose(select(strains, tension, "strain yy")[1], 0.0, atol=1e-9 * size)
    bending = under(bar, end=(0, 20.0, 0, 0, 0, 0))
    x, strain = select(strains, bending, "strain xx")
    curvature = 20.0 / (7e10 * width * height**3 / 12)
    assert np.ptp(x[:, 2]) == pytest.approx(height / 2)
    np.testing.assert_allclose(strain, curvature * x[:, 2], rtol=1e-8)


def test_poissons_ratio_shows_in_the_middle_of_a_solid_bar() -> None:
    bar = box(0.5, 0.05, 0.05, STEEL, (9, 2, 2))
    values = under(bar, end=(0, 0, 0, 1e3, 0, 0))
    size = 1e3 / (STEEL.E * 0.05**2)
    for quantity, share in (("strain xx", 1.0), ("strain yy", -STEEL.nu), ("strain zz", -STEEL.nu)):
        x, strain = select(gauges(bar), values, quantity)
        middle = np.abs(x[:, 0] - 0.25) < 0.01
        assert middle.sum() == 4
        # the end faces cannot contract, which is felt a width or two into the bar
        np.testing.assert_allclose(strain[middle], share * size, rtol=2e-3)


# ------------------------------------------------------------ reduced bodies


@pytest.mark.parametrize(("basis", "modes"), [("craig-bampton", 0), ("cantilever", 24), ("nodal", None)])
def test_a_body_that_can_take_the_static_shape_has_its_strains(basis: str, modes: int | None) -> None:
    structure = beam(LENGTH, FLAT, STEEL, 4)
    load = np.array([1.0, 2.0, -3.0, 400.0, 5.0, -6.0])
    body = structure.reduce(basis, modes)
    eta = np.linalg.solve(body.stiffness.toarray(), body.frames["end"].shape.T @ load)
    expected = under(structure, end=load)
    assert body.strains is not None
    assert body.strains.labels == gauges(structure).labels
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(body.strains.matrix @ eta, expected, atol=1e-9 * np.abs(expected).max())


def test_positions_of_gauges_are_seen_from_the_root() -> None:
    body = beam(LENGTH, FLAT, STEEL, 4).reduce("cantilever", 2, root="end")
    assert body.strains is not None
    np.testing.assert_allclose(body.strains.positions[0], [LENGTH / 8 - LENGTH, 0, 0])


def test_a_rigid_region_has_no_strain() -> None:
    structure = beam(LENGTH, FLAT, STEEL, 6).with_frame("clamp", (2, 3, 4))
    body = structure.reduce("cantilever", 5)
    assert body.strains is not None
    inside = [i for i, place in enumerate(body.strains.places) if place.startswith(("2-3", "3-4"))]
    assert len(inside) == 28
    assert body.strains.matrix[inside].nnz == 0
    beside = [i for i, place in enumerate(body.strains.places) if place.startswith("1-2")]
    assert body.strains.matrix[beside].nnz > 0


def test_imported_matrices_have_no_strains() -> None:
    source = beam(LENGTH, FLAT, STEEL, 3)
    order = [6 * node + c for node in range(4) for c in (3, 4, 5, 0, 1, 2)]
    M, K = (m.toarray()[order][:, order] for m in (source.mass_matrix, source.stiffness))
    copy = from_matrices(source.nodes, M, K, {"start": 0, "end": 3})
    assert copy.strains is None
    assert copy.reduce("cantilever", 2).strains is None


def test_a_file_keeps_strains_and_may_be_without(tmp_path: Path) -> None:
    path = tmp_path / "boom.h5"
    body = beam(LENGTH, FLAT, STEEL, 3).reduce("cantilever", 4)
    body.save(path)
    again = load_body(path).strains
    assert again is not None
    assert body.strains is not None
    assert again.labels == body.strains.labels
    np.testing.assert_array_equal(again.positions, body.strains.positions)
    np.testing.assert_array_equal(again.matrix.toarray(), body.strains.matrix.toarray())
    with h5py.File(path, "r+") as file:
        del file["recovery/strains/positions"]
        file["recovery/strains/positions"] = np.zeros((2, 3))
    with pytest.raises(FileFormatError, match=r"boom.h5: strains: recovery table: expected for 42 places elements"):
        load_body(path)
    with h5py.File(path, "r+") as file:
        del file["recovery/strains"]
    assert load_body(path).strains is None


def test_strains_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    one = sparse.csr_array(np.ones((1, 2)))
    rest = np.full((1, 3), np.nan), ("0-1",)
    with pytest.raises(ModelError, match=r"recovery table: expected for 1 places .* got .* 1 rows and 2 quantities"):
        RecoveryTable(("0-1",), ("twist", "axial strain"), np.zeros(1, np.int64), np.zeros((1, 3)), one, *rest)
    with pytest.raises(ModelError, match="recovery table: expected finite numbers"):
        RecoveryTable(("0-1",), ("twist",), np.zeros(1, np.int64), np.full((1, 3), np.nan), one, *rest)
    path = tmp_path / "boom.h5"
    beam(LENGTH, FLAT, STEEL, 3).reduce("cantilever", 4).save(path)
    with h5py.File(path, "r+") as file:
        file["recovery/strains/matrix"].attrs["shape"] = (42, 9)
    with pytest.raises(FileFormatError, match="strains: expected a matrix of 4 columns, got 9"):
        load_body(path)


# ------------------------------------------------------------ yield strength


def test_strains_over_the_yield_strength(tmp_path: Path) -> None:
    """A beam and a box that are pulled and bent at one end: the stress of the farthest fibre, P / A + M / W."""
    soft = Material(E=2e11, nu=0.3, rho=7800, yield_strength=250e6)
    rod = beam(LENGTH, FLAT, soft, 3)
    motion: Any = rod.static({"end": (0, 5.0, 0, 1000.0, 0, 0)}).ravel()
    shares = gauges(rod).utilization(np.asarray(gauges(rod).matrix @ motion))
    expected = (1000.0 / FLAT.A + 5.0 / (FLAT.Iy / 0.005)) / 250e6
    assert np.nanmax(shares) == pytest.approx(expected, rel=1e-9)
    assert [q for q, s in zip(gauges(rod).quantities, shares, strict=True) if np.isnan(s)][:2] == [
        "twist",
        "curvature y",
    ]
    block = box(LENGTH, 0.03, 0.01, soft, (6, 1, 1))
    moved: Any = block.static({"end": (0, 0, 0, 1000.0, 0, 0)}).ravel()
    in_block = gauges(block).utilization(np.asarray(gauges(block).matrix @ moved)).reshape(-1, 6)
    np.testing.assert_allclose(in_block[2:4], 1000.0 / FLAT.A / 250e6, rtol=1e-3)  # far from both ends
    body = rod.reduce("cantilever", modes=3)
    body.save(tmp_path / "rod.h5")
    again = load_body(tmp_path / "rod.h5").strains
    assert body.strains is not None
    assert again is not None
    np.testing.assert_array_equal(again.material, body.strains.material)
    assert np.isnan(gauges(beam(LENGTH, FLAT, STEEL, 2)).utilization(np.ones(2 * 14))).all()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.0, "material: yield_strength: expected a positive number, got 0"),
        (-1.0, "material: yield_strength: expected a positive number, got -1"),
        (np.nan, "material: yield_strength: expected a finite number, got nan"),
        ("strong", "material: yield_strength: expected a number, got 'strong'"),
    ],
)
def test_yield_strengths_that_are_none(value: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Material(E=2e11, nu=0.3, rho=7800, yield_strength=value)
