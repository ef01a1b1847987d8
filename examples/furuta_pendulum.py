"""Furuta's pendulum: its equations are those of Lagrange by hand, and state feedback to the arm holds it upright."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

import supple
from supple.files import read

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
ARM = 9e-4 + 0.25 * 0.08**2  # about the motor
L, M, HEIGHT, GRAVITY = 0.2, 0.12, 0.16, 9.81
JX, JY, JZ = 1.1e-3, 1.05e-3, 6e-5
DAMPING = np.diag([2e-3, 1e-4])
WEIGHTS, EFFORT = np.diag([1.0, 4.0, 0.1, 0.1]), np.array([[10.0]])


def mass_matrix(b: float) -> Floats:
    """By hand, with the pendulum at the angle b.

    Along the arm's axes its centre moves with a' HEIGHT sin b, a' L - b' HEIGHT cos b and -b' HEIGHT sin b; along its
    own axes it turns with b', a' sin b and a' cos b.
    """
    s, c = np.sin(b), np.cos(b)
    arm = ARM + M * L**2 + (M * HEIGHT**2 + JY) * s**2 + JZ * c**2
    return np.array([[arm, -M * L * HEIGHT * c], [-M * L * HEIGHT * c, JX + M * HEIGHT**2]])


def accelerations(q: Floats, v: Floats, tau: Floats) -> Floats:
    """Lagrange's equations by hand."""
    s, c, K = np.sin(q[1]), np.cos(q[1]), M * HEIGHT**2 + JY - JZ
    on_arm = 2 * K * s * c * v[0] * v[1] + M * L * HEIGHT * s * v[1] ** 2
    on_pendulum = -K * s * c * v[0] ** 2 - M * GRAVITY * HEIGHT * s
    return np.linalg.solve(mass_matrix(q[1]), tau - DAMPING @ v - [on_arm, on_pendulum])


def best_poles() -> Floats:
    """Of the best feedback to the equations by hand: the stable half of the poles of Hamilton's equations."""
    inverse = np.linalg.inv(mass_matrix(0.0))
    gravity = np.diag([0.0, M * GRAVITY * HEIGHT])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [inverse @ gravity, -inverse @ DAMPING]])
    B = np.concatenate([np.zeros(2), inverse[:, 0]])[:, None]
    poles = np.linalg.eigvals(np.block([[A, -B @ np.linalg.solve(EFFORT, B.T)], [-WEIGHTS, -A.T]]))
    return np.sort_complex(poles[poles.real < 0])


def main() -> float:
    """Print and return the slowest pole of the balanced pendulum, 1/s; check the equations, the poles and a motion."""
    model = read(FILE).model
    for seed in range(20):
        q, v = model.random_state(seed)
        q, v, tau = np.pi * q, 5 * v, np.random.default_rng(seed).normal(size=2)
        assert np.allclose(model.mass_matrix(q), mass_matrix(q[1]), rtol=1e-12)
        assert np.allclose(model.forward_dynamics(q, v, tau), accelerations(q, v, tau), rtol=1e-10)

    upright, still = np.zeros(2), np.zeros(2)
    A, B = model.linearize(upright, still, still)
    B = B[:, :1]  # there is no motor on the pendulum
    gains = np.linalg.solve(EFFORT, B.T @ linalg.solve_continuous_are(A, B, WEIGHTS, EFFORT))
    poles = np.sort_complex(np.linalg.eigvals(A - B @ gains))
    print(f"falls with {np.linalg.eigvals(A).real.max():.4f} 1/s, balanced by torque = -{gains[0].round(4)} . (q, v)")
    print("poles of the balanced pendulum:", ", ".join(f"{pole:.4f}" for pole in poles))
    assert np.linalg.eigvals(A).real.max() > 5
    assert np.allclose(poles, best_poles(), rtol=1e-8)

    state = ("arm.angle", "pendulum.angle", "rate(arm.angle)", "rate(pendulum.angle)")
    motor = {"arm.angle": " + ".join(f"({-gain})*{name}" for gain, name in zip(gains[0], state, strict=True))}
    motion = supple.simulate(model, 5.0, q={"pendulum.angle": 0.3}, tau=motor, rtol=1e-10, atol=1e-12, samples=501)
    x, t = np.concatenate([motion.q.values, motion.v.values], axis=1), motion.time.values
    print(f"let go at 0.3 rad, the arm turns by up to {np.abs(x[:, 0]).max():.3f} rad; after {t[-1]:g} s")
    print(f"arm and pendulum are {abs(x[-1, 0]):.1e} and {abs(x[-1, 1]):.1e} rad off")
    filed = supple.simulate(model, **read(FILE).run_arguments())  # its gains are these, to four digits
    assert np.abs(filed.q.values - motion.q.values).max() < 1e-3
    # Once the angles are small the motion is that of the linear equations, a matrix exponential.
    assert np.abs(x[200]).max() > 1e-2
    expected = linalg.expm((t[250] - t[200]) * (A - B @ gains)) @ x[200]
    assert np.allclose(x[250], expected, rtol=0, atol=1e-7)
    assert np.abs(x[-1]).max() < 1e-6
    return float(poles.real.max())


if __name__ == "__main__":
    main()
