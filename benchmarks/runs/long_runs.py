"""Energy and momenta in runs of ten million steps: variational steps beside other integrators, and MuJoCo.

    python -m benchmarks.runs.long_runs [--small] [NAME...]

Nothing acts on the systems but weight and elasticity, so that their energy is constant. Of the variational runs it is
checked that the error of the energy does not grow, and that momenta of the free system stay. The others run for a tenth
of the time or less, with the same steps where theirs are fixed. Times are those of the processor, a step.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import ARGUMENTS, SMALL
from supple.structures import Material, Rectangle, beam

STEPS = 4_000 if SMALL else 10_000_000
SAMPLES = 41 if SMALL else 2001
GROWN = 3.0
"""Largest error of the energy in the last tenth of a run over that in the whole first half, if it is bounded: chaotic
motions come to some configurations seldom."""
ROUNDING = 2.3e-16
OTHERS: tuple[tuple[str, int, dict[str, float]], ...] = (
    ("leapfrog", 10, {}),
    ("ESDIRK54", 100, {"rtol": 1e-6}),
    ("DOP853", 10, {"rtol": 1e-8}),
)
"""Each for a time that is so many times shorter, with options."""
Floats = NDArray[np.float64]


class System(NamedTuple):
    """A model, its start, and a step, s."""

    model: supple.Model
    start: dict[str, Any]
    step: float


def rod(length: float) -> supple.RigidBody:
    """A thin rod of 1 kg/m along x from its joint."""
    return supple.RigidBody(length, (length / 2, 0, 0), (0, length**3 / 12, length**3 / 12))


def double_pendulum() -> System:
    """Two rods of 1 m, 1.1 rad apart: chaotic."""
    mech = supple.Mechanism("double pendulum")
    mech.add_body("upper", rod(1.0), joint=supple.Revolute("y"))
    mech.add_body("lower", rod(1.0), "upper", supple.Revolute("y"), at=(1, 0, 0))
    return System(mech.build(), {"q": {"upper.angle": 0.3, "lower.angle": 1.1}}, 2e-3)


def flexible_arm() -> System:
    """Two soft beams, swinging and vibrating."""
    soft = Material(E=7e9, nu=0.33, rho=2700.0)
    body = beam(1.0, Rectangle(0.02, 0.02), soft, 6).reduce("cantilever", modes=2)
    mech = supple.Mechanism("flexible arm")
    mech.add_body("upper", body, joint=supple.Revolute("y"))
    mech.add_body("fore", body, "upper", supple.Revolute("y"), at="end")
    return System(mech.build(), {"q": {"upper.angle": 1.2, "fore.angle": 0.4}}, 2e-3)


def satellite() -> System:
    """An asymmetric body with an arm on a ball joint, free and tumbling; its centre of mass rests.

    Far from the origin rounding of positions would be seen in the angular momentum.
    """
    mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
    mech.add_body("bus", supple.RigidBody(20.0, (0.1, 0, 0.05), (2.0, 3.0, 4.0)), joint=supple.Free())
    arm = supple.RigidBody(3.0, (0.6, 0, 0.1), (0.05, 0.5, 0.5))
    mech.add_body("arm", arm, "bus", supple.Spherical(), at=(0.5, 0.2, 0))
    model = mech.build()
    q, v = model.neutral(), np.zeros(model.nv)
    for name, x in (("bus.wx", 0.4), ("bus.wy", 1.0), ("bus.wz", 0.2), ("arm.wz", 0.7)):
        v[model.speeds.index(name)] = x
    v[model.speeds.index("bus.vx") :][:3] = -model.momentum(q, v)[3:] / 23.0
    return System(model, {"q": q, "v": v}, 1e-2)


def four_bar() -> System:
    """A crank-rocker whose crank turns over and over, in gravity."""
    mech = supple.Mechanism("four-bar")
    mech.add_body("crank", rod(1.0), joint=supple.Revolute("y"))
    mech.add_body("coupler", rod(3.0), "crank", supple.Revolute("y"), at=(1, 0, 0))
    mech.add_body("rocker", rod(2.5), joint=supple.Revolute("y"), at=(2.8, 0, 0))
    mech.add_frame("end", "coupler", (3, 0, 0))
    mech.add_frame("end", "rocker", (2.5, 0, 0))
    mech.close_loop("pin", "coupler/end", "rocker/end", supple.Revolute("y"))
    guess = {"coupler.angle": -0.8, "rocker.angle": -1.5}
    start = {"q": {"crank.angle": 0.3}, "v": {"crank.angle": 6.0}, "guess": guess}
    return System(mech.build(), start, 2e-3)


SYSTEMS: dict[str, Callable[[], System]] = {
    "double_pendulum": double_pendulum,
    "flexible_arm": flexible_arm,
    "satellite": satellite,
    "four_bar": four_bar,
}


def largest(energy: Floats, first: float, last: float) -> float:
    """Largest error of the energy between two shares of a run."""
    part = energy[int(first * len(energy)) : int(last * len(energy))]
    return float(np.abs(part - energy[0]).max())


def row(system: System, name: str, steps: int, options: dict[str, Any]) -> tuple[list[str], Floats, Floats]:
    """A row of the table, energies, and momenta."""
    model, start, step = system
    if name in supple.integrators.STEPPED:
        options = {"step": step}
    begun = time.process_time()
    result = supple.simulate(model, steps * step, **start, integrator=name, samples=SAMPLES, **options)
    seconds = time.process_time() - begun
    energy = (result.kinetic_energy + result.potential_energy).values
    taken = int(result.attrs["steps"])
    size = float(result.kinetic_energy.max())
    ends = [f"{largest(energy, *share) / size:.1e}" for share in ((0.0, 0.1), (0.0, 0.5), (0.9, 1.0))]
    drift = float(energy[-len(energy) // 4 :].mean() - energy[: len(energy) // 4].mean()) / size
    momentum = np.asarray(model.momentum(result.q.values, result.v.values))
    cells = [name, f"{steps * step:,.0f}", f"{taken:,}", *ends, f"{drift:.1e}", f"{1e6 * seconds / taken:.1f}"]
    return cells, energy, momentum


def mujoco_row(steps: int, step: float) -> list[str]:
    """The double pendulum by MuJoCo's Runge-Kutta steps of order 4."""
    import mujoco

    inertial = '<inertial pos="0.5 0 0" mass="1" diaginertia="1e-9 0.0833333333 0.0833333333"/>'
    hinge = '<joint type="hinge" axis="0 1 0"/>'
    text = f"""<mujoco><option timestep="{step}" integrator="RK4"><flag energy="enable" contact="disable"/></option>
      <worldbody><body>{hinge}{inertial}<body pos="1 0 0">{hinge}{inertial}</body></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = 0.3, 1.1
    begun, energy, kinetic = time.process_time(), [], []
    for _ in range(SAMPLES):
        mujoco.mj_forward(model, data)
        energy.append(float(data.energy.sum()))
        kinetic.append(float(data.energy[1]))
        mujoco.mj_step(model, data, nstep=max(1, steps // SAMPLES))
    seconds, found, size = time.process_time() - begun, np.array(energy), max(kinetic)
    ends = [f"{largest(found, *share) / size:.1e}" for share in ((0.0, 0.1), (0.0, 0.5), (0.9, 1.0))]
    drift = float(found[-len(found) // 4 :].mean() - found[: len(found) // 4].mean()) / size
    taken = SAMPLES * max(1, steps // SAMPLES)
    return [
        "MuJoCo RK4", f"{steps * step:,.0f}", f"{taken:,}", *ends, f"{drift:.1e}", f"{1e6 * seconds / taken:.1f}"
    ]  # fmt: skip


def main() -> None:
    console = Console(width=120)
    for name in ARGUMENTS or SYSTEMS:
        system = SYSTEMS[name]()
        title = f"{name}, steps of {system.step:g} s: errors of the energy over the largest kinetic energy"
        columns = ("integrator", "s", "steps", "first 10 %", "first half", "last 10 %", "drift", "us/step")
        table = Table(*columns, title=title)
        cells, energy, momentum = row(system, "variational", STEPS, {})
        table.add_row(*cells)
        assert largest(energy, 0.9, 1.0) <= GROWN * largest(energy, 0.0, 0.5), name
        if not system.model.tree.gravity.any():
            scale = float(np.abs(momentum[0]).max())
            error = float(np.abs(momentum - momentum[0]).max()) / scale
            assert error < 100 * ROUNDING * np.sqrt(STEPS), error  # a random walk of rounding
            console.print(f"{name}: momenta conserved to {error:.1e} of the largest")
        for other, share, options in OTHERS:
            table.add_row(*row(system, other, STEPS // share, dict(options))[0])
        if name == "double_pendulum":
            table.add_row(*mujoco_row(STEPS // 10, system.step))
        console.print(table)


if __name__ == "__main__":
    main()
