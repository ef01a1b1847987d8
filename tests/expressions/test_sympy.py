"""Functions as SymPy has them give the same numbers."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.operations import FUNCTIONS
from supple.expressions.printers import to_sympy
from supple.model.traced_functions import traced

EXAMPLES = Path(__file__).parents[2] / "examples"
PARAMETERS = {"arm.mass": 1.7, "arm.com.y": -0.5, "gravity.y": -1.62}


def made(g: Graph, inputs: Any, outputs: Any, parameters: Any = ()) -> Function:
    """A function f of nested lists of nodes."""
    return Function("f", g, inputs, outputs, parameters)


def close(found: Any, expected: Any, tolerance: float) -> None:
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(
    ("name", "what", "general"),
    [
        ("pendulum", "energy", False),
        ("cart_pendulum", "forward_dynamics", True),
        ("cart_pendulum", "poses", False),
    ],
)
def test_sympy_gives_the_numbers(name: str, what: str, general: bool) -> None:
    f = traced(supple.files.read(EXAMPLES / f"{name}.toml").model, what, [*PARAMETERS] if general else [])
    rng = np.random.default_rng(1)
    given: dict[str, Any] = {key: rng.uniform(0.1, 1.0, x.shape) for key, x in f.inputs.items() if key != "parameters"}
    values: dict[str, float] = {}
    for key, x in given.items():
        values |= {f"{leaf.kind}_{leaf.name}".lstrip("_"): float(n) for leaf, n in zip(f.inputs[key], x, strict=True)}
    values |= PARAMETERS if general else {}
    for key, expected in f.evaluate(PARAMETERS, **given).items():
        matrix = to_sympy(f)[key]
        found = np.array(matrix.subs({symbol: values[symbol.name] for symbol in matrix.free_symbols}).tolist(), float)
        close(found.reshape(expected.shape), expected, 1e-13)


def test_sympy_knows_every_function() -> None:
    g: Any = Graph()
    x, y = g.input("x"), g.input("y")
    calls = [getattr(g, n)(x, y) if FUNCTIONS[n].arity == 2 else getattr(g, n)(x) for n in FUNCTIONS]
    f = made(g, {"s": [x, y]}, {"r": [*calls, x / y, -x, x - y, 2.5 * x, 3 * y]})
    matrix = to_sympy(f)["r"]
    found = [float(e.subs({s: {"x": 0.6, "y": 0.35}[s.name] for s in e.free_symbols})) for e in matrix]
    close(found, f.evaluate(s=[0.6, 0.35])["r"], 1e-14)
    assert str(matrix[-1]) == "3*y"


def test_sympy_refuses_one_symbol_for_two() -> None:
    g: Any = Graph()
    f = made(g, {"s": [g.input("m")]}, {"r": [g.input("m") * g.parameter("m")]}, [g.parameter("m")])
    with pytest.raises(ValueError, match="more than one leaf for the symbol m"):
        to_sympy(f)


def test_without_sympy_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refusing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "sympy":
            raise ModuleNotFoundError("No module named 'sympy'")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refusing)
    with pytest.raises(ImportError, match=r"supple\[symbolic\]"):
        to_sympy(traced(supple.files.read(EXAMPLES / "pendulum.toml").model, "mass_matrix"))
