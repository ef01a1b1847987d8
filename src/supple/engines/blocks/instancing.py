"""Segments: what happens to one body between two others. Like bodies are instanced, not recorded again.

The first segment of its kind is recorded as a prototype, with the terms that its rows follow from, the conditions that
decided its course (see `places`), and what was known of the cells and numbers that it read: zeros and ones are folded,
so they belong to the kind. A segment that fulfils all of it would be recorded as the same blocks on other rows, which
are then computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.places import Condition, Origins, Term, evaluated, fulfilled

Integers = NDArray[np.int64]
Key = tuple[Any, ...]


class Touched:
    """Cells of one space that a segment touches, and the terms that their rows follow from."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self.rows: dict[int, int] = {}
        self.cells: dict[int, int] = {}

    def add(self, at: int, row: int, term: int) -> bool:
        """Whether the cell is a new one. Two ways to one cell are a condition: they must meet for other bodies too."""
        row_before = self.cells.get(at)
        if row_before == row and self.rows[row] == term:
            return False
        before = self.rows.setdefault(row, term)
        if before != term:
            self._origins.same(before, term)
        if row_before is None:
            self.cells[at] = row
            return True
        if row_before != row:
            self._origins.same(self.rows[row_before], term)
        return False


class Segment:
    """A segment while it is recorded.

    Attributes
    ----------
    reads : dict of int to float
        Cells that were read before they were written, and what was known to be there; NaN for nothing.
    """

    def __init__(self, arguments: Sequence[int]) -> None:
        self.origins = Origins(arguments)
        self.memory, self.numbers = Touched(self.origins), Touched(self.origins)
        self.reads: dict[int, float] = {}


class Layout(NamedTuple):
    """Where segments of one course find their cells: those of memory first, then numbers."""

    terms: tuple[Term, ...]
    conditions: tuple[tuple[Condition, bool], ...]
    row_terms: tuple[int, ...]
    row_shifts: tuple[int, ...]
    cell_rows: tuple[int, ...]
    places: tuple[int, ...]
    memory_cells: int
    reads: tuple[int, ...]
    """Which of the cells in memory are read before they are written."""


def layout_of(segment: Segment) -> Layout:
    """The layout of a recorded segment."""
    own, spaces = segment.origins, (segment.memory, segment.numbers)
    rows = [(row, term) for space in spaces for row, term in space.rows.items()]
    number = [{row: i for i, row in enumerate(space.rows)} for space in spaces]
    cells = [(number[0][row], at - row) for at, row in segment.memory.cells.items()]
    first = len(segment.memory.rows)
    numbers = [(first + number[1][row], at - row) for at, row in segment.numbers.cells.items()]
    order = {at: i for i, at in enumerate(segment.memory.cells)}
    return Layout(
        terms=tuple(own.terms),
        conditions=tuple(own.conditions.items()),
        row_terms=tuple(term for _, term in rows),
        row_shifts=tuple(row - own.values[term] for row, term in rows),
        cell_rows=tuple(row for row, _ in cells + numbers),
        places=tuple(place for _, place in cells + numbers),
        memory_cells=len(cells),
        reads=tuple(order[at] for at in segment.reads),
    )


class Kind:
    """All prototypes of one layout, by what was known of the cells and numbers that they read."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._row_terms, self._row_shifts = np.array(layout.row_terms, int), np.array(layout.row_shifts, int)
        self._cell_rows, self._places = np.array(layout.cell_rows, int), np.array(layout.places, int)
        self._reads = np.array(layout.reads, int)
        self.prototypes: dict[bytes, Prototype] = {}

    def rows(self, arguments: Sequence[int]) -> Integers | None:
        """The rows of a segment with these arguments; None if it takes another course."""
        values = evaluated(self.layout.terms, arguments)
        if values is None or not fulfilled(self.layout.conditions, values):
            return None
        return np.array(values)[self._row_terms] + self._row_shifts

    def cells(self, rows: Integers) -> tuple[Integers, Integers]:
        """The cells in memory and the numbers of a segment."""
        cells = rows[self._cell_rows] + self._places
        return cells[: self.layout.memory_cells], cells[self.layout.memory_cells :]

    def known(self, rows: Integers, known: Any, folded: Any) -> bytes | None:
        """What is known of all that a segment reads; None if cells meet that were different ones."""
        memory, numbers = self.cells(rows)
        if len(set(memory.tolist())) < len(memory) or len(set(numbers.tolist())) < len(numbers):
            return None
        at_start: bytes = np.frombuffer(known)[memory[self._reads]].tobytes()
        return at_start + bytes(np.frombuffer(folded)[numbers].tobytes())


class Prototype:
    """A segment as it was recorded: its blocks, and what is known afterwards of the cells that it wrote.

    Parameters
    ----------
    kind : Kind
    segment : Segment
    blocks : list
        As the recorder has them.
    written : mapping of int to float
        What is known of all cells that were written; NaN for nothing.
    """

    def __init__(self, kind: Kind, segment: Segment, blocks: list[Any], written: Mapping[int, float]) -> None:
        self.kind, self.blocks = kind, blocks
        order = {at: i for i, at in enumerate(segment.memory.cells)}
        self.cell_number = order
        self.row_number = [{row: i for i, row in enumerate(segment.memory.rows)}]
        first = len(segment.memory.rows)
        self.row_number.append({row: first + i for i, row in enumerate(segment.numbers.rows)})
        self._written = np.array([order[at] for at in written], int)
        self._values = np.array(list(written.values()), float)
        self.stores = [np.array([order[at] for at in block.stores], int) for block in blocks]
        self.shared: dict[tuple[int, bytes], Any] = {}

    def write(self, rows: Integers, known: Any) -> None:
        """Note what is known after the segment."""
        np.frombuffer(known)[self.kind.cells(rows)[0][self._written]] = self._values


class Replay(NamedTuple):
    """A prototype on other rows."""

    prototype: Prototype
    rows: Integers


class Prototypes:
    """All prototypes of a recording, by the steps that are called and what these are given."""

    def __init__(self) -> None:
        self._kinds: dict[Key, list[Kind]] = {}

    def find(self, key: Key, arguments: Sequence[int], known: Any, folded: Any) -> Replay | None:
        """The prototype of a segment on its rows, if there is one."""
        for kind in self._kinds.get(key, ()):
            rows = kind.rows(arguments)
            if rows is not None:
                state = kind.known(rows, known, folded)
                found = None if state is None else kind.prototypes.get(state)
                if found is not None:
                    return Replay(found, rows)
        return None

    def add(self, key: Key, segment: Segment, blocks: list[Any], written: Mapping[int, float], folded: Any) -> None:
        """Keep a segment that has been recorded."""
        layout = layout_of(segment)
        kinds = self._kinds.setdefault(key, [])
        kind = next((x for x in kinds if x.layout == layout), None)
        if kind is None:
            kind = Kind(layout)
            kinds.append(kind)
        numbers = np.array(list(segment.numbers.cells), int)
        state = np.array(list(segment.reads.values()), float).tobytes() + np.frombuffer(folded)[numbers].tobytes()
        kind.prototypes[state] = Prototype(kind, segment, blocks, written)
