"""Programs in less memory: blocks in the order in which results ask for them, cells that are used again.

A cell of eight lanes is a line of the processor's cache. A recursion that goes through all bodies outward, inward and
outward again leaves most of its cells in slower memory before it comes back to them. Asked for its results, it goes
through one branch of the tree outward and inward before it begins with the next, and cells that nobody reads any more
take what comes then.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from supple.engines.blocks.block_recorder import MEMORY
from supple.engines.blocks.blocks import Instance

if TYPE_CHECKING:
    from supple.engines.blocks.block_program import Program

Range = tuple[int, int]
"""Cells from the first to before the last."""


def in_less_memory(program: Program, repeated: bool = False) -> Program:
    """The same program in fewer cells; the program itself if it has steps in loops, or reads what nobody wrote.

    Parameters
    ----------
    program : Program
    repeated : bool
        Whether it is run again without being given its inputs anew, which then stay where they are.
    """
    if program.has_loops or not program.instances:
        return program
    blocks = [program.instances[i] for i in _demanded(program)]
    written = _written(blocks, program.inputs.values())
    if written is None:
        return program
    ranges = [_ranges(x) for x in blocks]
    given, asked = (
        [(first, first + size) for first, size in x.values() if size] for x in (program.inputs, program.outputs)
    )
    areas = _Areas([*(x for own in ranges for x in own.values()), *given, *asked])
    areas.live([*given, *(x for x in asked if not written.issuperset(range(*x)))], -1)  # what nobody writes stays zero
    for number, own in enumerate(ranges):
        areas.live(own.values(), number)
    areas.live([*asked, *(given if repeated else ())], len(ranges))
    cells = areas.share()
    moved = [
        Instance(x.block, tuple(areas.moved(row, own[slot]) if slot in own else row for slot, row in enumerate(x.rows)))
        for x, own in zip(blocks, ranges, strict=True)
    ]
    other = program.with_instances(moved, cells)
    other.inputs, other.outputs = (
        {name: (areas.moved(first, (first, first + size)) if size else 0, size) for name, (first, size) in x.items()}
        for x in (program.inputs, program.outputs)
    )
    return other


def _demanded(program: Program) -> list[int]:
    """Numbers of the blocks in the order of depth-first search from those that give results."""
    needed: list[set[int]] = []
    writer: dict[int, int] = {}
    readers: dict[int, list[int]] = defaultdict(list)
    for number, x in enumerate(program.instances):
        reads, writes = x.cells
        own = {writer[at] for at in reads if at in writer}
        for at in writes:  # what was there before is read first
            own.update(readers.pop(at, ()))
            own.update((writer[at],) if at in writer else ())
        for at in reads:
            readers[at].append(number)
        for at in writes:
            writer[at] = number
        needed.append(own - {number})
    order: list[int] = []
    begun: set[int] = set()
    asked = {
        writer[at] for first, size in program.outputs.values() for at in range(first, first + size) if at in writer
    }
    for last in sorted(asked):
        if last in begun:
            continue
        begun.add(last)
        stack = [(last, iter(sorted(needed[last])))]
        while stack:
            number, rest = stack[-1]
            following = next((i for i in rest if i not in begun), None)
            if following is None:
                order.append(number)
                stack.pop()
            else:
                begun.add(following)
                stack.append((following, iter(sorted(needed[following]))))
    return order


def _written(blocks: Sequence[Instance], inputs: Iterable[tuple[int, int]]) -> set[int] | None:
    """All cells that are written or given; None if some are read that were not yet."""
    written = {at for first, size in inputs for at in range(first, first + size)}
    for x in blocks:
        reads, writes = x.cells
        if not written.issuperset(reads):
            return None
        written.update(writes)
    return written


def _ranges(x: Instance) -> dict[int, Range]:
    """Cells from the first to the last of those that a block uses of each slot in memory."""
    places: dict[int, list[int]] = defaultdict(list)
    for op in x.block.operations:
        if op[0] == "load" and x.block.spaces[op[1]] == MEMORY:
            places[op[1]].append(op[2])
    for slot, place, _ in x.block.stores:
        places[slot].append(place)
    return {slot: (x.rows[slot] + min(own), x.rows[slot] + max(own) + 1) for slot, own in places.items()}


class _Areas:
    """Ranges of cells that are moved as a whole, because blocks address them by a row and places in it."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        self._first: list[int] = []
        self._last: list[int] = []
        for first, last in sorted(ranges):
            if self._last and first < self._last[-1]:
                self._last[-1] = max(self._last[-1], last)
            else:
                self._first.append(first)
                self._last.append(last)
        self._begins: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._new: dict[int, int] = {}

    def live(self, ranges: Iterable[Range], number: int) -> None:
        """Note that ranges are used by the block of a number, which rises from call to call."""
        for area in self._of(ranges):
            self._begins.setdefault(area, number)
            self._ends[area] = number

    def share(self) -> int:
        """Give areas new places, where possible in those of areas that are done with; all cells then."""
        cells, waiting = 0, list[tuple[int, int]]()
        free: dict[int, list[int]] = defaultdict(list)
        for area, begin in self._begins.items():
            while waiting and waiting[0][0] < begin:
                done = heappop(waiting)[1]
                free[self._last[done] - self._first[done]].append(self._new[done])
            size = self._last[area] - self._first[area]
            room = min((n for n, places in free.items() if n >= size and places), default=0)
            if room:
                self._new[area] = place = free[room].pop()
                if room > size:
                    free[room - size].append(place + size)
            else:
                self._new[area], cells = cells, cells + size
            heappush(waiting, (self._ends[area], area))
        return cells

    def moved(self, row: int, within: Range) -> int:
        """The new place of a row, of which this range is used."""
        (area,) = self._of([within])
        return row + self._new[area] - self._first[area]

    def _of(self, ranges: Iterable[Range]) -> Iterator[int]:
        for first, _ in ranges:
            yield bisect_right(self._first, first) - 1
