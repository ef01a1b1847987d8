"""Motions of closed loops: drift, prescribed motion, rolling, gears, flexible members, what is refused."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import structures
from supple.stepping import native_loop
from support.cases import thinned
from support.mechanisms.closed_mechanisms import n_four_bar

Z = supple.Revolute("z")


def test_drift_over_a_minute() -> None:
    motion = supple.simulate(n_four_bar(1), 60.0, v={"rod0.angle": -1.0}, samples=301)
    assert abs(motion.constraint_error).max() < 1e-10
    assert abs(motion.constraint_rate).max() < 1e-9
    kinetic, potential = motion.kinetic_energy.values, motion.potential_energy.values
    # Through the flat configuration, where it has a choice, a hundred times: each costs energy, how much is rounding.
    assert np.ptp(kinetic + potential) < 3e-6 * np.ptp(kinetic)


@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "Radau", "rk4"])
def test_integrators_agree(integrator: str) -> None:
    """Up to 0.7 s: beyond, at the flat configuration, whether Radau gets through is a matter of rounding."""
    settings: dict[str, object] = {"step": 1e-3} if integrator == "rk4" else {"rtol": 1e-9, "atol": 1e-11}
    model = n_four_bar(1)
    motion = supple.simulate(model, 0.7, v={"rod0.angle": -1.0}, integrator=integrator, samples=11, **settings)  # type: ignore[arg-type]
    best = supple.simulate(model, 0.7, v={"rod0.angle": -1.0}, rtol=1e-11, atol=1e-13, samples=11)
    np.testing.assert_allclose(motion.q, best.q, atol=1e-6)


@cache
def trammel() -> supple.Model:
    """Two sliders of one mass across each other, kept 1 m apart: x = cos, y = sin of an angle that grows evenly."""
    mech = supple.Mechanism("trammel", gravity=(0, 0, 0))
    for axis in "xy":
        mech.add_body(axis, supple.RigidBody(1.0), joint=supple.Prismatic(axis))
    mech.constrain("rod", supple.Distance("x", "y", 1.0))
    return mech.build()


@pytest.mark.parametrize("integrator", thinned(["DOP853", "RK45"], ["DOP853"]))
def test_independent_coordinates_are_chosen_anew(integrator: str) -> None:
    """Neither slider can stand for both: each has two dead points in a turn."""
    model, rate = trammel(), 2.0
    motion = supple.simulate(
        model,
        5.0,
        {"x.position": 0.6, "y.position": 0.8},
        {"x.position": -0.8 * rate},
        loops="independent",
        integrator=integrator,
        rtol=1e-10,
        atol=1e-12,
        samples=501,
    )
    angle = np.arctan2(0.8, 0.6) + rate * motion.time.values
    np.testing.assert_allclose(motion.q, np.stack([np.cos(angle), np.sin(angle)], axis=1), atol=1e-7)
    assert abs(motion.constraint_error).max() < 1e-12
    choices = [names for _, names in json.loads(motion.attrs["independent"])]
    assert choices[:3] == [["x.position"], ["y.position"], ["x.position"]]
    assert 6 <= len(choices) <= 7, "four dead points in a turn, but for the one it starts away from"


def test_independent_coordinates_move_as_all_do_in_a_redundant_mechanism() -> None:
    """Up to the flat configuration, which independent coordinates pass or do not as rounding has it."""
    model = n_four_bar(2)
    runs = [
        supple.simulate(model, 0.7, v={"rod0.angle": -1.0}, rtol=1e-10, loops=loops)
        for loops in ("projection", "independent")
    ]
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-7)
    with pytest.raises(supple.StateError, match="loops: expected one of projection, independent, got 'indepndent'"):
        supple.simulate(model, 1.0, loops="indepndent")
    mech = supple.Mechanism("pendulum")
    mech.add_body("bob", supple.RigidBody(1.0, (1.0, 0.0, 0.0)))
    with pytest.raises(supple.StateError, match=r"loops: model .* has no closed loops, got 'independent'"):
        supple.simulate(mech.build(), 1.0, loops="independent")


def test_a_ball_rolls_down_a_plane() -> None:
    """5/7 of the component of gravity along the plane."""
    mech = supple.Mechanism("ball", gravity=(9.81 * 0.5, 0, -9.81 * np.sqrt(0.75)))
    mech.add_body("ball", supple.RigidBody(2.0, inertia=(0.4 * 2.0 * 0.04,) * 3), joint=supple.Free(), at=(0, 0, 0.2))
    mech.constrain("plane", supple.Rolling("ground", "ball", 0.2))
    motion = supple.simulate(mech.build(), 1.0, samples=5)
    np.testing.assert_allclose(
        motion.q.sel(coordinate="ball.x"), 0.5 * (5 / 7) * 9.81 * 0.5 * motion.time**2, atol=1e-8
    )


def test_a_wheel_keeps_its_energy_while_it_wobbles() -> None:
    mech = supple.Mechanism("coin")
    coin = supple.RigidBody(1.0, inertia=(0.0025, 0.005, 0.0025))
    mech.add_body("coin", coin, joint=supple.Free(), at=(0, 0, 0.1))
    mech.constrain("table", supple.Rolling("ground", "coin", 0.1, axis="y"))
    v = {"coin.wy": 12.0, "coin.wx": 0.5, "coin.wz": 1.0}
    motion = supple.simulate(mech.build(), 2.0, v=v, rtol=1e-9, samples=101)
    energy = motion.kinetic_energy.values + motion.potential_energy.values
    assert np.ptp(energy) < 1e-7 * energy[0]
    assert np.ptp(motion.potential_energy.values) > 1e-3
    assert abs(motion.constraint_error).max() < 1e-10


def test_gears_turn_together() -> None:
    mech = supple.Mechanism("gears", gravity=(0, 0, 0))
    for name, moment in (("small", 0.1), ("large", 0.8)):
        mech.add_body(name, supple.RigidBody(1.0, inertia=(moment,) * 3), joint=Z)
    mech.constrain("teeth", supple.Gear("large.angle", "small.angle", -0.5))
    motion = supple.simulate(mech.build(), 1.0, tau={"small.angle": 0.6}, samples=5)
    np.testing.assert_allclose(motion.q[:, 0], 0.5 * 0.6 / (0.1 + 0.8 / 4) * motion.time**2, atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 1], -0.5 * motion.q[:, 0], atol=1e-12)


def flexible_slider_crank() -> supple.Mechanism:
    soft = structures.Material(E=2e9, nu=0.3, rho=7800)
    beam = structures.beam(1.0, structures.Rectangle(0.02, 0.02), soft, elements=8)
    mech = supple.Mechanism("flexible slider-crank", gravity=(0, -9.81, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.05, 0.05, 0.05)), joint=Z)
    rod = beam.reduce("craig-bampton", modes=3, interfaces=["end"])
    mech.add_body("rod", rod, "crank", Z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(1.0), joint=supple.Prismatic("x"), at=(1.3, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", Z)
    return mech


def test_flexible_slider_crank_balances_its_energy() -> None:
    model = flexible_slider_crank().build()
    motion = supple.simulate(model, 0.3, v={"crank.angle": 5.0}, tau={"crank.angle": 2.0}, rtol=1e-9, samples=61)
    energy = motion.kinetic_energy + motion.potential_energy - motion.work
    assert float(np.ptp(energy.values)) < 1e-6 * float(motion.kinetic_energy.max())
    assert abs(motion.constraint_error).max() < 1e-10
    bent = abs(motion.q.sel(coordinate=[c for c in model.coordinates if "mode" in c])).max()
    assert bent > 1e-4


def test_flexible_four_bar_balances_its_energy() -> None:
    soft = structures.Material(E=2e9, nu=0.3, rho=7800)
    beam = structures.beam(1.0, structures.Rectangle(0.02, 0.02), soft, elements=6)
    link = beam.reduce("craig-bampton", modes=2, interfaces=["end"])
    mech = supple.Mechanism("flexible four-bar", gravity=(0, -9.81, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.05, 0.05, 0.05)), joint=Z)
    mech.add_body("coupler", link, "crank", Z, at=(0.3, 0, 0))
    mech.add_body("rocker", supple.RigidBody(1.0, (0, 0.4, 0), (0.1, 0.1, 0.1)), joint=Z, at=(1.0, 0, 0))
    mech.add_frame("end", "rocker", (0, 0.8, 0))
    mech.close_loop("pin", "coupler/end", "rocker/end", Z)
    motion = supple.simulate(mech.build(), 0.3, {"crank.angle": 0.5}, {"crank.angle": 4.0}, rtol=1e-9, samples=31)
    energy = (motion.kinetic_energy + motion.potential_energy).values
    assert np.ptp(energy) < 1e-6 * float(motion.kinetic_energy.max())
    assert np.ptp(motion.kinetic_energy.values) > 0.1
    assert abs(motion.constraint_error).max() < 1e-10


def test_singular_postures_of_a_motion_are_named() -> None:
    model = n_four_bar(1)
    motion = supple.simulate(model, 2.0, v={"rod0.angle": -1.0}, samples=401)
    assert model.loops is not None
    level = np.abs(np.cos(motion.q.values[:, 0]))
    found = model.loops.singular_configurations(motion.time.values, motion.q.values)
    assert len(found) >= 2
    assert {name for _, name in found} == {"loop1"}
    assert max(level[round(t / 0.005)] for t, _ in found) < 0.05
    assert float(motion.constraint_margin.max()) > 0.1


def test_the_cut_loop_with_the_closure_force_moves_alike() -> None:
    model = flexible_slider_crank().build()
    loops = model.loops
    assert loops is not None
    motion = supple.simulate(model, 0.2, v={"crank.angle": 5.0}, rtol=1e-9, samples=21)
    cut = flexible_slider_crank()
    cut.constraints.clear()
    tree = cut.build()
    for i in (5, 20):
        q, v = motion.q.values[i], motion.v.values[i]
        tau = loops.jacobian(q).T @ loops.forces(q, v, np.zeros(model.nv))
        scale = np.abs(motion.a.values[i]).max()
        np.testing.assert_allclose(tree.forward_dynamics(q, v, tau), motion.a.values[i], atol=1e-5 * scale)


def test_prescribed_motion_through_a_loop_finds_its_torque() -> None:
    mech = supple.Mechanism("slider-crank", gravity=(0, 0, 0))
    mech.add_body("crank", supple.RigidBody(0.0), joint=Z)
    mech.add_body("rod", supple.RigidBody(1e-9, (0.5, 0, 0), (1e-9, 1e-9, 1e-9)), "crank", Z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"), at=(1.3, 0, 0))
    mech.add_frame("end", "rod", (1.0, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", Z)
    motion = supple.simulate(mech.build(), 1.0, motion={"crank.angle": "2*t"}, samples=21, rtol=1e-9)
    x, v, a = (motion[key].values[:, 2] for key in ("q", "v", "a"))
    power = 3.0 * a * v
    np.testing.assert_allclose(motion.tau.values[:, 0] * 2.0, power, atol=1e-5)
    assert np.abs(power).max() > 0.5
    np.testing.assert_allclose(
        x + 1.3, 0.3 * np.cos(2 * motion.time) + np.sqrt(1 - (0.3 * np.sin(2 * motion.time)) ** 2), atol=1e-8
    )


def test_contradictory_motions_are_refused() -> None:
    with pytest.raises(supple.AssemblyError, match=r"constraint 'loop1': the speeds .* contradict it"):
        supple.simulate(n_four_bar(1), 0.1, motion={"rod0.angle": "2*t", "rod1.angle": "0.5*t"})


def test_methods_without_closures_are_refused() -> None:
    with pytest.raises(supple.StateError, match="has closed loops, which generalized_alpha does not take"):
        supple.simulate(n_four_bar(1), 1.0, integrator="generalized_alpha", step=1e-3)


def test_closed_loops_in_files(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    mech = supple.Mechanism("all kinds")
    for i in range(6):
        mech.add_body(f"b{i}", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.Free(), at=(i, 0, 1.0))
    mech.add_body("wheel", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=Z)
    mech.add_body("other", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=Z)
    mech.close_loop("loop", "b0", "b1", supple.Cylindrical((1, 1, 0)))
    mech.constrain("rod", supple.Distance("b1", "b2", 1.5))
    mech.constrain("line", supple.PointOnLine("b2", "b3", "y"))
    mech.constrain("plane", supple.PointOnPlane("b3", "b4", (0, 1, 1), 0.2))
    mech.constrain("ball", supple.Rolling("ground", "b5", 0.5))
    mech.constrain("coin", supple.Rolling("ground", "b4", 0.5, axis="x"))
    mech.constrain("gear", supple.Gear("wheel.angle", "other.angle", 2.0, 0.1))
    model = mech.build()
    supple.save(model, path)
    assert supple.load(path) == model
    text = path.read_text()
    path.write_text(text.replace('type = "distance"', 'type = "distanse"'))
    with pytest.raises(supple.FileFormatError, match=r"constraint\[1\] 'rod': type: expected one of .* got 'distanse'"):
        supple.load(path)
    path.write_text(text.replace('second = "b2"', 'second = "b22"'))
    with pytest.raises(supple.FileFormatError, match=r"constraint\[1\] 'rod': no frame 'b22'; did you mean"):
        supple.load(path)


def test_a_frame_is_led_by_a_carrier_without_mass() -> None:
    """The pin of a rod follows its path, and the carrier's joints give the forces that this takes."""
    mech = supple.Mechanism("led rod")
    mech.add_body("across", supple.RigidBody(0.0), joint=supple.Prismatic("x"))
    mech.add_body("carrier", supple.RigidBody(0.0), "across", supple.Prismatic("z"))
    mech.add_body("rod", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Free())
    mech.add_frame("pin", "rod", (0, 0, 0.5))
    mech.close_loop("pin", "carrier", "rod/pin", supple.Revolute("y"))
    model = mech.build()
    path = {"across.position": "0.1*sin(8*t)", "carrier.position": "0.05*cos(3*t) - 0.05"}
    motion = supple.simulate(model, 1.0, guess={"rod.z": -0.5}, motion=path, rtol=1e-9, atol=1e-11)
    t = motion.time.values
    _, pin = model.pose(motion.q.values, "rod/pin")
    np.testing.assert_allclose(
        pin, np.stack([0.1 * np.sin(8 * t), 0 * t, 0.05 * np.cos(3 * t) - 0.05], axis=1), atol=1e-10
    )
    energy = motion.kinetic_energy + motion.potential_energy
    np.testing.assert_allclose(energy - energy[0], motion.work, atol=1e-7)
    assert np.ptp(energy.values) > 0.1
    lift = motion.constraint_force.sel(condition=motion.condition.str.contains("position"))
    np.testing.assert_allclose(motion.tau.sel(speed="carrier.position"), lift.values[:, -1], atol=1e-6)


@pytest.mark.parametrize("left", [1e-9, 0.02, 0.1, 0.3, 0.5, 0.8, 1.2, 1.46])
def test_steps_keep_their_stages_away_from_a_singular_posture(left: float) -> None:
    """The step that passes it, at once or after one that stops short of it."""
    h = native_loop.astride.py_func(1.0, left)  # type: ignore[attr-defined]
    assert 0.1 <= h <= 1.0
    if h < left:
        left -= h
        h = native_loop.astride.py_func(1.0, left)  # type: ignore[attr-defined]
        assert h >= left
    stages = native_loop.tableau()[1][1:13]
    assert np.abs(stages * h - left).min() >= 0.02 * h


@pytest.mark.parametrize("integrator", ["DOP853", "rk4"])
def test_motions_that_contradict_the_loops_are_named(integrator: str) -> None:
    """Place and speed fit at the start; then the slider does not let the crank go on."""
    model = trammel()
    settings = {"step": 1e-2} if integrator == "rk4" else {}
    with pytest.raises(supple.SimulationError) as caught:
        supple.simulate(
            model,
            1.0,
            {"x.position": 0.6, "y.position": 0.8},
            motion={"x.position": "0.6 + 0.5*t*t", "y.position": 0.8},
            integrator=integrator,
            **settings,  # type: ignore[arg-type]
        )
    assert "'rod': distance is off by" in str(caught.value)
    assert "the prescribed motions of x.position, y.position contradict it" in str(caught.value)


@pytest.mark.parametrize("name", ["semi_implicit_euler", "leapfrog", "rk4"])
def test_fixed_steps_close_the_loops_whatever_is_asked_for(name: str) -> None:
    """The motion does not depend on the number of output times."""
    few, many = (
        supple.simulate(
            trammel(),
            2.0,
            {"x.position": 0.6, "y.position": 0.8},
            {"x.position": -1.6},
            integrator=name,
            step=1e-3,
            samples=samples,
        )
        for samples in (2, 201)
    )
    assert abs(few.constraint_error).max() < 1e-9
    np.testing.assert_allclose(few.q[-1], many.q[-1], atol=1e-9)
    assert abs(few.kinetic_energy[-1] - few.kinetic_energy[0]) < 0.02 * few.kinetic_energy[0]
