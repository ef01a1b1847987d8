"""A helicopter blade on its hinges: the pull along it sets its frequencies beside multiples of the rotor speed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import supple
from supple import linear
from supple.structures import Material, Section, beam

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
SPEED = 27.0  # rad/s
OFFSET, LENGTH = 0.4, 7.8  # of the hinges from the axis, and of the blade, m
SHOWN = 6


def in_pieces(pieces: int) -> supple.Model:
    """The blade of the file as a chain of short bodies, whose joints carry the pull along it."""
    section = Section(A=0.008, Iy=2.0e-6, Iz=6.0e-5, J=4.0e-6)
    piece = beam(LENGTH / pieces, section, Material(E=40e9, nu=0.3, rho=1625.0), elements=2)
    body = piece.reduce("craig-bampton", modes=0)
    mech = supple.Mechanism(f"blade in {pieces} pieces", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(60.0, inertia=(2.0, 2.0, 4.0)), joint=supple.Revolute("z"))
    hinges = supple.Universal("y", "z", damping=[0.0, 1500.0])
    for i in range(1, pieces + 1):
        parent, joint, at = ("hub", hinges, (OFFSET, 0, 0)) if i == 1 else (f"piece{i - 1}", supple.Fixed(), "end")
        mech.add_body(f"piece{i}", body, parent, joint, at)
    return mech.build()


def per_revolution(model: supple.Model) -> Floats:
    """The first frequencies at full speed, over that of the rotation."""
    w = np.sort(linear.modes(model, spin={"hub": SPEED}).eigenvalues.imag)
    return np.asarray(w[w > 0][:SHOWN] / SPEED)


def diagram(model: supple.Model) -> xr.Dataset:
    """The Campbell diagram up to more than full speed."""
    return linear.campbell(model, {"hub": np.linspace(0.0, 32.0, 33)}, count=8)


def main() -> float:
    """Print and return the second frequency of flap, per revolution; check all against a hinged rod and pieces."""
    one, pieces = per_revolution(supple.files.read(FILE).model), per_revolution(in_pieces(8))
    ratio = 1.5 * OFFSET / LENGTH  # first moment times offset over second moment, of a rod about its end
    lag, flap = np.sqrt(ratio), np.sqrt(1 + ratio)
    print(f"a rigid blade: lag {lag:.4f}, flap {flap:.4f} per revolution")
    for name, found in (("one body", one), ("8 pieces", pieces)):
        print(f"{name:>13}: " + "  ".join(f"{x:.4f}" for x in found))
    assert np.allclose(one[:2], [lag, flap], rtol=0.01)
    assert np.allclose(one[:5], pieces[:5], rtol=5e-3)
    assert np.isclose(one[5], pieces[5], rtol=0.02)  # bending in the plane of rotation needs more modes
    return float(one[2])


if __name__ == "__main__":
    main()
