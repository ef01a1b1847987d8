"""Stresses and section forces of beams, solids and given matrices, and what a file keeps of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures import (
    FlexibleBody,
    IBeam,
    Material,
    Rectangle,
    StressRecovery,
    Structure,
    Tube,
    beam,
    beam_path,
    box,
    from_matrices,
    von_mises,
)
from supple.structures.body.hdf5_reader import load_body

METAL = Material(E=70e9, nu=0.3, rho=2700, yield_strength=2.5e8)
LENGTH = 1.0


def under(structure: Structure, load: Any) -> tuple[Any, Floats]:
    """Stress points, and components (p, 6) under a load at the end."""
    assert structure.elements is not None
    u = structure.static({"end": load}).reshape(-1, 1)
    found = structure.elements.stresses(scipy.sparse.csr_array(u))
    assert found is not None
    return found, found.matrix.toarray().reshape(-1, 6)


def test_section_forces_are_those_of_equilibrium() -> None:
    structure = beam(LENGTH, Rectangle(0.02, 0.04), METAL, 4)
    assert structure.elements is not None
    load = np.array([3.0, 0.4, 0.5, 5.0, 7.0, 11.0])
    u = structure.static({"end": load}).reshape(-1, 1)
    forces = structure.elements.section_forces(scipy.sparse.csr_array(u))
    assert forces is not None
    arm = LENGTH - forces.positions[:, 0]
    T, My, Mz, N, Vy, Vz = load
    expected = [np.full(8, x) for x in (N, Vy, Vz, T)] + [My - arm * Vz, Mz + arm * Vy]
    np.testing.assert_allclose(forces.matrix.toarray().reshape(-1, 6), np.stack(expected, axis=1), rtol=1e-8)
    assert forces.places[:3] == ("0-1 at 0", "0-1 at 1", "1-2 at 1")


@pytest.mark.parametrize("section", [Rectangle(0.02, 0.04), IBeam(0.05, 0.08, 0.006, 0.004)])
def test_bending_stress_of_a_tip_load(section: Rectangle | IBeam) -> None:
    """M c / I at the clamped end; von Mises' stress with torsion is sqrt(s^2 + 3 t^2)."""
    x, stress = under(beam(LENGTH, section, METAL, 6), (0, 0, 0, 0, 0, 10.0))
    top = x.places.index("0-1 at 0 +y+z")
    assert stress[top, 0] == pytest.approx(-10.0 * LENGTH * section.height / 2 / section.Iy, rel=1e-9)
    x, stress = under(beam(LENGTH, section, METAL, 6), (2.0, 0, 0, 30.0, 0, 0))
    side = x.places.index("0-1 at 0 +z")
    assert von_mises(stress)[side] == pytest.approx(np.hypot(stress[side, 0], np.sqrt(3) * stress[side, 3]), rel=1e-12)
    assert stress[side, 0] == pytest.approx(30.0 / section.A)
    assert abs(stress[side, 3]) > 0.0


def test_skew_bending_of_a_tube_within_one_percent() -> None:
    tube = Tube(0.03, thickness=0.002)
    for angle in np.linspace(0.1, 1.4, 5):
        _, stress = under(beam(LENGTH, tube, METAL, 4), (0, 0, 0, 0, 10 * np.cos(angle), 10 * np.sin(angle)))
        assert np.abs(stress[:, 0]).max() == pytest.approx(10 * LENGTH * 0.03 / tube.Iy, rel=0.01)


def test_a_corner_turns_bending_into_torsion() -> None:
    elbow = beam_path([(0, 0, 0), (1, 0, 0), (1, 0.5, 0)], Rectangle(0.02, 0.02), METAL, 2)
    x, stress = under(elbow, (0, 0, 0, 0, 0, 6.0))
    side = x.places.index("0-1 at 1 +y")
    assert stress[side, 5] == pytest.approx(0.5 * 6.0 / (0.2082 * 0.02**3) + 1.5 * 6.0 / 0.02**2, rel=1e-3)
    np.testing.assert_allclose(x.positions[side], [0.5, 0.01, 0.0], atol=1e-12)


def test_solid_stress_of_a_tip_load_within_one_percent() -> None:
    """M z / I on the surface at mid-length, where the clamped end is far."""
    block = box(LENGTH, 0.05, 0.08, METAL, (8, 1, 2))
    x, stress = under(block, (0, 0, 0, 0, 0, 100.0))
    inertia = 0.05 * 0.08**3 / 12
    middle = np.isclose(x.positions[:, 0], LENGTH / 2)
    np.testing.assert_allclose(
        stress[middle, 0], -100.0 * LENGTH / 2 * x.positions[middle, 2] / inertia, atol=0.01 * 100 * 0.02 / inertia
    )
    outer = middle & np.isclose(x.positions[:, 2], 0.04)
    assert von_mises(stress)[outer] == pytest.approx(100.0 * LENGTH / 2 * 0.04 / inertia, rel=0.01)


@pytest.mark.parametrize("kind", ["MeshHex", "MeshTet", "MeshTet2"])
def test_uniform_stress_of_solids_is_found_at_every_node(kind: str) -> None:
    skfem = pytest.importorskip("skfem", reason="scikit-fem makes the mesh")
    from supple.structures import from_mesh

    coarse = skfem.MeshTet() if kind != "MeshHex" else skfem.MeshHex()
    mesh = getattr(skfem, kind).from_mesh(coarse) if kind == "MeshTet2" else coarse
    structure = from_mesh(mesh, METAL, {"start": lambda x: x[0] == 0})
    slope = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 0.7], [0.2, 0.1, 0.4]]) * 1e-4
    u = np.zeros((len(structure.nodes), 6))
    u[:, 3:] = structure.nodes @ slope.T
    assert structure.elements is not None
    found = structure.elements.stresses(scipy.sparse.csr_array(u.reshape(-1, 1)))
    strain, lame = (slope + slope.T) / 2, METAL.E * METAL.nu / ((1 + METAL.nu) * (1 - 2 * METAL.nu))
    s = 2 * METAL.G * strain + lame * np.trace(strain) * np.eye(3)
    assert found is not None
    np.testing.assert_allclose(
        found.matrix.toarray().reshape(-1, 6), np.tile([*np.diag(s), s[0, 1], s[1, 2], s[2, 0]], (len(u), 1)), rtol=1e-9
    )


def test_von_mises_of_known_states() -> None:
    assert von_mises(np.array([3.0, 0, 0, 0, 0, 0])) == pytest.approx(3.0)
    assert von_mises(np.array([2.0, 2, 2, 0, 0, 0])) == pytest.approx(0.0, abs=1e-12)
    assert von_mises(np.array([0, 0, 0, 0, -2.0, 0])) == pytest.approx(2.0 * np.sqrt(3))
    s = np.random.default_rng(1).normal(size=6)
    x, y, z, xy, yz, zx = s
    squares = ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * (xy**2 + yz**2 + zx**2)
    assert von_mises(s) == pytest.approx(np.sqrt(squares))


def imported(recovery: StressRecovery | None) -> Structure:
    """A beam as the matrices of another program."""
    own = beam(LENGTH, Rectangle(0.02, 0.04), METAL, 3)
    order = [6 * node + c for node in range(4) for c in (3, 4, 5, 0, 1, 2)]
    M, K = (m.toarray()[order][:, order] for m in (own.mass_matrix, own.stiffness))
    return from_matrices(own.nodes, M, K, {"start": 0, "end": 3}, recovery=recovery)


def rows_of_the_beam() -> tuple[Floats, Floats]:
    """Axial stress at the top of the clamped end, for ux, uy, uz, rx, ry, rz of each node."""
    own = beam(LENGTH, Rectangle(0.02, 0.04), METAL, 3)
    assert own.elements is not None
    found = own.elements.stresses(scipy.sparse.csr_array(scipy.sparse.eye_array(24)))
    assert found is not None
    row = found.matrix.toarray()[6 * found.places.index("0-1 at 0 +y+z")]
    return row.reshape(4, 6)[:, [3, 4, 5, 0, 1, 2]].reshape(1, -1), own.nodes


def test_given_matrices_recover_stresses() -> None:
    rows, _ = rows_of_the_beam()
    structure = imported(StressRecovery(rows, nodes=[0], components=["xx"], places=["top"], yield_strength=2e8))
    body = structure.reduce("craig-bampton", modes=0)
    assert body.recovery is not None
    assert body.recovery.stresses is not None
    x = body.recovery.stresses
    force = body.frames["end"].shape[5]
    eta = 10.0 * force / body.stiffness.diagonal()
    assert x.values(eta)[0, 0] == pytest.approx(-10.0 * LENGTH * 0.02 / Rectangle(0.02, 0.04).Iy, rel=1e-8)
    assert x.places == ("top",)
    assert x.strength[0] == 2e8
    assert np.isnan(x.modulus[0])
    assert body.recovery.section_forces is None
    bare = imported(None).reduce("cantilever", modes=2).recovery
    assert bare is not None
    assert bare.stresses is None
    assert bare.static is not None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nodes": [4]}, "recovery: nodes: expected numbers from 0 to 3, got 4"),
        ({"components": ["xx", "yy"]}, "expected 2 rows, 2 for each of the 1 points, and 24 columns .*got 1 x 24"),
        ({"components": ["xk"]}, "no component 'xk'; there are 'xx'"),
        ({"yield_strength": -1.0}, "recovery: yield_strength: expected a positive number, got -1"),
        ({"places": ["a", "b"]}, "recovery: places: expected 1 names"),
        ({"matrix": [["a"] * 24]}, "recovery: matrix: expected a matrix of numbers"),
    ],
)
def test_wrong_matrices_are_refused(change: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"matrix": np.ones((1, 24)), "nodes": [0], "components": ["xx"]} | change
    with pytest.raises(ModelError, match=said):
        imported(StressRecovery(**given))


def test_a_file_keeps_stresses_forces_and_static_shapes(tmp_path: Path) -> None:
    body = beam(LENGTH, Rectangle(0.02, 0.04), METAL, 3).reduce("cantilever", modes=2)
    body.save(tmp_path / "body.h5")
    back = load_body(tmp_path / "body.h5")
    same(back, body)
    assert back.recovery is not None
    assert back.recovery.static is not None
    assert back.recovery.static.count > 0


def same(back: FlexibleBody, body: FlexibleBody) -> None:
    a, b = back.recovery, body.recovery
    assert a is not None
    assert b is not None
    pairs = [(a.stresses, b.stresses), (a.static_stresses, b.static_stresses), (a.section_forces, b.section_forces)]
    for mine, theirs in [*pairs, (a.static_forces, b.static_forces)]:
        assert mine is not None
        assert theirs is not None
        assert mine.places == theirs.places
        np.testing.assert_array_equal(mine.matrix.toarray(), theirs.matrix.toarray())
    assert a.static is not None
    assert b.static is not None
    np.testing.assert_array_equal(a.static.frames["end"], b.static.frames["end"])
