"""Recording a recursion as blocks: straight pieces of arithmetic between loads from memory and stores to it.

The plain twin of a recursion runs once on `Cells` in place of arrays. What it reads is the node last written in the
same block, a constant if it is known to be one, else a load; what it writes is stored where the block ends. A block
ends where the recursion turns to the next body. Values that a recursion keeps beyond the end of a block (sums over the
bodies) are stored and loaded by themselves.

Steps that return nothing are put off until something else happens: all that is done to one body is a segment, recorded
once for all bodies that are alike (see `instancing`).
"""

from __future__ import annotations

import math
import threading
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.calls import Call, Calls
from supple.engines.blocks.instancing import Prototypes, Replay, Segment, layout_of
from supple.engines.blocks.looped_code import Looped
from supple.engines.blocks.places import counted, noted_by
from supple.engines.blocks.signatures import Signature
from supple.expressions.graph import Expr, Graph

Address = tuple[str, int, int]
"""Of a leaf: its space, the first cell of its row and its place in the row."""
MEMORY, NUMBERS, LENGTH = "memory", "numbers", "length"
"""Spaces: cells of the state and of all that is computed from it, a value for each lane; numbers of the model; and no
space but a length, which a table holds as it is."""
CONSTRAINT = "i"
"""What steps of constraint equations call their number."""
SMALL = 48
"""Loads, operations and stores below which a block goes on with the next body."""
LARGE = 600
"""Nodes beyond which a block ends, in a segment at the next store: the time to compile grows faster than a block."""
MOST_STORES = 96
"""Stores beyond which a block outside segments ends, for the same reason: each may have a row of its own."""


class Recorded:
    """A block as it was recorded: a range of nodes, how many they are, and what is stored at its end, by address."""

    def __init__(self) -> None:
        self.stores: dict[int, tuple[Address, Expr]] = {}
        self.nodes = 0


class BlockRecorder(Graph):
    """A graph that is cut into blocks; nodes of earlier blocks may be used in later ones.

    Parameters
    ----------
    instancing : bool
        Whether segments that are alike are recorded once. The blocks are the same without it.
    shared : Prototypes, optional
        Segments of other recordings, to which this one adds its own.

    Attributes
    ----------
    blocks : list
        What was recorded, in order.
    cells : int
        How many there are.
    recorded_segments : int
        How many segments were recorded, not instanced.
    known, folded : array of float
        What is known of the cells and of the numbers at this point; NaN for nothing.
    """

    def __init__(self, instancing: bool = True, shared: Prototypes | None = None) -> None:
        self._first = 0
        self._constants: dict[float, Expr] = {}
        super().__init__()
        self.blocks: list[Recorded | Replay | Looped] = []
        self._firsts: list[int] = []
        self.cells = 0
        self.known, self.folded = array("d"), array("d", [math.nan])
        self._kept: dict[int, Address] = {}
        self._touched = 0
        self._element: Any = None
        self._calls = Calls()
        self._segment: Segment | None = None
        self._scratch: list[int] = []
        self._scratched = 0
        self._instancing, self._own = instancing, Prototypes()
        self._shared = self._own if shared is None else shared
        self.recorded_segments = 0
        self._begin()

    # ------------------------------------------------------------ memory

    def allocate(self, count: int, initial: Any = None) -> int:
        """The first of so many new cells, with what is there at the start if it is known."""
        first, self.cells = self.cells, self.cells + count
        if initial is None:
            self.known.extend([math.nan] * count)
        else:
            self.known.frombytes((np.asarray(initial, dtype=float) + 0.0).tobytes())  # no negative zero
        return first

    def fold(self, first: int, values: NDArray[np.float64], folded: tuple[float, ...]) -> None:
        """Say which numbers from the first on belong to the structure."""
        missing = first + values.size - len(self.folded)
        self.folded.extend([math.nan] * missing)
        known = np.where(np.isin(values, folded), values + 0.0, math.nan)
        self.folded[first : first + values.size] = array("d", known.tobytes())

    def read(self, at: int, row: int, term: int) -> Expr:
        """What is in the cell `at` of a row, which follows from a term."""
        if self._calls.waiting:
            self.perform()
        if self._segment is not None and self._segment.memory.add(at, row, term):
            self._segment.reads[at] = self.known[at]
        stored = self._stores.get(at)
        if stored is not None:
            return stored[1]
        value = self.known[at]
        return self.constant(value) if value == value else self._load(MEMORY, row, at - row)

    def number(self, at: int, row: int, term: int) -> Expr:
        """The number `at` of a row, which follows from a term."""
        if self._calls.waiting:
            self.perform()
        if self._segment is not None:
            self._segment.numbers.add(at, row, term)
        value = self.folded[at]
        return self.constant(value) if value == value else self._load(NUMBERS, row, at - row)

    def _load(self, space: str, row: int, column: int) -> Expr:
        """The leaf of a cell as it is when the block begins."""
        self._touched += 1
        value = space, row, column
        found = self._known.get(("input", value))
        if found is None:
            found = self._known["input", value] = Expr(self, len(self.nodes), "input", (), value)
            self.nodes.append(found)
        return found

    def write(self, at: int, row: int, term: int, value: Any) -> None:
        """Store a node or a number where the block ends."""
        if self._calls.waiting:
            self.perform()
        if self._segment is not None:
            self._segment.memory.add(at, row, term)
        self._touched += 1
        self._stores[at] = ((MEMORY, row, at - row), self.node(value))
        if len(self._known) > LARGE or (self._segment is None and len(self._stores) > MOST_STORES):
            self._end()

    # ------------------------------------------------------------ blocks

    def turn_to(self, element: tuple[str, Any]) -> None:
        """What follows belongs to another body or force element."""
        self.perform()
        if element != self._element:
            self._element = element
            self.cut()

    def cut(self, small: int = SMALL) -> None:
        """End the block, unless it is a small one."""
        self.perform()
        if len(self._known) + self._touched >= small:
            self.end()

    def end(self) -> None:
        """End the block, with all that was put off."""
        self.perform()
        self._end()

    def _end(self) -> None:
        for at, (_, node) in self._stores.items():
            self.known[at] = node.value if node.op == "constant" else math.nan
        self._begin()

    def _begin(self) -> None:
        """Begin a new block."""
        if self.blocks and isinstance(self.blocks[-1], Recorded):
            self.blocks[-1].nodes = len(self.nodes) - self._first
        self._first, self._touched = len(self.nodes), 0
        self._forget()
        recorded = Recorded()
        self._stores = recorded.stores
        self.blocks.append(recorded)
        self._firsts.append(self._first)

    def _forget(self) -> None:
        """What cells held when the block began says nothing about the next."""
        self._known.clear()

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
                self._keep(x)
        return self._load(*self._kept[x.id])

    def _keep(self, x: Expr) -> None:
        """Store a node of an earlier block there; in a segment, where other segments do so too."""
        if self._segment is None:
            at = self.allocate(1)
        else:
            if self._scratched == len(self._scratch):
                self._scratch.append(self.allocate(1))
            at = self._scratch[self._scratched]
            self._segment.scratch[at] = self._scratched
            self._scratched += 1
            self._segment.memory.add(at, at, 0)
        self._kept[x.id] = (MEMORY, at, 0)
        block = self.blocks[bisect_right(self._firsts, x.id) - 1]
        assert isinstance(block, Recorded)
        block.stores[at] = (self._kept[x.id], x)

    def constant(self, value: float) -> Expr:
        """The node of a number."""
        found = self._constants.get(value)
        if found is None:
            number = float(value) + 0.0  # no negative zero
            found = self._constants[number] = Expr(self, len(self.nodes), "constant", (), number)
            self.nodes.append(found)
        return found

    def _make(self, op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
        if args and len(self._known) > LARGE and self._segment is None:
            self._end()
        first = self._first
        key: tuple[Any, ...]
        if len(args) == 2:  # most of them
            a, b = args
            if (a.id < first and a.op != "constant") or (b.id < first and b.op != "constant"):
                args = a, b = self.node(a), self.node(b)
            key = (op, a.id, b.id)
        else:
            if any(a.id < first and a.op != "constant" for a in args):
                args = tuple([self.node(x) for x in args])
            key = (op, value) if not args else (op, *[a.id for a in args])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Expr(self, len(self.nodes), op, args, value)
            self.nodes.append(found)
        return found

    def release(self) -> None:
        """Let go of all nodes, which know this graph as it knows them: else they wait for a collection of garbage.

        Prototypes keep theirs, and with them what is left of this recorder: nothing.
        """
        self.nodes, self.blocks, self._own, self._calls = [], [], Prototypes(), Calls()
        self.known, self.folded, self._firsts = array("d"), array("d"), []
        for nodes in (self._known, self._constants, self._stores, self._kept):
            nodes.clear()

    # ------------------------------------------------------------ segments

    def call(self, step: Callable[..., Any], element: tuple[str, Any], place: int, args: tuple[Any, ...]) -> None:
        """Put off a step that returns nothing; the body or force element is its argument at a place."""
        if self._segment is not None:
            self.turn_to(element)
            step(*args)
            return
        if self._calls.waiting and element != self._calls.element:
            self.perform()
        if not self._calls.add(step, element, place, args):
            self.perform()
            self.turn_to(element)
            step(*args)

    def perform(self) -> None:
        """Do what was put off: record it, or take it from a segment that was alike."""
        if not self._calls.waiting:
            return
        if self._stores or self._known:
            self._end()
        signature, arguments, calls = self._calls.take()
        found = self._find(signature, arguments) if self._instancing else None
        if found is None:
            self._record(signature, arguments, calls)
        else:
            found.prototype.write(found.rows, self.known)
            self.blocks[-1:] = [found, self.blocks[-1]]
            self._firsts.append(self._first)
        self._element = self._calls.element

    def _find(self, signature: Signature, arguments: list[int]) -> Replay | None:
        """A segment that was alike, here or in another recording."""
        for prototypes in {id(x): x for x in (self._shared, self._own)}.values():
            found = prototypes.find(signature, arguments, self._kept_cells, self.known, self.folded)
            if found is not None:
                return found
        return None

    def _kept_cells(self, count: int) -> list[int]:
        """The first cells where segments keep values."""
        while len(self._scratch) < count:
            self._scratch.append(self.allocate(1))
        return self._scratch[:count]

    def _record(self, signature: Signature, arguments: list[int], calls: list[Call]) -> None:
        """Record a segment from the beginning of a block to the end of one."""
        segment = self._segment = Segment(signature, arguments)
        self._scratched, first = 0, len(self.blocks) - 1
        element, *integers = segment.origins.arguments
        self._element = (self._calls.element[0], element)
        with noted_by(segment.origins):
            for call in calls:
                call.run(element, integers)
        self._end()
        self._segment = None
        self.recorded_segments += 1
        if self._instancing:
            self._keep_segment(segment, first)

    def _keep_segment(self, segment: Segment, first: int) -> None:
        """Make a prototype of all blocks from the first on; this is its first instance."""
        blocks = self.blocks[first:-1]
        written = {at: self.known[at] for block in blocks if isinstance(block, Recorded) for at in block.stores}
        layout = layout_of(segment)
        prototypes = self._shared if layout.anywhere else self._own
        made = prototypes.add(segment, layout, blocks, written, self.folded)
        rows = np.array([row for space in (segment.memory, segment.numbers) for row in space.rows], dtype=np.int64)
        self.blocks[first:-1] = [Replay(made, rows)]
        self._firsts[first:-1] = [self._firsts[first]]

    def measure(self) -> None:
        """Somebody asks for the length of an array, which then decides what is recorded."""
        if self._segment is not None:
            self._segment.measured = True


_active = threading.local()


@contextmanager
def recording(recorder: BlockRecorder) -> Iterator[None]:
    """Let twins made with `by_element` tell this recorder which body they work on."""
    _active.recorder = recorder
    try:
        yield
    finally:
        del _active.recorder


def in_straight_code() -> bool:
    """Whether what is recorded now shall have no steps in loops, because it needs tangents."""
    return bool(getattr(getattr(_active, "recorder", None), "straight", False))


def in_loops(step: Any) -> Callable[..., None]:
    """A step on arrays that is recorded as loops, not as what it does with each entry."""

    def looped(*arrays: Any) -> None:
        _active.recorder.loops(step, *arrays)

    return looped


def by_element(twin: FunctionType) -> Callable[..., Any]:
    """A step of body k or of force element e, which tells the recorder so."""
    twin.__globals__["range"] = counted
    code = twin.__code__
    parameters = code.co_varnames[: code.co_argcount]
    element = next((name for name in ("k", "e", CONSTRAINT) if name in parameters), None)
    around = {"cw"} if element == CONSTRAINT else {"tree", "flex", "ws"}
    if element is None or around.isdisjoint(parameters):
        return twin
    place = parameters.index(element)

    def put_off(*args: Any) -> None:
        _active.recorder.call(twin, (element, args[place]), place, args)

    def step(*args: Any) -> Any:
        _active.recorder.turn_to((element, args[place]))
        return twin(*args)

    return put_off if twin.__annotations__.get("return") == "None" else step
