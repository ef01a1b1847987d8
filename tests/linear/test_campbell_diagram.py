"""Campbell diagrams against closed forms: whirl, critical speeds, instability, and modes that cross."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.linear import campbell, campbell_report, modes
from supple.structures import Circle, Material, beam
from support.mechanisms import rotors

SPEEDS = np.linspace(0.0, 20.0, 9)


@pytest.mark.parametrize("model", [rotors.laval(), rotors.laval_in_bearings()], ids=lambda m: m.name)
def test_a_laval_rotor_whirls_at_its_natural_frequency(model: supple.Model) -> None:
    """Forward and backward, in springs that turn as in springs that stand; critical where it turns as fast."""
    joint = "shaft" if "shaft" in model.bodies else "disc"
    found = campbell(model, {joint: SPEEDS}, orders=[1])
    assert found.attrs["frame"] == "fixed"
    assert 2 * np.pi * found.frequency.values == pytest.approx(10.0, rel=1e-9)
    assert sorted(found.whirl.values[1]) == [-1, 1]
    assert sorted(found.whirl.values[-1]) == [-1, 1]
    assert (found.whirl.values[1] == found.whirl.values[-1]).all()  # followed through zero in turning axes
    assert (found.whirl.values[0] == 0).all()
    assert found.critical_speed.values == pytest.approx([10.0, 10.0], rel=1e-6)
    assert sorted(found.critical_whirl.values) == [-1, 1]
    assert np.abs(found.growth.values).max() < 1e-9
    turning = campbell(model, {joint: SPEEDS}, frame="rotating", orders=[1])
    w = np.sort(2 * np.pi * turning.frequency.values, axis=1)
    assert w == pytest.approx(np.stack([np.abs(10.0 - SPEEDS), 10.0 + SPEEDS], axis=1), abs=1e-7)


def test_gyroscopic_forces_split_forward_and_backward_whirl() -> None:
    """A tilting disc: I w^2 -+ Ip W w - k = 0."""
    mech = supple.Mechanism("tilting disc", gravity=(0, 0, 0))
    mech.add_body("ring", supple.RigidBody(0.0), joint=supple.Universal("x", "y", stiffness=12.0))
    mech.add_body("disc", supple.RigidBody(1.0, inertia=(0.03, 0.03, 0.05)), "ring", supple.Revolute("z"))
    speeds = np.array([0.0, 30.0, 60.0])
    found = campbell(mech.build(), {"disc": speeds})
    half, root = 0.05 * speeds / 0.06, np.sqrt((0.05 * speeds / 0.06) ** 2 + 400.0)
    w = np.sort(2 * np.pi * found.frequency.values, axis=1)
    assert w == pytest.approx(np.stack([root - half, root + half], axis=1))
    assert np.take_along_axis(found.whirl.values, np.argsort(found.frequency.values, axis=1), 1)[1:].tolist() == [
        [-1, 1],
        [-1, 1],
    ]


@pytest.mark.parametrize("standing", [False, True])
def test_an_overhung_disc_whirls_as_its_complex_equations_say(standing: bool) -> None:
    """Whether its light shaft turns with it or stands; critical speeds where a root is W or -W."""
    speeds = np.linspace(0.0, 800.0, 17)
    found = campbell(rotors.overhung(standing), {"disc" if standing else "shaft": speeds}, orders=[1])
    assert found.attrs["frame"] == "fixed"
    lateral = (found.whirl.values != 0).any(axis=0)
    assert lateral.sum() == 4
    w = 2 * np.pi * (found.frequency.values * found.whirl.values)[1:, lateral]
    expected = np.array([rotors.overhung_whirl(speed) for speed in speeds[1:]])
    assert np.sort(w, axis=1) == pytest.approx(expected, rel=2e-6)
    assert (np.sign(w) == np.sign(w[0])).all()  # every mode keeps its sense
    for speed, sense in zip(found.critical_speed.values, found.critical_whirl.values, strict=True):
        if sense:
            assert np.abs(rotors.overhung_whirl(speed) - sense * speed).min() < 1e-5 * speed
    assert sorted(found.critical_whirl.values) == [-1, -1, 0, 1]  # torsion has no whirl; the disc outruns its tilt
    assert found.assurance.values.min() > 0.7


def test_damping_of_the_shaft_drives_it_above_its_critical_speed_and_that_of_bearings_does_not() -> None:
    """Growth c / 2m (W/w - 1) for dampers that turn, for small c; decay c / 2m for those that stand."""
    speeds, c = np.array([5.0, 15.0, 25.0]), 0.04
    found = campbell(rotors.laval(damping=c), {"shaft": speeds})
    growth = found.growth.values[found.whirl.values == 1]
    assert growth == pytest.approx(c / 4.0 * (speeds / 10.0 - 1.0), rel=1e-3)
    backward = found.growth.values[found.whirl.values == -1]
    assert backward == pytest.approx(-c / 4.0 * (speeds / 10.0 + 1.0), rel=1e-3)
    assert "unstable: mode" in campbell_report(found)
    steady = campbell(rotors.laval_in_bearings(damping=c), {"disc": speeds})
    assert steady.growth.values == pytest.approx(-c / 4.0, rel=1e-9)
    assert steady.damping.values == pytest.approx(c / 4.0 / 10.0, rel=1e-3)


def test_a_shaft_with_two_stiffnesses_is_unstable_between_its_critical_speeds() -> None:
    """s^4 + (a + b + 2 W^2) s^2 + (a - W^2)(b - W^2) = 0; in fixed axes it whirls with the rotation there."""
    model, speeds = rotors.laval((200.0, 288.0)), np.linspace(8.0, 14.0, 13)
    found = campbell(model, {"shaft": speeds})
    assert found.attrs["frame"] == "rotating"
    a, b, turn = 100.0, 144.0, speeds**2
    middle = (a + b + 2 * turn) / 2
    s2 = -middle + np.sqrt(middle**2 - (a - turn) * (b - turn))
    expected = np.sqrt(np.maximum(s2, 0.0))
    inside = (speeds > 10.0) & (speeds < 12.0)
    assert found.growth.values.max(axis=1) == pytest.approx(expected, abs=1e-7)
    assert (expected[inside] > 0.3).all()
    assert found.frequency.values.min(axis=1)[inside] == pytest.approx(0.0)
    fixed = campbell(model, {"shaft": speeds}, frame="fixed", orders=[1])
    locked = (np.abs(2 * np.pi * fixed.frequency.values - speeds[:, None]) < 1e-9 * speeds[:, None]).any(axis=1)
    assert locked[inside].all()
    assert not locked[~inside & (speeds != 10.0) & (speeds != 12.0)].any()
    forward = np.sort(fixed.critical_speed.values)[[0, -1]]
    assert forward == pytest.approx([10.0, 12.0], rel=1e-5)


def test_anisotropic_bearings_have_orbits_that_are_ellipses() -> None:
    """A rigid round rotor in bearings with two stiffnesses: no whirl without gyroscopic forces."""
    found = campbell(rotors.laval_in_bearings((200.0, 288.0)), {"disc": [0.0, 5.0, 15.0]}, orders=[1])
    assert found.attrs["frame"] == "fixed"
    assert 2 * np.pi * found.frequency.values == pytest.approx(np.tile([10.0, 12.0], (3, 1)))
    assert (found.whirl.values == 0).all()
    assert found.critical_speed.values == pytest.approx([10.0, 12.0])


def test_centrifugal_stiffening_of_a_blade_in_pieces() -> None:
    """Flap of a rotating cantilever in units of sqrt(EI/mL^4), published for spins of 0 to 12; lag is stiff here."""
    model = rotors.blade(6)
    found = campbell(model, {"hub": rotors.BLADE_UNIT * np.array([0.0, 3.0, 6.0, 12.0])}, count=4)
    assert found.attrs["frame"] == "rotating"
    w = 2 * np.pi * found.frequency.values / rotors.BLADE_UNIT
    assert w[:, 0] == pytest.approx([3.51602, 4.79728, 7.36037, 13.17015], rel=0.01)
    # In the plane of rotation the spin softens what the tension stiffens: w^2 falls short of a flap's by W^2.
    lag = w[:, int(np.argmin(np.abs(w[0] - 35.16)))]
    k = (4.79728**2 - 3.51602**2) / 9.0
    assert lag == pytest.approx(np.sqrt(lag[0] ** 2 + (k - 1) * np.array([0.0, 9.0, 36.0, 144.0])), rel=3e-3)
    assert (found.whirl.values[:, 0] == 0).all()


def test_centrifugal_stiffening_within_one_body() -> None:
    """The same flap, of one body with eight modes."""
    found = campbell(rotors.whole_blade(8), {"hub": rotors.BLADE_UNIT * np.array([0.0, 3.0, 6.0, 12.0])}, count=3)
    w = 2 * np.pi * found.frequency.values / rotors.BLADE_UNIT
    assert w[:, 0] == pytest.approx([3.51602, 4.79728, 7.36037, 13.17015], rel=2e-3)
    assert found.growth.values.max() < 1e-6


def test_modes_cross_and_keep_their_names() -> None:
    """A torsional mode and a forward one cross between two speeds that are far apart."""
    shaft = beam(0.5, Circle(0.01), Material(E=206e9, nu=0.3, rho=7850.0), 6)
    mech = supple.Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("shaft", shaft.reduce("craig-bampton", modes=4, interfaces=["end"]), joint=supple.Revolute("x"))
    disc = supple.RigidBody(6.0, inertia=(0.012, 0.03, 0.03))
    mech.add_body("disc", disc, "shaft", supple.Fixed(), at="end")
    found = campbell(mech.build(), {"shaft": np.linspace(0.0, 3000.0, 7)}, count=5)
    f, sense = found.frequency.values, found.whirl.values
    order = np.argsort(f, axis=1)
    assert (order != order[0]).any()  # they cross
    for j in range(5):
        assert len(set(sense[1:, j])) == 1
        assert np.abs(np.diff(f[:, j], 2)).max() < 0.1 * f[:, j].max()  # no jump
    assert found.assurance.values[1:].min() > 0.7


def test_the_dataset_has_names_units_and_the_modes_of_the_state() -> None:
    model = rotors.overhung()
    found = campbell(model, {"shaft.angle": [100.0, 200.0]}, count=3)
    assert dict(found.sizes) == {
        "spin": 2, "joint": 1, "mode": 3, "speed": model.nv, "part": 2, "coordinate": model.nq,
        "critical": found.sizes["critical"],
    }  # fmt: skip
    assert found.spin.attrs["units"] == "rad/s"
    assert found.frequency.attrs["units"] == "Hz"
    assert found.joint.values.tolist() == ["shaft.angle"]
    turning = campbell(model, {"shaft": [100.0, 200.0]}, frame="rotating", count=None)
    here = modes(model, spin={"shaft": 200.0})
    assert np.sort(turning.frequency.values[1]) == pytest.approx(here.frequencies)
    shapes = turning["shape"].values[1, ..., 0] + 1j * turning["shape"].values[1, ..., 1]
    mass = np.einsum("ri,ij,rj->r", shapes.conj(), model.mass_matrix(here.q), shapes)
    assert mass == pytest.approx(1.0)


def test_two_rotors_turn_together() -> None:
    """Two discs on one standing shaft, one of them backward: without spin of its angular momentum there is no split."""
    shaft = beam(0.5, Circle(0.01), Material(E=206e9, nu=0.3, rho=1.0), 4).reduce(
        "craig-bampton", 0, interfaces=["end"]
    )
    mech = supple.Mechanism("counter-rotating", gravity=(0, 0, 0))
    mech.add_body("shaft", shaft, joint=supple.Fixed())
    disc = supple.RigidBody(3.0, inertia=(0.03, 0.015, 0.015))
    mech.add_body("front", disc, "shaft", supple.Revolute("x"), at="end")
    mech.add_body("rear", disc, "shaft", supple.Revolute("x"), at="end")
    model, speeds = mech.build(), np.array([0.0, 100.0, 300.0])
    against = campbell(model, {"front": speeds, "rear": -speeds}, count=2)
    assert np.ptp(against.frequency.values) < 1e-6
    along = campbell(model, {"front": speeds, "rear": speeds}, count=2)
    assert np.diff(np.sort(along.frequency.values[-1])) > 1.0
    assert along.spin_speed.values[:, 1].tolist() == speeds.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frame": "moving"}, "frame: expected one of auto, fixed, rotating, got 'moving'"),
        ({"count": 0}, "count: expected at least 1, got 0"),
        ({"orders": [0]}, r"orders: expected different whole numbers from 1 on, got \[0\]"),
        ({"at": "disk"}, "at: no frame 'disk'; did you mean 'disc'"),
        ({"fixed": ["disc"]}, r"spin: 'shaft\.angle': nothing else of model 'Laval rotor' is left to move"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        campbell(rotors.laval(), {"shaft": [1.0, 2.0]}, **arguments)  # type: ignore[arg-type]


def test_the_report_has_tables_that_fit() -> None:
    text = campbell_report(campbell(rotors.overhung(), {"shaft": np.linspace(0.0, 800.0, 41)}))
    lines = text.splitlines()
    assert lines[0] == "overhung disc: 6 modes over the speed of shaft.angle, Hz"
    assert max(map(len, lines)) <= 80
    assert "critical speeds" in lines
    assert any(line.split()[:1] == ["1/rev"] and "forward" in line for line in lines)
    assert "no critical speeds in this range" in campbell_report(campbell(rotors.laval(), {"shaft": [1.0, 2.0]}))
