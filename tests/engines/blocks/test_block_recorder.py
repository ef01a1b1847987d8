"""Recording: what a block loads, stores and hands on."""

from __future__ import annotations

import numpy as np
import pytest

from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import Cells, ModelNumbers

NONE = np.zeros(0)


def run(
    recorder: BlockRecorder, inputs: dict[str, Cells], outputs: dict[str, Cells], *values: list[float]
) -> list[float]:
    """The first output of one state."""
    program = Program(recorder, inputs, outputs)
    (found, *_) = BoundProgram(program, NONE).batch([np.array([x]) for x in values], 1)
    return [float(x) for x in found[0]]


def test_what_was_written_is_read_in_the_same_block_and_in_the_next() -> None:
    r = BlockRecorder()
    x, y = Cells(r, (2,)), Cells(r, (3,), 0.0)
    y[0] = x[0] + x[1]
    y[1] = 2 * y[0]
    r.end()
    y[2] = y[1] * y[0]
    assert run(r, {"x": x}, {"y": y}, [2.0, 3.0]) == [5.0, 10.0, 50.0]


def test_a_value_outlives_its_block() -> None:
    """Sums over bodies are kept by the recursion, not by an array."""
    r = BlockRecorder()
    x, y = Cells(r, (3,)), Cells(r, (1,), 0.0)
    total = x[0] * x[0]
    for i in (1, 2):
        r.end()
        total = total + x[i] * x[i]
    y[0] = total
    assert run(r, {"x": x}, {"y": y}, [2.0, 3.0, 4.0]) == [29.0]


def test_a_value_that_was_read_stays_when_its_cell_is_overwritten() -> None:
    r = BlockRecorder()
    x, y = Cells(r, (1,)), Cells(r, (2,), 0.0)
    before = x[0]
    y[0] = before + 1
    r.end()
    x[0] = 7.0
    r.end()
    y[1] = before
    assert run(r, {"x": x}, {"y": y}, [2.0]) == [3.0, 2.0]


def test_known_numbers_need_no_memory() -> None:
    """Zeros and ones go from block to block as such: what is multiplied by them costs nothing."""
    r = BlockRecorder()
    x, w, y = Cells(r, (1,)), Cells(r, (3,), 0.0), Cells(r, (3,), 5.0)
    w[1] = 1.0
    r.end()
    for i in range(3):
        y[i] = w[i] * np.sin(x[0])
    program = Program(r, {"x": x}, {"y": y})
    assert [x.block.operations for x in program.instances] == [(("load", 0, 0), ("sin", 0))]


def test_a_cell_that_was_never_written_has_its_initial_number() -> None:
    r = BlockRecorder()
    x, w, y = Cells(r, (1,)), Cells(r, (2, 2), np.eye(2)), Cells(r, (4,), 0.0)
    for i in range(4):
        y[i] = w[divmod(i, 2)] + x[0]
    assert run(r, {"x": x}, {"y": y}, [1.0]) == [2.0, 1.0, 1.0, 2.0]


def test_whole_rows_and_arrays_are_set_at_once() -> None:
    r = BlockRecorder()
    x, y = Cells(r, (2, 3)), Cells(r, (2, 3), 0.0)
    y[:] = x[1, 2]
    y[1] = 4.0
    y[1, 0] = x[0][1]
    assert run(r, {"x": x}, {"y": y}, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) == [6.0, 6.0, 6.0, 2.0, 4.0, 4.0]


def test_numbers_of_the_model_are_loaded_but_those_of_the_structure() -> None:
    r = BlockRecorder()
    x, y = Cells(r, (1,)), Cells(r, (3,), 0.0)
    c = ModelNumbers(r, np.array([0.0, 1.0, 2.5]), 0, (0.0, 1.0))
    for i in range(3):
        y[i] = c[i] * x[0]
    program = Program(r, {"x": x}, {"y": y})
    for last in (2.5, 4.0):
        (found,) = BoundProgram(program, np.array([0.0, 1.0, last])).batch([np.array([[3.0]])], 1)
        assert found.tolist() == [[0.0, 3.0, 3.0 * last]]


def test_blocks_of_one_structure_are_one() -> None:
    r = BlockRecorder()
    x, y = Cells(r, (8, 3), rows=True), Cells(r, (8,), 0.0)
    for i in range(8):
        y[i] = x[i, 0] * x[i, 2] - np.cos(x[i, 1])
        r.end()
    program = Program(r, {"x": x}, {"y": y})
    assert len(program.instances) == 8
    assert len({instance.block.name for instance in program.instances}) == 1


def test_what_nobody_reads_is_left_out() -> None:
    r = BlockRecorder()
    x, w, y = Cells(r, (1,)), Cells(r, (1,), 0.0), Cells(r, (1,), 0.0)
    w[0] = np.sin(x[0])
    r.end()
    y[0] = 2 * x[0]
    r.end()
    w[0] = np.exp(y[0])
    program = Program(r, {"x": x}, {"y": y})
    assert [[op[0] for op in i.block.operations] for i in program.instances] == [["load", "mul"]]


def test_a_long_row_of_stores_becomes_several_blocks() -> None:
    r = BlockRecorder()
    x, y = Cells(r, (2000,)), Cells(r, (2000,), 0.0)
    for i in range(2000):
        y[i] = x[i] * x[(i + 1) % 2000]
    values = np.linspace(1.0, 2.0, 2000)
    program = Program(r, {"x": x}, {"y": y})
    assert len(program.instances) > 2
    (found,) = BoundProgram(program, NONE).batch([values[None]], 1)
    np.testing.assert_array_equal(found[0], values * np.roll(values, -1))


def test_an_expression_still_has_no_truth() -> None:
    r = BlockRecorder()
    x = Cells(r, (1,))
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x[0] + 1)
