"""Laws of motion without forces: velocities are derivatives of poses, Jacobians map speeds, steps integrate rates."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from supple import Free, Mechanism, Model, RigidBody, Spherical
from support.cases import thinned
from support.generated.generators import FEW_TREES, TREES, random_tree

every_tree = pytest.mark.parametrize("tree", thinned(TREES, FEW_TREES), ids=str)
STEP = 1e-30


@every_tree
def test_velocity_and_acceleration_are_derivatives(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v = model.random_state(tree[0])
    a = np.random.default_rng(tree[0]).normal(size=model.nv)
    frame = f"b{tree[1] - 1}/tip"
    R, _ = model.pose(q, frame)
    moved = q + 1j * STEP * model.derivative(q, v)
    R_later, p_later = model.pose(moved, frame)
    velocity = model.velocity(q, v, frame)
    w = velocity[:3]
    spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    size = 1 + np.abs(velocity).max()
    assert np.allclose(p_later.imag / STEP, velocity[3:], rtol=0, atol=1e-12 * size)
    assert np.allclose(R_later.imag / STEP, spin @ R, rtol=0, atol=1e-12 * size)
    assert np.allclose(model.jacobian(q, frame) @ v, velocity, rtol=0, atol=1e-12 * size)
    own = model.velocity(q, v, frame, axes="frame")
    assert np.allclose(model.jacobian(q, frame, axes="frame") @ v, own, rtol=0, atol=1e-12 * size)
    assert np.allclose(R @ own[3:], velocity[3:], rtol=0, atol=1e-12 * size)
    later = model.velocity(moved, v + 1j * STEP * a, frame).imag / STEP
    acceleration = model.acceleration(q, v, a, frame)
    assert np.allclose(later, acceleration, rtol=0, atol=1e-11 * (1 + np.abs(acceleration).max()))


@every_tree
def test_integrate_follows_the_rates(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v = model.random_state(tree[0])
    h = 1e-4
    central = (model.integrate(q, v, h) - model.integrate(q, v, -h)) / (2 * h)
    rate = model.derivative(q, v)
    # The error is h^2 times the third derivative of the coordinates, which near a gimbal lock grows with the rates.
    assert np.allclose(central, rate, rtol=0, atol=1e-6 * (1 + np.abs(rate).max() ** 3))


@cache
def free_body() -> Model:
    mech = Mechanism("body")
    mech.add_body("body", RigidBody(1.0, inertia=(1, 1, 1)), joint=Free())
    return mech.build()


def test_two_steps_of_a_screw_are_one_of_twice_the_time() -> None:
    model = free_body()
    q, v = model.random_state(5)
    twice = model.integrate(model.integrate(q, v, 0.7), v, 0.7)
    once = model.integrate(q, v, 1.4)
    assert np.abs(once - q).max() > 0.1
    assert np.allclose(once[:3], twice[:3], atol=1e-14)
    assert np.isclose(abs(once[3:] @ twice[3:]), 1.0, atol=1e-14)  # q and -q are one rotation


def test_a_full_turn_of_a_screw_returns_the_orientation() -> None:
    model = free_body()
    q = model.integrate(model.neutral(), [0, 0, 2 * np.pi, 1.0, 0, 0.5], 1.0)
    R, p = model.pose(q, "body")
    assert np.allclose(R, np.eye(3), atol=1e-14)
    assert np.allclose(p, [0, 0, 0.5], atol=1e-14)  # in the plane it went round a circle


@pytest.mark.parametrize("length", [0.1, 1.0, 30.0])
def test_the_length_of_a_quaternion_does_not_matter(length: float) -> None:
    mech = Mechanism("ball")
    mech.add_body("ball", RigidBody(2.0, (0.1, 0.2, 0.3), (1, 2, 2.5)), joint=Spherical())
    model = mech.build()
    q, v = model.random_state(2)
    assert np.allclose(
        model.forward_dynamics(length * q, v, np.ones(3)), model.forward_dynamics(q, v, np.ones(3)), rtol=1e-13
    )
    assert np.allclose(model.normalize(length * q), q, rtol=1e-14)
