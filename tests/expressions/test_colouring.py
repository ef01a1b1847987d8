"""Colours of columns: no two of one colour in a row, and as few as known structures need."""

from __future__ import annotations

import numpy as np
import pytest

from supple.expressions.colouring import column_colours, number_of
from supple.expressions.sparsity import SparsityPattern


def banded(n: int, width: int) -> SparsityPattern:
    """Entries up to `width` beside the diagonal."""
    return SparsityPattern.of_rows([np.arange(max(0, i - width), min(n, i + width + 1)) for i in range(n)], n)


def grid(n: int) -> SparsityPattern:
    """Five points of a square of n x n."""
    rows = []
    for i in range(n):
        for j in range(n):
            near = [(i - 1, j), (i, j - 1), (i, j), (i, j + 1), (i + 1, j)]
            rows.append([a * n + b for a, b in near if 0 <= a < n and 0 <= b < n])
    return SparsityPattern.of_rows(rows, n * n)


def arrow(n: int) -> SparsityPattern:
    """A diagonal and a full last column."""
    return SparsityPattern.of_rows([[i, n - 1] if i < n - 1 else [i] for i in range(n)], n)


def assert_valid(pattern: SparsityPattern) -> None:
    colours = column_colours(pattern)
    for i in range(pattern.shape[0]):
        own = colours[pattern.row(i)]
        assert len(set(own)) == len(own)


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_one_colour_share_no_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.uniform(size=rng.integers(5, 40, 2)) < rng.uniform(0.02, 0.4)
    pattern = SparsityPattern.of_rows([np.flatnonzero(row) for row in A], A.shape[1])
    assert_valid(pattern)
    assert_valid(pattern.transposed)


@pytest.mark.parametrize(("width", "n"), [(0, 50), (1, 2000), (2, 300), (7, 100)])
def test_bands_need_their_width(width: int, n: int) -> None:
    pattern = banded(n, width)
    assert number_of(column_colours(pattern)) == 2 * width + 1
    assert number_of(column_colours(pattern.transposed)) == 2 * width + 1


def test_a_shuffled_band_needs_few_more() -> None:
    """Three at best, if the way along the band is found."""
    place = np.random.default_rng(3).permutation(400)
    rows = [np.sort(place[banded(400, 1).row(i)]) for i in range(400)]
    pattern = SparsityPattern.of_rows(rows, 400)
    assert_valid(pattern)
    assert number_of(column_colours(pattern)) <= 4


def test_a_grid_of_five_points() -> None:
    pattern = grid(20)
    assert_valid(pattern)
    assert number_of(column_colours(pattern)) <= 7  # 5 at best


def test_an_arrow_has_two_colours_of_columns_and_many_of_rows() -> None:
    pattern = arrow(60)
    assert number_of(column_colours(pattern)) == 2
    assert number_of(column_colours(pattern.transposed)) == 60


def test_a_full_matrix_and_an_empty_one() -> None:
    full = SparsityPattern.of_rows([np.arange(30)] * 4, 30)
    assert np.array_equal(np.sort(column_colours(full)), np.arange(30))
    empty = SparsityPattern.of_rows([[], []], 3)
    assert np.array_equal(column_colours(empty), [0, 0, 0])
    assert number_of(column_colours(SparsityPattern.of_rows([], 0))) == 0
