"""Describing mechanisms: what is right is kept, what is wrong is refused with a message that says why."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple import Mechanism, ModelError, RigidBody

ROD = RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01))


def arm() -> Mechanism:
    mech = Mechanism("arm")
    mech.add_body("upper", ROD, joint=supple.Revolute("y"))
    mech.add_frame("end", "upper", (0, 0, -1), Rotation.from_euler("z", 90, degrees=True))
    return mech


def test_names_follow_bodies_and_joints() -> None:
    mech = arm()
    mech.add_body("base", ROD, joint=supple.Free())
    mech.add_body("tool", ROD, "base", supple.BuildingBlock(["x"], "123"))
    model = mech.build()
    assert model.coordinates[:1] == ("upper.angle",)
    assert model.coordinates[1:8] == tuple(f"base.{n}" for n in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    assert model.speeds[1:7] == tuple(f"base.{n}" for n in ("wx", "wy", "wz", "vx", "vy", "vz"))
    assert model.coordinates[8:] == ("tool.position1", "tool.angle1", "tool.angle2", "tool.angle3")
    assert model.speeds[7:] == ("tool.position1", "tool.wx", "tool.wy", "tool.wz")
    assert (model.nq, model.nv) == (12, 11)
    assert len(model.coordinate_units) == 12
    assert model.speed_units[0] == "rad/s"


def test_a_joint_at_a_frame_stands_and_turns_with_it() -> None:
    mech = arm()
    mech.add_body("lower", ROD, "upper", at="end")
    model = mech.build()
    R, p = model.pose(model.neutral(), "lower")
    assert np.allclose(p, (0, 0, -1))
    assert np.allclose(R, Rotation.from_euler("z", 90, degrees=True).as_matrix())


def test_a_payload_on_a_tool_that_was_merged_into_a_link_stands_and_turns_with_it() -> None:
    """Bodies on fixed joints become frames with names of their own, as the links of a URDF do."""
    mech = arm()
    mech.add_body("flange", ROD, "upper", supple.Fixed(), at=(0, 0, -1))
    mech.add_body("tool", RigidBody(0.0), "flange", supple.Fixed(), (0, 0, -0.1), Rotation.from_euler("x", 0.3))
    robot = mech.build(merge_fixed=True)
    assert robot.bodies == ("upper",)
    q = [0.4]
    changed = Mechanism.of(robot)
    changed.add_body("payload", ROD, "upper", supple.Fixed(), at="tool")
    changed.add_frame("grip", "tool", (0, 0, -0.2))
    model = changed.build()
    for frame, tool in (("payload", "tool"), ("upper/grip", "tool")):
        R, p = robot.pose(q, tool)
        offset = (0, 0, -0.2) if frame == "upper/grip" else (0, 0, 0)
        np.testing.assert_allclose(model.pose(q, frame)[0], R, atol=1e-15)
        np.testing.assert_allclose(model.pose(q, frame)[1], p + R @ offset, atol=1e-15)
    assert model.mass == pytest.approx(robot.mass + 1.0)
    with pytest.raises(ModelError, match=r"body 'b': at: no frame 'tol' on 'upper'; did you mean 'tool'\?"):
        changed.add_body("b", ROD, "upper", at="tol")
    with pytest.raises(ModelError, match=r"body 'b': parent: no body 'flange'; 'flange' is a frame on 'upper'"):
        changed.add_body("b", ROD, "flange", at="tool")


def test_merging_fixed_bodies_leaves_the_dynamics_as_it_was() -> None:
    mech = arm()
    turn = Rotation.from_euler("xyz", [20, 30, 40], degrees=True)
    mech.add_body("plate", ROD, "upper", supple.Fixed(), at=(0.1, 0.2, 0.3), rotation=turn)
    mech.add_frame("corner", "plate", (0.1, 0, 0))
    mech.add_body("hand", ROD, "plate", supple.Revolute("x"), at=(0, 0.1, 0))
    mech.add_body("post", ROD, "ground", supple.Fixed(), at=(1, 0, 0))
    mech.add_spring_damper("s", "plate/corner", "post", 10.0)
    whole, merged = mech.build(), mech.build(merge_fixed=True)
    assert merged.bodies == ("upper", "hand")
    q, v = whole.random_state(0)
    assert np.allclose(whole.forward_dynamics(q, v, [1, 2]), merged.forward_dynamics(q, v, [1, 2]), rtol=1e-12)
    for frame in ("plate", "plate/corner", "post"):
        assert np.allclose(whole.pose(q, frame)[1], merged.pose(q, frame)[1], atol=1e-14)


def test_the_model_is_frozen_and_apart_from_its_description() -> None:
    mech = arm()
    model = mech.build()
    mech.add_body("more", ROD, "upper")
    assert model.bodies == ("upper",)
    with pytest.raises(ValueError, match="read-only"):
        model.tree.mass[1] = 2.0


def test_massless_bodies_are_legal_where_the_joint_keeps_inertia() -> None:
    mech = Mechanism("cross")
    mech.add_body("ring", RigidBody(0.0), joint=supple.Revolute("x"))
    mech.add_body("ball", RigidBody(1.0, (0, 0, -1), (0.1, 0.1, 0.1)), "ring", supple.Revolute("y"))
    model = mech.build()
    whole = Mechanism("universal")
    whole.add_body("ball", RigidBody(1.0, (0, 0, -1), (0.1, 0.1, 0.1)), joint=supple.Universal("x", "y"))
    q, v, tau = [0.3, 0.4], [1.0, 2.0], [0.1, 0.2]
    assert np.allclose(model.forward_dynamics(q, v, tau), whole.build().forward_dynamics(q, v, tau), rtol=1e-13)


def test_a_joint_without_any_inertia_is_named() -> None:
    mech = arm()
    mech.add_body("bare", RigidBody(0.0), "upper", supple.Revolute("x"), at="end")
    model = mech.build()
    with pytest.raises(supple.SingularError, match=r"joint of 'bare'.*'bare\.angle'"):
        model.forward_dynamics([0.1, 0.2], [0, 0], [0, 0])
    with pytest.raises(supple.SingularError, match="joint of 'bare'"):
        model.inverse_mass_matrix([0.1, 0.2])
    assert np.isfinite(model.inverse_dynamics([0.1, 0.2], [0, 0], [0, 0])).all()


def test_two_joints_on_one_axis_with_nothing_between_are_singular() -> None:
    mech = Mechanism("axle", gravity=(0, 0, 0))
    mech.add_body("sleeve", RigidBody(0.0), joint=supple.Revolute((1, 2, 3)))
    mech.add_body("shaft", RigidBody(1.0, (0.1, 0.2, 0.5), (0.2, 0.2, 0.1)), "sleeve", supple.Revolute((1, 2, 3)))
    with pytest.raises(supple.SingularError, match="joint of 'sleeve'"):
        mech.build().forward_dynamics([0.3, 0.7], [0.1, 0.2], [0, 0])


def test_a_rotor_makes_a_massless_joint_legal() -> None:
    mech = Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("wheel", RigidBody(0.0), joint=supple.Revolute("z", inertia=0.5))
    assert np.isclose(mech.build().forward_dynamics([0.0], [0.0], [2.0])[0], 4.0)


FAULTS: list[tuple[Callable[[Mechanism], object], str]] = [
    (lambda m: m.add_body("b", ROD, "uper"), r"body 'b': parent: no body 'uper'; did you mean 'upper'\?"),
    (lambda m: m.add_body("upper", ROD), "body 'upper': name: there is a body of this name already"),
    (lambda m: m.add_body("a/b", ROD), "expected a name without '/' and '.', got 'a/b'"),
    (
        lambda m: m.add_body("b", ROD, at="ends", parent="upper"),
        r"at: no frame 'ends' on 'upper'; did you mean 'end'\?",
    ),
    (lambda m: m.add_body("b", ROD, at=(1, 2)), r"at: expected numbers of shape \(3,\), got shape \(2,\)"),
    (lambda m: m.add_body("b", ROD, at=(1, 2, np.nan)), "at: expected finite numbers, got"),
    (lambda m: m.add_body("b", ROD, rotation=np.ones((3, 3))), "rotation: expected a rotation matrix"),
    (lambda m: m.add_body("b", ROD, joint="revolute"), "joint: expected a joint such as"),  # type: ignore[arg-type]
    (lambda m: m.add_frame("end", "upper"), "there is a frame of this name already"),
    (lambda m: m.add_frame("x", "uppr"), "no body 'uppr'; did you mean 'upper'"),
    (lambda m: m.add_spring_damper("s", "upper", "uper/end"), r"no frame 'uper/end'; did you mean 'upper/end'\?"),
    (lambda m: m.add_spring_damper("s", "upper", "ground", length=-1), "length: expected at least 0, got -1"),
    (lambda m: m.add_wrench("w", "upper", axes="world"), "axes: expected 'frame' or 'ground', got 'world'"),
]


@pytest.mark.parametrize(("action", "message"), FAULTS, ids=[m for _, m in FAULTS])
def test_a_wrong_part_is_refused_and_nothing_is_added(action: Callable[[Mechanism], object], message: str) -> None:
    mech = arm()
    before = (dict(mech.bodies), dict(mech.frames), dict(mech.springs), dict(mech.wrenches))
    with pytest.raises(ModelError, match=message):
        action(mech)
    assert (mech.bodies, mech.frames, mech.springs, mech.wrenches) == before


JOINT_FAULTS: list[tuple[Callable[[], object], str]] = [
    (lambda: supple.Revolute((0, 0, 0)), "revolute joint: axis: expected a direction, got the zero vector"),
    (lambda: supple.Revolute("w"), "revolute joint: axis: expected 'x', 'y', 'z'"),
    (lambda: supple.Prismatic((1, 0)), r"prismatic joint: axis: expected numbers of shape \(3,\)"),
    (lambda: supple.Helical("x", pitch=np.inf), "helical joint: pitch: expected a finite number, got inf"),
    (lambda: supple.Universal("x", "x"), "universal joint: expected two different axes"),
    (lambda: supple.BuildingBlock(["x", "x"], ""), "expected up to three independent translations"),
    (lambda: supple.BuildingBlock(["x"], "12"), "rotations: expected .* got '12'"),
    (lambda: supple.BuildingBlock([], "112"), "rotations: expected .* got '112'"),
    (lambda: supple.Revolute("x", damping=[1, 2]), r"revolute joint: damping: expected numbers of shape \(1,\)"),
    (lambda: supple.Revolute("x", inertia=-1), "revolute joint: inertia: expected at least 0, got -1"),
    (lambda: supple.Spherical(stiffness=1.0), "spherical joint: stiffness: expected zero for speeds that are not"),
]


@pytest.mark.parametrize(("make", "message"), JOINT_FAULTS, ids=[m for _, m in JOINT_FAULTS])
def test_a_wrong_joint_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


BODY_FAULTS: list[tuple[Callable[[], object], str]] = [
    (lambda: RigidBody(-1.0), "mass: expected zero or more, got -1"),
    (lambda: RigidBody(np.nan), "mass: expected a finite number, got nan"),
    (lambda: RigidBody("heavy"), "mass: expected a number, got 'heavy'"),  # type: ignore[arg-type]
    (lambda: RigidBody(1.0, (0, 0)), r"com: expected numbers of shape \(3,\), got shape \(2,\)"),
    (lambda: RigidBody(1.0, inertia=(1, 1, 3)), "triangle inequality.* 3 exceeds the sum of the others 2"),
    (lambda: RigidBody(1.0, inertia=(1, 1, -0.1)), "expected no negative principal moment, got -0.1"),
    (lambda: RigidBody(1.0, inertia=np.eye(3) + 0.1 * np.eye(3, k=1)), "expected a symmetric matrix"),
]


@pytest.mark.parametrize(("make", "message"), BODY_FAULTS, ids=[m for _, m in BODY_FAULTS])
def test_a_body_that_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_an_empty_mechanism_is_refused() -> None:
    with pytest.raises(ModelError, match="mechanism 'none': expected at least one body"):
        Mechanism("none").build()
