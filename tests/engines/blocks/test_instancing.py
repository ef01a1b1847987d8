"""Segments that are alike are recorded once; what differs in anything that decides the recording is not alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder, by_element, recording
from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.blocks.places import Indices
from supple.engines.kernels import step
from supple.engines.plain import plain

ROWS = 12
PARENT = np.array([0, 0, 1, 2, 3, 4, 2, 6, 7, 1, 9, 10])


@step
def carry(tree: Any, k: int, x: Any, y: Any) -> None:
    """y(k) from y of the parent."""
    for i in range(2):
        y[k, i] = tree.c[k, i] * x[k, i] + y[tree.parent[k], 1 - i]


@step
def swap(tree: Any, k: int, x: Any, y: Any) -> None:
    """Two ways to one row where a body is its own partner."""
    y[k, 0] = x[k, 0] * 2.0
    y[k, 1] = y[tree.partner[k], 0] + 1.0


@step
def flat_swap(tree: Any, k: int, x: Any, y: Any) -> None:
    """The same where the partner is a cell, not a row."""
    y[k, 1] = x[k, 0] * 2.0
    y[k, 0] = tree.flat[tree.partner[k]] + 1.0


@step
def longer(tree: Any, k: int, x: Any, y: Any) -> None:
    """As many terms as the body has."""
    for i in range(tree.first[k], tree.first[k + 1]):
        y[k, 0] += x[i, 0] * x[i, 1]


@step
def scaled(tree: Any, k: int, x: Any, y: Any) -> None:
    """With a number of the state as an argument."""
    y[k, 0] = x * tree.c[k, 0]


class Arrays:
    """What the steps read."""

    def __init__(self, recorder: BlockRecorder, c: Any, partner: Any, first: Any) -> None:
        self.parent, self.partner, self.first = Indices(PARENT), Indices(partner), Indices(first)
        self.c = ModelNumbers(recorder, c, 0, (0.0,))
        self.flat: Any = None


def made(
    own: Callable[..., None],
    instancing: bool,
    c: Any = None,
    partner: Any = None,
    first: Any = None,
) -> tuple[Program, int]:
    """The program of a step for all bodies, and how many segments were recorded."""
    r = BlockRecorder(instancing)
    c = np.full((ROWS, 2), 0.5) if c is None else c
    tree = Arrays(r, c, PARENT if partner is None else partner, np.arange(ROWS + 1) if first is None else first)
    x, y = Cells(r, (ROWS, 2), rows=True), Cells(r, (ROWS, 2), 0.0, rows=True)
    tree.flat = Cells(r, (2 * ROWS,), first=y.first)
    with recording(r):
        for k in range(1, ROWS):
            plain(own, (), by_element)(tree, k, x, y)
    return Program(r, {"x": x}, {"y": y}), r.recorded_segments


def compared(own: Callable[..., None], **options: Any) -> int:
    """Segments that were recorded, after a comparison with the program whose segments were all recorded."""
    (one, recorded), (other, every) = made(own, True, **options), made(own, False, **options)
    assert every == ROWS - 1
    assert [(x.block.name, x.rows) for x in one.instances] == [(x.block.name, x.rows) for x in other.instances]
    c = options.get("c", np.full((ROWS, 2), 0.5))
    values = np.random.default_rng(0).normal(size=(9, 2 * ROWS))
    found, wanted = (BoundProgram(program, c.ravel()).batch([values], 9)[0] for program in (one, other))
    np.testing.assert_array_equal(found, wanted)
    assert np.abs(found).max() > 0.1
    return recorded


def test_like_bodies_are_recorded_once() -> None:
    """The bodies on the ground, where y is known to be zero, and all others."""
    assert compared(carry) == 2


def test_a_zero_among_the_numbers_makes_a_body_another_one() -> None:
    c = np.full((ROWS, 2), 0.5)
    c[4, 1] = 0.0
    assert compared(carry, c=c) == 3
    c[7, 1] = 0.0
    assert compared(carry, c=c) == 3
    c[8, 0] = 0.0
    assert compared(carry, c=c) == 4


def test_what_is_known_of_the_parent_belongs_to_a_body() -> None:
    """Below a body whose y is zero, so are others."""
    c = np.full((ROWS, 2), 0.5)
    c[1] = 0.0
    assert compared(carry, c=c) == 3


def test_rows_that_meet_are_another_kind() -> None:
    for alone in ([3, 6], [1], [1, 2, 5]):
        partner = PARENT.copy()
        partner[alone] = alone
        assert compared(swap, partner=partner) == 3 - (1 in alone)


def test_cells_that_meet_by_a_row_and_alone_are_another_kind() -> None:
    for alone in ([3, 6], [1], [1, 2, 5]):
        partner = 2 * np.arange(ROWS) - 1
        partner[alone] = 2 * np.array(alone) + 1
        assert compared(flat_swap, partner=partner) == 3 - (1 in alone)


def test_loops_of_another_length_are_another_kind() -> None:
    first = np.array([0, 0, 1, 2, 4, 5, 6, 8, 9, 9, 10, 11, 12])
    assert compared(longer, first=first) == 3


def test_a_step_that_is_given_values_is_recorded_each_time() -> None:
    r = BlockRecorder()
    tree, x, y = Arrays(r, np.ones((ROWS, 2)), PARENT, PARENT), Cells(r, (1,)), Cells(r, (ROWS, 2), 0.0, rows=True)
    with recording(r):
        for k in range(ROWS):
            plain(scaled, (), by_element)(tree, k, x[0], y)
    assert r.recorded_segments == 0
    program = Program(r, {"x": x}, {"y": y})
    (found,) = BoundProgram(program, np.arange(2.0 * ROWS)).batch([np.array([[3.0]])], 1)
    np.testing.assert_array_equal(found[0].reshape(ROWS, 2)[:, 0], 6.0 * np.arange(ROWS))


@pytest.mark.parametrize("instancing", [True, False])
def test_what_no_output_needs_is_left_out_of_every_instance(instancing: bool) -> None:
    """Only the chain that leads to the last body is alive."""
    r = BlockRecorder(instancing)
    tree = Arrays(r, np.full((ROWS, 2), 0.5), PARENT, PARENT)
    x, y, out = Cells(r, (ROWS, 2), rows=True), Cells(r, (ROWS, 2), 0.0, rows=True), Cells(r, (1,), 0.0)
    with recording(r):
        for k in range(1, ROWS):
            plain(carry, (), by_element)(tree, k, x, y)
        out[0] = y[5, 0]
    program = Program(r, {"x": x}, {"out": out})
    assert len(program.instances) == 5 + 1
    assert program.weight == 3 + 4 * 5 + 1
