"""Closed loops of a model: assembly, speeds that fit, forces, drives, what is said about wrong ones."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from support.mechanisms.closed_mechanisms import bricard, n_four_bar

Z = supple.Revolute("z")


def slider_crank(rod: float = 1.0) -> supple.Mechanism:
    mech = supple.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=Z)
    mech.add_body("rod", supple.RigidBody(2.0, (rod / 2, 0, 0), (0.2, 0.2, 0.2)), "crank", Z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.add_frame("end", "rod", (rod, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", Z)
    return mech


def test_slider_crank_is_assembled_and_moves_as_geometry_says() -> None:
    model = slider_crank().build()
    assert model.loops is not None
    q = model.loops.assemble([0.7, -0.4, 1.0], fixed=["crank.angle"])
    c, s = np.cos(0.7), np.sin(0.7)
    x = 0.3 * c + np.sqrt(1 - (0.3 * s) ** 2)
    np.testing.assert_allclose(q, [0.7, -np.arcsin(0.3 * s) - 0.7, x], atol=1e-11)
    v = model.loops.consistent(q, [2.0, 0.0, 0.0], fixed=["crank.angle"])
    rate = -0.3 * s * 2.0 - 0.09 * s * c * 2.0 / np.sqrt(1 - (0.3 * s) ** 2)
    np.testing.assert_allclose(v[[0, 2]], [2.0, rate], atol=1e-11)


def test_assembly_leaves_a_guess_in_which_all_links_lie_in_line() -> None:
    mech = supple.Mechanism("four-bar")
    for name, parent, at, length in (("a", "ground", 0.0, 0.1), ("b", "a", 0.1, 0.25), ("c", "ground", 0.2, 0.25)):
        body = supple.RigidBody(1.0, (length / 2, 0, 0), (1e-3, 1e-3, 1e-3))
        mech.add_body(name, body, parent, Z, at=(at, 0, 0))
        mech.add_frame("end", name, (length, 0, 0))
    mech.close_loop("pin", "b/end", "c/end", Z)
    loops = mech.build().loops
    assert loops is not None
    q = loops.assemble()
    assert np.abs(loops.errors(q)[0]).max() < 1e-9
    assert abs(np.sin(q[2])) > 0.01
    np.testing.assert_array_equal(loops.assemble(), q)


def test_lagrange_multipliers_give_the_same_accelerations() -> None:
    model = slider_crank().build()
    loops = model.loops
    assert loops is not None
    for seed in range(5):
        rng = np.random.default_rng(seed)
        q = loops.assemble([rng.uniform(-3, 3), 0.0, 1.0], fixed=["crank.angle"])
        v = loops.consistent(q, rng.normal(size=3))
        tau = rng.normal(size=3)
        J, h = loops.jacobian(q), 1e-6
        J_rate = (loops.jacobian(model.integrate(q, v, h)) - loops.jacobian(model.integrate(q, v, -h))) / (2 * h)
        n = len(J)
        K = np.block([[model.mass_matrix(q), -J.T], [J, np.zeros((n, n))]])
        x = np.linalg.solve(K, np.concatenate([tau - model.bias_forces(q, v), -J_rate @ v]))
        np.testing.assert_allclose(model.forward_dynamics(q, v, tau), x[:3], rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(loops.forces(q, v, tau), x[3:], rtol=1e-6, atol=1e-6)


def test_given_accelerations_find_their_drive_force_through_the_loop() -> None:
    model = slider_crank().build()
    loops = model.loops
    assert loops is not None
    q = loops.assemble([0.7, -0.4, 1.0], fixed=["crank.angle"])
    v = loops.consistent(q, [2.0, 0.0, 0.0], fixed=["crank.angle"])
    a, tau = model.hybrid_dynamics(q, v, np.zeros(3), {"crank.angle": 0.0})
    assert a[0] == 0.0
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), a, atol=1e-7)
    np.testing.assert_allclose(loops.drives(q, v, a, ["crank.angle"]), tau, atol=1e-7)
    assert abs(tau[0]) > 1.0


def test_inverse_dynamics_with_more_drives_than_freedoms_is_least_in_size() -> None:
    model = slider_crank().build()
    loops = model.loops
    assert loops is not None
    q = loops.assemble([0.7, -0.4, 1.0], fixed=["crank.angle"])
    v = loops.consistent(q, [2.0, 0.0, 0.0])
    a = model.forward_dynamics(q, v, [1.0, 0.0, 0.0])
    one = loops.drives(q, v, a, ["crank.angle"])
    both = loops.drives(q, v, a, ["crank.angle", "slider.position"])
    for tau in (one, both):
        np.testing.assert_allclose(model.forward_dynamics(q, v, tau), a, atol=1e-7)
    np.testing.assert_allclose(one, [1.0, 0.0, 0.0], atol=1e-8)
    np.testing.assert_array_equal(loops.drives([[q, q]], v, a, ["crank.angle"]), [[one, one]])
    assert np.linalg.norm(both) < np.linalg.norm(one)
    with pytest.raises(supple.StateError, match=r"drives on .* cannot give these accelerations"):
        loops.drives(q, v, a + np.array([0.0, 0.1, 0.0]), ["crank.angle"])


def test_joint_wrenches_balance_every_body() -> None:
    """The slider's joint passes on what is left: weight, inertia and the pin's force."""
    model = slider_crank().build()
    loops = model.loops
    assert loops is not None
    q = loops.assemble([0.7, -0.4, 1.0], fixed=["crank.angle"])
    v = loops.consistent(q, [2.0, 0.0, 0.0])
    a = model.forward_dynamics(q, v, np.zeros(3))
    force = loops.forces(q, v, np.zeros(3))
    F = model.joint_wrenches(q, v, a, constraint_forces=force)
    pin = loops.sweeps.wrenches(q[None], force[None])[0, 3, 3:]
    np.testing.assert_allclose(F[2, 3:] + pin + 3.0 * np.array([0, -9.81, 0]), 3.0 * np.array([a[2], 0, 0]), atol=1e-8)
    with pytest.raises(supple.StateError, match="expected the forces of its constraints"):
        model.joint_wrenches(q, v, a)


def test_conditions_that_repeat_others_are_named() -> None:
    loops = n_four_bar(2).loops
    assert loops is not None
    assert loops.redundant() == [
        "3 conditions of 'loop1' fulfilled whatever the joints do",
        "3 conditions of 'loop2' fulfilled whatever the joints do",
    ]
    mech = slider_crank()
    mech.close_loop("second pin", "rod/end", "slider", Z)
    twice = mech.build().loops
    assert twice is not None
    assert "2 conditions of 'second pin' repeating 'pin'" in twice.redundant(twice.assemble([0.7, -0.4, 1.0]))


def test_repeated_conditions_share_their_forces_and_change_no_motion() -> None:
    mech = slider_crank()
    once = mech.build()
    mech.close_loop("second pin", "rod/end", "slider", Z)
    twice = mech.build()
    assert once.loops is not None
    assert twice.loops is not None
    q = once.loops.assemble([0.7, -0.4, 1.0], fixed=["crank.angle"])
    v = once.loops.consistent(q, [2.0, 0.0, 0.0])
    a = once.forward_dynamics(q, v, np.zeros(3))
    np.testing.assert_allclose(twice.forward_dynamics(q, v, np.zeros(3)), a, rtol=1e-7)
    one, two = once.loops.forces(q, v, np.zeros(3)), twice.loops.forces(q, v, np.zeros(3))
    np.testing.assert_allclose(two, np.concatenate([one, one]) / 2, rtol=1e-5)


def test_compiled_dynamics_of_closed_loops() -> None:
    for model in (slider_crank().build(), bricard()):
        loops = model.loops
        assert loops is not None
        q = loops.assemble(model.neutral())
        v = loops.consistent(q, np.random.default_rng(1).normal(size=model.nv))
        tau = np.random.default_rng(2).normal(size=model.nv)
        expected = model.forward_dynamics(q, v, tau)
        found = model.compile("forward_dynamics")(q, v, tau)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_loops_that_cannot_be_closed_say_by_how_much() -> None:
    model = slider_crank().build()
    assert model.loops is not None
    with pytest.raises(
        supple.AssemblyError, match=r"cannot be assembled from this guess: 'pin': position off by 2\.98"
    ):
        model.loops.assemble([0.7, 0.0, 5.0], fixed=["crank.angle", "slider.position"])
    q = model.loops.assemble([0.7, -0.4, 1.0])
    with pytest.raises(supple.AssemblyError, match=r"constraint 'pin': the speeds .* contradict it"):
        model.loops.consistent(q, [1.0, 0.0, 5.0], fixed=["crank.angle", "slider.position"])
    mech = slider_crank()
    mech.add_frame("aside", "slider", (0, 0, 0.1))
    mech.close_loop("other", "rod/end", "slider/aside", Z)
    with pytest.raises(supple.AssemblyError, match=r"'other': position is off by 0.1 .* no joint can change it"):
        mech.build()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.close_loop("x", "rod/tip", "slider", Z), r"constraint 'x': no frame 'rod/tip'"),
        (lambda m: m.close_loop("pin", "rod/end", "slider", Z), r"there is a constraint of this name already"),
        (lambda m: m.close_loop("x", "rod/end", "rod", Z), r"expected frames on two bodies, got both on 'rod'"),
        (
            lambda m: m.close_loop("x", "rod/end", "slider", supple.Revolute("z", stiffness=1.0)),
            r"stiffness: expected none",
        ),
        (lambda m: m.close_loop("x", "rod/end", "slider", "z"), r"expected a joint such as"),
        (lambda m: m.constrain("x", supple.Distance("rod/end", "ground", 0.0)), r"length: expected more than zero"),
        (lambda m: m.constrain("x", supple.Rolling("ground", "rod/end", -1.0)), r"radius: expected more than zero"),
        (lambda m: m.constrain("x", Z), r"expected a constraint such as Distance"),
    ],
)
def test_wrong_constraints_are_named(change: object, message: str) -> None:
    with pytest.raises(supple.ModelError, match=message):
        change(slider_crank())  # type: ignore[operator]


def test_gears_name_coordinates_that_are_there() -> None:
    mech = slider_crank()
    mech.constrain("gear", supple.Gear("crank.angle", "rod.angel"))
    with pytest.raises(
        supple.ModelError, match=r"constraint 'gear': no coordinate 'rod.angel'; did you mean 'rod.angle'"
    ):
        mech.build()


@cache
def yoke() -> supple.Model:
    mech = supple.Mechanism("yoke", gravity=(0, 0, 0))
    mech.add_body("arm", supple.RigidBody(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)), joint=supple.Revolute("y"))
    mech.add_frame("end", "arm", (1, 0, 0))
    mech.add_body("slider", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    mech.constrain("slot", supple.PointOnLine("slider", "arm/end", axis="z"))
    return mech.build()


@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_rounding_is_not_taken_for_a_lever(angle: float) -> None:
    """At its dead point the slider stands whatever the arm does, whether sin(angle) is zero or 1e-16."""
    loops = yoke().loops
    assert loops is not None
    q = [angle, np.cos(angle)]
    np.testing.assert_allclose(loops.consistent(q, [3.0, 0.0], fixed=["slider.position"]), [3.0, 0.0], atol=1e-9)
    with pytest.raises(supple.AssemblyError, match=r"'slot': the speeds slider\.position contradict it"):
        loops.consistent(q, [3.0, 1.0], fixed=["slider.position"])


def test_frames_half_a_turn_apart_are_not_closed() -> None:
    body = supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1))
    mech = supple.Mechanism("held")
    mech.add_body("box", body, joint=supple.Free())
    mech.close_loop("weld", "ground", "box", supple.Fixed())
    loops = mech.build().loops
    assert loops is not None
    q = loops.assemble([0.1, 0, 0, np.sin(0.3), 0, 0, np.cos(0.3)])
    np.testing.assert_allclose(q, [0, 0, 0, 0, 0, 0, 1], atol=1e-9)
    with pytest.raises(supple.AssemblyError, match="'weld': frames are half a turn apart"):
        loops.assemble([0.1, 0, 0, np.sin(1.5), 0, 0, np.cos(1.5)])

    guided = supple.Mechanism("guided")
    guided.add_body("box", body, joint=supple.Prismatic("x"))
    guided.add_frame("back", "box", rotation=np.diag([1.0, -1.0, -1.0]))
    guided.close_loop("weld", "ground", "box/back", supple.Fixed())
    with pytest.raises(supple.AssemblyError, match="'weld': its frames are half a turn apart, and no joint"):
        guided.build()


def test_a_singular_posture_is_seen_alone() -> None:
    """A parallelogram laid flat, with nothing beside it to compare."""
    loops = n_four_bar(1).loops
    assert loops is not None
    flat = np.array([-np.pi / 2, np.pi / 2, -np.pi / 2])
    assert loops.margins(flat)[0][0] < 1e-12
    assert loops.singular_configurations([0.0], [flat]) == [(0.0, "loop1")]
    assert loops.margins([-1.0, 1.0, -1.0])[0][0] > 1e-2


def test_a_guess_without_a_direction_is_left() -> None:
    mech = supple.Mechanism("tethered")
    mech.add_body("ball", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Free())
    mech.constrain("rope", supple.Distance("ground", "ball", 0.5))
    loops = mech.build().loops
    assert loops is not None
    assert np.linalg.norm(loops.assemble()[:3]) == pytest.approx(0.5)


@cache
def door(apart: float) -> supple.Model:
    """Held by two balls on its axis, which take its weight's moment: one of six conditions repeats the others."""
    mech = supple.Mechanism("door", gravity=(0, -9.81, -9.81))
    door = supple.RigidBody(10.0, (0.5, 0, 0), (0.1, 1.0, 1.0))
    mech.add_body("door", door, joint=supple.Free())
    for name, y in (("low", -apart / 2), ("high", apart / 2)):
        mech.add_frame(name, "door", (0, y, 0))
        mech.add_frame(name, "ground", (0, y, 0))
        mech.close_loop(name, f"ground/{name}", f"door/{name}", supple.Spherical())
    return mech.build()


def test_hinges_close_together_hold_a_door() -> None:
    """A centimetre apart they do; thirty micrometres are beyond what the regularization lets through."""
    model = door(1e-2)
    a = model.forward_dynamics(model.neutral(), np.zeros(6), np.zeros(6))
    about_y = 10.0 * 9.81 * 0.5 / (1.0 + 10.0 * 0.25)
    np.testing.assert_allclose(a, [0, about_y, 0, 0, 0, 0], atol=1e-7)
    with pytest.raises(supple.SimulationError, match=r"constraint '(low|high)': position is off by"):
        supple.simulate(door(3e-5), 1.0)
