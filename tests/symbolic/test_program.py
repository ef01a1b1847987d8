"""Simulation programs: built without a warning, they give the motion."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

import supple
from supple.errors import StateError
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.printers import c_source
from supple.model.trace import Trace
from supple.symbolic.program import simulation_program
from supple.symbolic.program_parts import ProgramRun
from support.cases import thinned
from support.programs.c_programs import PARAMETERS, Floats, built, motion, oscillator, pendulum

EXACT = ProgramRun(1.0, 11, 1e-12, 1e-13)
Rates = Callable[[float, Floats, Floats], tuple[Floats, Floats]]


def integrated(rates: Rates, q: Floats, v: Floats, duration: float) -> Floats:
    """State at the end, q then v, by another program."""
    n = len(q)
    found = scipy.integrate.solve_ivp(
        lambda t, y: np.concatenate(rates(t, y[:n], y[n:])),
        (0.0, duration),
        np.concatenate([q, v]),
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
    )
    return np.asarray(found.y[:, -1])


def close(found: Floats, expected: Floats, tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@cache
def spacecraft() -> supple.Model:
    mech = supple.Mechanism("spacecraft", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(5.0, (0.1, 0, 0.2), np.diag([1.0, 2.0, 2.5])), joint=supple.Free())
    arm = supple.RigidBody(1.0, (0.5, 0, 0), np.diag([0.01, 0.1, 0.1]))
    mech.add_body("arm", arm, "hub", supple.Revolute("y", stiffness=3.0), at=(0.5, 0, 0))
    return mech.build()


def test_a_pendulum_with_parameters(tmp_path: Path) -> None:
    f = pendulum([*PARAMETERS])
    q, v, tau = np.array([0.1, 2.0]), np.array([0.0, -0.5]), np.array([0.3, 0.2])
    text = simulation_program(f, PARAMETERS, q, v, {"tau": tau}, EXACT)
    assert c_source(f).split("#include")[0] in text
    assert text.count("equations_precompute(") == 2  # there, and called before the run
    header, rows = motion(built(text, tmp_path))
    assert header == ["time", "q:cart.position", "q:arm.angle", "v:cart.position", "v:arm.angle"]
    np.testing.assert_array_equal(rows[:, 0], np.linspace(0.0, 1.0, 11))
    np.testing.assert_array_equal(rows[0, 1:], [*q, *v])

    def rates(_: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        out = f.evaluate(PARAMETERS, q=q, v=v, tau=tau)
        return out["rate"], out["a"]

    close(rows[-1, 1:], integrated(rates, q, v, 1.0), 1e-10)
    assert np.abs(rows[-1, 1:] - rows[0, 1:]).min() > 0.01

    mech = supple.Mechanism("the same in numbers", gravity=(0, -9.81, 0))
    mech.add_body("cart", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    arm = supple.RigidBody(1.7, (0, -0.5, 0), np.diag([0.08, 0.001, 0.08]))
    mech.add_body("arm", arm, "cart", supple.Revolute("z", damping=0.1))
    run = supple.simulate(mech.build(), 1.0, q, v, tau, rtol=1e-11, atol=1e-11, samples=11)
    close(rows[:, 1:], np.hstack([run.q, run.v]), 1e-9)


def test_a_free_body_without_parameters_or_forces(tmp_path: Path) -> None:
    model = spacecraft()
    t = Trace(model)
    still = np.zeros(model.nv, dtype=object)
    outputs = {"rate": t.rates(t.q, t.v), "a": t.forward_dynamics(t.q, t.v, still)}
    f = t.function("equations", {"q": t.q, "v": t.v}, outputs)
    q, v = model.random_state(4)
    text = simulation_program(f, q=q, v=v, run=EXACT)
    header, rows = motion(built(text, tmp_path))
    assert header[1:] == [f"q:{name}" for name in model.coordinates] + [f"v:{name}" for name in model.speeds]

    def rates(_: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        return model.derivative(q, v), model.forward_dynamics(q, v, np.zeros(model.nv))

    close(rows[-1, 1:], integrated(rates, q, v, 1.0), 1e-10)
    assert np.abs(rows[-1, 1:] - rows[0, 1:]).max() > 0.5
    run = supple.simulate(model, 1.0, q, v, rtol=1e-11, atol=1e-11, samples=11)
    close(rows[:, 1:], np.hstack([run.q, run.v]), 1e-9)


def test_time_and_further_inputs(tmp_path: Path) -> None:
    """x'' + 4 x = 2 cos 3 t has the solution 0.4 (cos 2 t - cos 3 t) from rest."""
    f = oscillator()
    text = simulation_program(f, v={"\u00e9": 0.7}, held={"force 1": [[2.0, 0.5]]}, run=EXACT._replace(duration=1.5))
    header, rows = motion(built(text, tmp_path))
    assert header == ["time", "q:left arm.x", 'q:"y", #2??/', "v:left arm.x", "v:\u00e9"]
    close(rows[:, 1], 0.4 * (np.cos(2 * rows[:, 0]) - np.cos(3 * rows[:, 0])), 1e-11)

    def rates(t: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        given: Any = {"t": t, "q": q, "v": v, "force 1": [[2.0, 0.5]]}
        out = f.evaluate(**given)
        return out["rate"], out["a"]

    close(rows[-1, 1:], integrated(rates, np.zeros(2), np.array([0.0, 0.7]), 1.5), 1e-9)


# ------------------------------------------------------------ what is handed over


NAMES = ["main", "exit", "run", "slopes", "ENTRIES", "NULL", "errno", "sin", "1 of 2", "for"]


@pytest.mark.parametrize("name", thinned(NAMES, ["main", "slopes", "NULL", "sin", "1 of 2", "for"]))
def test_a_function_may_have_any_name(name: str, tmp_path: Path) -> None:
    g = Graph()
    x, u, k = g.input("x"), g.input("u"), g.parameter("k")
    outputs: Any = {"rate": [u], "a": [-k * x]}
    f = Function(name, g, {"q": np.array([x]), "v": np.array([u])}, outputs, [k])
    _, rows = motion(built(simulation_program(f, {"k": 4.0}, q=[1.0], run=ProgramRun(1.0)), tmp_path))
    np.testing.assert_allclose(rows[-1, 1:], [np.cos(2), -2 * np.sin(2)], rtol=1e-9)


def test_parameters_may_be_an_input(tmp_path: Path) -> None:
    g = Graph()
    x, u, k = g.input("x"), g.input("u"), g.parameter("k")
    inputs: Any = {"parameters": [k], "q": [x], "v": [u]}
    outputs: Any = {"rate": [u], "a": [-k * k * x]}
    _, rows = motion(built(simulation_program(Function("f", g, inputs, outputs), {"k": 2.0}, q=[1.0]), tmp_path))
    np.testing.assert_allclose(rows[100, 1:], [np.cos(2), -2 * np.sin(2)], rtol=1e-9)


WRONG_NUMBERS: list[tuple[dict[str, Any], str]] = [
    ({"parameters": {}}, "needs a number for 'arm.mass', 'arm.com.y'"),
    ({"parameters": {**PARAMETERS, "arm.mas": 1.0}}, "no entry 'arm.mas'; did you mean 'arm.mass'"),
    ({"parameters": {**PARAMETERS, "arm.mass": np.inf}}, "finite numbers, got inf for 'arm.mass'"),
    ({"q": [1.0]}, r"q: expected shape \(2,\), got \(1,\)"),
    ({"q": {"arm.angel": 1.0}}, "q: no entry 'arm.angel'"),
    ({"v": [1.0, np.nan]}, "v: expected finite numbers, got nan for 'arm.angle'"),
    ({"held": {"tau": [1.0, 2.0, 3.0]}}, r"tau: expected shape \(2,\), got \(3,\)"),
    ({"held": {"force": [1.0, 2.0]}}, "no such input 'force'; there are 'tau'"),
    ({"duration": -1.0}, "duration: expected 0 or more, got -1"),
    ({"duration": np.nan}, "duration: expected 0 or more, got nan"),
    ({"samples": 1}, "samples: expected a whole number from 2 on, got 1"),
    ({"samples": 2.5}, "samples: expected a whole number from 2 on, got 2.5"),
    ({"rtol": 0.0}, "rtol: expected more than 0 and less than 1, got 0"),
    ({"atol": 0.0}, "atol: expected more than 0, got 0"),
    ({"atol": np.nan}, "atol: expected more than 0, got nan"),
]


@pytest.mark.parametrize(("given", "message"), WRONG_NUMBERS, ids=[message for _, message in WRONG_NUMBERS])
def test_numbers_that_do_not_fit(given: dict[str, Any], message: str) -> None:
    f = pendulum([*PARAMETERS])
    run = ProgramRun()._replace(**{key: x for key, x in given.items() if key in ProgramRun._fields})
    others = {key: x for key, x in given.items() if key not in ProgramRun._fields}
    with pytest.raises(StateError, match=message):
        simulation_program(f, **{"parameters": PARAMETERS, **others}, run=run)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ({"q": "x", "v": "u"}, {"rate": "u"}, "expected the outputs 'rate' and 'a', got 'rate'"),
        ({"q": "xu"}, {"rate": "uu", "a": "x"}, "expected an input 'v' of one number or more"),
        ({"q": "x", "v": "uw"}, {"rate": "u", "a": "x"}, "expected 'a' as long as 'v', 2, got 1"),
        ({"q": "x", "v": "u", "t": "wy"}, {"rate": "u", "a": "x"}, "expected one number as the time 't', got 2"),
        ({"q": "x", "v": "u", "rtol": "w"}, {"rate": "u", "a": "x"}, "an input cannot be called 'rtol'"),
        (
            {"q": "x", "v": "u", "f": ["w", ("w", "k")]},
            {"rate": "u", "a": "x"},
            "f: expected names that differ, got more",
        ),
        ({"q": "x", "v": "u", "f": "\n"}, {"rate": "u", "a": "x"}, "control characters"),
    ],
)
def test_functions_that_are_no_equations_of_motion(inputs: Any, outputs: Any, message: str) -> None:
    g = Graph()
    given, made = ({k: np.array([g.input(*c) for c in names]) for k, names in x.items()} for x in (inputs, outputs))
    with pytest.raises(StateError, match=message):
        simulation_program(Function("f", g, given, made))
