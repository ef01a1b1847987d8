"""A slider-crank at a constant speed: its motion is that of the geometry, its torque that of the energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
R, L, SPEED, G = 0.15, 0.5, 20.0, 9.81


def by_hand(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place of the slider, m, and torque of the motor, N m: its power is the rate of the energy of all bodies."""
    s, c = np.sin(angle), np.cos(angle)
    # b is the angle of the rod with the x axis; b_1, b_2 and so on are derivatives in the angle of the crank.
    sin_b, cos_b = R / L * s, np.sqrt(1 - (R / L * s) ** 2)
    b_1 = R / L * c / cos_b
    b_2 = (b_1**2 * sin_b - R / L * s) / cos_b

    def along(a: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Level place of the rod's point at a, and its derivatives."""
        x_1 = -R * s - a * sin_b * b_1
        return R * c + a * cos_b, x_1, -R * c - a * (cos_b * b_1**2 + sin_b * b_2)

    _, x_1, x_2 = along(L / 2)
    z_1, z_2 = R / 2 * c, -R / 2 * s
    place, y_1, y_2 = along(L)
    inertia = 0.8 * (x_1 * x_2 + z_1 * z_2) + 0.0167 * b_1 * b_2 + 2.0 * y_1 * y_2
    return place, inertia * SPEED**2 + (1.2 * 0.075 * c + 0.8 * z_1) * G


def main() -> float:
    """Print and return the largest torque of the motor, N m; check it and the slider's motion by hand."""
    contents = read(FILE)
    model = contents.model
    motion = supple.simulate(model, **contents.run_arguments())
    place, torque = by_hand(SPEED * motion.time.values)
    assert np.allclose(motion.q.sel(coordinate="slider.position"), place, atol=1e-9)
    assert np.allclose(motion.tau.sel(speed="crank.angle"), torque, atol=1e-6)
    assert abs(motion.constraint_error).max() < 1e-10

    # After one round everything is as it was: what the motor has given it has taken back.
    assert abs(motion.work.values[-1]) < 1e-6 < motion.work.values.max()
    largest = float(abs(motion.tau.sel(speed="crank.angle")).max())
    print(f"stroke {np.ptp(place):.6f} m, largest torque {largest:.6f} N m")
    return largest


if __name__ == "__main__":
    main()
