"""From what was recorded to blocks that can be shared: what nobody reads is left out, addresses become slots."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from supple.engines.blocks.block_recorder import MEMORY, NUMBERS, Address, BlockRecorder
from supple.engines.blocks.instancing import Integers, Prototype, Replay
from supple.engines.blocks.looped_code import Looped
from supple.expressions.graph import Expr, order_of

Operand = int | float
"""The number of an operation, or a constant."""
Operation = tuple[Any, ...]
Store = tuple[Address, Expr]
SEPARATOR = "\t"
"""Between the parts of a block's text."""
LOOPS = "loops"
"""The one operation of a block that is a step in loops."""
ENCODER = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True)
class Block:
    """Straight-line arithmetic, the same for all bodies and models of one structure.

    Parameters
    ----------
    text : str
        All that the block does, in four parts of JSON: see `of`. They are read when they are asked for: a block whose
        machine code is there already needs the first two alone.
    """

    text: str

    @staticmethod
    def of(spaces: Sequence[str], operations: Sequence[Operation], stores: Sequence[tuple[int, int, Operand]]) -> Block:
        """The block of some operations.

        Parameters
        ----------
        spaces : sequence of str
            The space of each slot: a row of cells whose address a table holds.
        operations : sequence
            ("load", slot, place) or (name, operands...).
        stores : sequence of (slot, place, operand)
        """
        number: dict[str, int] = {}
        coded = [(number.setdefault(op, len(number)), *args) for op, *args in operations]
        found = Block(SEPARATOR.join(ENCODER.encode(x) for x in (spaces, list(number), coded, stores)))
        vars(found).update(operations=tuple(operations), stores=tuple(stores))  # no need to read them again
        return found

    @staticmethod
    def looped(spaces: Sequence[str], text: str) -> Block:
        """The block of a step in loops, see `looped_code.looped_text`; its table has lengths among the slots."""
        return Block(SEPARATOR.join(ENCODER.encode(x) for x in (spaces, [LOOPS], [(0, text)], [])))

    @property
    def loops(self) -> str:
        """The code of a step in loops; nothing if the block is straight-line arithmetic."""
        return str(self._part(2)[0][1]) if self.names == (LOOPS,) else ""

    @cached_property
    def name(self) -> str:
        """A digest of all that the block does."""
        return "block_" + hashlib.sha256(self.text.encode()).hexdigest()[:32]

    @cached_property
    def spaces(self) -> tuple[str, ...]:
        """The space of each slot."""
        return tuple(self._part(0))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all operations."""
        return tuple(self._part(1))

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """("load", slot, place) or (name, operands...)."""
        return tuple([(self.names[op], *args) for op, *args in self._part(2)])

    @cached_property
    def stores(self) -> tuple[tuple[int, int, Operand], ...]:
        """(slot, place, operand)."""
        return tuple([(slot, place, x) for slot, place, x in self._part(3)])

    def _part(self, number: int) -> list[Any]:
        found: list[Any] = json.loads(self.text.split(SEPARATOR)[number])
        return found


@dataclass(frozen=True)
class Instance:
    """A block at work: the first cells of its slots."""

    block: Block
    rows: tuple[int, ...]

    @property
    def cells(self) -> tuple[list[int], list[int]]:
        """Cells in memory that it reads, and those that it writes; of a step in loops all, it may do either."""
        block, rows = self.block, self.rows
        if block.loops:
            both = [at for first, shape in self.arrays() for at in range(first, first + math.prod(shape))]
            return both, both
        reads = [rows[x[1]] + x[2] for x in block.operations if x[0] == "load" and block.spaces[x[1]] == MEMORY]
        return reads, [rows[slot] + place for slot, place, _ in block.stores]

    @property
    def weight(self) -> int:
        """Operations; of a step in loops about as many as in products of matrices."""
        if not self.block.loops:
            return len(self.block.operations)
        shapes = [shape for _, shape in self.arrays()]
        return max(math.prod(x) for x in shapes) * min(x[0] for x in shapes)

    def arrays(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Of a step in loops: the first cell and the shape of each array."""
        starts = [i for i, space in enumerate(self.block.spaces) if space == MEMORY]
        for i, j in zip(starts, [*starts[1:], len(self.rows)], strict=True):
            yield self.rows[i], self.rows[i + 1 : j]


def instances(recorder: BlockRecorder, outputs: Iterable[int], first: int = 0) -> list[Instance]:
    """The blocks of a recording in order, each with the cells that it works on.

    Parameters
    ----------
    recorder : BlockRecorder
        Ended.
    outputs : iterable of int
        Cells that are read afterwards; all other stores that no later block reads are left out.
    first : int
        The recorded block to begin with.
    """
    live = bytearray(recorder.cells)
    for at in outputs:
        live[at] = 1
    found: list[Instance] = []
    known: dict[str, Block] = {}
    for recorded in reversed(recorder.blocks[first:]):
        if isinstance(recorded, Replay):
            found += _replayed(recorded, live, known)
            continue
        if isinstance(recorded, Looped):
            found += _looped(recorded, live, known)
            continue
        stores = [x for at, x in recorded.stores.items() if live[at]]
        if stores:
            block, rows, loads = _alive(stores, known, recorder.address)
            for (_, row, place), _ in stores:
                live[row + place] = 0
            for at in loads:
                live[at] = 1
            found.append(Instance(block, rows))
    return found[::-1]


def needed(found: Sequence[Instance], cells: int, outputs: Iterable[tuple[int, int]]) -> list[Instance]:
    """Those of some blocks in order that are needed for outputs, each the first of so many cells."""
    live = np.zeros(cells, dtype=bool)
    for first, size in outputs:
        live[first : first + size] = True
    kept: list[Instance] = []
    for x in reversed(found):
        reads, writes = x.cells
        if live[writes].any():
            if not x.block.loops:
                live[writes] = False
            live[reads] = True
            kept.append(x)
    return kept[::-1]


def _looped(recorded: Looped, live: bytearray, known: dict[str, Block]) -> list[Instance]:
    """A step in loops, if somebody reads what it writes. It reads only what was there before."""
    alive = np.frombuffer(live, dtype=np.uint8)
    if not any(alive[first : first + size].any() for first, size in recorded.written):
        return []
    for cells, flag in ((recorded.written, 0), (recorded.read, 1)):
        for first, size in cells:
            alive[first : first + size] = flag
    block = Block.looped(recorded.spaces, recorded.text)
    return [Instance(known.setdefault(block.name, block), recorded.rows)]


def _alive(
    stores: list[Store], known: dict[str, Block], address: Callable[[Expr], Address]
) -> tuple[Block, tuple[int, ...], list[int]]:
    """The block of some stores, its rows, and the cells in memory that it loads from the addresses of leaves."""
    order = order_of(node for _, node in stores)
    leaves = {n.id: address(n) for n in order if n.op == "input"}
    block, rows = _canonical(order, leaves, stores)
    loads = [row + place for space, row, place in leaves.values() if space == MEMORY]
    return known.setdefault(block.name, block), rows, loads


class _Shared(NamedTuple):
    """What is left of a block of a prototype, for all its instances: numbers of its rows and of cells."""

    block: Block
    rows: Integers
    stores: Integers
    loads: Integers


def _replayed(replay: Replay, live: bytearray, known: dict[str, Block]) -> list[Instance]:
    """The instances of a segment that was alike, last first."""
    prototype, alive = replay.prototype, np.frombuffer(live, dtype=np.uint8)
    cells, _ = prototype.kind.cells(replay.rows)
    found = []
    for i in range(len(prototype.blocks) - 1, -1, -1):
        mask = alive[cells[prototype.stores[i]]].tobytes()
        if (i, mask) not in prototype.shared:
            prototype.shared[i, mask] = _shared(prototype, i, mask, known)
        shared = prototype.shared[i, mask]
        if shared is not None:
            alive[cells[shared.stores]] = 0
            alive[cells[shared.loads]] = 1
            found.append(Instance(shared.block, tuple(replay.rows[shared.rows].tolist())))
    return found


def _shared(prototype: Prototype, i: int, mask: bytes, known: dict[str, Block]) -> _Shared | None:
    """What is left of block i of a prototype if only some of its stores are alive; None for nothing."""
    stores = [x for x, alive in zip(prototype.blocks[i].stores.values(), mask, strict=True) if alive]
    if not stores:
        return None
    block, rows, loads = _alive(stores, known, attrgetter("value"))
    return _Shared(
        block,
        np.array([prototype.row_number[s == NUMBERS][row] for s, row in zip(block.spaces, rows, strict=True)], int),
        np.array([prototype.cell_number[row + place] for (_, row, place), _ in stores], int),
        np.array([prototype.cell_number[at] for at in loads], int),
    )


def _canonical(order: list[Expr], leaves: dict[int, Address], stores: list[Store]) -> tuple[Block, tuple[int, ...]]:
    """A block with its nodes and rows numbered as they come, and the first cells of its rows.

    ModelNumbers are no nodes of their own here: when they were first made says nothing about the structure.
    """
    slots: dict[tuple[str, int], int] = {}
    cells: dict[tuple[str, int], tuple[int, int]] = {}
    operand: dict[int, Operand] = {}
    operations: list[Operation] = []

    def cell(space: str, row: int, place: int) -> tuple[int, int]:
        """Slot and place; a cell that several rows hold is addressed by the first."""
        at = space, row + place
        if at not in cells:
            cells[at] = slots.setdefault((space, row), len(slots)), place
        return cells[at]

    for node in order:
        op, args = node.op, node.args
        if op == "constant":
            operand[node.id] = node.value
            continue
        operand[node.id] = len(operations)
        if op == "input":
            operations.append(("load", *cell(*leaves[node.id])))
        elif len(args) == 2:
            operations.append((op, operand[args[0].id], operand[args[1].id]))
        else:
            operations.append((op, *[operand[a.id] for a in args]))
    stored = tuple((*cell(*address), operand[node.id]) for address, node in stores)
    block = Block.of([space for space, _ in slots], operations, stored)
    return block, tuple(row for _, row in slots)
