"""Hoekens' four-bar: the pen's path by hand, and the motor's torque by the balance of power."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple.files import read

FILE = Path(__file__).with_suffix(".toml")
CRANK, GROUND, ROD, SPEED = 0.1, 0.2, 0.25, 4 * np.pi


def pen(angle: np.ndarray) -> np.ndarray:
    """Where the pen is, (x, z) in m: on the line through the crank pin and the point where two circles meet."""
    joint = CRANK * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    to = np.array([GROUND, 0.0]) - joint
    apart = np.linalg.norm(to, axis=-1, keepdims=True)
    height = np.sqrt(ROD**2 - apart**2 / 4)
    pin = joint + to / 2 + height * np.stack([-to[:, 1], to[:, 0]], axis=-1) / apart
    return 2 * pin - joint


def main() -> float:
    """Print and return the largest torque of the motor, N m."""
    contents = read(FILE)
    model = contents.model
    motion = supple.simulate(model, **contents.run_arguments())
    assert abs(motion.constraint_error).max() < 1e-12

    path = motion.position.sel(frame="coupler/pen").values[:, [0, 2]]
    off = np.abs(path - pen(motion.q.sel(coordinate="crank.angle").values)).max()
    straight = path[path[:, 1] < path[:, 1].min() + 0.003]
    print(f"the pen is where geometry says within {off:.1e} m")
    print(f"and draws a line of {1e3 * np.ptp(straight[:, 0]):.0f} mm that is straight within 3 mm")
    assert off < 1e-10

    torque = motion.tau.sel(speed="crank.angle")
    energy = motion.kinetic_energy + motion.potential_energy
    assert abs(energy - energy[0] - motion.work).max() < 1e-8
    power = np.gradient(energy.values, motion.time.values, edge_order=2)
    assert np.abs(power / SPEED - torque.values)[1:-1].max() < 5e-3 * np.abs(torque.values).max()
    largest = float(abs(torque).max())
    print(f"the motor gives up to {largest:.6f} N m")
    return largest


if __name__ == "__main__":
    main()
