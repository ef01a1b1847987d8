"""Forward dynamics of equivalent rigid links beside floating frames: growth with modes and links.

    python -m benchmarks.speed.equivalent_rigid_links [most modes] [most links] [--small]

Everything runs on one thread. The links are beams in modes of the free structure, the same for both formulations, with
joints about different axes. Two times of each: machine code made for the arm, states one after another; and the
generic engine on one state (numpy for equivalent rigid links, compiled recursions for floating frames). Before a
case is timed both formulations give the same short motion of the tip, and machine code the accelerations of the generic
engine. The link matrices are made once for a link; their time stands apart, as does that of tracing and compiling.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import ARGUMENTS, SMALL, best_time
from supple.compare.costs import STATES
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.erls import ErlsModel, build, matched_state
from supple.model.compiled import LARGEST, LIMIT
from supple.structures import FlexibleBody, Material, Rectangle, beam

ALUMINIUM = Material(E=7e10, nu=0.33, rho=2700)
MODES, LINKS = ((2,), (1,)) if SMALL else ((2, 4, 6, 8, 12, 16), (1, 2, 3, 4, 5, 6))
LINK_MODES = 2 if SMALL else 4
"""Of each link where their number grows."""
STEPS, STEP, CLOSE = 200, 2e-5, 5e-3
"""Of the motion that is compared: steps of the classical Runge-Kutta method, s, and the share of the deflection."""


@dataclass(frozen=True)
class Times:
    """Of one formulation of an arm: operations, seconds to trace and compile, microseconds of an evaluation."""

    operations: int
    made: float
    compiled: float
    generic: float


@cache
def link(modes: int) -> FlexibleBody:
    """A beam of 20 elements with a mass at its end, in this number of modes of the free beam."""
    rod = beam(0.5, Rectangle(0.02, 0.012), ALUMINIUM, elements=20).with_mass("end", 0.05, inertia=(1e-5, 2e-5, 3e-5))
    return rod.reduce("free-free", modes=modes)


def arm(links: int, modes: int) -> supple.Mechanism:
    """Links one after another, hinged about z, y, x in turn."""
    mech = supple.Mechanism("arm")
    for i in range(links):
        parent, at = ("ground", None) if i == 0 else (f"l{i - 1}", "end")
        mech.add_body(f"l{i}", link(modes), parent, supple.Revolute("zyx"[i % 3]), at)
    return mech


def tip_motion(model: supple.Model | ErlsModel, code: Any, q: Any, v: Any) -> Any:
    """Positions of the tip along a short motion without drives."""
    n, none = model.nv, np.zeros(model.nv)
    y, out = np.concatenate([q, v]), []

    def rate(y: Any) -> Any:
        return np.concatenate([y[n:], code(y[:n].copy(), y[n:].copy(), none)])

    for _ in range(STEPS):
        k1 = rate(y)
        k2 = rate(y + STEP / 2 * k1)
        k3 = rate(y + STEP / 2 * k2)
        y = y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + STEP * k3))
        out.append(y[:n])
    return np.array(out)


def code_of(model: supple.Model | ErlsModel) -> tuple[CompiledFunction | None, int, float]:
    """Machine code, its operations, and the seconds of tracing and compiling; none where it would be too long."""
    begin = time.perf_counter()
    function = model.forward_dynamics_function(LIMIT)
    if len(function.order) > LARGEST:
        return None, function.operations.total, time.perf_counter() - begin
    code = CompiledFunction.of(function, threads=1)
    return code, function.operations.total, time.perf_counter() - begin


def checked(mech: supple.Mechanism) -> list[Times]:
    """Times of both formulations, floating frames first, after they were found to give the same motion."""
    floating, rigid = mech.build(), build(mech)
    start = floating.neutral(), np.zeros(floating.nv)
    start[0][~floating.is_mode] = np.linspace(0.3, 0.6, int(np.sum(~floating.is_mode)))
    start[1][0] = 2.0
    tip = f"{floating.bodies[-1]}/end"
    out, paths = [], []
    for model in (floating, rigid):
        code, operations, made = code_of(model)
        q, v = start if isinstance(model, supple.Model) else matched_state(rigid, *start)
        if code is None:
            out.append(Times(operations, made, np.nan, generic_time(model)))
            continue
        x, s = model.random_state(1)
        expected = model.forward_dynamics(x, s, np.ones(model.nv))
        off = np.abs(code(x, s, np.ones(model.nv)) - expected).max() / np.abs(expected).max()
        assert off < 1e-6, f"machine code and generic engine differ by {off:.1e}"
        path = tip_motion(model, code, q, v)
        paths.append(model.pose(path, tip)[1])
        if model is floating:
            straight = floating.pose(path * ~floating.is_mode, tip)[1]
        out.append(Times(operations, made, compiled_time(model, code), generic_time(model)))
    if len(paths) == 2:
        deflection = np.linalg.norm(paths[0] - straight, axis=1).max()
        gap = np.linalg.norm(paths[0] - paths[1], axis=1).max() / deflection
        assert gap < CLOSE, f"the formulations part by {gap:.1e} of a deflection of {1e3 * deflection:.2g} mm"
    return out


def compiled_time(model: supple.Model | ErlsModel, code: CompiledFunction) -> float:
    """Microseconds of one state."""
    q, v = (np.stack(x) for x in zip(*(model.random_state(i) for i in range(STATES)), strict=True))
    return best_time(partial(code, q, v, np.zeros_like(v))) / STATES * 1e6


def generic_time(model: supple.Model | ErlsModel) -> float:
    """Microseconds of one call for one state."""
    q, v = model.random_state(1)
    return best_time(partial(model.forward_dynamics, q, v, np.zeros(model.nv))) * 1e6


def times_table(title: str, cases: list[tuple[int, int]]) -> Table:
    """Times for cases of (links, modes)."""
    table = Table(title=title)
    both = ("operations", "made s", "compiled us", "generic us")
    columns = ["links", "modes", *(f"{x}, floating" for x in both), *(f"{x}, rigid links" for x in both), "ratio"]
    for column in columns:
        table.add_column(column, justify="right")
    table.caption = "made: traced and compiled; ratio: of compiled times, rigid links over floating frames"
    for links, modes in cases:
        cells = []
        theirs, ours = checked(arm(links, modes))
        for x in (theirs, ours):
            cells += [f"{x.operations:,}", f"{x.made:.2f}", f"{x.compiled:.2f}", f"{x.generic:.0f}"]
        table.add_row(str(links), str(modes), *cells, f"{ours.compiled / theirs.compiled:.2f}")
    return table


def matrices_table(modes: list[int]) -> Table:
    """What is done once for a link: reduction of the structure, and the matrices of the equivalent rigid link."""
    table = Table(title="One link, once")
    for column in ("modes", "reduction ms", "link matrices ms"):
        table.add_column(column, justify="right")
    for n in modes:
        reduction = best_time(partial(link.__wrapped__, n))
        matrices = best_time(partial(build, arm(1, n)))
        table.add_row(str(n), f"{1e3 * reduction:.1f}", f"{1e3 * matrices:.1f}")
    return table


def main() -> None:
    """Print the tables."""
    most_modes, most_links = (int(x) for x in (ARGUMENTS + ["16", "6"][len(ARGUMENTS) :])[:2])
    modes, links = [n for n in MODES if n <= most_modes], [n for n in LINKS if n <= most_links]
    console = Console(width=180)
    console.print(matrices_table(modes))
    cases = {f"{n} links: number of modes of a link": [(n, m) for m in modes] for n in ((2,) if SMALL else (2, 3))}
    cases[f"{LINK_MODES} modes a link: number of links"] = [(n, LINK_MODES) for n in links]
    for title, sizes in cases.items():
        with tempfile.TemporaryDirectory() as fresh:
            os.environ["SUPPLE_CACHE_DIR"] = fresh
            console.print(times_table(title, sizes))


if __name__ == "__main__":
    main()
