"""Bodies from the user's own modes: the same as by reduction, free modes too, and refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import supple
from supple import structures
from supple.errors import ModelError, PhysicsWarning
from supple.structures import NodalMasses, from_modes
from supple.structures.body.hdf5_reader import load_body

ALUMINIUM = structures.Material(E=70e9, nu=0.33, rho=2700.0)
COUNT = 6


def lumped() -> structures.Structure:
    """A beam whose mass sits on its nodes, with a camera beside its end."""
    rod = structures.beam(1.0, structures.Rectangle(0.02, 0.01), ALUMINIUM, COUNT - 1, lumped=True)
    return rod.with_mass("end", 0.3, inertia=(1e-3, 2e-3, 2e-3), offset=(0.01, 0.02, -0.03))


def nodal(structure: structures.Structure) -> NodalMasses:
    """m, p, J from the blocks of the mass matrix: [[J, m p~], [-m p~, m I]]."""
    blocks = [structure.mass_matrix[6 * i : 6 * i + 6][:, 6 * i : 6 * i + 6].toarray() for i in range(COUNT)]
    m = np.array([B[3, 3] for B in blocks])
    p = np.array([[B[2, 4], B[0, 5], B[1, 3]] for B in blocks]) / m[:, None]
    return NodalMasses(m, p, [B[:3, :3] for B in blocks])


def shapes_of(body: structures.FlexibleBody) -> np.ndarray:
    return body.shapes.toarray().reshape(COUNT, 6, body.modes)


def require_equal(a: structures.FlexibleBody, b: structures.FlexibleBody, tolerance: float = 1e-10) -> None:
    for name in ("mass", "moment", "second", "E", "X", "F_1", "J_2"):
        x, y = (np.asarray(getattr(body.integrals, name)) for body in (a, b))
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance * np.abs(y).max(), err_msg=name)
    np.testing.assert_allclose(a.stiffness.toarray(), b.stiffness.toarray(), rtol=tolerance, atol=1e-3)
    np.testing.assert_allclose(
        a.shapes.toarray(), b.shapes.toarray(), atol=tolerance * np.abs(b.shapes.toarray()).max()
    )


def test_modes_of_a_beam_give_the_body_of_its_reduction() -> None:
    rod = lumped()
    body = rod.reduce("cantilever", modes=5, damping=0.01)
    assert body.report is not None
    scale = np.array([1.0, -2.0, 3.0, 0.5, 7.0])
    frames = {"start": 0, "end": COUNT - 1}
    same = from_modes(
        rod.nodes, nodal(rod), shapes_of(body) * np.abs(scale), body.report.frequencies, frames, damping=0.01
    )
    require_equal(same, body)
    assert same.basis == "cantilever"
    np.testing.assert_allclose(same.damping.toarray(), body.damping.toarray(), rtol=1e-10)
    np.testing.assert_allclose(same.frames["end"].shape, body.frames["end"].shape, atol=1e-10)
    turned = from_modes(rod.nodes, nodal(rod), shapes_of(body) * scale, body.report.frequencies, frames)
    np.testing.assert_allclose(turned.shapes.toarray()[:, 1], -body.shapes.toarray()[:, 1], atol=1e-9)


def test_modes_of_the_free_structure_give_its_frequencies_again() -> None:
    """They move the root: relative to it they span what the free-free basis of the reduction does."""
    rod = lumped()
    squares, phi = eigh(rod.stiffness.toarray(), rod.mass_matrix.toarray())
    kept = slice(6, 11)
    hertz = np.sqrt(squares[kept]) / (2 * np.pi)
    body = from_modes(rod.nodes, nodal(rod), phi[:, kept].reshape(COUNT, 6, 5), hertz, {"start": 0, "end": 5})
    assert body.basis == "free-free"
    same = rod.reduce("free-free", modes=5)
    np.testing.assert_allclose(body.stiffness.toarray(), same.stiffness.toarray(), rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(np.abs(body.integrals.E), np.abs(same.integrals.E), atol=1e-6)
    mech = supple.Mechanism("free", gravity=(0, 0, 0))
    mech.add_body("rod", body, joint=supple.Free())
    found = supple.linear.modes(mech.build()).frequencies
    np.testing.assert_allclose(found[found > 1.0], hertz, rtol=1e-7)


def test_a_body_of_modes_goes_through_a_file_and_a_model_file(tmp_path: Path) -> None:
    rod = lumped()
    body = rod.reduce("cantilever", modes=2)
    assert body.report is not None
    masses = nodal(rod)
    own = from_modes(rod.nodes, masses, shapes_of(body), body.report.frequencies, {"start": 0, "end": 5})
    own.save(tmp_path / "rod.h5")
    require_equal(load_body(tmp_path / "rod.h5"), own, 1e-14)
    keys: dict[str, Any] = {
        "nodes": rod.nodes.tolist(),
        "mass": masses.mass.tolist(),
        "offset": masses.offset.tolist(),
        "inertia": masses.inertia.tolist(),
        "frequencies": body.report.frequencies.tolist(),
        "shapes": np.moveaxis(shapes_of(body), -1, 0).tolist(),
    }
    table = ", ".join(f"{key} = {value}" for key, value in keys.items())
    text = 'name = "m"\n[[body]]\nname = "rod"\njoint = { type = "revolute", axis = "y" }\n'
    path = tmp_path / "m.toml"
    path.write_text(f"{text}flexible = {{ {table}, frames = {{ start = 0, end = 5 }} }}\n")
    read = supple.load(path).description.bodies["rod"].body
    assert isinstance(read, structures.FlexibleBody)
    require_equal(read, own, 1e-14)
    path.write_text(f"{text}flexible = {{ {table.replace('mass = [', 'mass = [1.0, ')}, frames = {{ start = 0 }} }}\n")
    assert "mass: expected one for each of the 6 nodes, got 7" in "\n".join(supple.files.check(path))


def simple(**changes: Any) -> structures.FlexibleBody:
    shapes = np.zeros((2, 6, 1))
    shapes[1, 5] = 1.0
    given: dict[str, Any] = {
        "nodes": [[0, 0, 0], [1, 0, 0]],
        "masses": [1.0, 0.5],
        "shapes": shapes,
        "frequencies": [2.0],
        "frames": {"start": 0, "end": 1},
    }
    return from_modes(**given | changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"masses": [1.0]}, "masses: expected one for each of the 2 nodes, got 1"),
        ({"masses": [1.0, -0.5]}, "nodal masses: mass: expected none below zero and some above"),
        ({"frequencies": [0.0]}, "frequencies: mode 1: expected one above zero, got 0; rigid motions are no modes"),
        ({"frequencies": [1.0, 2.0]}, r"shapes: expected numbers of shape \(2, 6, 2\), got shape \(2, 6, 1\)"),
        ({"shapes": np.zeros((2, 6, 1))}, "shapes: mode 1 moves no mass"),
        ({"root": "strat"}, r"root: no frame 'strat'; did you mean 'start'\?"),
        ({"frames": {"start": [0, 1]}}, "frames: expected the number of one node for each name"),
        ({"frames": {"start": 5}}, "frame 'start': expected node numbers from 0 to 1, got 5"),
        ({"shapes": np.ones((2, 6, 1)) * [[[0], [0], [0], [1], [0], [0]]]}, "expected 1 independent ones"),
    ],
)
def test_what_is_no_body_is_refused(changes: dict[str, Any], words: str) -> None:
    assert simple().modes == 1
    with pytest.raises(ModelError, match=words):
        simple(**changes)


def test_an_inertia_that_no_mass_has_is_refused_with_its_node() -> None:
    J = np.array([np.eye(3), np.diag([1.0, 1.0, 3.0])])
    with pytest.raises(ModelError, match="nodal masses: inertia of node 1: expected one that a mass of 1 kg"):
        NodalMasses([1.0, 1.0], inertia=J)


def test_modes_that_do_not_fit_the_masses_are_warned_of() -> None:
    shapes = np.zeros((2, 6, 2))
    shapes[1, 5, 0] = shapes[1, 4, 1] = 1.0
    shapes[1, 5, 1] = 0.5
    with pytest.warns(PhysicsWarning, match="modes 1 and 2 are not orthogonal with the nodal masses: 0.45"):
        simple(shapes=shapes, frequencies=[2.0, 3.0])
