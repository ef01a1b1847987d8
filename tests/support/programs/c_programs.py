"""Simulation programs built and run, and equations of motion to make them of; for the tests of the printer."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.model.trace import Trace

EXAMPLES = Path(__file__).parents[3] / "examples"
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"]
PARAMETERS = {"arm.mass": 1.7, "arm.com.y": -0.5, "gravity.y": -9.81, "arm.angle.damping": 0.1}

Floats = NDArray[np.float64]


def built(text: str, directory: Path, *options: str) -> Path:
    """The program, compiled; without a compiler the tests are skipped, but not where they must run."""
    compiler = shutil.which("cc")
    if compiler is None:
        if os.environ.get("CI"):
            pytest.fail("no C compiler")
        pytest.skip("no C compiler")
    (directory / "program.c").write_text(text, encoding="ascii")
    command = [compiler, *STRICT, *options, str(directory / "program.c"), "-o", str(directory / "program"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return directory / "program"


def called(program: Path, *arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    options = {"stdout": subprocess.PIPE, **options}
    command = [program, *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, encoding="utf-8", check=False, timeout=60, **options)


def table(text: str) -> tuple[list[str], Floats]:
    """Header and rows."""
    header, *rows = csv.reader(text.splitlines())
    return header, np.array(rows, dtype=float)


def input_file(directory: Path, text: str) -> Path:
    path = directory / "input.txt"
    path.write_text(text, encoding="utf-8")
    return path


def motion(program: Path, text: str = "") -> tuple[list[str], Floats]:
    """Header and rows of a run that goes well."""
    done = called(program, input_file(program.parent, text))
    assert (done.returncode, done.stderr) == (0, "")
    return table(done.stdout)


def pendulum(names: list[str]) -> Function:
    """A pendulum on a cart with generalized forces and symbolic parameters."""
    t = Trace(supple.files.read(EXAMPLES / "cart_pendulum.toml").model, names)
    outputs = {"rate": t.rates(t.q, t.v), "a": t.forward_dynamics(t.q, t.v, t.tau)}
    return t.function("equations", {"q": t.q, "v": t.v, "tau": t.tau}, outputs)


def oscillator() -> Function:
    """A driven oscillator by hand, with names that need care everywhere."""
    g: Any = Graph()
    t, x, y = g.input("t"), g.input("left arm.x", "q"), g.input('"y", #2??/', "q")
    u, w = g.input("left arm.x", "v"), g.input("\u00e9", "v")
    force = [[g.input("a", "f"), g.input("b", "f")]]
    a = [force[0][0] * np.cos(3 * t) - 4 * x, force[0][1] - g.sign(w) * w * t]
    inputs: Any = {"force 1": force, "t": t, "v": [u, w], "q": [x, y]}
    return Function("run", g, inputs, {"a": np.array(a), "rate": np.array([u, w])})
