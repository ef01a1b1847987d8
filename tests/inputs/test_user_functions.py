"""Python functions as laws: traced or called, with the same motion, and told when they answer wrongly."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple import PID, Sampled
from supple.errors import SimulationError, StateError
from supple.inputs.inputs import Inputs
from supple.inputs.user_functions import text

Vector = NDArray[np.float64]


@cache
def two() -> supple.Model:
    mech = supple.Mechanism("two")
    mech.add_body("a", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    mech.add_body("b", supple.RigidBody(0.7, (0, 0, -0.5)), "a", joint=supple.Revolute("y"), at=(0, 0, -1.0))
    return mech.build()


def branching(t: Any, q: Any, v: Any) -> Any:
    return np.sin(3 * t) - q[1] * v[0] if t >= 0 else 0.0


LAWS: dict[str, tuple[Any, bool]] = {
    "traced": (lambda t, q, v: np.sin(3 * t) - q[1] * v[0], True),
    "an array of one": (lambda t, q, v: np.array([np.sin(3 * t) - q[1] * v[0]]), True),
    "if": (branching, False),
    "math": (lambda t, q, v: math.sin(3 * t) - q[1] * v[0], False),
    "interp": (lambda t, q, v: np.interp(t, [0, 9], [0, 0]) + np.sin(3 * t) - q[1] * v[0], False),
    "float": (lambda t, q, v: float(np.sin(3 * t) - q[1] * v[0]), False),
}


@pytest.mark.parametrize("kind", LAWS)
def test_a_function_gives_the_motion_of_the_formula_traced_or_called(kind: str) -> None:
    law, traced = LAWS[kind]
    assert Inputs(two(), {"b.angle": law}).calls is not traced
    formula = supple.simulate(two(), 1.0, q=[0.3, 0.2], tau={"b.angle": "sin(3*t) - b.angle*rate(a.angle)"}, samples=6)
    result = supple.simulate(two(), 1.0, q=[0.3, 0.2], tau={"b.angle": law}, samples=6)
    assert np.ptp(formula.tau.values[:, 1]) > 0.5
    assert np.allclose(result.q, formula.q, atol=1e-8)
    assert np.allclose(result.tau, formula.tau, atol=1e-7)
    assert np.allclose(result.work, formula.work, atol=1e-7)


@pytest.mark.parametrize(
    ("integrator", "step", "tolerance"),
    [
        ("ESDIRK54", None, 1e-6),
        ("Radau", None, 1e-6),
        ("CVODE", None, 1e-6),
        ("IDA", None, 1e-6),
        ("leapfrog", 1e-3, 1e-5),
        ("rk4", 1e-3, 1e-8),
        ("generalized_alpha", 1e-3, 1e-4),
        ("variational", 1e-3, 1e-5),
    ],
)
def test_functions_are_called_by_every_integrator(integrator: str, step: float | None, tolerance: float) -> None:
    formula = supple.simulate(two(), 1.0, q=[0.3, 0.2], tau={"b.angle": "sin(3*t) - b.angle*rate(a.angle)"}, samples=6)
    law = LAWS["math"][0]
    result = supple.simulate(
        two(), 1.0, q=[0.3, 0.2], tau={"b.angle": law}, integrator=integrator, step=step, samples=6
    )
    assert np.allclose(result.q, formula.q, atol=tolerance)


@pytest.mark.parametrize("traced", [True, False])
def test_one_function_for_all_speeds(traced: bool) -> None:
    def law(t: Any, q: Any, v: Any) -> Any:
        sin = np.sin if traced else math.sin
        return np.array([-0.1 * v[0], sin(3 * t)])

    assert Inputs(two(), law).calls is not traced
    result = supple.simulate(two(), 1.0, q=[0.3, 0.2], tau=law, samples=6)
    named = {"a.angle": "-0.1*rate(a.angle)", "b.angle": "sin(3*t)"}
    formula = supple.simulate(two(), 1.0, q=[0.3, 0.2], tau=named, samples=6)
    assert np.allclose(result.q, formula.q, atol=1e-8)


def test_functions_with_a_memory_or_random_numbers_are_called() -> None:
    rng = np.random.default_rng(0)
    count = [0.0]

    def counting(t: Any, q: Any, v: Any) -> Any:
        count[0] += 1.0
        return q[0] + count[0]

    for law in (counting, lambda t, q, v: q[0] + rng.normal()):
        assert Inputs(two(), {"a.angle": law}).calls


def test_a_function_cannot_change_the_state() -> None:
    def law(t: float, q: Vector, v: Vector) -> float:
        q[:] = math.nan
        return float(v[0])

    result = supple.simulate(two(), 0.2, q=[0.3, 0.2], tau={"a.angle": law}, samples=3)
    expected = supple.simulate(two(), 0.2, q=[0.3, 0.2], tau={"a.angle": "rate(a.angle)"}, samples=3)
    assert np.allclose(result.q, expected.q, atol=1e-9)


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize(
    ("answer", "whole", "error", "words"),
    [
        ([1.0, 2.0, 3.0], True, StateError, r"tau: the function gave shape \(3,\), expected \(2,\)"),
        (1.0, True, StateError, r"tau: the function gave shape \(\), expected \(2,\)"),
        ([1.0, 2.0], False, StateError, r"tau: 'a.angle': the function gave shape \(2,\), expected \(\)"),
        ("much", False, StateError, "tau: 'a.angle': the function gave 'much', expected numbers"),
        (math.nan, False, SimulationError, r"tau: 'a.angle': the function gave nan at t = 0 s, expected finite"),
        ([1.0, math.inf], True, SimulationError, r"tau: the function gave \[1.0, inf\] at t = 0 s"),
    ],
)
def test_wrong_answers_are_told(answer: Any, whole: bool, error: type[Exception], words: str, sampled: bool) -> None:
    def law(t: float, q: Vector, v: Vector) -> Any:
        return answer

    given: Any = Sampled(law, 10.0) if sampled else law
    with pytest.raises(error, match=words):
        supple.simulate(two(), 0.1, tau=given if whole else {"a.angle": given})


@pytest.mark.parametrize("integrator", ["DOP853", "Radau", "CVODE", "IDA"])
def test_an_answer_that_is_no_number_later_on_keeps_the_motion_so_far(integrator: str) -> None:
    def law(t: float, q: Vector, v: Vector) -> float:
        return 1.0 if t < 0.5 else math.nan

    with pytest.raises(SimulationError, match=r"the function gave nan at t = 0\.\d+ s") as caught:
        supple.simulate(two(), 1.0, tau={"a.angle": law}, integrator=integrator)
    kept = caught.value.result
    assert 0.1 < float(kept.time[-1]) <= 0.5


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54", "CVODE", "generalized_alpha", "variational"])
def test_errors_of_the_function_itself_come_through(integrator: str) -> None:
    def law(t: float, q: Vector, v: Vector) -> float:
        return 1.0 / (0.0 if t > 0.3 else 1.0)

    step = 0.01 if integrator in ("generalized_alpha", "variational") else None
    with pytest.raises(ZeroDivisionError):
        supple.simulate(two(), 1.0, tau={"a.angle": law}, integrator=integrator, step=step)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (None, "tau: 'a.angle': expected a finite number, a formula"),
        ([1.0], "tau: 'a.angle': expected a finite number, a formula"),
        (True, "tau: 'a.angle': expected a finite number, a formula"),
        (math.inf, "tau: 'a.angle': expected a finite number, a formula"),
        (supple.Motion(1.0), "tau: 'a.angle': expected a finite number, a formula"),
    ],
)
def test_what_is_no_law_is_refused(law: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        supple.simulate(two(), 0.1, tau={"a.angle": law})


@pytest.mark.parametrize("number", [2, np.int64(2), np.float32(2.0), 2.0])
def test_any_number_is_a_law(number: Any) -> None:
    inputs = Inputs(two(), {"a.angle": number})
    assert inputs.constant
    assert inputs.laws == {0: 2.0}


@pytest.mark.parametrize("name", ["t", "a.angle"])
def test_variables_do_not_hide_quantities(name: str) -> None:
    with pytest.raises(StateError, match=f"variables: {name!r} is a quantity of the model"):
        supple.simulate(two(), 0.1, variables={name: 1.0})


def test_variables_do_not_hide_what_laws_hold() -> None:
    """A sampled law keeps its force under a name; a variable of that name would be the same number."""
    law = PID(0.0, kp=1.0, rate=100.0)
    with pytest.raises(StateError, match=r"variables: 'a.angle.held' is a quantity of a law"):
        supple.simulate(two(), 0.1, tau={"a.angle": law}, variables={"a.angle.held": 1.0})


def test_variables_are_finite_numbers_that_formulas_know() -> None:
    with pytest.raises(StateError, match="variables: 'k': expected a finite number, got nan"):
        supple.simulate(two(), 0.1, variables={"k": math.nan})
    result = supple.simulate(two(), 0.5, tau={"a.angle": "k*t"}, variables={"k": 3.0}, samples=3)
    expected = supple.simulate(two(), 0.5, tau={"a.angle": "3*t"}, samples=3)
    assert abs(float(expected.q[-1, 0])) > 0.01
    assert np.allclose(result.q, expected.q, atol=1e-12)
    with pytest.raises(StateError, match=r"tau 'a\.angle': 'K\*t': no quantity 'K'"):
        supple.simulate(two(), 0.5, tau={"a.angle": "K*t"}, variables={"k": 3.0}, samples=3)


def test_functions_are_known_again_by_what_they_do() -> None:
    def make(gain: float) -> Any:
        return [lambda t, q, v: 2 * t, lambda t, q, v: 3 * t, lambda t, q, v: math.sin(t), lambda t, q, v: math.cos(t)]

    marks = [text(f) for f in make(1.0)]
    assert len(set(marks)) == len(marks)
    assert marks == [text(f) for f in make(2.0)]
    assert text(Sampled(make(1.0)[0], 5.0)) == f"{marks[0]} at 5.0 Hz"
