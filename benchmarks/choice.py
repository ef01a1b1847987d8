"""What `integrator="auto"` costs beside the best adaptive integrator at the same tolerance, on examples and stiff arms.

    python benchmarks/choice.py [--small] [NAME...]

All motions are compared before anything is timed. Times are those of the processor, the best of three, code on disk.
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
from sizes import ARGUMENTS, SMALL
from supple.files import read
from supple.structures import Material, Rectangle, beam

RTOL = 1e-6
BEST = 1 if SMALL else 3
SLOW = 5.0
"""Seconds beyond which a run is not timed again."""
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NAMES = (
    "arm_under_pd_control",
    "boom_spin_up",
    "flexible_five_bar",
    "flexible_slider_crank",
    "flexible_two_link_arm",
    "gate_with_stops",
    "hanging_chain",
    "heavy_top",
    "helicopter_blade",
    "l_mechanism",
    "l_mechanism_torque",
    "nodal_beam",
    "overhung_rotor",
    "rolling_coin",
    "satellite_two_booms",
    "space_crane",
    "spinning_beam",
    "stewart_platform",
)
OWN: dict[str, Callable[[], tuple[supple.Model, dict[str, Any]]]] = {
    "stiff_arm": lambda: (stiff_arm(), {"duration": 10.0}),
    "latch": lambda: (latch(), {"duration": 2.0, "v": {"latch.angle": 1.0}}),
}
INTEGRATORS = ("auto", "DOP853", "ESDIRK54")


def stiff_arm() -> supple.Model:
    """Two lightly damped beams with modes up to 10 kHz, swinging."""
    aluminium = Material(E=7e10, nu=0.33, rho=2700)
    body = beam(0.5, Rectangle(0.03, 0.012), aluminium, elements=20).reduce("cantilever", modes=14, damping=0.002)
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


def system(name: str) -> tuple[supple.Model, dict[str, Any]]:
    """A model, and arguments of `supple.simulate`."""
    if name in OWN:
        model, given = OWN[name]()
    else:
        contents = read(EXAMPLES / f"{name}.toml")
        given = contents.run_arguments()
        assert isinstance(contents.model, supple.Model)
        model = contents.model
    kept = {key: x for key, x in given.items() if key not in ("integrator", "rtol", "atol", "step", "outputs")}
    if SMALL:
        kept["duration"] = min(kept["duration"], 0.02)
    return model, kept


def best_time(run: Callable[[], Any]) -> tuple[Any, float]:
    """What a run gives, and the least seconds of the processor."""
    result, least = run(), np.inf
    for _ in range(BEST):
        begin = time.process_time()
        result = run()
        least = min(least, time.process_time() - begin)
        if least > SLOW:
            break
    return result, least


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    table = Table(title=f"Seconds at rtol {RTOL:g}, and how much longer than the best auto takes")
    for column in ("system", "speeds", *INTEGRATORS, "taken", "ratio"):
        table.add_column(column, justify="right")
    for name in ARGUMENTS or ([*OWN, "heavy_top"] if SMALL else [*NAMES, *OWN]):
        model, given = system(name)
        found = {x: best_time(partial(supple.simulate, model, integrator=x, rtol=RTOL, **given)) for x in INTEGRATORS}
        motions = [result.q.values for result, _ in found.values()]
        size = float(np.abs(motions[0]).max())
        assert all(np.abs(x - motions[0]).max() < 1e-3 * size for x in motions), f"{name}: the motions differ"
        seconds = {x: least for x, (_, least) in found.items()}
        ratio = seconds["auto"] / min(seconds.values())
        times = [f"{seconds[x]:.3f}" for x in INTEGRATORS]
        table.add_row(name, str(model.nv), *times, found["auto"][0].attrs["integrator"], f"{ratio:.1f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
