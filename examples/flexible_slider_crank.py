"""A slider-crank with a rod of thin steel: its energy is the work of its motor, and inertia bends the rod."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
R, L, SPEED = 0.15, 0.5, 10.0
BENDING = 210e9 * 0.02 * 0.004**3 / 12
MASS = 7850.0 * 0.02 * 0.004  # of a metre


def by_hand(angle: np.ndarray) -> np.ndarray:
    """How far the middle of the rod is off the line of its ends, m, if the load of its rigid motion bends it at once.

    The load changes evenly along the rod, so that the middle goes off as it would under the load that is there.
    """
    s, c = np.sin(angle), np.cos(angle)
    # b is the angle of the rod with the x axis; b_1 and b_2 are its derivatives in the angle of the crank.
    sin_b, cos_b = R / L * s, np.sqrt(1 - (R / L * s) ** 2)
    b_1 = R / L * c / cos_b
    b_2 = (b_1**2 * sin_b - R / L * s) / cos_b
    x_2 = -R * c - L / 2 * (cos_b * b_1**2 + sin_b * b_2)
    across = SPEED**2 * (x_2 * sin_b - R / 2 * s * cos_b)
    return -5 / 384 * MASS * across * L**4 / BENDING


def main() -> float:
    """Print and return the largest bending of the rod, mm; check it by hand, and the energy by the motor's work."""
    contents = read(FILE)
    model = contents.model
    motion = supple.simulate(model, **contents.run_arguments())
    energy = motion.kinetic_energy + motion.potential_energy
    assert abs(energy - motion.work).max() < 1e-8 * energy.max()
    assert motion.work.max() > 0.5
    assert abs(motion.constraint_error).max() < 1e-12

    steady = motion.sel(time=slice(0.5, None))
    across = steady.displacement.sel(axis="z")
    bent = across.sel(node="rod/5") - across.sel(node="rod/end") / 2
    expected = by_hand(steady.q.sel(coordinate="crank.angle").values)
    off = abs(bent - expected).max() / abs(expected).max()
    largest = 1e3 * float(abs(bent).max())
    print(f"the rod bends by {largest:.6f} mm; by the inertia of the rigid motion {1e3 * abs(expected).max():.6f} mm")
    print(f"the two differ by {100 * float(off):.1f} percent at most")
    assert off < 0.04
    return largest


if __name__ == "__main__":
    main()
