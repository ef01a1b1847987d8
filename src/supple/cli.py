"""The command line: supple run, modes, info, check, bench."""

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
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import supple
from supple.files import check as check_file
from supple.files import load, read_simulation
from supple.linear import print_modes
from supple.structures.body import FlexibleBody
from supple.structures.eigen import lowest_modes
from supple.view import write_report

app = typer.Typer(
    help="Dynamics of rigid and flexible multibody systems.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
out = Console()
err = Console(stderr=True)
SHOWN_JOINTS = 20
SHOWN_MODES = 6
"""How many coordinates a summary lists."""

File = Annotated[Path, typer.Argument(help="Model file, .toml or .urdf.")]
Floating = Annotated[bool, typer.Option("--floating-base", help="Free what is fixed to the ground.")]


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


@app.command()
def modes(
    file: File,
    static: Annotated[bool, typer.Option("--static", help="Let the model settle under its loads first.")] = False,
    fixed: Annotated[
        list[str] | None, typer.Option(help="Coordinate, or body whose joint is held; repeatable.")
    ] = None,
    count: Annotated[int, typer.Option(help="How many modes to show.")] = 20,
    floating_base: Floating = False,
) -> None:
    """Show the natural modes of a model about its neutral posture, or about where it settles."""
    model = load(file, floating_base=floating_base)
    text = print_modes(model, static=static, fixed=fixed or (), count=count)
    out.print(text, highlight=False, markup=False, soft_wrap=True)


@app.command()
def info(
    file: File,
    modes: Annotated[bool, typer.Option("--modes", help="Add the modes of the flexible bodies.")] = False,
    floating_base: Floating = False,
) -> None:
    """Show what a model consists of: bodies, joints, masses, freedoms, modes."""
    model = load(file, floating_base=floating_base)
    title = f"{model.name}: {len(model.bodies)} bodies, {model.nq} coordinates, {model.nv} speeds"
    table = _table(title, "body", "parent", "joint", "freedoms>", "mass kg>", "principal inertia kg m^2>")
    for k, (name, placed) in enumerate(model.description.bodies.items(), start=1):
        moments = np.linalg.eigvalsh(placed.body.inertia)
        freedoms = model.tree.v_mode[k] - model.tree.v_first[k]
        carrier = placed.parent if placed.node is None else f"{placed.parent}/{placed.node}"
        inertia = " ".join(f"{m:.3g}" for m in moments)
        _row(table, name, carrier, placed.joint.kind, freedoms, f"{placed.body.mass:.6g}", inertia)
    out.print(table)
    _show_flexible(model, modes)
    out.print(f"total mass {model.mass:.6g} kg, gravity {model.tree.gravity.tolist()} m/s^2")
    extra = [n for n in model.frames if n != "ground" and n not in model.bodies]
    if extra:
        out.print("frames: " + ", ".join(extra), markup=False)
    for c in model.couplings:
        out.print(
            f"the file couples {c.follower} = {c.ratio:g} {c.leader} + {c.offset:g}; both are free in this model",
            markup=False,
        )


def _show_flexible(model: supple.Model, modes: bool) -> None:
    """A table of the flexible bodies; if asked for also their modes, once for those that are the same."""
    table = _table("flexible bodies", "body", "basis", "root", "fidelity", "coordinates>", "lowest Hz>")
    alike: dict[int, tuple[FlexibleBody, list[str]]] = {}
    for name, placed in model.description.bodies.items():
        body = placed.body
        if isinstance(body, FlexibleBody):
            lowest = " ".join(f"{f:.4g}" for f in _lowest_frequencies(body))
            _row(table, name, body.basis, body.root, placed.fidelity, body.modes, lowest)
            alike.setdefault(id(body), (body, []))[1].append(name)
    if alike:
        out.print(table)
    for body, names in alike.values() if modes else ():
        out.print(f"{', '.join(names)}:", markup=False)
        out.print(str(body.report or "no report in its file"), highlight=False, markup=False, soft_wrap=True)


def _lowest_frequencies(body: FlexibleBody, count: int = 3) -> NDArray[np.float64]:
    """Hz, with the root held."""
    if body.basis == "nodal":
        squares, _ = lowest_modes(body.stiffness, body.mass_matrix, count)
    else:
        squares = np.sort(body.stiffness.diagonal())[:count]
    return np.sqrt(squares) / (2 * np.pi)


@app.command()
def check(file: File) -> None:
    """Explain everything that is wrong with a model file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", supple.PhysicsWarning)
        faults = check_file(file)
    for warning in caught:
        out.print(f"note: {warning.message}", highlight=False, markup=False, soft_wrap=True)
    for fault in faults:
        out.print(f"fault: {fault}", highlight=False, markup=False, soft_wrap=True)
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


def _table(title: str, *columns: str) -> Table:
    """An empty table, columns with > right-aligned; names are shown as they are, brackets and all."""
    table = Table(title=escape(title))
    for column in columns:
        table.add_column(column.removesuffix(">"), justify="right" if column.endswith(">") else "left")
    return table


def _row(table: Table, *cells: object) -> None:
    table.add_row(*(escape(str(cell)) for cell in cells))


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
    table = _table(title, "coordinate", "start>", "end>", "least>", "greatest>", "unit")
    for i in coordinates:
        x = result.q.values[:, i]
        values = [f"{y:.6g}" for y in (x[0], x[-1], x.min(), x.max())]
        _row(table, model.coordinates[i], *values, model.coordinate_units[i])
    if coordinates:
        out.print(table)


def main() -> None:
    """Entry point: what went wrong is said in one line, without a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", supple.PhysicsWarning)
        warnings.showwarning = lambda message, *_: err.print(
            f"note: {message}", highlight=False, markup=False, soft_wrap=True
        )
        try:
            app()
        except (supple.SuppleError, OSError) as error:
            err.print(f"[red]error:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
            sys.exit(1)
