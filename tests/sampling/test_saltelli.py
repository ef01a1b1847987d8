"""Saltelli's scheme: what is exchanged, and that a part of it is a smaller one."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.sampling.distributions import Quantity, read_quantity
from supple.sampling.saltelli import saltelli_parts
from supple.sampling.samplers import sampled
from supple.sweeps import saltelli_points


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


def quantities(*, seeds: bool = False) -> dict[str, Quantity]:
    kinds = {"a": {"uniform": [0.0, 1.0]}, "b": {"uniform": [2.0, 3.0]}, "c": [1, 2, 3]}
    given = kinds | ({"noise": {"seed": True}} if seeds else {})
    return {path: read_quantity(kind, path) for path, kind in given.items()}


def test_the_sampler_makes_groups_of_cases() -> None:
    values = sampled(quantities(), "saltelli", 8, seed=3)
    groups = np.stack([values["a"], values["b"], values["c"]], axis=1).reshape(8, 5, 3)
    for i in range(3):
        np.testing.assert_array_equal(groups[:, 2 + i, i], groups[:, 1, i])
    np.testing.assert_array_equal(groups[:, 2, 1:], groups[:, 0, 1:])
    tied = sampled(quantities(), "saltelli", 8, together=[["a", "b"]])
    assert len(tied["a"]) == 8 * 4  # two that vary together are one factor
    np.testing.assert_allclose(tied["b"], tied["a"] + 2.0)


def test_the_sampler_refuses_what_it_cannot_exchange() -> None:
    with pytest.raises(supple.StateError, match="correlation: expected none with the sampler 'saltelli'"):
        sampled(quantities(), "saltelli", 8, correlation=[("a", "b", 0.5)])
    with pytest.raises(supple.StateError, match="noise: sampler 'saltelli': expected no seeds"):
        sampled(quantities(seeds=True), "saltelli", 8)
    with pytest.raises(supple.StateError, match="such as 8 or 16, got 12"):
        sampled(quantities(), "saltelli", 12)
