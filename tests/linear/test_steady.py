"""Steady rotation: where centrifugal forces hold things, modes about it, and what has none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple import erls
from supple.linear import EquilibriumError, modes, steady_rotation
from supple.structures import Circle, Material, beam
from support.mechanisms import rotors

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("speed", [4.0, 9.0, 11.0, 30.0])
def test_an_unbalanced_rotor_bends_and_centres_itself(speed: float) -> None:
    """u = e W^2 / (w^2 - W^2): outward below the critical speed, inward above."""
    found = steady_rotation(rotors.laval(offset=1e-3), {"shaft": speed})
    assert found.q[1:] == pytest.approx([1e-3 * speed**2 / (100.0 - speed**2), 0.0], rel=1e-10, abs=1e-15)
    assert found.v[0] == speed
    assert found.stable
    assert "steady rotation" in str(found)


def test_a_mass_on_a_spring_flies_out() -> None:
    mech = supple.Mechanism("governor", gravity=(0, 0, -9.81))  # along the axis
    mech.add_body("arm", supple.RigidBody(1.0), joint=supple.Revolute("z"))
    mech.add_body("bob", supple.RigidBody(2.0), "arm", supple.Prismatic("x", stiffness=100.0), at=(0.3, 0, 0))
    model = mech.build()
    found = steady_rotation(model, {"arm.angle": 5.0})
    assert found.q == pytest.approx([0.0, 50 * 0.3 / (100 - 50)])
    w = 2 * np.pi * modes(model, spin={"arm": 5.0}).frequencies
    assert w == pytest.approx([np.sqrt(50.0 - 25.0)])
    # With a constant torque the arm turns slower when the bob is further out, which stiffens it.
    r, inertia = 0.6, 2.0 * 0.6**2
    free = modes(model, spin={"arm": 5.0}, prescribed=False)
    assert 2 * np.pi * free.frequencies[-1] == pytest.approx(np.sqrt(25.0 + 4 * 2.0 * 25.0 * r**2 / inertia))
    assert free.rigid.sum() == 1


def test_steady_precession_of_a_gyroscope_and_its_nutation() -> None:
    """Closed forms: J p^2 cos(tilt) - H p + m g L = 0; nutation at hypot(p sin(tilt), H/J - 2 p cos(tilt))."""
    m, length, across, along = 0.3, 0.08, 2e-4, 3.6e-4
    tilt, spin = np.radians(50), 160.0
    pivot, momentum = across + m * length**2, along * spin
    precession = min(np.roots([pivot * np.cos(tilt), -momentum, m * 9.81 * length]))
    rates = {"fork": precession, "top": spin - precession * np.cos(tilt)}
    model = rotors.gyroscope(m, length, across, along)
    found = steady_rotation(model, rates, {"frame.angle": 0.8})
    assert found.q[1] == pytest.approx(tilt, abs=1e-10)
    free = modes(model, {"frame.angle": 0.8}, spin=rates, prescribed=False)
    expected = np.hypot(precession * np.sin(tilt), momentum / pivot - 2 * precession * np.cos(tilt))
    assert 2 * np.pi * free.frequencies[-1] == pytest.approx(expected, rel=1e-9)


def test_steady_rotation_is_that_of_the_motion() -> None:
    """A blade that is bent by an offset mass stays as it is found while it turns."""
    model = rotors.laval((200.0, 350.0), offset=2e-3)
    found = steady_rotation(model, {"shaft": 6.0})
    assert found.q[1] > 1e-4
    motion = supple.simulate(model, 2.0, q=found.q, v=found.v, motion={"shaft.angle": "6*t"}, rtol=1e-10)
    assert np.ptp(motion.q.values[:, 1:], axis=0).max() < 1e-9
    assert motion.q.values[-1, 0] == pytest.approx(12.0)


def test_loops_that_let_a_shaft_turn_are_kept() -> None:
    """A shaft whose far end turns in a bearing, clamped and pinned: 15.41821 sqrt(EI/mL^4)."""
    shaft = beam(1.0, Circle(0.01), Material(E=206e9, nu=0.3, rho=7850.0), 8)
    mech = supple.Mechanism("shaft in bearings", gravity=(0, 0, 0))
    mech.add_body("shaft", shaft.reduce("craig-bampton", modes=6, interfaces=["end"]), joint=supple.Revolute("x"))
    mech.add_frame("far", "ground", (1.0, 0, 0))
    mech.close_loop("bearing", "shaft/end", "ground/far", supple.Spherical())
    found = modes(mech.build(), spin={"shaft": 20.0})
    unit = 0.005 * np.sqrt(206e9 / 7850.0)
    assert 2 * np.pi * found.frequencies[:2] == pytest.approx([15.41821 * unit - 20, 15.41821 * unit + 20], rel=2e-3)


def test_loops_that_move_more_than_the_joint_are_refused() -> None:
    model = supple.files.read(EXAMPLES / "four_bar.toml").model
    with pytest.raises(supple.SuppleError, match=r"spin: 'crank\.angle'.*(turn alone|goes round)"):
        steady_rotation(model, {"crank": 2.0})


def test_gravity_across_the_axis_is_refused_by_name() -> None:
    model = rotors.overhung(gravity=(0, 0, -9.81))
    with pytest.raises(supple.StateError, match=r"spin: 'shaft\.angle': gravity acts across its axis.*gravity=False"):
        modes(model, spin={"shaft": 50.0})
    assert len(modes(model, spin={"shaft": 50.0}, gravity=False)) == 6
    assert len(modes(rotors.overhung(gravity=(-9.81, 0, 0)), spin={"shaft": 50.0})) == 6  # along the axis
    assert len(modes(rotors.overhung(True, (0, 0, -9.81)), spin={"disc": 50.0})) == 6  # the shaft stands


def test_a_rotor_with_sides_on_supports_that_move_is_refused() -> None:
    mech = supple.Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("bearing", supple.RigidBody(0.1), joint=supple.Prismatic("x", stiffness=1e3))
    mech.add_body("rotor", supple.RigidBody(1.0, (0.01, 0, 0), (0.1, 0.2, 0.3)), "bearing", supple.Revolute("z"))
    with pytest.raises(supple.StateError, match=r"spin: 'rotor\.angle': the .*'bearing\.position'.* goes round"):
        steady_rotation(mech.build(), {"rotor": 10.0})


def test_what_nothing_holds_is_named() -> None:
    mech = supple.Mechanism("arm", gravity=(0, 0, 0))
    mech.add_body("arm", supple.RigidBody(1.0), joint=supple.Revolute("z"))
    mech.add_body("bead", supple.RigidBody(2.0), "arm", supple.Prismatic("x"))
    model = mech.build()
    assert not steady_rotation(model, {"arm": 3.0}).stable  # in balance on the axis, but not for long
    with pytest.raises(EquilibriumError, match=r"'arm\.angle' at 3 rad/s.*force of -36 N is left on 'bead\.position'"):
        steady_rotation(model, {"arm": 3.0}, {"bead.position": 2.0})


def test_a_spin_and_speeds_are_not_both_given() -> None:
    with pytest.raises(supple.StateError, match="modes: expected v or spin, got both"):
        modes(rotors.laval(), v={"shaft.angle": 1.0}, spin={"shaft": 1.0})


def test_equivalent_rigid_links_are_refused() -> None:
    with pytest.raises(supple.StateError, match="spin"):
        steady_rotation(erls.build(rotors.overhung()), {"shaft": 1.0})


def test_a_joint_that_carries_nothing_that_moves_is_named() -> None:
    with pytest.raises(
        supple.StateError, match=r"spin: 'arm\.angle': nothing else of model 'pendulum' is left to move"
    ):
        steady_rotation(supple.files.read(EXAMPLES / "pendulum.toml").model, {"arm": 1.0})
