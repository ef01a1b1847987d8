"""Starts in which forces balance: at rest and in steady rotation, with laws, loops and prescribed motions at work."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.linear import EquilibriumError
from supple.model.parameters import symbols_of
from supple.simulation.run_program import run_program
from supple.structures import Material, Rectangle, beam
from support.programs.c_programs import built, motion

ROD = supple.RigidBody(2.0, (0.0, 0.0, -0.5), (0.05, 0.05, 0.01))


def simulator(model: supple.Model, start: str, **options: Any) -> supple.Simulator:
    return supple.Simulator(model, start=start, horizon=supple.Horizon(1.0, 11), **options)


def accelerations(model: supple.Model, start: str, **options: Any) -> np.ndarray[Any, Any]:
    return simulator(model, start, **options).state.a


@cache
def crane() -> supple.Model:
    """A flexible jib that carries a load on a spring."""
    jib = beam(3.0, Rectangle(0.04, 0.06), Material(E=70e9, nu=0.3, rho=2700.0), elements=6)
    mech = supple.Mechanism("crane")
    mech.add_body("jib", jib.reduce("craig-bampton", modes=2, interfaces=["end"]), joint=supple.Revolute("y"))
    mech.add_body("load", supple.RigidBody(20.0), "jib", supple.Prismatic("z", stiffness=500.0), at="end")
    return mech.build()


def test_a_crane_hangs_still_with_its_jib_held_by_a_controller() -> None:
    model, law = crane(), {"jib.angle": supple.PID(0.2, kp=3e4, kd=500.0)}
    before, after = (accelerations(model, x, tau=law) for x in ("given", "equilibrium"))
    assert np.abs(before).max() > 1.0
    assert np.abs(after).max() < 1e-7 * np.abs(before).max()
    run = supple.simulate(model, 1.0, tau=law, start="equilibrium", samples=11)
    moved = np.abs(run.q - run.q[0]).max()
    assert float(moved) < 1e-9
    sag = 0.2 - float(run.q.sel(coordinate="jib.angle")[0])
    assert -0.05 < sag < -0.005  # the controller has no integral, gravity turns the jib down (positive about y)


def test_named_coordinates_stay_and_speeds_are_added() -> None:
    q, v = simulator(crane(), "equilibrium", q={"jib.angle": 0.1}, v={"load.position": 0.3}).start
    assert q[0] == 0.1
    load = crane().coordinates.index("load.position")
    assert q[load] == pytest.approx(-20.0 * 9.81 * np.cos(0.1) / 500.0, rel=0.1)
    assert v.tolist() == [0.3 if name == "load.position" else 0.0 for name in crane().speeds]


def test_what_is_prescribed_stays() -> None:
    q, _ = simulator(crane(), "equilibrium", motion={"jib.angle": "0.3*cos(t)"}).start
    assert q[0] == pytest.approx(0.3)


def test_loops_are_closed() -> None:
    mech = supple.Mechanism("gear")
    mech.add_body("a", ROD, joint=supple.Revolute("y", stiffness=4.0))
    mech.add_body("b", ROD, joint=supple.Revolute("y"), at=(1.0, 0.0, 0.0))
    mech.constrain("gear", supple.Gear("b.angle", "a.angle", 2.0))
    model = mech.build()
    law = {"b.angle": "1.5 + 0.2*a.angle"}
    found = simulator(model, "equilibrium", tau=law)
    q, _ = found.start
    assert q[1] == pytest.approx(2.0 * q[0])
    assert abs(q[0]) > 0.05
    assert np.abs(found.state.a).max() < 1e-8
    # virtual work: -m g l (sin a + 2 sin 2a) - 4 a + 2 (1.5 + 0.2 a) = 0
    a, weight = q[0], 2.0 * 9.81 * 0.5
    assert -weight * (np.sin(a) + 2.0 * np.sin(2.0 * a)) - 4.0 * a + 2.0 * (1.5 + 0.2 * a) == pytest.approx(0, abs=1e-9)


@cache
def governor() -> supple.Model:
    mech = supple.Mechanism("governor", gravity=(0, 0, 0))
    mech.add_body("arm", supple.RigidBody(1.0), joint=supple.Revolute("z"))
    mech.add_body("bob", supple.RigidBody(2.0), "arm", supple.Prismatic("x", stiffness=100.0), at=(0.3, 0, 0))
    return mech.build()


def test_steady_rotation_goes_on() -> None:
    steady, released = (
        supple.simulate(governor(), 2.0, v={"arm.angle": 5.0}, start=start, samples=21).q.sel(coordinate="bob.position")
        for start in ("steady", "given")
    )
    assert np.abs(steady.values - 0.3).max() < 1e-8  # k u = m w^2 (r + u)
    assert np.ptp(released.values) > 0.1


def test_steady_rotation_is_reached_from_rest() -> None:
    """A stiff law far from its set point, centrifugal forces that throw the arm out."""
    mech = supple.Mechanism("turntable")
    mech.add_body("table", supple.RigidBody(10.0, inertia=(1.0, 1.0, 2.0)), joint=supple.Revolute("z"))
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.3), (0.03, 0.03, 0.0)), "table", supple.Revolute("y"))
    law = {"arm.angle": supple.PID(1.1, kp=20.0, kd=2.0)}
    found = simulator(mech.build(), "steady", v={"table.angle": 6.0}, tau=law)
    x = found.start[0][1]  # (m l^2 + Ixx - Izz) w^2 sin cos + kp (set - x) - m g l sin = 0
    assert 0.12 * 36.0 * np.sin(x) * np.cos(x) + 20.0 * (1.1 - x) - 0.3 * 9.81 * np.sin(x) == pytest.approx(
        0, abs=1e-10
    )
    assert np.abs(found.state.a).max() < 1e-9


def test_sampled_controllers_hold_too() -> None:
    law = {"load.position": supple.Sampled(lambda t, q, v: 30.0, rate=50.0), "jib.angle": "-2e4*(jib.angle + 0.1)"}
    assert np.abs(accelerations(crane(), "equilibrium", tau=law)).max() < 1e-6


FILE = """
name = "scales"
[[body]]
name = "pan"
mass = 2.0
inertia = [0.01, 0.01, 0.01]
joint = { type = "prismatic", axis = "z", stiffness = 981.0 }
[simulation]
duration = 1.0
start = "equilibrium"
"""


def test_files_and_their_programs_start_so(tmp_path: Path) -> None:
    file = tmp_path / "scales.toml"
    file.write_text(FILE)
    contents = supple.files.read(file)
    run = supple.simulate(contents.model, **contents.run_arguments())
    assert np.abs(run.q.values + 0.02).max() < 1e-12
    text = run_program(contents.model, contents.run_arguments(), symbols_of(contents.model))
    assert np.abs(motion(built(text, tmp_path))[1][:, 1] + 0.02).max() < 1e-12
    file.write_text(FILE.replace('"equilibrium"', '"equilibrum"'))
    with pytest.raises(supple.FileFormatError, match='start: expected "given", "equilibrium" or "steady"'):
        supple.load(file)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (governor, {"start": "equilibrum"}, r"start: expected one of given, equilibrium, steady, got 'equilibrum'; .*"),
        (governor, {"start": "steady"}, "start: 'steady': expected constant speeds of joints in v, .* got none"),
        (crane, {"start": "steady", "v": {"jib.mode1": 1.0}}, r"and of no modes, got 'jib\.mode1'"),
        (
            governor,
            {"start": "equilibrium", "q": {"arm.angle": 0.0, "bob.position": 0.0}},
            "nothing is left to balance",
        ),
    ],
)
def test_what_cannot_be_is_refused(model: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.Simulator(model(), **options)


def test_what_nothing_holds_is_named() -> None:
    mech = supple.Mechanism("falling")
    mech.add_body("block", supple.RigidBody(1.0), joint=supple.Prismatic("z"))
    with pytest.raises(EquilibriumError, match=r"start: .*nothing holds 'block\.position'.*q names are fixed"):
        supple.simulate(mech.build(), 1.0, start="equilibrium")
