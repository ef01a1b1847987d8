"""Saltelli's scheme: what is exchanged, and that a part of it is a smaller one."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.sweeps import saltelli_points
from supple.sweeps.saltelli import saltelli_parts


def test_each_group_exchanges_one_factor() -> None:
    points = saltelli_points(16, 3, seed=4)
    assert points.shape == (16 * 5, 3)
    groups = points.reshape(16, 5, 3)
    for i in range(3):
        for j in range(3):
            np.testing.assert_array_equal(groups[:, 2 + i, j], groups[:, int(i == j), j])
    assert (groups[:, 0] != groups[:, 1]).all()
    a, b, ab = saltelli_parts(points[:, 2], 3)
    np.testing.assert_array_equal(ab[2], b)
    np.testing.assert_array_equal(ab[0], a)


def test_an_unfinished_group_is_left_out() -> None:
    a, b, ab = saltelli_parts(np.arange(12.0), 3)
    assert (len(a), len(b), ab.shape) == (2, 2, (3, 2))


def test_numbers_that_are_no_power_of_two_are_refused_with_the_nearest() -> None:
    with pytest.raises(supple.StateError, match="such as 64 or 128, got 100"):
        saltelli_points(100, 2)
    with pytest.raises(supple.StateError, match="factors: expected 1 or more, got 0"):
        saltelli_points(8, 0)
