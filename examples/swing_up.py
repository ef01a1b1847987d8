"""Swing up a pole on a cart with the least effort, through CasADi: the benchmark of Kelly (SIAM Review 59, 2017)."""

from __future__ import annotations

from pathlib import Path

import casadi
import numpy as np
from scipy.interpolate import CubicSpline

import supple

SEGMENTS, DURATION, DISTANCE = 100, 2.0, 1.0


def main() -> float:
    """Print and return the effort, the integral of the square of the force; check it by a simulation."""
    model = supple.files.read(Path(__file__).with_suffix(".toml")).model
    dynamics = model.casadi("forward_dynamics")

    # Hermite-Simpson collocation, separated: states x = (q, v) and the force u at the ends and middles of segments.
    problem = casadi.Opti()
    x, u = problem.variable(4, 2 * SEGMENTS + 1), problem.variable(1, 2 * SEGMENTS + 1)
    rates = [casadi.vertcat(x[2:, i], dynamics(x[:2, i], x[2:, i], casadi.vertcat(u[i], 0))) for i in range(x.shape[1])]
    h = DURATION / SEGMENTS
    effort = 0
    for i in range(0, 2 * SEGMENTS, 2):
        f_0, f_m, f_1 = rates[i : i + 3]
        problem.subject_to(x[:, i + 2] == x[:, i] + h / 6 * (f_0 + 4 * f_m + f_1))
        problem.subject_to(x[:, i + 1] == (x[:, i] + x[:, i + 2]) / 2 + h / 8 * (f_0 - f_1))
        effort += h / 6 * (u[i] ** 2 + 4 * u[i + 1] ** 2 + u[i + 2] ** 2)
    problem.subject_to(x[:, 0] == 0)
    problem.subject_to(x[:, -1] == casadi.vertcat(DISTANCE, np.pi, 0, 0))
    problem.subject_to(problem.bounded(-20, u, 20))
    problem.subject_to(problem.bounded(-2, x[0, :], 2))
    along = np.linspace(0, 1, 2 * SEGMENTS + 1)
    problem.set_initial(x[:2, :], np.array([DISTANCE * along, np.pi * along]))
    problem.minimize(effort)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = problem.solve()

    smooth = CubicSpline(DURATION * along, found.value(u))
    times = np.linspace(0, DURATION, 8 * SEGMENTS + 1)
    force = supple.Table(times, smooth(times))
    motion = supple.simulate(model, DURATION, tau={"cart.position": force})
    angle = float(motion.q.sel(coordinate="pole.angle")[-1])
    print(f"effort {found.value(effort):.4f} N^2 s; simulated with this force the pole ends at {angle:.4f} rad")
    assert abs(angle - np.pi) < 0.03  # upright is unstable: without feedback the error of the collocation grows
    return float(found.value(effort))


if __name__ == "__main__":
    main()
