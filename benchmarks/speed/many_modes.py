"""Forward dynamics of bodies with many modes or nodes, and of mechanisms with many constraint equations.

    python -m benchmarks.speed.many_modes [--small]

Each case runs in a process of its own with an empty cache, so that the first call has all that is compiled in it; then
single calls are timed. Answers are checked before: inverse dynamics undoes forward dynamics, and constrained
accelerations fulfil the constraints.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import ARGUMENTS, SMALL, best_time
from benchmarks.speed.flexible_chain import ALUMINIUM, beam_link, chain, largest
from supple.structures import Rectangle, beam

ROOT = Path(__file__).resolve().parents[2]
CASES: list[tuple[str, int, int]] = [
    ("modes", 1, 16), ("modes", 1, 60), ("modes", 1, 100), ("modes", 1, 200), ("modes", 10, 200),
    ("nodal", 1, 60), ("nodal", 1, 200), ("nodal", 1, 1000), ("constraints", 1, 10), ("constraints", 1, 40),
    ("constraints", 1, 100),
]  # fmt: skip
"""Kind, bodies, and modes, nodal degrees of freedom or constraint equations."""
if SMALL:
    CASES = [("modes", 1, 2), ("nodal", 1, 6), ("constraints", 1, 2)]


def nodal_beam(dofs: int) -> supple.Model:
    """A hinged beam in the displacements of its nodes, about so many."""
    body = beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, elements=dofs // 6).reduce("nodal")
    mech = supple.Mechanism("nodal beam")
    mech.add_body("beam", body, joint=supple.Revolute("y"))
    return mech.build()


def ladder(equations: int) -> supple.Model:
    """Two hanging chains with rungs between them, two equations for each."""
    mech = supple.Mechanism("ladder")
    link = supple.RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01))
    rung = supple.RigidBody(0.5, (0.25, 0, 0), (0.01, 0.05, 0.05))
    bottom = (0.0, 0.0, -1.0)
    for i in range(equations // 2):
        for side, x in (("left", 0.0), ("right", 0.5)):
            parent, at = ("ground", (x, 0.0, 0.0)) if i == 0 else (f"{side}{i - 1}", bottom)
            mech.add_body(f"{side}{i}", link, parent, supple.Revolute("y"), at=at)
        mech.add_body(f"rung{i}", rung, f"left{i}", supple.Revolute("y"), at=bottom)
        mech.add_frame("bottom", f"right{i}", bottom)
        mech.add_frame("end", f"rung{i}", (0.5, 0.0, 0.0))
        mech.close_loop(f"loop{i}", f"rung{i}/end", f"right{i}/bottom", supple.Revolute("y"))
    return mech.build()


MODELS: dict[str, Callable[[int, int], supple.Model]] = {
    "modes": lambda links, modes: chain(beam_link(modes), links, "full"),
    "nodal": lambda _, dofs: nodal_beam(dofs),
    "constraints": lambda _, equations: ladder(equations),
}


def start(model: supple.Model) -> tuple[Any, Any, Any]:
    """Undeformed and level, turning about the first joint; a ladder is at rest and pushed there."""
    q, v, tau = model.neutral(), np.zeros(model.nv), np.zeros(model.nv)
    if model.loops is None:
        v[0] = 1.0
    else:
        tau[0] = 1.0
    return q, v, tau


def check(model: supple.Model, at: tuple[Any, Any, Any], a: Any) -> None:
    """Stop unless the accelerations are right."""
    q, v, tau = at
    if model.loops is None:
        off = largest(model.inverse_dynamics(q, v, a) - tau) / largest(model.bias_forces(q, v))
    else:
        J = model.loops.jacobian(q)
        off = largest(J @ a) / (largest(J) * largest(a))
    assert off < 1e-8, f"accelerations are wrong by {off:.1e}"


def measured(kind: str, bodies: int, size: int) -> dict[str, Any]:
    """Seconds of the first call, microseconds of one, and what serves."""
    model = MODELS[kind](bodies, size)
    at = start(model)
    begin = time.perf_counter()
    a = model.forward_dynamics(*at)
    first = time.perf_counter() - begin
    check(model, at, a)
    seconds = best_time(lambda: model.forward_dynamics(*at))
    equations = 0 if model.loops is None else len(model.loops)
    return {"nv": model.nv, "equations": equations, "first": first, "call": seconds}


def in_a_process(case: tuple[str, int, int]) -> dict[str, Any]:
    """The same in a new process with an empty cache; of small sizes, most are measured in this one."""
    if SMALL and case != CASES[0]:
        return measured(*case)
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | ({} if SMALL else {"SUPPLE_CACHE_DIR": cache})
        small = ["--small"] if SMALL else []
        command = [sys.executable, "-m", "benchmarks.speed.many_modes", *map(str, case), *small]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table, or what one case takes."""
    if ARGUMENTS:
        print(json.dumps(measured(ARGUMENTS[0], *map(int, ARGUMENTS[1:]))))
        return
    table = Table(title="Forward dynamics, each case from an empty cache")
    for column in ("case", "bodies", "degrees of freedom", "constraint equations", "first call s", "call us"):
        table.add_column(column, justify="left" if column == "case" else "right")
    for case in CASES:
        kind, bodies, size = case
        x = in_a_process(case)
        name = {"modes": f"{size} modes", "nodal": "nodal coordinates", "constraints": "ladder"}[kind]
        count = 3 * (size // 2) if kind == "constraints" else bodies
        cells = (f"{count}", f"{x['nv']}", f"{x['equations'] or ''}", f"{x['first']:.2f}", f"{1e6 * x['call']:.1f}")
        table.add_row(name, *cells)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
