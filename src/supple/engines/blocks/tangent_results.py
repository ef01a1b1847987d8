"""What takes the changes of a group of directions: into rows of Jacobians, as they are or multiplied by a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from supple.engines.blocks.arithmetic_code import CONTRACTED, vector
from supple.engines.blocks.loop_code import LoopWriter

ARGUMENTS = "ptr %values, ptr %tangents, ptr %arrays, ptr %strides, i64 %first, i64 %after, ptr %table"
ROWS, SUMS = 6, 8
"""Rows or sums of a product that are made side by side: a sum waits for itself, and registers are few."""


class ResultWriter(LoopWriter):
    """The text of a function of values, tangents, arrays and their strides, a range of states, and a table of words.

    Directions in a table: how many, then for each an array, a column and the length of a row. Cells: how many, then for
    each the byte offset of its changes and its row.

    Parameters
    ----------
    name : str
    lanes : int
    states : bool
        Whether the lanes are states; else directions.
    """

    def __init__(self, name: str, lanes: int, states: bool) -> None:
        super().__init__(f"define void @{name}({ARGUMENTS}) nounwind")
        self.lanes, self.states, self.kind = lanes, states, vector(lanes)
        self.columns, self.lengths = self.slot(f"[{lanes} x ptr]"), self.slot(f"[{lanes} x i64]")
        self.nowhere, self.ahead = self.slot("double"), "0"

    def text(self) -> str:
        """The whole function."""
        return super().text() + "\ndeclare void @llvm.prefetch.p0(ptr, i32, i32, i32)"

    def changes(self, at: str) -> str:
        """A vector in memory."""
        return self.value(f"load {self.kind}, ptr {at}, align {8 * self.lanes}")

    def keep(self, x: str, at: str) -> None:
        """Store a vector."""
        self.line(f"store {self.kind} {x}, ptr {at}, align {8 * self.lanes}")

    def lane(self, x: str, k: int) -> str:
        """One lane of a vector."""
        return x if self.lanes == 1 else self.value(f"extractelement {self.kind} {x}, i64 {k}")

    def weight(self, base: str, index: str) -> str:
        """An entry of an array of values, in all lanes."""
        if self.states:
            return self.load(self.kind, base, index, 8 * self.lanes)
        x = self.load("double", base, index)
        if self.lanes == 1:
            return x
        one = self.value(f"insertelement {self.kind} poison, double {x}, i64 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.value(f"shufflevector {self.kind} {one}, {self.kind} poison, {zeros}")

    def lane_state(self, k: int) -> str:
        """The state of a lane; those beyond the last one have the last."""
        if not self.states:
            return "%first"
        return self.least(self.value(f"add i64 %first, {k}"), self.value("sub i64 %after, 1"))

    def aim(self, words: str) -> str:
        """Take directions; lanes that have none go nowhere. Gives what follows in the table."""
        count, entries = self.load("i64", words), self.at("i64", words, "1")
        for k in range(self.lanes):
            entry = self.at("{ i64, i64, i64 }", entries, "0" if self.states else str(k))
            used = "true" if self.states else self.value(f"icmp slt i64 {k}, {count}")
            array = self.value(f"select i1 {used}, i64 {self.load('i64', entry, '0')}, i64 0")
            column = self.at("double", self.row(array, self.lane_state(k)), self.load("i64", entry, "1"))
            place = self.value(f"select i1 {used}, ptr {column}, ptr {self.nowhere}")
            length = self.value(f"select i1 {used}, i64 {self.load('i64', entry, '2')}, i64 0")
            self.line(f"store ptr {place}, ptr {self.at('ptr', self.columns, str(k))}")
            self.line(f"store i64 {length}, ptr {self.at('i64', self.lengths, str(k))}")
        return self.at("{ i64, i64, i64 }", entries, count)

    def put(self, x: str, row: str) -> None:
        """Store the lanes in one row of where they go."""
        for k in range(self.lanes):
            offset = self.value(f"mul i64 {row}, {self.load('i64', self.lengths, str(k))}")
            place = self.at("double", self.load("ptr", self.columns, str(k)), offset)
            self.line(f"store double {self.lane(x, k)}, ptr {place}")

    def rows_of(self, array: str) -> list[str]:
        """Where the rows of the states begin in an array: one, or one for each lane."""
        self.ahead = self.value(f"mul i64 {self.lanes}, {self.load('i64', '%strides', array)}")
        return [self.row(array, self.lane_state(k)) for k in range(self.lanes if self.states else 1)]

    def spread(self, x: list[str], rows: list[str], at: str, count: str) -> None:
        """Store entries side by side in the rows of an array, as many as there are lanes or only `count` of them.

        Of one state they are the lanes of one vector; of many states there is a vector for each.
        """
        turned = self._turned(x) if self.states else x
        full = self.value(f"icmp eq i64 {count}, {self.lanes}")
        places = [self.at("double", row, at) for row in rows]
        with self.loop("0", self.value(f"zext i1 {full} to i64")):
            for entries, place in zip(turned, places, strict=True):
                self.line(f"store {self.kind} {entries}, ptr {place}, align 8")
        for k in range(self.lanes - 1):  # the first few, if not all
            more = self.value(f"icmp sgt i64 {count}, {k}")
            alone = self.value(f"select i1 {full}, i1 false, i1 {more}")
            with self.loop("0", self.value(f"zext i1 {alone} to i64")):
                for entries, place in zip(turned, places, strict=True):
                    self.line(f"store double {self.lane(entries, k)}, ptr {self.at('double', place, str(k))}")

    def fetch(self, rows: list[str], at: str) -> None:
        """Fetch the line of an entry in the rows of the next states, while these are computed."""
        for row in rows if self.states else ():
            place = self.at("double", self.at("double", row, at), self.ahead)
            self.line(f"call void @llvm.prefetch.p0(ptr {place}, i32 1, i32 3, i32 1)")

    def _turned(self, x: list[str]) -> list[str]:
        """Vectors of lanes from as many vectors: the transpose, by exchanges at distances 1, 2, 4."""
        n, x = self.lanes, list(x)
        step = 1
        while step < n:
            for i in (i for i in range(n) if not i & step):
                low = [n + k - step if k & step else k for k in range(n)]
                high = [n + k if k & step else k + step for k in range(n)]
                x[i], x[i + step] = (self._mixed(x[i], x[i + step], chosen) for chosen in (low, high))
            step *= 2
        return x

    def _mixed(self, a: str, b: str, chosen: list[int]) -> str:
        mask = ", ".join(f"i32 {k}" for k in chosen)
        return self.value(f"shufflevector {self.kind} {a}, {self.kind} {b}, <{len(chosen)} x i32> <{mask}>")

    @contextmanager
    def cells(self, words: str) -> Iterator[tuple[str, str]]:
        """A loop over cells: changes and row."""
        with self.loop("0", self.load("i64", words)) as i:
            cell = self.at("{ i64, i64 }", self.at("i64", words, "1"), i)
            yield self.changes(self.at("i8", "%tangents", self.load("i64", cell, "0"))), self.load("i64", cell, "1")


def scatter(lanes: int, states: bool) -> str:
    """Changes of results as they are. The table: number of results, then for each directions and cells."""
    f = ResultWriter("scatter", lanes, states)
    place = f.slot("ptr")
    f.line(f"store ptr {f.at('i64', '%table', '1')}, ptr {place}")
    with f.loop("0", f.load("i64", "%table")):
        words = f.aim(f.value(f"load ptr, ptr {place}"))
        with f.cells(words) as (x, row):
            f.put(x, row)
        f.line(f"store ptr {f.at('{ i64, i64 }', f.at('i64', words, '1'), f.load('i64', words))}, ptr {place}")
    return f.text()


def _into_matrix(f: ResultWriter, mirrored: bool) -> str:
    """Changes of one result into a matrix among the values, a column for each direction.

    The table: byte offset of the matrix, length of its rows; directions, of which the columns count; cells.
    """
    first, length = f.at("i8", "%values", f.load("i64", "%table", "0")), f.load("i64", "%table", "1")
    words = f.at("i64", "%table", "2")
    count, entries = f.load("i64", words), f.at("i64", words, "1")
    with f.cells(f.at("{ i64, i64, i64 }", entries, count)) as (x, row):
        for k in range(1 if f.states else f.lanes):
            column = f.load("i64", f.at("{ i64, i64, i64 }", entries, str(k)), "1")
            used = f.value(f"icmp slt i64 {k}, {count}")
            if mirrored:
                used = f.value(f"and i1 {used}, {f.value(f'icmp sle i64 {row}, {column}')}")
            for i, j in ((row, column), (column, row))[: 1 + mirrored]:
                entry = f.value(f"add i64 {f.value(f'mul i64 {i}, {length}')}, {j}")
                if f.states:
                    f.keep(x, f.at(f.kind, first, entry))
                else:
                    at = f.value(f"select i1 {used}, ptr {f.at('double', first, entry)}, ptr {f.nowhere}")
                    f.line(f"store double {f.lane(x, k)}, ptr {at}")
    return f.text()


def matrix(lanes: int, states: bool) -> str:
    """Changes into a matrix, see `_into_matrix`."""
    return _into_matrix(ResultWriter("matrix", lanes, states), False)


def symmetric(lanes: int, states: bool) -> str:
    """The same of a symmetric matrix, of which the rows up to the diagonal are given."""
    return _into_matrix(ResultWriter("symmetric", lanes, states), True)


def product(lanes: int, states: bool) -> str:
    """-W D into an array, W and D among the values, W symmetric.

    The table: byte offset of W, its rows; byte offset of D; the array, its columns; number of blocks of columns; then
    for each the first column, how many are stored, and the rows of D that are not zero there: how many, and for each
    the byte offsets of the rows of W and D.
    """
    f = ResultWriter("product", lanes, states)
    at_W, n, at_D, array, columns, blocks = (f.load("i64", "%table", str(i)) for i in range(6))
    W, D = f.at("i8", "%values", at_W), f.at("i8", "%values", at_D)
    last, places = f.value(f"sub i64 {n}, 1"), f.rows_of(array)
    wide, high = (lanes, max(1, SUMS // lanes)) if states else (1, ROWS)
    sums = [[f.slot(f.kind) for _ in range(wide)] for _ in range(high)]
    place = f.slot("ptr")
    f.line(f"store ptr {f.at('i64', '%table', '6')}, ptr {place}")
    with f.loop("0", blocks):
        block = f.value(f"load ptr, ptr {place}")
        first, stored, count = (f.load("i64", block, str(i)) for i in range(3))
        used = f.at("i64", block, "3")
        with f.loop("0", n, high) as i:
            rows = [f.least(f.value(f"add i64 {i}, {r}"), last) for r in range(high)]
            for line in sums:
                for total in line:
                    f.keep("0.0" if lanes == 1 else "zeroinitializer", total)
            with f.loop("0", count) as j:
                pair = f.at("{ i64, i64 }", used, j)
                line_W, line_D = (f.at("i8", x, f.load("i64", pair, c)) for x, c in ((W, "0"), (D, "1")))
                _add_products(f, line_W, line_D, rows, sums)
            for row, line in zip(rows, sums, strict=True):
                at = f.value(f"add i64 {f.value(f'mul i64 {row}, {columns}')}, {first}")
                f.spread([f.changes(total) for total in line], places, at, stored)
        f.line(f"store ptr {f.at('{ i64, i64 }', used, count)}, ptr {place}")
    return f.text()


def _add_products(f: ResultWriter, W: str, D: str, rows: list[str], sums: list[list[str]]) -> None:
    """Add what one row of W and D gives."""
    align = 8 * f.lanes if f.states else 8
    factors = [f.load(f.kind, D, str(c), align) for c in range(len(sums[0]))]
    for row, line in zip(rows, sums, strict=True):
        weight = f.weight(W, row)
        for x, total in zip(factors, line, strict=True):
            term = f.value(f"{CONTRACTED['mul']} {f.kind} {weight}, {x}")
            f.keep(f.value(f"{CONTRACTED['sub']} {f.kind} {f.changes(total)}, {term}"), total)


def copied(lanes: int, states: bool) -> str:
    """Values as they are. The table: byte offset of the first, their number, the array."""
    f = ResultWriter("copied", lanes, states)
    offset, n, array = (f.load("i64", "%table", str(i)) for i in range(3))
    values, places = f.at("i8", "%values", offset), f.rows_of(array)
    with f.loop("0", n, lanes) as i:
        count = f.least(f.value(f"sub i64 {n}, {i}"), str(lanes))
        if states:
            last = f.value(f"sub i64 {n}, 1")
            entries = [f.least(f.value(f"add i64 {i}, {k}"), last) for k in range(lanes)]
            x = [f.load(f.kind, values, at, 8 * lanes) for at in entries]
        else:
            x = [f.load(f.kind, f.at("double", values, i), "0", 8)]
        f.spread(x, places, i, count)
    return f.text()


RESULTS = {"scatter": scatter, "matrix": matrix, "symmetric": symmetric, "product": product, "copied": copied}
"""By name."""
