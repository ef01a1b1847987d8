"""supple equations, info and run for systems of vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.files import read
from support.programs.c_programs import built, motion
from support.programs.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
BICYCLE, VEHICLE = EXAMPLES / "bicycle.toml", EXAMPLES / "vehicle_with_suspension.toml"


@pytest.mark.parametrize("form", ["text", "c", "python", "latex", "markdown", "linear"])
def test_equations_are_written(command: Command, form: str) -> None:
    code, out, _ = command("equations", VEHICLE, "--format", form)
    assert code == 0
    assert "road" in out


def test_counts_and_tables(command: Command) -> None:
    _, out, _ = command("equations", BICYCLE, "--counts")
    exact = json.loads(out)
    assert exact["route"] == "kane"
    _, out, _ = command("equations", VEHICLE, "--counts", "--small", "heave,roll,pitch,u2,u3")
    small = json.loads(out)
    _, out, _ = command("equations", VEHICLE, "--counts")
    assert sum(small[x] for x in ("additions", "multiplications")) < json.loads(out)["additions"] * 2
    code, out, _ = command("equations", BICYCLE, "--tables")
    assert code == 0
    assert "Order of elimination: u" in out


def test_a_program_rides_the_bicycle(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "bicycle.c"
    code, _, _ = command("equations", BICYCLE, "--format", "program", "-o", target)
    assert code == 0
    header, rows = motion(built(target.read_text(), tmp_path))
    contents = read(BICYCLE)
    found = supple.simulate(contents.model, **contents.run_arguments())
    lean = rows[:, header.index("q:lean")]
    assert np.abs(lean).max() > 0.05
    np.testing.assert_allclose(lean, found.q.sel(coordinate="lean").values, atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((VEHICLE, "--format", "program"), "cannot hold road_front_left"),
        ((VEHICLE, "--small", "heav"), "small: no coordinate or speed 'heav'"),
        ((VEHICLE, "--route", "kane"), "which --parameters, --route or --names does not take"),
    ],
)
def test_what_cannot_be_is_refused(command: Command, arguments: tuple[str | Path, ...], message: str) -> None:
    code, _, err = command("equations", *arguments)
    assert code != 0
    assert message in " ".join(err.split())


def test_info_tells_the_independent_speeds(command: Command) -> None:
    _, out, _ = command("info", BICYCLE)
    assert "3 independent speeds: lean_rate, rear_rate, steer_rate" in " ".join(out.split())
