"""Rollouts of many robots: RK4 steps of 1,000 Pandas in parallel, beside MuJoCo's `rollout` with contacts off.

    python -m benchmarks.many.rollouts [--small]

MuJoCo reads the same URDF file; both start from the same states, without drive torques, on all cores. The motions are
compared before anything is timed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL
from support.files.robots import robot_directory

ROBOTS, STEPS, DT = 8 if SMALL else 1000, 100 if SMALL else 1000, 0.001


def mujoco_panda() -> Any:
    """The same robot: no meshes, contacts, limits, damping or friction, RK4."""
    text = next(robot_directory().rglob("panda.urdf")).read_text()
    text = re.sub(r"<(visual|collision)>.*?</\1>", "", text, flags=re.S)
    text = re.sub(r"<(dynamics|mimic)[^>]*/>", "", text)
    text = text.replace('type="revolute"', 'type="continuous"')
    text = re.sub(r"(<robot[^>]*>)", r'\1<mujoco><compiler fusestatic="true" balanceinertia="false"/></mujoco>', text)
    spec = mujoco.MjSpec.from_string(text)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.timestep = DT
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    return spec.compile()


def main() -> None:
    """Print the table."""
    model = supple.load(next(robot_directory().rglob("panda.urdf")), limits=False, mimic=False)
    peer = mujoco_panda()
    names = [f"{b}.{c}" for b in model.bodies for c in ("angle", "position") if f"{b}.{c}" in model.coordinates]
    order = [names.index(n) for n in model.coordinates]
    assert peer.nv == model.nv, (peer.nv, model.nv)
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-1, 1, (ROBOTS, model.nq)), np.zeros((ROBOTS, model.nv))
    tau = np.zeros((STEPS, model.nv))
    start = time.perf_counter()
    rollout = model.compile("rollout", integrator="rk4")
    rollout(q, v, tau[:1], DT)
    compiled_in = time.perf_counter() - start

    threads = os.cpu_count() or 1
    data = [mujoco.MjData(peer) for _ in range(threads)]
    initial = np.concatenate([np.zeros((ROBOTS, 1)), q[:, order], v], axis=1)
    few, _ = mujoco.rollout.rollout(peer, data, initial[:8], nstep=100)
    ours = rollout(q[:8], v[:8], tau[:100], DT)[0][:, 1:]
    difference = np.abs(few[:, :, 1 : 1 + model.nq] - ours[:, :, order]).max()
    assert difference < 1e-6, f"the motions differ by {difference}"

    calls: dict[str, Callable[[], Any]] = {
        "supple": lambda: rollout(q, v, tau, DT),
        "MuJoCo": lambda: mujoco.rollout.rollout(peer, data, initial, nstep=STEPS),
    }
    spent = {}
    for name, call in calls.items():
        times = []
        for _ in range(3):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        spent[name] = min(times)
    table = Table(title=f"RK4, {ROBOTS} Pandas, {STEPS} steps of {DT} s, {threads} threads")
    for column in ("", "seconds", "us a step and robot", "times faster than real time"):
        table.add_column(column, justify="right")
    for name, seconds in spent.items():
        real = ROBOTS * STEPS * DT / seconds
        table.add_row(name, f"{seconds:.3f}", f"{seconds / ROBOTS / STEPS * 1e6:.3f}", f"{real:,.0f}")
    Console().print(table)
    ratio = spent["MuJoCo"] / spent["supple"]
    Console().print(f"{ratio:.1f} times as fast as MuJoCo; recorded and compiled in {compiled_in:.2f} s")
    Console().print(f"largest difference of the motions after 0.1 s {difference:.1e}")


if __name__ == "__main__":
    main()
