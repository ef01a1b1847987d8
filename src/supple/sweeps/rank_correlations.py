"""Spearman's rank correlation of a measure with what is varied, and whether chance alone could give it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError
from supple.lazy import LazyModule
from supple.sweeps.statistics import sample

stats = LazyModule("scipy.stats")
FEWEST = 4
"""Cases below which no correlation is given."""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's correlation.

    Attributes
    ----------
    value : float
        Between -1 and 1; NaN if one of the two does not vary, or there are too few cases.
    p_value : float
        Probability of one as large in size where there is none; by Student's distribution.
    """

    value: float
    p_value: float


@checked
def rank_correlation(x: Floats, y: Floats) -> RankCorrelation:
    """Spearman's rank correlation of two samples of finite numbers; equal values share their mean rank.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 8.0, 27.0, 64.0])).value
    1.0
    """
    x, y = sample(x, "x"), sample(y, "y")
    if len(x) != len(y):
        raise StateError(f"y: expected {len(x)} numbers, as many as x has, got {len(y)}")
    if len(x) < FEWEST or not np.ptp(x) > 0.0 or not np.ptp(y) > 0.0:
        return RankCorrelation(np.nan, np.nan)
    found = stats.spearmanr(x, y)
    value = float(np.clip(found.statistic, -1.0, 1.0))
    return RankCorrelation(value, float(found.pvalue))
