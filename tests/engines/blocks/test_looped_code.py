"""Steps in loops: the numbers of the step itself, in all lanes, by code that knows no length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import in_loops, recording
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.engines.blocks.graph_recorder import GraphRecorder
from supple.engines.blocks.looped_code import in_lanes, looped_text, written_arguments
from supple.engines.blocks.tangent_blocks import LinearBlock
from supple.engines.kernels import step
from supple.engines.plain import plain
from supple.recursions.tree import Array

LARGEST = 2.0


@step
def running_products(A: Array, x: Array, y: Array) -> None:
    """y[i] = x[i] times the sum of row i, halved where that is large, plus what stands before it."""
    before = 0.5
    for i in range(len(y)):
        total = 0.0
        for j in range(A.shape[1]):
            total = total + A[i, j]
        total = total * x[i]
        y[i] = before - (total / 2 if total > LARGEST else -total)
        before = y[i]


@step
def branching(x: Array, y: Array) -> None:
    """Takes another course for other numbers."""
    if x[0] > 0.0:
        y[0] = 1.0


def program(rows: int, columns: int) -> Program:
    """Of a sine, a step in loops, a product, and the step once more on its own results."""
    g = GraphRecorder()
    x = g.new_inputs("x", map(str, range(rows)))
    A = np.array([[np.sin(x[i]) if j != i else 0.0 for j in range(columns)] for i in range(rows)], dtype=object)
    y, z, unused = (np.zeros(rows, dtype=object) for _ in range(3))
    with recording(g):
        in_loops(running_products)(A, x, y)
        in_loops(running_products)(A, y, unused)
        in_loops(running_products)(A, y, z)
    return g.program({"x": x}, {"y": y * 2.0, "z": z})


def expected(x: Any, columns: int) -> tuple[Any, Any]:
    """The same with numbers."""
    rows = len(x)
    A = np.array([[np.sin(x[i]) if j != i else 0.0 for j in range(columns)] for i in range(rows)])
    y, z = np.zeros(rows), np.zeros(rows)
    plain(running_products)(A, x, y)
    plain(running_products)(A, y, z)
    return 2 * y, z


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 5), (7, 2)])
def test_one_state_and_many_are_those_of_the_step(rows: int, columns: int) -> None:
    made = program(rows, columns)
    f = CompiledFunction("f", BoundProgram(made, np.zeros(0)), {"y": (rows,), "z": (rows,)})
    x = np.random.default_rng(rows).normal(size=(29, rows)) * 2
    wanted = [expected(row, columns) for row in x]
    assert max(np.abs(y).max() for y, _ in wanted) > LARGEST or rows == 1  # both branches
    for n in (0, 1):
        np.testing.assert_allclose(f(x)[n], [w[n] for w in wanted], rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(f(x[0])[n], wanted[0][n], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_any_number_of_lanes(lanes: int) -> None:
    made = program(4, 3)
    x = np.random.default_rng(0).normal(size=(11, 4))
    outs = [np.empty((11, 4)) for _ in range(2)]
    made.loaded(lanes).run(0, 11, [x, *outs], np.zeros(0))
    for row, *found in zip(x, *outs, strict=True):
        np.testing.assert_allclose(found, expected(row, 3), rtol=1e-13, atol=1e-13)


def test_the_code_is_the_same_for_any_length_and_needless_loops_are_left_out() -> None:
    loops = [[x.block for x in program(*size).instances if x.block.loops] for size in ((2, 3), (9, 4))]
    assert [len(x) for x in loops] == [2, 2]
    assert len({block.name for x in loops for block in x}) == 1
    assert program(2, 3).has_loops


def test_a_program_with_loops_is_the_same_after_reading_it() -> None:
    made = program(3, 2)
    x = np.random.default_rng(1).normal(size=(5, 3))
    found = [BoundProgram(p, np.zeros(0)).batch([x], 5) for p in (made, Program.read(made.written()))]
    np.testing.assert_array_equal(found[0], found[1])


def test_steps_that_branch_on_numbers_are_refused_and_loops_have_no_tangent() -> None:
    with pytest.raises(TypeError, match=r"branching: x\[0\] > 0\.0: lanes take one course"):
        looped_text(branching, (1, 1))
    block = next(x.block for x in program(2, 2).instances if x.block.loops)
    with pytest.raises(ValueError, match="no tangent"):
        LinearBlock(block)


def test_words_for_lanes_leave_nothing_behind() -> None:
    assert written_arguments(running_products) == (False, False, True)
    text = in_lanes(looped_text(running_products, (2, 1, 1)), "block", 2)
    assert "<2 x double> <double 0x3FE0000000000000, double 0x3FE0000000000000>" in text
    assert not any(word in text for word in ("VALUE", "CHOICE", "BYTES", "CONSTANT", "NAME"))
