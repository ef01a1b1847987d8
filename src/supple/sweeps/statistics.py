"""Mean, standard deviation and quantiles of independent cases, each with its confidence interval.

The interval of the mean is Student's. That of a quantile is between two order statistics, which holds for every
distribution. That of the standard deviation is from the bootstrap, since its distribution is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, Ints, floats, generator
from supple.errors import StateError
from supple.lazy import LazyModule

stats = LazyModule("scipy.stats")
RESAMPLES = 1000
"""Of a bootstrap."""
BLOCK = 1_000_000
"""Numbers of resamples that are held at a time."""


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval.

    Attributes
    ----------
    value : float
    low, high : float
        Ends of the interval; infinite where there are too few cases for one, NaN where the cases are no random sample.
    """

    value: float
    low: float
    high: float


@checked
def mean(values: Floats, level: float = 0.95) -> Estimate:
    """The mean, with Student's interval.

    >>> mean(np.array([1.0, 2.0, 3.0]))
    Estimate(value=2.0, low=-0.484137..., high=4.484137...)
    """
    x = sample(values, "values")
    fraction(level, "level")
    n, center = len(x), float(np.mean(x)) if len(x) else np.nan
    if n < 2:
        return Estimate(center, -np.inf, np.inf)
    reach = float(stats.t.ppf(0.5 + level / 2, n - 1)) * float(np.std(x, ddof=1)) / np.sqrt(n)
    return Estimate(center, float(center - reach), float(center + reach))


@checked
def standard_deviation(values: Floats, level: float = 0.95, seed: int = 0) -> Estimate:
    """The standard deviation of the distribution, with the interval of the bootstrap's percentiles."""
    x = sample(values, "values")
    n = len(x)
    fraction(level, "level")
    if n < 2:
        return Estimate(np.nan, 0.0, np.inf)
    found = [np.std(x[rows], axis=1, ddof=1) for rows in resampled(n, seed=seed)]
    low, high = np.quantile(np.concatenate(found), [0.5 - level / 2, 0.5 + level / 2])
    return Estimate(float(np.std(x, ddof=1)), float(low), float(high))


@checked
def quantile(values: Floats, probability: float, level: float = 0.95) -> Estimate:
    """A quantile, with an interval between two order statistics.

    The estimate interpolates between order statistics (Hazen's positions (i - 1/2) / n). The number of values below the
    quantile is binomial, so the ends are the values of two ranks each of which is passed with (1 - level) / 2 at most.
    An end is infinite where no rank is that safe.

    >>> quantile(np.arange(100.0), 0.5)
    Estimate(value=49.5, low=39.0, high=60.0)
    """
    ranked = np.sort(sample(values, "values"))
    if not 0.0 <= probability <= 1.0:
        raise StateError(f"probability: expected a number from 0 to 1, got {probability!r}")
    n, tail = len(ranked), (1.0 - fraction(level, "level")) / 2
    if not n:
        return Estimate(np.nan, -np.inf, np.inf)
    # The lower end, the l-th smallest, is above the quantile if fewer than l values are below: P(B <= l - 1) <= tail.
    below = stats.binom.cdf(np.arange(n), n, probability)  # P(B <= l - 1) for l = 1 ... n
    lower = int(np.count_nonzero(below <= tail))
    # The upper end, the u-th smallest, is below the quantile if u values or more are: P(B >= u) <= tail.
    above = stats.binom.sf(np.arange(n), n, probability)  # P(B >= u) for u = 1 ... n
    upper = n + 1 - int(np.count_nonzero(above <= tail))
    return Estimate(
        float(np.quantile(ranked, probability, method="hazen")),
        float(ranked[lower - 1]) if lower >= 1 else -np.inf,
        float(ranked[upper - 1]) if upper <= n else np.inf,
    )


def sample(values: Any, what: str) -> Floats:
    """Values of cases (n,) as finite numbers."""
    x = floats(values)
    if x is None or x.ndim != 1 or not np.isfinite(x).all():
        raise StateError(f"{what}: expected finite numbers, one a case, got {values!r:.60}")
    return x


def fraction(value: float, what: str) -> float:
    """A number between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise StateError(f"{what}: expected a number between 0 and 1, got {value!r}")
    return value


def resampled(count: int, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[Ints]:
    """Numbers of cases drawn with replacement, (some resamples, count) at a time; the same for the same seed."""
    rng = generator(seed, "seed")
    rows = max(1, BLOCK // max(count, 1))
    for start in range(0, resamples, rows):
        yield rng.integers(0, count, size=(min(rows, resamples - start), count))
