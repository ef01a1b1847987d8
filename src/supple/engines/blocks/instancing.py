"""Segments: what happens to one body between two others. Like bodies are instanced, not recorded again.

The first segment of its kind is recorded as a prototype, with the terms that its rows follow from, the conditions that
decided its course (see `places`), and what was known of the cells and numbers that it read: zeros and ones are folded,
so they belong to the kind. A segment that fulfils all of it would be recorded as the same blocks on other rows, which
are then computed. It may be one of another recording: models differ less in their bodies than in how many they have.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.places import COUNT, ITEM, Condition, Origins, Term, evaluated, fulfilled
from supple.engines.blocks.signatures import ANYWHERE, Signature

Integers = NDArray[np.int64]
MOST_NODES = 100_000
"""Of prototypes that are kept, together: 20 MB."""


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
    scratch : dict of int to int
        Cells where blocks keep values for those that follow, and their numbers.
    measured : bool
        Whether a step has asked for the length of an array.
    """

    def __init__(self, signature: Signature, arguments: Sequence[int]) -> None:
        self.signature, self.origins = signature, Origins(arguments)
        self.memory, self.numbers = Touched(self.origins), Touched(self.origins)
        self.reads: dict[int, float] = {}
        self.scratch: dict[int, int] = {}
        self.measured = False


class Layout(NamedTuple):
    """Where segments of one course find their cells: those of memory first, then numbers."""

    terms: tuple[Term, ...]
    conditions: tuple[tuple[Condition, bool], ...]
    row_regions: tuple[int, ...]
    """Numbers of regions; negative for cells that blocks keep values in."""
    widths: tuple[tuple[int, Any], ...]
    """Of the regions that are used."""
    row_terms: tuple[int, ...]
    row_shifts: tuple[int, ...]
    cell_rows: tuple[int, ...]
    places: tuple[int, ...]
    memory_cells: int
    reads: tuple[int, ...]
    """Which of the cells in memory are read before they are written."""
    scratch: int
    """How many cells blocks keep values in."""
    anywhere: bool
    """Whether a segment of another recording may be alike."""


def layout_of(segment: Segment) -> Layout:
    """The layout of a recorded segment."""
    own, signature = segment.origins, segment.signature
    spaces = (segment.memory, segment.numbers)
    number = [{row: i for i, row in enumerate(space.rows)} for space in spaces]
    cells = [(number[0][row], at - row) for at, row in segment.memory.cells.items()]
    first = len(segment.memory.rows)
    numbers = [(first + number[1][row], at - row) for at, row in segment.numbers.cells.items()]
    order = {at: i for i, at in enumerate(segment.memory.cells)}
    bases = [*signature.bases.tolist(), *reversed(segment.scratch)]
    regions, terms, shifts = list[int](), list[int](), list[int]()
    for space in spaces:
        for row, term in space.rows.items():
            kept = segment.scratch.get(row) if space is segment.memory else None
            known = signature.region(row, space is segment.numbers)
            regions.append(known if kept is None else -1 - kept)
            terms.append(term)
            shifts.append(row - own.values[term] - bases[regions[-1]])
    used = sorted({i for i in regions if i > ANYWHERE})
    named = tuple([_named(term, signature) for term in own.terms])
    return Layout(
        terms=named,
        conditions=tuple(own.conditions.items()),
        row_regions=tuple(regions),
        widths=tuple((i, signature.widths[i]) for i in used),
        row_terms=tuple(terms),
        row_shifts=tuple(shifts),
        cell_rows=tuple(row for row, _ in cells + numbers),
        places=tuple(place for _, place in cells + numbers),
        memory_cells=len(cells),
        reads=tuple(order[at] for at in segment.reads),
        scratch=len(segment.scratch),
        anywhere=signature.whole
        and ANYWHERE not in regions
        and all(kind not in (ITEM, COUNT) or type(array) is int for kind, array, _, _ in named),
    )


def _named(term: Term, signature: Signature) -> Term:
    """A term with the number of its array for the array itself, if it has one."""
    kind, array, x, offset = term
    number = signature.number(array) if kind in (ITEM, COUNT) else None
    return term if number is None else (kind, number, x, offset)


class Kind:
    """All prototypes of one layout, by what was known of the cells and numbers that they read."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._row_regions = np.array(layout.row_regions, int)
        self._row_terms, self._row_shifts = np.array(layout.row_terms, int), np.array(layout.row_shifts, int)
        self._cell_rows, self._places = np.array(layout.cell_rows, int), np.array(layout.places, int)
        self._reads = np.array(layout.reads, int)
        self.prototypes: dict[bytes, Prototype] = {}

    def rows(self, signature: Signature, arguments: Sequence[int], scratch: Sequence[int]) -> Integers | None:
        """The rows of a segment with these arguments; None if it takes another course."""
        if any(signature.widths[i] != widths for i, widths in self.layout.widths):
            return None
        values = evaluated(self.layout.terms, arguments, signature.indices)
        if values is None or not fulfilled(self.layout.conditions, values):
            return None
        bases = np.concatenate([signature.bases, scratch[::-1]]) if self.layout.scratch else signature.bases
        rows: Integers = np.array(values)[self._row_terms] + self._row_shifts + bases[self._row_regions]
        return rows

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
    """A prototype on some rows."""

    prototype: Prototype
    rows: Integers


class Prototypes:
    """Prototypes, by the steps that are called and what these are given; those unused for longest go first.

    Parameters
    ----------
    most : int
        Most nodes of all prototypes.
    """

    def __init__(self, most: int = MOST_NODES) -> None:
        self._kinds: dict[bytes, list[Kind]] = {}
        self._kept: OrderedDict[tuple[int, bytes], tuple[bytes, Kind, int]] = OrderedDict()
        self._nodes, self._most = 0, most
        self._lock = threading.Lock()

    def find(
        self,
        signature: Signature,
        arguments: Sequence[int],
        scratch: Callable[[int], list[int]],
        known: Any,
        folded: Any,
    ) -> Replay | None:
        """The prototype of a segment on its rows, if there is one."""
        with self._lock:
            for key in (signature.loose, signature.strict):
                for i, kind in enumerate(self._kinds.get(key, ())):
                    apart = [-1 - i for i in range(kind.layout.scratch)]  # cells that nothing else uses
                    rows = kind.rows(signature, arguments, apart)
                    state = None if rows is None else kind.known(rows, known, folded)
                    found = None if state is None else kind.prototypes.get(state)
                    if found is not None and rows is not None and state is not None:
                        self._kinds[key].insert(0, self._kinds[key].pop(i))  # like segments follow each other
                        self._kept.move_to_end((id(kind), state))
                        if apart:
                            rows = kind.rows(signature, arguments, scratch(len(apart)))
                            assert rows is not None
                        return Replay(found, rows)
        return None

    def add(
        self, segment: Segment, layout: Layout, blocks: list[Any], written: Mapping[int, float], folded: Any
    ) -> Prototype:
        """Keep a segment that has been recorded."""
        signature = segment.signature
        key = signature.strict if segment.measured else signature.loose
        numbers = np.array(list(segment.numbers.cells), int)
        state = np.array(list(segment.reads.values()), float).tobytes() + np.frombuffer(folded)[numbers].tobytes()
        with self._lock:
            kinds = self._kinds.setdefault(key, [])
            kind = next((x for x in kinds if x.layout == layout), None)
            if kind is None:
                kind = Kind(layout)
                kinds.insert(0, kind)
            found = kind.prototypes[state] = Prototype(kind, segment, blocks, written)
            nodes = sum(block.nodes for block in blocks)
            self._nodes += nodes
            self._kept[id(kind), state] = key, kind, nodes
            while self._nodes > self._most and len(self._kept) > 1:
                self._drop()
        return found

    def _drop(self) -> None:
        """Let go of the prototype that was used longest ago."""
        (_, state), (key, kind, nodes) = self._kept.popitem(last=False)
        self._nodes -= nodes
        del kind.prototypes[state]
        if not kind.prototypes:
            self._kinds[key].remove(kind)
