"""A leaning coin: started as steady rolling demands, it comes back to where it was after one turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
MASS, ACROSS, ALONG, RADIUS, G = 0.1, 2.5e-5, 5e-5, 0.0316227766016838, 9.81
LEAN, TURN = np.deg2rad(60.0), 6.0  # of the coin's axis from the vertical, and rad/s about the vertical


def steady_spin() -> float:
    """Rate about the coin's axis, rad/s, at which it rolls in a circle: Euler's equation about its centre.

    TURN sin(LEAN) (ALONG + m r^2) spin = (ACROSS TURN^2 sin(LEAN) - m g r) cos(LEAN)
    """
    s, c = np.sin(LEAN), np.cos(LEAN)
    return float((ACROSS * TURN**2 * s - MASS * G * RADIUS) * c / (TURN * s * (ALONG + MASS * RADIUS**2)))


def main() -> float:
    """Print and return the radius of the circle of the coin's centre, mm."""
    contents = read(FILE)
    model, settings = contents.model, contents.run_arguments()
    spin = steady_spin()
    assert abs(settings["v"]["coin.wy"] + spin) < 1e-12
    motion = supple.simulate(model, **settings)

    x, y, z = (motion.q.sel(coordinate=f"coin.{axis}").values for axis in "xyz")
    back = np.hypot(x[-1] - x[0], y[-1] - y[0])
    energy = motion.kinetic_energy + motion.potential_energy
    print(f"after one turn the coin is back within {back:.1e} m; its height changed by {np.ptp(z):.1e} m")
    assert max(back, np.ptp(z)) < 1e-8
    assert np.ptp(energy.values) < 1e-9 * float(motion.kinetic_energy[0])  # rtol is 1e-10
    assert abs(motion.constraint_rate).max() < 1e-10

    radius = 1e3 * np.ptp(y) / 2
    print(f"its centre runs on a circle of {radius:.6f} mm; by hand {1e3 * RADIUS * abs(spin) / TURN:.6f} mm")
    assert abs(radius - 1e3 * RADIUS * abs(spin) / TURN) < 1e-3
    return float(1e3 * RADIUS * abs(motion.v.sel(speed="coin.wy")[-1]) / TURN)


if __name__ == "__main__":
    main()
