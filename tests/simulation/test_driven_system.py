"""A model with its laws: rates, forces and exact derivatives, the same in machine code and by the recursions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from supple.inputs.inputs import Inputs
from supple.simulation import driven_system as module
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.sundials import residual_slopes, residuals


def arm() -> supple.Model:
    """A flexible link on a motor, a rigid one, a wrist that turns freely."""
    material = structures.Material(E=7e9, nu=0.33, rho=2700.0)
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), material, 4).reduce("cantilever", modes=2)
    mech = supple.Mechanism("arm")
    mech.add_body("upper", body, joint=supple.Revolute("y", inertia=0.01))
    mech.add_body("fore", supple.RigidBody(0.5, (0.2, 0, 0), (1e-3, 4e-3, 4e-3)), "upper", supple.Revolute("z"), "end")
    mech.add_body("hand", supple.RigidBody(0.2, (0, 0, 0.05), (1e-3, 2e-3, 3e-3)), "fore", supple.Spherical())
    return mech.build()


LAWS: dict[str, Any] = {
    "tau": {
        "upper.angle": supple.PID("0.3*sin(2*t)", 20.0, 2.0, 5.0, limit=15.0),
        "hand.wx": "0.1*cos(t) - 0.05*hand.wx",
    },
    "motion": {"fore.angle": "0.2*sin(3*t)"},
}


@pytest.fixture
def systems(monkeypatch: pytest.MonkeyPatch) -> tuple[DrivenSystem, DrivenSystem, np.ndarray, np.ndarray]:
    """The same in both engines, and a state."""
    model = arm()
    q, v = model.random_state(3)
    fast = DrivenSystem(model, Inputs(model, **LAWS), q, v)
    monkeypatch.setattr(module, "WORTH_COMPILING", 0)
    slow = DrivenSystem(model, Inputs(model, **LAWS), q, v)
    assert (fast.engine, slow.engine) == ("blocks", "generic")
    y = np.concatenate([q, v, [0.1, 0.0]])
    return fast, slow, y, fast.u_0


def test_both_engines_agree(systems: Any) -> None:
    fast, slow, y, u = systems
    np.testing.assert_allclose(fast.rate(0.7, y, u), slow.rate(0.7, y, u), rtol=1e-9, atol=1e-9)
    for x, z in zip(*(s.motion(np.array([0.7]), y[None], u[None]) for s in (fast, slow)), strict=True):
        np.testing.assert_allclose(x, z, rtol=1e-9, atol=1e-9)


def test_the_rate_is_that_of_the_model(systems: Any) -> None:
    fast, _, y, u = systems
    model, t = fast.model, 0.7
    (a,), (tau,) = fast.motion(np.array([t]), y[None], u[None])
    q, v = fast.settled(np.array([t]), y[None], u[None])
    i, j = model.coordinate_index("fore.angle"), model.speed_index("fore.angle")
    assert q[0, i] == pytest.approx(0.2 * np.sin(3 * t), abs=1e-15)
    assert v[0, j] == pytest.approx(0.6 * np.cos(3 * t), abs=1e-15)
    assert a[j] == pytest.approx(-1.8 * np.sin(3 * t), abs=1e-14)
    # Inverse dynamics gives the drives back, also that of the prescribed joint.
    np.testing.assert_allclose(model.inverse_dynamics(q[0], v[0], a), tau, atol=1e-9)
    assert abs(tau[j]) > 0.01
    rate = fast.rate(t, y, u)
    assert rate[-1] == pytest.approx(tau @ v[0], rel=1e-12)


@pytest.mark.parametrize("engine", [0, 1])
def test_the_jacobian_is_exact(systems: Any, engine: int) -> None:
    system, y, u = systems[engine], systems[2], systems[3]
    J = system.jacobian(0.7, y, u)
    h = 1e-6
    for i in range(len(y)):
        d = np.zeros_like(y)
        d[i] = h
        slope = (system.rate(0.7, y + d, u) - system.rate(0.7, y - d, u)) / (2 * h)
        np.testing.assert_allclose(J[:, i], slope, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(slope).max()))


def test_residuals_vanish_for_the_rate_and_their_slopes_are_exact(systems: Any) -> None:
    system, _, y, u = systems
    rate = system.rate(0.7, y, u)
    scale = np.abs(rate).max()
    assert np.abs(residuals(system, 0.7, y, rate, u)).max() < 1e-9 * scale
    rate = rate + np.random.default_rng(0).normal(size=len(rate))
    cj, h = 37.0, 1e-6
    J = residual_slopes(system, 0.7, y, rate, u, cj)
    for i in range(len(y)):
        d = np.zeros_like(y)
        d[i] = h
        ends = [residuals(system, 0.7, y + s * d, rate + s * cj * d, u) for s in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(J[:, i], slope, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(slope).max()))


def test_the_native_loop_is_the_method_of_scipy() -> None:
    """The same coefficients and error: motions agree far below the tolerance, with about as many steps."""
    from scipy.integrate import DOP853

    model = arm()
    start: dict[str, Any] = {"v": {"fore.angle": 1.0, "hand.wx": 2.0}, "samples": 21, "rtol": 1e-7, "atol": 1e-9}
    native = supple.simulate(model, 0.5, integrator="DOP853", **start)
    python = supple.simulate(model, 0.5, integrator=DOP853, **start)
    assert np.ptp(native.q.values) > 0.5
    np.testing.assert_allclose(native.q, python.q, rtol=0, atol=1e-6)
    assert native.attrs["steps"] == pytest.approx(python.attrs["steps"], rel=0.25)


def test_one_body_in_many_places_is_compiled_once() -> None:
    """A chain of one flexible body is sooner worth machine code than one of as many different ones."""
    material = structures.Material(E=7e9, nu=0.33, rho=2700.0)
    section = structures.Rectangle(0.02, 0.01)
    links = [structures.beam(1.0, section, material, 2).reduce("cantilever", modes=1) for _ in range(4)]
    shares = []
    for used in (links, [links[0]] * 4):
        mech = supple.Mechanism("chain")
        for k, link in enumerate(used):
            parent, at = (f"link{k - 1}", "end") if k else ("ground", None)
            mech.add_body(f"link{k}", link, parent, supple.Revolute("y"), at=at)
        shares.append(module._unlike(mech.build()))
    assert shares == [1.0, 0.25]


@pytest.mark.parametrize(
    ("laws", "name"),
    [
        ({"tau": {"arm.angle": "sqrt(-1-t)"}}, "tau 'arm.angle'"),
        ({"motion": {"arm.angle": supple.Motion(acceleration="sqrt(-1-t)")}}, "motion 'arm.angle'"),
        ({"wrenches": [supple.Wrench("push", "fore", force=("sqrt(-1-t)", 0, 0))]}, "wrench 'push'"),
    ],
)
def test_laws_that_give_no_number_are_named(laws: dict[str, Any], name: str) -> None:
    mech = supple.Mechanism("two arms")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    mech.add_body("fore", supple.RigidBody(1.0, (0, 0, -1)), "arm", supple.Revolute("y"), at=(0, 0, -1))
    with pytest.raises(supple.StateError, match=rf"^{name}: expected finite numbers, got NaN or infinity at t = 0 s$"):
        supple.simulate(mech.build(), 1.0, **laws)


@pytest.mark.parametrize("integrator", ["Radau", "BDF"])
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_derivatives_that_overflow_are_named(integrator: str) -> None:
    """The library that factorises them has an error of its own."""
    mech = supple.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(1e-3), joint=supple.Prismatic("x"))
    with pytest.raises(supple.SimulationError, match=rf"'mass': {integrator} stopped at t = .* range of numbers"):
        supple.simulate(
            mech.build(), 0.1, [1e-3], tau={"a.position": "-1e306*a.position"}, integrator=integrator, rtol=1e-6
        )
