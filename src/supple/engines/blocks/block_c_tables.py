"""Programs of blocks as C99: a function for each block, and tables of the cells on which blocks follow each other.

Programs share their blocks. Cells that nothing uses get no place in memory, and numbers that no block loads none in the
array of numbers: rows stay together, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_c_text import HELPERS, CPrecision, block_text
from supple.engines.blocks.block_recorder import LENGTH, MEMORY, NUMBERS
from supple.engines.blocks.blocks import Block, Instance
from supple.engines.blocks.looped_c_text import looped_function
from supple.engines.blocks.looped_code import looped_text

Place = tuple[int, int]
"""First cell, and number of cells."""
SMALL = 1 << 16
"""Places below this take two bytes each."""
WIDTH = 112
"""Characters of a line of a table."""
DRIVER = """static void run(real *restrict m, const real *restrict p, const place *runs, const place *at)
{
    for (; runs[1]; runs += 2) {
        int count;
        for (count = runs[1]; count; count--) {
            blocks[runs[0]](m, p, at);
            at += widths[runs[0]];
        }
    }
}
"""
"""Goes through the blocks of a program: `runs` has pairs of a block and how many times it follows itself."""


@dataclass(frozen=True)
class CProgram:
    """A program as it is laid out in memory.

    Attributes
    ----------
    segments : dict of str to list of Instance
        What is run by itself, by the name of its tables: blocks on cells of memory and numbers of the library.
    places : dict of str to Place
        Where inputs, outputs and whatever else was asked for are.
    cells : int
        Of memory.
    cleared : list of Place
        Cells that have to be zero before it runs.
    """

    segments: dict[str, list[Instance]]
    places: dict[str, Place]
    cells: int
    cleared: list[Place]

    @property
    def instances(self) -> list[Instance]:
        """All of them."""
        return [x for own in self.segments.values() for x in own]


def laid_out(
    segments: Mapping[str, Sequence[Instance]],
    places: Mapping[str, Place],
    given: Iterable[str],
    shift: Callable[[int], int] = int,
) -> CProgram:
    """A program on as few cells as its rows need.

    Parameters
    ----------
    segments : mapping of str to sequence of Instance
        In the order in which they are first run.
    places : mapping of str to Place
        Arrays that the caller fills or reads.
    given : iterable of str
        Those that the caller fills.
    shift : function of int
        Where a row of numbers is among those of the library.
    """
    segments = {name: [_from_first(x) for x in own] for name, own in segments.items()}
    instances = [x for own in segments.values() for x in own]
    reach = {x.block.name: _reach(x.block) for x in instances}
    size = max([first + n for first, n in places.values()], default=0)
    ends = [row + n for x in instances for row, n in _memory_rows(x, reach)]
    used = np.zeros(max([size, *ends]) + 1, dtype=bool)
    for first, n in places.values():
        used[first : first + n] = True
    for x in instances:
        for row, n in _memory_rows(x, reach):
            used[row : row + n] = True
    rank = np.maximum(np.cumsum(used) - 1, 0).tolist()
    to = {MEMORY: rank.__getitem__, NUMBERS: shift, LENGTH: int}
    moved = {
        name: [
            Instance(x.block, tuple(to[space](row) for space, row in zip(x.block.spaces, x.rows, strict=True)))
            for x in own
        ]
        for name, own in segments.items()
    }
    found = {key: (rank[first], n) for key, (first, n) in places.items()}
    everything, cells = [x for own in moved.values() for x in own], int(used.sum())
    return CProgram(moved, found, cells, _unwritten(everything, found, set(given), cells))


def _from_first(x: Instance) -> Instance:
    """An instance whose rows begin with the first cell that it uses of each, which no cell in front of it is."""
    block, first = _first_places(x.block)
    return Instance(block, tuple(row + n for row, n in zip(x.rows, first, strict=True))) if any(first) else x


@lru_cache(maxsize=4096)
def _first_places(block: Block) -> tuple[Block, tuple[int, ...]]:
    """A block whose slots begin with the first place that it uses, and where these were."""
    if block.loops:
        return block, ()
    loads = [x[1:] for x in block.operations if x[0] == "load"]
    first = [0] * len(block.spaces)
    for slot, places in groupby(sorted([*loads, *(x[:2] for x in block.stores)]), key=lambda x: x[0]):
        first[slot] = next(places)[1]
    operations = [(op, x[0], x[1] - first[x[0]]) if op == "load" else (op, *x) for op, *x in block.operations]
    stores = [(slot, place - first[slot], x) for slot, place, x in block.stores]
    return Block.of(block.spaces, operations, stores), tuple(first)


def _reach(block: Block) -> list[int]:
    """How far the slots of a block reach; nothing is known of a step in loops."""
    reach = [0] * len(block.spaces)
    if not block.loops:
        for slot, place in [
            *((x[1], x[2]) for x in block.operations if x[0] == "load"),
            *((slot, place) for slot, place, _ in block.stores),
        ]:
            reach[slot] = max(reach[slot], place + 1)
    return reach


def _memory_rows(x: Instance, reach: Mapping[str, list[int]]) -> list[Place]:
    """Cells of memory that an instance uses, row by row."""
    if x.block.loops:
        return [(first, int(np.prod(shape))) for first, shape in x.arrays()]
    return [
        (row, n) for space, row, n in zip(x.block.spaces, x.rows, reach[x.block.name], strict=True) if space == MEMORY
    ]


def _unwritten(instances: Sequence[Instance], places: Mapping[str, Place], given: set[str], cells: int) -> list[Place]:
    """Cells that are read, by a block or by the caller, before anything is written to them."""
    written, missing = np.zeros(cells, dtype=bool), np.zeros(cells, dtype=bool)
    for name in given & set(places):
        first, n = places[name]
        written[first : first + n] = True
    for x in instances:
        reads, writes = x.cells
        missing[[at for at in reads if not written[at]]] = True
        written[writes] = True
    for name, (first, n) in places.items():
        if name not in given:
            missing[first : first + n] |= ~written[first : first + n]
    at, found = 0, list[Place]()
    for flag, group in groupby(missing.tolist()):
        n = len(list(group))
        if flag:
            found.append((at, n))
        at += n
    return found


class CTables:
    """All programs of a library.

    Parameters
    ----------
    precision : CPrecision
    programs : sequence of CProgram
    looped : sequence of (step, ranks)
        Steps that may be among the blocks as loops.
    """

    def __init__(
        self, precision: CPrecision, programs: Sequence[CProgram], looped: Sequence[tuple[Any, tuple[int, ...]]]
    ) -> None:
        self._precision, self._programs = precision, list(programs)
        self._looped = {looped_text(step, ranks): (step, ranks) for step, ranks in looped}
        self._blocks = {x.block.name: x.block for own in programs for x in own.instances}
        self._number = {name: i for i, name in enumerate(self._blocks)}
        self.rank, self.count = self._number_ranks()

    @property
    def blocks(self) -> int:
        """How many functions of blocks there are."""
        return len(self._blocks)

    @property
    def cells(self) -> int:
        """Cells of memory that the largest program needs."""
        return max(x.cells for x in self._programs)

    def _number_ranks(self) -> tuple[NDArray[np.int64], int]:
        """Places of numbers among those that any block loads, -1 for all others; how many these are."""
        reach = {name: _reach(block) for name, block in self._blocks.items()}
        rows = {
            (row, n)
            for own in self._programs
            for x in own.instances
            for space, row, n in zip(x.block.spaces, x.rows, reach[x.block.name], strict=True)
            if space == NUMBERS
        }
        used = np.zeros(max((row + n for row, n in rows), default=0), dtype=bool)
        for row, n in rows:
            used[row : row + n] = True
        return np.where(used, np.cumsum(used) - 1, -1), int(used.sum())

    def _rows(self, x: Instance) -> list[int]:
        return [
            int(self.rank[row]) if space == NUMBERS else row for space, row in zip(x.block.spaces, x.rows, strict=True)
        ]

    def texts(self) -> tuple[str, str]:
        """The type of places in tables; all functions, tables and the driver."""
        runs, rows = dict[str, list[int]](), dict[str, list[int]]()
        for segment, own in ((name, x) for program in self._programs for name, x in program.segments.items()):
            parts = [(key, len(list(group))) for key, group in groupby(x.block.name for x in own)]
            runs[segment] = [word for key, n in parts for word in (self._number[key], n)] + [0, 0]
            rows[segment] = [row for x in own for row in self._rows(x)] or [0]
        largest = max(max(x) for own in (runs, rows) for x in own.values())
        functions = [self._function(block, f"block_{i}") for i, block in enumerate(self._blocks.values())]
        helpers = [text for name, text in HELPERS.items() if any(f"{name}(" in x for x in functions)]
        names = ", ".join(f"block_{i}" for i in range(self.blocks))
        head = [
            wrapped(
                "static void (*const blocks[])(real *restrict, const real *restrict, const place *restrict)", names
            ),
            table("place", "widths", [len(x.spaces) for x in self._blocks.values()]),
        ]
        tables = [
            table("place", f"{segment}_{what}", words[segment])
            for segment in runs
            for what, words in (("runs", runs), ("rows", rows))
        ]
        kind = "uint16_t" if largest < SMALL else "int32_t"
        return kind, "\n".join([*helpers, *functions, *head, DRIVER, *tables])

    def _function(self, block: Block, name: str) -> str:
        if not block.loops:
            return block_text(block, name, self._precision)
        step, ranks = self._looped[block.loops]
        return looped_function(step, ranks, name, self._precision)


def table(kind: str, name: str, words: Iterable[int]) -> str:
    """A constant array of integers."""
    return wrapped(f"static const {kind} {name}[]", ", ".join(map(str, words)))


def wrapped(head: str, entries: str) -> str:
    """An array with its entries, which are parted by commas, on lines of some width."""
    lines, line = [f"{head} = {{"], "   "
    for entry in entries.split(", "):
        if len(line) + len(entry) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {entry},"
    return "\n".join([*lines, line, "};", ""])
