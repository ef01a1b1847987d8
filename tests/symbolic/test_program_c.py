"""Simulation programs read input files strictly, and tell when their output is not complete."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.symbolic.program import simulation_program
from supple.symbolic.program_parts import ProgramRun
from support.programs.c_programs import PARAMETERS, built, called, motion, oscillator, pendulum, table

# ------------------------------------------------------------ input files


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pendulum that swings for a short while."""
    held = {"tau": [0.1, -1 / 3]}
    text = simulation_program(pendulum([*PARAMETERS]), PARAMETERS, [0.1, 2.0], held=held, run=ProgramRun(0.05, 6))
    return built(text, tmp_path_factory.mktemp("pendulum"))


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The oscillator, whose names need care."""
    return built(simulation_program(oscillator(), run=ProgramRun(0.05, 6)), tmp_path_factory.mktemp("oscillator"))


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
        assert lines[:4] == ["duration 0.05", "samples 6", "rtol 1e-09", "atol 1e-11"]
        assert lines[4:6] == ["q cart.position 0.1", "q arm.angle 2"]
        assert lines[-1] == "parameter arm.angle.damping 0.1"
        assert f"tau arm.angle {-1 / 3!r}" in lines
    else:
        assert lines[4:6] == ['q "left arm.x" 0', 'q """y"", #2??/" 0']
        assert lines[-2:] == ['"force 1" a 0', '"force 1" b 0']


def test_an_input_file_replaces_what_it_names(program: Path, driven: Path) -> None:
    text = "\r\n# start\r\nq arm.angle -1.5e-1 # said\r\n\tv  cart.position\t0x1p-2#\n  samples 4\nduration 0.06"
    _, rows = motion(program, text)
    np.testing.assert_array_equal(rows[0, 1:], [0.1, -0.15, 0.25, 0.0])
    np.testing.assert_array_equal(rows[:, 0], [0.0, 0.02, 0.04, 0.06])
    lighter, heavier = (motion(program, f"parameter arm.mass {mass}")[1][-1, 1:] for mass in (1.0, 2.0))
    assert np.abs(lighter - heavier).max() > 1e-4
    _, rows = motion(driven, '"q" "left arm.x" 0.5#\nv \u00e9 -2\nq """y"", #2??/" 3\n"force 1" "a" 1\n')
    np.testing.assert_array_equal(rows[0, 1:], [0.5, 3.0, 0.0, -2.0])


@pytest.mark.parametrize(
    ("duration", "samples", "rows"), [(0.3, 4, 4), (0.7, 2, 2), (1.1, 700, 700), (1e-13, 3, 3), (0.0, 3, 1)]
)
def test_rows_are_of_the_times_that_are_asked_for(program: Path, duration: float, samples: int, rows: int) -> None:
    _, found = motion(program, f"duration {duration}\nsamples {samples}\n")
    np.testing.assert_allclose(found[:, 0], np.linspace(0.0, duration, samples)[:rows], rtol=1e-15)
    assert found[-1, 0] == duration


def test_tolerances_are_kept(program: Path) -> None:
    """Errors shrink with the tolerance."""
    exact = motion(program, "duration 2\nrtol 1e-13\natol 1e-14")[1][-1]
    errors = [
        np.abs(motion(program, f"duration 2\nrtol {x}\natol {x}")[1][-1] - exact).max() for x in (1e-4, 1e-7, 1e-10)
    ]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
    assert errors[2] < 1e-9


WRONG = {
    "# a\n\nspeed 3\n": '3: unknown word "speed" in front; expected one of duration, samples, rtol, atol, q, v,',
    "arm.angle 0.3": '1: unknown word "arm.angle"',
    "q arm.angel 0.3": '1: no q is called "arm.angel"',
    "q arm.mass 0.3": '1: no q is called "arm.mass"',
    "rtol\n": '1: expected a number after "rtol"',
    "duration 1\nq": '2: expected a name and a number after "q"',
    "q arm.angle\n": "1: q arm.angle: expected a number, got none",
    "q arm.angle # 3\n": "1: q arm.angle: expected a number, got none",
    "q arm.angle 0,3": '1: q arm.angle: expected a number, got "0,3"',
    'q arm.angle ""': '1: q arm.angle: expected a number, got ""',
    "q arm.angle 1 2": '1: q arm.angle: a word too many, "2"',
    "rtol 1 2 3 4 5": '1: rtol: a word too many, "2"',
    "q arm.angle nan": '1: q arm.angle: expected a finite number, got "nan"',
    "parameter arm.mass 1e999": '1: parameter arm.mass: expected a finite number, got "1e999"',
    "q arm.angle 1\n\nq arm.angle 1": "3: q arm.angle: given twice, first in line 1",
    "rtol 0": '1: rtol: expected more than 0 and less than 1, got "0"',
    "rtol 2": '1: rtol: expected more than 0 and less than 1, got "2"',
    "atol 0": '1: atol: expected more than 0, got "0"',
    "duration -1": '1: duration: expected 0 or more, got "-1"',
    "samples 1": '1: samples: expected a whole number from 2 to 1e9, got "1"',
    "samples 2.5": '1: samples: expected a whole number from 2 to 1e9, got "2.5"',
    "samples 1e300": "1: samples: expected a whole number",
    'q "arm.angle 0.3': "1: a quotation mark without its pair",
    'q "arm.angle"" 0.3': "1: a quotation mark without its pair",
    'q "arm".angle 0.3': "1: a quotation mark without its pair",
    '"': "1: a quotation mark without its pair",
    "q arm.angle 1\n#" + 1025 * "x": "2: expected text of at most 1024 characters a line",
    "q arm.angle 1\x002": "1: expected text of at most 1024 characters a line",
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
    motion(program, "#" + 1023 * "x" + "\nsamples 3")


def test_a_file_that_cannot_be_read_and_a_wrong_call(program: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        done = called(program, path)
        assert done.returncode == 2
        assert done.stderr.startswith(f"{path}: cannot be read: ")
    (tmp_path / "in.txt").write_text("samples 7")
    for arguments in ([], ["--help"], ["a", "b", "c"], [tmp_path / "in.txt", tmp_path / "in.txt"]):
        done = called(program, *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: ")
    assert (tmp_path / "in.txt").read_text() == "samples 7"


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
@pytest.mark.parametrize("samples", [3, 1_000_000_000])
def test_a_full_disk(program: Path, tmp_path: Path, samples: int) -> None:
    """Noticed at the end of a short run, and soon in one that would go on for days."""
    (tmp_path / "in.txt").write_text(f"samples {samples}\nduration {0.001 * samples}")
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
    np.testing.assert_allclose(rows[450, 1:], [100.0, 2000.0], rtol=1e-6)
    found = re.fullmatch(r"time (\S+): (.*)\n", done.stderr)
    assert found is not None
    assert found[2].startswith("steps as short as ")
    assert float(found[1]) == pytest.approx(1.0, abs=1e-6)
    assert len(rows) in (500, 501)  # with time 1, or without it
