"""supple fit: numbers of a model file from measured signals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import supple
import supple.view
from supple.checks import is_number
from supple.cli.console import Changed, app, changes_of, out, row, say, table_of
from supple.files.changes import read_change
from supple.identification.fit_files import compared_runs, write_fitted
from supple.identification.fit_result import COLUMNS


@app.command()
def fit(
    file: Annotated[Path, typer.Argument(help="Model file, .toml, that says what is simulated.")],
    data: Annotated[
        Path,
        typer.Option(help="Measured signals: a CSV file with a column time and one for each signal, or results, .nc."),
    ],
    vary: Annotated[
        list[str],
        typer.Option(
            help="What is fitted, with commas between: body.load.mass,joint.damping=0.1 with a start; repeatable."
        ),
    ],
    of: Annotated[
        list[str] | None, typer.Option(help="Column of the data to use; repeatable. All if not given.")
    ] = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            help="Standard deviation of the noise: 0.01, or arm.angle=0.01; repeatable. Estimated if not given."
        ),
    ] = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH=LOW:HIGH", help="Bounds of a value; either may be left out; repeatable."),
    ] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH=MEAN:DEVIATION", help="What is known of a value beforehand; repeatable."),
    ] = None,
    missing: Annotated[str, typer.Option(help="refuse samples that are not a number, or skip them.")] = "refuse",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The fitted model file; by default FILE.fitted.toml, its page beside it."),
    ] = None,
    changed: Changed = None,
) -> None:
    """Fit numbers of a model to measured signals; print them with their uncertainty.

    Writes the model file with the fitted numbers, and a page that lays measured and fitted signals over each other.
    """
    target = output or Path(f"{file.stem}.fitted.toml")
    if target.suffix.lower() != ".toml":
        raise supple.StateError(f"--output: expected a name for a model file, such as fitted.toml, got {target}")
    found = supple.fit(
        file,
        data,
        _starts(vary),
        signals=of or (),
        noise=_noise(noise or []),
        bounds=_pairs(bounds or [], "--bounds"),
        priors=_pairs(prior or [], "--prior"),  # type: ignore[arg-type]
        missing=missing,
        changes=changes_of(changed),
    )
    table = table_of(f"fit of {file} to {data}", *COLUMNS)
    for cells in found.rows():
        row(table, *cells)
    out.print(table)
    for line in found.remarks():
        say(line)
    say(f"fitted model: {write_fitted(found, target)}")
    say(f"page: {supple.view.write_runs(compared_runs(found), target.with_suffix('.html'))}")


def _starts(texts: list[str]) -> dict[str, float | None]:
    """Paths, with the numbers that the search starts from where they are given."""
    found: dict[str, float | None] = {}
    for word in (x.strip() for text in texts for x in text.split(",")):
        path, value = read_change(word) if "=" in word else (word, None)
        if value is not None and not is_number(value):
            raise supple.StateError(f"--vary: {path!r}: expected a number to start from, got {value!r}")
        if path in found:
            raise supple.StateError(f"--vary: {path!r} stands twice")
        found[path] = value
    return found


def _noise(texts: list[str]) -> float | dict[str, float] | None:
    """One level for all signals, or one for each."""
    if len(texts) == 1 and "=" not in texts[0]:
        return _number(texts[0], "--noise")
    named = [text.rpartition("=") for text in texts]
    return {name.strip(): _number(value, f"--noise: {name!r}") for name, _, value in named} or None


def _pairs(texts: list[str], option: str) -> dict[str, tuple[float | None, float | None]]:
    """Two numbers by path; what is left out is None."""
    found = {}
    for text in texts:
        path, equals, value = text.rpartition("=")
        first, colon, second = value.partition(":")
        if not equals or not colon:
            raise supple.StateError(f"{option}: expected such as body.arm.mass=0.5:2, got {text!r}")
        ends = [_number(x, f"{option}: {path!r}") if x.strip() else None for x in (first, second)]
        found[path.strip()] = (ends[0], ends[1])
    return found


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise supple.StateError(f"{where}: expected a number, got {text!r}") from None
