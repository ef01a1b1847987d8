"""supple import: from files of a finite-element program to a body in a file, and structures in model files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.files import check
from supple.structures.body.hdf5_reader import load_body
from support.files.imported_files import unpacked
from support.programs.commands import Command

MODEL = """
name = "block"
[[structure]]
name = "block"
type = "import"
file = "free.inp"
frames = {{ start = "ROOT", end = [128] {more} }}
{rest}
[[body]]
name = "block"
joint = {{ type = "revolute", axis = "y" }}
flexible = {{ structure = "block", basis = "cantilever", modes = 2 }}
"""


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("calculix_block", tmp_path_factory.mktemp("calculix"))


def test_a_body_is_checked_reduced_and_stored(command: Command, block: Path, tmp_path: Path) -> None:
    target = tmp_path / "body.h5"
    given = ("--frame", "start=ROOT", "--frame", "end=128", "--modes", "3", "--basis", "cantilever")
    code, out, err = command("import", block / "free.inp", *given, "-o", target)
    assert (code, err) == (0, "")
    for words in ("CalculiX: free.inp", "mass: 2.7 kg, 2700 kg/m^3", "frame start: 8 nodes", f"written: {target}"):
        assert words in out
    body = load_body(target)
    assert body.labels == ("mode1", "mode2", "mode3")
    assert np.sqrt(body.stiffness.diagonal()[0]) == pytest.approx(np.sqrt(11015.25), rel=1e-5)


def test_without_a_target_the_files_are_checked(command: Command, block: Path) -> None:
    code, out, _ = command("import", block / "free.inp", "--units", "mm-t-s")
    assert code == 0
    assert "warning: a density of 2.7e+15 kg/m^3" in out
    assert "node sets: NALL (128), ROOT (8), TIP (8)" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "x.h5"), "expected --frame start=NODES"),
        (("--frame", "start"), "--frame: expected NAME=NODES"),
        (("--frame", "start=ROOT,TIP"), "expected numbers of nodes or the name of one node set"),
        (("--frame", "start=ROT"), "no node set 'ROT'; did you mean 'ROOT'?"),
        (("--units", "mm-t"), "units: expected length, mass and time such as 'mm-t-s'"),
        (("--units", "mm-oz-s"), "units: mass: no unit 'oz'"),
    ],
)
def test_one_line_says_what_is_wrong(command: Command, block: Path, options: tuple[str, ...], message: str) -> None:
    code, _, err = command("import", block / "free.inp", *options)
    assert code == 1
    assert message in err


def test_a_model_file_takes_a_structure_from_files(block: Path) -> None:
    path = block / "model.toml"
    path.write_text(MODEL.format(more="", rest="[[structure.point_mass]]\nat = 128\nmass = 0.3\n"))
    assert check(path) == []
    model = supple.load(path)
    assert model.mass == pytest.approx(3.0)
    assert "block/end" in model.frames


@pytest.mark.parametrize(
    ("more", "rest", "message"),
    [
        (', tip = "TOP"', "", "structure[1] 'block': frame 'tip': no node set 'TOP'; did you mean 'TIP'?"),
        (", tip = 500", "", "structure[1] 'block': frame 'tip': no node 500"),
        ("", 'units = "mm"', "structure[1] 'block': units: expected length, mass and time"),
        ("", "[[structure.point_mass]]\nat = 999\nmass = 1", "structure[1] 'block': point_mass[1]: no node 999"),
    ],
)
def test_errors_stand_where_they_are_in_the_file(block: Path, more: str, rest: str, message: str) -> None:
    path = block / "wrong.toml"
    path.write_text(MODEL.format(more=more, rest=rest))
    assert any(message in line for line in check(path)), check(path)


def test_a_body_file_that_holds_a_structure_is_named(block: Path) -> None:
    path = block / "body.toml"
    path.write_text('name = "m"\n[[body]]\nname = "b"\njoint = { type = "fixed" }\nflexible = { file = "free.inp" }\n')
    assert any('take it by [[structure]] type = "import"' in line for line in check(path)), check(path)
