"""A flexible crane catches a drifting crate and carries it off: what the catch takes, and how the crane swings then."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

import supple
from supple import linear
from supple.files import read

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
STOWED = {"mast.angle": 0.0, "boom.angle": -1.2, "fore.angle": 2.2}
DRIFT = np.array([0.0, 0.0, 0.0, 0.3, -0.4, 0.2])  # of the crate: it does not turn, rad/s and m/s
HAND = "fore/end"
REACH = 10.0


def rebuilt(model: supple.Model, crate: bool = True, controllers: dict[str, supple.PID] | None = None) -> supple.Model:
    """The crane with or without the crate; with controllers as springs and dampers in its joints."""
    mech = supple.Mechanism(model.name, gravity=(0, 0, 0))
    for name, placed in model.description.bodies.items():
        joint, pid = placed.joint, (controllers or {}).get(f"{name}.angle")
        if pid:
            rest = float(np.asarray(pid.target.values)[-1]) if isinstance(pid.target, supple.Table) else 0.0
            joint = dataclasses.replace(joint, stiffness=pid.kp, damping=pid.kd, rest=rest)
        if crate or name != "crate":
            mech.add_body(name, placed.body, placed.parent, joint, placed.node or placed.position)
    return mech.build()


def reaching(controllers: dict[str, supple.PID], goal: dict[str, float]) -> dict[str, supple.PID]:
    """The controllers on the way from the stowed configuration to the crate."""
    ways = {name: supple.Table([0.0, REACH - 2.0], [STOWED[name], goal[name]], "cubic") for name in controllers}
    return {name: dataclasses.replace(pid, target=ways[name]) for name, pid in controllers.items()}


def caught(empty: supple.Model, loaded: supple.Model, q: Floats, v: Floats) -> tuple[Floats, float]:
    """Speeds after the catch, by the balance of momentum, and the energy that it takes, by Carnot's formula.

    The impulse acts at the hand alone: M_after v_after = M v + J^T M_crate DRIFT. What is lost is the energy of the
    relative velocity in the inertia that hand and crate have against each other.
    """
    crate = loaded.description.bodies["crate"].body
    assert isinstance(crate, supple.RigidBody)
    inertia = np.diag([*np.diag(crate.inertia), *3 * [crate.mass]])  # the same about all axes
    J = loaded.jacobian(q, "crate")
    after = np.linalg.solve(loaded.mass_matrix(q), empty.mass_matrix(q) @ v + J.T @ inertia @ DRIFT)
    against = np.linalg.inv(empty.inverse_operational_inertia(q, [HAND]) + np.linalg.inv(inertia))
    relative = J @ v - DRIFT
    return after, float(relative @ against @ relative / 2)


def main() -> float:
    """Print and return the energy that the catch takes, J; check it, the momentum, the work and the swing."""
    loaded = read(FILE).model
    empty = rebuilt(loaded, crate=False)
    run: dict[str, Any] = read(FILE).run_arguments()
    first = supple.simulate(empty, REACH, q=STOWED, tau=reaching(run["tau"], run["q"]), rtol=1e-9)
    q, before = first.q.values[-1], first.v.values[-1]
    after, taken = caught(empty, loaded, q, before)

    second = supple.simulate(loaded, **run | {"q": q, "v": after, "rtol": 1e-9, "duration": 36.0, "samples": 1801})
    hand, mass = second.position.values[0, 0], loaded.description.bodies["crate"].body.mass
    about_mast = first.momentum.values[-1, 2] + mass * np.cross(hand, DRIFT[3:])[2]
    energy = second.kinetic_energy + second.potential_energy
    lost = float((first.kinetic_energy + first.potential_energy)[-1] + mass * DRIFT @ DRIFT / 2 - energy[0])
    print(f"momentum about the mast {second.momentum.values[0, 2]:.6f}, before the catch {about_mast:.6f} N m s")
    print(f"the catch takes {lost:.6f} J, by Carnot's formula {taken:.6f} J")
    assert np.isclose(second.momentum.values[0, 2], about_mast, rtol=1e-9)
    assert np.isclose(lost, taken, rtol=1e-6)
    assert np.allclose(second.work, energy - energy[0], rtol=0, atol=1e-4)  # nothing else takes or gives

    # Close to the goal the motion is that of the linear equations, with the controllers as springs and dampers: a
    # matrix exponential takes the state at 30 s to that at 36 s.
    held, goal, n = rebuilt(loaded, controllers=run["tau"]), loaded.neutral(), loaded.nq
    for name, pid in run["tau"].items():
        goal[loaded.coordinate_index(name)] = pid.target.values[-1]
    A, _ = held.linearize(goal, np.zeros(n), np.zeros(n))
    x = np.concatenate([second.q.values - goal, second.v.values], axis=1)
    expected = linalg.expm(6.0 * A) @ x[1500]
    off = np.linalg.norm(x[1800] - expected) / np.linalg.norm(x[1500])
    print(f"the linear equations are off by {100 * off:.2f} percent of what is left of the swing at 30 s")
    assert np.linalg.norm(x[1800]) > 0.05 * np.linalg.norm(x[1500])
    assert off < 0.01
    fixed = [linear.modes(m, goal, fixed=["mast", "boom", "fore"]).frequencies[0] for m in (empty, loaded)]
    print(f"with held joints it swings at {fixed[0]:.4f} Hz empty, at {fixed[1]:.4f} Hz with the crate")
    moment = second.wrench.sel(joint="boom", component="angular y")
    print(f"root of the boom: at most {float(abs(moment).max()):.0f} N m, strain {float(abs(second.strain).max()):.1e}")
    return lost


if __name__ == "__main__":
    main()
