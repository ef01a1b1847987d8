"""Equations as blocks: any graph, cut wherever it is, gives the numbers of the graph."""

from __future__ import annotations

import numpy as np
import pytest

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.block_recorder import NUMBERS
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.engines.blocks.graph_recorder import GraphRecorder
from supple.engines.blocks.lifted_program import lifted_program
from supple.expressions.function import Function
from supple.expressions.graph import Graph, GraphTooLarge
from supple.expressions.lifting import LiftedFunction
from support.generated.random_graphs import random_function


def polynomial(numbers: tuple[float, ...]) -> Function:
    """A long sum in which values of the beginning come up again at the end."""
    g = Graph()
    x = g.new_inputs("x", ["a", "b"])
    total, first = g.zero, np.sin(x[0]) * numbers[0]
    for i in range(40):
        total = total + numbers[i % len(numbers)] * np.cos(x[1] + i) * first
    return Function("f", g, {"x": x}, {"y": np.array([total + first, x[0], 3.0], dtype=object)})


@pytest.mark.parametrize("large", [5, 20, 600, 4000])
def test_blocks_of_any_length_give_the_same(large: int) -> None:
    function = polynomial((1.5, 2.5, -0.3))
    lifted = LiftedFunction(function)
    recorder = GraphRecorder(largest=large)
    x = recorder.new_inputs("x", ["a", "b"])
    leaves = dict(zip(function.inputs["x"], x, strict=True))
    outputs = lifted.moved(recorder, leaves, lambda i: recorder.load(NUMBERS, i, 0))
    program = recorder.program({"x": x}, outputs)
    assert (len(program.instances) > 5) == (large < 100)
    assert all(len(x.rows) == 2 for x in program.instances) == (large == 4000)  # all memory, and all numbers
    f = CompiledFunction("f", BoundProgram(program, lifted.numbers), {"y": (3,)})
    points = np.random.default_rng(0).normal(size=(23, 2))
    expected = np.array([function.evaluate(x=point)["y"] for point in points])
    np.testing.assert_allclose(f(points), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(f(points[0]), expected[0], rtol=1e-13, atol=1e-13)


def test_other_constants_are_the_same_program() -> None:
    first, numbers = lifted_program(polynomial((1.5, 2.5, -0.3)))
    second, others = lifted_program(polynomial((0.7, 0.2, -4.0)))
    assert first is second
    assert not np.array_equal(numbers, others)
    third, _ = lifted_program(polynomial((1.0, 2.5, -0.3)))  # a one belongs to the structure
    assert third is not first


@pytest.mark.parametrize("seed", range(5))
def test_any_function(seed: int) -> None:
    function = random_function(seed)
    program, numbers = lifted_program(function)
    shapes = {name: x.shape for name, x in function.outputs.items()}
    f = CompiledFunction("f", BoundProgram(program, numbers), shapes)
    rng = np.random.default_rng(seed)
    values = {name: rng.uniform(0.3, 1.2, x.size) for name, x in function.inputs.items()}
    found = f(*values.values())
    expected = function.evaluate(None, **values)
    for x, name in zip(found if len(shapes) > 1 else (found,), shapes, strict=True):
        np.testing.assert_allclose(x, expected[name], rtol=1e-10, atol=1e-12)


def test_a_limit_of_nodes() -> None:
    def grown(count: int) -> None:
        g = GraphRecorder(limit=50)
        x = g.new_input("x")
        for _ in range(count):
            x = np.sin(x) + 1.0

    grown(10)
    with pytest.raises(GraphTooLarge):
        grown(100)


def test_some_outputs_need_some_blocks() -> None:
    """Each output by itself is what it is among the others, and blocks that are for others alone are left out."""
    recorder = GraphRecorder()
    x = recorder.new_inputs("x", ["a", "b"])
    shared = np.sin(x[0]) * x[1]
    recorder.end()
    first = np.array([shared + x[0], x[1]], dtype=object)
    recorder.end()
    second = np.array([np.cos(shared) * shared], dtype=object)
    recorder.end()
    whole = recorder.program({"x": x}, {"first": first, "second": second})
    points = np.random.default_rng(0).normal(size=(9, 2))
    none = np.zeros(1)
    expected = CompiledFunction("whole", BoundProgram(whole, none), {"first": (2,), "second": (1,)})(points)
    for name, values in zip(("first", "second"), expected, strict=True):
        part = whole.giving([name])
        assert part.weight < whole.weight
        f = CompiledFunction(name, BoundProgram(part, none), {name: values.shape[1:]})
        np.testing.assert_array_equal(f(points), values)
    assert len(whole.giving(["second"]).instances) < len(whole.instances)
