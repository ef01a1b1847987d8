"""A degree of freedom without inertia: every method says so, and names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from supple.model.dynamic_functions import METHODS
from supple.model.loops.mobility import degrees_of_freedom
from supple.simulation.impacts import impulse_at
from supple.symbolic.kane import KaneJoint, KaneModel, KaneSystem, MassProperties

LINK = supple.RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.1))
Y = supple.Revolute("y")


def massless_tip() -> supple.Model:
    mech = supple.Mechanism("massless tip")
    mech.add_body("arm", LINK, joint=Y)
    mech.add_body("tip", supple.RigidBody(0.0), "arm", supple.Revolute("x"), at=(0, 0, -1))
    return mech.build()


def one_axis_twice() -> supple.Model:
    """Two hinges about one axis with nothing between them: no entry of the mass matrix is zero."""
    mech = supple.Mechanism("one axis twice")
    mech.add_body("ring", supple.RigidBody(0.0), joint=Y)
    mech.add_body("arm", LINK, "ring", Y)
    return mech.build()


def massless_on_a_beam() -> supple.Model:
    material = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    beam = structures.beam(1.0, structures.Rectangle(0.02, 0.01), material, 3).reduce("cantilever", modes=2)
    mech = supple.Mechanism("beam")
    mech.add_body("beam", beam, joint=Y)
    mech.add_body("tip", supple.RigidBody(0.0), "beam", supple.Revolute("x"), at="end")
    return mech.build()


CASES = {"tip.angle": massless_tip, "ring.angle": one_axis_twice, "beam": massless_on_a_beam}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_all_methods_name_the_speed(case: str, method: str) -> None:
    model = CASES[case]()
    speed = "tip.angle" if case == "beam" else case
    q, v = np.full(model.nq, 0.01), np.zeros(model.nv)
    for tau in (np.zeros(model.nv), np.ones(model.nv)):
        with pytest.raises(supple.SingularError, match=f"model '{model.name}'.*nothing resists the speed '{speed}'"):
            model.forward_dynamics(q, v, tau, method)


@pytest.mark.parametrize("method", METHODS)
def test_one_singular_state_of_a_batch_is_enough(method: str) -> None:
    """Two hinges whose axes coincide where the one between them is straight, and do not elsewhere."""
    mech = supple.Mechanism("gimbal")
    mech.add_body("outer", supple.RigidBody(0.0), joint=Y)
    mech.add_body("middle", supple.RigidBody(0.0), "outer", supple.Revolute("x"))
    mech.add_body("inner", supple.RigidBody(1.0, inertia=(0.1, 0.2, 0.25)), "middle", Y)
    model = mech.build()
    q, v, tau = np.array([[0.1, 0.7, 0.2], [0.1, 0.0, 0.2]]), np.zeros(3), np.ones(3)
    expected = np.linalg.solve(model.mass_matrix(q[0]), tau - model.bias_forces(q[0], v))
    np.testing.assert_allclose(model.forward_dynamics(q[0], v, tau, method), expected, rtol=1e-10)
    with pytest.raises(supple.SingularError, match=r"'outer\.angle'"):
        model.forward_dynamics(q, v, tau, method)


def test_light_bodies_are_not_taken_for_none() -> None:
    mech = supple.Mechanism("light tip")
    mech.add_body("arm", supple.RigidBody(1e3, (0, 0, -0.5), (1e2, 1e2, 1e2)), joint=Y)
    mech.add_body("tip", supple.RigidBody(1e-6, (0, 0, -1e-3), (1e-12, 1e-12, 1e-12)), "arm", Y, at=(0, 0, -1))
    model = mech.build()
    q, v = model.random_state(0)
    answers = [model.forward_dynamics(q, v, np.zeros(2), method) for method in METHODS]
    for a in answers[1:]:
        np.testing.assert_allclose(a, answers[0], rtol=1e-6)


def loop_of(rod: supple.RigidBody) -> supple.Model:
    mech = supple.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    z = supple.Revolute("z")
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=z)
    mech.add_body("rod", rod, "crank", z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.add_frame("end", "rod", (1.0, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", z)
    return mech.build()


def test_loops_of_a_singular_tree_say_so() -> None:
    """Errors, J, redundancy and assembly need no inertia; what would move the tree has none to find its way by."""
    model = loop_of(supple.RigidBody(0.0))
    loops = model.loops
    assert loops is not None
    q = np.array([0.7, -0.4, 1.0])
    heavy = loop_of(supple.RigidBody(2.0, (0.5, 0, 0), (0.2, 0.2, 0.2))).loops
    assert heavy is not None
    np.testing.assert_array_equal(loops.errors(q)[0], heavy.errors(q)[0])
    np.testing.assert_array_equal(loops.jacobian(q), heavy.jacobian(q))
    closed = loops.assemble(q, fixed=["crank.angle"])
    assert np.abs(loops.errors(closed)[0]).max() < 1e-12
    assert np.abs(closed - q).max() > 0.1
    np.testing.assert_allclose(closed, heavy.assemble(q, fixed=["crank.angle"]), atol=1e-10)
    assert loops.redundant(closed) == heavy.redundant(closed)
    assert degrees_of_freedom(model) == 1
    free, still = np.zeros(3, dtype=bool), np.zeros((1, 3))
    match = "nothing resists the speed 'rod.angle'"
    for call in (
        lambda: loops.project(q[None], still, free),
        lambda: loops.consistent(q, [1.0, 0.0, 0.0]),
        lambda: loops.forces(q, still[0], still[0]),
        lambda: impulse_at(model, q, 1, free),
    ):
        with pytest.raises(supple.SingularError, match=match):
            call()


@pytest.mark.parametrize("make", [massless_tip, one_axis_twice, massless_on_a_beam])
def test_operators_with_the_inverse_of_d_say_so(make: Callable[[], supple.Model]) -> None:
    model = make()
    operators = model.operators(model.random_state(1)[0])
    assert operators.R.dense().any()  # which needs no inverse
    makers: list[Callable[[], object]] = [
        lambda: operators.D.inverse(),
        lambda: operators.G,
        lambda: operators.mass_matrix,
        lambda: operators.inverse_mass_matrix,
        lambda: operators.root,
        lambda: operators.nodal.G,
        lambda: operators.nodal.D.inverse(),
        lambda: operators.split.G_r,
    ]
    if model.flex is None:
        makers += [lambda: operators.cdi.K, lambda: operators.cdi.J_hat]
    for maker in makers:
        with pytest.raises(supple.SingularError, match=f"model '{model.name}'.*nothing resists the speed"):
            maker()


@pytest.mark.parametrize(
    "options",
    [{"integrator": name} for name in ("auto", "DOP853", "ESDIRK54", "RK45", "Radau", "BDF", "LSODA", "IDA", "CVODE")]
    + [{"integrator": name, "step": 1e-3} for name in ("rk4", "leapfrog", "variational", "generalized_alpha")],
    ids=lambda options: str(options["integrator"]),
)
def test_runs_say_so_before_they_begin(options: dict[str, Any]) -> None:
    """Nothing acts on the speed: its rate would be zero by zero, which code with the zeros left out has as 0."""
    with pytest.raises(supple.SingularError, match=r"model 'massless tip'.*'tip\.angle'"):
        supple.simulate(massless_tip(), 0.1, q=[0.3, 0.2], v=[0.0, 1.0], **options)


def test_prescribed_motion_needs_no_inertia() -> None:
    run = supple.simulate(massless_tip(), 0.1, q=[0.3, 0.2], motion={"tip.angle": supple.Motion("0.2 + t")})
    assert run.q.values[-1, 1] == pytest.approx(0.3)


def test_systems_of_vectors_say_so() -> None:
    s = KaneSystem("disc")
    (J,) = s.parameters(J=0.1)
    properties = MassProperties(1.0, inertia=(1.0, 1.0, J))
    s.add_body("disc", joint=KaneJoint(translations="x", rotations="3"), body=properties)
    sound, singular = KaneModel(s), KaneModel(s, parameters={"J": 0.0})
    assert sound.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 1.0]) == pytest.approx([1.0, 10.0])
    for call in (
        lambda: singular.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 1.0]),
        lambda: supple.simulate(singular, 0.1, v=[0.0, 1.0]),
    ):
        with pytest.raises(supple.SingularError, match=r"system 'disc': nothing resists the speed 'u2'"):
            call()
