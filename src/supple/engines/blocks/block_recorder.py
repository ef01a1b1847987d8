"""Recording a recursion as blocks: straight pieces of arithmetic between loads from memory and stores to it.

The plain twin of a recursion runs once on `Cells` in place of arrays. What it reads is the node last written in the
same block, a constant if it is known to be one, else a load; what it writes is stored where the block ends. A block
ends where the recursion turns to the next body. Values that a recursion keeps beyond the end of a block (sums over the
bodies) are stored and loaded by themselves.
"""

from __future__ import annotations

import math
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import index
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.expressions.graph import Expr, Graph

Address = tuple[str, int, int]
"""Of a leaf: its space, the first cell of its row and its place in the row."""
MEMORY, NUMBERS = "memory", "numbers"
"""Spaces: cells of the state and of all that is computed from it, a value for each lane; numbers of the model."""
SMALL = 48
"""Loads, operations and stores below which a block goes on with the next body."""
LARGE = 600
"""Nodes beyond which a block ends at the next store: the time to compile grows faster than a block."""
ROW = 36
"""Longest row whose cells are addressed by the row and a fixed place in it."""


class Recorded:
    """A block as it was recorded: a range of nodes, and what is stored at its end, by address."""

    def __init__(self) -> None:
        self.stores: dict[int, tuple[Address, Expr]] = {}


class BlockRecorder(Graph):
    """A graph that is cut into blocks; nodes of earlier blocks may be used in later ones."""

    def __init__(self) -> None:
        self._first = 0
        super().__init__()
        self.blocks: list[Recorded] = [Recorded()]
        self._firsts = [0]
        self.cells = 0
        self._values: dict[int, Expr | None] = {}
        self._kept: dict[int, Address] = {}
        self._touched = 0
        self._element: Any = None

    # ------------------------------------------------------------ memory

    def allocate(self, count: int) -> int:
        """The first of so many new cells."""
        first, self.cells = self.cells, self.cells + count
        return first

    def read(self, at: int, row: int, initial: float | None) -> Expr:
        """What is in the cell `at` of a row; before anything was written there the initial number, if it has one."""
        stored = self.blocks[-1].stores.get(at)
        if stored is not None:
            return stored[1]
        if at in self._values:
            known = self._values[at]
            if known is not None:
                return known
        elif initial is not None:
            return self.constant(initial)
        return self.load(MEMORY, row, at - row)

    def load(self, space: str, row: int, column: int) -> Expr:
        """The leaf of a cell as it is when the block begins."""
        self._touched += 1
        return self._make("input", (), (space, row, column))

    def write(self, at: int, row: int, value: Any) -> None:
        """Store a node or a number where the block ends."""
        self._touched += 1
        self.blocks[-1].stores[at] = ((MEMORY, row, at - row), self.node(value))
        if len(self.nodes) - self._first > LARGE:
            self.end()

    # ------------------------------------------------------------ blocks

    def turn_to(self, element: tuple[str, int]) -> None:
        """What follows belongs to another body or force element."""
        if element != self._element:
            self._element = element
            self.cut()

    def cut(self, small: int = SMALL) -> None:
        """End the block, unless it is a small one."""
        if len(self.nodes) - self._first + self._touched >= small:
            self.end()

    def end(self) -> None:
        """End the block."""
        for at, (_, node) in self.blocks[-1].stores.items():
            self._values[at] = node if node.op == "constant" else None
        self._first, self._touched = len(self.nodes), 0
        self._forget()
        self.blocks.append(Recorded())
        self._firsts.append(self._first)

    def _forget(self) -> None:
        """What cells held when the block began says nothing about the next."""
        self._known = {key: node for key, node in self._known.items() if key[0] == "constant"}

    def address(self, leaf: Expr) -> Address:
        """Where a leaf is loaded from."""
        found: Address = leaf.value
        return found

    def node(self, x: Any) -> Expr:
        """x itself if it is a node of this block or a constant; a load of it if it is of an earlier block."""
        if not isinstance(x, Expr):
            return self.constant(x)
        if x.id >= self._first or x.op == "constant":
            return x
        if x.id not in self._kept:
            if x.op == "input" and x.value[0] == NUMBERS:
                self._kept[x.id] = x.value
            else:  # also a load from memory, where something else may stand by now
                at = self.allocate(1)
                self._kept[x.id] = (MEMORY, at, 0)
                self._values[at] = None
                self.blocks[bisect_right(self._firsts, x.id) - 1].stores[at] = (self._kept[x.id], x)
        return self.load(*self._kept[x.id])

    def _make(self, op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
        for a in args:
            if a.id < self._first and a.op != "constant":
                args = tuple([self.node(x) for x in args])
                break
        return super()._make(op, args, value)


class Cells:
    """An array of cells: what stands for an array of the state or of a workspace while a recursion is recorded.

    Parameters
    ----------
    recorder : BlockRecorder
    shape : tuple of int
    initial : number or array, optional
        What is there at the start; without it, what the caller puts there.
    rows : bool
        Whether cells are addressed by the row that they are in and their place there, which suits rows that are read
        and written as a whole.
    first : int, optional
        The first cell; new ones if not given.
    """

    __slots__ = ("_initial", "_rows", "first", "recorder", "shape")

    def __init__(
        self,
        recorder: BlockRecorder,
        shape: tuple[int, ...],
        initial: NDArray[np.float64] | float | None = None,
        rows: bool = False,
        first: int | None = None,
    ) -> None:
        self.recorder, self.shape, self._rows = recorder, shape, rows
        self.first = recorder.allocate(self.size) if first is None else first
        self._initial = initial if initial is None else np.broadcast_to(initial, shape)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def size(self) -> int:
        """Number of cells."""
        return math.prod(self.shape)

    def _place(self, key: Any) -> tuple[int, int]:
        """Where an entry or a part of the array begins, and its row."""
        at = row = 0
        for n, i in zip(self.shape, key if isinstance(key, tuple) else (key,), strict=False):
            at, row = at * n + index(i), at * n
        if isinstance(key, tuple) and len(key) == len(self.shape) and self._rows:
            return self.first + at, self.first + row
        return self.first + at, self.first + at

    def __getitem__(self, key: Any) -> Any:
        at, row = self._place(key)
        axes = len(key) if isinstance(key, tuple) else 1
        initial = None if self._initial is None else self._initial[key]
        if axes == len(self.shape):
            return self.recorder.read(at, row, initial)
        shape = self.shape[axes:]
        return Cells(
            self.recorder,
            shape,
            initial,
            self._rows and len(shape) > 1,
            self.first + (at - self.first) * math.prod(shape),
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            for i in range(*key.indices(len(self))):
                self[i] = value
        elif len(key) < len(self.shape) if isinstance(key, tuple) else len(self.shape) > 1:
            self[key][:] = value
        else:
            self.recorder.write(*self._place(key), value)


class ModelNumbers:
    """An array of the model's numbers while a recursion is recorded.

    Zeros belong to the structure, in arrays of directions ones too; all others are loaded.

    Parameters
    ----------
    recorder : BlockRecorder
    values : array of one or two axes
    first : int
        Where the array begins among the numbers.
    folded : tuple of float
        Values that belong to the structure.
    """

    __slots__ = ("_first", "_folded", "_values", "recorder", "shape")

    def __init__(
        self, recorder: BlockRecorder, values: NDArray[np.float64], first: int, folded: tuple[float, ...]
    ) -> None:
        self.recorder, self.shape = recorder, values.shape
        self._values, self._first, self._folded = values.tolist(), first, folded

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Expr:
        if isinstance(key, tuple):
            i, j = key
            value, row, column = self._values[i][j], self._first + index(i) * self.shape[1], index(j)
            if self.shape[1] > ROW:
                row, column = row + column, 0
        else:
            value, row, column = self._values[key], self._first + index(key), 0
        if value in self._folded:
            return self.recorder.constant(value)
        return self.recorder.load(NUMBERS, row, column)


_active = threading.local()


@contextmanager
def recording(recorder: BlockRecorder) -> Iterator[None]:
    """Let twins made with `by_element` tell this recorder which body they work on."""
    _active.recorder = recorder
    try:
        yield
    finally:
        del _active.recorder


def by_element(twin: FunctionType) -> Callable[..., Any]:
    """A step of body k or of force element e, which tells the recorder so."""
    code = twin.__code__
    parameters = code.co_varnames[: code.co_argcount]
    element = next((name for name in ("k", "e") if name in parameters), None)
    if element is None or {"tree", "flex", "ws"}.isdisjoint(parameters):
        return twin
    place = parameters.index(element)

    def step(*args: Any) -> Any:
        _active.recorder.turn_to((element, args[place]))
        return twin(*args)

    return step
