"""Tolerance bounds: the published numbers of runs, and how often the bounds cover what they say."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.sweeps import needed_cases, wilks_bounds
from supple.sweeps.tolerance_bounds import wilks_confidence


@pytest.mark.parametrize(
    ("coverage", "confidence", "sides", "order", "cases"),
    [
        (0.95, 0.95, 1, 1, 59),
        (0.95, 0.95, 1, 2, 93),
        (0.95, 0.95, 1, 3, 124),
        (0.95, 0.95, 2, 1, 93),
        (0.95, 0.95, 2, 2, 153),
        (0.90, 0.95, 1, 1, 29),
        (0.95, 0.99, 1, 1, 90),
        (0.99, 0.95, 1, 1, 299),
        (0.99, 0.95, 2, 1, 473),
    ],
)
def test_published_numbers_of_runs(coverage: float, confidence: float, sides: int, order: int, cases: int) -> None:
    """Wilks; orders above one as in the tables of nuclear safety analysis, two-sided ones as Guba, Makai, Pal 2003."""
    assert needed_cases(coverage, confidence, sides=sides, order=order) == cases
    assert wilks_confidence(cases, coverage, sides=sides, order=order) >= confidence
    assert wilks_confidence(cases - 1, coverage, sides=sides, order=order) < confidence


def test_the_highest_order_that_the_number_of_cases_allows_is_used() -> None:
    values = np.arange(1.0, 94.0)
    assert wilks_bounds(values[:58]).order == 0
    assert wilks_bounds(values[:58]).upper == np.inf
    found = wilks_bounds(values)
    assert (found.order, found.lower, found.upper) == (2, 2.0, 92.0)
    both = wilks_bounds(values, sides=2)
    assert (both.order, both.lower, both.upper) == (1, 1.0, 93.0)


@pytest.mark.parametrize("sides", [1, 2])
def test_bounds_cover_as_often_as_they_say(sides: int) -> None:
    """Of 2,000 samples of a skewed distribution; the confidence reached is exact, so three sigma is 0.015."""
    rng = np.random.default_rng(1)
    hits, confidence = 0, 0.0
    for _ in range(2000):
        found = wilks_bounds(rng.exponential(size=100), sides=sides)
        confidence = found.confidence
        low = 1.0 - np.exp(-found.lower) if sides == 2 else 0.0
        hits += (1.0 - np.exp(-found.upper)) - low >= 0.95
    assert confidence >= 0.95
    assert abs(hits / 2000 - confidence) < 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_what_cannot_be_is_refused_by_name() -> None:
    with pytest.raises(supple.StateError, match="coverage: expected a number between 0 and 1, got 95"):
        needed_cases(95)
    with pytest.raises(supple.StateError, match="sides: expected 1 or 2, got 3"):
        needed_cases(sides=3)
    with pytest.raises(supple.StateError, match="order: expected 1 or more, got 0"):
        needed_cases(order=0)
