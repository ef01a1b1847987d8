"""A spherical pendulum on a level circle: the time of one round is that of the conical pendulum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import supple


def main() -> float:
    """Print and return the height of the bob after one round; it must be where it was."""
    model = supple.files.read(Path(__file__).with_suffix(".toml")).model
    cone, m, L, g, J = np.radians(30.0), 1.0, 1.0, 9.81, 0.0004
    # Steady turning about the vertical at w: gravity's moment m g L sin = w^2 sin cos (J_across - J_along) with
    # J_across = m L^2 + J, J_along = J, so that the ball's own inertia drops out.
    w = np.sqrt(g / (L * np.cos(cone)))
    tilt = Rotation.from_euler("y", cone)
    spin = tilt.inv().apply([0.0, 0.0, w])  # in body axes
    around = 2 * np.pi / w
    result = supple.simulate(model, around, q=tilt.as_quat(), v=spin, rtol=1e-11, atol=1e-12)

    _, p = model.pose(result.q.values, "rod/bob")
    assert np.ptp(p[:, 0]) > 0.9
    assert np.allclose(p[-1], p[0], atol=1e-8)
    assert np.allclose(p[:, 2], -L * np.cos(cone), atol=1e-8)
    print(f"one round in {around:.6f} s, height {p[-1, 2]:.8f} m, mass {m:g} kg, ball {J:g} kg m^2")
    return float(p[-1, 2])


if __name__ == "__main__":
    main()
