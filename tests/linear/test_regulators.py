"""Regulators with weights by name, against closed forms and python-control, and in runs."""

from __future__ import annotations

from pathlib import Path

import control
import numpy as np
import pytest

import supple
from supple import linear

EXAMPLES = Path(__file__).parents[2] / "examples"
WEIGHTS = {"q:arm.angle": 1.0, "x:pendulum.angle": 4.0, "v:arm.angle": 0.1, "v:pendulum.angle": 0.1}


@pytest.fixture(scope="module")
def pendulum() -> supple.Model:
    return supple.files.read(EXAMPLES / "furuta_pendulum.toml").model


@pytest.fixture(scope="module")
def plant(pendulum: supple.Model) -> linear.StateSpace:
    return linear.state_space(pendulum, inputs=["arm.angle"], outputs=["q:arm.angle", "q:pendulum.angle"])


def test_gains_are_those_of_python_control(plant: linear.StateSpace) -> None:
    found = linear.lqr(plant, WEIGHTS, {"arm.angle": 10.0})
    expected, _, poles = control.lqr(plant.to_control(), np.diag([1.0, 4.0, 0.1, 0.1]), [[10.0]])
    np.testing.assert_allclose(found.K, expected, rtol=1e-7)
    np.testing.assert_allclose(np.sort_complex(found.poles), np.sort_complex(poles), rtol=1e-6)
    assert found.gain("arm.angle", "x:pendulum.angle") == found.K[0, 1]


def test_estimator_is_that_of_python_control(plant: linear.StateSpace) -> None:
    noise = {"q:arm.angle": 1e-4, "q:pendulum.angle": 2e-4}
    found = linear.lqg(plant, WEIGHTS, {"arm.angle": 10.0}, {"arm.angle": 1.0, "v:pendulum.angle": 0.1}, noise)
    moving = plant.B @ plant.B.T
    moving[3, 3] += 0.1
    expected, _, _ = control.lqe(plant.A, np.eye(4), plant.C, moving, np.diag([1e-4, 2e-4]))
    assert found.L is not None
    np.testing.assert_allclose(found.L, expected, rtol=1e-6)
    assert found.poles.real.max() < 0


@pytest.mark.parametrize("rate", [None, 400.0])
def test_it_holds_the_pendulum_upright(pendulum: supple.Model, plant: linear.StateSpace, rate: float | None) -> None:
    states = linear.lqr(plant, WEIGHTS, {"arm.angle": 10.0}).controller(rate=rate)
    noise = {"q:arm.angle": 1e-6, "q:pendulum.angle": 1e-6}
    estimated = linear.lqg(plant, WEIGHTS, {"arm.angle": 10.0}, {"arm.angle": 1.0, "v:pendulum.angle": 0.1}, noise)
    for controller in (states, estimated.controller("estimated", rate)):
        motion = supple.simulate(pendulum, 4.0, q={"pendulum.angle": 0.1}, tau=controller, samples=21)
        assert abs(motion.q.values[0, 1]) == 0.1
        assert np.abs(motion.q.values[-1]).max() < 1e-4


def test_it_holds_an_arm_where_gravity_pulls_at_it() -> None:
    mech = supple.Mechanism("arm")
    mech.add_body("arm", supple.RigidBody(2.0, com=(0.5, 0, 0)), joint=supple.Revolute("y"))
    model = mech.build()
    system = linear.state_space(model, {"arm.angle": 0.4})
    controller = linear.lqr(system, {"x:arm.angle": 100.0}, {"arm.angle": 1.0}).controller()
    assert abs(controller.bias[0]) > 8.0  # 2 kg * 9.81 * 0.5 m * cos(0.4)
    motion = supple.simulate(model, 8.0, q={"arm.angle": 0.3}, tau=controller, samples=5)
    assert float(motion.q[-1, 0]) == pytest.approx(0.4, abs=1e-4)


def test_what_cannot_be_regulated_is_named(plant: linear.StateSpace) -> None:
    mech = supple.Mechanism("two carts", gravity=(0, 0, 0))
    mech.add_body("near", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    mech.add_body("far", supple.RigidBody(1.0), joint=supple.Prismatic("y"))
    apart = linear.state_space(mech.build(), inputs=["near.position"], outputs=["q:near.position", "near.y"])
    everything = dict.fromkeys(apart.states, 1.0)
    with pytest.raises(supple.StateError, match=r"v:far.position' with the pole .* is not controlled"):
        linear.lqr(apart, everything, {"near.position": 1.0})
    with pytest.raises(supple.StateError, match=r"Q: no 'x:arm.angel'.*'x:arm.angle'"):
        linear.lqr(plant, {"x:arm.angel": 1.0}, {"arm.angle": 1.0})
    with pytest.raises(supple.StateError, match=r"R: expected a number for 'arm.angle'"):
        linear.lqr(plant, WEIGHTS, {})
    with pytest.raises(supple.StateError, match=r"R: expected positive numbers for arm.angle"):
        linear.lqr(plant, WEIGHTS, {"arm.angle": 0.0})
    with pytest.raises(supple.StateError, match=r"expected a number that is not negative, got -1"):
        linear.lqr(plant, {"x:arm.angle": -1}, {"arm.angle": 1.0})
    with pytest.raises(supple.StateError, match=r"a matrix \(4, 4\)"):
        linear.lqr(plant, np.eye(3), {"arm.angle": 1.0})


def test_what_cannot_be_measured_is_named() -> None:
    mech = supple.Mechanism("ball", gravity=(0, 0, 0))
    mech.add_body("ball", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.Spherical())
    system = linear.state_space(mech.build())
    regulator = linear.lqr(system, np.eye(6), np.eye(3))
    with pytest.raises(supple.StateError, match=r"cannot be measured in a run"):
        regulator.controller()
