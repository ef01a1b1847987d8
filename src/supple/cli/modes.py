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
from supple.cli.console import File, Floating, Formulated, app, err, say
from supple.drafts import draft_of
from supple.files import read
from supple.formulations import Formulation
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
            help="JOINT=start:stop:count, rad/s: modes over the speed of a joint; repeatable for joints that turn "
            "together. The first sets the axis."
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
        typer.Option("--output", "-o", help="With --spin: netCDF file (.nc) with a page beside it, or a page (.html)."),
    ] = None,
    floating_base: Floating = False,
    formulation: Formulated = None,
) -> None:
    """Show the natural modes of a model about its neutral configuration, its static equilibrium, or a steady rotation.

    With --spin: the Campbell diagram, as tables and as a page, with whirl and critical speeds.
    """
    if not spin and output is not None:
        raise supple.StateError("--output: expected with --spin, whose diagram is written")
    if spin and static:
        raise supple.StateError("--static: expected without --spin, which finds the steady rotation at every speed")
    model = read(file, floating_base, formulation=formulation).model
    if spin:
        shown = COUNT_OVER_SPEED if count is None else count
        _over_speed(model, spin, fixed or (), shown, (frame, orders, gravity), _target(file, output))
        return
    shown = COUNT if count is None else count
    say(linear.modes_report(model, static=static, fixed=fixed or (), count=shown, gravity=gravity))


def _target(file: Path, output: Path | None) -> Path:
    target = output or Path(f"{file.stem}.campbell.html")
    if target.suffix.lower() not in (".nc", *PAGES):
        raise supple.StateError(f"--output: expected a name that ends in .nc or .html, got {target}")
    return target


def _over_speed(
    model: Formulation,
    spin: list[str],
    fixed: list[str] | tuple[()],
    count: int,
    options: tuple[str, str | None, bool],
    target: Path,
) -> None:
    """The Campbell diagram: tables in the terminal, a page, and a netCDF file if asked for."""
    frame, orders, gravity = options
    speeds = dict(_different([read_spin(text) for text in spin]))
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


def _different(spins: list[tuple[str, Floats]]) -> list[tuple[str, Floats]]:
    names = [name for name, _ in spins]
    for name in names:
        if names.count(name) > 1:
            raise supple.StateError(f"spin: {name!r} is given twice")
    return spins


def _orders(text: str | None) -> list[int] | None:
    """Numbers separated by commas."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if not word.isdecimal() or int(word) < 1:
            raise supple.StateError(f"--orders: expected whole numbers separated by commas, such as 1,2, got {word!r}")
    return list(dict.fromkeys(map(int, words)))
