"""A double pendulum in symbols: its equations, its two small swings, and a swing that is not small."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from supple.symbolic import EquationsOfMotion, KaneJoint, KaneSystem, MassProperties

Floats = NDArray[np.float64]
M, L, G = 1.2, 0.5, 9.81


def double_pendulum() -> KaneSystem:
    """Two equal masses on equal rods; both angles are zero where it hangs, the second is that of the elbow."""
    s = KaneSystem("double pendulum")
    m, length, g = s.parameters(m=M, L=L, g=G)
    s.gravity = -g * s.ground.axes[1]
    end = (0, -length, 0)
    upper = s.add_body("upper", joint=KaneJoint(rotations="3", coordinates=["a"]), body=MassProperties(m, com=end))
    s.add_body(
        "lower", upper, joint=KaneJoint(rotations="3", coordinates=["b"]), body=MassProperties(m, com=end), at=end
    )
    return s


def motion(equations: EquationsOfMotion, a: float, b: float, duration: float) -> Floats:
    """States (a, b, a', b') in columns, 200 a second, of the pendulum let go at these angles."""
    f = equations.compile()

    def slope(t: float, y: Floats) -> Floats:
        return np.concatenate(f(y[:2], y[2:]))

    times = np.linspace(0.0, duration, round(200 * duration) + 1)
    start = [a, b, 0.0, 0.0]
    return solve_ivp(slope, (0.0, duration), start, method="DOP853", t_eval=times, rtol=1e-11, atol=1e-12).y


def masses(y: Floats) -> tuple[Floats, Floats]:
    """Places of both masses, complex x + iy, of states in columns."""
    upper = -1j * L * np.exp(1j * y[0])
    return upper, upper - 1j * L * np.exp(1j * (y[0] + y[1]))


def energy(y: Floats) -> Floats:
    """By hand, of states in columns."""
    upper, lower = masses(y)
    v_upper = 1j * y[2] * upper
    v_lower = v_upper + 1j * (y[2] + y[3]) * (lower - upper)
    return np.asarray(M * (np.abs(v_upper) ** 2 + np.abs(v_lower) ** 2) / 2 + M * G * (upper + lower).imag)


def main() -> float:
    """Print and return the frequency, rad/s, of the slow swing; check both and the energy of a large one."""
    equations = double_pendulum().equations()
    print(equations.text().split("\n\n")[0])

    A = equations.linear.evaluate(equations.numbers(), q=[0.0, 0.0], v=[0.0, 0.0])["A"]
    slow, fast = np.sort(np.sqrt(np.linalg.eigvals(-A[2:, :2])))
    print(f"small swings at {slow:.10f} and {fast:.10f} rad/s")
    assert np.allclose([slow**2, fast**2], (2 + np.sqrt(2) * np.array([-1, 1])) * G / L, rtol=1e-13)

    # In the slow swing the lower rod leans sqrt(2) times as far as the upper one, to the same side.
    y = motion(equations, 1e-3, (np.sqrt(2) - 1) * 1e-3, 3.0)
    off = np.abs(y[0] - 1e-3 * np.cos(slow * np.linspace(0.0, 3.0, y.shape[1]))).max()
    print(f"a swing of 1e-3 rad departs from the cosine by {off:.1e} rad")
    assert off < 1e-8

    y = motion(equations, 2.0, 0.5, 5.0)
    kept = energy(y)
    print(f"let go at 2 rad, it turns with up to {np.abs(y[2:]).max():.1f} rad/s")
    print(f"of {kept[0]:.4f} J energy is kept to {np.ptp(kept):.1e} J")
    assert np.abs(y[:2]).max() > np.pi
    assert np.ptp(kept) < 1e-8 * M * G * L
    return float(slow)


if __name__ == "__main__":
    main()
