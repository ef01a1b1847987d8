"""Rotors with known whirl, for tests of steady rotation, Campbell diagrams and their pages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import supple
from supple.structures import Circle, Material, Rectangle, beam

Floats = NDArray[np.float64]
E, RADIUS, LENGTH = 206e9, 0.01, 0.5  # of a round shaft
MASS, POLAR, DIAMETRAL = 6.0, 0.06, 0.03  # of a disc at its end
BLADE = {"length": 1.0, "width": 0.02, "height": 0.002, "E": 70e9, "rho": 2700.0}
BLADE_UNIT = float(np.sqrt(BLADE["E"] * BLADE["height"] ** 2 / (12 * BLADE["rho"])))  # sqrt(EI / (rho A L^4)), rad/s


def laval(k: tuple[float, float] = (200.0, 200.0), offset: float = 0.0, damping: float = 0.0) -> supple.Model:
    """A disc of 2 kg on two springs that turn with the shaft, its centre of mass off the axis."""
    mech = supple.Mechanism("Laval rotor", gravity=(0, 0, 0))
    mech.add_body("shaft", supple.RigidBody(0.0), joint=supple.Revolute("z"))
    springs = supple.BuildingBlock(translations=["x", "y"], stiffness=list(k), damping=damping)
    mech.add_body("disc", supple.RigidBody(2.0, (offset, 0, 0), (0.1, 0.1, 0.2)), "shaft", springs)
    return mech.build()


def laval_in_bearings(k: tuple[float, float] = (200.0, 200.0), damping: float = 0.0) -> supple.Model:
    """The same disc on springs and dampers that stand."""
    mech = supple.Mechanism("Laval rotor in bearings")
    springs = supple.BuildingBlock(translations=["x", "y"], stiffness=list(k), damping=damping)
    mech.add_body("bearing", supple.RigidBody(0.0), joint=springs)
    mech.add_body("disc", supple.RigidBody(2.0, inertia=(0.1, 0.1, 0.2)), "bearing", supple.Revolute("z"))
    return mech.build()


def overhung(
    standing: bool = False, gravity: tuple[float, float, float] = (0, 0, 0), damping: float = 0.0
) -> supple.Model:
    """A disc at the end of a light clamped shaft, which turns with the disc or stands."""
    shaft = beam(LENGTH, Circle(RADIUS), Material(E=E, nu=0.3, rho=1e-2), 4)
    flexible = shaft.reduce("craig-bampton", modes=0, interfaces=["end"], damping=damping)
    mech = supple.Mechanism("overhung disc", gravity=gravity)
    turn, hold = supple.Revolute("x"), supple.Fixed()
    mech.add_body("shaft", flexible, joint=hold if standing else turn)
    disc = supple.RigidBody(MASS, inertia=(POLAR, DIAMETRAL, DIAMETRAL))
    mech.add_body("disc", disc, "shaft", turn if standing else hold, at="end")
    return mech.build()


def overhung_whirl(speed: float) -> Floats:
    """Four angular velocities of whirl of the overhung disc, rad/s, from its two complex equations, ascending.

    M z'' - i W G z' + K z = 0 for z = (lateral displacement, tilt), each with its second component times i.
    """
    K = E * np.pi * RADIUS**4 / 4 / LENGTH**3 * np.array([[12, -6 * LENGTH], [-6 * LENGTH, 4 * LENGTH**2]])
    M, G = np.diag([MASS, DIAMETRAL]), np.diag([0.0, POLAR])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), 1j * speed * np.linalg.solve(M, G)]])
    return np.sort((np.linalg.eigvals(A) / 1j).real)


def whole_blade(modes: int) -> supple.Model:
    """A straight blade on a hub, one body with so many modes."""
    section, metal = Rectangle(BLADE["width"], BLADE["height"]), Material(E=BLADE["E"], nu=0.3, rho=BLADE["rho"])
    mech = supple.Mechanism("blade", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(1.0), joint=supple.Revolute("z"))
    structure = beam(BLADE["length"], section, metal, elements=16)
    mech.add_body("blade", structure.reduce("cantilever", modes=modes), "hub", supple.Fixed())
    return mech.build()


def blade(pieces: int) -> supple.Model:
    """A straight blade on a hub, in pieces."""
    section, metal = Rectangle(BLADE["width"], BLADE["height"]), Material(E=BLADE["E"], nu=0.3, rho=BLADE["rho"])
    piece = beam(BLADE["length"] / pieces, section, metal, elements=2).reduce("craig-bampton", modes=0)
    mech = supple.Mechanism(f"blade in {pieces}", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(1.0), joint=supple.Revolute("z"))
    for i in range(1, pieces + 1):
        carrier, at = ("hub", None) if i == 1 else (f"piece{i - 1}", "end")
        mech.add_body(f"piece{i}", piece, carrier, supple.Fixed(), at)
    return mech.build()


def gyroscope(mass: float = 0.3, length: float = 0.08, across: float = 2e-4, along: float = 3.6e-4) -> supple.Model:
    """A top on its tip: precession about the vertical, tilt, spin about its own axis."""
    mech = supple.Mechanism("gyroscope")
    mech.add_body("fork", supple.RigidBody(0.0), joint=supple.Revolute("z"))
    mech.add_body("frame", supple.RigidBody(0.0), "fork", supple.Revolute("x"))
    top = supple.RigidBody(mass, (0, 0, length), (across, across, along))
    mech.add_body("top", top, "frame", supple.Revolute("z"))
    return mech.build()
