"""Measures of motions that are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from supple.checks import Floats
from supple.errors import StateError
from supple.inputs.measure_formulas import MeasureFormula


class Run:
    """A decaying oscillation x = exp(-t/5) cos(3 t) and a ramp, sampled finely."""

    t = np.linspace(0.0, 20.0, 20001)

    def known(self, name: str) -> bool:
        return name in ("arm.angle", "ramp", "boom/end.z", "half")

    def signal(self, name: str) -> tuple[Floats, str]:
        x = {
            "arm.angle": np.exp(-self.t / 5) * np.cos(3 * self.t),
            "ramp": 0.1 * self.t,
            "boom/end.z": np.full_like(self.t, 7.0),
            "half": np.full_like(self.t, 0.5),
        }
        if name not in x:
            raise StateError(f"no signal {name!r}")
        return x[name], "rad" if name == "arm.angle" else "m"

    def of_model(self, what: str, number: int) -> float:
        return {"frequency": 3.0, "damping": 0.1}[what] * number

    def of_body(self, what: str, body: str) -> float:
        return float(len(body)) if what == "margin" else 0.0


def value(text: str) -> float:
    return MeasureFormula(text).value(Run())[0]


ENVELOPE = 5 * np.log(1 / 0.02)
SETTLED = value("last(abs(arm.angle) > 0.02)")


@pytest.mark.parametrize(
    ("text", "expected", "tolerance"),
    [
        ("max(ramp)", 2.0, 1e-12),
        ("min(arm.angle)", -np.exp(-np.pi / 15), 2e-3),
        ("first(arm.angle)", 1.0, 0.0),
        ("last(ramp) / 2", 1.0, 1e-12),
        ("mean(ramp)", 1.0, 1e-12),
        ("rms(ramp)", 2 / np.sqrt(3), 1e-6),
        ("peak_to_peak(ramp)", 2.0, 1e-12),
        ("integral(ramp)", 20.0, 1e-9),
        ("time_of_max(ramp)", 20.0, 0.0),
        ("at(ramp, 3.14159)", 0.314159, 1e-12),
        ("first(arm.angle < 0)", np.pi / 6, 1e-6),
        ("first(ramp >= 1)", 10.0, 1e-9),
        ("last(ramp <= 1)", 10.0, 1e-9),
        ("first(0.5 < ramp < 1)", 5.0, 1e-9),
        ("last(0.5 < ramp < 1)", 10.0, 1e-9),
        ("first(ramp > 0.5 and ramp > 0.7)", 7.0, 1e-9),
        ("first(ramp > 0.5 or ramp > 0.7)", 5.0, 1e-9),
        ("first(not ramp < 0.5)", 5.0, 1e-9),
        ("last(ramp > 1)", 20.0, 0.0),
        ("settling(ramp*0, 0, 0.1)", 0.0, 0.0),
        ("settling(arm.angle, 0, 0.02)", SETTLED, 0.0),
        ("max(abs(arm.angle - 1)) * 2*pi", 2 * np.pi * (1 + np.exp(-np.pi / 15)), 0.02),
        ("max(max(arm.angle, ramp))", 2.0, 1e-12),
        ("max(clip(ramp, 0, 0.3))", 0.3, 1e-12),
        ("max(boom/end.z)", 7.0, 0.0),
        ("max('boom/end.z')", 7.0, 0.0),
        ("max(ramp/half)", 4.0, 1e-12),
        ("frequency(2) + damping(1)", 6.1, 1e-12),
        ("margin(boom)", 4.0, 0.0),
        ("last(t)", 20.0, 0.0),
    ],
)
def test_numbers_of_known_motions(text: str, expected: float, tolerance: float) -> None:
    assert value(text) == pytest.approx(expected, abs=tolerance)


def test_the_last_crossing_is_below_the_envelope() -> None:
    assert ENVELOPE - np.pi / 3 < SETTLED < ENVELOPE


@pytest.mark.parametrize("text", ["first(ramp > 3)", "last(ramp > 3)", "settling(ramp, 0, 1)", "at(ramp, 21)"])
def test_what_never_happens_is_no_number(text: str) -> None:
    assert np.isnan(value(text))


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("max(abs(arm.angle))", "rad"), ("max(abs(arm.angle - 0.2))", "rad"), ("2*max(ramp)", "m"), ("rms(ramp)", "m"),
        ("first(ramp > 1)", "s"), ("time_of_max(ramp)", "s"), ("frequency(1)", "Hz"), ("max(ramp*arm.angle)", ""),
        ("max(sin(arm.angle))", ""), ("max(ramp)**2", ""),
    ],
)  # fmt: skip
def test_units_are_known_where_they_are_plain(text: str, unit: str) -> None:
    assert MeasureFormula(text).value(Run())[1] == unit


def test_frequencies_need_no_motion() -> None:
    assert not MeasureFormula("frequency(1)*2*pi").needs_motion
    assert MeasureFormula("frequency(1) + max(x)").needs_motion
    assert MeasureFormula("margin(boom)").needs_motion


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("abs(arm.angle)", "expected a number for each case, got a signal over time"),
        ("ramp > 1", "got a condition; first\\(\\) and last\\(\\) give its time"),
        ("max(3)", "expected a signal over time, got a number"),
        ("maxx(ramp)", "no function 'maxx'; did you mean 'max'"),
        ("max(ramp, ramp, ramp)", "max: expected 1 or 2 arguments, got 3"),
        ("mean(ramp > 1)", "expected a signal over time, got a condition"),
        ("first(ramp == 1)", "expected numbers, names"),
        ("frequency(0)", "expected the number of a mode"),
        ("margin(3)", "expected the name of a body"),
        ("first(1 > 2)", "expected a signal to compare"),
        ("first((ramp > 1) + 1)", "got a condition"),
        ("__import__('os')", "no function '__import__'"),
        ("max(ramp", "cannot be read"),
        ("[max(x) for x in y]", "expected numbers, names"),
    ],
)
def test_what_is_no_measure_is_refused(text: str, words: str) -> None:
    with pytest.raises(StateError, match=words):
        MeasureFormula(text)


def test_a_signal_that_is_not_there_is_named() -> None:
    with pytest.raises(StateError, match=r"no signal 'arm\.angel'"):
        value("max(arm.angel)")
