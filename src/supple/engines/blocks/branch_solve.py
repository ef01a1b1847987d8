"""Solutions of M x = d with the branch-induced sparsity of M: factors in place, then many right sides side by side.

M = L* D L with L unit lower triangular, whose row k has entries for the ancestors of k alone. A right side goes inward
through L*, then outward through D and L. As many columns as `vectors` says are kept in registers while they are summed.
See `recursions/triangular.py` for the method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from supple.engines.blocks.arithmetic_code import CONTRACTED
from supple.engines.blocks.tangent_groups import KnownJacobian
from supple.engines.blocks.tangent_results import ResultWriter

WIDEST_TILE = 64
"""Most columns of a tile, for up to eight lanes."""

LINE = 8
"""Numbers in a line of the cache."""
HALF = 1 << 32
"""Of a word: the second half is so many times what it is."""


def vectors(columns: int, lanes: int, states: bool) -> int:
    """How many vectors of right sides are summed at once, so that few are left over.

    A vector holds one column of many states, and so many vectors are stored together; or many columns of one state.
    """
    sizes = range(max(4, lanes), max(12, lanes) + 1, max(4, lanes)) if states else range(1, 9)
    needed = columns if states else -(-columns // lanes)
    return min(sizes, key=lambda x: (-(-needed // x) * x, -x))


class Branches(NamedTuple):
    """Where the matrix M is, and which rows of it are the ancestors of each, the nearest first.

    Attributes
    ----------
    first : int
        First cell of M.
    ancestors : sequence
    scratch : int
        First of `WIDEST_TILE` cells for each row, for the solutions.
    unit : int
        First of 2 `WIDEST_TILE` cells, zero up to the -1 after the first half.
    """

    first: int
    ancestors: Sequence[Sequence[int]]
    scratch: int
    unit: int


def factor(lanes: int, states: bool) -> str:
    """Overwrite M by L and the reciprocals of D.

    The table: number of rows; for each, last first: byte offsets of its diagonal entry and of its row, number of
    ancestors, and for each the byte offsets of its column in a row and of its row.
    """
    f = ResultWriter("factor", lanes if states else 1, states)
    place = f.slot("ptr")
    f.line(f"store ptr {f.at('i64', '%table', '1')}, ptr {place}")
    one = "1.0" if f.lanes == 1 else "<" + ", ".join(["double 1.0"] * f.lanes) + ">"
    with f.loop("0", f.load("i64", "%table")):
        words = f.value(f"load ptr, ptr {place}")
        diagonal, row = (f.at("i8", "%values", f.load("i64", words, str(i))) for i in (0, 1))
        count, pairs = f.load("i64", words, "2"), f.at("i64", words, "3")
        inverse = f.value(f"{CONTRACTED['div']} {f.kind} {one}, {f.changes(diagonal)}")
        f.keep(inverse, diagonal)
        with f.loop("0", count) as p:
            pair = f.at("{ i64, i64 }", pairs, p)
            entry, other = f.at("i8", row, f.load("i64", pair, "0")), f.at("i8", "%values", f.load("i64", pair, "1"))
            ratio = f.value(f"{CONTRACTED['mul']} {f.kind} {f.changes(entry)}, {inverse}")
            with f.loop(p, count) as t:
                column = f.load("i64", f.at("{ i64, i64 }", pairs, t), "0")
                changed = f.at("i8", other, column)
                f.keep(_less(f, f.changes(changed), ratio, f.changes(f.at("i8", row, column))), changed)
            f.keep(ratio, entry)
        f.line(f"store ptr {f.at('{ i64, i64 }', pairs, count)}, ptr {place}")
    return f.text()


def factor_table(own: Branches, width: int) -> list[int]:
    """The table of `factor`."""
    n = len(own.ancestors)
    table = [n]
    for k in range(n - 1, -1, -1):
        row = own.first + k * n
        table += [8 * width * (row + k), 8 * width * row, len(own.ancestors[k])]
        table += [8 * width * x for i in own.ancestors[k] for x in (i, own.first + i * n)]
    return table


def solve(lanes: int, states: bool, count: int) -> str:
    """-M^-1 D into an array, so many vectors of columns at a time. Given L and the reciprocals of D in place of M.

    The table: the array, its columns; byte offset of the outward list from here, number of rows, number of tiles; for
    each tile its first column, how many are stored; the rows that are zero inward: how many, byte offsets of their
    solutions; the other rows, last first: how many, for each byte offsets of its entries in D and of its solution,
    number of terms, and for each byte offsets of the factor and of the solution in one word. Outward, for each row byte
    offsets of 1 / D and of its solution, and terms.
    """
    f = ResultWriter("solve", lanes, states)
    array, columns, outward, n, tiles = (f.load("i64", "%table", str(i)) for i in range(5))
    rows, start = f.rows_of(array), f.at("i8", "%table", outward)
    place = f.slot("ptr")
    sums = [f.slot(f.kind) for _ in range(count)]
    f.line(f"store ptr {f.at('i64', '%table', '5')}, ptr {place}")
    with f.loop("0", tiles):
        words = f.value(f"load ptr, ptr {place}")
        first, stored, zeros = (f.load("i64", words, str(i)) for i in range(3))
        f.line(f"store ptr {f.at('i64', words, '3')}, ptr {place}")
        _clear(f, zeros, count, place)
        _inward(f, sums, place)
        at = f.slot("ptr")
        f.line(f"store ptr {start}, ptr {at}")
        with f.loop("0", n) as i:
            _outward(f, sums, at)
            begin = f.value(f"add i64 {f.value(f'mul i64 {i}, {columns}')}, {first}")
            _put(f, sums, rows, begin, stored)
    return f.text()


def _less(f: ResultWriter, x: str, a: str, b: str) -> str:
    """x - a b."""
    product = f.value(f"{CONTRACTED['mul']} {f.kind} {a}, {b}")
    return f.value(f"{CONTRACTED['sub']} {f.kind} {x}, {product}")


def _cells(f: ResultWriter, base: str, t: int) -> str:
    """The t-th vector of a row of a tile."""
    return f.load(f.kind, base, str(t), 8 * f.lanes if f.states else 8)


def _clear(f: ResultWriter, rows: str, count: int, place: str) -> None:
    """Solutions of rows that are zero."""
    words = f.value(f"load ptr, ptr {place}")
    with f.loop("0", rows) as i:
        x = f.at("i8", "%values", f.load("i64", words, i))
        for t in range(count):
            zero = "0.0" if f.lanes == 1 else "zeroinitializer"
            f.line(f"store {f.kind} {zero}, ptr {f.at(f.kind, x, str(t))}, align 8")
    f.line(f"store ptr {f.at('i64', words, rows)}, ptr {place}")


def _terms(f: ResultWriter, sums: list[str], words: str, place: str) -> None:
    """Subtract a list of products from the sums; the list goes on after it."""
    count, pairs = f.load("i64", words), f.at("i64", words, "1")
    with f.loop("0", count) as p:
        pair = f.load("i64", pairs, p)
        weight = f.weight(f.at("i8", "%values", f.value(f"and i64 {pair}, {HALF - 1}")), "0")
        x = f.at("i8", "%values", f.value(f"lshr i64 {pair}, 32"))
        for t, total in enumerate(sums):
            f.keep(_less(f, f.changes(total), weight, _cells(f, x, t)), total)
    f.line(f"store ptr {f.at('i64', pairs, count)}, ptr {place}")


def _keep(f: ResultWriter, sums: list[str], x: str) -> None:
    for t, total in enumerate(sums):
        f.line(f"store {f.kind} {f.changes(total)}, ptr {f.at(f.kind, x, str(t))}, align 8")


def _inward(f: ResultWriter, sums: list[str], place: str) -> None:
    """x = -L*^-1 D."""
    head = f.value(f"load ptr, ptr {place}")
    f.line(f"store ptr {f.at('i64', head, '1')}, ptr {place}")
    with f.loop("0", f.load("i64", head)):
        words = f.value(f"load ptr, ptr {place}")
        D, x = (f.at("i8", "%values", f.load("i64", words, str(i))) for i in (0, 1))
        for t, total in enumerate(sums):
            f.keep(f.value(f"fneg {f.kind} {_cells(f, D, t)}"), total)
        _terms(f, sums, f.at("i64", words, "2"), place)
        _keep(f, sums, x)


def _outward(f: ResultWriter, sums: list[str], place: str) -> None:
    """One row of x = L^-1 D^-1 x."""
    words = f.value(f"load ptr, ptr {place}")
    inverse = f.weight(f.at("i8", "%values", f.load("i64", words, "0")), "0")
    x = f.at("i8", "%values", f.load("i64", words, "1"))
    for t, total in enumerate(sums):
        f.keep(f.value(f"{CONTRACTED['mul']} {f.kind} {inverse}, {_cells(f, x, t)}"), total)
    _terms(f, sums, f.at("i64", words, "2"), place)
    _keep(f, sums, x)


def _put(f: ResultWriter, sums: list[str], rows: list[str], begin: str, stored: str) -> None:
    """Store the sums side by side, as many as there are columns."""
    group = f.lanes if f.states else 1
    for t in range(0, len(sums), group):
        width = f.lanes
        first = t if f.states else t * width
        left = f.value(f"sub i64 {stored}, {first}")
        count = f.least(f.value(f"select i1 {f.value(f'icmp slt i64 {left}, 0')}, i64 0, i64 {left}"), str(width))
        x, at = [f.changes(total) for total in sums[t : t + group]], f.value(f"add i64 {begin}, {first}")
        if first % LINE == 0:
            f.fetch(rows, at)
        f.spread(x, rows, at, count)


def solve_table(own: Branches, size: tuple[int, int], array: int, D: KnownJacobian) -> list[int]:
    """The table of `solve`.

    Parameters
    ----------
    own : Branches
    size : tuple of int
        Lanes of a value, and columns of a tile.
    array : int
        Where the solutions go.
    D : KnownJacobian
    """
    width, wide = size
    n, bytes_ = len(own.ancestors), 8 * width

    def solution(i: int) -> int:
        return bytes_ * (own.scratch + i * wide)

    def entry(i: int, j: int) -> int:
        return bytes_ * (own.first + i * n + j)

    tiles: list[int] = []
    for first in range(0, D.shape[1], wide):
        rows = set[int]().union(*D.rows[first : first + wide])
        rows |= {j for i in rows for j in own.ancestors[i]}
        zeros = [i for i in range(n) if i not in rows]
        tiles += [first, min(wide, D.shape[1] - first), len(zeros), *map(solution, zeros), len(rows)]
        for i in sorted(rows, reverse=True):
            terms = [k for k in sorted(rows) if i in own.ancestors[k]]
            at = D.first + i * D.shape[1] + first
            if D.first < 0:
                at = own.unit + (WIDEST_TILE - (i - first) if first <= i < first + wide else 0)
            tiles += [bytes_ * at, solution(i), len(terms)]
            tiles += [entry(k, i) + HALF * solution(k) for k in terms]
    head = [array, D.shape[1], 8 * (5 + len(tiles)), n, len(range(0, D.shape[1], wide))]
    outward = []
    for i, ancestors in enumerate(own.ancestors):
        outward += [entry(i, i), solution(i), len(ancestors)]
        outward += [entry(i, j) + HALF * solution(j) for j in reversed(ancestors)]
    return head + tiles + outward
