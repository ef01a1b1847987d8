"""Recording equations as blocks: a graph that is cut as it grows, each value of it computed once.

Where `BlockRecorder` follows a recursion that works in arrays, here the values are nodes, in arrays of objects or
wherever else Python keeps them. A node that a later block uses is stored by the block that computes it, and never
overwritten; nodes that come up again, in whichever block, are found again.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import (
    CONSTRAINT,
    LARGE,
    LENGTH,
    MEMORY,
    NUMBERS,
    SMALL,
    Address,
    BlockRecorder,
    Recorded,
)
from supple.engines.blocks.cells import ROW, Cells
from supple.engines.blocks.fixed_cells import with_fixed_cells
from supple.engines.blocks.looped_code import Looped, looped_text, written_arguments
from supple.expressions.graph import Expr, Graph

Nodes = NDArray[Any]
TAKEN = 6
"""Cells that are taken at a time for what a block keeps."""


class GraphRecorder(BlockRecorder):
    """A graph whose nodes are sorted into blocks as they are made.

    Parameters
    ----------
    limit : int, optional
        Most nodes there may be.
    largest : int
        Nodes beyond which a block ends. Where it is more than `LARGE`, blocks are not to be shared by other programs:
        they go on with the next body until they are nearly as large, which gives the fastest code.

    Attributes
    ----------
    aligned : bool
        Whether blocks of like constraint equations are to be alike, at the price of smaller ones.
    straight : bool
        Whether all code is to be straight-line code, which has tangents, at the price of more of it.
    """

    def __init__(self, limit: float = math.inf, largest: int = LARGE) -> None:
        super().__init__()
        self.limit, self.aligned, self.straight = limit, False, False
        self._largest, self._small = largest, SMALL if largest <= LARGE else 3 * largest // 4
        self._places: dict[int, Address] = {}
        self._rows: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._arrays: dict[int, int] = {}

    def call(self, step: Callable[..., Any], element: tuple[str, Any], place: int, args: tuple[Any, ...]) -> None:
        """Record a step of a body, force element or constraint equation at once: it works on values.

        Where they are `aligned`, blocks end before constraint equations however small they are.
        """
        self.turn_to(element)
        if self.aligned and element[0] == CONSTRAINT:
            self.end()
        step(*args)

    def cut(self, small: int | None = None) -> None:
        """End the block, unless it is a small one."""
        if len(self.nodes) - self._first >= (self._small if small is None else small):
            self.end()

    def number(self, at: int, row: int, term: int) -> Expr:
        """The number `at` of a row."""
        value = self.folded[at]
        return self.constant(value) if value == value else self.load(NUMBERS, row, at - row)

    def load(self, space: str, row: int, column: int) -> Expr:
        """The leaf of a cell, which is written once."""
        return Graph._make(self, "input", (), (space, row, column))

    def _load(self, space: str, row: int, column: int) -> Expr:
        """The same for what steps read from cells."""
        self._touched += 1
        return self.load(space, row, column)

    def node(self, x: Any) -> Expr:
        """x itself if it is a leaf or of this block; a load of it if it is of an earlier block."""
        if not isinstance(x, Expr):
            return self.constant(x)
        if x.id >= self._first or not x.args:
            return x
        if x.id not in self._kept:
            number = self._block_of(x)
            self._kept[x.id] = self._free_place(number)
            self._store(number, self._kept[x.id], x)
        return self.load(*self._kept[x.id])

    def address(self, leaf: Expr) -> Address:
        """Where a leaf is loaded from."""
        return self._places[leaf.id] if leaf.id in self._places else super().address(leaf)

    def kept(self, *arrays: Nodes) -> list[Nodes]:
        """The same values as if they were inputs: what follows computes everything anew from them, in new blocks."""
        self.end()
        self._known.clear()
        return [
            np.array([self._as_input(y if isinstance(y, Expr) else self.constant(y)) for y in x], dtype=object)
            for x in arrays
        ]

    def _as_input(self, x: Expr) -> Expr:
        """A load of a node from a cell of its own."""
        if x.op == "constant":
            return x
        at = (MEMORY, self.allocate(1), 0)
        self._store(self._block_of(x) if x.args else len(self.blocks) - 2, at, x)
        return self.load(*at)

    # ------------------------------------------------------------ loops

    def loops(self, step: Any, *arrays: Nodes) -> None:
        """Record a step on arrays of nodes as loops; afterwards those that it writes hold what it has written."""
        self.end()
        written = written_arguments(step)
        places = [self._written(x) if own else self._placed(x) for x, own in zip(arrays, written, strict=True)]
        cells = [(first, x.size) for first, x in zip(places, arrays, strict=True)]
        spaces = tuple(space for x in arrays for space in (MEMORY, *[LENGTH] * x.ndim))
        rows = tuple(word for first, x in zip(places, arrays, strict=True) for word in (first, *x.shape))
        kept = [tuple(at for at, own in zip(cells, written, strict=True) if own == wanted) for wanted in (False, True)]
        looped = Looped(looped_text(step, tuple(x.ndim for x in arrays)), spaces, rows, *kept)
        self.blocks[-1:] = [looped, self.blocks[-1]]
        self._firsts.append(self._first)

    def _written(self, x: Nodes) -> int:
        """The first of new cells for an array, which then holds loads of them."""
        first = self.allocate(x.size)
        for i in range(x.size):
            x.flat[i] = self.load(MEMORY, first + i - i % ROW, i % ROW)
        self._arrays[first] = x.size
        return first

    def _placed(self, x: Nodes) -> int:
        """The first of the cells that hold an array: those where loops have left it, else new ones.

        Entries that are zero are not stored: nobody else writes to these cells.
        """
        nodes = [y if isinstance(y, Expr) else self.constant(y) for y in x.flat]
        first = sum(nodes[0].value[1:]) if nodes[0].op == "input" and type(nodes[0].value) is tuple else -1
        if self._arrays.get(first) == len(nodes) and all(
            y.op == "input" and y.value[0] == MEMORY and sum(y.value[1:]) == first + i for i, y in enumerate(nodes)
        ):
            return first
        first, run, before = self.allocate(x.size), 0, -1
        for i, y in enumerate(nodes):
            number = -1
            if y is not self.zero:
                number = self._block_of(y) if y.args else len(self.blocks) - 2
                if number != before or i % x.shape[-1] == 0 or i - run == ROW:
                    run = i
                self._store(number, (MEMORY, first + run, i - run), y)
            before = number
        return first

    def program(self, inputs: Mapping[str, Nodes], outputs: Mapping[str, Nodes]) -> Program:
        """What the graph computes: from leaves to nodes or numbers, by name."""
        places = {name: Cells(self, x.shape) for name, x in inputs.items()}
        for name, x in inputs.items():
            for i, leaf in enumerate(x.flat):
                self._places[leaf.id] = (MEMORY, places[name].first + i, 0)
        results = {name: Cells(self, x.shape) for name, x in outputs.items()}
        for name, x in outputs.items():
            for i, value in enumerate(x.flat):
                node = value if isinstance(value, Expr) else self.constant(value)
                number = self._block_of(node) if node.args else len(self.blocks) - 1
                self._store(number, (MEMORY, results[name].first + i, 0), node)
        made = Program(self, places, results)
        return made if self._largest <= LARGE else with_fixed_cells(made)

    def _block_of(self, x: Expr) -> int:
        return bisect_right(self._firsts, x.id) - 1

    def _store(self, number: int, at: Address, x: Expr) -> None:
        block = self.blocks[number]
        assert isinstance(block, Recorded)
        block.stores[at[1] + at[2]] = (at, x)

    def _free_place(self, number: int) -> Address:
        """The next place in the row of what a block keeps for the one that is being recorded.

        Rows are not shared by blocks that use them, so that those of like bodies find theirs in like places.
        """
        pair = number, len(self.blocks)
        row, used, free = self._rows.get(pair, (0, 0, 0))
        if not free:
            at, free = self.allocate(TAKEN), TAKEN
            if at != row + used or used + TAKEN > ROW:
                row, used = at, 0
        self._rows[pair] = (row, used + 1, free - 1)
        return MEMORY, row, used

    def _forget(self) -> None:
        """Nothing: what a node is never changes."""

    def _make(self, op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
        if not args:
            return Graph._make(self, op, args, value)
        key = (op, args[0].id, args[1].id) if len(args) == 2 else (op, *[a.id for a in args])
        found = self._known.get(key)
        if found is None:
            if len(self.nodes) - self._first > self._largest:
                self.end()
            first = self._first
            for a in args:
                if a.id < first and a.args:
                    found = Graph._make(self, op, tuple([self.node(x) for x in args]), value)
                    break
            else:
                found = self._new(op, args, value)
            self._known[key] = found
        return found
