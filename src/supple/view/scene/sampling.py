"""Which of many samples, vertices or cases are shown."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from supple.checks import Floats, Ints


def evenly(count: int, most: int) -> Ints:
    """At most `most` of the numbers 0, ..., count - 1 at equal distances, both ends among them.

    >>> evenly(10, 4).tolist()
    [0, 3, 6, 9]
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def with_extremes(measures: Iterable[Floats], extremes: int, needed: Ints, count: int, most: int) -> Ints:
    """About `most` of `count` cases: those needed, the extremes of each measure (count,), an even choice of others."""
    need = np.zeros(count, dtype=bool)
    need[needed] = True
    for y in measures:
        order = np.argsort(y)[: np.count_nonzero(~np.isnan(y))]  # NaN comes last
        need[order[:extremes]] = need[order[-extremes:]] = True
    others = np.flatnonzero(~need)
    need[others[evenly(len(others), max(0, most - int(need.sum())))]] = True
    return np.flatnonzero(need)
