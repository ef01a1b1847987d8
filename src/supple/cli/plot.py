"""supple plot: lay the results of runs over each other."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

import supple
import supple.view
from supple.cli.console import app, out, row, say, table_of
from supple.results.runs import Runs

SHOWN = 12
"""Signals that the table lists."""
PAGES = (".html", ".htm")


@app.command()
def plot(
    files: Annotated[list[Path], typer.Argument(help="Results, .nc; the others are compared with the first.")],
    of: Annotated[
        list[str] | None,
        typer.Option(help="Signal, or the end of its name: arm.angle, boom/end.z, work; repeatable. All if not given."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page to write; by default named after the files, .plot.html.")
    ] = None,
) -> None:
    """Plot runs over each other on a page, with their differences from the first; say the largest differences."""
    target = output or Path("-".join(dict.fromkeys(file.stem for file in files[:3])) + ".plot.html")
    if target.suffix.lower() not in PAGES:
        raise supple.StateError(f"--output: expected a name for a page, such as runs.html, got {target}")
    with ExitStack() as opened:
        results = [opened.enter_context(supple.open_results(file)) for file in files]
        runs = Runs(dict(zip(_names(files), results, strict=True)), of or ())
        _differences(runs)
        say(f"page: {supple.view.write_runs(runs, target)}")


def _names(files: list[Path]) -> list[str]:
    """What the runs are called: their files, with as much of the path as tells them apart."""
    for count in range(1, max(len(Path(os.path.realpath(file)).parts) for file in files)):
        names = [os.sep.join(Path(os.path.realpath(file)).with_suffix("").parts[-count:]) for file in files]
        if len(set(names)) == len(files):
            return names
    raise supple.StateError(f"expected results of several runs, got {files[0]} more than once")


def _differences(runs: Runs) -> None:
    """A table of the largest differences of each run from the first."""
    reference, *others = runs.names
    shown = runs.ordered()
    for i, name in enumerate(others):
        table = table_of(
            f"{name} less {reference}", "signal", "largest difference>", "unit", "at, s>", "% of the range>"
        )
        for key in shown if runs.asked else shown[:SHOWN]:
            x = runs.differences[key][i]
            row(table, key, f"{x.largest:.4g}", x.unit, f"{x.at:.6g}", f"{100 * x.share:.3g}")
        out.print(table)
        if not runs.asked and len(shown) > SHOWN:
            say(f"... and {len(shown) - SHOWN} more signals that differ less")
        if name in runs.interpolated:
            say(f"{name}: sampled at other times than {reference}; one of them is interpolated by a spline")
