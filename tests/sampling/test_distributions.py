"""Specifications of varied quantities against scipy.stats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy

from supple.errors import StateError
from supple.sampling.distributions import case_seed, column, is_specification, read_quantity

U = np.linspace(0.001, 0.999, 201)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"uniform": [2.0, 5.0]}, scipy.stats.uniform(2.0, 3.0)),
        ({"normal": [7.0, 2.0]}, scipy.stats.norm(7.0, 2.0)),
        ({"lognormal": [1.0, 0.3]}, scipy.stats.lognorm(0.3, scale=np.e)),
        ({"loguniform": [1e-3, 10.0]}, scipy.stats.loguniform(1e-3, 10.0)),
        ({"triangular": [1.0, 2.0, 5.0]}, scipy.stats.triang(0.25, 1.0, 4.0)),
        ({"weibull_min": [1.5, 0.0, 2.0]}, scipy.stats.weibull_min(1.5, 0.0, 2.0)),
        ({"beta": {"a": 2.0, "b": 5.0}}, scipy.stats.beta(2.0, 5.0)),
        (scipy.stats.gamma(2.0, scale=3.0), scipy.stats.gamma(2.0, scale=3.0)),
        ({"normal": [7.0, 2.0], "truncate": 1.5}, scipy.stats.truncnorm(-1.5, 1.5, 7.0, 2.0)),
        ({"normal": [7.0, 2.0], "truncate": [6.0, 20.0]}, scipy.stats.truncnorm(-0.5, 6.5, 7.0, 2.0)),
    ],
    ids=lambda x: str(x) if isinstance(x, dict) else x.dist.name,
)
def test_quantiles_are_those_of_scipy(spec: Any, expected: Any) -> None:
    assert np.allclose(read_quantity(spec, "x").quantiles(U), expected.ppf(U), rtol=1e-10)


def test_whole_numbers_stay_whole() -> None:
    found = read_quantity({"randint": [2, 6]}, "x").quantiles(U)
    assert found.dtype == np.int64
    assert set(found.tolist()) == {2, 3, 4, 5}
    inside = read_quantity({"poisson": [4], "truncate": [3, 5]}, "x").quantiles(U)
    assert set(inside.tolist()) == {3, 4, 5}


def test_lists_keep_what_they_hold() -> None:
    assert read_quantity([1, 2], "x").values.dtype == np.int64  # type: ignore[union-attr]
    assert read_quantity([1, 2.5], "x").values.tolist() == [1.0, 2.5]  # type: ignore[union-attr]
    assert column(["rk4", True, [1, 2]]).tolist() == ["rk4", True, [1, 2]]
    steps = read_quantity({"range": [0, 1], "steps": 5}, "x").values
    assert steps is not None
    assert steps.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    chosen = read_quantity([1, 2, 3], "x").quantiles(np.array([0.0, 0.34, 0.9999999, 1.0]))
    assert chosen.tolist() == [1, 2, 3, 3]


def test_the_ends_of_distributions_are_finite() -> None:
    assert np.isfinite(read_quantity({"normal": [0.0, 1.0]}, "x").quantiles(np.array([0.0, 1.0]))).all()


def test_seeds_belong_to_cases() -> None:
    seeds = [case_seed(7, i) for i in range(1000)]
    assert len(set(seeds)) == 1000
    assert max(seeds) < 2**32
    assert case_seed(8, 0) != seeds[0]


def test_a_specification_is_known_from_a_path() -> None:
    assert is_specification({"uniform": [0, 1]})
    assert not is_specification({"mass": {"uniform": [0, 1]}})


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"unifrom": [0, 1]}, "no distribution of this name; did you mean 'uniform'"),
        ({"uniform": [2.0, 1.0]}, "no such distribution"),
        ({"uniform": [1.0]}, "expected \\[low, high\\]"),
        ({"normal": [0.0, -1.0]}, "no such distribution"),
        ({"normal": [0.0, 1.0], "truncate": [50.0, 60.0]}, "nothing of the distribution is between 50 and 60"),
        ({"normal": [0.0, 1.0], "truncate": "x"}, "truncate: expected a number of standard deviations"),
        ({"cauchy": [0.0, 1.0], "truncate": 2}, "truncate: expected a number of standard deviations"),
        ({"beta": [2.0]}, "its shapes are a, b"),
        ({"values": []}, "values: expected a list of one or more"),
        ({"range": [0, 1]}, "steps: expected a whole number"),
        ({"values": [1], "steps": 2}, "steps: expected with range"),
        ({"uniform": [0, 1], "normal": [0, 1]}, "got uniform, normal"),
        ({"uniform": [0, 1], "steps": 4}, "steps: expected with range"),
        ({"values": [1], "truncate": 2}, "truncate: expected with a distribution"),
        ({"seed": 3}, "seed: expected true"),
        (3.0, "expected a table such as"),
        ({"uniform": [0, float("nan")]}, "expected a list of finite numbers"),
    ],
    ids=str,
)
def test_what_is_no_specification_is_refused(spec: Any, words: str) -> None:
    with pytest.raises(StateError, match=rf"^body\.arm\.mass: .*{words}"):
        read_quantity(spec, "body.arm.mass")
