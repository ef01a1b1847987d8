"""Assembly: shapes of flexible bodies are kept, and neither size nor distance matters."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple
from supple.structures import Circle, Material, Rectangle, beam

Z = supple.Revolute("z")
STEEL = Material(E=2.1e11, nu=0.3, rho=7850.0)


def slider_crank(rod: object, unit: float = 1.0, crank: float = 0.44, length: float = 1.4) -> supple.Model:
    """In lengths of `unit` m, of one density; the slider's joint is at the end of the crank."""
    mech = supple.Mechanism("slider-crank", gravity=(0, 0, 0))
    mass = 2.0 * unit**3
    moment = mass * (crank * unit) ** 2 / 12
    body = supple.RigidBody(mass, (crank * unit / 2, 0, 0), (moment, moment, moment))
    mech.add_body("crank", body, joint=Z)
    mech.add_body("rod", rod, "crank", Z, at=(crank * unit, 0, 0))  # type: ignore[arg-type]
    mech.add_body("slider", supple.RigidBody(9.0 * unit**3), joint=supple.Prismatic("x"), at=(crank * unit, 0, 0))
    if isinstance(rod, supple.RigidBody):
        mech.add_frame("end", "rod", (length * unit, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", Z)
    return mech.build()


def rigid_rod(unit: float = 1.0) -> supple.RigidBody:
    return supple.RigidBody(2.0 * unit**3, (0.7 * unit, 0, 0), np.full(3, 0.3 * unit**5))


@pytest.mark.parametrize("basis", ["cantilever", "craig-bampton", "nodal"])
def test_a_flexible_rod_is_not_squashed(basis: str) -> None:
    """From a guess at which the joints first lead nowhere: the rod is as long as the rigid one, and nobody warns."""
    body = beam(1.4, Rectangle(0.05, 0.05), STEEL, 6).reduce(basis, modes=None if basis == "nodal" else 3)
    model, rigid = slider_crank(body), slider_crank(rigid_rod())
    assert model.loops is not None
    assert rigid.loops is not None
    guess = model.neutral()
    guess[0] = 0.6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q = model.loops.assemble(guess, ["crank.angle"])
    assert model.energy(q, np.zeros(model.nv))[1] == 0.0
    angle = np.arcsin(0.44 * np.sin(0.6) / 1.4)
    slider = [0.44 * np.cos(0.6) + sign * 1.4 * np.cos(angle) - 0.44 for sign in (1, -1)]
    found = [q[-1], rigid.loops.assemble([0.6, 0.0, 0.0], ["crank.angle"])[-1]]
    assert min(abs(np.subtract(slider, found[0]))) < 1e-11
    assert min(abs(np.subtract(slider, found[1]))) < 1e-11


def test_strain_that_is_needed_is_least_and_said() -> None:
    """A rod on a hinge, its end fastened 0.8 mm beyond its reach: stretched, E A d^2 / (2 L), and not bent."""
    section = Circle(0.01)
    mech = supple.Mechanism("strut", gravity=(0, 0, 0))
    mech.add_body("rod", beam(1.0, section, STEEL, 8).reduce("nodal"), joint=supple.Revolute("y"))
    mech.add_frame("eye", "ground", (0.6, 0, -0.801))
    mech.close_loop("pin", "ground/eye", "rod/end", supple.Spherical())
    model = mech.build()
    assert model.loops is not None
    energy = STEEL.E * section.A * (np.hypot(0.6, 0.801) - 1) ** 2 / 2
    with pytest.warns(supple.AssemblyWarning, match=rf"'strut': .* strains 'rod' by {energy:.3g} J"):
        q = model.loops.assemble()
    assert np.abs(model.loops.errors(q)[0]).max() < 1e-12
    assert model.energy(q, np.zeros(model.nv))[1] == pytest.approx(energy, rel=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.loops.assemble(q), q)  # its shape is kept from there


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_size_does_not_matter(unit: float, flexible: bool) -> None:
    """A mechanism in micrometres, millimetres or kilometres has the angles of the one in metres."""
    found = []
    for scale in (1.0, unit):
        rod = beam(1.4 * scale, Circle(0.02 * scale), STEEL, 4).reduce("cantilever", modes=4) if flexible else None
        model = slider_crank(rod or rigid_rod(scale), scale)
        assert model.loops is not None
        guess = model.neutral()
        guess[0] = 0.6
        q = model.loops.assemble(guess, ["crank.angle"])
        assert np.abs(model.loops.errors(q)[0]).max() < 1e-11 * scale
        v = model.loops.consistent(q, np.eye(model.nv)[0], ["crank.angle"])
        found.append([q[1], q[-1] / scale, v[1], v[-1] / scale])
        assert len(model.loops) == (5 if flexible else 2)
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert abs(found[0][0]) > 0.1


@pytest.mark.parametrize("distance", [10.0, 360.0, 1e5])
def test_distance_from_the_guess_does_not_matter(distance: float) -> None:
    model = slider_crank(rigid_rod())
    assert model.loops is not None
    q = model.loops.assemble([0.6, 0.0, distance], ["crank.angle"])
    assert q[2] == pytest.approx(0.44 * np.cos(0.6) + np.sqrt(1.4**2 - (0.44 * np.sin(0.6)) ** 2) - 0.44, rel=1e-9)

    mech = supple.Mechanism("crane")
    mech.add_body("trolley", supple.RigidBody(5.0), joint=supple.Prismatic("x"))
    mech.add_body("bar", supple.RigidBody(1.0, (0, 0, -1)), "trolley", supple.Revolute("y"))
    mech.add_frame("end", "bar", (0, 0, -2))
    mech.add_frame("hook", "ground", (distance, 0, -1.9))
    mech.close_loop("pin", "ground/hook", "bar/end", supple.Spherical())
    loops = mech.build().loops
    assert loops is not None
    q = loops.assemble()
    assert np.cos(q[1]) == pytest.approx(0.95, rel=1e-9)
    assert abs(abs(q[0] - distance) - 2 * np.sqrt(1 - 0.95**2)) < 1e-9 * distance


def test_a_dead_point_is_named() -> None:
    """An arm in line with its rod, whose length it cannot change to first order."""
    mech = supple.Mechanism("dead point")
    mech.add_body("arm", supple.RigidBody(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)), joint=Z)
    mech.add_frame("end", "arm", (1, 0, 0))
    mech.add_frame("peg", "ground", (3, 0, 0))
    mech.constrain("rod", supple.Distance("ground/peg", "arm/end", 2.0))
    loops = mech.build().loops
    assert loops is not None
    assert loops.redundant([0.0]) == ["1 condition of 'rod' that no joint can change at this dead point"]
    assert loops.redundant() == loops.redundant([0.0])
    assert loops.margins([0.0])[0][0] == 0.0
