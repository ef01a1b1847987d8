"""Stops of joints: bounces in closed form, rest, release, impulses that all bodies feel."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple import Limit, structures
from supple.errors import StateError
from support.mechanisms.falling_ball import FALL, G, ball, happened, methods


@methods
def test_a_bouncing_ball_comes_to_rest_in_closed_form(method: dict[str, Any]) -> None:
    e = 0.6
    stop = Limit("ball.position", lower=0.0, restitution=e)
    result = supple.simulate(ball(), 2.5, q=[1.0], limits=[stop], samples=251, **method)
    times = [t for t, _ in happened(result)]
    bounces = 8
    flights = 2 * FALL * e ** np.arange(1, bounces)
    assert np.allclose(times[:bounces], FALL + np.concatenate([[0.0], np.cumsum(flights)]), rtol=0, atol=1e-7)
    z, t = result.q.values[:, 0], result.time.values
    for k in range(3):
        between = (t > times[k]) & (t < times[k + 1])
        top = times[k] + flights[k] / 2
        assert np.allclose(z[between], e ** (2 * k + 2) - G * (t[between] - top) ** 2 / 2, atol=1e-6)
    assert z.min() >= -1e-12
    assert (z[-1], result.v.values[-1, 0], result.a.values[-1, 0]) == (0.0, 0.0, 0.0)
    assert float(result.tau[-1, 0]) == pytest.approx(2.0 * G)  # the stop carries the weight
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.diff(energy).max() < 1e-7


@methods
def test_without_restitution_it_stays_where_it_falls(method: dict[str, Any]) -> None:
    result = supple.simulate(ball(), 1.0, q=[1.0], limits=[Limit("ball.position", lower=0.0)], samples=11, **method)
    assert [name for _, name in happened(result)] == ["ball.position lower"]
    assert (result.q.values[5:] == 0.0).all()


@methods
def test_a_held_joint_leaves_the_stop_when_the_drive_pulls_it_off(method: dict[str, Any]) -> None:
    law = {"ball.position": "30*t"}
    limits = [Limit("ball.position", lower=0.3)]
    result = supple.simulate(ball(), 2.0, q=[0.3], limits=limits, tau=law, samples=21, **method)
    off = 2 * G / 30
    assert [name for _, name in happened(result)] == ["ball.position lower", "ball.position release"]
    assert happened(result)[1][0] == pytest.approx(off, abs=1e-8)
    late = np.maximum(result.time.values - off, 0.0)
    assert np.allclose(result.q.values[:, 0], 0.3 + 15 * late**3 / 6, atol=1e-3 if "step" in method else 1e-6)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.allclose(energy - energy[0], result.work, atol=2e-2 if "step" in method else 1e-4)


def test_a_held_joint_is_released_by_a_function_that_is_called() -> None:
    limits = [Limit("ball.position", lower=0.0)]
    law = {"ball.position": lambda t, q, v: 30 * float(t)}
    result = supple.simulate(ball(), 1.5, limits=limits, tau=law, samples=16)
    assert happened(result)[1][0] == pytest.approx(2 * G / 30, abs=1e-8)
    assert float(result.q[-1, 0]) == pytest.approx(15 * (1.5 - 2 * G / 30) ** 3 / 6, abs=1e-7)


@methods
def test_both_stops_of_a_joint_with_full_restitution_keep_the_energy(method: dict[str, Any]) -> None:
    mech = supple.Mechanism("puck", gravity=(0, 0, 0))
    mech.add_body("puck", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    limits = [Limit("puck.position", -1.0, 0.5, 1.0)]
    result = supple.simulate(mech.build(), 3.9, v=[2.0], limits=limits, samples=40, **method)
    names = [name for _, name in happened(result)]
    assert names == ["puck.position upper", "puck.position lower"] * 2 + ["puck.position upper"]
    assert np.allclose([t for t, _ in happened(result)], 0.25 + 0.75 * np.arange(5), atol=1e-8)
    assert np.allclose(np.abs(result.v), 2.0, rtol=1e-9)


@cache
def arm() -> supple.Model:
    mech = supple.Mechanism("arm", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(1.0, (0.5, 0, 0), np.eye(3) * 0.05), joint=supple.Revolute("z"))
    mech.add_body("b", supple.RigidBody(0.7, (0.4, 0, 0), np.eye(3) * 0.03), "a", supple.Revolute("z"), at=(1, 0, 0))
    return mech.build()


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_a_blow_at_the_elbow_keeps_the_angular_momentum_about_the_shoulder(e: float) -> None:
    model = arm()
    limits = [Limit("b.angle", -1.0, 1.0, e)]
    result = supple.simulate(model, 2.0, v=[-0.5, 4.0], limits=limits, samples=2001, rtol=1e-10, atol=1e-12)
    spin = model.momentum(result.q.values, result.v.values)[:, 2]
    assert abs(spin[0]) > 0.1
    assert np.allclose(spin, spin[0], rtol=1e-8)
    t = happened(result)[0][0]
    before = int(np.searchsorted(result.time.values, t)) - 1
    v = result.v.values
    if e:
        assert v[before + 1, 1] == pytest.approx(-e * v[before, 1], rel=2e-2)  # samples are 1 ms from the impulse
        assert abs(v[before + 1, 0] - v[before, 0]) > 0.3
    else:
        assert abs(v[before, 1]) > 1.0
        assert abs(v[before + 1, 1]) < 0.01
    energy = result.kinetic_energy.values
    assert np.diff(energy).max() < 1e-8
    lost = energy[before] - energy[before + 1]
    assert lost == pytest.approx(0.0, abs=1e-8) if e == 1.0 else lost > 0.01


def test_two_joints_with_stops_never_gain_energy_and_stay_inside() -> None:
    limits = [Limit("b.angle", -1.0, 1.0, 0.3), Limit("a.angle", -0.5, 0.5, 0.3)]
    for v in ([1.5, 2.0], [3.0, -1.0], [0.2, 5.0], [-2.0, -2.0]):
        result = supple.simulate(arm(), 6.0, v=v, limits=limits, samples=301)
        assert len(happened(result)) > 2
        assert np.diff(result.kinetic_energy.values).max() < 1e-8
        assert (np.abs(result.q.values) <= np.array([0.5, 1.0]) + 1e-9).all()


def test_two_joints_come_to_rest_at_their_stops_and_are_held_together() -> None:
    mech = supple.Mechanism("arm")
    mech.add_body("a", supple.RigidBody(1.0, (0.5, 0, 0)), joint=supple.Revolute("y"))
    mech.add_body("b", supple.RigidBody(0.7, (0.4, 0, 0)), "a", supple.Revolute("y"), at=(1, 0, 0))
    model = mech.build()
    limits = [Limit("a.angle", upper=0.4, restitution=0.2), Limit("b.angle", upper=0.3, restitution=0.2)]
    result = supple.simulate(model, 6.0, limits=limits, samples=61)
    assert result.q.values[-1].tolist() == [0.4, 0.3]
    assert (result.v.values[-1] == 0.0).all()
    assert np.allclose(result.tau[-1], model.inverse_dynamics([0.4, 0.3], [0, 0], [0, 0]))
    assert (result.tau.values[-1] < 0).all()  # upper stops push down


def test_two_pucks_that_meet_their_stops_at_one_instant() -> None:
    mech = supple.Mechanism("pucks", gravity=(0, 0, 0))
    for name in "ab":
        mech.add_body(name, supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    limits = [Limit("a.position", upper=1.0, restitution=0.5), Limit("b.position", upper=1.0)]
    law = {"b.position": 1.0}
    result = supple.simulate(mech.build(), 2.0, v=[1.0, 0.5], tau=law, limits=limits, samples=21)
    assert [name for _, name in happened(result)] == ["a.position upper", "b.position upper"]
    assert np.allclose([t for t, _ in happened(result)], 1.0, atol=1e-9)
    assert result.v.values[-1].tolist() == [pytest.approx(-0.5), 0.0]


def test_a_blow_pulls_a_joint_off_its_stop() -> None:
    """A hammer on a resting plate: the impulse at the hammer's own stop lifts the plate that carries it."""
    mech = supple.Mechanism("hammer")
    mech.add_body("plate", supple.RigidBody(1.0), joint=supple.Prismatic("z"))
    mech.add_body("hammer", supple.RigidBody(1.0), "plate", joint=supple.Prismatic("z"))
    limits = [Limit("plate.position", lower=0.0), Limit("hammer.position", upper=0.5, restitution=0.0)]
    start: dict[str, Any] = {"q": {"hammer.position": 0.1}, "v": {"hammer.position": 6.0}}
    result = supple.simulate(mech.build(), 0.5, limits=limits, samples=501, **start)
    names = [name for _, name in happened(result)]
    assert names[:2] == ["plate.position lower", "hammer.position upper"]
    t = happened(result)[1][0]
    speed = math.sqrt(36 - 2 * G * 0.4)
    after = int(np.searchsorted(result.time.values, t)) + 1
    rise = result.time.values[after] - t
    assert result.v.values[after, 0] == pytest.approx(speed / 2 - G * rise, abs=1e-6)  # both masses go on as one


def test_stops_of_a_flexible_arm() -> None:
    material = structures.Material(E=7e10, nu=0.3, rho=2700)
    beam = structures.beam(1.0, structures.Rectangle(0.02, 0.01), material, 4).reduce("cantilever", 2)
    mech = supple.Mechanism("boom", gravity=(0, 0, 0))
    mech.add_body("boom", beam, joint=supple.Revolute("y"))
    model = mech.build()
    for e in (1.0, 0.4):
        limits = [Limit("boom.angle", -0.2, 0.2, e)]
        result = supple.simulate(model, 0.5, v={"boom.angle": 2.0}, limits=limits, samples=251, rtol=1e-10)
        energy = (result.kinetic_energy + result.potential_energy).values
        assert len(happened(result)) >= 2
        assert np.abs(result.q.values[:, 1]).max() > 1e-4  # the impulse makes it ring
        assert np.diff(energy).max() < 1e-7
        assert (energy[-1] == pytest.approx(energy[0], rel=1e-7)) == (e == 1.0)
        assert (np.abs(result.q.values[:, 0]) <= 0.2 + 1e-9).all()


def test_work_balances_the_energy_with_a_drive_against_a_stop() -> None:
    limits = [Limit("b.angle", -0.5, 0.5, 1.0)]
    law = {"b.angle": "0.5*sin(4*t) + 0.3", "a.angle": "0.2*cos(t)"}
    result = supple.simulate(arm(), 3.0, limits=limits, tau=law, samples=31, rtol=1e-10, atol=1e-12)
    assert len(happened(result)) >= 2
    energy = result.kinetic_energy.values
    assert np.abs(result.work).max() > 0.1
    assert np.allclose(energy - energy[0], result.work, atol=1e-7)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Limit("x"), "limit of 'x': expected lower, upper or both, got neither"),
        (lambda: Limit("x", 1.0, 1.0), "limit of 'x': expected lower < upper, got 1.0, 1.0"),
        (lambda: Limit("x", math.nan), "limit of 'x': lower: expected a finite number, got nan"),
        (lambda: Limit("x", 0.0, restitution=1.1), "restitution: expected a number from 0 to 1, got 1.1"),
        (lambda: Limit("x", 0.0, restitution=math.nan), "restitution: expected a finite number, got nan"),
    ],
)
def test_wrong_stops_are_refused(make: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        make()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"limits": [Limit("ball.positon", 0.0)]}, r"no .*'ball.positon'; did you mean 'ball.position'\?"),
        ({"limits": [Limit("ball.position", 0.5)], "q": [0.0]}, "expected a start between 0.5 and inf, got 0"),
        ({"limits": [Limit("ball.position", 0.0), Limit("ball.position", -1.0)]}, "expected one for each coordinate"),
        (
            {"limits": [Limit("ball.position", 0.0)], "motion": {"ball.position": "t"}},
            "its motion is prescribed, so it has no stops",
        ),
    ],
)
def test_stops_that_do_not_fit_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(StateError, match=words):
        supple.simulate(ball(), 0.1, **arguments)


def test_modes_and_quaternions_have_no_stops() -> None:
    mech = supple.Mechanism("free")
    mech.add_body("ball", supple.RigidBody(1.0, inertia=np.eye(3)), joint=supple.Spherical())
    with pytest.raises(StateError, match=r"limit of 'ball\.qx': expected a joint coordinate with a rate of its own"):
        supple.simulate(mech.build(), 0.1, limits=[Limit("ball.qx", -1.0)])
    assert json.loads(supple.simulate(mech.build(), 0.1, samples=2).attrs["events"]) == []
