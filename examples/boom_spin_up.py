"""A boom that is spun up stiffens by its own tension; the same boom without that effect is lost."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import supple
from supple.files import read
from supple.structures import Material, Section, beam

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
FASTEST = 4.0  # rad/s, after 15 s
ANGLE = "4/15*(t**2/2 + (15/(2*pi))**2*(cos(2*pi*t/15) - 1))"


def motion() -> xr.Dataset:
    """Both booms of the file, one with stiffening and one without, of which the program warns."""
    contents = read(FILE)
    with warnings.catch_warnings(action="ignore", category=supple.PhysicsWarning):
        return supple.simulate(contents.model, **contents.run_arguments())


def lag(result: xr.Dataset, boom: str) -> Floats:
    """How far the tip of a boom is behind its root, m."""
    return -np.asarray(result["displacement"].sel(node=f"{boom}/end", axis="y"))


def in_pieces(pieces: int) -> Floats:
    """The lag of the same boom as a chain of short bodies, in which large deflections are exact."""
    section = Section(A=7.2986e-5, Iy=8.2181e-9, Iz=8.2181e-9, J=1.0e-9)
    structure = beam(8.0, section, Material(E=6.895e10, nu=0.3, rho=2766.67), elements=2 * pieces)
    mech = supple.Mechanism(f"boom in {pieces} pieces", gravity=(0, 0, 0))
    mech.add_body("boom", structure.pieces(pieces), joint=supple.Revolute("z"))
    outputs = supple.Outputs(nodes=["boom/end"])
    result = supple.simulate(mech.build(), 9.0, motion={"boom.angle": ANGLE}, outputs=outputs, samples=451)
    return lag(result, "boom")


def main() -> float:
    """Print and return the largest lag of the tip; check it against the boom in pieces."""
    result = motion()
    one, without, pieces = lag(result, "boom"), lag(result, "unstiffened"), in_pieces(8)
    print(f"largest lag of the tip: {one.max():.4f} m as one body, {pieces.max():.4f} m in 8 pieces")
    print(f"without stiffening it is {without[-1]:.1f} m behind after 9 s and still falls back")
    (warned,) = json.loads(result.attrs["validity"])
    print(f"warning: {warned}")
    assert "'unstiffened'" in warned
    assert abs(one - pieces).max() < 0.01 * pieces.max()
    assert without[-1] > 4 * one[-1]
    return float(one.max())


if __name__ == "__main__":
    main()
