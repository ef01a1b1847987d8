"""Constraints on flexible bodies: with "full" J is the derivative of the rows, with "ruthless" they are refused."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple import structures

Z = supple.Revolute("z")
SOFT = structures.beam(1.0, structures.Rectangle(0.02, 0.02), structures.Material(E=1e9, nu=0.3, rho=1000.0), 4).reduce(
    "cantilever", modes=4
)


def slider_crank(fidelity: str, end: str = "end") -> supple.Mechanism:
    mech = supple.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=Z)
    mech.add_body("rod", SOFT, "crank", Z, at=(0.3, 0, 0), fidelity=fidelity)
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.close_loop("pin", f"rod/{end}", "slider", supple.Spherical())
    return mech


def four_bar_on(mech: supple.Mechanism, carrier: str, at: str) -> None:
    """A four-bar on a rigid plate at a frame of a body."""
    plate = supple.RigidBody(0.5, (0.1, 0, 0), (0.01, 0.01, 0.01))
    mech.add_body("plate", plate, carrier, supple.Fixed(), at=at)
    for name, parent, place in (("a", "plate", (0, 0, 0)), ("b", "a", (0, 0.2, 0)), ("c", "plate", (0.2, 0, 0))):
        mech.add_body(name, supple.RigidBody(0.2, (0, 0.1, 0), (1e-3, 1e-3, 1e-3)), parent, Z, at=place)
    mech.add_frame("end", "b", (0, 0.2, 0))
    mech.add_frame("end", "c", (0, 0.2, 0))
    mech.close_loop("loop", "b/end", "c/end", Z)


def largest_difference(model: supple.Model) -> float:
    """Of J from the derivative of the rows, by differences, relative to J."""
    assert model.loops is not None
    q, h = model.random_state(2)[0], 1e-6
    q[model.is_mode] *= 3.0
    J = model.loops.jacobian(q)
    S = model.tangent(q)
    rates = [(model.loops.errors(q + h * s)[0] - model.loops.errors(q - h * s)[0]) / (2 * h) for s in S.T]
    assert np.abs(J[:, model.is_mode]).max() > 0.1 or not model.loops.holonomic.any()
    return float(np.abs(np.array(rates).T - J).max() / np.abs(J).max())


def test_rows_of_full_bodies_have_their_derivative() -> None:
    assert largest_difference(slider_crank("full").build()) < 1e-7


def test_a_loop_through_a_ruthless_deformation_is_refused_by_name() -> None:
    with pytest.raises(
        supple.ModelError, match=r"constraint 'pin' .* of 'rod': expected fidelity 'full', got 'ruthless'"
    ):
        slider_crank("ruthless").build()


def test_a_ruthless_body_between_is_refused_too() -> None:
    mech = supple.Mechanism("arm")
    mech.add_body("boom", SOFT, joint=Z, fidelity="ruthless")
    mech.add_body("hand", supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), "boom", Z, at="end")
    mech.add_frame("goal", "ground", (1.2, 0.1, 0))
    mech.constrain("held", supple.Distance("hand", "ground/goal", 0.3))
    with pytest.raises(supple.ModelError, match=r"constraint 'held' .* of 'boom'"):
        mech.build()
    mech = supple.Mechanism("two places of one body")
    mech.add_body("boom", SOFT, joint=Z, fidelity="ruthless")
    for name, at in (("a", "2"), ("b", "end")):
        mech.add_body(name, supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), "boom", Z, at=at)
    mech.constrain("rod", supple.Distance("a", "b", 0.5))
    with pytest.raises(supple.ModelError, match=r"constraint 'rod' .* of 'boom'"):
        mech.build()


def test_the_root_of_a_ruthless_body_may_be_in_a_loop() -> None:
    """Its frame does not move with the deformation."""
    mech = supple.Mechanism("root")
    mech.add_body("cart", supple.RigidBody(1.0), joint=supple.Planar("z"))
    mech.add_body("boom", SOFT, "cart", Z, fidelity="ruthless")
    mech.constrain("rail", supple.PointOnLine("ground", "boom/start", "x"))
    model = mech.build()
    assert model.loops is not None
    assert len(model.loops) == 1


def test_a_loop_that_a_ruthless_body_only_carries_is_as_good_as_any() -> None:
    mech = supple.Mechanism("gripper", gravity=(0, -9.81, 0))
    mech.add_body("boom", SOFT, joint=Z, fidelity="ruthless")
    four_bar_on(mech, "boom", "end")
    model = mech.build()
    loops = model.loops
    assert loops is not None
    q = model.random_state(1)[0]
    rates = [(loops.errors(q + 1e-6 * e)[0] - loops.errors(q - 1e-6 * e)[0]) / 2e-6 for e in np.eye(model.nv)]
    J = loops.jacobian(q)
    assert np.abs(J).max() > 0.1
    np.testing.assert_allclose(np.array(rates).T, J, atol=1e-8)
    assert np.abs(J[:, model.is_mode]).max() < 1e-14
