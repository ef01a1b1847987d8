"""A fast heavy top: it ends where the literature says, and nods as Lagrange's solution says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipj

import supple
from supple.files import read

Floats = NDArray[np.float64]
MASS, LENGTH, ACROSS, ALONG, SPIN, TURN, GRAVITY = 15.0, 1.0, 0.234375, 0.46875, 150.0, -4.61538, 9.81
# The heavy top benchmark of the Lie-group literature: centre of mass after 1 s, m.
PUBLISHED = (0.17334396, 0.64008859, -0.74849079)


def height(t: Floats) -> Floats:
    """Height of the centre of mass, over its length, by Lagrange's solution for a start at the upper turning point.

    Spin, energy and the momentum about the vertical are constant. Without the other speeds they leave
    u'^2 = (w^2 - a u) (1 - u^2) - (w - b u)^2 = u (a u^2 - (w^2 + b^2) u + 2 b w - a), with u = 0 at the start.
    """
    about_pivot = ACROSS + MASS * LENGTH**2
    a, b, w = 2 * MASS * GRAVITY * LENGTH / about_pivot, ALONG * SPIN / about_pivot, TURN
    low, never = np.sort(np.roots([a, -(w**2 + b**2), 2 * b * w - a]))
    _, cn, dn, _ = ellipj(np.sqrt(a * (never - low)) / 2 * t, -low / (never - low))
    return np.asarray(low * (1 - (cn / dn) ** 2))


def main() -> float:
    """Print and return the height of the centre of mass after 1 s; check the motion and its energy."""
    path = Path(__file__).with_suffix(".toml")
    contents = read(path)
    model = contents.model
    motion = supple.simulate(model, **contents.run_arguments())

    _, p = model.pose(motion.q.values, "top/disk")
    print(f"after 1 s the disk is at {p[-1, 0]:.8f}, {p[-1, 1]:.8f}, {p[-1, 2]:.8f} m")
    assert np.allclose(p[-1], PUBLISHED, rtol=0, atol=1e-7)

    off = np.abs(p[:, 2] - LENGTH * height(motion.time.values)).max()
    print(f"it nods down to {p[:, 2].min():.6f} m; from Lagrange's solution it is off by {off:.1e} m")
    assert off < 1e-8
    assert np.ptp(p[:, 2]) > 0.9

    energy = (motion.kinetic_energy + motion.potential_energy).values
    at_start = (ALONG * SPIN**2 + (ACROSS + MASS * LENGTH**2) * TURN**2) / 2
    print(f"of {at_start:.4f} J energy is kept to {np.ptp(energy):.1e} J")
    assert np.allclose(energy, at_start, rtol=1e-10)
    return float(p[-1, 2])


if __name__ == "__main__":
    main()
