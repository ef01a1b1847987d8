"""A simple pendulum: its equation of motion is (Izz + m L^2) angle'' = tau - m g L sin(angle), CDI (M4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple


def main() -> float:
    """Print and return the acceleration; check it against the closed form."""
    model = supple.files.read(Path(__file__).with_suffix(".toml")).model
    angle, rate, torque = 0.7, 1.3, 2.0
    acceleration = float(model.forward_dynamics([angle], [rate], [torque])[0])

    m, L, Izz, g = 2.0, 0.6, 0.06, 9.81
    closed_form = (torque - m * g * L * np.sin(angle)) / (Izz + m * L**2)
    assert np.isclose(acceleration, closed_form, rtol=1e-14)
    print(f"angular acceleration {acceleration:.10f} rad/s^2, closed form {closed_form:.10f}")
    return acceleration


if __name__ == "__main__":
    main()
