"""supple sweep: many runs of a model file with other numbers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import supple
import supple.view
from supple.cli.console import Changed, Lines, app, changes_of, err, out, row, say, table_of
from supple.sweeps.case_blocks import FAILED, FINISHED, NOT_RUN, STOPPED
from supple.sweeps.progression import ENGINES
from supple.sweeps.sweep_store import SUFFIX
from supple.sweeps.sweep_summary import summary as statistics
from supple.sweeps.sweep_tables import summary_tables

if TYPE_CHECKING:
    import xarray as xr

SHOWN_FAILURES = 10
LABELS, NUMBERS = 24, 34
"""Letters of the first column of statistics, and of the column of a measure."""


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument(help="Model file, .toml, with a table [sweep].")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=f"Directory for the results; FILE{SUFFIX} if not given.")
    ] = None,
    samples: Annotated[int | None, typer.Option(help="Number of cases.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of all that is random.")] = None,
    engine: Annotated[str, typer.Option(help=f"{', '.join(ENGINES)}.")] = "auto",
    workers: Annotated[int | None, typer.Option(help="Number of processes.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, tcp://HOST:PORT.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Time after which a case is given up, s.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted sweep.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Continue it, and run failed cases once more.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Start over, and discard the sweep there.")] = False,
    changed: Changed = None,
) -> None:
    """Run a model file with other numbers, as its table [sweep] says, and keep what is measured of each case.

    Finished cases are written during the sweep. Continue an interrupted one with --resume.
    """
    target = output or Path(f"{file.stem}{SUFFIX}")
    try:
        with _Bar() as bar:
            found = supple.sweep(
                file,
                samples=samples,
                seed=seed,
                changes=changes_of(changed),
                store=target,
                engine=engine,
                workers=workers,
                scheduler=scheduler,
                timeout=timeout,
                resume=resume,
                retry=retry,
                overwrite=overwrite,
                progress=bar.show,
            )
    except KeyboardInterrupt:
        say(f"stopped; {_kept(target)}", err)
        raise typer.Exit(130) from None
    with found as result:
        for name in result.variables:
            if result[name].ndim < 2:  # trajectories stay on the disk, but for those that the page shows
                result[name].load()
        found_statistics = summary(result)
        say(f"results: {target}")
        if not np.isin(result.status.values, (FINISHED, STOPPED)).any():
            raise supple.SimulationError("all cases failed")
        options = ["--sweep", str(target)] if samples is not None or seed is not None else []
        options += [x for change in changed or () for x in ("--set", change)]
        page = supple.view.write_sweep(result, page_of(target), file=file, options=options, found=found_statistics)
        say(f"page: {page}")


def page_of(target: Path) -> Path:
    """The page beside the results."""
    return target.with_name(f"{target.name.removesuffix('.zarr')}.html")


def _kept(target: Path) -> str:
    """What is on disk of a sweep that was interrupted, and what to do with it."""
    try:
        with supple.open_sweep(target) as found:
            status = found.status.values
    except supple.ResultsError:
        return "nothing was written yet"
    done = int(np.sum(status != NOT_RUN))
    return f"{done} of {len(status)} cases are in {target}; continue with --resume"


def summary(result: xr.Dataset) -> xr.Dataset | None:
    """Print what came of the cases: how many finished, statistics of their measures, and why others failed."""
    status, n = result.status.values, result.sizes["case"]
    done = np.isin(status, (FINISHED, STOPPED))
    counts = [f"{n} cases", f"{int(done.sum())} finished"]
    for kind, words in ((STOPPED, "of them stopped by an event"), (FAILED, "failed"), (NOT_RUN, "not run")):
        if np.any(status == kind):
            counts.append(f"{int(np.sum(status == kind))} {words}")
    say(f"{result.attrs['title']}: {', '.join(counts)}")
    found = statistics(result) if done.any() and any("formula" in x.attrs for x in result.data_vars.values()) else None
    if found is not None:
        _statistics(found)
    failed = np.flatnonzero(status == FAILED)
    for case in failed[:SHOWN_FAILURES]:
        say(f"case {case} failed: {result.message.values[case]}")
    if len(failed) > SHOWN_FAILURES:
        say(f"... and {len(failed) - SHOWN_FAILURES} more; the variable message has all")
    return found


def _statistics(found: xr.Dataset) -> None:
    """Print statistics of all measures, what they depend on, and what to know about the numbers."""
    for title, columns, rows in summary_tables(found, max(1, (out.width - LABELS) // NUMBERS)):
        if not title.startswith("Failed"):  # they are printed with their messages in full
            table = table_of(title, *columns)
            for cells in rows:
                row(table, *cells)
            out.print(table)
    say(found.attrs["notes"])


class _Bar:
    """A bar on the error output, if that is a terminal, with the rate and the failures; gone when it is done.

    Elsewhere a line a minute.
    """

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("sweeping"),
            BarColumn(),
            TextColumn("{task.fields[shown]}"),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._progress.add_task("", total=None, shown="the first case, compiling")
        self._lines = Lines("sweeping")
        self._first: tuple[float, int] | None = None

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, done: int, failed: int, total: int) -> None:
        """Move it on."""
        now = time.perf_counter()
        if self._first is None:
            self._first = now, done
        rate = (done - self._first[1]) / max(now - self._first[0], 1e-9)
        shown = f"{done} of {total}, {rate:.3g}/s" + (f", {failed} failed" if failed else "")
        self._progress.update(self._task, completed=done, total=total, shown=shown)
        self._lines.show(done / max(1, total), shown)
