"""The driver: takes states from rows of arrays into lanes, walks the blocks, puts results into rows.

Several groups of states, each of as many as there are lanes, go through a block before the next is called: what one
group waits for, the next one's arithmetic fills, and the block is in the instruction cache but for the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from supple.engines.blocks.loop_code import LoopWriter
from supple.engines.blocks.tiers import count_down

DRIVER = "supple_driver"
ARGUMENTS = "ptr %program, i64 %start, i64 %stop, ptr %arrays, ptr %strides, ptr %memory, ptr %numbers"
INPUTS, OUTPUTS, BLOCKS, SPAN, SIZE, HEADER = range(2, 8)
"""Words of a program after those of `tiers`; places of its inputs and outputs begin at the last."""


def driver_text(lanes: int) -> str:
    """The driver in LLVM code.

        void driver(i64 *program, i64 start, i64 stop, double **arrays, i64 *strides, double *memory, double *numbers)

    A program is: the words of `tiers`; inputs, outputs, blocks (how many of each), the states that go through a block
    in turn, the bytes of memory for a group of them; then for each input and each output its first cell and its
    length; then for each block the address of its function and that of its table. A state's row in an array begins at
    its stride times its number. Lanes beyond the last state take the last state again.
    """
    f = DriverWriter(f"define void @{DRIVER}({ARGUMENTS}) nounwind", lanes)
    inputs, outputs, blocks, span = (f.load("i64", "%program", str(i)) for i in (INPUTS, OUTPUTS, BLOCKS, SPAN))
    count = f.value(f"add i64 {inputs}, {outputs}")
    calls = f.at("i64", f.at("i64", "%program", str(HEADER)), f.value(f"shl i64 {count}, 1"))
    with f.loop("%start", "%stop", span) as first:
        after = f.least(f.value(f"add i64 {first}, {span}"), "%stop")
        with f.loop(first, after, lanes) as state:
            f.gather(first, state, inputs)
        with f.loop("0", blocks) as b:
            at = f.at("i64", calls, f.value(f"shl i64 {b}, 1"))
            function, table = f.load("ptr", at), f.load("ptr", at, "1")
            with f.loop(first, after, lanes) as state:
                f.line(f"call void {function}(ptr {f.memory(first, state)}, ptr %numbers, ptr {table})")
        with f.loop(first, after, lanes) as state:
            f.scatter(first, state, inputs, count)
    states = f.value("sub i64 %stop, %start")
    count_down(f, f.value(f"sdiv i64 {f.value(f'add i64 {states}, {lanes - 1}')}, {lanes}") if lanes > 1 else states)
    return f.text()


class DriverWriter(LoopWriter):
    """The text of a driver."""

    def __init__(self, head: str, lanes: int) -> None:
        super().__init__(head)
        self.lanes, self.type = lanes, vector_of(lanes)

    def memory(self, first: str, state: str) -> str:
        """The cells of the group that begins with a state, the first group being that of `first`."""
        before = self.value(f"sub i64 {state}, {first}")
        group = self.value(f"sdiv exact i64 {before}, {self.lanes}") if self.lanes > 1 else before
        size = self.load("i64", "%program", str(SIZE))
        return self.at("i8", "%memory", self.value(f"mul i64 {group}, {size}"))

    def rows(self, array: str, state: str) -> list[str]:
        """Where the rows of the states in the lanes begin."""
        last = self.value("sub i64 %stop, 1")
        states = [self.least(self.value(f"add i64 {state}, {i}"), last) for i in range(self.lanes)]
        return [self.row(array, x) for x in states]

    def place(self, array: str, memory: str) -> tuple[str, str]:
        """The cells of an array, and their number."""
        at = self.at("i64", "%program", self.value(f"add i64 {HEADER}, {self.value(f'shl i64 {array}, 1')}"))
        first, length = self.load("i64", at), self.load("i64", at, "1")
        return self.at("double", memory, self.value(f"mul i64 {first}, {self.lanes}")), length

    def gather(self, first: str, state: str, inputs: str) -> None:
        """Cells of the lanes from the rows of the inputs."""
        memory = self.memory(first, state)
        with self.loop("0", inputs) as i:
            self.gather_array(memory, state, i)

    def gather_array(self, memory: str, state: str, i: str) -> None:
        """Cells of the lanes from the rows of one input."""
        rows = self.rows(i, state)
        cells, length = self.place(i, memory)
        for width in self.widths():
            with self.tiles(length, width) as j:
                parts = [self.value(f"load {vector_of(width)}, ptr {self.at('double', x, j)}, align 8") for x in rows]
                joined = [self.joined(parts[k::width]) for k in range(width)]
                for k, x in enumerate(self.transposed(joined, width)):
                    self.line(f"store {self.type} {x}, ptr {self.cell(cells, j, k)}, align {8 * self.lanes}")

    def scatter(self, first: str, state: str, inputs: str, count: str) -> None:
        """Rows of the outputs from the cells of the lanes."""
        memory = self.memory(first, state)
        with self.loop(inputs, count) as o:
            rows = self.rows(o, state)
            cells, length = self.place(o, memory)
            if self.lanes == 1:  # a loop that becomes one of vectors
                with self.loop("0", length) as j:
                    self.line(f"store double {self.load('double', cells, j)}, ptr {self.at('double', rows[0], j)}")
            else:
                self.scatter_array(cells, length, rows)

    def scatter_array(self, cells: str, length: str, rows: list[str]) -> None:
        """Rows of one output from the cells of the lanes."""
        for width in self.widths():
            with self.tiles(length, width) as j:
                columns = [self._value(cells, j, k) for k in range(width)]
                for k, x in enumerate(self.transposed(columns, width)):
                    for row, part in zip(rows[k::width], self.parts(x, width), strict=True):
                        self.line(f"store {vector_of(width)} {part}, ptr {self.at('double', row, j)}, align 8")

    def cell(self, cells: str, j: str, k: int = 0) -> str:
        """The address of cell j + k."""
        number = self.value(f"add i64 {j}, {k}") if k else j
        return self.at("double", cells, self.value(f"mul i64 {number}, {self.lanes}"))

    def _value(self, cells: str, j: str, k: int = 0) -> str:
        return self.value(f"load {self.type}, ptr {self.cell(cells, j, k)}, align {8 * self.lanes}")

    def widths(self) -> list[int]:
        """Columns of tiles: as many as there are lanes, and powers of two for arrays of fewer."""
        return [self.lanes >> n for n in range(self.lanes.bit_length())]

    @contextmanager
    def tiles(self, length: str, width: int) -> Iterator[str]:
        """A loop over tiles of a width, the last one overlapping; none where wider tiles serve, or narrower ones."""
        last = self.value(f"sub i64 {length}, {width}")
        serves = f"icmp sge i64 {last}, 0"
        if width < self.lanes:
            serves = f"icmp ult i64 {last}, {width}"
        stop = self.value(f"select i1 {self.value(serves)}, i64 {length}, i64 0")
        with self.loop("0", stop, width) as j:
            yield self.least(j, last)

    def joined(self, parts: list[str]) -> str:
        """Narrow vectors one after the other, in all lanes."""
        while len(parts) > 1:
            width = self.lanes // len(parts)
            places = range(2 * width)
            parts = [self._shuffled(x, y, places, width) for x, y in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    def parts(self, x: str, width: int) -> list[str]:
        """A vector in narrow ones."""
        if width == self.lanes:
            return [x]
        return [self._shuffled(x, "poison", range(i, i + width)) for i in range(0, self.lanes, width)]

    def transposed(self, rows: list[str], width: int) -> list[str]:
        """The columns of square tiles that lie side by side: log2(width) rounds of exchanges between rows d apart."""
        n, d = self.lanes, 1
        while d < width:
            upper = [k if not k & d else n + k - d for k in range(n)]
            lower = [k + d if not k & d else n + k for k in range(n)]
            for i in (i for i in range(width) if not i & d):
                x, y = rows[i], rows[i + d]
                rows[i], rows[i + d] = (self._shuffled(x, y, places) for places in (upper, lower))
            d *= 2
        return rows

    def _shuffled(self, x: str, y: str, places: Sequence[int], width: int | None = None) -> str:
        kind, mask = vector_of(width or self.lanes), ", ".join(f"i32 {k}" for k in places)
        return self.value(f"shufflevector {kind} {x}, {kind} {y}, <{len(places)} x i32> <{mask}>")


def vector_of(width: int) -> str:
    """The type of a vector."""
    return f"<{width} x double>"
