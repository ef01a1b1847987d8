"""Constraints as arrays: which bodies a constraint force goes through, and which it moves."""

from __future__ import annotations

import numpy as np

import supple


def mechanism() -> supple.Model:
    """Two chains closed by a bar, one with a pendulum on it; a gear between the first and a wheel; a body apart."""
    mech = supple.Mechanism("mechanism")
    link = supple.RigidBody(1.0, (0.1, 0.2, -0.5), (0.1, 0.1, 0.01))
    bottom = (0.0, 0.0, -1.0)
    mech.add_body("left", link, joint=supple.Revolute("y"))
    mech.add_body("bar", link, "left", supple.Revolute("y"), at=bottom)
    mech.add_body("right", link, joint=supple.Revolute("y"), at=(1.0, 0.0, 0.0))
    mech.add_body("pendulum", link, "right", supple.Spherical(), at=bottom)
    mech.add_body("wheel", link, joint=supple.Revolute("x"), at=(0.0, 3.0, 0.0))
    mech.add_body("lone", link, joint=supple.Free())
    mech.add_frame("end", "bar", (1.0, 0.0, 0.0))
    mech.add_frame("bottom", "right", bottom)
    mech.close_loop("loop", "bar/end", "right/bottom", supple.Revolute("y"))
    mech.constrain("gear", supple.Gear("wheel.angle", "left.angle", 2.0))
    return mech.build()


def test_forces_go_through_the_bodies_inboard_and_move_all_that_these_carry() -> None:
    model = mechanism()
    assert model.loops is not None
    arrays = model.loops.arrays
    names = ("ground", *model.bodies)
    for i, (name, _) in enumerate(model.loops.rows):
        path = {names[k] for k in np.flatnonzero(arrays.row_path[i])}
        reach = {names[k] for k in np.flatnonzero(arrays.row_reach[i])}
        chain = {"left", "bar", "right"} if name == "loop" else {"left", "wheel"}
        assert path == chain
        assert reach == chain | ({"pendulum"} if name == "loop" else {"bar"})


def test_nothing_else_has_a_part_in_the_jacobian_or_in_its_answer() -> None:
    model = mechanism()
    assert model.loops is not None
    q, _ = model.random_state(1)
    J, arrays = model.loops.jacobian(q), model.loops.arrays
    X = J @ model.inverse_mass_matrix(q)
    body = np.repeat(np.arange(len(model.bodies) + 1), np.diff(model.tree.v_first))
    for part, there in ((J, arrays.row_path), (X, arrays.row_reach)):
        there = np.asarray(there)[:, body]
        assert np.abs(part[there]).max() > 0.1
        np.testing.assert_allclose(part[~there], 0.0, atol=1e-14)
