"""supple compare: a model file in both formulations, side by side."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

import supple
from supple.cli.console import Changed, File, Floating, app, changes_of, err, out, overridden, row, say, table_of
from supple.compare import formulations
from supple.files import read
from supple.integrators import BY_NAME
from supple.view import write_comparison


@app.command()
def compare(
    file: File,
    modes: Annotated[
        str,
        typer.Option(
            help="Elastic modes that the links keep, one number per run, such as 2,4,6; by default 2, 4, 6 and all."
        ),
    ] = "",
    duration: Annotated[float | None, typer.Option(help="Seconds; by default what the file says.")] = None,
    frame: Annotated[
        str | None, typer.Option(help="body/frame whose motion is compared; by default the outermost of the last body.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="HTML page to write.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.")] = None,
    integrator: Annotated[
        str | None, typer.Option(help=f"{', '.join(BY_NAME)}. Replaces that of the file with its options.")
    ] = None,
    step: Annotated[float | None, typer.Option(help="Length of fixed steps, s.")] = None,
    samples: Annotated[int, typer.Option(help="Output times; they set the highest frequency of the spectra.")] = 2001,
    changed: Changed = None,
    floating_base: Floating = False,
) -> None:
    """Run a model as floating frames and as equivalent rigid links; show how they differ and what they cost.

    The mechanism must be a tree with revolute, prismatic and fixed joints and have a flexible body.
    """
    target = output or Path(f"{file.stem}.compare.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise supple.StateError(f"--output: expected a name for a page, such as compare.html, got {target}")
    counts = _counts(modes)
    contents = read(file, floating_base, changes=changes_of(changed))
    model = contents.model.mechanism_model()
    settings = contents.run_arguments()
    settings.pop("sensitivities", None)  # of floating frames alone
    given = {"duration": duration, "rtol": rtol, "integrator": integrator, "step": step}
    settings = overridden(settings, given) | {"samples": samples}
    if "duration" not in settings:
        raise supple.StateError(f"{file}: no duration: give --duration, or [simulation] duration in the file")
    with err.status("simulating") if err.is_terminal else nullcontext():
        found = formulations(model, modes=counts, frame=frame, **settings)
    for title, (columns, rows) in found.tables.items():
        table = table_of(title, columns[0], *(f"{name}>" for name in columns[1:]))
        for cells in rows:
            row(table, *cells)
        out.print(table)
    written = write_comparison(found, target)
    say(f"page: {written}")


def _counts(text: str) -> list[int] | None:
    """Numbers separated by commas; None for nothing."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if not word.isdecimal():
            raise supple.StateError(f"--modes: expected numbers separated by commas, such as 2,4,6, got {word!r}")
    return [int(word) for word in words] or None
