"""Turn a light arm so that it does not swing afterwards: the smoothest torque, found through CasADi."""

from __future__ import annotations

from pathlib import Path

import casadi
import numpy as np

import supple

ANGLE, DURATION, INTERVALS = np.pi / 3, 0.9, 100


def torque_of(model: supple.Model) -> supple.Table:
    """The smoothest torque, the integral of the square of its rate a minimum, that takes a model from rest to rest."""
    n, h = model.nv, DURATION / INTERVALS
    q, v, tau = (casadi.SX.sym(name, n) for name in ("q", "v", "tau"))
    a = model.casadi("forward_dynamics")(q, v, tau)
    rate = casadi.Function("rate", [casadi.vertcat(q, v), tau], [casadi.vertcat(v, a)])
    problem = casadi.Opti()
    x, u = problem.variable(2 * n, INTERVALS + 1), problem.variable(1, INTERVALS + 1)
    tau = casadi.vertcat(u, casadi.DM.zeros(n - 1, INTERVALS + 1))
    for i in range(INTERVALS):  # Hermite-Simpson, of fourth order; the torque goes straight from point to point
        x_0, x_1 = x[:, i], x[:, i + 1]
        f_0, f_1 = rate(x_0, tau[:, i]), rate(x_1, tau[:, i + 1])
        f_m = rate((x_0 + x_1) / 2 + h / 8 * (f_0 - f_1), (tau[:, i] + tau[:, i + 1]) / 2)
        problem.subject_to(x_1 == x_0 + h / 6 * (f_0 + 4 * f_m + f_1))
    problem.subject_to(x[:, 0] == 0)
    problem.subject_to(x[:, -1] == casadi.vertcat(ANGLE, *[0] * (2 * n - 1)))
    problem.subject_to(u[0] == 0)
    problem.subject_to(u[-1] == 0)
    problem.minimize(casadi.sumsqr(u[1:] - u[:-1]))
    problem.set_initial(x[0, :], np.linspace(0, ANGLE, INTERVALS + 1)[None])
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    return supple.Table(h * np.arange(INTERVALS + 1), problem.solve().value(u))


def rigid_torque(model: supple.Model) -> supple.Table:
    """The same for the arm if it were rigid, in closed form."""
    scale = 60 * float(model.mass_matrix(model.neutral())[0, 0]) * ANGLE / DURATION**2
    t = np.linspace(0.0, 1.0, INTERVALS + 1)
    return supple.Table(DURATION * t, scale * t * (1 - t) * (1 - 2 * t))


def swing(model: supple.Model, torque: supple.Table) -> tuple[np.ndarray, np.ndarray]:
    """Times, and how far the load is from where the undeformed arm has it, m."""
    outputs = supple.Outputs(frames=["load"])
    motion = supple.simulate(model, 2 * DURATION, tau={"arm.angle": torque}, outputs=outputs, samples=601)
    angle = motion.q.sel(coordinate="arm.angle").values
    place = motion.position.sel(frame="load").values
    return motion.time.values, -np.sin(angle) * place[:, 0] + np.cos(angle) * place[:, 1]


def main() -> float:
    """Print and return how much the load swings after the slew, mm, with the torque for a rigid arm."""
    model = supple.files.read(Path(__file__).with_suffix(".toml")).model
    found = []
    for kind, torque in (("rigid", rigid_torque(model)), ("flexible", torque_of(model))):
        times, off = swing(model, torque)
        found.append(1e3 * float(np.abs(off[times > DURATION]).max()))
        print(f"torque for a {kind} arm: {1e3 * np.abs(off).max():.1f} mm on the way, {found[-1]:.3f} mm afterwards")
    assert found[1] < 0.01 * found[0]
    return found[0]


if __name__ == "__main__":
    main()
