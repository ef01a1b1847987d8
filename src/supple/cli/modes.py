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
from supple.cli.console import Changed, File, Floating, Formulated, app, changes_of, err, say
from supple.drafts import draft_of
from supple.files import read
from supple.formulations import Formulation
from supple.linear.modes_report import modes_and_state
from supple.linear.spins import read_spin
from supple.simulation.netcdf import packed

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
            "--output", "-o", help="Page (.html); with --spin over a range also netCDF (.nc) with a page beside it."
        ),
    ] = None,
    changed: Changed = None,
    floating_base: Floating = False,
    formulation: Formulated = None,
) -> None:
    """Show the natural modes of a model about its neutral configuration, its static equilibrium, or a steady rotation.

    The table is printed; the page shows the modes in motion. With --spin over a range: the Campbell diagram, as tables
    and as a page, with whirl and critical speeds.
    """
    speeds = _speeds(spin or [])
    ranges = any(len(values) > 1 for values in speeds.values())
    if not ranges and output is not None and output.suffix.lower() not in PAGES:
        raise supple.StateError(f"--output: expected a name that ends in .html without a range of speeds, got {output}")
    if speeds and static:
        raise supple.StateError("--static: expected without --spin, which finds the steady rotation at every speed")
    model = read(file, floating_base, formulation=formulation, changes=changes_of(changed)).model
    shown = (COUNT_OVER_SPEED if ranges else COUNT) if count is None else count
    if ranges:
        _over_speed(model, speeds, fixed or (), shown, (frame, orders, gravity), _target(file, output))
        return
    steady = {name: float(values[0]) for name, values in speeds.items()} or None
    found, state = modes_and_state(model, static=static, fixed=fixed or (), gravity=gravity, spin=steady)
    if state:
        say(f"{state}\n")
    say(found.table(shown))
    page = output or Path(f"{file.stem}.modes.html")
    say(f"page: {supple.view.write_modes(found, page, shown)}")


def _target(file: Path, output: Path | None) -> Path:
    target = output or Path(f"{file.stem}.campbell.html")
    if target.suffix.lower() not in (".nc", *PAGES):
        raise supple.StateError(f"--output: expected a name that ends in .nc or .html, got {target}")
    return target


def _over_speed(
    model: Formulation,
    speeds: dict[str, Floats],
    fixed: list[str] | tuple[()],
    count: int,
    options: tuple[str, str | None, bool],
    target: Path,
) -> None:
    """The Campbell diagram: tables in the terminal, a page, and a netCDF file if asked for."""
    frame, orders, gravity = options
    with err.status("computing modes") if err.is_terminal else nullcontext():
        found = linear.campbell(
            model, speeds, fixed=fixed, frame=frame, count=count, orders=_orders(orders), gravity=gravity
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
