"""What a mechanism has to be, and what the model says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from rigid_links import arm, random_body
from supple import ModelError, SingularError, StateError
from supple.erls import build


def test_names_are_those_of_the_ordinary_model() -> None:
    mech = arm(2, "free-free", 3)
    model, ordinary = build(mech.build()), mech.build()
    assert model.coordinates == ordinary.coordinates == model.speeds
    assert model.coordinate_units == ordinary.coordinate_units
    assert model.speed_units == ordinary.speed_units
    assert model.bodies == ordinary.bodies
    assert (model.nq, model.nv) == (8, 8)
    assert "2 links, 2 joints, 6 elastic modes" in repr(model)
    assert build(mech, modes={"l1": 1}).coordinates[-2:] == ("l1.angle", "l1.mode1")


def test_coordinates_go_on_with_their_speeds() -> None:
    model = build(arm(2, "free-free", 3))
    q, v = model.random_state(1)
    assert np.array_equal(model.derivative(q, v), v)
    assert np.allclose(model.integrate(q, v, [0.0, 0.1]), [q, q + 0.1 * v], atol=0)
    with pytest.raises(StateError, match=r"model 'arm': v: expected numbers of shape \(..., 8\)"):
        model.forward_dynamics(q, v[:3], v)


def test_places_on_rigid_links_lean_with_them() -> None:
    """A rigid hand on a bent arm: its named place is where the ordinary model has it, to second order."""
    mech = arm(1, "free-free", 4)
    mech.add_body("hand", random_body(np.random.default_rng(0)), "l0", supple.Revolute("x"), "end")
    mech.add_frame("finger", "hand", (0.1, 0.0, 0.2))
    mech.add_frame("wall", "ground", (0.0, 1.0, 0.0))
    model, ordinary = build(mech), mech.build()
    q, _ = model.random_state(3)
    q[1:5] *= 0.02
    x = np.zeros(ordinary.nq)
    x[[0, 5]] = model.joint_positions(q)
    straight = ordinary.pose(x, "hand/finger")[1]
    # The elastic modes of the free link are combinations of the body's own, less a rigid motion.
    x[1:5] = model.chain.links[0].shapes @ q[1:5]
    bent = np.linalg.norm(ordinary.pose(x, "hand/finger")[1] - straight)
    assert bent > 1e-4
    gap = model.pose(q, "hand/finger")[1] - ordinary.pose(x, "hand/finger")[1]
    assert np.linalg.norm(gap) < 0.02 * bent
    assert np.linalg.norm(model.pose(q, "hand")[1] - ordinary.pose(x, "hand")[1]) < 0.02 * bent
    assert model.pose(q, "ground/wall")[1] == pytest.approx([0.0, 1.0, 0.0])


def test_unsupported_joints_loops_and_springs_are_refused_by_name() -> None:
    body = random_body(np.random.default_rng(0))
    mech = supple.Mechanism("m")
    mech.add_body("ball", body, joint=supple.Spherical())
    with pytest.raises(
        ModelError, match=r"mechanism 'm': joint of 'ball': .*revolute, prismatic.*got a spherical joint"
    ):
        build(mech)
    mech = supple.Mechanism("m")
    mech.add_body("a", body)
    mech.add_body("b", body, "a")
    mech.add_spring_damper("spring", "a", "b", stiffness=1.0)
    with pytest.raises(ModelError, match=r"mechanism 'm': spring-damper 'spring': .*springs at joints only"):
        build(mech)
    mech = supple.Mechanism("m")
    mech.add_body("a", body)
    mech.add_body("b", body, "a")
    mech.add_coupling("b", "a")
    with pytest.raises(ModelError, match=r"'coupling of b to a': .*is a tree, without closed loops"):
        build(mech)
    with pytest.raises(ModelError, match="mechanism 'n': expected at least one body, got none"):
        build(supple.Mechanism("n"))
    with pytest.raises(ModelError, match="expected a Mechanism or a Model, got str"):
        build("m")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"mechanism 'arm': modes: no body 'l9'"):
        build(arm(1), modes={"l9": 1})


def test_a_posture_without_least_rigid_displacement_is_named() -> None:
    """Two hinges in line before a thin rod: nothing tells their slips apart, as C_r has lost rank."""
    mech = arm(1, "free-free", 2)
    mech.add_body("first", supple.RigidBody(0.0), "l0", supple.Revolute("z"), "end")
    mech.add_body("middle", supple.RigidBody(0.0), "first", supple.Revolute("x"))
    mech.add_body("last", supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), "middle", supple.Revolute("z"))
    model = build(mech)
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.coordinates.index("middle.angle")] = 0.7
    assert np.isfinite(model.forward_dynamics(q, v, v)).all()
    q[model.coordinates.index("middle.angle")] = 0.0
    with pytest.raises(SingularError, match=r"C_r .* lost rank at .*middle.angle = 0, .*'first.angle', 'last.angle'"):
        model.forward_dynamics(q, v, v)
