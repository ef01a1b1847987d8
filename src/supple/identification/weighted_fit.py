"""Least squares of signals against measurements, each residual divided by the noise of its signal.

Where noise levels are not known they are estimated: signals first weigh by their range, then by what is left of each,
until that no longer changes. For normal noise this is the maximum of the likelihood in parameters and levels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy.optimize

from supple.checks import Floats
from supple.errors import SuppleError
from supple.identification.identifiability import INVISIBLE
from supple.identification.measurements import Measurements

Signals = Mapping[str, tuple[Floats, Floats]]
"""By signal its values (n,) at the times of the data, and their derivatives (n, P) by the parameters."""
Response = Callable[[Floats], Signals]
TOLERANCE = 1e-10
"""Relative change of sum and parameters at which a fit ends, well below the tolerance of runs."""
PASSES, SETTLED = 8, 0.01
"""Most fits with other noise levels, and the relative change of levels at which there are no more."""
FLOOR = 1e-10
"""Smallest noise level that is estimated, against the range of its signal: data without noise."""


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Parameters to be found.

    Attributes
    ----------
    names : tuple of str
    start, lower, upper, scale : (P,) array
        Where the search begins, bounds, and sizes by which changes are measured.
    prior_mean, prior_deviation : (P,) array
        What is known beforehand; an infinite deviation where nothing is.
    """

    names: tuple[str, ...]
    start: Floats
    lower: Floats
    upper: Floats
    scale: Floats
    prior_mean: Floats
    prior_deviation: Floats


@dataclass(frozen=True, eq=False)
class Solution:
    """What was found.

    Attributes
    ----------
    values : (P,) array
    signals : mapping
        Values and derivatives of the signals there.
    residuals : (m,) array, jacobian : (m, P) array
        Divided by the noise levels; priors come last.
    levels : dict of str to (n,) array
        Noise level of each sample.
    estimated : bool
        Whether they are estimates.
    runs : int
        Evaluations of the signals.
    converged : bool
    message : str
    """

    values: Floats
    signals: Signals
    residuals: Floats
    jacobian: Floats
    levels: dict[str, Floats]
    estimated: bool
    runs: int
    converged: bool
    message: str


class WeightedResiduals:
    """Residuals and Jacobian in scaled parameters, both of one evaluation.

    Parameters
    ----------
    response : function
    data : Measurements
    unknowns : Unknowns
    levels : dict of str to (n,) array
    """

    def __init__(
        self, response: Response, data: Measurements, unknowns: Unknowns, levels: Mapping[str, Floats]
    ) -> None:
        self.response, self.data, self.unknowns, self.levels = response, data, unknowns, levels
        self.size = data.count + int(np.isfinite(unknowns.prior_deviation).sum())
        self.runs = 0
        self._last: tuple[Floats, Signals | None] = (np.full(len(unknowns.names), np.nan), None)

    def signals(self, x: Floats) -> Signals | None:
        """Of scaled parameters; None where the motion cannot be found, but for the first."""
        if not np.array_equal(x, self._last[0]):
            self.runs += 1
            try:
                self._last = (x.copy(), self.response(x * self.unknowns.scale))
            except (SuppleError, ArithmeticError):
                if self.runs == 1:
                    raise
                self._last = (x.copy(), None)
        return self._last[1]

    def residuals(self, x: Floats) -> Floats:
        """(m,); infinite where there is no motion, from which the search steps back."""
        found = self.signals(x)
        if found is None:
            return np.full(self.size, np.inf)
        parts = []
        for name, measured in self.data.signals.items():
            there = self.data.present[name]
            parts.append(((found[name][0] - measured) / self.levels[name])[there])
        u = self.unknowns
        known = np.isfinite(u.prior_deviation)
        parts.append(((x * u.scale - u.prior_mean) / u.prior_deviation)[known])
        return np.concatenate(parts)

    def jacobian(self, x: Floats) -> Floats:
        """(m, P)."""
        found = self.signals(x)
        assert found is not None  # asked for at accepted points alone
        u = self.unknowns
        parts = [
            (found[name][1] * u.scale / self.levels[name][:, None])[self.data.present[name]]
            for name in self.data.signals
        ]
        known = np.isfinite(u.prior_deviation)
        parts.append(np.diag(u.scale / u.prior_deviation)[known])
        return np.concatenate(parts)


def weighted_fit(
    response: Response, data: Measurements, unknowns: Unknowns, noise: Mapping[str, Floats] | None
) -> Solution:
    """The parameters that make the sum of squares smallest.

    Parameters
    ----------
    response : function of parameters (P,)
    data : Measurements
    unknowns : Unknowns
    noise : mapping of str to (n,) array, optional
        Standard deviations of the measured samples; estimated if not given.
    """
    by_range = {name: np.full(len(x), _range(x)) for name, x in data.signals.items()}
    levels = by_range if noise is None else dict(noise)
    start, runs = unknowns.start, 0
    for number in range(PASSES):
        problem = WeightedResiduals(response, data, unknowns, levels)
        found = _minimized(problem, start)
        runs += problem.runs
        if noise is None:
            new = _estimated(problem, found.x)
            change = max(abs(new[name][0] / levels[name][0] - 1.0) for name in new)
            ends = change < SETTLED or number == PASSES - 1
            # One signal weighs the same whatever its level; the level still says how certain the parameters are.
            ends |= len(new) == 1 and not np.isfinite(unknowns.prior_deviation).any()
            levels = problem.levels = new
        else:
            ends = True
        start = found.x * unknowns.scale
        if ends:
            break
    signals = problem.signals(found.x)
    assert signals is not None
    jacobian = problem.jacobian(found.x) / unknowns.scale
    return Solution(
        start,
        signals,
        problem.residuals(found.x),
        jacobian,
        levels,
        noise is None,
        runs,
        bool(found.success),
        str(found.message),
    )


def _minimized(problem: WeightedResiduals, start: Floats) -> scipy.optimize.OptimizeResult:
    u = problem.unknowns

    def residuals(x: Floats) -> Floats:
        return np.concatenate([problem.residuals(x), np.zeros(len(x))])

    def jacobian(x: Floats) -> Floats:
        return _held(problem.jacobian(x))

    return scipy.optimize.least_squares(
        residuals,
        np.clip(start, u.lower, u.upper) / u.scale,
        jacobian,
        (u.lower / u.scale, u.upper / u.scale),
        method="trf",
        ftol=TOLERANCE,
        xtol=TOLERANCE,
        gtol=TOLERANCE,
    )


def _held(jacobian: Floats) -> Floats:
    """The Jacobian (m + P, P) with rows that hold combinations which the residuals do not see, and zeros for others.

    The residuals of these rows are zero: they change neither the sum nor its gradient, only steps along such
    combinations. Without them a search runs away along what is nothing but the error of runs.
    """
    _, s, V = np.linalg.svd(jacobian, full_matrices=len(jacobian) < jacobian.shape[1])
    largest = s.max(initial=0.0)
    seen = np.count_nonzero(s > INVISIBLE * largest)
    return np.concatenate([jacobian, (largest or 1.0) * V[seen:].T @ V[seen:]])


def _estimated(problem: WeightedResiduals, x: Floats) -> dict[str, Floats]:
    """Noise levels from what is left, corrected for the parameters that were fitted."""
    data, found = problem.data, problem.signals(x)
    assert found is not None
    free = max(data.count - len(x), 1) / data.count
    out = {}
    for name, measured in data.signals.items():
        left = (found[name][0] - measured)[data.present[name]]
        level = max(float(np.sqrt(np.mean(left**2) / free)), FLOOR * _range(measured[data.present[name]]))
        out[name] = np.full(len(measured), level)
    return out


def _range(x: Floats) -> float:
    """Of the samples that there are; one for a signal that stays zero."""
    found = float(np.nanmax(x) - np.nanmin(x))
    return found or float(np.nanmax(np.abs(x))) or 1.0
