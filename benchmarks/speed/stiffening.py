"""What stiffening costs: forward dynamics of links with 16 modes, with and without displacements of second order.

    python -m benchmarks.speed.stiffening [--small]

Two links and a load, one state a call. Answers are checked before: inverse dynamics undoes forward dynamics. Loads that
are critical within the range of linear elements get shapes b of their own, three for the tube and seven for the strip;
of the tube with bends only one does, and two shapes follow all of its loads as well as two can. Torsion, which spin
stiffens by the mass of the sections, takes one shape more.

The second table shows how accurate forward dynamics is for heavy loads at the tip of a boom of 12 kg, fixed to it, on a
hinge or on a spherical joint: what inverse dynamics gives back of the forces.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if "--small" not in sys.argv:
    os.environ.setdefault("SUPPLE_OPTIMIZATION", "1")  # the code that long runs come to, from the start

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time
from supple.structures import FlexibleBody, Material, Rectangle, Tube, beam, beam_path

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700.0)
CARBON = Material(E=70e9, nu=0.3, rho=1600.0)
MODES = 4 if SMALL else 16
TIMES = 2 if SMALL else 2000


def links() -> dict[str, FlexibleBody]:
    """A round tube, a flat strip, and a tube with two bends."""
    tube, strip = Tube(radius=0.02, thickness=0.001), Rectangle(0.05, 0.002)
    bends = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.3, 0.0], [0.5, 0.3, 0.2]]
    structures = {
        "straight tube": beam(1.0, tube, ALUMINIUM, elements=12),
        "flat strip": beam(1.0, strip, ALUMINIUM, elements=12),
        "bent tube": beam_path(bends, tube, ALUMINIUM, elements=4),
    }
    chosen = ["bent tube"] if SMALL else [*structures]
    return {name: structures[name].reduce("cantilever", modes=MODES) for name in chosen}


def arm(link: FlexibleBody, stiffening: bool) -> supple.Model:
    """Two links and a load."""
    mech = supple.Mechanism("arm")
    mech.add_body("upper", link, joint=supple.Revolute("z"), stiffening=stiffening)
    mech.add_body("lower", link, "upper", supple.Revolute("y"), at="end", stiffening=stiffening)
    mech.add_body("load", supple.RigidBody(1.0, inertia=(1e-3, 1e-3, 1e-3)), "lower", supple.Fixed(), at="end")
    return mech.build()


def cost(model: supple.Model) -> tuple[int, float]:
    """Operations, and microseconds a call."""
    q, v = model.random_state(0)
    tau = model.inverse_dynamics(q, v, np.random.default_rng(0).normal(size=model.nv))
    found = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau))
    assert np.abs(found - tau).max() < 1e-9 * np.abs(tau).max()
    for _ in range(TIMES):
        model.forward_dynamics(q, v, tau)
    seconds = best_time(lambda: [model.forward_dynamics(q, v, tau) for _ in range(TIMES)]) / TIMES
    return supple.count_operations(model, "forward_dynamics").total, 1e6 * seconds


def round_trip(basis: str, load: float, stiffening: bool) -> float:
    """Largest difference of forces after forward and inverse dynamics, relative to the largest force."""
    boom = beam(8.0, Tube(radius=0.05, thickness=0.003), CARBON, elements=12)
    body = boom.reduce(basis, modes=6 if basis == "cantilever" else 4)
    worst = 0.0
    for joint in [supple.Fixed(), supple.Revolute("z"), supple.Spherical()][: 1 if SMALL else 3]:
        mech = supple.Mechanism("heavy tip")
        mech.add_body("boom", body, joint=supple.Revolute("y"), stiffening=stiffening)
        mech.add_body("tip", supple.RigidBody(load, (0.3, 0.1, 0.0), (load, load, load)), "boom", joint, at="end")
        model = mech.build()
        for seed in range(3):
            q, v = model.random_state(seed)
            tau = model.inverse_dynamics(q, v, np.random.default_rng(seed).normal(size=model.nv))
            found = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau))
            worst = max(worst, float(np.abs(found - tau).max() / np.abs(tau).max()))
    return worst


def main() -> None:
    """Print both tables."""
    table = Table("link", "shapes b", "operations", "with", "ratio", "us", "with", "ratio")
    for name, link in links().items():
        (plain, t_0), (stiff, t_1) = cost(arm(link, False)), cost(arm(link, True))
        shapes = 0 if link.second_order is None else link.second_order.count
        table.add_row(
            name,
            str(shapes),
            str(plain),
            str(stiff),
            f"{stiff / plain:.2f}",
            f"{t_0:.2f}",
            f"{t_1:.2f}",
            f"{t_1 / t_0:.2f}",
        )
    console = Console(width=110)
    console.print(f"forward dynamics of two links with {MODES} modes and a load, without and with stiffening")
    console.print(table)
    tips = Table("basis", "load", "without stiffening", "with")
    for basis in ("cantilever",) if SMALL else ("cantilever", "craig-bampton"):
        for load in (1e4,) if SMALL else (1e2, 1e4, 1e6):
            found = [round_trip(basis, load, on) for on in (False, True)]
            assert max(found) < 1e-11
            tips.add_row(basis, f"{load:g} kg", *(f"{x:.1e}" for x in found))
    console.print("inverse(forward dynamics) at the tip of a boom of 12 kg, error relative to the largest force")
    console.print(tips)


if __name__ == "__main__":
    main()
