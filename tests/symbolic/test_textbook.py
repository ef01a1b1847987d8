"""Names of textbooks."""

from __future__ import annotations

import numpy as np

import supple
from supple.symbolic import textbook_names


def arm() -> supple.Model:
    mech = supple.Mechanism("arm", gravity=(0, -9.81, 0))
    link = supple.RigidBody(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    mech.add_body("upper", link, joint=supple.Revolute("z", stiffness=2.0, damping=0.1, inertia=0.2))
    mech.add_body("lower", link, "upper", supple.Revolute("z"), at=(1.0, 0, 0))
    return mech.build()


def test_a_two_link_arm_reads_as_in_a_lecture() -> None:
    names = textbook_names(arm())
    assert names["names"]["m_2"] == "lower.mass"
    assert names["names"]["l_2"] == "lower.at.x"
    assert names["names"]["c_1"] == "upper.com.x"
    assert names["names"]["g"] == "-gravity.y"
    assert names["names"]["theta_1"] == "upper.angle"
    assert (names["names"]["k_1"], names["names"]["d_1"], names["names"]["J_1"]) == (
        "upper.angle.stiffness",
        "upper.angle.damping",
        "upper.angle.inertia",
    )
    assert names["names"]["I_1zz"] == "upper.inertia.zz"
    assert "I_1yy" not in names["names"]  # equal to I_1zz, and no motion has it
    assert names["inputs"] == {"tau_1": "upper.angle", "tau_2": "lower.angle"}
    e = supple.equations(arm(), **names)
    assert r"\ddot{\theta}_{1}" in e.latex()
    assert "m_{2}" in e.latex()


def test_the_equations_are_the_same() -> None:
    model = arm()
    q, v, tau = [0.3, -0.5], [0.7, 0.2], [0.4, 0.1]
    _, a = supple.equations(model, **textbook_names(model)).evaluate(q, v, tau)
    np.testing.assert_allclose(a, model.forward_dynamics(q, v, tau), rtol=1e-12)


def test_joints_with_several_speeds_and_chosen_inputs() -> None:
    mech = supple.Mechanism("bodies", gravity=(0.1, 0, -9.81))
    free = supple.BuildingBlock(translations=["x", "y", "z"], rotations="123")
    mech.add_body("bus", supple.RigidBody(2.0, com=(0.1, 0.2, 0), inertia=(1, 2, 2.5)), joint=free)
    mech.add_body("cart", supple.RigidBody(2.0), "bus", supple.Prismatic("x", damping=0.1))
    model = mech.build()
    found = textbook_names(model, ["cart.position"])
    assert found["inputs"] == {"f_2": "cart.position"}
    names = found["names"]
    assert [names[x] for x in ("x_1", "alpha_1", "gamma_1", "x_2")] == [
        "bus.position1",
        "bus.angle1",
        "bus.angle3",
        "cart.position",
    ]
    assert [names[x] for x in ("v_1x", "omega_1z", "c_1x", "g_z", "d_2", "I_1yy")] == [
        "bus.vx",
        "bus.wz",
        "bus.com.x",
        "gravity.z",
        "cart.position.damping",
        "bus.inertia.yy",
    ]
    q, v = model.random_state(1)
    _, a = supple.equations(model, **found).evaluate(q, v, [0.5])
    np.testing.assert_allclose(a, model.forward_dynamics(q, v, [0] * 6 + [0.5]), rtol=1e-10)
    everything = textbook_names(model)["inputs"]
    assert len(set(everything)) == model.nv
