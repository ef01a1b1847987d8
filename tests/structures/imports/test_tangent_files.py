"""Stiffness under loads from files of CalculiX: the body stiffens as CalculiX's own block does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.checks import Floats
from supple.errors import ModelError
from supple.structures import Circle, FlexibleBody, ImportedStructure, Material, Tangent, beam, read, write
from support.files.imported_files import unpacked

SPIN = 100.0
FLAP = [22936.11, 502915.8]
"""Squared frequencies of bending along the axis of rotation that CalculiX prints for the spinning block, rad^2/s^2."""

MODEL = """
name = "spinning block"
gravity = [0.0, 0.0, 0.0]
[[structure]]
name = "block"
type = "import"
file = "free.inp"
frames = { start = "ROOT", end = 128 }
tangents = [ { load = "spin about z", file = "prem.inp", size = 100.0 } ]
[[body]]
name = "block"
joint = { type = "revolute", axis = "z" }
flexible = { structure = "block", basis = "cantilever", modes = 4 }
"""


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("calculix_block", tmp_path_factory.mktemp("calculix"))


def imported(block: Path, tangents: dict[str, Tangent] | None = None) -> ImportedStructure:
    cases = {"spin about z": Tangent(block / "prem.inp", SPIN)} if tangents is None else tangents
    structure = read(block / "free.inp", {"start": "ROOT", "end": 128}, tangents=cases)
    assert isinstance(structure, ImportedStructure)
    return structure


def flap(body: FlexibleBody) -> Floats:
    """Squared frequencies in a steady rotation; Coriolis forces do not act on bending out of its plane."""
    mech = supple.Mechanism("spinning block", gravity=(0.0, 0.0, 0.0))
    mech.add_body("block", body, joint=supple.Revolute("z"))
    found = supple.linear.modes(mech.build(), spin={"block": SPIN})
    return np.asarray((2.0 * np.pi * found.frequencies) ** 2)


def test_the_spinning_block_has_the_frequencies_of_calculix(block: Path) -> None:
    stiffened = flap(imported(block).reduce("cantilever", 6))
    plain = flap(imported(block, {}).reduce("cantilever", 6))
    for expected in FLAP:
        assert np.abs(stiffened / expected - 1.0).min() < 3e-4  # the block is 1.9e-4 longer, which both count
        assert np.abs(plain / expected - 1.0).min() > 0.1


def test_a_tangent_in_a_model_file_is_the_same(block: Path) -> None:
    model = block / "spinning.toml"
    model.write_text(MODEL)
    found = supple.linear.modes(supple.load(model), spin={"block": SPIN})
    squares = (2.0 * np.pi * found.frequencies) ** 2
    np.testing.assert_allclose(squares, flap(imported(block).reduce("cantilever", 4)), rtol=1e-9)
    model.write_text(MODEL.replace("prem.inp", "free.inp"))
    with pytest.raises(ModelError, match=r"tangent of 'spin about z': expected another stiffness .*NLGEOM"):
        supple.load(model)
    model.write_text(MODEL.replace("size = 100.0", "size = 0.0"))
    with pytest.raises(ModelError, match="size: expected the size of the load, got 0"):
        supple.load(model)


def test_without_softening_the_tangent_is_less(block: Path) -> None:
    """What is taken for stress is then too small by the masses across the axis, one for bending in the plane."""
    reports = [
        imported(block, {"spin about z": Tangent(block / "prem.inp", SPIN, softened)}).reduce("cantilever", 4).report
        for softened in (True, False)
    ]
    assert reports[0] is not None
    assert reports[1] is not None
    lost = (reports[0].southwell - reports[1].southwell)[:, 2]
    np.testing.assert_allclose(lost, [0.0, 1.0, 0.0, 1.0], atol=0.01)


@pytest.mark.parametrize(
    ("case", "change", "message"),
    [
        ("spin about w", lambda text: text, r"tangents: 'spin about w': no such load case; did you mean 'spin about"),
        (
            "spin about z",
            lambda text: text.replace("mesh.inp", "moved.inp"),
            r"prem.inp: node 128: expected the position",
        ),
    ],
)
def test_wrong_tangents(block: Path, tmp_path: Path, case: str, change: Callable[[str], str], message: str) -> None:
    for name in ("prem.sti", "prem.mas", "prem.dof", "mesh.inp"):
        (tmp_path / name).write_bytes((block / name).read_bytes())
    lines = (block / "mesh.inp").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("128,"))
    (tmp_path / "moved.inp").write_text("\n".join([*lines[:first], "128, 0.1, 0.0, 0.0", *lines[first + 1 :]]) + "\n")
    (tmp_path / "prem.inp").write_text(change((block / "prem.inp").read_text()))
    with pytest.raises(ModelError, match=message):
        imported(block, {case: Tangent(tmp_path / "prem.inp", SPIN)})


def test_another_root_than_the_one_that_was_held_is_refused(block: Path) -> None:
    structure = imported(block).with_frame("face", range(120, 128))
    with pytest.raises(ModelError, match=r"geometric_stiffness: node \d+, which is not in the root, is held"):
        structure.reduce("cantilever", 2, root="face")


def test_what_has_no_nodes_inside_takes_no_tangents(tmp_path: Path) -> None:
    body = beam(1.0, Circle(0.01), Material(E=70e9, nu=0.3, rho=2700), 4).reduce("cantilever", 2)
    write(body, tmp_path / "beam.fem")
    with pytest.raises(ModelError, match=r"tangents: expected none for MBDyn"):
        read(tmp_path / "beam.fem", tangents={"spin about z": Tangent("x.inp", 1.0)})
