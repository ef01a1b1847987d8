"""supple equations: write the equations of motion of a model file."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import supple
from supple.cli.console import File, Floating, app, err, out, say
from supple.files import load, read_equations, read_run
from supple.symbolic.equations import Equations
from supple.symbolic.function import Operations
from supple.symbolic.parameters import symbols_of
from supple.symbolic.printers import listing
from supple.symbolic.routes import ROUTES, equations

PROGRAM_STEP = 1e-3
"""Seconds, of a generated simulation program where the file names no step."""


class Form(StrEnum):
    """What can be written."""

    text = "text"
    c = "c"
    python = "python"
    latex = "latex"
    markdown = "markdown"
    program = "program"
    linear = "linear"


@app.command(name="equations")
def equations_(
    file: File,
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            "-f",
            help="Text to read; C99, Python or LaTeX; a Markdown page; a stand-alone simulation program in C99; "
            "linear equations in symbols.",
        ),
    ] = Form.text,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; else the terminal.")] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Print operation counts as JSON instead.")] = False,
    small: Annotated[
        str, typer.Option(help="Coordinates that stay small, with their speeds: names or q1, q2, ..., with commas.")
    ] = "",
    parameters: Annotated[
        str | None, typer.Option(help='Numbers that stay symbols, with commas; "all" (not zero), or "none".')
    ] = None,
    route: Annotated[str | None, typer.Option(help=f"{', '.join(ROUTES)}, or auto: the cheapest.")] = None,
    floating_base: Floating = False,
) -> None:
    """Write the equations of motion of a model: to read, to typeset, as code, or as a program of its own.

    Symbols, inputs and small variables may also stand in the table [equations] of the file.
    """
    model = load(file, floating_base=floating_base)
    settings = read_equations(file) if file.suffix.lower() == ".toml" else {}
    if small:
        settings["small"] = _split(small)
    if parameters is not None:
        settings["parameters"] = {"all": None, "none": []}.get(parameters, _split(parameters))
    if route is not None:
        settings["route"] = route
    found = equations(model, **settings)
    if counts:
        text = json.dumps(_counts(found), indent=2) + "\n"
    elif form is Form.program:
        drives = symbols_of(model, inputs=settings.get("inputs")).inputs
        text = _program(model, found, drives, read_run(file) if file.suffix.lower() == ".toml" else {})
    else:
        text = WRITTEN[form](found)
    if output is None:
        out.print(text, end="", soft_wrap=True)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise supple.SuppleError(f"{output}: cannot be written: {error.strerror or error}") from None
    say(f"equations: {output}", err)


WRITTEN: dict[Form, Callable[[Equations], str]] = {
    Form.text: Equations.text,
    Form.c: Equations.c_source,
    Form.python: Equations.python_source,
    Form.latex: Equations.latex,
    Form.markdown: Equations.markdown,
    Form.linear: lambda found: listing(found.linear),
}


def _split(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _counts(found: Equations) -> dict[str, Any]:
    """Operations of the equations as they are written, of what is computed once, and of the other routes."""

    def numbers(count: Operations) -> dict[str, int]:
        return dataclasses.asdict(count)

    return {
        **numbers(found.operations),
        "route": found.route,
        "precomputed": numbers(found.explicit.precomputed),
        "routes": {route: numbers(count) for route, count in found.counts.items()},
        "small": [str(leaf.value) for leaf in found.small],
    }


def _program(model: supple.Model, found: Equations, drives: dict[str, str], run: dict[str, Any]) -> str:
    """A simulation program whose defaults are what the file says about a run; `drives` has the forces by speed."""
    q = [float(run.get("q", {}).get(name, x)) for name, x in zip(model.coordinates, model.neutral(), strict=True)]
    v = [float(run.get("v", {}).get(name, 0.0)) for name in model.speeds]
    tau = {}
    for speed, force in run.get("tau", {}).items():
        if isinstance(force, int | float) and speed in drives:
            tau[drives[speed]] = float(force)
        else:
            say(f"note: the force on {speed} is left out: the program's are constant", err)
    duration, step = float(run.get("duration", 10.0)), float(run.get("step") or PROGRAM_STEP)
    every = max(1, round(duration / step / max(1, int(run.get("samples", 1001)) - 1)))
    return found.program(q, v, tau, duration, step, every)
