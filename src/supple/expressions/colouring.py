"""Columns of a sparse matrix in groups that share no row: a Jacobian from a few products with vectors.

One product with a vector of ones for all columns of a colour gives their entries at once, as each row has at most one
of them (Curtis, Powell and Reid 1974). Colours are dealt out greedily, each column the first that its rows leave it, in
three orders, of which the best is kept: as the columns stand, most neighbours first, and smallest last (Matula and
Beck 1983). At least as many are needed as the fullest row has entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from supple.expressions.sparsity import Indices, SparsityPattern


def column_colours(pattern: SparsityPattern) -> Indices:
    """Colour 0, 1, ... of each column; no two columns with entries in one row have the same. Empty columns have 0.

    For colours of rows take `pattern.transposed`.

    Examples
    --------
    >>> pattern = SparsityPattern.of_rows([[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]], 4)
    >>> column_colours(pattern)
    array([0, 1, 2, 0])
    """
    rows = [list(map(int, pattern.transposed.row(j))) for j in range(pattern.shape[1])]
    fullest = int(np.diff(pattern.starts).max(initial=0))
    best = _dealt(rows, range(len(rows)), pattern.shape[0])
    if number_of(best) > fullest:
        neighbours = _neighbours(pattern, rows)
        most_first = sorted(range(len(rows)), key=lambda j: -len(neighbours[j]))
        orders: list[Iterable[int]] = [most_first, _smallest_last(neighbours)]
        best = min([best, *(_dealt(rows, order, pattern.shape[0]) for order in orders)], key=number_of)
    return best


def number_of(colours: Indices) -> int:
    """How many colours there are."""
    return int(colours.max(initial=-1)) + 1


def _dealt(rows: Sequence[Sequence[int]], order: Iterable[int], height: int) -> Indices:
    """Colours dealt out in an order of the columns, whose rows are given."""
    taken = [0] * height  # colours in each row, as bits
    out = np.zeros(len(rows), dtype=np.intp)
    for j in order:
        used = 0
        for i in rows[j]:
            used |= taken[i]
        free = ~used & (used + 1)  # the lowest bit that is not set
        out[j] = free.bit_length() - 1
        for i in rows[j]:
            taken[i] |= free
    return out


def _neighbours(pattern: SparsityPattern, rows: Sequence[Sequence[int]]) -> list[set[int]]:
    """Of each column those with entries in its rows, itself left out."""
    members = [set(map(int, pattern.row(i))) for i in range(pattern.shape[0])]
    return [set().union(*(members[i] for i in own)) - {j} for j, own in enumerate(rows)]


def _smallest_last(neighbours: Sequence[set[int]]) -> list[int]:
    """The order from whose end each time a column was taken that had the fewest neighbours left."""
    degree = [len(x) for x in neighbours]
    waiting: list[dict[int, None]] = [{} for _ in range(max(degree, default=0) + 1)]
    for j, d in enumerate(degree):
        waiting[d][j] = None
    order: list[int] = []
    gone: set[int] = set()
    lowest = 0
    while len(order) < len(degree):
        while not waiting[lowest]:
            lowest += 1
        j = next(iter(waiting[lowest]))
        del waiting[lowest][j]
        order.append(j)
        gone.add(j)
        for k in sorted(neighbours[j] - gone):
            del waiting[degree[k]][k]
            degree[k] -= 1
            waiting[degree[k]][k] = None
        lowest = max(lowest - 1, 0)
    return order[::-1]
