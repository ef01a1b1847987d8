"""Sayers' satellite: how long its equations are, exact and with small variables, and how the two agree in a slew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import supple
from supple.files import read
from supple.symbolic import EquationsOfMotion

Floats = NDArray[np.float64]
SMALL = ["q4", "q5", "q6", "q9", "q10"]  # angles of the bus, bending of the boom
EIGHT = ["q1", "q2", "q3", *SMALL]  # with the place of the bus, as in Table 11
COUNTS = {"SD/FAST": (709, 1094), "AUTOSIM": (628, 791), "AUTOSIM, small": (442, 514)}  # Sayers (1991), Table 11
GOAL = np.array([2.5, 1.2, 0.0, 0.0])  # rad: clock and camera turn, the boom is held straight
STIFFNESS, DAMPING = np.array([3.0, 3.0, 1200.0, 1800.0]), np.array([6.0, 6.0, 20.0, 20.0])
TURNED = ("MC", "IC", "IC33", "MD", "ID11", "ID12", "ID13", "ID22", "ID23", "ID33")  # of clock and camera
DURATION = 20.0


def torques(q: Floats, v: Floats, weight: float = 1.0) -> Floats:
    """Torques of the four joints, for a clock and a camera so many times as heavy."""
    return np.array([weight, weight, 1.0, 1.0]) * (STIFFNESS * (GOAL - q[6:]) - DAMPING * v[6:])


def slew(equations: EquationsOfMotion, weight: float = 1.0) -> Floats:
    """States (q, v) in columns while clock and camera, so many times as heavy, turn to their goals."""
    f = equations.compile({name: weight * equations.variables.values[name] for name in TURNED})

    def slope(t: float, y: Floats) -> Floats:
        q, v = y[:10], y[10:]
        return np.concatenate(f(q, v, torques(q, v, weight)))

    times = np.linspace(0.0, DURATION, 401)
    run = solve_ivp(slope, (0.0, DURATION), np.zeros(20), method="DOP853", t_eval=times, rtol=1e-10, atol=1e-12)
    return np.asarray(run.y)


def main() -> float:
    """Print the lengths of the equations, check them in a slew, and return the angle, rad, that the bus turns by.

    The satellite is at rest at first and nothing acts on it from outside: its momentum stays zero.
    """
    path = Path(__file__).with_suffix(".toml")
    contents = read(path)
    model, given = contents.model, contents.equation_arguments()
    exact = supple.equations(model, **given)
    small, eight = (supple.equations(model, small=names, **given) for names in (SMALL, EIGHT))
    for label, (additions, others) in COUNTS.items():
        print(f"{label:16} {additions} additions, {others} others")
    for label, equations, peer in (("here", exact, "AUTOSIM"), ("here, small", eight, "AUTOSIM, small")):
        count = equations.operations
        additions, others = count.additions, count.total - count.additions
        print(f"{label:16} {additions} additions, {others} others")
        assert additions < 0.7 * COUNTS[peer][0]
        assert others < 0.7 * COUNTS[peer][1]

    y = slew(exact)
    assert np.abs(model.momentum(y[:10].T, y[10:].T)).max() < 1e-8
    run = supple.simulate(model, DURATION, tau=lambda t, q, v: np.append(np.zeros(6), torques(q, v)))
    assert np.allclose(run.q.values[-1], y[:10, -1], rtol=0, atol=1e-6)
    largest = np.abs(y[[3, 4, 5, 8, 9]]).max()
    print(f"clock and camera turn by {y[6, -1]:.3f} and {y[7, -1]:.3f} rad, small angles reach {largest:.4f} rad")
    assert 0.01 < largest < 0.05

    # Half the masses turn the bus half as far. What is left out is of second order, so it becomes a quarter.
    off = [np.abs(a - slew(small, w))[:10].max() for a, w in ((y, 1.0), (slew(exact, 0.5), 0.5))]
    print(f"with small variables all coordinates are off by up to {off[0]:.2e}, with half the masses by {off[1]:.2e}")
    assert off[0] < largest / 10
    assert 3.0 < off[0] / off[1] < 5.0
    print(f"in the end the bus has turned by {y[5, -1]:.9f} rad about the axis of the clock")
    return float(y[5, -1])


if __name__ == "__main__":
    main()
