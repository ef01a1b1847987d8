"""Whole simulations: a stiff arm against scipy's RK45, and chains of solid links against Exudyn.

    python -m benchmarks.runs.simulation [stiff] [default [2] [32]] [chain] [--small]

Motions are compared before anything is timed. Compiling is timed apart: code is on disk when the runs are timed. The
table "default" asks how long Exudyn takes for the error that a run with default settings has: its steps are made
shorter and shorter, and what is left is extrapolated by its order. The other way round, its
last column says how much longer each run takes than the fastest of ours that is no less exact.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import integrate

import supple
from benchmarks.sizes import ARGUMENTS, SMALL
from supple.inputs.inputs import Inputs
from supple.simulation.driven_system import DrivenSystem
from supple.structures import FlexibleBody, Material, Rectangle, Structure, beam, box
from support.mechanisms.exudyn_chain import SAMPLE, ExudynChain

ALUMINIUM = Material(E=7e10, nu=0.33, rho=2700)
SECONDS = 0.02 if SMALL else 10.0
PEER_STEP = 1e-4
PEER_SPAN = {2: 0.02} if SMALL else {2: 1.0, 32: 0.1}
"""Seconds for which Exudyn runs, by the number of links; its time is proportional to the steps."""
OWN_SPAN = 0.02 if SMALL else 1.0
"""Seconds for which chains run here."""


def stiff_arm() -> supple.Model:
    """Two beams with modes up to 10 kHz, swinging."""
    elements, modes = (6, 4) if SMALL else (20, 14)
    rod = beam(0.5, Rectangle(0.03, 0.012), ALUMINIUM, elements)
    body = rod.reduce("cantilever", modes=modes, damping=0.002)
    mech = supple.Mechanism("stiff arm")
    mech.add_body("upper", body, joint=supple.Revolute("y"))
    mech.add_body("fore", body, "upper", supple.Revolute("y", damping=0.01), at="end")
    return mech.build()


def timed(call: Any) -> tuple[Any, float]:
    """What a call gives, and its seconds."""
    begin = time.perf_counter()
    found = call()
    return found, time.perf_counter() - begin


def stiff_table() -> Table:
    """The default integrator beside RK45 on the same rates."""
    model = stiff_arm()
    bodies = [p.body for p in model.description.bodies.values() if isinstance(p.body, FlexibleBody)]
    frequency = max(np.sqrt(body.stiffness.diagonal().max()) for body in bodies) / (2 * np.pi)
    _, cold = timed(lambda: supple.simulate(model, 0.01, samples=3))
    result, own = timed(lambda: supple.simulate(model, SECONDS))
    system = DrivenSystem(model, Inputs(model), model.neutral(), np.zeros(model.nv))
    start = np.concatenate([model.neutral(), np.zeros(model.nv)])
    peer, theirs = timed(
        lambda: integrate.solve_ivp(
            lambda t, y: system.rate(t, y, system.u_0), (0.0, SECONDS), start, "RK45", rtol=1e-6, atol=1e-8
        )
    )
    tips = [model.pose(q, "fore/end")[1] for q in (result.q.values[-1], peer.y[: model.nq, -1])]
    off = float(np.linalg.norm(tips[0] - tips[1]))
    assert off < 1e-4, f"the two motions end {off:.1e} m apart"
    implicit, third = timed(
        lambda: supple.simulate(model, SECONDS, integrator=supple.integrators.GeneralizedAlpha(1e-4), samples=201)
    )
    lag = float(np.linalg.norm(model.pose(implicit.q.values[-1], "fore/end")[1] - tips[0]))
    table = Table(title=f"Two beams, modes up to {frequency:.0f} Hz, {SECONDS:g} s; first use {cold:.1f} s")
    for column in ("integrator", "steps", "evaluations", "s", "ratio", "tip off, m"):
        table.add_column(column, justify="right")
    rows = [
        (f"default: {result.attrs['integrator']}", result.attrs["steps"], result.attrs["evaluations"], own, 0.0),
        ("scipy RK45", len(peer.t) - 1, peer.nfev, theirs, off),
        ("generalized_alpha, 1e-4 s", implicit.attrs["steps"], implicit.attrs["evaluations"], third, lag),
    ]
    for name, steps, evaluations, seconds, away in rows:
        table.add_row(name, f"{steps:,}", f"{evaluations:,}", f"{seconds:.2f}", f"{seconds / own:.1f}", f"{away:.1e}")
    table.caption = result.attrs["reason"]
    return table


@cache
def solid_link() -> tuple[Structure, FlexibleBody]:
    """A bar of solid elements with 10 internal modes, 16 coordinates."""
    structure = box(0.5, 0.02, 0.01, ALUMINIUM, (6, 1, 1) if SMALL else (20, 2, 2))
    return structure, structure.reduce("craig-bampton", modes=2 if SMALL else 10)


def chain(links: int, gravity: float = 0.0) -> supple.Model:
    """Solid links hinged about y, without stiffening, which Exudyn's floating frames do not have."""
    mech = supple.Mechanism("chain", gravity=(0.0, 0.0, -gravity))
    parent, at = "ground", None
    for k in range(links):
        mech.add_body(f"link{k}", solid_link()[1], parent, supple.Revolute("y"), at=at, stiffening=False)
        parent, at = f"link{k}", "end"
    return mech.build()


SAME_ERROR = {2: 0.005} if SMALL else {2: 0.2, 32: 0.02}
"""Seconds of motion in which errors are compared with default settings, by the number of links."""
SHORTER = {2: (1e-4, 5e-5)} if SMALL else {2: (1e-4, 2.5e-5, 6.25e-6, 1.5625e-6), 32: (1e-4, 2.5e-5, 6.25e-6)}
"""Steps of Exudyn, s, by the number of links: as short as can be waited for."""
LOOSE: list[dict[str, Any]] = [
    {"integrator": "DOP853", "rtol": 1e-4},
    {"integrator": "DOP853", "rtol": 1e-2},
    {"integrator": "ESDIRK54", "rtol": 1e-3},
    {"integrator": "ESDIRK54", "rtol": 1e-2},
    {"integrator": supple.integrators.GeneralizedAlpha(1e-4, rho=1.0)},
    {"integrator": supple.integrators.GeneralizedAlpha(2.5e-5, rho=1.0)},
]
"""Settings of ours for the larger errors of Exudyn."""


class Timed(NamedTuple):
    """A run: what took it, the length of its steps, seconds of the processor, largest error of the tip, m."""

    integrator: str
    step: float
    seconds: float
    error: float


def processor(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and its seconds of the processor: others may be at work."""
    begin = time.process_time()
    found = call()
    return found, time.process_time() - begin


def default_table(links: int) -> Table:
    """A thrown chain with default settings, and Exudyn with steps that come nearer and nearer to its error."""
    model, rates, span = chain(links), thrown(links), SAME_ERROR[links]
    run = partial(supple.simulate, model, span, v=speeds(model, rates), samples=round(span / SAMPLE) + 1)
    _, cold = processor(run)
    exact = model.pose(run(integrator="DOP853", rtol=1e-12).q.values, tip_of(model))[1]
    size = float(np.linalg.norm(exact - exact[0], axis=1).max())

    def own(settings: dict[str, Any]) -> Timed:
        run(**settings)  # compiles
        found, seconds = processor(partial(run, **settings))
        error = float(np.abs(model.pose(found.q.values, tip_of(model))[1] - exact).max())
        tolerance = f", rtol {found.attrs['rtol']:g}" if "rtol" in found.attrs else ""
        return Timed(found.attrs["integrator"] + tolerance, span / found.attrs["steps"], seconds, error)

    ours = [own(settings) for settings in ({}, *LOOSE[: 1 if SMALL else None])]
    theirs = []
    for step in SHORTER[links]:
        peer = ExudynChain(*solid_link(), "y" * links, list(rates))
        tips, seconds = processor(partial(peer.run, round(span / step), step))
        off = float(np.abs(tips[: len(exact)] - exact).max())
        assert off < 2e-3, f"Exudyn and supple differ by {off:.1e} m"
        theirs.append(Timed("Exudyn, generalized-alpha", step, seconds, off))
    return _default_rows(
        ours, theirs, size, f"{links} links, {span:g} s thrown, tip moves by {size:.2g} m; first {cold:.1f} s"
    )


def _default_rows(ours: list[Timed], theirs: list[Timed], size: float, title: str) -> Table:
    """The runs; what Exudyn would take for the error of the first of ours, by the order that its last runs show or, if
    that is higher, the order 2 of its method.
    """
    table = Table(title=title)
    columns = ("step, s", "s", "tip off, m", "of the motion", "times the default", "times ours, no less exact")
    for column in ("integrator", *columns):
        table.add_column(column, justify="right")
    for x in (*ours, *theirs):
        no_worse = min(y.seconds for y in ours if y.error <= x.error)
        ratios = f"{x.seconds / ours[0].seconds:.1f}", f"{x.seconds / no_worse:.1f}"
        table.add_row(
            x.integrator, f"{x.step:.2g}", f"{x.seconds:.2f}", f"{x.error:.1e}", f"{x.error / size:.1e}", *ratios
        )
    (a, b), goal = theirs[-2:], ours[0]
    order = max(2.0, np.log(a.error / b.error) / np.log(a.step / b.step))
    shorter = (b.error / goal.error) ** (1.0 / order)
    cells = f"{b.step / shorter:.1e}", f"{b.seconds * shorter:.0f}", f"{goal.error:.1e}", f"{goal.error / size:.1e}"
    ratio = f"{b.seconds * shorter / goal.seconds:.0f}"
    table.add_row(f"Exudyn, extrapolated by order {order:.2f}", *cells, ratio, ratio)
    return table


def thrown(links: int) -> Any:
    """Speeds of the hinges at the beginning, rad/s."""
    return np.resize([2.0, -4.0], links) / (links / 2)


def speeds(model: supple.Model, rates: Any) -> dict[str, float]:
    """The same by name."""
    return {f"{body}.angle": rate for body, rate in zip(model.bodies, rates, strict=True)}


SETTINGS: dict[int, list[dict[str, Any]]] = {
    2: [
        {},
        {"integrator": supple.integrators.GeneralizedAlpha(1e-4, rho=1.0)},
        {"integrator": supple.integrators.GeneralizedAlpha(2.5e-5, rho=1.0)},
        {"integrator": supple.integrators.ESDIRK54(1e-3)},
        {"integrator": supple.integrators.ESDIRK54(1e-6)},
        {"rtol": 1e-6, "atol": 1e-8},
    ],
    32: [
        {"integrator": supple.integrators.GeneralizedAlpha(1e-4, rho=1.0)},
        {"integrator": supple.integrators.ESDIRK54(1e-2)},
        {"integrator": supple.integrators.ESDIRK54(1e-3)},
    ],
}
"""Of the runs, by the number of links; the first of two links is the default."""
SHORT = {2: 0.02} if SMALL else {2: 1.0, 32: 0.02}
"""Seconds over which motions are compared: all, or what a much finer run can do."""


def fine(model: supple.Model, start: dict[str, float], samples: int) -> Any:
    """A motion far more accurate than what it is compared with."""
    if model.nv < 100:
        settings: dict[str, Any] = {"integrator": "DOP853", "rtol": 1e-11, "atol": 1e-13}
    else:
        settings = {"integrator": "leapfrog", "step": 2.5e-6}
    span = SHORT[len(model.bodies)]
    return model.pose(supple.simulate(model, span, v=start, samples=samples, **settings).q.values, tip_of(model))[1]


def tip_of(model: supple.Model) -> str:
    """The end of the chain."""
    return f"{model.bodies[-1]}/end"


def chain_table(links: int) -> Table:
    """One second of a chain that is thrown, beside Exudyn."""
    model, rates, short = chain(links), thrown(links), SHORT[links]
    start = speeds(model, rates)
    samples = round(short / SAMPLE) + 1
    exact = fine(model, start, samples)
    span = PEER_SPAN[links]
    peer = ExudynChain(*solid_link(), "y" * links, list(rates))
    theirs, seconds = timed(lambda: peer.run(round(span / PEER_STEP), PEER_STEP))
    off = float(np.abs(theirs[:samples] - exact).max())
    assert off < 2e-3, f"Exudyn and supple differ by {off:.1e} m"
    table = Table(title=f"{links} links, {model.nv} degrees of freedom, 1 s of motion")
    for column in ("integrator", "step, s", "s", "Exudyn takes, times as long", f"tip off in {short:g} s, m"):
        table.add_column(column, justify="right")
    table.add_row("Exudyn, generalized-alpha", f"{PEER_STEP:g}", f"{seconds / span:.2f}", "", f"{off:.1e}")
    for settings in SETTINGS[links]:
        run = partial(supple.simulate, model, OWN_SPAN, v=start, samples=round(OWN_SPAN / SAMPLE) + 1, **settings)
        run()  # compiles; a shorter run might not be worth that, and leave it to this one
        result, own = timed(run)
        away = float(np.abs(model.pose(result.q.values[:samples], tip_of(model))[1] - exact).max())
        length = result.attrs.get("step", OWN_SPAN / result.attrs["steps"])
        cells = (f"{length:.2g}", f"{own / OWN_SPAN:.2f}", f"{seconds / span / (own / OWN_SPAN):.0f}", f"{away:.1e}")
        tolerance = f", rtol {result.attrs['rtol']:g}" if "rtol" in result.attrs else ""
        table.add_row(result.attrs["integrator"] + tolerance, *cells)
    table.caption = f"Exudyn was run for {span:g} s of motion."
    return table


def main() -> None:
    """Print the tables."""
    vars(sys)["exudynFast"] = True
    warnings.simplefilter("ignore", supple.PerformanceWarning)
    console = Console(width=120)
    wanted = ARGUMENTS or ["stiff", "default", "chain"]
    if "stiff" in wanted:
        console.print(stiff_table())
    if "default" in wanted and find_spec("exudyn"):
        for links in [int(x) for x in wanted if x.isdigit()] or SAME_ERROR:
            console.print(default_table(links))
    if "chain" in wanted and find_spec("exudyn"):
        for links in PEER_SPAN:
            console.print(chain_table(links))


if __name__ == "__main__":
    main()
