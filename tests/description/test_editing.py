"""Mechanisms changed after they were described equal those that were described so from the start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import shapes, structures
from supple.errors import ModelError

EXAMPLES = Path(__file__).parents[2] / "examples"
LINK = supple.RigidBody(1.5, (0.4, 0, 0), (0.001, 0.08, 0.08))
TUBE = structures.beam(
    0.8, structures.Tube(radius=0.02, thickness=0.001), structures.Material(E=70e9, nu=0.3, rho=1600), elements=4
)
BEAM = TUBE.reduce("cantilever", modes=2)


def arm(first: supple.RigidBody | structures.FlexibleBody = LINK, at: object = (0.8, 0, 0)) -> supple.Mechanism:
    mech = supple.Mechanism("arm")
    mech.add_body("upper", first, joint=supple.Revolute("y", damping=0.2))
    mech.add_body("lower", LINK, "upper", supple.Revolute("y"), at=at)  # type: ignore[arg-type]
    mech.add_frame("tip", "lower", (0.8, 0, 0))
    mech.add_spring_damper("cord", "ground", "upper", stiffness=10.0)
    return mech


def test_a_rotor_is_added_to_the_inertia_of_its_joint() -> None:
    model = arm().build()
    mech = supple.Mechanism.of(model)
    mech.change_joint("lower", inertia=0.3)
    changed = mech.build()
    q, _ = model.random_state(seed=1)
    assert np.allclose(changed.mass_matrix(q) - model.mass_matrix(q), np.diag([0.0, 0.3]), atol=1e-14)
    assert model == arm().build()  # what it was made of is as it was
    mech.change_joint("lower", supple.Prismatic("x"), stiffness=5.0)
    assert mech.build().coordinates == ("upper.angle", "lower.position")


def test_an_elastic_joint_has_a_rotor_and_a_spring_in_a_row() -> None:
    mech = supple.Mechanism("pendulum", gravity=(0, 0, 0))
    mech.add_body("arm", LINK, joint=supple.Revolute("y", damping=0.5))
    mech.make_elastic("arm", stiffness=200.0, rotor=0.03, damping=2.0)
    model = mech.build()
    assert model.coordinates == ("arm_motor.angle", "arm.angle")
    inertia = 0.08 + 1.5 * 0.4**2
    expected = [[inertia + 0.03, inertia], [inertia, inertia]]  # of the angles of the rotor and of the spring
    assert np.allclose(model.mass_matrix([0.4, 0.1]), expected, rtol=1e-13)
    torque = model.inverse_dynamics([0.4, 0.1], [1.0, 3.0], [0.0, 0.0])
    assert np.allclose(torque, [0.5 * 1.0, 200.0 * 0.1 + 2.0 * 3.0], rtol=1e-13)


def test_laws_on_the_spring_of_an_elastic_joint_are_named() -> None:
    """A controller that was for the joint would wind up the spring: the rotor has no part in it."""
    mech = supple.Mechanism("pendulum", gravity=(0, 0, 0))
    mech.add_body("arm", LINK, joint=supple.Revolute("y", damping=0.5))
    mech.make_elastic("arm", stiffness=200.0, rotor=0.03, damping=2.0)
    model = mech.build()
    control = supple.PID(kp=50.0, kd=5.0, target=0.3)
    said = (
        "'arm.angle' is the deflection of the spring in the elastic joint of 'arm'; its actuator acts on 'arm_motor.ang"
    )
    with pytest.warns(supple.PhysicsWarning, match=f"tau: {said}"):
        supple.simulate(model, 0.01, tau={"arm.angle": control})
    with pytest.warns(supple.PhysicsWarning, match=f"motion: {said}"):
        supple.simulate(model, 0.01, motion={"arm.angle": "0.1*t"})
    result = supple.simulate(model, 6.0, tau={"arm_motor.angle": control})
    assert np.asarray(result["q"])[-1] == pytest.approx([0.3, 0.0], abs=1e-3)


def test_stops_couplings_and_gears_of_an_elastic_joint_are_those_of_the_rotor() -> None:
    mech = arm()
    mech.add_coupling("lower", "upper", 2.0)
    mech.limits.append(supple.Limit("lower.angle", -1.0, 1.0))
    mech.constrain("gear", supple.Gear("lower.angle", "upper.angle", 2.0))
    mech.make_elastic("lower", 100.0, rotor=0.01)
    assert list(mech.bodies) == ["upper", "lower_motor", "lower"]
    assert mech.limits[0].coordinate == "lower_motor.angle"
    assert (mech.couplings[0].follower, mech.couplings[0].leader) == ("lower_motor", "upper")
    gear = mech.constraints["gear"]
    assert isinstance(gear, supple.Gear)
    assert (gear.follower, gear.leader) == ("lower_motor.angle", "upper.angle")
    assert mech.build().loops is not None


def test_a_flexible_link_takes_the_place_of_a_rigid_one_and_back() -> None:
    mech = arm()
    mech.add_frame("middle", "upper", (0.4, 0, 0))
    mech.replace_body("upper", BEAM)
    expected = arm(BEAM, "end")
    expected.add_frame("middle", "upper/2")
    assert mech.build() == expected.build()
    mech.replace_body("upper", LINK)
    model, again = arm().build(), mech.build()
    q, v = model.random_state(seed=2)
    assert np.allclose(again.inverse_dynamics(q, v, v), model.inverse_dynamics(q, v, v), rtol=1e-12)
    assert again.pose(q, "upper/end")[1] == pytest.approx(model.pose(q, "lower")[1])


def test_shapes_of_a_replaced_body_go_with_it() -> None:
    mech = arm()
    mech.add_frame("middle", "upper", (0.4, 0, 0))
    for where in ("upper", "upper/middle", "lower"):
        mech.add_visual(where, shapes.Sphere(0.1))
    mech.replace_body("upper", BEAM)
    assert mech.visuals.keys() == {"upper/middle", "lower"}


def test_frames_of_the_same_name_are_kept_on_a_longer_link() -> None:
    longer = structures.beam(
        1.1, structures.Tube(radius=0.02, thickness=0.001), structures.Material(E=70e9, nu=0.3, rho=1600), elements=4
    ).reduce("cantilever", modes=3)
    mech = arm(BEAM, "end")
    mech.replace_body("upper", longer, fidelity="ruthless")
    model = mech.build()
    assert model.pose(model.neutral(), "lower")[1] == pytest.approx([1.1, 0, 0])
    assert mech.bodies["upper"].fidelity == "ruthless"


def test_a_model_of_a_file_is_changed_and_saved(tmp_path: Path) -> None:
    mech = supple.Mechanism.of(supple.files.read(EXAMPLES / "pendulum.toml").model)
    mech.make_elastic("arm", stiffness=100.0, rotor=0.01)
    supple.save(mech, tmp_path / "elastic.toml")
    assert supple.load(tmp_path / "elastic.toml") == mech.build()


Change = Callable[[supple.Mechanism], None]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.change_joint("uper", inertia=1.0), "body 'uper': name: no body 'uper'; did you mean 'upper'?"),
        (lambda m: m.change_joint("ground", inertia=1.0), "body 'ground': expected a body, got the ground"),
        (lambda m: m.change_joint("upper", inertai=1.0), "a revolute joint has no 'inertai'; did you mean 'inertia'?"),
        (lambda m: m.change_joint("upper", inertia=-1.0), "inertia: expected at least 0, got"),
        (lambda m: m.make_elastic("upper", 1.0, rotor=0.0), "rotor: expected an inertia greater than zero, got 0.0"),
        (lambda m: m.replace_body("upper", TUBE), "expected a RigidBody or a FlexibleBody, got"),
        (
            lambda m: m.replace_body("lower", BEAM, "some"),
            "fidelity: expected one of full, estimated-inertia, ruthless, got 'some'",
        ),
    ],
)
def test_what_cannot_be_changed(change: Change, words: str) -> None:
    mech = arm()
    with pytest.raises(ModelError) as caught:
        change(mech)
    assert words in str(caught.value)
    assert mech.build() == arm().build()


def test_a_place_that_a_flexible_body_does_not_have_is_named() -> None:
    mech = arm(at=(0.8, 0.1, 0))
    with pytest.raises(ModelError, match="body 'upper': body 'lower': at: expected a frame or the place of a node"):
        mech.replace_body("upper", BEAM)
    mech = arm(BEAM, "end")
    mech.add_spring_damper("stay", "ground", "upper/3", stiffness=1.0)
    with pytest.raises(ModelError, match="body 'upper': spring-damper 'stay': no frame 'upper/3'"):
        mech.replace_body("upper", LINK)
    assert mech.bodies["upper"].body is BEAM
    with pytest.raises(supple.StateError, match=r"Mechanism\.of: expected a Model, got 'arm'; supple.load"):
        supple.Mechanism.of("arm")  # type: ignore[arg-type]


def test_only_one_degree_of_freedom_is_made_elastic() -> None:
    mech = supple.Mechanism("ball")
    mech.add_body("ball", LINK, joint=supple.Spherical())
    with pytest.raises(ModelError, match="expected one degree of freedom to make elastic, got a spherical joint"):
        mech.make_elastic("ball", 1.0, rotor=0.1)
