"""supple run: simulate a model file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import xarray as xr
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import supple
from supple.cli.console import File, Floating, app, err, out, row, table_of
from supple.files import load, read_simulation
from supple.structures.body import FlexibleBody
from supple.view import write_report

SHOWN_JOINTS = 20
SHOWN_MODES = 6
"""How many coordinates a summary lists."""


@app.command()
def run(
    file: File,
    duration: Annotated[float | None, typer.Option(help="Seconds; else what the file says.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Results file, netCDF.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.")] = None,
    integrator: Annotated[
        str | None, typer.Option(help="DOP853, RK45, RK23, Radau, BDF, LSODA; generalized_alpha, leapfrog, rk4.")
    ] = None,
    step: Annotated[float | None, typer.Option(help="Seconds, of fixed steps.")] = None,
    report: Annotated[
        bool, typer.Option(help="Write a page with plots and the moving model beside the results.")
    ] = True,
    floating_base: Floating = False,
) -> None:
    """Simulate a model; write the motion to a netCDF file, and a page to look at it."""
    model = load(file, floating_base=floating_base)
    plan = read_simulation(file) if file.suffix.lower() == ".toml" else None
    settings: dict[str, Any] = plan.arguments() if plan else {}
    for key, value in (("duration", duration), ("rtol", rtol), ("integrator", integrator), ("step", step)):
        if value is not None:
            settings[key] = value
    if "duration" not in settings:
        raise supple.StateError(f"{file}: no duration: give --duration, or [simulation] duration in the file")
    target = output or Path(f"{file.stem}.nc")
    started = time.perf_counter()
    with _bar("simulating") as bar:
        task = bar.add_task("", total=settings["duration"], shown="compiling")

        def show(t: float) -> None:
            bar.update(task, completed=t, shown=f"t = {t:.3g} s")

        result = supple.simulate(model, progress=show, **settings)
    result.to_netcdf(target, engine="h5netcdf")
    _summary(model, result, time.perf_counter() - started)
    out.print(f"results: {target}")
    if report:
        out.print(f"report: {write_report(model, result, target.with_suffix('.html'))}")


def _bar(what: str) -> Progress:
    """A progress bar on the error output, if that is a terminal; gone when the work is done."""
    return Progress(
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


def _summary(model: supple.Model, result: xr.Dataset, seconds: float) -> None:
    """Tables of where the coordinates began, ended and ranged: those of joints, then the modes that moved most."""
    bodies = model.description.bodies.items()
    deforming = {f"{name}.{x}" for name, b in bodies if isinstance(b.body, FlexibleBody) for x in b.body.labels}
    modes = [i for i, name in enumerate(model.coordinates) if name in deforming]
    joints = [i for i, name in enumerate(model.coordinates) if name not in deforming]
    title = f"{model.name}: {float(result.time[-1]):g} s simulated in {seconds:.3g} s"
    _ranges(title, model, result, joints[:SHOWN_JOINTS])
    if len(joints) > SHOWN_JOINTS:
        out.print(f"... and {len(joints) - SHOWN_JOINTS} more coordinates")
    if modes:
        sizes = np.abs(result.q.values).max(axis=0)
        largest = sorted((i for i in modes if sizes[i] > 0), key=lambda i: -sizes[i])
        _ranges(f"the largest of {len(modes)} coordinates of deformation", model, result, largest[:SHOWN_MODES])
    energy = (result.kinetic_energy + result.potential_energy).values
    out.print(
        f"{result.attrs['integrator']}, {result.attrs['steps']} steps, {result.attrs['evaluations']} evaluations; "
        f"energy {energy[0]:.6g} J at the start, change {energy[-1] - energy[0]:.3g} J",
        soft_wrap=True,
    )


def _ranges(title: str, model: supple.Model, result: xr.Dataset, coordinates: list[int]) -> None:
    table = table_of(title, "coordinate", "start>", "end>", "least>", "greatest>", "unit")
    for i in coordinates:
        x = result.q.values[:, i]
        values = [f"{y:.6g}" for y in (x[0], x[-1], x.min(), x.max())]
        row(table, model.coordinates[i], *values, model.coordinate_units[i])
    if coordinates:
        out.print(table)
