"""Printed texts: readable, the same every time, and letter by letter those in tests/golden."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.printers import c_source, latex, listing, python_source
from supple.model.traced_functions import traced
from support.files.robots import robot_directory
from support.generated.generators import KINDS, random_tree

GOLDEN = Path(__file__).parents[1] / "golden"


def made(g: Graph, inputs: Any, outputs: Any, parameters: Any = ()) -> Function:
    """A function f of nested lists of nodes."""
    return Function("f", g, inputs, outputs, parameters)


def test_listing_has_few_parentheses_and_readable_signs() -> None:
    g: Any = Graph()
    x, y, z = (g.input(name) for name in "xyz")
    cases = {
        "s2 - 3 + s1": (x - 3) + y,
        "s1 - s2 - s3": x - (y + z),
        "s1 - s2 + s3": x - (y - z),
        "-s1 - s2": -(x + y),
        "-s1*s2": -(x * y),
        "s1*(s2 + s3)": x * (y + z),
        "s1*s2*s3": x * (y * z),
        "s1/(s2*s3)": x / (y * z),
        "s1*s3/s2": x / (y / z),
        "s1/(s2 + s3)": x / (y + z),
        "1/s1": 1 / x,
        "6*s1*s2*s3": (2 * x) * (y * (3 * z)),
        "s1^2*s2": x * (x * y),
        "0.333333333333*s1": x / 3,
        "sqrt(s1)/cos(s2 - s3)": np.sqrt(x) / np.cos(y - z),
        "-exp(-s1)": -np.exp(-x),
        "(s1 + s2)^s3": (x + y) ** z,
        "(s1^s2)^s3": (x**y) ** z,
        "s1^(s2*s3)": x ** (y * z),
    }
    for text, node in cases.items():
        printed = listing(made(g, {"s": [x, y, z]}, {"r": node}))
        assert printed.splitlines()[-1].removeprefix("r = ").split() == text.split(), printed


def test_latex_symbols() -> None:
    g: Any = Graph()
    x, y, m = g.input("arm.angle", "q"), g.input("arm.angle", "tau"), g.parameter("left_leg.mass")
    matrix = [[np.sqrt(x), y / (m * x)], [abs(x) ** y, 1.5e-7 * g.asin(y)]]
    f = made(g, {"q": [x], "tau": [y]}, {"M": matrix}, [m])
    rows = latex(f).split(r"\begin{align*}")[1].splitlines()[1:-1]
    assert rows == [
        r"  M_{1,1} &= \sqrt{q_{1}} \\",
        r"  M_{1,2} &= \frac{\tau_{1}}{q_{1} \, \text{left\_leg.mass}} \\",
        r"  M_{2,1} &= \left|q_{1}\right|^{\tau_{1}} \\",
        r"  M_{2,2} &= 1.5 \cdot 10^{-7} \, \arcsin\left(\tau_{1}\right)",
    ]


def test_every_variable_is_used_and_long_sums_are_cut() -> None:
    panda = supple.load(next(robot_directory().rglob("panda.urdf")), limits=False, mimic=False)
    f = traced(panda, "forward_dynamics")
    text = listing(f)
    names = re.findall(r"^(Z\d+) =", text, re.MULTILINE)
    assert names == [f"Z{i}" for i in range(1, len(names) + 1)]
    assert all(len(re.findall(rf"\b{name}\b", text)) > 1 for name in names)
    assert max(map(len, text.splitlines())) < 300


@pytest.mark.parametrize("printer", [listing, c_source, latex, python_source])
def test_printing_a_second_trace_gives_the_same_text(printer: Any) -> None:
    first, second = (printer(traced(random_tree(9, KINDS), "bias_forces")) for _ in range(2))
    assert len(first) > 10_000
    assert first == second


NAMES = sorted(path.name for path in GOLDEN.iterdir() if path.suffix in (".c", ".tex", ".txt"))


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    texts: dict[str, str] = runpy.run_path(str(GOLDEN / "regenerate.py"))["texts"]()
    return texts


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, generated: dict[str, str]) -> None:
    """If the change is meant, run tests/golden/regenerate.py and look at the difference."""
    assert generated[name] == (GOLDEN / name).read_text(encoding="ascii")


def test_every_text_has_its_file(generated: dict[str, str]) -> None:
    assert sorted(generated) == NAMES
