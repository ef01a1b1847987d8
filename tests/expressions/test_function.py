"""A function of a graph: counting, precomputing, substituting, evaluating."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from supple.errors import StateError
from supple.expressions.function import Function, Operations
from supple.expressions.graph import Graph
from supple.expressions.operations import FUNCTIONS


@pytest.fixture
def graph() -> Any:
    """Any, because numpy's stubs do not know that its functions take nodes."""
    return Graph()


def made(graph: Graph, inputs: Any, outputs: Any, parameters: Any = ()) -> Function:
    """A function f of nested lists of nodes."""
    return Function("f", graph, inputs, outputs, parameters)


def test_counts_leave_signs_out_and_shared_nodes_once(graph: Any) -> None:
    x, y = graph.input("x"), graph.input("y")
    shared = x * y
    f = made(graph, {"s": [x, y]}, {"r": [shared + x, shared - y, -shared, np.sin(x) / y]})
    assert f.operations == Operations(additions=2, multiplications=1, divisions=1, functions=1)
    assert f.operations.total == 5
    assert f.precomputed == Operations()


def test_nodes_that_no_output_needs_are_not_counted(graph: Any) -> None:
    x = graph.input("x")
    np.exp(x * x)
    f = made(graph, {"s": [x]}, {"r": [x + 1]})
    assert f.operations.total == 1
    assert [node.op for node in f.order] == ["constant", "input", "add"]


def test_what_depends_on_parameters_alone_is_counted_apart(graph: Any) -> None:
    x, m, k = graph.input("x"), graph.parameter("m"), graph.parameter("k")
    rate = np.sqrt(k / m)
    f = made(graph, {"s": [x]}, {"r": [rate * x, 2 * m]}, [m, k])
    assert f.precomputed == Operations(multiplications=1, divisions=1, functions=1)
    assert f.operations == Operations(multiplications=1)
    assert rate.id in f.constant_ids
    assert x.id not in f.constant_ids


def test_an_input_that_is_not_given_is_refused(graph: Any) -> None:
    x, y, m = graph.input("x"), graph.input("y"), graph.parameter("m")
    with pytest.raises(ValueError, match="function 'f': not among the inputs: y, m"):
        made(graph, {"s": [x]}, {"r": [x * y * m]})


def test_evaluation_has_the_shapes_of_the_outputs(graph: Any) -> None:
    x, y = graph.input("x"), graph.input("y")
    f = made(graph, {"s": [x], "t": y}, {"scalar": x - y, "matrix": [[x, y], [2.5, x * y]], "none": []})
    out = f.evaluate(s=[3.0], t=2.0)
    assert out["scalar"] == 1.0
    assert out["scalar"].shape == ()
    np.testing.assert_array_equal(out["matrix"], [[3.0, 2.0], [2.5, 6.0]])
    assert out["none"].shape == (0,)


def test_evaluation_refuses_inputs_of_another_length(graph: Any) -> None:
    f = made(graph, {"s": [graph.input("x")]}, {"r": [1.0]})
    with pytest.raises(ValueError):
        f.evaluate(s=[1.0, 2.0])


def test_parameters_go_by_name_apart_or_as_an_input(graph: Any) -> None:
    x, m, k = graph.input("x"), graph.parameter("m"), graph.parameter("k")
    numbers = {"k": 8.0, "m": 2.0}
    for inputs, apart in [({"s": [x]}, [m, k]), ({"s": [x], "parameters": [m, k]}, [])]:
        f = made(graph, inputs, {"r": x * k / m}, apart)
        assert f.evaluate(numbers, s=[3.0])["r"] == 12.0
        with pytest.raises(StateError, match="f: expected numbers for 'm', got none"):
            f.evaluate({"k": 8.0}, s=[3.0])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_its_value(name: str, graph: Any) -> None:
    numbers = (0.6, 0.3)[: 2 if name in ("atan2", "pow", "min", "max") else 1]
    leaves = [graph.input(f"x{i}") for i in range(len(numbers))]
    ufunc = {"atan2": "arctan2", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "pow": "power"}.get(name, name)
    expected = getattr(np, {"min": "minimum", "max": "maximum"}.get(name, ufunc))(*numbers)
    f = made(graph, {"s": leaves}, {"r": graph.function(name, *leaves)})
    assert f.evaluate(s=numbers)["r"] == pytest.approx(expected, rel=1e-15)


def test_outside_the_domain_the_value_is_what_ieee_says(graph: Any) -> None:
    x = graph.input("x")
    cases = {
        "nan": [np.arcsin(x), np.arccos(x), np.sqrt(-x), np.log(-x), (-x) ** 0.3],
        "inf": [x / 0, np.exp(1000 * x), np.sinh(1000 * x), x**1e9],
    }
    f = made(graph, {"s": [x]}, cases)
    out = f.evaluate(s=[2.0])
    assert np.isnan(out["nan"]).all()
    assert np.isposinf(out["inf"]).all()


def test_substituting_numbers_simplifies_anew(graph: Any) -> None:
    x, y, p = graph.input("x"), graph.input("y"), graph.parameter("p")
    f = made(graph, {"s": [x, y]}, {"r": [x * y + np.cos(y), x**p]}, [p])
    at_zero = f.substitute({y: 0.0, p: 2.0})
    assert at_zero.outputs["r"][0] is graph.one
    assert at_zero.outputs["r"][1] is x * x
    assert list(at_zero.inputs["s"]) == [x]
    assert at_zero.parameters == ()
    assert at_zero.evaluate(s=[3.0])["r"][1] == 9.0


def test_substituting_nodes(graph: Any) -> None:
    x, y = graph.input("x"), graph.input("y")
    f = made(graph, {"s": [x, y]}, {"r": np.sin(x) * y - 1 / np.arctan2(x, y)})
    swapped = f.substitute({x: 2 * y})
    assert swapped.outputs["r"][()] is np.sin(2 * y) * y - 1 / np.arctan2(2 * y, y)
    assert swapped.evaluate(s=[0.7])["r"] == pytest.approx(math.sin(1.4) * 0.7 - 1 / math.atan2(1.4, 0.7))
    inner = f.substitute({np.sin(x): y})
    assert inner.outputs["r"][()] is y * y - 1 / np.arctan2(x, y)


def test_an_input_stands_once(graph: Any) -> None:
    """Two inputs with one name are one leaf: the second number would win without a word."""
    x = graph.input("x")
    with pytest.raises(ValueError, match="function 'f': the input 'x' stands twice"):
        made(graph, {"s": [x, graph.input("x")]}, {"r": x})
    with pytest.raises(ValueError, match="the input 'm' stands twice"):
        made(graph, {"s": [x]}, {"r": x}, [graph.parameter("m"), graph.parameter("m")])
