"""What `integrator="auto"` costs beside the best adaptive integrator at the same tolerance, on twenty systems.

    python -m benchmarks.runs.auto_integrator [--small] [--once] [NAME...]

All motions are compared before anything is timed. Times are those of the processor, the best of three (with `--once` of
one), code on disk; the integrators take turns, so that what else the machine does falls on all of them. Those of other
libraries are given up once they have taken longer than both of ours.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import ARGUMENTS, SMALL
from supple.files import read
from supple.formulations import Formulation
from supple.structures import Material, Rectangle, beam

RTOL = 1e-6
BEST = 1 if SMALL or "--once" in ARGUMENTS else 3
MODES = 4 if SMALL else 14
SLOW = 5.0
"""Seconds beyond which a run is not timed again."""
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = (
    "arm_under_pd_control",  # laws
    "boom_spin_up",  # a prescribed motion
    "flexible_five_bar",  # a closed loop, long
    "flexible_slider_crank",  # a closed loop, stiff
    "flexible_two_link_arm",
    "gate_with_stops",  # stops
    "hanging_chain",
    "heavy_top",  # short
    "helicopter_blade",
    "l_mechanism",
    "overhung_rotor",  # damped
    "nodal_beam",
    "rolling_coin",  # rolling
    "satellite_two_booms",
    "space_crane",  # events and laws
    "spinning_beam",  # stiff
    "stewart_platform",  # closed loops
)
OWN: dict[str, Callable[[], tuple[Formulation, dict[str, Any]]]] = {
    "stiff_arm": lambda: (stiff_arm(), {"duration": 10.0}),
    "latch": lambda: (latch(), {"duration": 2.0, "v": {"latch.angle": 1.0}}),
    "l_mechanism as equivalent rigid links": lambda: equivalent_links("l_mechanism"),
}
OWN_INTEGRATORS = ("auto", "DOP853", "ESDIRK54")
OTHERS = () if SMALL else ("RK45", "LSODA", "Radau")


def stiff_arm() -> supple.Model:
    """Two lightly damped beams with modes up to 10 kHz, swinging."""
    aluminium = Material(E=7e10, nu=0.33, rho=2700)
    body = beam(0.5, Rectangle(0.03, 0.012), aluminium, elements=20).reduce("cantilever", modes=MODES, damping=0.002)
    mech = supple.Mechanism("stiff arm")
    mech.add_body("upper", body, joint=supple.Revolute("y"))
    mech.add_body("fore", body, "upper", supple.Revolute("y", damping=0.01), at="end")
    return mech.build()


def latch() -> supple.Model:
    """A joint that decays in a microsecond beside a pendulum of a second."""
    mech = supple.Mechanism("latch")
    rod = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    mech.add_body("door", rod, joint=supple.Revolute("y"))
    mech.add_body("latch", rod, "door", supple.Revolute("y", damping=1e5, stiffness=1e6), at=(1.0, 0, 0))
    return mech.build()


def equivalent_links(name: str) -> tuple[Formulation, dict[str, Any]]:
    """An example in the other formulation."""
    contents = read(EXAMPLES / f"{name}.toml")
    assert isinstance(contents.model, supple.Model)
    return supple.erls.build(contents.model), contents.run_arguments() | {"duration": 0.1}


def system(name: str) -> tuple[Formulation, dict[str, Any]]:
    """A model, and arguments of `supple.simulate`."""
    if name in OWN:
        model, given = OWN[name]()
    else:
        contents = read(EXAMPLES / f"{name}.toml")
        given = contents.run_arguments()
        model = contents.model
    kept = {key: x for key, x in given.items() if key not in ("integrator", "rtol", "atol", "step", "outputs")}
    if SMALL:
        kept["duration"] = min(kept["duration"], 0.02)
    return model, kept


class _TooLongError(Exception):
    """A run has taken longer than it may."""


def timed(run: Callable[..., Any], most: float = np.inf) -> tuple[Any, float]:
    """What a run gives, and its seconds of the processor; nothing and infinity if it takes longer than `most`."""
    begin = time.process_time()

    def look(t: float) -> None:
        if time.process_time() - begin > most:
            raise _TooLongError

    try:
        result = run(progress=look)
    except (_TooLongError, supple.SuppleError):
        return None, np.inf
    return result, time.process_time() - begin


def best_times(runs: dict[str, Callable[..., Any]]) -> tuple[dict[str, Any], dict[str, float]]:
    """What runs give, and the least seconds of each; they take turns."""
    results, least = {name: run() for name, run in runs.items()}, dict.fromkeys(runs, np.inf)  # compiles
    for _ in range(BEST):
        for name, run in runs.items():
            if not SLOW < least[name] < np.inf:
                least[name] = min(least[name], timed(run)[1])
    return results, least


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    table = Table(title=f"Seconds at rtol {RTOL:g}, and how much longer than the best auto takes")
    for column in ("system", "speeds", *OWN_INTEGRATORS, *OTHERS, "taken", "ratio"):
        table.add_column(column, justify="right")
    worst = 0.0
    named = [x for x in ARGUMENTS if not x.startswith("--")]
    for name in named or (["stiff_arm", "latch", "heavy_top"] if SMALL else [*NAMES, *OWN]):
        model, given = system(name)
        run = partial(supple.simulate, model, rtol=RTOL, **given)
        found, seconds = best_times({x: partial(run, integrator=x) for x in OWN_INTEGRATORS})
        for x in OTHERS:
            _, seconds[x] = timed(partial(run, integrator=x), max(seconds.values()))
        motions = [result.q.values for result in found.values()]
        size = float(np.abs(motions[0]).max())
        assert all(np.abs(x - motions[0]).max() < 1e-3 * size for x in motions), f"{name}: the motions differ"
        ratio = seconds["auto"] / min(seconds.values())
        worst = max(worst, ratio)
        times = [f"{seconds[x]:.3f}" if np.isfinite(seconds[x]) else "longer" for x in seconds]
        table.add_row(name, str(model.nv), *times, found["auto"].attrs["integrator"], f"{ratio:.1f}")
        print(f"{name}, {ratio:.2f} times the best: {found['auto'].attrs['reason']}", flush=True)
    table.caption = f"at most {worst:.2f} times the best"
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
