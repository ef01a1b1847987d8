"""Sensitivities of runs: closed forms, and differences of tight runs, through laws, events and stops."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.files import read
from supple.model.parameters import parameter_values

INERTIA = np.diag([0.1, 0.2, 0.3])


@cache
def oscillator() -> supple.Model:
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(2.0), joint=supple.Prismatic("x", stiffness=8.0))
    return mech.build()


@cache
def double_pendulum() -> supple.Model:
    mech = supple.Mechanism("double pendulum")
    mech.add_body("a", supple.RigidBody(2.0, com=(0.1, 0, -0.5), inertia=INERTIA), joint=supple.Revolute("y"))
    body = supple.RigidBody(1.0, com=(0, 0, -0.3), inertia=INERTIA)
    mech.add_body("b", body, parent="a", at=(0, 0, -1.0), joint=supple.Revolute("y"))
    return mech.build()


def differences(model: supple.Model, duration: float, name: str, h: float = 1e-5, **settings: Any) -> Any:
    """Central differences of tight runs; (times, coordinates)."""
    values, found = parameter_values(model), []
    size = h * max(1.0, abs(values.get(name, 0.0)))
    for sign in (1.0, -1.0):
        own, at = {**settings}, model
        if name[:2] in ("q.", "v."):
            given = dict(own.get(name[0], {}))
            own[name[0]] = {**given, name[2:]: given.get(name[2:], 0.0) + sign * size}
        elif name in own.get("variables", {}):
            own["variables"] = {**own["variables"], name: own["variables"][name] + sign * size}
        else:
            at = model.with_parameters({name: values[name] + sign * size})
        found.append(supple.simulate(at, duration, rtol=1e-12, samples=6, **own).q.values)
    return (found[0] - found[1]) / (2 * size)


def assert_right(model: supple.Model, duration: float, names: list[str], **settings: Any) -> Any:
    result = supple.simulate(model, duration, rtol=1e-10, samples=6, sensitivities=names, **settings)
    for i, name in enumerate(names):
        expected = differences(model, duration, name, **settings)
        assert np.abs(expected).max() > 1e-3, name
        error = np.abs(result.q_sensitivity.values[..., i] - expected).max()
        assert error <= 1e-6 * np.abs(expected).max(), name  # differences of runs are right to about 1e-8
    return result


def test_a_harmonic_oscillator_has_its_closed_form() -> None:
    names = ["a.position.stiffness", "a.mass", "q.a.position", "v.a.position"]
    x = supple.simulate(oscillator(), 10.0, q={"a.position": 1.0}, sensitivities=names, rtol=1e-12, samples=51)
    t, k, m = x.time.values, 8.0, 2.0
    w = np.sqrt(k / m)
    slow = t * np.sin(w * t) / 2
    expected = [-slow / np.sqrt(k * m), slow * np.sqrt(k / m**3), np.cos(w * t), np.sin(w * t) / w]
    np.testing.assert_allclose(x.q_sensitivity.values[:, 0], np.transpose(expected), rtol=0, atol=1e-10)
    rates = [-(np.sin(w * t) + w * t * np.cos(w * t)) / (2 * np.sqrt(k * m)), -w * np.sin(w * t), np.cos(w * t)]
    np.testing.assert_allclose(x.v_sensitivity.values[:, 0, [0, 2, 3]], np.transpose(rates), rtol=0, atol=1e-10)
    assert list(x.parameter.values) == names
    assert list(x.parameter_unit.values) == ["N/m", "kg", "m", "m/s"]
    total = x.kinetic_energy_sensitivity + x.potential_energy_sensitivity
    np.testing.assert_allclose(
        total.values[:, 0], 0.5, atol=1e-10
    )  # E = k x0^2 / 2, and dE/dk is the same at all times
    np.testing.assert_allclose(total.values[:, 1], 0.0, atol=1e-10)


def test_a_bouncing_ball_has_its_closed_form_behind_an_impact() -> None:
    mech = supple.Mechanism("ball")
    mech.add_body("b", supple.RigidBody(1.0), joint=supple.Prismatic("z"))
    names = ["gravity.z", "q.b.position", "b.position.restitution", "b.position.lower"]
    stops = [supple.Limit("b.position", lower=0.0, restitution=0.8)]
    x = supple.simulate(
        mech.build(), 1.1, q={"b.position": 1.0}, limits=stops, sensitivities=names, rtol=1e-11, samples=12
    )
    g, e, h, t = 9.81, 0.8, 1.0, x.time.values
    fall = np.sqrt(2 * h / g)
    s, before = t - fall, t < fall
    # z = e g fall s - g s^2 / 2 behind the impact, fall = sqrt(2 h / g).
    by_fall = e * g * s + (g * s - e * g * fall)
    by_h = by_fall * fall / (2 * h)
    by_g = (e * fall * s - s**2 / 2) - by_fall * fall / (2 * g)
    expected = [
        np.where(before, t**2 / 2, -by_g),
        np.where(before, 1.0, by_h),
        np.where(before, 0.0, g * fall * s),
        np.where(before, 0.0, 1.0 - by_h),
    ]
    np.testing.assert_allclose(x.q_sensitivity.values[:, 0], np.transpose(expected), rtol=0, atol=1e-9)


def test_forces_variables_and_starts_of_a_double_pendulum() -> None:
    assert_right(
        double_pendulum(),
        1.5,
        ["a.mass", "b.com.x", "b.at.z", "gravity.z", "k", "q.a.angle", "v.b.angle"],
        q={"a.angle": 1.0},
        v={"b.angle": 0.5},
        tau={"a.angle": "2*sin(t) - k*rate(a.angle)"},
        variables={"k": 0.3},
    )


def test_an_event_that_changes_state_and_law() -> None:
    change: dict[str, float | str] = {"k": "k + rate(a.angle)", "b.angle": "b.angle + 0.1*t"}
    settings: dict[str, Any] = {"q": {"a.angle": 1.0}, "variables": {"k": 0.3}}
    x = assert_right(
        double_pendulum(),
        1.5,
        ["a.mass", "k", "q.a.angle"],
        tau={"a.angle": "-k*rate(a.angle)"},
        events=[supple.Event("half", "a.angle", change=change)],
        **settings,
    )
    assert "half" in x.attrs["events"]


@pytest.mark.parametrize("restitution", [0.5, 0.0])
def test_a_stop_throws_a_joint_back_or_holds_it(restitution: float) -> None:
    stop = supple.Limit("a.angle", lower=-0.2, restitution=restitution)
    x = assert_right(double_pendulum(), 1.5, ["b.mass", "q.a.angle"], q={"a.angle": 1.0}, limits=[stop])
    assert "a.angle lower" in x.attrs["events"]


def test_a_sampled_controller() -> None:
    law = supple.PID(0.5, kp=20.0, kd=3.0, ki=2.0, rate=20.0)
    assert_right(double_pendulum(), 1.0, ["b.mass", "q.a.angle"], q={"a.angle": 1.0}, tau={"a.angle": law})


def test_gains_of_a_controller() -> None:
    model, h = double_pendulum(), 1e-3

    def run(kp: float, **settings: Any) -> Any:
        law = supple.PID(0.5, kp=kp, kd=3.0, ki=2.0)
        return supple.simulate(model, 1.0, q={"a.angle": 1.0}, tau={"a.angle": law}, samples=6, rtol=1e-11, **settings)

    found = run(20.0, sensitivities=["a.angle.kp"]).q_sensitivity.values[..., 0]
    expected = (run(20.0 + h).q.values - run(20.0 - h).q.values) / (2 * h)
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


def test_a_prescribed_motion_with_a_parameter() -> None:
    settings: dict[str, Any] = {"motion": {"a.angle": "0.5*sin(w*t)"}, "variables": {"w": 2.0}}
    assert_right(double_pendulum(), 1.5, ["w"], **settings)


def four_bar() -> supple.Model:
    mech = supple.Mechanism("four-bar")
    axis = supple.Revolute("y")
    for name, length, parent, at in (
        ("crank", 0.1, "ground", 0.0),
        ("coupler", 0.25, "crank", 0.1),
        ("rocker", 0.25, "ground", 0.2),
    ):
        body = supple.RigidBody(3 * length, com=(length / 2, 0, 0), inertia=(1e-5, length**3, length**3))
        mech.add_body(name, body, parent=parent, at=(at, 0, 0), joint=axis)
        mech.add_frame("pin", name, position=(length, 0, 0))
    mech.close_loop("pin", "coupler/pin", "rocker/pin", axis)
    return mech.build()


@pytest.mark.parametrize("loops", ["projection", "independent"])
def test_a_closed_loop_is_closed_again_at_the_start(loops: str) -> None:
    names = ["coupler.at.x", "coupler/pin.x", "rocker.mass", "q.crank.angle", "v.crank.angle"]
    settings: dict[str, Any] = {
        "q": {"crank.angle": -1.2},
        "v": {"crank.angle": 1.0},
        "guess": {"coupler.angle": 0.9, "rocker.angle": -1.9},
        "loops": loops,
    }
    result = assert_right(four_bar(), 0.3, names if loops == "projection" else names[2:], **settings)
    at_start = result.q_sensitivity.sel(coordinate="rocker.angle").isel(time=0).values
    assert np.abs(at_start[0]) > 1.0 or loops == "independent"


def test_quaternions_keep_their_length() -> None:
    mech = supple.Mechanism("top")
    body = supple.RigidBody(1.0, com=(0, 0, 0.5), inertia=(0.1, 0.12, 0.05))
    mech.add_body("top", body, joint=supple.Spherical())
    names = ["top.mass", "top.com.x", "v.top.wz"]
    x = assert_right(mech.build(), 0.4, names, v={"top.wz": 20.0, "top.wx": 1.0})
    along = np.einsum("ti,tip->tp", x.q.values, x.q_sensitivity.values)
    np.testing.assert_allclose(along, 0.0, atol=1e-12)


def test_stiff_systems_have_implicit_steps() -> None:
    mech = supple.Mechanism("stiff")
    mech.add_body("a", supple.RigidBody(1.0, com=(0, 0, -0.5), inertia=INERTIA), joint=supple.Revolute("y"))
    joint = supple.Revolute("y", stiffness=100.0, damping=50.0)
    mech.add_body("b", supple.RigidBody(0.1, com=(0, 0, -0.1)), parent="a", at=(0, 0, -1), joint=joint)
    model, names = mech.build(), ["a.mass", "b.angle.stiffness"]
    explicit, implicit, esdirk = (
        supple.simulate(model, 0.2, q={"a.angle": 1.0}, samples=3, rtol=1e-6, integrator=name, sensitivities=names)
        for name in ("DOP853", "Radau", "ESDIRK54")
    )
    expected = explicit.q_sensitivity.values
    for other in (implicit, esdirk):
        error = np.abs(other.q_sensitivity.values - expected).max(axis=(0, 1))
        assert (error <= 1e-5 * np.abs(expected).max(axis=(0, 1))).all()


@pytest.mark.parametrize("integrator", ["rk4", "leapfrog", "semi_implicit_euler"])
def test_tangents_of_fixed_steps_are_derivatives_of_the_steps(integrator: str) -> None:
    settings: dict[str, Any] = {"q": {"a.angle": 1.0}, "integrator": integrator, "step": 0.02, "samples": 3}

    def run(mass: float, **more: Any) -> Any:
        return supple.simulate(double_pendulum().with_parameters({"a.mass": mass}), 0.4, **settings, **more)

    found = run(2.0, sensitivities=["a.mass"]).q_sensitivity.values[..., 0]
    expected = (run(2.0 + 1e-5).q.values - run(2.0 - 1e-5).q.values) / 2e-5
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_the_period_of_a_pendulum() -> None:
    """At the end of a period T(L), dq/dL = -q' dT/dL with T proportional to sqrt(L); q' is taken a quarter later."""
    mech = supple.Mechanism("pendulum")
    mech.add_body("a", supple.RigidBody(1.0, com=(0, 0, -2.0)), joint=supple.Revolute("y"))
    down = supple.Event("down", "a.angle", direction="falling", stop=True)
    settings: dict[str, Any] = {"q": {"a.angle": 1.0}, "samples": 3, "rtol": 1e-11}
    quarter = float(supple.simulate(mech.build(), 3.0, events=[down], **settings).time[-1])
    x = supple.simulate(mech.build(), quarter, sensitivities=["a.com.z"], **settings).isel(time=-1)
    slope = -float(x.q_sensitivity[0, 0]) / float(x.v[0])  # of the time at which the angle is zero
    assert slope == pytest.approx(-quarter / (2 * 2.0), rel=1e-8)  # com.z = -L


def test_a_start_in_balance_moves_with_the_parameters() -> None:
    mech = supple.Mechanism("beam balance")
    body = supple.RigidBody(1.0, com=(0.3, 0, -0.2), inertia=INERTIA)
    mech.add_body("a", body, joint=supple.Revolute("y", stiffness=5.0))
    mech.add_body("b", body, parent="a", at=(0.5, 0, 0), joint=supple.Revolute("y", stiffness=4.0))
    assert_right(mech.build(), 0.5, ["b.mass", "a.angle.stiffness"], start="equilibrium")


def test_runs_that_are_interrupted_go_on_with_their_tangents() -> None:
    model, names = double_pendulum(), ["a.mass", "q.a.angle"]

    def simulator() -> supple.Simulator:
        return supple.Simulator(model, q={"a.angle": 1.0}, sensitivities=names, integrator="DOP853")

    whole, first, second = simulator(), simulator(), simulator()
    expected = [whole.advance_to(t, [t]).tangents for t in (0.3, 0.6)][-1]
    first.advance_to(0.3)
    second.restore(json.loads(json.dumps(first.checkpoint())))
    np.testing.assert_array_equal(second.advance_to(0.6, [0.6]).tangents, expected)
    with pytest.raises(supple.StateError, match="sensitivities is not changed"):
        second.set(q={"a.angle": 0.0})


def test_results_on_disk_have_them(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"q": [1.0], "samples": 5, "sensitivities": ["a.mass"]}
    expected = supple.simulate(oscillator(), 1.0, **settings)
    with supple.simulate(oscillator(), 1.0, file=tmp_path / "run.nc", **settings) as found:
        np.testing.assert_allclose(found.q_sensitivity.values, expected.q_sensitivity.values, atol=1e-8)
        assert list(found.parameter_unit.values) == ["kg"]


def test_a_wrench_that_follows_a_law() -> None:
    push = supple.Wrench("push", "b", moment=(0.0, "k*cos(t)", 0.0), force=("2*t", 0.0, 1.0))
    names = ["b.mass", "k", "q.a.angle"]
    assert_right(double_pendulum(), 0.8, names, q={"a.angle": 0.4}, wrenches=[push], variables={"k": 3.0})


def test_files_say_what_to_differentiate_by(tmp_path: Path) -> None:
    path = tmp_path / "pendulum.toml"
    path.write_text(
        """name = "pendulum"
        [[body]]
        name = "arm"
        mass = 2.0
        com = [0.0, 0.0, -0.6]
        joint = { type = "revolute", axis = "y" }
        [simulation]
        duration = 0.5
        samples = 3
        q = { "arm.angle" = 1.0 }
        sensitivities = ["gravity.z", "arm.com.z"]
        """
    )
    contents = read(path)
    found = supple.simulate(contents.model, **contents.run_arguments())
    # g / L alone decides the motion of a point mass.
    ratio = found.q_sensitivity.values[1:, 0, 0] * -9.81 / (found.q_sensitivity.values[1:, 0, 1] * -0.6)
    np.testing.assert_allclose(ratio, -1.0, rtol=1e-7)


def test_unknown_and_repeated_names_are_refused() -> None:
    with pytest.raises(supple.StateError, match=r"no parameter 'a\.mas'.*did you mean 'a\.mass'"):
        supple.simulate(oscillator(), 1.0, sensitivities=["a.mas"])
    with pytest.raises(supple.StateError, match=r"'a\.mass' stands twice"):
        supple.simulate(oscillator(), 1.0, sensitivities=["a.mass", "a.mass"])
    with pytest.raises(supple.StateError, match="list of names"):
        supple.simulate(oscillator(), 1.0, sensitivities="a.mass")


def test_what_has_no_derivative_is_refused_by_name() -> None:
    def force(t: float, q: Any, v: Any) -> float:
        return float(np.round(q[0]))

    with pytest.raises(supple.StateError, match=r"'a\.position' is a Python function"):
        supple.simulate(oscillator(), 1.0, tau={"a.position": force}, sensitivities=["a.mass"])
    event = supple.Event("kick", "a.position", action=lambda t, q, v: (q, 2 * v))
    with pytest.raises(supple.StateError, match="event 'kick'"):
        supple.simulate(oscillator(), 1.0, q=[1.0], events=[event], sensitivities=["a.mass"])
    with pytest.raises(supple.StateError, match="carries no tangents"):
        supple.simulate(oscillator(), 1.0, integrator="variational", step=0.1, sensitivities=["a.mass"])


def test_the_time_of_a_jump_is_no_parameter_but_its_height_is() -> None:
    """x = f (1 - d)^2 / 4 at 1 s, of 2 kg pushed from d on; without its spring."""
    mech = supple.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    pushed: dict[str, Any] = {"tau": {"a.position": "f*step(t - d)"}, "variables": {"f": 8.0, "d": 0.5}}
    run = supple.simulate(mech.build(), 1.0, **pushed, sensitivities=["f"])
    assert float(run.q_sensitivity[-1, 0, 0]) == pytest.approx(0.0625, rel=1e-9)
    with pytest.raises(supple.StateError, match="depends on 'd'; write the jump as an event"):
        supple.simulate(mech.build(), 1.0, **pushed, sensitivities=["f", "d"])
