"""The command line: supple run, info, check, bench."""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import xarray as xr
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import supple
from supple.files import check as check_file
from supple.files import load, read_simulation

app = typer.Typer(
    help="Dynamics of rigid and flexible multibody systems.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
out = Console()
err = Console(stderr=True)

File = Annotated[Path, typer.Argument(help="Model file, .toml or .urdf.")]
Floating = Annotated[bool, typer.Option("--floating-base", help="Free what is fixed to the ground.")]


@app.command()
def run(
    file: File,
    duration: Annotated[float | None, typer.Option(help="Seconds; else what the file says.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Results file, netCDF.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.")] = None,
    integrator: Annotated[str | None, typer.Option(help="DOP853, RK45, RK23, Radau, BDF or LSODA.")] = None,
    floating_base: Floating = False,
) -> None:
    """Simulate a model and write the motion to a netCDF file."""
    model = load(file, floating_base=floating_base)
    plan = read_simulation(file) if file.suffix.lower() == ".toml" else None
    settings: dict[str, Any] = plan.arguments() if plan else {}
    for key, value in (("duration", duration), ("rtol", rtol), ("integrator", integrator)):
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


@app.command()
def info(file: File, floating_base: Floating = False) -> None:
    """Show what a model consists of: bodies, joints, masses, freedoms."""
    model = load(file, floating_base=floating_base)
    table = Table(title=f"{model.name}: {len(model.bodies)} bodies, {model.nq} coordinates, {model.nv} speeds")
    for column in ("body", "parent", "joint"):
        table.add_column(column)
    for column in ("freedoms", "mass kg", "principal inertia kg m^2"):
        table.add_column(column, justify="right")
    for k, (name, placed) in enumerate(model.description.bodies.items()):
        moments = np.linalg.eigvalsh(placed.body.inertia)
        freedoms = model.tree.v_first[k + 2] - model.tree.v_first[k + 1]
        table.add_row(
            name,
            placed.parent,
            placed.joint.kind,
            str(freedoms),
            f"{placed.body.mass:.6g}",
            " ".join(f"{m:.3g}" for m in moments),
        )
    out.print(table)
    out.print(f"total mass {model.mass:.6g} kg, gravity {model.tree.gravity.tolist()} m/s^2")
    extra = [n for n in model.frames if n != "ground" and n not in model.bodies]
    if extra:
        out.print("frames: " + ", ".join(extra))
    for c in model.couplings:
        out.print(f"the file couples {c.follower} = {c.ratio:g} {c.leader} + {c.offset:g}; both are free in this model")


@app.command()
def check(file: File) -> None:
    """Explain everything that is wrong with a model file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", supple.PhysicsWarning)
        faults = check_file(file)
    for warning in caught:
        out.print(f"note: {warning.message}", highlight=False, soft_wrap=True)
    for fault in faults:
        out.print(f"fault: {fault}", highlight=False, soft_wrap=True)
    if faults:
        raise typer.Exit(1)
    out.print(f"{file}: no faults")


@app.command()
def bench(file: File, floating_base: Floating = False) -> None:
    """Time the dynamics of a model: a single call and a batch, beside Pinocchio if it is installed."""
    from supple.bench import compare

    with err.status("timing") if err.is_terminal else nullcontext():
        table = compare(file, floating_base)
    out.print(table)


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
    """A table of where each coordinate began, ended and ranged."""
    table = Table(title=f"{model.name}: {float(result.time[-1]):g} s simulated in {seconds:.3g} s")
    for column in ("coordinate", "start", "end", "least", "greatest", "unit"):
        table.add_column(column, justify="left" if column in ("coordinate", "unit") else "right")
    for i, name in enumerate(model.coordinates[:20]):
        x = result.q.values[:, i]
        table.add_row(name, *(f"{y:.6g}" for y in (x[0], x[-1], x.min(), x.max())), model.coordinate_units[i])
    out.print(table)
    if model.nq > 20:
        out.print(f"... and {model.nq - 20} more coordinates")
    energy = (result.kinetic_energy + result.potential_energy).values
    out.print(
        f"{result.attrs['integrator']}, {result.attrs['steps']} steps, {result.attrs['evaluations']} evaluations; "
        f"energy {energy[0]:.6g} J at the start, change {energy[-1] - energy[0]:.3g} J",
        soft_wrap=True,
    )


def main() -> None:
    """Entry point: what went wrong is said in one line, without a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", supple.PhysicsWarning)
        warnings.showwarning = lambda message, *_: err.print(f"note: {message}", highlight=False)
        try:
            app()
        except (supple.SuppleError, OSError) as error:
            err.print(f"[red]error:[/red] {error}", highlight=False, soft_wrap=True)
            sys.exit(1)
