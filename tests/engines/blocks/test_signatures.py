"""Segments of other recordings: what must be the same for one to be alike, and what need not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder, by_element, recording
from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.blocks.instancing import Prototypes
from supple.engines.blocks.places import Indices
from supple.engines.kernels import step
from supple.engines.plain import plain


class Arrays(NamedTuple):
    """What the steps read."""

    parent: Any
    c: Any


@step
def carry(tree: Any, k: int, x: Any, y: Any) -> None:
    """y(k) from y of the parent."""
    for i in range(2):
        y[k, i] = tree.c[k, i] * x[k, i] + y[tree.parent[k], 1 - i]


@step
def first_parent(tree: Any, k: int, x: Any, y: Any) -> None:
    """With an integer that is that of no body."""
    y[k, 0] = tree.c[k, 0] * x[tree.parent[1], 1]


@step
def counted_bodies(tree: Any, k: int, x: Any, y: Any) -> None:
    """With the number of integers."""
    y[k, 0] = len(tree.parent) * x[k, 1]


@step
def all_rows(tree: Any, k: int, x: Any, y: Any) -> None:
    """With the number of rows."""
    for i in range(len(x)):
        y[k, 0] += tree.c[k, 0] * x[i, 1]


@step
def product(tree: Any, k: int, x: Any, y: Any) -> None:
    """Of two arrays that may be one."""
    y[k, 0] = x[k, 0] * 2.0
    y[k, 1] = x[k, 0] * 3.0


class Case(NamedTuple):
    """A recording.

    Attributes
    ----------
    before : int
        Cells that are taken before any other.
    same : bool
        Whether x and y are one array.
    """

    parent: tuple[int, ...] = (0, 0, 1, 2)
    width: int = 2
    before: int = 0
    same: bool = False
    c: float = 0.5


def made(own: Any, case: Case, shared: Prototypes | None) -> tuple[Program, int]:
    """The program of a step for the last body, and how many segments were recorded."""
    r = BlockRecorder(shared is not None, shared)
    n = len(case.parent)
    Cells(r, (case.before,))
    y = Cells(r, (n, case.width), 0.0 if not case.same else None, rows=True)
    x = y if case.same else Cells(r, (n, case.width), rows=True)
    tree = Arrays(Indices(case.parent), ModelNumbers(r, np.full((n, 2), case.c), 0, (0.0,)))
    with recording(r):
        plain(own, (), by_element)(tree, n - 1, x, y)
    return Program(r, {"x": x}, {"y": y}), r.recorded_segments


USUAL = Case()
CASES = [
    (carry, USUAL, 0),
    (carry, Case(before=7), 0),
    (carry, Case(parent=(0, 0, 1, 2, 3, 3)), 0),
    (carry, Case(width=3), 1),
    (carry, Case(same=True), 1),
    (carry, Case(c=0.0), 1),
    (carry, Case(parent=(0, 0, 1, 3)), 1),
    (first_parent, Case(parent=(0, 0, 1, 2, 3, 3)), 0),
    (first_parent, Case(parent=(0, 2, 1, 2)), 1),
    (counted_bodies, Case(before=7), 0),
    (counted_bodies, Case(parent=(0, 0, 1, 2, 3, 3)), 1),
    (all_rows, Case(before=7), 0),
    (all_rows, Case(parent=(0, 0, 1, 2, 3, 3)), 1),
    (product, Case(before=7), 0),
    (product, Case(same=True), 1),
]


@pytest.mark.parametrize(("own", "case", "segments"), CASES)
def test_what_is_alike_in_another_recording(own: Any, case: Case, segments: int) -> None:
    shared = Prototypes()
    assert made(own, USUAL, shared)[1] == 1
    (found, recorded), (wanted, _) = made(own, case, shared), made(own, case, None)
    assert recorded == segments
    assert [(x.block.name, x.rows) for x in found.instances] == [(x.block.name, x.rows) for x in wanted.instances]
    assert found.cells == wanted.cells
    n = len(case.parent)
    values, numbers = np.random.default_rng(0).normal(size=(3, n * case.width)), np.full(2 * n, case.c)
    y, same = (BoundProgram(program, numbers).batch([values], 3)[0] for program in (found, wanted))
    np.testing.assert_array_equal(y, same)
