"""Gradients in reverse: equal to tangents to rounding, right against differences, and refused by name."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import supple

INERTIA = np.diag([0.1, 0.2, 0.3])
NAMES = ["a.mass", "b.com.x", "b.at.z", "gravity.z", "k", "q.a.angle", "v.b.angle", "b.angle.kp"]
SETTINGS: dict[str, Any] = {
    "q": {"a.angle": 1.0},
    "v": {"b.angle": 0.5},
    "tau": {"a.angle": "2*sin(t) - k*rate(a.angle)", "b.angle": supple.PID(0.1, kp=3.0, kd=0.2, ki=0.3)},
    "variables": {"k": 0.3},
    "step": 0.02,
}


@cache
def double_pendulum() -> supple.Model:
    mech = supple.Mechanism("double pendulum")
    mech.add_body("a", supple.RigidBody(2.0, com=(0.1, 0, -0.5), inertia=INERTIA), joint=supple.Revolute("y"))
    body = supple.RigidBody(1.0, com=(0, 0, -0.3), inertia=INERTIA)
    mech.add_body("b", body, parent="a", at=(0, 0, -1.0), joint=supple.Revolute("y"))
    return mech.build()


@pytest.mark.parametrize("integrator", ["rk4", "leapfrog"])
def test_a_gradient_is_the_sensitivity_to_rounding(integrator: str) -> None:
    model, settings = double_pendulum(), SETTINGS | {"integrator": integrator}
    found = supple.gradient(model, 0.8, by=NAMES, final="a.angle**2 + rate(b.angle)", **settings)
    x = supple.simulate(model, 0.8, sensitivities=NAMES, samples=3, **settings).isel(time=-1)
    expected = 2 * x.q.values[0] * x.q_sensitivity.values[0] + x.v_sensitivity.values[1]
    assert np.abs(expected).min() > 1e-3
    assert found.value == pytest.approx(float(x.q[0] ** 2 + x.v[1]), rel=1e-13)
    assert list(found.by) == NAMES
    np.testing.assert_allclose(list(found.by.values()), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_an_integral_over_time() -> None:
    model, formula = double_pendulum(), "rate(a.angle)**2 * t"

    def value(mass: float) -> float:
        other = model.with_parameters({"a.mass": mass})
        return supple.gradient(other, 0.8, by=["k"], running=formula, **SETTINGS).value

    found = supple.gradient(model, 0.8, by=["a.mass", "k"], running=formula, **SETTINGS)
    assert found.by["a.mass"] == pytest.approx((value(2.0 + 1e-4) - value(2.0 - 1e-4)) / 2e-4, rel=1e-7)
    x = supple.simulate(model, 0.8, samples=401, **{k: v for k, v in SETTINGS.items() if k != "step"})
    exact = np.trapezoid(x.v.values[:, 0] ** 2 * x.time.values, x.time.values)
    assert found.value == pytest.approx(exact, rel=1e-5)


def test_numbers_of_a_flexible_body() -> None:
    strip = supple.structures.beam(
        0.5, supple.structures.Rectangle(0.03, 0.01), supple.structures.Material(70e9, 0.3, 2700.0), elements=4
    )
    mech = supple.Mechanism("boom")
    mech.add_body("boom", strip.reduce("cantilever", modes=1, damping=0.01), joint=supple.Revolute("y"))
    model, names = mech.build(), ["boom.E", "boom.length", "gravity.z"]
    settings: dict[str, Any] = {"q": {"boom.angle": 0.3}, "step": 2e-4}
    found = supple.gradient(model, 0.02, by=names, final="boom.mode1", **settings)
    x = supple.simulate(model, 0.02, sensitivities=names, samples=2, integrator="rk4", **settings).isel(time=-1)
    expected = x.q_sensitivity.sel(coordinate="boom.mode1").values
    assert (np.abs(expected) > 0).all()
    np.testing.assert_allclose(list(found.by.values()), expected, rtol=1e-9)


def test_what_has_no_way_back_is_refused() -> None:
    model, rest = double_pendulum(), {"by": ["a.mass"], "step": 0.02}
    with pytest.raises(supple.StateError, match="'final' or of 'running'"):
        supple.gradient(model, 1.0, **rest)  # type: ignore[arg-type]
    with pytest.raises(supple.StateError, match="expected one of rk4"):
        supple.gradient(model, 1.0, final="a.angle", integrator="generalized_alpha", **rest)  # type: ignore[arg-type]
    law = supple.PID(0.1, kp=3.0, rate=10.0)
    with pytest.raises(supple.StateError, match="sampled controllers"):
        supple.gradient(model, 1.0, tau={"a.angle": law}, final="a.angle", **rest)  # type: ignore[arg-type]
    with pytest.raises(supple.StateError, match=r"no parameter 'a\.mas'"):
        supple.gradient(model, 1.0, final="a.angle", by=["a.mas"], step=0.02)
