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

from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import LARGE, MEMORY, NUMBERS, SMALL, Address, BlockRecorder, Recorded
from supple.engines.blocks.cells import ROW, Cells
from supple.expressions.graph import Expr, Graph

Nodes = NDArray[Any]


class GraphRecorder(BlockRecorder):
    """A graph whose nodes are sorted into blocks as they are made.

    Parameters
    ----------
    limit : int, optional
        Most nodes there may be.
    """

    def __init__(self, limit: float = math.inf) -> None:
        super().__init__()
        self.limit = limit
        self._places: dict[int, Address] = {}
        self._rows: dict[int, tuple[int, int]] = {}

    def call(self, step: Callable[..., Any], element: tuple[str, Any], place: int, args: tuple[Any, ...]) -> None:
        """Record a step of a body or force element at once: it works on values."""
        self.turn_to(element)
        step(*args)

    def cut(self, small: int = SMALL) -> None:
        """End the block, unless it is a small one."""
        if len(self.nodes) - self._first >= small:
            self.end()

    def number(self, at: int, row: int, term: int) -> Expr:
        """The number `at` of a row."""
        value = self.folded[at]
        return self.constant(value) if value == value else self.load(NUMBERS, row, at - row)

    def load(self, space: str, row: int, column: int) -> Expr:
        """The leaf of a cell, which is written once."""
        return Graph._make(self, "input", (), (space, row, column))

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
        return Program(self, places, results)

    def _block_of(self, x: Expr) -> int:
        return bisect_right(self._firsts, x.id) - 1

    def _store(self, number: int, at: Address, x: Expr) -> None:
        block = self.blocks[number]
        assert isinstance(block, Recorded)
        block.stores[at[1] + at[2]] = (at, x)

    def _free_place(self, number: int) -> Address:
        """The next place in the row of what a block keeps."""
        row, used = self._rows.get(number, (0, ROW))
        if used == ROW:
            row, used = self.allocate(ROW), 0
        self._rows[number] = (row, used + 1)
        return MEMORY, row, used

    def _forget(self) -> None:
        """Nothing: what a node is never changes."""

    def _make(self, op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
        if not args:
            return Graph._make(self, op, args, value)
        key = (op, args[0].id, args[1].id) if len(args) == 2 else (op, *[a.id for a in args])
        found = self._known.get(key)
        if found is None:
            if len(self.nodes) - self._first > LARGE:
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
