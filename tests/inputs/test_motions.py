"""Prescribed motions: met exactly, with the force of inverse dynamics, by every integrator."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy import interpolate

import supple
from supple import Motion, Table, structures
from supple.errors import StateError
from supple.inputs.inputs import Inputs
from supple.simulation.driven_system import DrivenSystem
from support.cases import thinned

OMEGA = 3.0


@cache
def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(2.0, (0, 0, -0.8)), joint=supple.Revolute("y"))
    return mech.build()


@cache
def two() -> supple.Model:
    mech = supple.Mechanism("two")
    mech.add_body("a", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    mech.add_body("b", supple.RigidBody(0.7, (0, 0, -0.5)), "a", joint=supple.Revolute("y"), at=(0, 0, -1.0))
    return mech.build()


@cache
def flexible(fidelity: str = "full") -> supple.Model:
    return flexible_mechanism(fidelity).build()


def flexible_mechanism(fidelity: str = "full") -> supple.Mechanism:
    """A hub that turns a beam of two modes with a pendulum at its end."""
    material = structures.Material(E=7e10, nu=0.3, rho=2700)
    beam = structures.beam(1.0, structures.Rectangle(0.02, 0.01), material, 4).reduce("cantilever", 2)
    mech = supple.Mechanism("boom")
    mech.add_body("boom", beam, joint=supple.Revolute("y"), fidelity=fidelity)
    mech.add_body("tip", supple.RigidBody(0.1, (0, 0, -0.3)), "boom", supple.Revolute("y"), at="end")
    return mech


LAWS = {
    "position": Motion(position="0.5*sin(3*t)"),
    "velocity": Motion(velocity="1.5*cos(3*t)"),
    "acceleration": Motion(acceleration="-4.5*sin(3*t)"),
}


@pytest.mark.parametrize("kind", LAWS)
def test_the_force_of_a_driven_pendulum_is_the_analytic_one(kind: str) -> None:
    result = supple.simulate(pendulum(), 2.0, v={"arm.angle": 1.5}, motion={"arm.angle": LAWS[kind]}, samples=41)
    t = result.time.values
    angle = 0.5 * np.sin(OMEGA * t)
    torque = 2.0 * 0.8**2 * -4.5 * np.sin(OMEGA * t) + 2.0 * 9.81 * 0.8 * np.sin(angle)
    assert np.ptp(torque) > 3
    exact: dict[str, Any] = {"atol": 0, "rtol": 1e-15} if kind == "position" else {"atol": 1e-7, "rtol": 0}
    assert np.allclose(result.q.values[:, 0], angle, **exact)
    assert np.allclose(result.tau.values[:, 0], torque, atol=1e-12 if kind == "position" else 1e-6)
    if kind != "acceleration":
        assert np.allclose(result.v.values[:, 0], 1.5 * np.cos(OMEGA * t), rtol=0, atol=1e-14)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.allclose(energy - energy[0], result.work, atol=5e-6)


def test_a_number_or_formula_alone_is_a_position() -> None:
    result = supple.simulate(two(), 0.5, motion={"a.angle": 0.4}, samples=3)
    assert (result.q.values[:, 0] == 0.4).all()
    assert abs(float(result.q[-1, 1])) > 0.01
    assert np.allclose(result.work, 0.0)


def test_a_table_of_positions_is_its_spline_with_its_derivatives() -> None:
    times, values = [0.2, 0.5, 0.9, 1.4], [0.0, 0.6, -0.3, 0.2]
    table = Table(times, values, "cubic")
    result = supple.simulate(two(), 1.7, motion={"a.angle": table}, samples=18)
    spline = interpolate.CubicSpline(times, values, bc_type="clamped")
    t = result.time.values
    inside = (t >= 0.2) & (t <= 1.4)
    expected = np.where(inside, spline(t), np.where(t < 0.2, 0.0, 0.2))
    assert np.allclose(result.q.values[:, 0], expected, atol=1e-12)
    assert np.allclose(result.v.values[:, 0], np.where(inside, spline(t, 1), 0.0), atol=1e-11)
    between = inside & ~np.isin(np.round(t, 9), times)
    assert np.allclose(result.a.values[between, 0], spline(t, 2)[between], atol=1e-10)
    force = two().inverse_dynamics(result.q.values, result.v.values, result.a.values)
    assert np.ptp(force[:, 0]) > 1
    assert np.allclose(result.tau, force, atol=1e-10)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.allclose(energy - energy[0], result.work, atol=1e-6)


def test_a_trapezoid_of_velocities_may_be_linear() -> None:
    table = Table([0.0, 0.5, 1.0, 1.5], [0.0, 1.0, 1.0, 0.0])
    result = supple.simulate(pendulum(), 2.0, motion={"arm.angle": Motion(velocity=table)}, samples=5)
    assert np.allclose(result.q.values[:, 0], [0.0, 0.25, 0.75, 1.0, 1.0], atol=1e-9)
    held = Motion(acceleration=Table([0.0, 0.5, 1.0, 1.5], [2.0, 0.0, -2.0, 0.0], "hold"))
    same = supple.simulate(pendulum(), 2.0, motion={"arm.angle": held}, samples=5)
    assert np.allclose(same.q.values[:, 0], result.q.values[:, 0], atol=1e-9)


@cache
def reference(make: Callable[[], supple.Model]) -> tuple[supple.Model, dict[str, Any], xr.Dataset]:
    """A model whose first joint follows a law, what it is given, and its motion to many digits."""
    model = make()
    given: dict[str, Any] = {"motion": {model.speeds[0]: LAWS["position"]}, "samples": 5}
    return model, given, supple.simulate(model, 0.5, rtol=1e-11, atol=1e-12, **given)


@pytest.mark.parametrize(
    ("integrator", "step", "tolerance"),
    [
        ("DOP853", None, 1e-7),
        ("ESDIRK54", None, 1e-7),
        ("RK45", None, 1e-7),
        ("Radau", None, 1e-7),
        ("CVODE", None, 2e-6),
        ("IDA", None, 2e-6),
        ("leapfrog", 2e-4, 1e-6),
        ("rk4", 1e-3, 1e-8),
        ("generalized_alpha", 1e-3, 1e-4),
    ],
)
@pytest.mark.parametrize("make", thinned([two, flexible], [flexible]), ids=["rigid", "flexible"])
def test_every_integrator_agrees(make: Any, integrator: str, step: float | None, tolerance: float) -> None:
    model, given, best = reference(make)
    result = supple.simulate(model, 0.5, integrator=integrator, step=step, **given)
    assert np.array_equal(result.q.values[:, 0], 0.5 * np.sin(3 * result.time.values)) or np.allclose(
        result.q.values[:, 0], 0.5 * np.sin(3 * result.time.values), rtol=1e-15, atol=1e-16
    )
    assert np.ptp(best.q.values[:, -1]) > 1e-3
    assert np.allclose(result.q, best.q, atol=tolerance)
    force = model.inverse_dynamics(result.q.values, result.v.values, result.a.values)
    free = np.delete(force, 0, axis=1)
    assert np.allclose(free, 0.0, atol=1e-9 * np.abs(force).max())
    assert np.allclose(result.tau.values[:, 0], force[:, 0], rtol=1e-9)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.abs(best.work).max() > 0.01
    assert np.allclose(energy - energy[0], result.work, atol=100 * tolerance)


def test_the_flexible_force_is_that_of_hybrid_dynamics() -> None:
    model = flexible()
    result = supple.simulate(model, 0.5, motion={"boom.angle": LAWS["position"]}, samples=6)
    given = {"boom.angle": result.a.values[:, 0]}
    a, tau = model.hybrid_dynamics(result.q.values, result.v.values, np.zeros_like(result.v), given)
    assert np.allclose(a, result.a, rtol=1e-8, atol=1e-6)
    assert np.allclose(tau, result.tau, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"q": {"a.angle": 0.1}}, "'a.angle': starts at 0.1, but its prescribed motion starts at 0.4"),
        ({"v": {"a.angle": 0.1}}, "'a.angle': starts at 0.1, but its prescribed motion starts at 0"),
        ({"q": [0.1, 0.0]}, "'a.angle': starts at 0.1, but its prescribed motion starts at 0.4"),
        ({"tau": {"a.angle": 1.0}}, "tau: 'a.angle' has a prescribed motion, so its force is found, not given"),
        ({"tau": [1.0, 0.0]}, "tau: 'a.angle' has a prescribed motion, so its force is found, not given"),
        ({"motion": {"a.angel": 1.0}}, r"motion: no entry 'a.angel'; did you mean 'a.angle'\?"),
        ({"motion": {"a.angle": "b.angle"}}, "expected a function of time and variables alone, got one of 'b.angle'"),
        (
            {
                "motion": {"a.angle": "k*t"},
                "variables": {"k": 1.0},
                "events": [supple.Event("kick", "t - 0.05", change={"k": 2.0})],
            },
            "event 'kick': change: 'k' stays as it is in a run: the prescribed position of 'a.angle' would jump",
        ),
        ({"motion": {"a.angle": lambda t: t}}, "motion: position: expected a finite number, a formula or a Table, got"),
        ({"motion": {"a.angle": np.nan}}, "motion: position: expected a finite number, a formula or a Table, got nan"),
        (
            {"motion": {"a.angle": Table([0, 1], [0, 1])}},
            "position: expected a table of kind cubic, pchip, got a lin",
        ),
    ],
)
def test_contradictions_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(StateError, match=words):
        supple.simulate(two(), 0.1, **{"motion": {"a.angle": 0.4}} | arguments)


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54", "generalized_alpha"])
def test_a_formula_speaks_of_variables(integrator: str) -> None:
    step = {"step": 1e-3} if integrator == "generalized_alpha" else {}
    settings: dict[str, Any] = {"integrator": integrator, "samples": 11, **step}
    written = supple.simulate(two(), 0.4, motion={"a.angle": "0.5*sin(3.0*t)"}, **settings)
    named = supple.simulate(
        two(), 0.4, motion={"a.angle": "size*sin(w*t)"}, variables={"size": 0.5, "w": 3.0}, **settings
    )
    assert np.ptp(written.q.values, axis=0).min() > 0.05
    for key in ("q", "v", "a", "tau"):
        assert np.allclose(named[key], written[key], rtol=0, atol=1e-9)


def test_a_variable_of_an_acceleration_may_change_and_one_of_a_velocity_may_not() -> None:
    arguments: dict[str, Any] = {"variables": {"k": 2.0}, "samples": 3}
    kick = [supple.Event("kick", "t - 0.2", "rising", change={"k": -1.0})]
    found = supple.simulate(pendulum(), 0.4, motion={"arm.angle": Motion(acceleration="k")}, events=kick, **arguments)
    assert np.allclose(found.v.values[:, 0], [0.0, 0.4, 0.2], atol=1e-7)
    simulator = supple.Simulator(pendulum(), motion={"arm.angle": Motion(velocity="k*t")}, variables={"k": 2.0})
    with pytest.raises(StateError, match="variables: 'k' stays as it is in a run: the prescribed velocity of 'arm"):
        simulator.set(variables={"k": 1.0})


def test_a_start_that_agrees_is_taken() -> None:
    for q in ({"a.angle": 0.4, "b.angle": 0.2}, [0.4, 0.2]):
        result = supple.simulate(two(), 0.1, q=q, motion={"a.angle": 0.4}, samples=2)
        assert result.q.values[0].tolist() == [0.4, 0.2]


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
def test_a_prescribed_mode_is_that_of_inverse_dynamics(fidelity: str) -> None:
    """With its force from hybrid dynamics, in both engines, beside a prescribed joint."""
    model = flexible(fidelity)
    names = ["boom.mode2", "boom.angle"]
    given = {"boom.mode2": 0.7, "boom.angle": -0.4}
    q, v = model.random_state(2)
    tau = np.random.default_rng(1).normal(size=model.nv)
    a, found = model.hybrid_dynamics(q, v, tau, given)
    held = [model.speeds.index(name) for name in names]
    assert a[held].tolist() == [0.7, -0.4]
    np.testing.assert_allclose(model.inverse_dynamics(q, v, a), found, rtol=1e-9, atol=1e-9 * np.abs(found).max())
    free = np.delete(np.arange(model.nv), held)
    assert np.array_equal(found[free], tau[free])
    system = DrivenSystem(model, Inputs(model, motion={name: Motion(acceleration=given[name]) for name in names}), q, v)
    y = np.concatenate([q, v, [0.0]])
    a, found = (x[0] for x in system.motion(np.zeros(1), y[None], system.u_0[None]))
    same, force = (x[0] for x in system.motion(np.zeros(1), y[None], system.u_0[None], compiled=False))
    np.testing.assert_allclose(a, same, rtol=1e-9, atol=1e-9 * np.abs(same).max())
    np.testing.assert_allclose(found, force, rtol=1e-9, atol=1e-9 * np.abs(force).max())
    d = 1e-6 * np.eye(len(y))[1]
    slope = (system.rate(0.0, y + d, system.u_0) - system.rate(0.0, y - d, system.u_0)) / 2e-6
    np.testing.assert_allclose(system.jacobian(0.0, y, system.u_0)[:, 1], slope, atol=1e-6 * np.abs(slope).max())
    q_, v_, known = y[: model.nq], y[model.nq : -1], np.where(system.prescribed, a, 0.0)
    numeric = model.hybrid_slopes(q_, v_, known, system.prescribed).a[:, 1]
    np.testing.assert_allclose(numeric, slope[model.nq : -1], atol=1e-6 * np.abs(slope).max())


def test_a_prescribed_mode_is_what_a_stiff_spring_on_it_approaches() -> None:
    model = flexible()
    law = "1e-3*(1 - cos(20*t))"
    best = supple.simulate(model, 0.2, motion={"boom.mode1": law}, samples=9, rtol=1e-10)
    wanted = 1e-3 * (1 - np.cos(20 * best.time))
    np.testing.assert_allclose(best.q.sel(coordinate="boom.mode1"), wanted, rtol=1e-12, atol=1e-18)
    energy = (best.kinetic_energy + best.potential_energy).values
    assert np.abs(best.work).max() > 1e-4
    np.testing.assert_allclose(energy - energy[0], best.work, atol=1e-8)
    off = []
    for k in (1e8, 1e9):
        stiff = supple.simulate(model, 0.2, tau={"boom.mode1": supple.PID(law, k, 2 * k**0.5)}, samples=9, rtol=1e-9)
        off.append(float(np.abs(stiff.q - best.q).max()))
    assert off[1] < 0.2 * off[0] < 1e-4
    with pytest.raises(StateError, match="motion: generalized_alpha takes no prescribed modes; expected adaptive or"):
        supple.simulate(model, 0.1, motion={"boom.mode1": law}, integrator="generalized_alpha", step=1e-3)


def test_modes_of_closed_mechanisms_and_speeds_without_a_coordinate_have_no_prescribed_motion() -> None:
    mech = flexible_mechanism()
    mech.constrain("rod", supple.Distance("boom/end", "ground", 1.0))
    with pytest.raises(StateError, match=r"model 'boom' has closed loops: modes cannot be prescribed there"):
        supple.simulate(mech.build(), 0.1, motion={"boom.mode1": 0.0})
    mech = supple.Mechanism("ball")
    mech.add_body("ball", supple.RigidBody(1.0, inertia=np.eye(3)), joint=supple.Spherical())
    with pytest.raises(StateError, match=r"motion 'ball\.wx': expected the rate of a coordinate"):
        supple.simulate(mech.build(), 0.1, motion={"ball.wx": 0.0})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Motion(), "expected one of position, velocity, acceleration, got none"),
        (lambda: Motion(1.0, 2.0), "expected one of position, velocity, acceleration, got position, velocity"),
        (
            lambda: Motion(velocity=Table([0, 1], [0, 1], "hold")),
            "velocity: expected a table of kind cubic, pchip, lin",
        ),
    ],
)
def test_wrong_motions_are_refused(make: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        make()
