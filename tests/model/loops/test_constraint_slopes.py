"""Rates of the constraint equations and what their forces do: as J says, and their slopes as differences say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.model.complex_steps import by_differences
from supple.model.loops.loops import Loops
from support.mechanisms.closed_mechanisms import andrews, bricard, n_four_bar

Floats = NDArray[np.float64]


def door() -> supple.Model:
    """Held by a rod between a free bar and its edge, with a wheel geared to it."""
    mech = supple.Mechanism("door")
    mech.add_body("door", supple.RigidBody(20.0, (0.4, 0, 1), (7, 8, 1)), joint=supple.Revolute("z"))
    mech.add_body("bar", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Free(), at=(0, 0.5, 0))
    mech.add_body("wheel", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Revolute("x"))
    mech.add_frame("edge", "door", (0.8, 0, 1))
    mech.constrain("rod", supple.Distance("bar", "door/edge", np.sqrt(0.64 + 0.25 + 1)))
    mech.constrain("teeth", supple.Gear("wheel.angle", "door.angle", ratio=3.0))
    return mech.build()


def closed(name: str) -> tuple[supple.Model, Loops, Floats]:
    """A mechanism and a closed configuration."""
    model, guess = andrews()
    if name == "Bricard":
        model, guess = bricard(), [0.2, -0.3, 0.1, 0.3, -0.2]
    elif name != "squeezing mechanism":
        model = n_four_bar(5) if name == "row of four-bars" else door()
        guess = model.neutral().tolist()
    assert model.loops is not None
    return model, model.loops, model.loops.assemble(guess)


MECHANISMS = ("squeezing mechanism", "Bricard", "row of four-bars", "door")


@pytest.mark.parametrize("name", MECHANISMS)
def test_rows_move_and_pull_as_j_says(name: str) -> None:
    model, loops, q = closed(name)
    rng = np.random.default_rng(1)
    v, a, force = rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=len(loops))
    J, still = loops.jacobian(q), np.zeros(model.nv)
    found = loops.constraint_slopes(*(np.stack(x) for x in ((q, q), (v, v), (a, still), (force, force))))
    np.testing.assert_allclose(found.velocity[0], J @ v, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.acceleration[0] - found.acceleration[1], J @ a, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found.pull[0], J.T @ force, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.J[0], J, rtol=1e-12, atol=1e-12)
    h, first = 1e-5, found.acceleration[1]
    ahead, behind = (loops.jacobian(model.integrate(q, v, s)) @ v for s in (h, -h))
    np.testing.assert_allclose(first, (ahead - behind) / (2 * h), rtol=1e-5, atol=1e-6 * (1 + np.abs(first).max()))
    assert np.abs(first).max() > 1e-3 or name == "row of four-bars"


@pytest.mark.parametrize("name", MECHANISMS)
def test_slopes_are_those_of_differences(name: str) -> None:
    model, loops, q = closed(name)
    rng = np.random.default_rng(2)
    v, a, force = rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=len(loops))
    found = loops.constraint_slopes(q[None], v[None], a[None], force[None])

    def rates(x: Floats, y: Floats) -> Floats:
        n = len(x)
        values = loops.constraint_slopes(x, y, np.tile(a, (n, 1)), np.tile(force, (n, 1)))
        return np.concatenate([values.velocity, values.acceleration, values.pull], axis=-1)

    by_q = by_differences(lambda x: rates(x, np.tile(v, (model.nq, 1))), q, np.eye(model.nq))
    by_v = by_differences(lambda y: rates(np.tile(q, (model.nv, 1)), y), v, np.eye(model.nv))
    exact = np.concatenate([found.velocity_by_q[0], found.acceleration_by_q[0], found.pull_by_q[0]])
    np.testing.assert_allclose(exact, by_q, atol=1e-7 * np.abs(by_q).max())
    exact = np.concatenate([found.J[0], found.acceleration_by_v[0], np.zeros((model.nv, model.nv))])
    np.testing.assert_allclose(exact, by_v, atol=1e-7 * np.abs(by_v).max())
    assert np.abs(found.pull_by_q).max() > 1e-3
