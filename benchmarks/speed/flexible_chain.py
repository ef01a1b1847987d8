"""Forward dynamics of chains of flexible links: growth with links and modes, other routes, machine code, Exudyn.

    python -m benchmarks.speed.flexible_chain [--small]

Everything runs on one thread. The links of the first tables are beams in cantilever modes. Beside Exudyn the link is a
bar of solid elements in Craig-Bampton modes, since its floating frames take nodes without rotations only; its
build without range checks is timed, with its own integrator (generalized-alpha), beside leapfrog steps in machine code.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time
from supple.structures import FlexibleBody, Material, Rectangle, beam, box
from support.mechanisms.exudyn_chain import SAMPLE, ExudynChain

FIDELITIES = ("ruthless", "full")
LINKS, MODES = ((1, 2), (2,)) if SMALL else ((1, 3, 10, 30, 100, 300, 1000), (5, 10, 20, 50, 100, 200))
FIXED_LINKS, FIXED_MODES = (2, 2) if SMALL else (10, 10)
"""Links where modes grow, and modes where links do."""
CROSSOVER_MODES, MOST_LINKS = ((1,), 2) if SMALL else ((1, 2, 5, 10, 20), 1000)
COMPILED_LINKS, COMPILED_MODES = ((1,), (2,)) if SMALL else ((1, 3, 10), (5, 10, 20))
PEER_LINKS = (1,) if SMALL else (1, 2, 4, 8)
PEER_ELEMENTS, PEER_MODES = ((6, 1, 1), 4) if SMALL else ((20, 2, 2), 10)
ALUMINIUM = Material(E=7e10, nu=0.33, rho=2700)
DENSE = 3300
"""Speeds up to which the dense mass matrix is formed."""
BATCH, STEPS = 64, 20 if SMALL else 400
PEER_STEP, OWN_STEP, EXACT_STEP, DURATION = 1e-4, 2.5e-5, 2.5e-6, 0.01


@cache
def beam_link(modes: int) -> FlexibleBody:
    """A beam of 60 elements, 360 degrees of freedom, in this number of cantilever modes."""
    return beam(0.5, Rectangle(0.02, 0.01), ALUMINIUM, elements=60).reduce("cantilever", modes=modes)


def chain(body: FlexibleBody, links: int, fidelity: str, gravity: float = 9.81) -> supple.Model:
    """Equal links hinged about y, each to the end of the one before."""
    mech = supple.Mechanism("chain", gravity=(0.0, 0.0, -gravity))
    parent, at = "ground", None
    for k in range(links):
        mech.add_body(f"link{k}", body, parent, supple.Revolute("y"), at=at, fidelity=fidelity)
        parent, at = f"link{k}", "end"
    return mech.build()


def state(body: FlexibleBody, links: int, states: int = 1) -> tuple[Any, Any, Any]:
    """Nearly straight and slow, every mode with about the same elastic force; for one state without a leading axis."""
    rng = np.random.default_rng(0)
    squares = body.stiffness.diagonal()
    modal = 1e-3 * squares[0] / squares
    q, v = (rng.uniform(-0.02, 0.02, (states, links, 1 + body.modes)) for _ in range(2))
    q[..., 1:] *= modal
    v[..., 1:] *= np.sqrt(modal)
    q, v = (x.reshape(states, -1) for x in (q, v))
    return (q[0], v[0], np.zeros(v.shape[1])) if states == 1 else (q, v, np.zeros_like(v))


def largest(x: Any) -> float:
    """Of the absolute values."""
    return float(np.abs(x).max())


def check(model: supple.Model, at: tuple[Any, Any, Any]) -> None:
    """Stop unless inverse dynamics undoes forward dynamics, and the composite route gives the same accelerations."""
    q, v, tau = at
    a = model.forward_dynamics(q, v, tau)
    off = largest(model.inverse_dynamics(q, v, a) - tau) / largest(model.bias_forces(q, v))
    assert off < 1e-8, f"inverse dynamics does not undo forward dynamics: {off:.1e}"
    if model.nv <= DENSE:
        b = model.forward_dynamics(q, v, tau, method="composite")
        M = model.mass_matrix(q)
        # Both solve M a = f to rounding; the solutions are then equal to rounding times the condition of M, which
        # grows without limit with links and modes: looked at where that says something.
        off = largest(M @ (a - b)) / (largest(M) * largest(b))
        assert off < 1e-12, f"articulated and composite route do not solve the same equations: {off:.1e}"
        if model.nv <= 120:
            off, allowed = largest(a - b) / largest(b), 1e-14 * (100 + 10 * np.linalg.cond(M))
            assert off < allowed, f"articulated and composite route differ by {off:.1e}, more than {allowed:.1e}"


def microseconds(call: Callable[[], Any]) -> float:
    """Of one call."""
    return best_time(call) * 1e6


def repeated(call: Callable[[], Any], times: int) -> None:
    """Call it so many times: a call may be shorter than the clock is fine."""
    for _ in range(times):
        call()


def table_of(title: str, *columns: str) -> Table:
    """An empty table."""
    table = Table(title=title)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def route_times(body: FlexibleBody, links: int) -> tuple[list[float], float | None]:
    """Microseconds of a call: by the articulated route for both fidelities, by the composite route for the second."""
    at, times, dense = state(body, links), [], None
    for fidelity in FIDELITIES:
        model = chain(body, links, fidelity)
        check(model, at)
        times.append(microseconds(partial(model.forward_dynamics, *at)))
        if fidelity == "full" and model.nv <= DENSE:
            dense = microseconds(partial(model.forward_dynamics, *at, method="composite"))
    return times, dense


def growth_table(title: str, unit: str, cases: list[tuple[int, int, int]]) -> Table:
    """Times for cases of (links, modes, number of units), by unit, and by unit that a case has more than the last."""
    each = [f"us/{unit}", f"us/further {unit}"]
    columns = ("links", "modes", "ruthless us", *each, "full us", *each, "composite us", "ratio")
    table = table_of(title, *columns)
    table.caption = "composite: mass matrix and dense solution, full; ratio: to the articulated route"
    last = None
    for links, modes, count in cases:
        times, dense = route_times(beam_link(modes), links)
        before, fewer = last or ([np.nan, np.nan], 0)
        more = [(t - b) / (count - fewer) for t, b in zip(times, before, strict=True)]
        cells = [(f"{t:.1f}", f"{t / count:.3f}", f"{m:.3f}" if last else "") for t, m in zip(times, more, strict=True)]
        rest = (f"{dense:.0f}", f"{dense / times[1]:.1f}") if dense else ("", "")
        table.add_row(str(links), str(modes), *cells[0], *cells[1], *rest)
        last = times, count
    return table


def links_table() -> Table:
    """Growth with the number of links."""
    cases = [(links, FIXED_MODES, links) for links in LINKS]
    return growth_table("One call, one state, generic engine: number of links", "link", cases)


def modes_table() -> Table:
    """Growth with the number of modes of a link."""
    cases = [(FIXED_LINKS, modes, FIXED_LINKS * modes) for modes in MODES]
    return growth_table("One call, one state, generic engine: number of modes", "mode", cases)


def crossover_table() -> Table:
    """Where the articulated route begins to be the faster one, and the one of fewer operations."""
    title = f"Smallest number of links for which the articulated route is cheaper; batch of {BATCH} states"
    columns = ("modes", "fidelity", "one state", "batch", "us a state there", "composite", "operations")
    table = table_of(title, *columns, "there", "composite")
    for modes in CROSSOVER_MODES:
        for fidelity in FIDELITIES:
            cells: list[str] = []
            for costs, digits in ((costs_of_one, None), (costs_of_batch, 2), (operations, 0)):
                links = 1
                while (pair := costs(chain(beam_link(modes), links, fidelity), modes))[0] >= pair[1]:
                    if links == MOST_LINKS:
                        break
                    links += 1
                cells += [str(links), *(f"{x:,.{digits}f}" for x in pair if digits is not None)]
            table.add_row(str(modes), fidelity, *cells)
    return table


def costs_of_one(model: supple.Model, modes: int, states: int = 1) -> tuple[float, float]:
    """Microseconds a state: articulated route, composite route."""
    at = state(beam_link(modes), len(model.bodies), states)
    own, other = (
        best_time(partial(model.forward_dynamics, *at, method=way), 0.1) for way in ("articulated", "composite")
    )
    return own * 1e6 / states, other * 1e6 / states


def costs_of_batch(model: supple.Model, modes: int) -> tuple[float, float]:
    """The same in a batch."""
    return costs_of_one(model, modes, BATCH)


def operations(model: supple.Model, _: int) -> tuple[float, float]:
    """Those of the articulated route; of mass matrix, bias forces and Cholesky's solution without regard to zeros."""
    n = model.nv
    counts = {what: model.compile(what).operations.total for what in ("forward_dynamics", "mass_matrix", "bias_forces")}
    return counts.pop("forward_dynamics"), sum(counts.values()) + n**3 / 3 + 2 * n**2


def compiled_table() -> Table:
    """Machine code made for each chain."""
    columns = ("links", "modes", "fidelity", "operations", "compile s", "compiled us", "generic us", "ratio")
    table = table_of("One call, one state, machine code for the chain", *columns)
    for links in COMPILED_LINKS:
        for modes in COMPILED_MODES:
            for fidelity in FIDELITIES:
                model, at = chain(beam_link(modes), links, fidelity), state(beam_link(modes), links)
                begin = time.perf_counter()
                f = model.compile("forward_dynamics", threads=1)
                f(*at)
                spent = time.perf_counter() - begin
                expected = model.forward_dynamics(*at)
                assert largest(f(*at) - expected) < 1e-7 * largest(expected), "compiled and generic engine differ"
                own = microseconds(partial(repeated, partial(f, *at), 100)) / 100
                generic = microseconds(partial(model.forward_dynamics, *at))
                numbers = (f"{f.operations.total:,}", f"{spent:.2f}", f"{own:.2f}", f"{generic:.1f}")
                table.add_row(str(links), str(modes), fidelity, *numbers, f"{generic / own:.1f}")
    return table


def peer_table() -> Table:
    """Steps of Exudyn and leapfrog steps on the same chain, with what they make of its motion."""
    structure = box(0.5, 0.02, 0.01, ALUMINIUM, PEER_ELEMENTS)
    body = structure.reduce("craig-bampton", modes=PEER_MODES)
    columns = ("links", "speeds", "Exudyn us/step", "leapfrog us/step", "ratio", "Exudyn s", "leapfrog s", "ratio")
    title = f"Solid links, {body.modes} coordinates each; one step, and 1 s of motion"
    table = table_of(title, *columns, "Exudyn off, m", "leapfrog off, m")
    table.caption = (
        f"Steps of {PEER_STEP:g} s (Exudyn) and {OWN_STEP:g} s (leapfrog, which must resolve the highest mode, "
        f"{max_frequency(body):.0f} Hz). off: of the tip, in the first {DURATION:g} s."
    )
    for links in PEER_LINKS:
        rates = np.resize([4.0, -9.0], links)
        model = chain(body, links, "full", gravity=0.0)
        walk = walker(model, rates)
        exact, rough = (walk(round(DURATION / h), h) for h in (EXACT_STEP, OWN_STEP))
        peer = ExudynChain(structure, body, "y" * links, list(rates))
        theirs = peer.run(round(DURATION / PEER_STEP), PEER_STEP)
        off = [largest(x - exact) for x in (theirs, rough)]
        assert off[0] < 1e-4, f"Exudyn and supple differ by {off[0]:.1e} m"
        a_step = best_time(partial(peer.run, STEPS, PEER_STEP), 2.0) / STEPS
        own = best_time(partial(walk, STEPS, OWN_STEP), 1.0) / STEPS
        second = a_step / PEER_STEP, own / OWN_STEP
        numbers = (a_step * 1e6, own * 1e6, a_step / own, *second, second[0] / second[1])
        formats = (".0f", ".1f", ".1f", ".2f", ".2f", ".1f")
        cells = [format(x, f) for x, f in zip(numbers, formats, strict=True)]
        table.add_row(str(links), str(model.nv), *cells, *(f"{x:.1e}" for x in off))
    return table


def max_frequency(body: FlexibleBody) -> float:
    """Hz."""
    return float(np.sqrt(body.stiffness.diagonal().max()) / (2 * np.pi))


def walker(model: supple.Model, rates: Any) -> Callable[[int, float], Any]:
    """A function of steps and their length: positions of the tip every `SAMPLE` seconds."""
    start = np.zeros(model.nv)
    start[[model.speed_index(f"{body}.angle") for body in model.bodies]] = rates
    rollout = model.compile("rollout", integrator="leapfrog")

    def walk(steps: int, step: float) -> Any:
        q, _ = rollout(model.neutral(), start, np.zeros((steps, model.nv)), step)
        return model.pose(q[:: round(SAMPLE / step)], f"{model.bodies[-1]}/end")[1]

    return walk


def main() -> None:
    """Print the tables."""
    vars(sys)["exudynFast"] = True
    warnings.simplefilter("ignore", supple.PerformanceWarning)
    console = Console(width=140)
    with tempfile.TemporaryDirectory() as fresh:
        for table in (links_table, modes_table, crossover_table):
            console.print(table())
        os.environ["SUPPLE_CACHE_DIR"] = fresh
        console.print(compiled_table())
        if find_spec("exudyn"):
            console.print(peer_table())
        else:
            console.print("Exudyn is not installed: no comparison with it")


if __name__ == "__main__":
    main()
