"""Base parameters: published counts, groupings by hand, and the same forces."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.bench.pinocchio import Peer
from supple.identification import BaseParameters, base_parameters
from supple.identification.parameter_groups import independent_columns
from support.files.robots import robot_directory
from support.mechanisms.closed_mechanisms import slider_crank


def robot(name: str) -> supple.Model:
    return Peer.of_file(next(robot_directory().rglob(f"{name}.urdf"))).model


def assert_same_forces(model: supple.Model, base: BaseParameters, held: int = 0) -> None:
    q, v = model.random_state(99)
    a = np.random.default_rng(99).normal(size=model.nv)
    moving = model.nv - held
    if held:
        q[-held:] = v[-held:] = a[-held:] = 0.0
    pi = model.inertial_parameters()
    Y = model.regressor(q, v, a)[:moving]
    expected = Y @ list(pi.values())
    found = Y[:, base.columns] @ base.values(list(pi.values()))
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


def test_ur5_has_36() -> None:
    model = robot("ur5_robot")
    base = base_parameters(model)
    assert len(base) == 36
    assert_same_forces(model, base)
    # The forearm hangs 0.425 m along z of the upper arm: its mass and those beyond go into the moment of that.
    carried = " + ".join(f"0.425 {name}.mass" for name in model.bodies[2:])
    assert base.groupings()["upper_arm_link.first_moment.z"] == f"upper_arm_link.first_moment.z + {carried}"
    assert "shoulder_link.mass" in base.unidentifiable
    assert str(base).startswith("36 base parameters of 60\n   1  shoulder_link.origin_inertia.zz")
    assert "wrist_3_link.first_moment.z" in base._repr_html_()


def test_panda_has_43_with_its_fingers_locked() -> None:
    model = robot("panda")
    base = base_parameters(model, fixed=("panda_leftfinger", "panda_rightfinger"))
    assert len(base) == 43  # Gaz et al., 2019
    assert_same_forces(model, base, held=2)


def test_a_motion_that_excites_little_groups_more() -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(2.0, (0.1, 0.0, -0.5), np.diag([0.1, 0.2, 0.1])))
    model = mech.build()
    every = base_parameters(model)
    assert every.names == ("arm.origin_inertia.yy", "arm.first_moment.x", "arm.first_moment.z")
    assert every.values(model.inertial_parameters()) == pytest.approx([0.2 + 2.0 * 0.26, 0.2, -1.0])
    q = np.linspace(-1, 1, 7)[:, None]
    still = base_parameters(model, q, 0 * q, 0 * q)
    assert still.names == ("arm.first_moment.x", "arm.first_moment.z")
    # Of an undamped swing the joint's inertia cannot be told from that of the arm.
    both = base_parameters(model, joints=["inertia", "damping"])
    assert both.groupings()["arm.angle.inertia"] == "arm.angle.inertia + arm.origin_inertia.yy"
    assert "arm.angle.damping" in both.names


def test_rank_decides_where_columns_are_close_to_dependent() -> None:
    # Kahan's matrix: no column is far from its predecessors, but the last singular value is small.
    n, c = 60, 0.6
    s = np.sqrt(1 - c * c)
    A = np.diag(s ** np.arange(n)) @ (np.eye(n) - c * np.triu(np.ones((n, n)), 1))
    order = list(range(n))
    kept = independent_columns(A, order)
    assert np.linalg.matrix_rank(A[:, kept]) == len(kept)
    unit = np.eye(4)[:, [0, 0, 2, 1, 3]]
    assert independent_columns(unit, [1, 0, 2, 3, 4]) == [1, 2, 3, 4]


def test_wrong_arguments() -> None:
    model = robot("ur5_robot")
    with pytest.raises(supple.StateError, match="expected a tree, got a model with closed loops"):
        base_parameters(slider_crank())
    with pytest.raises(supple.StateError, match="expected all of q, v and a, or none"):
        base_parameters(model, np.zeros(6))
    with pytest.raises(supple.StateError, match=r"fixed: expected a body.*'wrist_3_link'"):
        base_parameters(model, fixed=["wrist_3_lnk"])
    with pytest.raises(supple.SuppleError, match="expected a Model"):
        base_parameters("arm")  # type: ignore[arg-type]
    with pytest.raises(supple.StateError, match=r"expected \(\.\.\., 60\) numbers, got shape \(3,\)"):
        base_parameters(model).values([1.0, 2.0, 3.0])
