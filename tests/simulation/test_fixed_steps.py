"""Explicit fixed steps: their order, constant drives and functions alike, and what is said when they fail."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from supple.model.functions.table import INTEGRATORS
from supple.simulation.methods.fixed_steps import EXPLICIT


@cache
def arm() -> supple.Model:
    soft = structures.Material(E=7e9, nu=0.33, rho=2700.0)
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), soft, 6).reduce("cantilever", modes=3)
    mech = supple.Mechanism("arm")
    mech.add_body("upper", body)
    mech.add_body("fore", body, "upper", supple.Revolute("y", damping=0.01), at="end")
    return mech.build()


@pytest.mark.parametrize(("integrator", "order"), [("leapfrog", 2), ("rk4", 4), ("semi_implicit_euler", 1)])
def test_order(integrator: str, order: int) -> None:
    model = arm()
    exact = supple.simulate(model, 0.2, rtol=1e-12, atol=1e-13, samples=3)
    errors = []
    for step in (4e-4, 2e-4):
        result = supple.simulate(model, 0.2, integrator=integrator, step=step, samples=3)
        assert result.attrs["steps"] == round(0.2 / step)
        assert result.attrs["evaluations"] == EXPLICIT[integrator] * result.attrs["steps"]
        errors.append(float(np.abs(result.q.values[-1] - exact.q.values[-1]).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.4)


def test_every_rollout_can_be_asked_for() -> None:
    assert set(EXPLICIT) == set(INTEGRATORS)


def test_a_function_as_drive_gives_the_same_motion_traced_and_called() -> None:
    model = arm()
    asked: list[float] = []

    def equations(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        tau = 0 * v
        tau[0] = 0.5 * np.sin(9.0 * t) - 0.01 * v[0]
        return tau

    def python(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        asked.append(float(t))  # symbols have no float: the function is called
        return equations(t, q, v)

    settings: dict[str, Any] = {"integrator": "leapfrog", "step": 1e-3, "samples": 4}
    traced = supple.simulate(model, 0.03, tau=equations, **settings)
    called = supple.simulate(model, 0.03, tau=python, **settings)
    assert np.allclose(traced.q, called.q, rtol=0, atol=1e-14)
    assert len(asked) >= 60  # twice in each of 30 steps
    assert traced.q.values[-1, 0] != supple.simulate(model, 0.03, **settings).q.values[-1, 0]


def test_steps_too_long_are_told() -> None:
    with pytest.raises(supple.SimulationError, match="too long for the fastest vibration"):
        supple.simulate(arm(), 5.0, integrator="leapfrog", step=0.05)


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan")])
def test_steps_that_are_none(step: float) -> None:
    with pytest.raises(supple.StateError, match="expected a positive number"):
        supple.simulate(arm(), 1.0, integrator="rk4", step=step)


@pytest.mark.parametrize("step", [5e-324, 1e-300, 1e-12])
def test_steps_below_the_resolution_of_time_are_an_error(step: float) -> None:
    mech = supple.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    with pytest.raises(
        supple.StateError, match="step: expected more than 1e-12 s, the resolution of time in a run of 1 s, got"
    ):
        supple.simulate(mech.build(), 1.0, integrator="rk4", step=step)
