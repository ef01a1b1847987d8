"""A pendulum on a cart: mass matrix and forces are those of CDI (N4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple


def main() -> float:
    """Print both accelerations and return the cart's; check them against the closed form."""
    model = supple.files.read(Path(__file__).with_suffix(".toml")).model
    q, v, push = np.array([0.4, 0.9]), np.array([0.2, -1.7]), 5.0
    x_dd, angle_dd = model.forward_dynamics(q, v, [push, 0.0])

    m_1, m_2, L, I_2, g = 3.0, 1.5, 0.8, 0.08, 9.81
    s, c = np.sin(q[1]), np.cos(q[1])
    mass = np.array([[m_1 + m_2, m_2 * L * c], [m_2 * L * c, I_2 + m_2 * L**2]])
    force = np.array([push + m_2 * L * s * v[1] ** 2, -m_2 * g * L * s])
    assert np.allclose(model.mass_matrix(q), mass, rtol=1e-14)
    assert np.allclose([x_dd, angle_dd], np.linalg.solve(mass, force), rtol=1e-13)
    print(f"cart {x_dd:.10f} m/s^2, arm {angle_dd:.10f} rad/s^2")
    return float(x_dd)


if __name__ == "__main__":
    main()
