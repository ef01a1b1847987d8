"""State-space models: names, transfer functions, and the motion that they predict."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import linalg

import supple
from supple import structures
from supple.linear import equilibrium, state_space
from support.cases import thinned

METAL = structures.Material(E=7e10, nu=0.3, rho=2700.0)
ROUND = structures.Circle(0.004)


@cache
def two_masses() -> supple.Model:
    """3 kg on a spring of 50 N/m and a damper of 2 N s/m; on it 1 kg on a spring of 20 N/m."""
    mech = supple.Mechanism("two masses", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(3.0), joint=supple.Prismatic("x", stiffness=50.0, damping=2.0))
    mech.add_body("b", supple.RigidBody(1.0), "a", supple.Prismatic("x", stiffness=20.0, damping=0.5))
    return mech.build()


def test_transfer_of_two_masses() -> None:
    system = state_space(two_masses(), inputs=["a.fx", "b.position"], outputs=["b.x", "b.vx", "b.ax", "q:b.position"])
    f = np.array([0.0, 0.3, 0.7, 2.0])
    M, C, K = np.diag([3.0, 1.0]), np.array([[2.5, -0.5], [-0.5, 0.5]]), np.array([[70.0, -20], [-20, 20]])
    for i, s in enumerate(2j * np.pi * f):
        x = np.linalg.inv(s**2 * M + s * C + K) @ np.array([[1, -1], [0, 1]])  # a drive at the joint pushes both
        expected = np.array([x[1], s * x[1], s**2 * x[1], x[1] - x[0]])
        assert system.transfer(f)[i] == pytest.approx(expected, rel=1e-12)
        first_order = system.C @ np.linalg.solve(s * np.eye(4) - system.A, system.B) + system.D
        assert first_order == pytest.approx(expected, rel=1e-11, abs=1e-14)
    assert system.states == ("x:a.position", "x:b.position", "v:a.position", "v:b.position")
    assert "b.ax" in str(system)


def test_static_response_is_compliance() -> None:
    """At 0 Hz a cantilever gives L^3 / (3 E I), L^2 / (2 E I) and L / (E I)."""
    mech = supple.Mechanism("mast", gravity=(0, 0, 0))
    mech.add_body("beam", structures.beam(1.5, ROUND, METAL, 6).reduce("nodal"), joint=supple.Fixed())
    system = state_space(mech.build(), inputs=["beam/end.fz", "beam/end.my"], outputs=["beam/end.z", "beam/end.ry"])
    EI = METAL.E * ROUND.Iy
    expected = np.array([[1.5**3 / 3, -(1.5**2) / 2], [-(1.5**2) / 2, 1.5]]) / EI
    assert system.transfer(0.0) == pytest.approx(expected, rel=1e-9)
    assert system.transfer([[0.0, 1.0]]).shape == (1, 2, 2, 2)


def test_no_static_response_without_stiffness() -> None:
    mech = supple.Mechanism("free", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.add_body("b", supple.RigidBody(1.0), "a", supple.Prismatic("x", stiffness=20.0))
    system = state_space(mech.build())
    assert system.inputs == ("a.position", "b.position")
    assert system.outputs == ("v:a.position", "v:b.position")
    with pytest.raises(supple.StateError, match=r"0 Hz: the motion of 'a\.position'"):
        system.transfer(0.0)
    s = 2j * np.pi * 0.1
    carried = 3 + 20 / (s**2 + 20)  # the mass on the spring follows
    assert system.transfer(0.1)[0, 0] == pytest.approx(1 / (carried * s), rel=1e-12)


def flexible_arm() -> supple.Model:
    mech = supple.Mechanism("arm")
    link = structures.beam(0.6, ROUND, METAL, 5).reduce("cantilever", modes=3, damping=0.02)
    mech.add_body(
        "hub", supple.RigidBody(0.5, (0.05, 0, -0.1), (0.01, 0.02, 0.01)), joint=supple.Revolute("z", stiffness=1.0)
    )
    mech.add_body("first", link, "hub", supple.Revolute("y", stiffness=30.0, damping=0.1), (0.1, 0, 0))
    mech.add_body("second", link, "first", supple.Universal("y", "z", stiffness=10.0), "end")
    return mech.build()


LOADS = [None, {"second/end": [0, 0, 0, 0, 0, 0.3]}]


@pytest.mark.parametrize("load", thinned(LOADS, LOADS[1:]))
def test_small_motions_are_those_of_the_simulation(load: dict[str, list[float]] | None) -> None:
    """The relative error of the linear motion falls with the amplitude."""
    mech = flexible_arm().description
    if load:
        mech.add_wrench("push", "second/end", load["second/end"][:3], load["second/end"][3:])
    model = supple.Model(mech)
    rest = equilibrium(model)
    outputs = ["second/end.x", "second/end.y", "second/end.z", "second/end.vz", "q:first.angle"]
    system = state_space(model, rest.q, tau=np.zeros(model.nv), outputs=outputs)
    rng = np.random.default_rng(1)
    x0 = rng.normal(size=model.nv) * np.where(model.is_mode, 0.02, 1.0)
    errors = []
    for amplitude in (1e-3, 1e-4):
        result = supple.simulate(model, 0.5, model.integrate(rest.q, x0, amplitude), samples=6, rtol=1e-11, atol=1e-13)
        q, v = result.q.values[-1], result.v.values[-1]
        state = linalg.expm(system.A * 0.5) @ np.concatenate([amplitude * x0, np.zeros(model.nv)])
        predicted = system.C @ state
        here, there = (model.pose(x, "second/end")[1] for x in (rest.q, q))
        i = model.coordinate_index("first.angle")
        found = [*(there - here), model.velocity(q, v, "second/end")[5], q[i] - rest.q[i]]
        errors.append(np.abs(found - predicted).max() / np.abs(predicted).max())
    assert errors[0] < 2e-2
    assert errors[1] < 0.15 * errors[0]


def test_names_that_do_not_fit() -> None:
    model = two_masses()
    for inputs, outputs, message in [
        (["a.positon"], [], r"did you mean 'a\.position'"),
        (["a.x"], [], "inputs: expected the name of a speed"),
        (["c.fx"], [], "no frame 'c'"),
        ([], ["a.fx"], "outputs: expected q:coordinate"),
        ([], ["q:c.position"], "no coordinate 'c.position'"),
        ("a", [], "sequence of different names"),
        ([], ["a.x", "a.x"], "sequence of different names"),
    ]:
        with pytest.raises(supple.StateError, match=message):
            state_space(model, inputs=inputs, outputs=outputs)
    with pytest.raises(supple.StateError, match=r"'a\.position' is fixed"):
        state_space(model, inputs=["a.position"], fixed=["a"])


def test_python_control(monkeypatch: pytest.MonkeyPatch) -> None:
    control = pytest.importorskip("control")
    system = state_space(two_masses(), inputs=["a.fx"], outputs=["b.x", "b.ax"])
    other = system.to_control()
    assert isinstance(other, control.StateSpace)
    assert other.input_labels == ["a_fx"]
    assert other.output_labels == ["b_x", "b_ax"]
    assert other(2j * np.pi * 0.4)[:, 0] == pytest.approx(system.transfer(0.4)[:, 0], rel=1e-12)
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(supple.SuppleError, match="pip install control"):
        system.to_control()


def test_states_that_do_not_last_are_named() -> None:
    """A pendulum that falls, one that swings through, and one that turns about an upright axis."""
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y"))
    model = mech.build()
    with pytest.warns(
        supple.PhysicsWarning, match=r"'pendulum': linear about a state that does not last: 'arm\.angle' acc"
    ):
        state_space(model, {"arm.angle": 1.0}, tau=[0.0])
    with pytest.warns(
        supple.PhysicsWarning, match=r"'arm\.angle' is loaded ever differently; poles hold for an instant"
    ):
        state_space(model, v=[2.0])
    held = state_space(model, {"arm.angle": 1.0})  # by a torque
    assert str(held).splitlines()[-1].endswith("the state takes generalized forces, 8.255 N m on 'arm.angle'")
    mech.bodies["arm"] = replace(mech.bodies["arm"], joint=supple.Revolute("z", inertia=1.0))
    assert str(state_space(mech.build(), v=[2.0])).count("not a free equilibrium") == 0
