"""Derivatives of inverse dynamics in closed form: against complex steps, on all joints, near and far."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.engines.plain import plain
from supple.model.complex_steps import imaginary_steps, step_slopes
from supple.model.model import Model
from supple.model.programs import ModelStructure
from supple.model.tangents import has_closed_form
from supple.recursions import newton_euler
from supple.recursions.force_derivatives import ForceDerivatives, force_derivatives
from supple.recursions.moving_frames import derivative_workspace
from supple.recursions.states import States
from supple.recursions.tree import sizes, workspace
from support.generated.generators import random_body, random_tree


def building_blocks() -> Model:
    """A chain of building blocks: all numbers of translations with all kinds of rotations that there are."""
    rng = np.random.default_rng(2)
    mech = supple.Mechanism("building blocks")
    parent = "ground"
    for i, (count, rotations) in enumerate([(3, "1"), (2, "2"), (1, "3"), (3, ""), (2, ""), (1, "123"), (2, "313")]):
        directions = (np.eye(3) + 0.2 * rng.normal(size=(3, 3)))[:count]
        rotation = Rotation.random(random_state=i)
        joint = supple.BuildingBlock(list(directions), rotations)
        mech.add_body(f"b{i}", random_body(rng), parent, joint, at=rng.normal(size=3), rotation=rotation)
        parent = f"b{i}"
    mech.add_wrench("thrust", parent, rng.normal(size=3), rng.normal(size=3))
    return mech.build()


def on_numbers(model: Model, q: Any, v: Any, a: Any) -> tuple[Any, ForceDerivatives]:
    """Forces and derivatives by the plain twins on arrays."""
    size, n = sizes(model.tree, None), model.nv
    ws, tau = workspace(size, np.float64), np.zeros((1, n))
    wrench = np.zeros((1, size.bodies + 1, 6))
    states, out = States(q[None], v[None]), newton_euler.Forces(tau, np.zeros((0, 0)))
    plain(newton_euler.inverse_dynamics)(model.tree, None, states, a[None], wrench, ws, out)
    found = ForceDerivatives(*np.zeros((3, n, n)))
    plain(force_derivatives)(model.tree, v, a, ws, derivative_workspace(size), found)
    return tau[0], found


def by_complex_steps(model: Model, q: Any, v: Any, a: Any) -> list[Any]:
    unit = np.eye(model.nv)
    by_q = model.inverse_dynamics(imaginary_steps(q, model.tangent(q).T), v, a)
    by_v, by_a = (model.inverse_dynamics(q, *x) for x in ((imaginary_steps(v, unit), a), (v, imaginary_steps(a, unit))))
    return [step_slopes(x).T for x in (by_q, by_v, by_a)]


@pytest.mark.parametrize("model", [random_tree(1, 14, forces=False), building_blocks()], ids=lambda x: x.name)
def test_closed_form_and_complex_steps_agree(model: Model) -> None:
    q, v = model.random_state(3)
    a = np.random.default_rng(4).normal(size=model.nv)
    tau, found = on_numbers(model, q, v, a)
    np.testing.assert_allclose(tau, model.inverse_dynamics(q, v, a), rtol=0, atol=1e-12 * np.abs(tau).max())
    for x, wanted in zip(found, by_complex_steps(model, q, v, a), strict=True):
        assert np.abs(wanted).max() > 0.1
        np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())


def test_far_away_and_fast_is_as_exact_as_near_and_slow() -> None:
    """A spacecraft on its orbit: what its origin's place and velocity do to others would cost ten digits."""
    mech = supple.Mechanism("spacecraft", gravity=(0, 0, 0))
    rng = np.random.default_rng(1)
    mech.add_body("bus", random_body(rng), joint=supple.Free())
    for i, parent in enumerate(("bus", "arm0")):
        mech.add_body(f"arm{i}", random_body(rng), parent, supple.Revolute("xy"[i]), at=(1, 0, 0))
    model = mech.build()
    f = model.compile("inverse_dynamics", derivatives=("q", "v"))
    q, v = model.random_state(1)
    v[:] = rng.normal(size=model.nv)
    near = f(q, v, np.ones(model.nv))
    place = model.tree.q_translation[1] + np.arange(3)
    far = q.copy()
    far[place] += 7e6
    for x, y in zip(f(far, v, np.ones(model.nv)), near, strict=True):
        np.testing.assert_array_equal(x, y)


def test_which_models_have_a_closed_form() -> None:
    def closed(model: Model) -> bool:
        return has_closed_form(ModelStructure(model.tree, model.flex, model.nq))

    assert closed(random_tree(1, 5, forces=False))
    assert closed(building_blocks())
    assert not closed(random_tree(1, 5))
