"""Regressor of models: names and order of parameters, columns of joints, leading axes, wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple import structures


def two_links(stiffness: float = 3.0) -> supple.Model:
    mech = supple.Mechanism("arm")
    joint = supple.Revolute("y", stiffness=stiffness, rest=0.2, damping=0.5, inertia=0.03)
    mech.add_body("upper", supple.RigidBody(2.0, (0.1, 0.2, -0.5), np.diag([0.3, 0.2, 0.1])), joint=joint)
    mech.add_body("lower", supple.RigidBody(1.0, (0, 0.1, -0.3), np.eye(3)), "upper", supple.Spherical(damping=0.1))
    return mech.build()


def test_parameters_and_columns_of_joints_make_inverse_dynamics() -> None:
    model = two_links()
    joints = ("inertia", "damping", "stiffness")
    pi = model.inertial_parameters(joints)
    assert list(pi)[:11:5] == ["upper.mass", "upper.origin_inertia.xy", "lower.mass"]
    assert pi["upper.first_moment.z"] == -1.0
    assert pi["upper.origin_inertia.xy"] == pytest.approx(-2.0 * 0.1 * 0.2)
    # Speeds of a spherical joint are no rates of coordinates: no spring acts on them.
    assert [name for name in pi if name.endswith("stiffness")] == ["upper.angle.stiffness"]
    assert len(pi) == 2 * 10 + 4 + 4 + 1
    states = [model.random_state(seed) for seed in range(6)]
    q, v = (np.array([s[i] for s in states]).reshape(2, 3, -1) for i in range(2))
    a = np.random.default_rng(0).normal(size=(2, 3, model.nv))
    Y = model.regressor(q, v, a, joints)
    assert Y.shape == (2, 3, model.nv, len(pi))
    expected = model.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(Y @ list(pi.values()), expected, atol=1e-13 * np.abs(expected).max())


def test_flexible_bodies_have_no_columns() -> None:
    beam = structures.beam(1.0, structures.Circle(0.01), structures.Material(E=7e10, nu=0.3, rho=2700.0), 4)
    mech = supple.Mechanism("boom")
    mech.add_body("boom", beam.reduce("cantilever", modes=2))
    model = mech.build()
    assert model.inertial_parameters() == {}
    assert model.regressor(np.zeros(3), np.zeros(3), np.zeros(3)).shape == (3, 0)


def test_wrong_arguments() -> None:
    model = two_links()
    with pytest.raises(supple.StateError, match=r"joints: expected some of inertia, .* got 'dampin'.*'damping'"):
        model.inertial_parameters(["dampin"])
    with pytest.raises(supple.StateError, match=r"model 'arm': a: expected numbers of shape \(\.\.\., 4\)"):
        model.regressor(np.zeros(5), np.zeros(4), np.zeros(3))
