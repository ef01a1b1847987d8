"""The digest of a function: the same for the same numbers, another for any difference."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from supple.expressions.function import Function
from supple.expressions.graph import Graph


def made(
    constant: float = 0.1,
    name: str = "f",
    leaf: str = "x",
    swapped: bool = False,
    shape: tuple[int, ...] = (2,),
    operation: str = "add",
    apart: bool = False,
    negative: bool = False,
    exchanged: bool = False,
) -> Function:
    """A small function that every argument changes a little."""
    g: Any = Graph()
    x, y, p = g.input(leaf), g.input("y"), g.parameter("p")
    first = getattr(g, operation)(x, y)
    if negative:
        first = x - y if operation == "sub" else -first
    outputs = [first, np.sin(x) * constant + p]
    leaves = [y, x] if swapped else [x, y]
    inputs = {"a": leaves[:1], "b": leaves[1:]} if apart else {"a": leaves}
    array = np.array(outputs[::-1] if exchanged else outputs).reshape(shape)
    return Function(name, g, {k: np.array(v) for k, v in inputs.items()}, {"r": array}, [p])


def test_it_is_that_of_the_graph_and_names_do_not_matter() -> None:
    assert made().digest == made().digest
    assert made().digest == made(name="g", leaf="z").digest
    assert len(made().digest) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"constant": math.nextafter(0.1, 1.0)},
        {"swapped": True},
        {"shape": (2, 1)},
        {"operation": "sub"},
        {"operation": "mul"},
        {"apart": True},
        {"negative": True},
        {"exchanged": True},
    ],
    ids=str,
)
def test_every_difference_shows(change: dict[str, Any]) -> None:
    assert made(**change).digest != made().digest


def test_nodes_that_are_not_needed_do_not_show() -> None:
    g: Any = Graph()
    x = g.input("x")
    plain = Function("f", g, {"s": np.array([x])}, {"r": np.array([2 * x])}).digest
    h: Any = Graph()
    y = h.input("y")
    np.cos(y) + 5
    assert Function("f", h, {"s": np.array([y])}, {"r": np.array([2 * y])}).digest == plain


def test_an_entry_more_among_the_inputs_shows() -> None:
    g = Graph()
    x, y = g.input("x"), g.input("y")
    one = Function("f", g, {"s": np.array([x])}, {"r": np.array([2 * x])})
    two = Function("f", g, {"s": np.array([x, y])}, {"r": np.array([2 * x])})
    assert one.digest != two.digest


def test_it_is_the_same_in_another_process() -> None:
    code = """
import numpy as np
from supple.expressions.function import Function
from supple.expressions.graph import Graph
g = Graph()
x, y = g.input("x"), g.input("y")
print(Function("f", g, {"s": np.array([x, y])}, {"r": np.sin(x) * 0.3 - y / x}).digest)
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert len(found.pop().strip()) == 64
