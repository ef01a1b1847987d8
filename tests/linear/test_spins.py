"""Spins by name: which joints turn, which speeds make a sweep, and what is refused in one line that names the joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.linear import campbell, steady_rotation
from supple.linear.spins import read_spin, spin_places, without_gravity
from support.mechanisms import rotors


@pytest.fixture(scope="module")
def model() -> supple.Model:
    mech = supple.Mechanism("plant")
    mech.add_body("cart", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    mech.add_body("hub", supple.RigidBody(1.0, inertia=(1, 1, 1)), "cart", supple.Revolute("z"))
    mech.add_body("sleeve", supple.RigidBody(1.0, inertia=(1, 1, 1)), "cart", supple.Cylindrical("z"))
    mech.add_body("ball", supple.RigidBody(1.0, inertia=(1, 1, 1)), "cart", supple.Spherical())
    mech.add_body("plate", supple.RigidBody(1.0), "hub", supple.Fixed())
    return mech.build()


def test_joints_are_found_by_body_or_coordinate(model: supple.Model) -> None:
    angle = next(name for name in model.speeds if name.startswith("sleeve.") and "angle" in name)
    places = spin_places(model, ["hub", angle])
    assert list(places) == ["hub.angle", angle]
    assert [model.speeds[i] for i in places.values()] == list(places)


@pytest.mark.parametrize(
    ("spin", "message"),
    [
        ({"hubb": 1.0}, "spin: no joint 'hubb'; did you mean 'hub'"),
        ({"cart": 1.0}, "spin: 'cart': expected a joint that turns about one axis, got a speed in m/s"),
        ({"sleeve": 1.0}, r"spin: 'sleeve': expected a joint with one degree of freedom, an angle; it has 2 degrees"),
        ({"ball": 1.0}, r"spin: 'ball': expected a joint with one degree of freedom, an angle; it has 3 degrees"),
        ({"ball.wx": 1.0}, "spin: 'ball.wx': expected a joint that turns about one axis.* rate of no coordinate"),
        ({"plate": 1.0}, "spin: 'plate': expected a joint with one degree of freedom, an angle; it has none"),
        ({"hub": "fast"}, "spin: 'hub': expected a finite number of rad/s, got 'fast'"),
        ({"hub": float("nan")}, "spin: 'hub': expected a finite number of rad/s, got nan"),
        ({"hub": 1.0, "hub.angle": 1.0}, r"spin: 'hub\.angle' is given twice"),
        ({}, "spin: expected the speed of at least one joint, got none"),
        ([1.0], r"spin: expected a mapping of joints to speeds, rad/s, got \[1.0\]"),
    ],
)
def test_nonsense_is_refused_by_name(model: supple.Model, spin: Any, message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        steady_rotation(model, spin)


@pytest.mark.parametrize(
    ("spin", "message"),
    [
        ({"shaft": [2.0, 1.0]}, "spin: 'shaft': expected ascending speeds"),
        ({"shaft": [1.0, np.inf]}, "spin: 'shaft': expected finite speeds, got inf"),
        ({"shaft": ["a"]}, r"spin: 'shaft': expected speeds, rad/s, got \['a'\]"),
        ({"shaft": []}, r"spin: 'shaft': expected 1 to 10,000 speeds in a row, got shape \(0,\)"),
        ({"shaft": np.arange(10_001.0)}, "spin: 'shaft': expected 1 to 10,000 speeds"),
        ({"shaft": [[1.0]]}, r"spin: 'shaft': expected 1 to 10,000 speeds in a row, got shape \(1, 1\)"),
        ("shaft", "spin: expected a mapping of joints to arrays of speeds, rad/s, got 'shaft'"),
    ],
)
def test_sweeps_of_nonsense_are_refused(spin: Any, message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        campbell(rotors.laval(), spin)


def test_speeds_of_several_joints_are_equally_many() -> None:
    with pytest.raises(supple.StateError, match="spin: 'top': expected as many speeds as for 'fork', 2, got 1"):
        campbell(rotors.gyroscope(), {"fork": [1.0, 2.0], "top": [1.0]})


def test_text_of_a_sweep() -> None:
    name, speeds = read_spin("hub=0:400:41")
    assert name == "hub"
    assert speeds == pytest.approx(np.linspace(0.0, 400.0, 41))
    assert read_spin("hub.angle = 30")[1].tolist() == [30.0]
    assert read_spin("rear=0:-300:4")[1].tolist() == [0.0, -100.0, -200.0, -300.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hub", "spin: expected JOINT=start:stop:count, such as 0:400:41, got 'hub'"),
        ("=0:1:2", "spin: expected JOINT=start:stop:count"),
        ("hub=fast", "spin: 'hub': expected numbers, start:stop:count, such as 0:400:41, got 'fast'"),
        ("hub=0:400", "spin: 'hub': expected start:stop:count"),
        ("hub=0:nan:3", "spin: 'hub': expected start:stop:count"),
        ("hub=0:400:-4", "spin: 'hub': expected a count from 2 to 10,000, got '-4'"),
        ("hub=0:400:2.5", "spin: 'hub': expected a count from 2 to 10,000, got '2.5'"),
        ("hub=0:400:1e9", "spin: 'hub': expected a count from 2 to 10,000, got '1e9'"),
        ("hub=5:5:3", "spin: 'hub': expected two different speeds"),
    ],
)
def test_wrong_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        read_spin(text)


def test_gravity_alone_is_left_out() -> None:
    mech = supple.Mechanism("bob")
    mech.add_body("bob", supple.RigidBody(2.0), joint=supple.Prismatic("z"))
    mech.add_wrench("lift", "bob", force=(0, 0, 3.0))
    model = mech.build()
    force = without_gravity(model).bias_forces([0.0], [0.0])
    assert force == pytest.approx([-3.0])
    assert model.bias_forces([0.0], [0.0]) == pytest.approx([2 * 9.81 - 3.0])
