"""Round elastic rotors on supports that stand: the same as on supports that turn, and as Floquet's theory has it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg

import supple
from supple.linear import campbell, linear_equations, modes
from supple.linear.round_rotors import rotation_generator
from supple.structures import Circle, Material, Rectangle, Section, beam

Floats = NDArray[np.float64]
SPEEDS = np.array([0.0, 100.0, 300.0, 600.0])


def rotor(
    stiffness: tuple[float, float],
    *,
    order: str = "stands",
    damping: float = 0.0,
    section: Section | Circle | Rectangle | None = None,
    gravity: tuple[float, float, float] = (0, 0, 0),
) -> supple.Model:
    """A shaft with a disc at its end on a bearing that gives; the bearing stands, or turns with the shaft."""
    steel = Material(E=206e9, nu=0.3, rho=7850.0)
    shaft = beam(0.5, section or Circle(0.012), steel, 4).reduce("craig-bampton", 2, interfaces=["end"])
    spring = supple.BuildingBlock(translations=["y", "z"], stiffness=list(stiffness), damping=damping)
    mech = supple.Mechanism("rotor", gravity=gravity)
    if order == "turns":
        mech.add_body("motor", supple.RigidBody(0.0), joint=supple.Revolute("x"))
    mech.add_body("bearing", supple.RigidBody(0.5), "motor" if order == "turns" else "ground", spring)
    mech.add_body("shaft", shaft, "bearing", supple.Fixed() if order == "turns" else supple.Revolute("x"))
    mech.add_body("disc", supple.RigidBody(6.0, inertia=(0.06, 0.03, 0.03)), "shaft", supple.Fixed(), at="end")
    return mech.build()


def test_springs_may_stand_or_turn_if_they_are_equal() -> None:
    standing = campbell(rotor((2e5, 2e5)), {"shaft": SPEEDS}, count=6)
    turning = campbell(rotor((2e5, 2e5), order="turns"), {"motor": SPEEDS}, count=6)
    assert standing.attrs["frame"] == turning.attrs["frame"] == "fixed"
    assert standing.frequency.values == pytest.approx(turning.frequency.values, rel=1e-6)
    assert (standing.whirl.values == turning.whirl.values).all()
    assert np.ptp(standing.frequency.values, axis=0).max() > 1.0


@pytest.mark.parametrize("damping", [0.0, 60.0])
def test_exponents_are_those_of_floquet(damping: float) -> None:
    """Bearings with two stiffnesses: the motion over one turn, of equations that change with the angle."""
    model, speed, count = rotor((2e5, 5e5), damping=damping), 60.0, 240
    found = modes(model, spin={"shaft": speed})
    n, period = len(found), 2 * np.pi / speed
    monodromy = np.eye(2 * n)
    v = np.where(np.arange(model.nv) == model.speed_index("shaft.angle"), speed, 0.0)
    for i in range(count):
        q = model.neutral() + np.eye(model.nq)[model.coordinate_index("shaft.angle")] * 2 * np.pi * (i + 0.5) / count
        e = linear_equations(model, q, v, fixed=["shaft"])
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(e.M, np.hstack([e.K, e.C]))]])
        monodromy = linalg.expm(A * period / count) @ monodromy
    slow = np.abs(found.eigenvalues) < 1500.0  # steps of the integration resolve these
    assert slow.sum() >= 5
    multipliers = linalg.eigvals(monodromy)
    for value in found.eigenvalues[slow]:
        assert np.abs(multipliers - np.exp(value * period)).min() < 5e-3


def test_rotors_that_are_not_round_are_refused_on_bearings_that_are_not() -> None:
    flat = Rectangle(0.02, 0.024)
    with pytest.raises(supple.StateError, match=r"spin: 'shaft\.angle': the .* goes round"):
        modes(rotor((2e5, 3e5), section=flat), spin={"shaft": 100.0})
    assert len(modes(rotor((2e5, 2e5), section=flat, order="turns"), spin={"motor": 100.0}))


def test_gravity_is_named_where_it_is_the_reason() -> None:
    with pytest.raises(supple.StateError, match=r"spin: 'shaft\.angle': gravity acts across its axis"):
        modes(rotor((2e5, 3e5), gravity=(0, 0, -9.81)), spin={"shaft": 100.0})


def test_the_generator_turns_pairs_of_shapes() -> None:
    """Twice a right angle is the opposite of bending, and nothing for torsion and stretching."""
    e = linear_equations(rotor((2e5, 3e5)), v={"shaft.angle": 10.0}, fixed=["shaft"])
    generator = rotation_generator(e, e.model.speed_index("shaft.angle"))
    assert generator is not None
    assert not generator[:2].any()  # of the bearing
    values = np.sort(np.linalg.eigvals(generator[2:, 2:]).imag)
    turned = int((np.abs(values) > 0.5).sum())
    assert values[np.abs(values) > 0.5] == pytest.approx(np.repeat([-1.0, 1.0], turned // 2))
    assert 0 < turned < len(values)
