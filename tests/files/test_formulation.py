"""The formulation in model files and results: read, overruled, checked, saved and restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import supple
from supple import cli
from supple.cli.console import app
from supple.erls import ErlsModel, ModeChoice, build
from supple.files import check

MODEL = """
name = "arm"

[[structure]]
name = "rod"
type = "beam"
length = 0.5
section = { type = "rectangle", width = 0.02, height = 0.012 }
material = { E = 70e9, nu = 0.33, rho = 2700 }
elements = 2

[[body]]
name = "upper"
joint = { type = "revolute", axis = "z", damping = 0.01 }
flexible = { structure = "rod", basis = "craig-bampton", modes = 0, interfaces = ["end"] }

[[body]]
name = "fore"
parent = "upper"
joint = { type = "revolute", axis = "y", damping = 0.01 }
at = "end"
flexible = { structure = "rod", basis = "craig-bampton", modes = 0, interfaces = ["end"] }

[[body]]
name = "load"
parent = "fore"
joint = { type = "fixed" }
at = "end"
mass = 0.1

[simulation]
duration = 0.01
samples = 3
v.upper.angle = 1.0

[output]
wrenches = ["all"]
"""
ERLS = '\n[formulation]\nname = "erls"\nmodes = 3\nlinks = { fore = { modes = 1, static = ["end"] } }\n'


def written(folder: Path, more: str = "") -> Path:
    file = folder / "arm.toml"
    file.write_text(MODEL + more)
    return file


def invoked(*words: Any) -> str:
    cli.command()  # all of them
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None:
        raise done.exception
    return done.output


def test_a_file_says_its_formulation(tmp_path: Path) -> None:
    model: Any = supple.files.read(written(tmp_path, ERLS)).model
    assert isinstance(model, ErlsModel)
    expected = build(model.mechanism_model(), {"upper": 3, "fore": ModeChoice(1, static=["end"])})
    assert model.coordinates == expected.coordinates
    q, _ = model.random_state(0)
    np.testing.assert_array_equal(model.mass_matrix(q), expected.mass_matrix(q))
    assert check(written(tmp_path, ERLS)) == []


def test_the_caller_may_choose_another(tmp_path: Path) -> None:
    file = written(tmp_path, ERLS)
    assert isinstance(supple.files.read(file, formulation="floating").model, supple.Model)
    plain = written(tmp_path)
    assert isinstance(supple.files.read(plain).model, supple.Model)
    links: Any = supple.files.read(plain, formulation="erls").model
    assert isinstance(links, ErlsModel)
    assert links.nv == supple.files.read(plain).model.nv
    with pytest.raises(supple.FileFormatError, match=r"arm.toml: formulation: expected one of floating, erls, got 'x'"):
        supple.files.read(plain, formulation="x")


def test_saved_models_come_back_in_their_formulation(tmp_path: Path) -> None:
    model: Any = supple.files.read(written(tmp_path, ERLS)).model
    supple.save(model, tmp_path / "saved.toml")
    again: Any = supple.load(tmp_path / "saved.toml")
    assert again.coordinates == model.coordinates
    q, v = model.random_state(1)
    np.testing.assert_allclose(again.bias_forces(q, v), model.bias_forces(q, v), rtol=1e-12)
    assert again.formulation_settings() == model.formulation_settings()


def test_a_run_writes_its_formulation_and_joint_wrenches(tmp_path: Path) -> None:
    """`supple run FILE --formulation erls`, and the file's own word; results say both, and are run again."""
    file, target = written(tmp_path), tmp_path / "run.nc"
    invoked("run", file, "--formulation", "erls", "-o", target, "--no-report")
    with supple.open_results(target) as run:
        assert run.attrs["formulation"] == "equivalent rigid links"
        assert run["wrench"].sel(joint="upper").shape == (3, 6)
        q = run.q.values[-1]
    held: Any = supple.load(target)
    assert isinstance(held, ErlsModel)
    assert isinstance(supple.load(target, formulation="floating"), supple.Model)
    assert "simulated as equivalent rigid links, modes: upper 6, fore 6, load 0" in invoked("info", target)
    weight = held.joint_wrenches(q, 0 * q, 0 * q)[0, 5]
    assert weight == pytest.approx(9.81 * held.mass, rel=1e-6)
    own = tmp_path / "own.nc"
    invoked("run", written(tmp_path, ERLS), "-o", own, "--no-report")
    assert supple.load(own).coordinates[:4] == ("upper.angle", "upper.mode1", "upper.mode2", "upper.mode3")


@pytest.mark.filterwarnings("ignore:.*the modes leave out start speeds:supple.OmissionWarning")
def test_commands_take_the_formulation(tmp_path: Path) -> None:
    file = written(tmp_path)
    assert "modes: upper 6" in invoked("info", file, "--formulation", "erls")
    assert "simulated as" not in invoked("info", file)
    found = [invoked("modes", file, "--formulation", x, "--count", 5) for x in ("erls", "floating")]
    frequencies = [[float(line.split()[1]) for line in text.splitlines()[2:7]] for text in found]
    np.testing.assert_allclose(frequencies[0], frequencies[1], rtol=1e-3, atol=1e-3)
    with pytest.raises(supple.StateError, match="which the live page of supple view does not take"):
        invoked("view", written(tmp_path, ERLS), "--no-browser")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('name = "erls"\nlinks = { forearm = { modes = 1 } }', "formulation: links: no body 'forearm'"),
        ('name = "erls"\nlinks = { load = { modes = 1 } }', "formulation: links: expected flexible bodies, got 'load'"),
        (
            'name = "erls"\nmodes = 99',
            "formulation: link 'upper': modes: expected a number of elastic modes from 0 to 6",
        ),
        ('name = "erls"\nnumbers = [1]\nmodes = 2', "formulation: numbers: expected them in place of count"),
        ('name = "floating"\nmodes = 2', 'formulation: modes: expected only with name = "erls"'),
        ('name = "magic"', 'formulation: name: expected "floating" or "erls", got \'magic\''),
        ('name = "erls"\nranking = "beauty"', 'formulation: ranking: expected "frequency" or "compliance"'),
        ('name = "erls"\nstatic = "end"', "formulation: static: expected true, false, or a list of frames of the body"),
    ],
)
def test_wrong_tables_are_named(table: str, message: str, tmp_path: Path) -> None:
    file = written(tmp_path, f"\n[formulation]\n{table}\n")
    assert any(message in line for line in check(file)), check(file)
    with pytest.raises(supple.FileFormatError, match=r"arm.toml: formulation"):
        supple.load(file)


def test_mechanisms_that_it_does_not_take_are_named(tmp_path: Path) -> None:
    file = written(tmp_path, ERLS)
    file.write_text(file.read_text().replace('type = "fixed"', 'type = "spherical"'))
    message = "formulation: mechanism 'arm': joint of 'load': an equivalent rigid-link system has revolute"
    assert any(message in line for line in check(file))
