"""Error against time for eleven systems: our integrators, scipy's, SUNDIALS', and Exudyn where it has the same model.

    python -m benchmarks.runs.work_precision [names of systems] [--results FILE] [--picture FILE] [--coarse] [--small]

An error is the largest difference of a coordinate from a much finer run, relative to the largest motion of any
coordinate in the same unit; of chains, which Exudyn runs too, that of the tip. Runs are timed once all code is there,
in seconds of the processor. `--results` keeps them in a JSON file, and takes those of other systems from there, so that
a picture can be made in pieces; `--coarse` takes every other tolerance only.
The last table says, for each system, how much longer "auto" takes than the best integrator for the same error, and how
large errors are beside what was asked for.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.runs.simulation import chain, solid_link, speeds, tip_of
from benchmarks.runs.simulation import thrown as rates
from benchmarks.sizes import ARGUMENTS, SMALL
from supple.files import read
from supple.structures import Material, Rectangle, beam
from support.mechanisms.closed_mechanisms import andrews, n_four_bar
from support.mechanisms.exudyn_chain import SAMPLE, ExudynChain

Floats = NDArray[np.float64]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RTOLS: tuple[float, ...] = (1e-3, 1e-4) if SMALL else (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
if "--coarse" in ARGUMENTS:
    RTOLS = RTOLS[::2]
METHODS = ("auto", "DOP853", "CVODE") if SMALL else ("auto", "DOP853", "ESDIRK54", "RK45", "Radau", "CVODE", "IDA")
PATIENCE = 1.0 if SMALL else 1.5
"""Seconds: after a run that took longer, tighter tolerances and shorter steps are left out."""
ROUNDING = 1e-12
"""Largest motion of any coordinate in a unit, m or rad or the like, that is rounding and is not looked at."""
PEER_PATIENCE = 10.0
PEER_STEPS = (2e-4,) if SMALL else (1e-3, 2e-4, 5e-5, 1e-5)

STYLES: dict[str, dict[str, Any]] = {
    "auto": {"color": "black", "lw": 6, "alpha": 0.18, "solid_capstyle": "round"},
    "DOP853": {"color": "#0b5cad", "lw": 2, "marker": "o"},
    "ESDIRK54": {"color": "#c2410c", "lw": 2, "marker": "s"},
    "RK45": {"color": "#64748b", "lw": 1, "ls": "--", "marker": "^"},
    "Radau": {"color": "#7c3aed", "lw": 1, "ls": "--", "marker": "v"},
    "CVODE": {"color": "#15803d", "lw": 1, "ls": ":", "marker": "x"},
    "IDA": {"color": "#65a30d", "lw": 1, "ls": ":", "marker": "+"},
    "Exudyn": {"color": "#be123c", "lw": 1.2, "ls": "-.", "marker": "D"},
}
LABELS = {"RK45": "RK45 (scipy)", "Radau": "Radau (scipy)", "CVODE": "CVODE (SUNDIALS)", "IDA": "IDA (SUNDIALS)"}


@dataclass(frozen=True)
class System:
    """A motion that integrators are compared by.

    Attributes
    ----------
    made : function
        Gives the model and arguments of `supple.simulate`.
    reference : dict
        Arguments of the much finer run.
    methods : sequence of str
        Integrators that take it.
    links : int
        Of a chain, whose tip is compared; zero for others.
    """

    made: Callable[[], tuple[supple.Model, dict[str, Any]]]
    reference: dict[str, Any] = field(default_factory=lambda: {"integrator": "DOP853", "rtol": 1e-12})
    methods: Sequence[str] = METHODS
    links: int = 0


def example(name: str, **changes: Any) -> Callable[[], tuple[supple.Model, dict[str, Any]]]:
    """A model file with its run, outputs and integrator left out."""

    def made() -> tuple[supple.Model, dict[str, Any]]:
        contents = read(EXAMPLES / f"{name}.toml")
        given = contents.run_arguments()
        for key in ("outputs", "integrator", "rtol", "atol", "step", "samples"):
            given.pop(key, None)
        return contents.model, given | {"samples": 101} | changes

    return made


def squeezer() -> tuple[supple.Model, dict[str, Any]]:
    """Andrews' squeezing mechanism for 30 ms."""
    model, q = andrews()
    return model, {"duration": 0.03, "q": q, "tau": {"K1.angle": 0.033}, "samples": 101}


def four_bars() -> tuple[supple.Model, dict[str, Any]]:
    """Two four-bars in a row, pushed, until shortly before they are flat."""
    model = n_four_bar(2)
    return model, {"duration": 0.5, "v": {"rod0.angle": -1.0}, "samples": 101}


def strip() -> tuple[supple.Model, dict[str, Any]]:
    """A strip of rubber in 16 pieces falls from the level."""
    rubber = beam(2.0, Rectangle(0.02, 0.01), Material(E=5e8, nu=0.4, rho=1000.0), elements=32).pieces(16)
    mech = supple.Mechanism("strip")
    mech.add_body("strip", rubber, joint=supple.Revolute("y"))
    return mech.build(), {"duration": 0.5, "samples": 101}


def thrown(links: int, duration: float) -> Callable[[], tuple[supple.Model, dict[str, Any]]]:
    """A chain of solid links, thrown."""

    def made() -> tuple[supple.Model, dict[str, Any]]:
        model = chain(links)
        return model, {"duration": duration, "v": speeds(model, rates(links)), "samples": round(duration / SAMPLE) + 1}

    return made


SYSTEMS = {
    "heavy top": System(example("heavy_top")),
    "squeezing mechanism": System(squeezer),
    "flexible slider-crank": System(example("flexible_slider_crank", duration=0.1)),
    "four-bars": System(four_bars),
    "satellite with booms": System(example("satellite_two_booms", duration=2.0)),
    "crane": System(example("space_crane", duration=2.0)),
    "strip in 16 pieces": System(strip, methods=[name for name in METHODS if name != "IDA"]),
    "gate with stops": System(example("gate_with_stops"), methods=[name for name in METHODS if name != "IDA"]),
    "bicycle": System(example("bicycle", duration=2.0), methods=("auto", "DOP853", "RK45", "Radau")),
    "2 flexible links": System(thrown(2, 0.005 if SMALL else 0.2), links=2),
    "32 flexible links": System(
        thrown(32, 0.02), {"integrator": "leapfrog", "step": 2.5e-6}, ("auto", "DOP853", "ESDIRK54"), links=32
    ),
}
SMALL_ONES = ("gate with stops", "2 flexible links")


@dataclass(frozen=True)
class Point:
    """One run: tolerance asked for, seconds, error, and the integrator that it took."""

    rtol: float
    seconds: float
    error: float
    integrator: str


def relative_error(system: System, model: supple.Model, q: Floats, exact: Floats) -> float:
    """Largest difference of a coordinate, relative to the largest motion in its unit; of a chain, that of its tip."""
    if system.links:
        return tip_error(*(model.pose(x, tip_of(model))[1] for x in (q, exact)))
    units = np.array(model.coordinate_units)
    size = np.ptp(exact, axis=0)
    away = np.abs(q - exact).max(axis=0)
    kinds = [units == u for u in set(units) if size[units == u].max() > ROUNDING]
    return max(float(away[kind].max() / size[kind].max()) for kind in kinds)


def tip_error(p: Floats, exact: Floats) -> float:
    """Largest distance of positions, relative to the motion."""
    size = np.linalg.norm(exact - exact[0], axis=1).max()
    return float(np.linalg.norm(p - exact, axis=1).max() / size)


def points(system: System, model: supple.Model, given: dict[str, Any], exact: Floats, method: str) -> list[Point]:
    """Runs of one integrator, from loose tolerances to tight ones."""
    found: list[Point] = []
    for rtol in RTOLS:
        options = given | {"integrator": method, "rtol": rtol}
        try:
            if not found:
                supple.simulate(model, **options)  # compiles
            start = time.process_time()
            run = supple.simulate(model, **options)
            seconds = time.process_time() - start
        except supple.SuppleError as error:
            print(f"{model.name}: {method}, rtol {rtol:g}: {error}", file=sys.stderr)
            continue
        found.append(Point(rtol, seconds, relative_error(system, model, run.q.values, exact), run.attrs["integrator"]))
        if seconds > PATIENCE:
            break
    return found


def exudyn_points(model: supple.Model, given: dict[str, Any], exact: Floats) -> list[Point]:
    """Runs of Exudyn with fixed steps."""
    tips, links = model.pose(exact, tip_of(model))[1], len(model.bodies)
    found = []
    for step in PEER_STEPS:
        peer = ExudynChain(*solid_link(), "y" * links, list(rates(links)))
        start = time.process_time()
        theirs = peer.run(round(given["duration"] / step), step)
        seconds = time.process_time() - start
        found.append(Point(step, seconds, tip_error(theirs[: len(tips)], tips), "Exudyn"))
        if seconds > PEER_PATIENCE:
            break
    return found


def measured(name: str) -> dict[str, list[Point]]:
    """All runs of a system, by integrator."""
    system = SYSTEMS[name]
    model, given = system.made()
    exact = supple.simulate(model, **given | system.reference).q.values
    found = {method: points(system, model, given, exact, method) for method in system.methods if usable(method)}
    if system.links and find_spec("exudyn"):
        vars(sys)["exudynFast"] = True
        found["Exudyn"] = exudyn_points(model, given, exact)
    return {method: runs for method, runs in found.items() if runs}


def usable(method: str) -> bool:
    """Whether what an integrator needs is installed."""
    return method not in ("CVODE", "IDA") or find_spec("sksundae") is not None


def time_for(runs: list[Point], error: float) -> float:
    """Seconds for an error, between the runs; infinite if none is as good."""
    front = sorted((x for x in runs if x.error > 0), key=lambda x: x.error)
    if not front or front[0].error > error:
        return np.inf
    best = np.minimum.accumulate([x.seconds for x in reversed(front)])[::-1]  # a larger error never costs more
    return float(np.exp(np.interp(np.log(error), np.log([x.error for x in front]), np.log(best))))


def summary(name: str, found: dict[str, list[Point]]) -> list[str]:
    """Of one system: what auto took, its time against the best for the same error, errors against tolerances."""
    own = found["auto"]
    ratios = [x.seconds / min(time_for(runs, x.error) for runs in found.values()) for x in own if x.error > 0]
    shares = [x.error / x.rtol for x in own]
    taken = ", ".join(dict.fromkeys(x.integrator for x in own))
    return [name, taken, f"{np.median(ratios):.2f}", f"{max(ratios):.2f}", f"{min(shares):.1e}", f"{max(shares):.1e}"]


def read_results(file: str) -> dict[str, dict[str, list[Point]]]:
    """Runs of other calls, by system and integrator; none where there is no file."""
    if not (file and Path(file).exists()):
        return {}
    found = json.loads(Path(file).read_text())
    return {name: {key: [Point(*p) for p in runs] for key, runs in x.items()} for name, x in found.items()}


def write_results(file: str, results: dict[str, dict[str, list[Point]]]) -> None:
    """Keep runs for other calls."""
    if file:
        plain = {name: {key: [astuple(p) for p in runs] for key, runs in x.items()} for name, x in results.items()}
        Path(file).write_text(json.dumps(plain, indent=1))


def draw(results: dict[str, dict[str, list[Point]]], file: str) -> None:
    """Error against time, one field a system."""
    import matplotlib as mpl  # an extra: for the picture only

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    wide = min(3, len(results))
    rows = -(-len(results) // wide)
    figure, fields = plt.subplots(
        rows, wide, figsize=(4 * wide, 2.9 * rows + 0.6), squeeze=False, layout="constrained", sharey=True
    )
    for axes, (name, found) in zip(fields.flat, results.items(), strict=False):
        for method, runs in found.items():
            x, y = [p.seconds for p in runs], [max(p.error, 1e-15) for p in runs]
            axes.loglog(x, y, ms=4, label=LABELS.get(method, method), **STYLES[method])
        seconds = [p.seconds for runs in found.values() for p in runs]
        axes.set_xlim(*(10 ** f(np.log10(x)) for f, x in ((np.floor, min(seconds)), (np.ceil, max(seconds)))))
        axes.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
        axes.set_title(name, fontsize=10)
        axes.grid(alpha=0.25, which="major")
        axes.tick_params(labelsize=8)
    for axes in list(fields.flat)[len(results) :]:
        axes.axis("off")
    for axes in fields.flat[max(0, len(results) - wide) : len(results)]:
        axes.set_xlabel("processor seconds", fontsize=9)
    for axes in fields[:, 0]:
        axes.set_ylabel("relative error", fontsize=9)
    handles = {label: h for axes in fields.flat for h, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=len(handles), fontsize=9)
    figure.savefig(file, dpi=110)


def main() -> None:
    """Print the tables, draw the picture."""
    warnings.simplefilter("ignore", supple.PerformanceWarning)
    warnings.simplefilter("ignore", supple.PhysicsWarning)
    words = list(ARGUMENTS)
    picture, kept = (words.pop(words.index(x) + 1) if x in words else "" for x in ("--picture", "--results"))
    named = [x for x in words if not x.startswith("--")]
    console = Console(width=120)
    results = read_results(kept)
    wanted = named or [x for x in (SMALL_ONES if SMALL else SYSTEMS) if x not in results]
    for name in wanted:
        found = results[name] = measured(name)
        write_results(kept, results)
        table = Table(
            "integrator", *(f"{x:g}" for x in RTOLS), title=f"{name}: seconds, error by rtol (Exudyn: by step)"
        )
        for method, runs in found.items():
            table.add_row(method, *(f"{p.seconds:.2g} {p.error:.0e}" for p in runs))
        console.print(table)
    columns = ("system", "auto took", "times the best, median", "most", "error / rtol, least", "most")
    table = Table(*columns, title="auto beside the best integrator for the same error")
    results = {name: results[name] for name in SYSTEMS if name in results}
    for name, found in results.items():
        table.add_row(*summary(name, found))
    console.print(table)
    if picture:
        draw(results, picture)


if __name__ == "__main__":
    main()
