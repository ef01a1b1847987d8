"""supple export: results as files of other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import supple
from supple.cli.console import app, say
from supple.results.export import write_export


class ExportFormat(StrEnum):
    """What can be written."""

    csv = "csv"
    mat = "mat"
    parquet = "parquet"


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="Results, .nc.")],
    to: Annotated[
        ExportFormat,
        typer.Option(help="CSV with names and units in its first line; MATLAB; Parquet, which needs pyarrow."),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; by default named after the results.")
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(help="Signal, or the end of its name: arm.angle, boom/end.z, work; repeatable. All if not given."),
    ] = None,
) -> None:
    """Write the signals of results to a file for other programs, a column each."""
    with supple.open_results(file) as result:
        written = write_export(result, output or file.with_suffix(f".{to}"), to.value, of)
    say(f"written: {written}")
