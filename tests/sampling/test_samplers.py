"""Designs: grids, lists, points of the unit cube, groups, correlations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy

from supple.errors import StateError
from supple.sampling.distributions import read_quantity
from supple.sampling.samplers import POINTS, sampled


def design(specs: dict[str, Any], *args: Any, **options: Any) -> dict[str, Any]:
    return sampled({path: read_quantity(x, path) for path, x in specs.items()}, *args, **options)


UNIT = {"uniform": [0.0, 1.0]}


def test_a_grid_with_a_group_has_all_combinations_once() -> None:
    found = design({"a": [1, 2], "b": [3, 4, 5], "c": [6, 7, 8]}, together=[["b", "c"]])
    rows = list(zip(found["a"].tolist(), found["b"].tolist(), found["c"].tolist(), strict=True))
    assert rows == [(a, b, b + 3) for a in (1, 2) for b in (3, 4, 5)]


def test_a_list_goes_line_by_line() -> None:
    found = design({"a": [1, 2, 3], "b": ["x", "y", "z"]}, "list")
    assert found["a"].tolist() == [1, 2, 3]
    assert found["b"].tolist() == ["x", "y", "z"]


@pytest.mark.parametrize("sampler", POINTS)
def test_points_depend_on_the_seed_alone(sampler: str) -> None:
    first, again = (design({"a": UNIT, "b": UNIT}, sampler, 20, seed=3) for _ in range(2))
    other = design({"a": UNIT, "b": UNIT}, sampler, 20, seed=4)
    assert np.array_equal(first["a"], again["a"])
    assert not np.array_equal(first["a"], other["a"])
    assert np.abs(np.corrcoef(first["a"], first["b"])[0, 1]) < 0.9


def test_a_latin_hypercube_has_one_point_in_each_stratum() -> None:
    found = design({"a": UNIT, "b": UNIT}, "lhs", 50)
    for x in found.values():
        assert np.array_equal(np.sort((x * 50).astype(int)), np.arange(50))


@pytest.mark.parametrize(("sampler", "slope"), [("sobol", -1.0), ("halton", -0.9), ("random", -0.5)])
def test_means_converge_as_theory_says(sampler: str, slope: float) -> None:
    """Mean of x(T) = cos(sqrt(k) T) of an oscillator, k ~ U(1, 4): error ~ 1/N of sequences, 1/sqrt(N) at random."""
    exact = scipy.integrate.quad(lambda k: np.cos(np.sqrt(k) * 2.0) / 3.0, 1.0, 4.0, epsabs=1e-13)[0]
    counts = 2 ** np.arange(4, 13)
    errors = [
        np.sqrt(
            np.mean(
                [
                    (np.cos(np.sqrt(design({"k": {"uniform": [1.0, 4.0]}}, sampler, int(n), seed=s)["k"]) * 2.0).mean()
                     - exact) ** 2
                    for s in range(20)
                ]
            )
        )
        for n in counts
    ]  # fmt: skip
    found = np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert found < slope + 0.15  # the scatter of 20 repetitions over 9 sizes is about 0.05
    assert sampler != "random" or found > -0.65


def test_correlated_quantities_keep_their_distributions() -> None:
    """Normal scores have the correlation that was asked for; ranks Spearman's, 6/pi asin(r/2)."""
    r, n = 0.7, 4096
    specs = {"a": {"normal": [5.0, 2.0]}, "b": {"uniform": [0.0, 1.0]}, "c": UNIT}
    found = design(specs, "sobol", n, correlation=[("a", "b", r)])
    assert np.corrcoef((found["a"] - 5) / 2, scipy.special.ndtri(found["b"]))[0, 1] == pytest.approx(r, abs=0.01)
    rank = scipy.stats.spearmanr(found["a"], found["b"]).statistic
    assert rank == pytest.approx(6 / np.pi * np.arcsin(r / 2), abs=0.01)
    assert np.abs(np.corrcoef(found["a"], found["c"])[0, 1]) < 0.02
    assert scipy.stats.kstest(found["b"], "uniform").statistic < 0.01


def test_a_group_has_one_probability() -> None:
    found = design({"a": UNIT, "b": {"normal": [0.0, 1.0]}}, "lhs", 30, together=[["a", "b"]])
    assert np.allclose(scipy.special.ndtr(found["b"]), found["a"])


def test_seeds_are_filled_in() -> None:
    found = design({"a": UNIT, "s": {"seed": True}}, "lhs", 5, seed=2)
    assert list(found) == ["a", "s"]
    assert len(set(found["s"].tolist())) == 5
    assert found["s"].dtype == np.int64


@pytest.mark.parametrize(
    ("specs", "options", "words"),
    [
        ({"a": UNIT}, {"sampler": "grid"}, "'grid': expected values or range, got the distribution uniform"),
        ({"a": UNIT}, {}, "samples: expected a number of cases"),
        ({"a": UNIT}, {"sampler": "soboll", "samples": 4}, "no 'soboll'; expected one of 'grid'"),
        ({"a": [1, 2], "b": [1]}, {"sampler": "list"}, "expected lists of one length"),
        ({"a": [1, 2], "b": [1]}, {"together": [["a", "b"]]}, "expected lists of one length"),
        ({"a": [1, 2]}, {"sampler": "grid", "samples": 3}, "samples: expected 2"),
        ({"a": UNIT}, {"samples": 3, "together": [["a", "z"]]}, "'z' is not varied"),
        ({"a": UNIT, "b": UNIT}, {"samples": 3, "together": [["a", "b"], ["b", "a"]]}, "got it twice"),
        ({"a": UNIT, "b": UNIT}, {"samples": 3, "correlation": [("a", "c", 0.1)]}, "'c' is not varied"),
        ({"a": UNIT, "b": UNIT}, {"samples": 3, "correlation": [("a", "b", 1.0)]}, "between -1 and 1, got 1.0"),
        ({"a": UNIT, "b": [1]}, {"samples": 3, "correlation": [("a", "b", 0.1)]}, "expected a distribution"),
        ({"a": [1]}, {"correlation": [("a", "a", 0.1)]}, "correlation: expected with lhs"),
        (
            {"a": UNIT, "b": UNIT, "c": UNIT},
            {"samples": 3, "correlation": [("a", "b", 0.9), ("b", "c", 0.9), ("a", "c", -0.9)]},
            "no quantities have all these correlations",
        ),
        ({key: {"range": [0, 1], "steps": 1000} for key in "abcd"}, {}, "grid: expected at most 10,000,000 cases"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_impossible_designs_are_refused(specs: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(StateError, match=words):
        design(specs, **options)
