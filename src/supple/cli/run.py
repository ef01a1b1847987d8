"""supple run: simulate a model file."""

from __future__ import annotations

import json
import os
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import supple
import supple.view
from supple.cli.console import (
    Changed,
    File,
    Floating,
    Formulated,
    Limits,
    Lines,
    Mimic,
    app,
    changes_of,
    err,
    out,
    overridden,
    row,
    say,
    table_of,
)
from supple.files import Contents, read
from supple.integrators import BY_NAME
from supple.linear_theory.basis_errors import basis_errors
from supple.linear_theory.validity import HEADING, warnings_of
from supple.simulation.accuracy import estimated_error
from supple.simulation.recording import require_suffix

if TYPE_CHECKING:
    import xarray as xr

    from supple.sweeps.repeated_case import SweepCase

SHOWN_JOINTS = 20
SHOWN_MODES = 6
SHOWN_EVENTS = 20
"""How many lines of each a summary has."""


@app.command()
def run(
    file: File,
    duration: Annotated[float | None, typer.Option(help="Seconds; by default what the file says.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Results file, netCDF: a name that ends in .nc.")
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.")] = None,
    integrator: Annotated[
        str | None, typer.Option(help=f"{', '.join(BY_NAME)}. Replaces that of the file with its options.")
    ] = None,
    step: Annotated[float | None, typer.Option(help="Length of fixed steps, s.")] = None,
    samples: Annotated[int | None, typer.Option(help="Output times, both ends included.")] = None,
    sensitivities: Annotated[
        list[str] | None,
        typer.Option("--sensitivity", help="A parameter by which the motion is differentiated; may be given again."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run twice, first with finer steps, and estimate the error of the result.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Start over, and discard an unfinished run.")] = False,
    report: Annotated[
        bool, typer.Option(help="Write a page with plots and the model in motion beside the results.")
    ] = True,
    limits: Limits = None,
    mimic: Mimic = None,
    changed: Changed = None,
    floating_base: Floating = False,
    formulation: Formulated = None,
    case: Annotated[int | None, typer.Option(help="Run one case of the sweep that the file describes.")] = None,
    of_sweep: Annotated[
        Path | None, typer.Option("--sweep", help="With --case: results of the sweep, whose values are taken.")
    ] = None,
) -> None:
    """Simulate a model; write the motion to a netCDF file, and a page to look at it.

    The results are written during the run. Resume an interrupted run with --resume.
    """
    target = output or Path(f"{file.stem}.nc")
    try:
        given: dict[str, Any] = {
            "duration": duration,
            "rtol": rtol,
            "integrator": integrator,
            "step": step,
            "samples": samples,
            "sensitivities": sensitivities or None,
        }
        changes = changes_of(changed)
        repeated = _case(file, case, of_sweep, changes)
        if repeated is not None:
            changes |= repeated.changes
        contents = read(file, floating_base, limits, mimic, formulation, changes)
        model, settings = contents.model, _settings(contents, given)
        settings["check"] = check
        _require_other(target, file)
        started = time.perf_counter()
        with _Bar(settings["duration"]) as bar, warnings.catch_warnings():
            # What is out of the range of its theory is said in the summary.
            warnings.filterwarnings("ignore", f".*{HEADING}", supple.PhysicsWarning)
            found = supple.simulate(
                model, progress=bar.show, file=target, resume=resume, overwrite=overwrite, **settings
            )
        with found:
            result = found.load()
        _summary(model, result, time.perf_counter() - started)
        if repeated is not None:
            for line in repeated.measured(model, result, settings):
                say(line)
        say(f"results: {target}")
        if report:
            say(f"report: {supple.view.write_report(model, result, target.with_suffix('.html'))}")
    except KeyboardInterrupt:
        say(f"stopped; {_kept(target)}", err)
        raise typer.Exit(130) from None
    except supple.SimulationError as error:
        raise supple.SimulationError(f"{error}\n{_kept(target, 'start over with --overwrite')}") from None


def _case(file: Path, case: int | None, store: Path | None, changes: dict[str, Any]) -> SweepCase | None:
    """The case of a sweep that is to be repeated, if one is asked for; what it needs is imported only then."""
    if case is None:
        if store is not None:
            raise supple.StateError("--sweep: expected with --case, got it alone")
        return None
    found: SweepCase = import_module("supple.sweeps.repeated_case").sweep_case(file, case, store, changes)
    return found


def _settings(contents: Contents, given: dict[str, Any]) -> dict[str, Any]:
    """Return what to do with the model, by the file and by the options that are given."""
    settings = overridden(contents.run_arguments(), given)
    if "duration" not in settings:
        raise supple.StateError(f"{contents.path}: no duration: give --duration, or [simulation] duration in the file")
    return settings


def _require_other(target: Path, file: Path) -> None:
    """Refuse to write results over the model, or under a name of another format, such as that of the report."""
    if os.path.realpath(target) == os.path.realpath(file):
        raise supple.StateError(f"{file}: the results would take the place of the model; give another --output")
    require_suffix(target)


def _kept(target: Path, advice: str = "continue it with --resume") -> str:
    """What is on disk of a run that was interrupted or failed, and what to do with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", supple.ResultsWarning)
            with supple.open_results(target) as result:
                reached, finished = float(result.time[-1]), result.attrs.get("finished", 1)
    except supple.ResultsError:
        return "nothing was written yet"
    if finished:
        return f"{target} holds a finished run"
    return f"the motion up to t = {reached:.6g} s is in {target}; {advice}"


class _Bar:
    """A bar on the error output, if that is a terminal, with the speed against real time; gone when it is done.

    Elsewhere a line a minute.
    """

    def __init__(self, duration: float) -> None:
        self._started = time.perf_counter()
        self._progress = Progress(
            TextColumn("simulating"),
            BarColumn(),
            TextColumn("{task.fields[shown]}"),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._progress.add_task("", total=duration, shown="compiling")
        self._lines, self._duration = Lines("simulating"), duration
        self._first: float | None = None

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, t: float) -> None:
        """Move it to a simulated time."""
        if self._first is None:
            self._first, self._started = t, time.perf_counter()
        speed = (t - self._first) / max(time.perf_counter() - self._started, 1e-9)
        shown = f"t = {t:.4g} s, {speed:.3g} x real time"
        self._progress.update(self._task, completed=t, shown=shown)
        self._lines.show(t / self._duration, shown)


def _summary(model: supple.Model, result: xr.Dataset, seconds: float) -> None:
    """Tables of where the coordinates began, ended and ranged: those of joints, then the modes that moved most."""
    modes = [int(i) for i in model.q_of_speed[model.is_mode]]
    joints = sorted(set(range(model.nq)).difference(modes))
    title = f"{model.name}: {float(result.time[-1]):g} s simulated in {seconds:.3g} s"
    if joints:
        _ranges(title, model, result, joints[:SHOWN_JOINTS])
    else:
        say(title)
    if len(joints) > SHOWN_JOINTS:
        say(f"... and {len(joints) - SHOWN_JOINTS} more coordinates")
    if modes:
        sizes = np.abs(result.q.values).max(axis=0)
        largest = sorted((i for i in modes if sizes[i] > 0), key=lambda i: -sizes[i])
        if largest:
            _ranges(f"the largest of {len(modes)} coordinates of deformation", model, result, largest[:SHOWN_MODES])
    energy = (result.kinetic_energy + result.potential_energy).values
    change = f"energy {energy[0]:.6g} J at the start, change {energy[-1] - energy[0]:.3g} J"
    if "work" in result:
        change += f", work of the actuators {float(result.work[-1]):.3g} J"
    counts = f"{result.attrs['steps']:,} steps, {result.attrs['evaluations']:,} evaluations"
    say(f"{result.attrs['integrator']}: {result.attrs['reason']}")
    if str(result.attrs["error_control"]).startswith("none"):
        say(f"error control: {result.attrs['error_control']}, or give --rtol")
    say(f"{counts}; {change}")
    if known := estimated_error(result):
        say(known)
    for t, names in json.loads(result.attrs.get("independent", "[]"))[:SHOWN_EVENTS]:
        say(f"t = {t:.6g} s: independent: {', '.join(names)}")
    if model.loops is not None:
        for t, name in model.loops.singular_configurations(result.time.values, result.q.values)[:SHOWN_EVENTS]:
            say(f"t = {t:.6g} s: near a singular configuration, where {name!r} is redundant")
    happened = json.loads(result.attrs["events"])
    for t, name in happened[:SHOWN_EVENTS]:
        say(f"t = {t:.6g} s: {name}")
    if len(happened) > SHOWN_EVENTS:
        say(f"... and {len(happened) - SHOWN_EVENTS} more events, the last at t = {happened[-1][0]:.6g} s")
    for line in (*warnings_of(result), *map(str, basis_errors(model.mechanism_model()))):
        say(f"warning: {line}")


def _ranges(title: str, model: supple.Model, result: xr.Dataset, coordinates: list[int]) -> None:
    table = table_of(title, "coordinate", "start>", "end>", "minimum>", "maximum>", "unit")
    for i in coordinates:
        x = result.q.values[:, i]
        values = [f"{y:.4g}" for y in (x[0], x[-1], x.min(), x.max())]
        row(table, model.coordinates[i], *values, model.coordinate_units[i])
    out.print(table)
