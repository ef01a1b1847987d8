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
from supple.cli.console import Changed, File, Floating, Limits, Mimic, app, changes_of, err, out, say
from supple.cli.vector_equations import vector_equations, vector_program, vector_tables
from supple.errors import warn
from supple.expressions.function import Operations
from supple.expressions.printers import listing
from supple.files import Contents, read
from supple.formulations import floating_frames
from supple.inputs.law_equations import law_equations
from supple.model.parameters import symbols_of
from supple.simulation.run_program import RunSettings, run_program, simplified_program
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane.kane_model import KaneModel
from supple.symbolic.routes import ROUTES, derivation_of
from supple.symbolic.textbook import textbook_names


class Format(StrEnum):
    """What can be written."""

    text = "text"
    c = "c"
    python = "python"
    latex = "latex"
    markdown = "markdown"
    program = "program"
    linear = "linear"


class Naming(StrEnum):
    """What symbols are called."""

    file = "file"
    textbook = "textbook"


@app.command(name="equations")
def equations_(
    file: File,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            help="Text to read; C99, Python or LaTeX; a Markdown page; a stand-alone simulation program in C99; "
            "linear equations in symbols.",
        ),
    ] = Format.text,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; by default the terminal.")
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Print operation counts as JSON instead.")] = False,
    tables: Annotated[
        bool,
        typer.Option(
            "--tables",
            help="Write the derivation instead: bodies, speeds, partial velocities, mass matrix, elimination, counts.",
        ),
    ] = False,
    small: Annotated[
        str,
        typer.Option(help="Coordinates that stay small, with their speeds: names or q1, q2, ..., separated by commas."),
    ] = "",
    parameters: Annotated[
        str | None,
        typer.Option(help='Parameters that stay symbols, separated by commas; "all" that are not zero, or "none".'),
    ] = None,
    route: Annotated[
        str | None, typer.Option(help=f"{', '.join(ROUTES)}, or auto: the one with the fewest operations.")
    ] = None,
    omit: Annotated[
        str, typer.Option(help="Coordinates whose rates are left out, separated by commas; or ignorable: all such.")
    ] = "",
    names: Annotated[Naming, typer.Option(help="Names of the file, or of textbooks: m_1, theta_1, g.")] = Naming.file,
    duration: Annotated[
        float | None, typer.Option(help="Seconds that a program simulates; by default what the file says.")
    ] = None,
    changed: Changed = None,
    limits: Limits = None,
    mimic: Mimic = None,
    floating_base: Floating = False,
) -> None:
    """Write the equations of motion of a model: to read, to typeset, as code, or as a stand-alone program.

    Symbols, inputs and small variables may also stand in the table [equations] of the file.
    """
    if duration is not None and form is not Format.program:
        raise supple.StateError(f"--duration: expected only with --format program, got --format {form}")
    length = {} if duration is None else {"duration": duration}
    contents = read(file, floating_base, limits, mimic, changes=changes_of(changed))
    run = contents.run_arguments() | length
    if isinstance(contents.model, KaneModel):
        if parameters is not None or route is not None or names is not Naming.file:
            contents.model.floating_frames("--parameters, --route or --names")
        found = vector_equations(contents, contents.model, _split(small), _split(omit))
        _write(_vectors(contents, found, form, run, (counts, tables)), output)
        return
    model = floating_frames(contents.model, "supple equations")
    settings = contents.equation_arguments()
    if small:
        settings["small"] = _split(small)
    if parameters is not None:
        settings["parameters"] = {"all": None, "none": []}.get(parameters, _split(parameters))
    if route is not None:
        settings["route"] = route
    if omit:
        settings["omit"] = _split(omit)
    if names is Naming.textbook:
        settings |= textbook_names(model, list(symbols_of(model, inputs=settings.get("inputs")).inputs))
    if settings.get("omit") and form is Format.program:
        raise supple.StateError(f"{file}: a program writes all coordinates: expected none that are omitted")
    _write(_tables(model, settings, run) if tables else _written(model, form, counts, settings, run), output)


def _write(written: str, output: Path | None) -> None:
    """To the terminal, or to a file."""
    if output is None:
        out.print(written, end="", soft_wrap=True)
        return
    try:
        output.write_text(written, encoding="utf-8")
    except OSError as error:
        raise supple.SuppleError(f"{output}: cannot be written: {error.strerror or error}") from None
    say(f"equations: {output}", err)


WRITTEN: dict[Format, Callable[[EquationsOfMotion], str]] = {
    Format.text: EquationsOfMotion.text,
    Format.c: EquationsOfMotion.c_source,
    Format.python: EquationsOfMotion.python_source,
    Format.latex: EquationsOfMotion.latex,
    Format.markdown: EquationsOfMotion.markdown,
    Format.linear: lambda found: listing(found.linear),
}


def _vectors(
    contents: Contents, found: EquationsOfMotion, form: Format, run: dict[str, Any], instead: tuple[bool, bool]
) -> str:
    """What is written of a system of vectors; `instead` are counts and tables."""
    model: KaneModel = contents.model  # type: ignore[assignment]
    if instead[0]:
        return json.dumps(_counts(found), indent=2) + "\n"
    if instead[1]:
        return vector_tables(model, found)
    return vector_program(model, found, run) if form is Format.program else WRITTEN[form](found)


def _split(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _counts(found: EquationsOfMotion) -> dict[str, Any]:
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


def _tables(model: supple.Model, settings: dict[str, Any], run: dict[str, Any]) -> str:
    """The derivation, and what the laws of the run add to it."""
    try:
        driven = _driven(model, settings, run)
    except supple.StateError as error:
        if model.loops is not None:
            raise
        warn(f"the tables leave out the laws of the run: {error}", supple.OmissionWarning)
        driven = None
    return derivation_of(model, **settings, driven=driven)


def _driven(model: supple.Model, settings: dict[str, Any], run: dict[str, Any]) -> EquationsOfMotion | None:
    """The equations with the laws of the run; None if nothing acts."""
    laws = RunSettings.of(model, run).inputs
    written = any(not isinstance(law, float) for law in laws.laws.values()) or laws.whole is not None
    acting = written or laws.motions or laws.wrenches or model.loops is not None
    return law_equations(model, laws, **settings) if acting else None


def _written(model: supple.Model, form: Format, counts: bool, settings: dict[str, Any], run: dict[str, Any]) -> str:
    """What is asked for; a program whose equations are simplified is made of these, any other of the run itself."""
    simplified = bool(settings.get("small")) or settings.get("route", "auto") != "auto"
    if form is Format.program and not counts and not simplified:
        names = {key: settings[key] for key in ("parameters", "names") if key in settings}
        return run_program(model, run, symbols_of(model, **names))
    if form is Format.program and not counts:
        return simplified_program(model, run, **settings)
    laws = RunSettings.of(model, run)
    found = law_equations(model, laws.inputs, laws.events, laws.limits, **settings)
    if counts:
        return json.dumps(_counts(found), indent=2) + "\n"
    return WRITTEN[form](found)
