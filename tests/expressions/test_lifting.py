"""Functions apart from their numbers."""

from __future__ import annotations

import numpy as np

from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.lifting import LiftedFunction


def law(gain: float, target: float, bias: float) -> LiftedFunction:
    g = Graph()
    q, v = g.input("q"), g.input("v")
    force = gain * (target - q) - 2.0 * gain * v + bias
    return LiftedFunction(Function("law", g, {"y": np.array([q, v])}, {"f": np.array([force]), "c": np.array([bias])}))


def test_structure_and_numbers() -> None:
    one, other = law(30.0, 0.5, 4.0), law(7.0, 0.2, 9.0)
    assert one.digest == other.digest
    assert one.numbers.shape == other.numbers.shape
    assert {30.0, 4.0} <= set(one.numbers)
    assert {7.0, 9.0} <= set(other.numbers)


def test_zero_and_one_belong_to_the_structure() -> None:
    assert law(30.0, 0.5, 4.0).digest != law(30.0, 0.5, 0.0).digest
    assert law(30.0, 0.5, 4.0).digest != law(1.0, 0.5, 4.0).digest


def test_equal_numbers_are_apart() -> None:
    """A gain that happens to equal a bias may change alone."""
    assert law(30.0, 0.5, 30.0).digest == law(30.0, 0.5, 4.0).digest


def test_moved_into_another_graph() -> None:
    lifted = law(30.0, 0.5, 4.0)
    g = Graph()
    q, v = g.input("position"), g.input("speed")
    numbers = g.new_inputs("n", map(str, range(len(lifted.numbers))))
    leaves = dict(zip(lifted.function.inputs["y"], (q, v), strict=True))
    out = lifted.moved(g, leaves, lambda i: numbers[i])
    f = Function("moved", g, {"y": np.array([q, v]), "n": numbers}, out)
    found = f.evaluate(y=[0.3, -0.2], n=lifted.numbers)
    expected = lifted.function.evaluate(y=[0.3, -0.2])
    np.testing.assert_allclose(found["f"], expected["f"], rtol=1e-15)
    np.testing.assert_array_equal(found["c"], [4.0])
