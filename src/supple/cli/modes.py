"""supple modes: the natural modes of a model file, at rest, settled, or over the speed of a rotor."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

import supple
import supple.view
from supple import linear
from supple.checks import Floats
from supple.cli.console import Changed, File, Floating, Formulated, Mimic, app, changes_of, err, say
from supple.drafts import draft_of
from supple.errors import warn
from supple.files import Contents, read
from supple.files.relations import listed
from supple.files.schema import run_alone
from supple.formulations import Formulation
from supple.linear.modes_report import modes_and_state
from supple.linear.spins import read_spin, spin_places, turns, without_gravity
from supple.linear.start import NothingMovesError
from supple.simulation.netcdf import packed
from supple.simulation.run_laws import RunLaws, resting

PAGES = (".html", ".htm")
COUNT, COUNT_OVER_SPEED = 20, 8
"""Modes that are shown."""


@app.command()
def modes(
    file: File,
    static: Annotated[bool, typer.Option("--static", help="Find the static equilibrium first.")] = False,
    fixed: Annotated[
        list[str] | None, typer.Option(help="Coordinate, or body whose joint is held; repeatable.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(help=f"How many modes to show; {COUNT}, with --spin {COUNT_OVER_SPEED}.")
    ] = None,
    spin: Annotated[
        list[str] | None,
        typer.Option(
            help="JOINT=start:stop:count, rad/s: modes over the speed of a joint; JOINT=speed: modes at one speed. "
            "Repeatable for joints that turn together; whirl refers to the first."
        ),
    ] = None,
    frame: Annotated[
        str, typer.Option(help="Axes in which frequencies over speed are counted: fixed, rotating or auto.")
    ] = "auto",
    orders: Annotated[
        str | None,
        typer.Option(help="Multiples of the speed whose crossings are listed; 1,2 in fixed axes, else 1,2,3,4,5."),
    ] = None,
    gravity: Annotated[bool, typer.Option("--gravity/--no-gravity", help="Whether gravity acts.")] = True,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Page (.html), by default next to the file; with --spin over a range also netCDF (.nc) with a page.",
        ),
    ] = None,
    changed: Changed = None,
    mimic: Mimic = None,
    floating_base: Floating = False,
    formulation: Formulated = None,
) -> None:
    """Show the natural modes of a model about the start of its run, its static equilibrium, or a steady rotation.

    Springs and controllers that the file gives by formulas and tables count, with the states of controllers.

    The table is printed; the page shows the modes in motion. With --spin over a range: the Campbell diagram, as tables
    and as a page, with whirl and critical speeds.
    """
    speeds = _speeds(spin or [])
    ranges = any(len(values) > 1 for values in speeds.values())
    if not ranges and output is not None and output.suffix.lower() not in PAGES:
        raise supple.StateError(f"--output: expected a name that ends in .html without a range of speeds, got {output}")
    if speeds and static:
        raise supple.StateError("--static: expected without --spin, which finds the steady rotation at every speed")
    limits = False if file.suffix.lower() == ".urdf" else None  # Of a robot they bound no start: nothing is left out.
    contents = read(file, floating_base, limits, mimic, formulation, changes_of(changed))
    shown = (COUNT_OVER_SPEED if ranges else COUNT) if count is None else count
    if ranges:
        start, held = _for_rotation(contents, speeds, fixed or [])
        _over_speed(contents.model, start, speeds, held, shown, (frame, orders, gravity), _target(file, output))
        return
    if speeds:
        start, held = _for_rotation(contents, speeds, fixed or [])
        steady = {name: float(values[0]) for name, values in speeds.items()}
        found, state = modes_and_state(contents.model, start, fixed=held, gravity=gravity, spin=steady)
    else:
        found, state = _about_start(contents, static, tuple(fixed or ()), gravity)
    if state:
        say(f"{state}\n")
    say(found.table(shown))
    page = output or file.with_name(f"{file.stem}.modes.html")
    say(f"page: {supple.view.write_modes(found, page, shown)}")


def _about_start(contents: Contents, static: bool, fixed: tuple[str, ...], gravity: bool) -> tuple[linear.Modes, str]:
    """Return the modes about the state in which the run of a file starts, under its laws, and its equilibrium in words.

    What starts with speeds is at rest, unless the start is a steady rotation.
    """
    model = contents.model if gravity else without_gravity(contents.model)
    settings = contents.run_arguments()
    run, turning = resting(model, settings)
    if not turning and settings.get("v"):
        moving = run_alone(contents.tables)["start speeds of"]
        advice = " (--spin: modes in rotation)" if all(turns(model, name) for name in moving) else ""
        _left_out(contents.path, [f"start speeds of {listed(moving)}{advice}"])
    constant = list(run.constant())
    if constant:
        _left_out(contents.path, [f"changes of {', '.join(constant)}"])
    try:
        return _under_laws(model, run, static, fixed, turning)
    except NothingMovesError as error:
        if not run.prescribed:
            raise
        raise supple.StateError(f"{error} (--set motion=[])") from None


def _under_laws(
    model: Formulation, run: RunLaws, static: bool, fixed: tuple[str, ...], turning: list[str]
) -> tuple[linear.Modes, str]:
    """Return the modes about the start of a run, or about the equilibrium next to it, and that in words."""
    if not static:
        return linear.modes(model, run.q, run.v, fixed=(*fixed, *turning), laws=run.at(run.q, run.v)), ""
    held = dict.fromkeys((*fixed, *run.prescribed))
    rest = linear.equilibrium(model, run.q, run.forces, fixed=held)
    return linear.modes(model, rest.q, fixed=fixed, laws=run.at(rest.q, rest.v)), str(rest)


def _for_rotation(
    contents: Contents, speeds: dict[str, Floats], fixed: list[str]
) -> tuple[dict[str, float] | None, list[str]]:
    """Return where the search for a steady rotation starts, and what is fixed: prescribed motions of other joints too.

    What else acts in runs is left out, by name.
    """
    settings = contents.run_arguments()
    turning = spin_places(contents.model, speeds)
    held = [name for name in settings.get("motion", ()) if name not in turning]
    named = run_alone(contents.tables) if contents.tables is not None else {}
    kinds = ("actuators of", "controllers", "wrenches", "forces tau of")
    _left_out(contents.path, [f"{kind} {listed(named[kind])}" for kind in kinds if kind in named])
    start = settings.get("q")
    return start, [*fixed, *(name for name in held if name not in fixed)]


def _left_out(file: Path, names: list[str]) -> None:
    """Name what acts in a run of the file and not in its modes."""
    if names:
        warn(f"{file}: the modes leave out {', '.join(names)}", supple.OmissionWarning)


def _target(file: Path, output: Path | None) -> Path:
    target = output or file.with_name(f"{file.stem}.campbell.html")
    if target.suffix.lower() not in (".nc", *PAGES):
        raise supple.StateError(f"--output: expected a name that ends in .nc or .html, got {target}")
    return target


def _over_speed(
    model: Formulation,
    start: dict[str, float] | None,
    speeds: dict[str, Floats],
    fixed: list[str],
    count: int,
    options: tuple[str, str | None, bool],
    target: Path,
) -> None:
    """The Campbell diagram: tables in the terminal, a page, and a netCDF file if asked for."""
    frame, orders, gravity = options
    with err.status("computing modes") if err.is_terminal else nullcontext():
        found = linear.campbell(
            model, speeds, start, fixed=fixed, frame=frame, count=count, orders=_orders(orders), gravity=gravity
        )
    say(linear.campbell_report(found))
    page = target if target.suffix.lower() in PAGES else target.with_suffix(".html")
    if page != target:
        with draft_of(target) as draft:
            draft.write_bytes(packed(found))
        say(f"results: {target}")
    say(f"page: {supple.view.write_campbell(found, page)}")


def _speeds(texts: list[str]) -> dict[str, Floats]:
    """Speeds by joint, rad/s."""
    out: dict[str, Floats] = {}
    for name, values in map(read_spin, texts):
        if name in out:
            raise supple.StateError(f"spin: {name!r} is given twice")
        out[name] = values
    return out


def _orders(text: str | None) -> list[int] | None:
    """Numbers separated by commas."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if not word.isdecimal() or int(word) < 1:
            raise supple.StateError(f"--orders: expected whole numbers separated by commas, such as 1,2, got {word!r}")
    return list(dict.fromkeys(map(int, words)))
