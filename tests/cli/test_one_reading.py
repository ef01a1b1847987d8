"""Every command reads its file once and validates it once."""

from __future__ import annotations

import builtins
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

import supple
from supple.bench import timing
from supple.files.schema import ModelFile
from support.files.robots import robot_directory
from support.programs.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
PENDULUM = EXAMPLES / "pendulum.toml"
STRIP = """
name = "strip"
[[structure]]
name = "strip"
type = "beam"
length = 0.5
section = { type = "rectangle", width = 0.02, height = 0.01 }
material = { E = 7e10, nu = 0.33, rho = 2700 }
elements = 2
[[body]]
name = "strip"
flexible = { structure = "strip", basis = "craig-bampton", modes = 1, interfaces = ["end"] }
joint = { type = "revolute", axis = "y" }
"""
VALIDATIONS = "validations of a model file"
SHOWN = [("info",), ("modes", "-o", "modes.html"), ("check",), ("view",), ("bench",), ("equations", "--counts")]


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counter[str]:
    """How often each file was opened, and how often a model file was validated."""
    found: Counter[str] = Counter()

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(file: Any, *arguments: Any, **options: Any) -> Any:
            found[str(file)] += 1
            return function(file, *arguments, **options)

        return called

    validate = ModelFile.model_validate

    def validated(data: Any) -> ModelFile:
        found[VALIDATIONS] += 1
        return validate(data)

    for place, name in ((builtins, "open"), (io, "open"), (xr, "open_dataset")):
        monkeypatch.setattr(place, name, counted(getattr(place, name)))
    monkeypatch.setattr(ModelFile, "model_validate", validated)
    monkeypatch.setattr(timing, "best_time", lambda call: 1.0)
    monkeypatch.setattr("webbrowser.open", interrupt)
    monkeypatch.chdir(tmp_path)
    return found


def interrupt(address: str) -> None:
    """Close the page as soon as it is there."""
    raise KeyboardInterrupt


def words(arguments: tuple[object, ...]) -> str:
    return " ".join(map(str, arguments))


@pytest.mark.parametrize(
    "arguments", [*SHOWN, ("run", "--duration", 0.1), ("equations", "-f", "program"), ("equations",)], ids=words
)
def test_toml(arguments: tuple[object, ...], command: Command, counts: Counter[str]) -> None:
    assert command(arguments[0], PENDULUM, *arguments[1:])[0] == 0
    assert (counts[str(PENDULUM)], counts[VALIDATIONS]) == (1, 1)


def test_toml_of_a_comparison(command: Command, counts: Counter[str], tmp_path: Path) -> None:
    file = tmp_path / "strip.toml"
    file.write_text(STRIP)
    counts.clear()
    options = ("--duration", 1e-3, "--samples", 11, "--modes", 1, "--rtol", 1e-3)
    assert command("compare", file, *options)[0] == 0
    assert (counts[str(file)], counts[VALIDATIONS]) == (1, 1)


@pytest.mark.filterwarnings("ignore::supple.OmissionWarning")
@pytest.mark.parametrize("arguments", [*SHOWN, ("run", "--duration", 0.1)], ids=words)
def test_urdf(arguments: tuple[object, ...], command: Command, counts: Counter[str]) -> None:
    file = next(robot_directory().rglob("double_pendulum.urdf"))
    assert command(arguments[0], file, *arguments[1:])[0] == 0
    assert (counts[str(file)], counts[VALIDATIONS]) == (1, 0)


@pytest.mark.parametrize("arguments", [*SHOWN, ("run", "--duration", 0.1, "-o", "again.nc")], ids=words)
def test_results(arguments: tuple[object, ...], command: Command, counts: Counter[str], tmp_path: Path) -> None:
    file = tmp_path / "motion.nc"
    supple.simulate(supple.files.read(PENDULUM).model, 0.1, {"arm.angle": 1.0}, samples=11, file=file).close()
    counts.clear()
    assert command(arguments[0], file, *arguments[1:])[0] == 0
    # The end with the checksum, all that the checksum is of, for the page the motion; HDF5 reads the model by itself.
    assert (counts[str(file)], counts[VALIDATIONS]) == (3 if arguments[0] == "view" else 2, 1)


def test_results_with_a_model_of_their_own(command: Command, counts: Counter[str], tmp_path: Path) -> None:
    file = tmp_path / "motion.nc"
    supple.simulate(supple.files.read(PENDULUM).model, 0.1, {"arm.angle": 1.0}, samples=11, file=file).close()
    counts.clear()
    assert command("view", file, "--model", PENDULUM)[0] == 0
    assert (counts[str(PENDULUM)], counts[VALIDATIONS]) == (1, 1)
