"""Sobol indices: which share of the variance of a measure each factor makes, alone and with all others.

First order S_i = V(E(y | x_i)) / V(y), by the estimator of Saltelli et al. (2010), and total S_Ti = E(V(y | x_~i)) /
V(y), by that of Jansen (1999), from Saltelli's scheme. The factors must be independent. From any other sample of
independent factors the first-order index is estimated as a correlation ratio; a total one cannot be had from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import Floats, Ints, floats
from supple.errors import StateError
from supple.sweeps.statistics import RESAMPLES, Estimate, fraction, resampled, sample

FEWEST = 8
"""Groups of points, or cases, below which no index is estimated."""
DRAWN = 2_000_000
"""Cases that a bootstrap of correlation ratios draws, in 200 to 1,000 resamples."""


@dataclass(frozen=True)
class SobolIndices:
    """Indices of one measure, an estimate with its confidence interval for each factor.

    Attributes
    ----------
    first, total : tuple of Estimate
        By factor; total ones are NaN where the sample does not give them.
    cases : int
        Groups of Saltelli's scheme, or cases, that all have a number.
    """

    first: tuple[Estimate, ...]
    total: tuple[Estimate, ...]
    cases: int


@checked
def saltelli_indices(A: Floats, B: Floats, AB: Floats, *, level: float = 0.95, seed: int = 0) -> SobolIndices:
    """First-order and total indices from Saltelli's scheme; intervals by the bootstrap over its groups.

    Parameters
    ----------
    A, B : (N,) array
        Values at the two samples; groups with a value that is not finite are left out.
    AB : (d, N) array
        Values at A with one factor from B.
    level : float
        Confidence of the intervals. On Sobol points they are wider than need be: the bootstrap takes the groups as
        independent.
    """
    found = [floats(x) for x in (A, B, AB)]
    shapes = [x.shape for x in found if x is not None]
    if len(shapes) != 3 or len(shapes[0]) != 1 or shapes[1] != shapes[0] or shapes[2][1:] != shapes[0]:
        raise StateError("Sobol indices: expected numbers A (N,), B (N,) and AB (factors, N)")
    fraction(level, "level")
    whole = np.isfinite(A) & np.isfinite(B) & np.isfinite(AB).all(axis=0)
    A, B, AB = A[whole], B[whole], AB[:, whole]
    n = len(A)
    if n < FEWEST:
        raise StateError(f"Sobol indices: expected at least {FEWEST} finished groups of Saltelli's scheme, got {n}")
    center = float(np.mean(np.concatenate([A, B])))
    A, B, AB = A - center, B - center, AB - center  # the estimators scatter less about zero
    if not np.ptp(np.concatenate([A, B])) > 0.0:
        return _none(len(AB), n)
    first, total = _saltelli(A, B, AB, np.arange(n)[None])
    ends = [_saltelli(A, B, AB, rows) for rows in resampled(n, seed=seed)]
    return SobolIndices(
        _estimates(first[0], np.concatenate([x for x, _ in ends]), level),
        _estimates(total[0], np.concatenate([x for _, x in ends]), level),
        n,
    )


@checked
def given_data_indices(
    values: Floats, factors: list[NDArray[Any]], *, chance: bool = True, level: float = 0.95, seed: int = 0
) -> SobolIndices:
    """First-order indices from any sample of independent factors, as bias-corrected correlation ratios.

    The cases are put in classes of equal counts along the factor; the variance between classes, less what chance puts
    there, is the share the factor explains (Plischke, Borgonovo, Smith 2013). Effects that change within one
    of the sqrt(n) classes are missed. Where factors are correlated a ratio includes what comes with the factor.

    Parameters
    ----------
    values : (cases,) array
        Finite numbers.
    factors : list of (cases,) array
        Numbers or names; one with few different values has a class for each.
    chance : bool
        Whether the other factors are random within a class, as those of random cases and of a Latin hypercube are. On
        points of a Sobol or Halton sequence they are even, and nothing is to be taken off.
    """
    values = sample(values, "values")
    n = len(values)
    shapes = [np.shape(x) for x in factors]
    if any(shape != (n,) for shape in shapes):
        raise StateError(f"factors: expected arrays of {n} entries, one a case, got shapes {shapes}")
    if n < FEWEST:
        raise StateError(f"Sobol indices: expected at least {FEWEST} finished cases, got {n}")
    fraction(level, "level")
    y = values - np.mean(values)
    if not np.ptp(y) > 0.0:
        return _none(len(factors), n)
    estimates, count = [], int(np.clip(DRAWN // n, 200, RESAMPLES))
    for x in factors:
        label = _classes(x, n)
        found = _ratio(y[None], label[None], n, chance)
        again = np.concatenate([_ratio(y[rows], label[rows], n, chance) for rows in resampled(n, count, seed)])
        # Doubled cases put more between the classes than chance does: the bootstrap's own shift is taken off.
        shifted = again - np.mean(again) + found[0]
        estimates.append(_estimates(found, shifted[:, None], level)[0])
    return SobolIndices(tuple(estimates), _none(len(factors), n).total, n)


def _saltelli(A: Floats, B: Floats, AB: Floats, rows: Ints) -> tuple[Floats, Floats]:
    """Indices (resamples, d) of resamples (resamples, n) of the groups."""
    a, b = A[rows], B[rows]
    variance = np.var(np.concatenate([a, b], axis=1), axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample of equal values has no variance
        first = [np.mean(b * (ab[rows] - a), axis=1) / variance for ab in AB]
        total = [np.mean((a - ab[rows]) ** 2, axis=1) / (2 * variance) for ab in AB]
    return np.stack(first, axis=1), np.stack(total, axis=1)


def _classes(x: NDArray[Any], n: int) -> Ints:
    """The class (n,) of each case along a factor: of equal counts, or one for each value if those are few."""
    most = max(2, round(n**0.5))
    distinct, label = np.unique(x, return_inverse=True)
    if len(distinct) <= most:
        return np.asarray(label, dtype=np.int64)
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(x, kind="stable")] = np.arange(n)
    return np.asarray(rank * most // n, dtype=np.int64)


def _ratio(y: Floats, label: Ints, n: int, chance: bool) -> Floats:
    """Correlation ratios (resamples,) of values and classes (resamples, n), less the bias of chance."""
    size = int(label.max()) + 1
    rows = len(y)
    flat = (label + size * np.arange(rows)[:, None]).ravel()
    count = np.bincount(flat, minlength=rows * size).reshape(rows, size)
    total = np.bincount(flat, weights=y.ravel(), minlength=rows * size).reshape(rows, size)
    used = np.count_nonzero(count, axis=1)
    center = np.mean(y, axis=1)
    between = np.sum(np.divide(total**2, count, where=count > 0, out=np.zeros_like(total)), axis=1) - n * center**2
    whole = np.sum(y**2, axis=1) - n * center**2
    with np.errstate(invalid="ignore", divide="ignore"):  # no variance, or a class for every case
        return np.asarray(1.0 - (whole - between) / whole * ((n - 1) / (n - used) if chance else 1.0))


def _estimates(found: Floats, again: Floats, level: float) -> tuple[Estimate, ...]:
    """Estimates from values (d,) and those of resamples (resamples, d)."""
    low, high = np.nanquantile(again, [0.5 - level / 2, 0.5 + level / 2], axis=0)
    return tuple(Estimate(float(x), float(a), float(b)) for x, a, b in zip(found, low, high, strict=True))


def _none(factors: int, cases: int) -> SobolIndices:
    """No indices: nothing varies, or the sample does not give them."""
    empty = (Estimate(np.nan, np.nan, np.nan),) * factors
    return SobolIndices(empty, empty, cases)
