"""Derivatives of FMUs are those of the model, forward and in reverse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.programs.fmu_models import Case, Floats, Opened, case, double_pendulum, fmu_path


def state_of(x: Opened) -> Floats:
    return x.get(*x.states)


def differences(x: Opened, unknowns: list[str], t: float, y: Floats, h: float = 1e-6) -> Floats:
    """Central differences by the time and all states."""
    rows = []
    for i in range(len(y) + 1):
        found = []
        for sign in (1.0, -1.0):
            moved = y.copy()
            if i:
                moved[i - 1] += sign * h
            x.move(t if i else t + sign * h, moved)
            found.append(x.get(*unknowns))
        rows.append((found[0] - found[1]) / (2.0 * h))
    x.move(t, y)
    return np.array(rows).T


def test_directional_derivatives_are_the_linearized_model() -> None:
    of = case("cart pendulum")
    x = Opened(fmu_path("cart pendulum"))
    q, v = of.model.random_state(5)
    tau = np.array([0.7, -0.4])
    x.set({"tau(cart.position)": 0.7, "tau(arm.angle)": -0.4})
    x.move(0.3, np.concatenate([q, v]))
    A, B = of.model.linearize(q, v, tau)
    rates = [f"der({name})" for name in x.states]
    np.testing.assert_allclose(x.directional(rates, x.states), A, atol=1e-10 * np.abs(A).max())
    forces = ["tau(cart.position)", "tau(arm.angle)"]
    np.testing.assert_allclose(x.directional(rates, forces), B, atol=1e-10 * np.abs(B).max())
    assert np.abs(A).max() > 1.0
    x.close()


@pytest.mark.parametrize(
    "name", thinned(["satellite", "four-bar", "flexible arm", "gate"], ["satellite", "four-bar", "gate"])
)
def test_derivatives_forward_and_in_reverse(name: str) -> None:
    """Against differences, of rates and outputs; with loops, tables, controllers and their integrals."""
    x = Opened(fmu_path(name))
    rng, y = np.random.default_rng(3), state_of(x)
    y = y + 0.01 * rng.normal(size=len(y))
    x.move(0.01, y)
    forward = x.directional(x.unknowns, x.knowns)
    np.testing.assert_allclose(x.adjoint(x.unknowns, x.knowns), forward, atol=1e-11 * np.abs(forward).max())
    found = differences(x, x.unknowns, 0.01, y)
    scale = np.abs(forward).max(axis=1, keepdims=True) + 1.0
    np.testing.assert_allclose(forward[:, : len(y) + 1] / scale, found / scale, atol=1e-6)
    assert np.abs(forward).max() > 1.0
    x.close()


def test_derivatives_while_a_stop_holds_a_joint(tmp_path: Path) -> None:
    """The lower bar swings, the upper one is held; then both are free."""
    limits = [supple.Limit("upper.angle", upper=0.0, restitution=0.0)]
    of = Case(double_pendulum(), duration=1.0, samples=11, limits=limits, tau={"upper.angle": "20 + 3*sin(t)"})
    of.arguments |= {"q": {"upper.angle": -0.05, "lower.angle": 0.7}, "outputs": supple.Outputs(wrenches="all")}
    x = Opened(str(supple.export.fmu(of.model, tmp_path / "held.fmu", of.arguments)))
    y = state_of(x)
    for held in (False, True):
        if held:
            y[[0, 2]] = 1e-9, 0.5  # beyond the stop
            x.move(0.2, y)
            x.fmu.enterEventMode()
            assert x.fmu.updateDiscreteStates()[3]
            y = state_of(x)
            assert (y[0], y[2]) == (0.0, 0.0)
        y[3] = 0.8
        x.move(0.2, y)
        assert bool(x.get("der(rate(upper.angle))")[0] == 0.0) is held
        forward = x.directional(x.unknowns, x.knowns)
        np.testing.assert_allclose(x.adjoint(x.unknowns, x.knowns), forward, atol=1e-12 * np.abs(forward).max())
        np.testing.assert_allclose(forward[:, : len(y) + 1], differences(x, x.unknowns, 0.2, y), atol=1e-6)
        lower = x.unknowns.index("der(rate(lower.angle))"), x.knowns.index("lower.angle")
        assert abs(forward[lower]) > 1.0
    x.close()
