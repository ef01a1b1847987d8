"""What a mechanism has to be, and what the model says of itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import supple
from supple import ModelError, SingularError, StateError
from supple.erls import build
from support.mechanisms.rigid_links import arm, random_body


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
    with pytest.raises(StateError, match=r"given: 'l0.mode1' is a mode: its acceleration is always found"):
        model.hybrid_dynamics(q, v, v, {"l0.mode1": 1.0})
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


def test_links_without_mass_are_where_they_belong() -> None:
    mech = supple.Mechanism("light")
    mech.add_body("a", supple.RigidBody(0.0))
    mech.add_body("b", supple.RigidBody(1.0, (0.1, 0.0, 0.0)), "a", supple.Revolute("z"), at=(1.0, 0.0, 0.0))
    mech.add_frame("tip", "b", (0.0, 0.0, 0.5))
    model, ordinary, q, v = build(mech), mech.build(), [0.3, 0.4], [1.0, 2.0]
    assert model.pose(q, "b/tip")[1] == pytest.approx(ordinary.pose(q, "b/tip")[1], abs=1e-12)
    x, s, _ = model.display_state(q, v)
    assert np.array(model.display.energy(x, s)) == pytest.approx(np.array(ordinary.energy(q, v)), rel=1e-9)


def test_a_mechanism_without_joints_vibrates_as_the_ordinary_model() -> None:
    """All joints fixed: no theta, and D is constant."""
    mech = supple.Mechanism("held")
    rod = arm(1, "craig-bampton", 2).bodies["l0"].body
    mech.add_body("a", rod, joint=supple.Fixed())
    mech.add_body("b", rod, "a", supple.Fixed(), "end")
    model, ordinary = build(mech), mech.build()
    assert model.nv == ordinary.nv == 16
    found = []
    for system in (model, ordinary):
        q, rest, step = np.zeros(16), np.zeros(16), 1e-30
        K = system.bias_forces(q + 1j * step * np.eye(16), rest).imag.T / step
        found.append(np.sqrt(eigh(K, system.mass_matrix(q), eigvals_only=True)))
    # The weight stiffens neither the same way, but hardly: what is left is the common linear structure.
    assert found[0] == pytest.approx(found[1], rel=1e-3)
    a = model.forward_dynamics(q, rest, rest)
    assert model.hybrid_dynamics(q, rest, rest, {})[0] == pytest.approx(a, rel=1e-12)
    assert model.energy(q, rest)[1] == pytest.approx(float(ordinary.energy(q, rest)[1]), abs=1e-12)


def test_loads_at_wrong_places_are_refused() -> None:
    model = build(arm(1, "free-free", 2))
    q = model.neutral()
    with pytest.raises(StateError, match=r"model 'arm': external: no frame 'l0/tip'"):
        model.bias_forces(q, q, external={"l0/tip": np.ones(6)})
    with pytest.raises(StateError, match=r"external wrench at 'l0/end': expected numbers of shape \(..., 6\)"):
        model.bias_forces(q, q, external={"l0/end": np.ones(3)})
    assert np.array_equal(model.bias_forces(q, q, external={"ground": np.ones(6)}), model.bias_forces(q, q))


def test_unsupported_joints_and_loops_are_refused_by_name() -> None:
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
    mech.add_coupling("b", "a")
    with pytest.raises(ModelError, match=r"'coupling of b to a': .*is a tree, without closed loops"):
        build(mech)
    mech = supple.Mechanism("m")
    mech.add_body("a", body)
    mech.add_body("b", body, "a", at=(1.0, 0.0, 0.0))
    mech.close_loop("shut", "b", "ground", supple.Spherical())
    with pytest.raises(ModelError, match=r"mechanism 'm': 'shut': .*is a tree, without closed loops"):
        build(mech)
    with pytest.raises(ModelError, match="mechanism 'n': expected at least one body, got none"):
        build(supple.Mechanism("n"))
    with pytest.raises(ModelError, match="expected a Mechanism or a Model, got str"):
        build("m")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"mechanism 'arm': modes: no body 'l9'"):
        build(arm(1), modes={"l9": 1})


def test_a_configuration_without_a_minimum_norm_displacement_is_named() -> None:
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
