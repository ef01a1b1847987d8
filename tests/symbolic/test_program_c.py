"""Simulation programs read input files strictly, and tell when their output is not complete."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from c_programs import PARAMETERS, built, called, motion, oscillator, pendulum, table
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.symbolic.program import ProgramRun, simulation_program

# ------------------------------------------------------------ input files


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pendulum that swings for a short while."""
    held = {"tau": [0.1, -1 / 3]}
    text = simulation_program(pendulum([*PARAMETERS]), PARAMETERS, [0.1, 2.0], held=held, run=ProgramRun(0.05, 1e-2))
    return built(text, tmp_path_factory.mktemp("pendulum"))


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The oscillator, whose names need care."""
    return built(simulation_program(oscillator(), run=ProgramRun(0.05, 1e-2)), tmp_path_factory.mktemp("oscillator"))


@pytest.mark.parametrize("name", ["program", "driven"])
def test_the_defaults_are_an_input_file_that_changes_nothing(name: str, request: pytest.FixtureRequest) -> None:
    program = request.getfixturevalue(name)
    defaults = called(program, "--defaults")
    assert (defaults.returncode, defaults.stderr) == (0, "")
    header, rows = motion(program, defaults.stdout)
    again, plain = motion(program)
    assert header == again
    np.testing.assert_array_equal(rows, plain)
    lines = [line for line in defaults.stdout.splitlines() if not line.startswith("#")]
    if name == "program":
        assert lines[:5] == ["duration 0.05", "step 0.01", "every 1", "q cart.position 0.1", "q arm.angle 2"]
        assert lines[-1] == "parameter arm.angle.damping 0.1"
        assert f"tau arm.angle {-1 / 3!r}" in lines
    else:
        assert lines[3:5] == ['q "left arm.x" 0', 'q """y"", #2??/" 0']
        assert lines[-2:] == ['"force 1" a 0', '"force 1" b 0']


def test_an_input_file_replaces_what_it_names(program: Path, driven: Path) -> None:
    text = "\r\n# start\r\nq arm.angle -1.5e-1 # said\r\n\tv  cart.position\t0x1p-2#\n  every 3\nduration 0.07"
    _, rows = motion(program, text)
    np.testing.assert_array_equal(rows[0, 1:], [0.1, -0.15, 0.25, 0.0])
    np.testing.assert_array_equal(rows[:, 0], [0.0, 0.03, 0.06, 0.07])
    lighter, heavier = (motion(program, f"parameter arm.mass {mass}")[1][-1, 1:] for mass in (1.0, 2.0))
    assert np.abs(lighter - heavier).max() > 1e-4
    _, rows = motion(driven, '"q" "left arm.x" 0.5#\nv \u00e9 -2\nq """y"", #2??/" 3\n"force 1" "a" 1\n')
    np.testing.assert_array_equal(rows[0, 1:], [0.5, 3.0, 0.0, -2.0])


@pytest.mark.parametrize(
    ("duration", "step", "steps"),
    [(0.3, 0.1, 3), (0.7, 0.1, 7), (1.1, 0.1, 11), (1.0, 0.3, 4), (0.01, 5.0, 1), (1e-13, 1e-3, 1), (0.0, 0.1, 0)],
)
def test_the_run_ends_at_the_duration(program: Path, duration: float, step: float, steps: int) -> None:
    _, rows = motion(program, f"duration {duration}\nstep {step}\n")
    np.testing.assert_array_equal(rows[:, 0], [*(i * step for i in range(steps)), duration])


WRONG = {
    "# a\n\nspeed 3\n": '3: unknown word "speed" in front; expected one of duration, step, every, q, v, tau, parameter',
    "arm.angle 0.3": '1: unknown word "arm.angle"',
    "q arm.angel 0.3": '1: no q is called "arm.angel"',
    "q arm.mass 0.3": '1: no q is called "arm.mass"',
    "step\n": '1: expected a number after "step"',
    "duration 1\nq": '2: expected a name and a number after "q"',
    "q arm.angle\n": "1: q arm.angle: expected a number, got none",
    "q arm.angle # 3\n": "1: q arm.angle: expected a number, got none",
    "q arm.angle 0,3": '1: q arm.angle: expected a number, got "0,3"',
    'q arm.angle ""': '1: q arm.angle: expected a number, got ""',
    "q arm.angle 1 2": '1: q arm.angle: a word too many, "2"',
    "step 1 2 3 4 5": '1: step: a word too many, "2"',
    "q arm.angle nan": '1: q arm.angle: expected a finite number, got "nan"',
    "parameter arm.mass 1e999": '1: parameter arm.mass: expected a finite number, got "1e999"',
    "q arm.angle 1\n\nq arm.angle 1": "3: q arm.angle: given twice, first in line 1",
    "step 0": '1: step: expected more than 0, got "0"',
    "step -1e-3": '1: step: expected more than 0, got "-1e-3"',
    "duration -1": '1: duration: expected 0 or more, got "-1"',
    "every 0": '1: every: expected a whole number from 1 to 1e15, got "0"',
    "every 1.5": '1: every: expected a whole number from 1 to 1e15, got "1.5"',
    "every 1e300": "1: every: expected a whole number",
    'q "arm.angle 0.3': "1: a quotation mark without its pair",
    'q "arm.angle"" 0.3': "1: a quotation mark without its pair",
    'q "arm".angle 0.3': "1: a quotation mark without its pair",
    '"': "1: a quotation mark without its pair",
    "q arm.angle 1\n#" + 1025 * "x": "2: expected text of at most 1024 characters a line",
    "q arm.angle 1\x002": "1: expected text of at most 1024 characters a line",
    "step 1e-3\nduration 1e13": "2: duration 1e+13 takes more than 1e15 steps of 0.001",
    "step 1e-320\n": "1: duration 0.05 takes more than 1e15 steps",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_input_is_refused_with_its_line(program: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text(text)
    done = called(program, path, tmp_path / "out.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"{path}:{WRONG[text]}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_a_line_of_full_length_is_read(program: Path) -> None:
    motion(program, "#" + 1023 * "x" + "\nstep 0.02")


def test_a_file_that_cannot_be_read_and_a_wrong_call(program: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        done = called(program, path)
        assert done.returncode == 2
        assert done.stderr.startswith(f"{path}: cannot be read: ")
    (tmp_path / "in.txt").write_text("step 0.01")
    for arguments in ([], ["--help"], ["a", "b", "c"], [tmp_path / "in.txt", tmp_path / "in.txt"]):
        done = called(program, *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: ")
    assert (tmp_path / "in.txt").read_text() == "step 0.01"


# ------------------------------------------------------------ output


def test_output_into_a_file(program: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("")
    expected = called(program, tmp_path / "in.txt").stdout
    done = called(program, tmp_path / "in.txt", tmp_path / "out.csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out.csv").read_text() == expected


def test_output_that_cannot_be_opened(program: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("")
    done = called(program, tmp_path / "in.txt", tmp_path / "nowhere" / "out.csv")
    assert done.returncode == 4
    assert "out.csv: cannot be written: " in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device here that is always full")
@pytest.mark.parametrize("steps", [3, 100_000_000_000])
def test_a_full_disk(program: Path, tmp_path: Path, steps: int) -> None:
    """Noticed at the end of a short run, and soon in one that would go on for days."""
    (tmp_path / "in.txt").write_text(f"step 0.001\nduration {0.001 * steps}")
    done = called(program, tmp_path / "in.txt", "/dev/full")
    assert done.returncode == 4
    assert done.stderr.startswith("/dev/full: cannot be written: ")
    with open("/dev/full", "w") as full:
        for argument in (tmp_path / "in.txt", "--defaults"):
            done = called(program, argument, stdout=full)
            assert done.returncode == 4
            assert done.stderr.startswith("standard output: cannot be written: ")


def test_a_motion_that_leaves_the_numbers(tmp_path: Path) -> None:
    """x'' = 6 x^2 from x = x' / 2 = 1 is 1 / (1 - t)^2, infinite at time 1."""
    g = Graph()
    x, u = g.input("x", "q"), g.input("x", "v")
    f = Function("growth", g, {"q": np.array([x]), "v": np.array([u])}, {"rate": np.array([u]), "a": 6 * x * x})
    program = built(simulation_program(f, q=[1.0], v=[2.0], run=ProgramRun(2.0)), tmp_path)
    (tmp_path / "in.txt").write_text("")
    done = called(program, tmp_path / "in.txt")
    assert done.returncode == 3
    _, rows = table(done.stdout)
    assert np.isfinite(rows).all()
    np.testing.assert_allclose(rows[900, 1:], [100.0, 2000.0], rtol=1e-6)
    found = re.fullmatch(r"time (\S+): (q|v) x is not finite\n", done.stderr)
    assert found is not None
    assert float(found[1]) == len(rows) * 1e-3
    assert 1.0 < len(rows) * 1e-3 < 1.1
