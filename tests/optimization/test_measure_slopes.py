"""Derivatives of measures are those of the formulas, whatever functions these have."""

from __future__ import annotations

import numpy as np
import pytest

from supple.optimization.measure_slopes import DifferentiableMeasure, MovedRun
from supple.results.signals import Signal

T = np.linspace(0.0, 2.0, 41)
X, DX = 0.4 * np.sin(3 * T + 0.3), 0.2 * np.cos(2 * T) + 0.05
Y, DY = 1.2 + 0.3 * T, 0.1 * T**2


class PlainRun(MovedRun):
    """The same signals, moved by a real step."""

    def __init__(self, step: float) -> None:
        signals = {"x": Signal("x", "m", X + step * DX), "y": Signal("y", "", Y + step * DY)}
        super().__init__(T, signals, {})

    def signal(self, name: str) -> tuple[np.ndarray, str]:
        return self._signals[name].values, self._signals[name].unit


class Formula(DifferentiableMeasure):
    """One that takes a plain run for what it is."""

    def _called(self, x, function, run):  # type: ignore[no-untyped-def]
        if isinstance(run, PlainRun):
            return super(DifferentiableMeasure, self)._called(x, function, run)
        return super()._called(x, function, run)


@pytest.mark.parametrize(
    "text",
    [
        "last(x)",
        "first(x*y)",
        "mean(x)",
        "rms(x)",
        "integral(x**2)",
        "max(x)",
        "min(x)",
        "peak_to_peak(x*y)",
        "max(abs(x - 0.1))",
        "at(x, 0.77)",
        "rms(sin(x) + exp(-y) - log(y) + sqrt(y) + atan2(x, y))",
        "mean(max(x, y - 1.3)) + mean(min(x, 0.1))",
        "integral(clip(x, -0.2, 0.3)) + mean(ramp(x)) + mean(step(x)*y) + mean(sign(x)*x)",
        "first(x < 0)",
        "last(x > 0.1 and y < 1.5)",
        "settling(x, 0, 0.39)",
        "2*rms(x)**2/mean(y) - pi",
        "last(t) + last(x)",
    ],
)
def test_slopes_are_limits_of_differences(text: str) -> None:
    signals = {"x": Signal("x", "m", X), "y": Signal("y", "", Y)}
    formula, h = Formula(text), 1e-6
    found = formula.slope(MovedRun(T, signals, {"x": DX, "y": DY}))
    ends = [formula.value(PlainRun(sign * h))[0] for sign in (1, -1)]
    assert np.isfinite(ends).all()
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-8)
    assert abs(found) > 1e-3
