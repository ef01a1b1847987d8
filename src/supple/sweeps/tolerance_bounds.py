"""Distribution-free tolerance bounds by order statistics (Wilks), and how many cases they need.

With stated confidence, at least the share `coverage` of all cases that could be drawn lies below the k-th largest of n
independent ones, or between the k-th smallest and the k-th largest. Nothing is assumed about the distribution but that
the cases are drawn independently from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError
from supple.lazy import LazyModule
from supple.sweeps.statistics import fraction, sample

stats = LazyModule("scipy.stats")
MOST_CASES = 100_000_000
"""Beyond which no number of cases is looked for."""


@dataclass(frozen=True)
class ToleranceBounds:
    """Bounds between which a stated share of the distribution lies.

    Attributes
    ----------
    lower, upper : float
        Infinite where there are too few cases; of one-sided bounds each holds by itself.
    order : int
        The bounds are the order-th smallest and largest values; 0 if there are too few.
    confidence : float
        What is reached with this number of cases, not less than what was asked for; 0 if there are too few.
    """

    lower: float
    upper: float
    order: int
    confidence: float


def wilks_confidence(cases: int, coverage: float = 0.95, *, sides: int = 1, order: int = 1) -> float:
    """Confidence with which bounds of this order cover the share `coverage`.

    The share beyond an order statistic is Beta distributed (Wilks 1941): P(binomial(n, 1 - coverage) >= sides order).

    >>> round(wilks_confidence(59), 4), round(wilks_confidence(58), 4)
    (0.9515, 0.949)
    """
    _require(coverage, 0.5, sides, order)
    return float(stats.binom.sf(sides * order - 1, cases, 1.0 - coverage))


@checked
def needed_cases(coverage: float = 0.95, confidence: float = 0.95, *, sides: int = 1, order: int = 1) -> int:
    """The smallest number of independent cases whose order-th largest value is a tolerance bound.

    Parameters
    ----------
    coverage : float
        Share of the distribution that is to lie within the bounds.
    confidence : float
        Probability that it does.
    sides : int
        1 for an upper or a lower bound, 2 for both at once.
    order : int
        1 takes the extremes; more takes the second largest and so on, needs more cases, and its bounds scatter less.

    Examples
    --------
    >>> needed_cases(), needed_cases(sides=2), needed_cases(order=2), needed_cases(0.99, 0.9)
    (59, 93, 93, 230)
    """
    _require(coverage, confidence, sides, order)
    low, high = 0, sides * order
    while wilks_confidence(high, coverage, sides=sides, order=order) < confidence:
        low, high = high, 2 * high
        if high > MOST_CASES:
            raise StateError(f"coverage: expected one that {MOST_CASES:,} cases can show, got {coverage!r}")
    while high - low > 1:
        middle = (low + high) // 2
        enough = wilks_confidence(middle, coverage, sides=sides, order=order) >= confidence
        low, high = (low, middle) if enough else (middle, high)
    return high


@checked
def wilks_bounds(
    values: Floats, coverage: float = 0.95, confidence: float = 0.95, *, sides: int = 1
) -> ToleranceBounds:
    """Tolerance bounds of independent values, with the highest order that their number allows.

    Parameters
    ----------
    values : (cases,) array
        Finite numbers.
    coverage, confidence, sides
        As for `needed_cases`.
    """
    _require(coverage, confidence, sides, 1)
    values = sample(values, "values")
    n = len(values)
    orders = np.arange(1, n // sides + 1)
    reached = stats.binom.sf(sides * orders - 1, n, 1.0 - coverage)
    order = int(np.count_nonzero(reached >= confidence))
    if order == 0:
        return ToleranceBounds(-np.inf, np.inf, 0, 0.0)
    ranked = np.sort(values)
    return ToleranceBounds(float(ranked[order - 1]), float(ranked[-order]), order, float(reached[order - 1]))


def _require(coverage: float, confidence: float, sides: int, order: int) -> None:
    for name, value in (("coverage", coverage), ("confidence", confidence)):
        fraction(value, name)
    if sides not in (1, 2):
        raise StateError(f"sides: expected 1 or 2, got {sides!r}")
    if order < 1:
        raise StateError(f"order: expected 1 or more, got {order!r}")
    if order > MOST_CASES:
        raise StateError(f"order: expected at most {MOST_CASES:,}, got {order!r:.60}")
