"""Derivatives of measures along directions, by complex steps through their formulas.

A signal that changes by h dx along a direction is x + i h dx; with h of 1e-30 the imaginary part of the measure over h
is its derivative, exact to rounding. What is not analytic chooses by real parts: the largest value changes as the
signal does where it is largest.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.errors import StateError
from supple.expressions.operations import FUNCTIONS
from supple.inputs.measure_formulas import COMPOSED, CONDITION, OF_BODY, OF_MODEL, REDUCTIONS, Condition, MeasureFormula
from supple.results.signals import Signal

STEP = 1e-30
Complex = np.ndarray[Any, np.dtype[np.complex128]]


def _integral(t: Floats, x: Complex) -> complex:
    return complex(np.sum(0.5 * (x[1:] + x[:-1]) * np.diff(t)))


def _mean(t: Floats, x: Complex) -> complex:
    return _integral(t, x) / float(t[-1] - t[0]) if t[-1] > t[0] else complex(x[-1])


def _largest(x: Complex) -> complex:
    return complex(x[int(np.argmax(x.real))])


COMPLEX: dict[str, Callable[[Floats, Complex], complex]] = {
    "max": lambda t, x: _largest(x),
    "min": lambda t, x: -_largest(-x),
    "first": lambda t, x: complex(x[0]),
    "last": lambda t, x: complex(x[-1]),
    "mean": _mean,
    "rms": lambda t, x: complex(np.sqrt(_mean(t, x * x))),
    "peak_to_peak": lambda t, x: _largest(x) + _largest(-x),
    "integral": _integral,
}
"""What makes a number of a signal; times of extremes are those of samples, which do not move."""


def _absolute(x: Complex) -> Complex:
    return np.asarray(x * np.sign(np.real(x)))


def _sign(x: Complex) -> Floats:
    return np.asarray(np.sign(np.real(x)))


def _angle(y: Complex, x: Complex) -> Complex:
    a, b = np.real(y), np.real(x)
    return np.asarray(np.arctan2(a, b) + 1j * (b * np.imag(y) - a * np.imag(x)) / (a * a + b * b))


POINTWISE: dict[str, Callable[..., Any]] = {"abs": _absolute, "sign": _sign, "atan2": _angle}
"""Functions that numpy does not have as is wanted here for complex numbers; max and min compare real parts first."""
COMPLEX_COMPOSED: dict[str, Callable[..., Any]] = {"step": lambda x: 0.5 * (1 + _sign(x))}


class MovedRun:
    """The signals of a run, moved along one direction: what a formula is evaluated on.

    Parameters
    ----------
    t : (n,) array
    signals : mapping of name to Signal
    slopes : mapping of name to (n,) array
    """

    def __init__(self, t: Floats, signals: Mapping[str, Signal], slopes: Mapping[str, Floats]) -> None:
        self.t, self._signals, self._slopes = t, signals, slopes

    def known(self, name: str) -> bool:
        """Whether there is a signal of this name."""
        return name in self._signals

    def signal(self, name: str) -> tuple[Any, str]:
        """A signal (n,), complex, and its unit."""
        return self._signals[name].values + 1j * STEP * self._slopes[name], self._signals[name].unit

    def of_model(self, what: str, number: int) -> float:
        """Refused: frequencies are differentiated by differences."""
        raise StateError(f"measure: {what} has no derivative by complex steps")

    def of_body(self, what: str, body: str) -> float:
        """Refused: what is found of flexible bodies is differentiated by differences."""
        raise StateError(f"measure: {what} has no derivative by complex steps")


class DifferentiableMeasure(MeasureFormula):
    """A formula of one number of a motion, with its derivative along a direction."""

    @property
    def analytic(self) -> bool:
        """Whether it depends on signals alone, and not on modes, stresses or strains."""
        called = {x.func.id for x in ast.walk(self._tree) if isinstance(x, ast.Call) and isinstance(x.func, ast.Name)}
        return not called & {*OF_MODEL, *OF_BODY}

    def slope(self, run: MovedRun) -> float:
        """Its derivative along the direction of a moved run."""
        with np.errstate(all="ignore"):
            found: Any = self._value(self._tree, run)[0]
        return float(np.imag(found)) / STEP

    def _called(self, x: ast.Call, function: str, run: Any) -> tuple[Any, str]:
        if not isinstance(run, MovedRun):
            return super()._called(x, function, run)
        if function in ("first", "last") and self._kind(x.args[0]) == CONDITION:
            return _crossing(run.t, self._condition(x.args[0], run), function == "last"), "s"
        args = [self._value(arg, run)[0] for arg in x.args]
        if function == "settling":
            distance = _absolute(args[0] - args[1]) - args[2]
            outside = Condition(np.real(distance) > 0, distance)
            return _crossing(run.t, outside, last=True), "s"
        if function == "at":
            place = float(np.real(args[1]))
            return np.interp(place, run.t, args[0].real) + 1j * np.interp(place, run.t, args[0].imag), ""
        if function in COMPLEX and len(args) == 1:
            return COMPLEX[function](run.t, np.broadcast_to(args[0], run.t.shape).astype(complex)), ""
        if function in REDUCTIONS and len(args) == 1:
            raise self._fault(f"{function}: is a time of samples, which has no derivative", self._place(x))
        if function in COMPOSED:
            return COMPLEX_COMPOSED.get(function, COMPOSED[function][1])(*args), ""
        return POINTWISE.get(function, getattr(np, FUNCTIONS[function].numpy))(*args), ""


def _crossing(t: Floats, x: Condition, last: bool) -> complex:
    """The first or last time at which a condition holds, which moves with the signals; see `crossing`."""
    places = np.flatnonzero(x.holds)
    if not len(places):
        return complex(np.nan)
    i = int(places[-1 if last else 0])
    j = i + 1 if last else i - 1
    if not 0 <= j < len(t):
        return complex(t[i])
    a, b = complex(x.excess[i]), complex(x.excess[j])
    share = a / (a - b) if a.real > b.real else 0.0
    return complex(t[i] + share * (t[j] - t[i]))
