"""supple equations: write the equations of motion of a model file."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import supple
from supple.cli.console import File, Floating, app, err, out, say
from supple.expressions.function import Operations
from supple.expressions.printers import listing
from supple.files import read
from supple.formulations import floating_frames
from supple.model.parameters import symbols_of
from supple.simulation.methods.fixed_steps import EXPLICIT
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.program_start import stable_step
from supple.symbolic.routes import ROUTES, equations


class Format(StrEnum):
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
    floating_base: Floating = False,
) -> None:
    """Write the equations of motion of a model: to read, to typeset, as code, or as a stand-alone program.

    Symbols, inputs and small variables may also stand in the table [equations] of the file.
    """
    contents = read(file, floating_base)
    model = floating_frames(contents.model, "supple equations")
    settings, run = contents.equation_arguments(), contents.run_arguments()
    if small:
        settings["small"] = _split(small)
    if parameters is not None:
        settings["parameters"] = {"all": None, "none": []}.get(parameters, _split(parameters))
    if route is not None:
        settings["route"] = route
    inputs = symbols_of(model, inputs=settings.get("inputs")).inputs
    _require_inputs(file, inputs, run)
    found = equations(model, **settings)
    left_out = _left_out(run)
    if counts:
        text = json.dumps(_counts(found), indent=2) + "\n"
    elif form is Format.program:
        text = _program(file, model, found, inputs, run)
    else:
        text = WRITTEN[form](found)
    if left_out:
        line = f"warning: left out, as these are the equations of the model alone: {', '.join(left_out)}"
        say(line, err)
    if output is None:
        out.print(text, end="", soft_wrap=True)
        return
    try:
        output.write_text(text, encoding="utf-8")
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


def _left_out(run: dict[str, Any]) -> list[str]:
    """What a file says of a run and equations in symbols do not hold, by name."""
    forces = [speed for speed, law in run.get("tau", {}).items() if not isinstance(law, int | float)]
    return [
        *(f"the law of the actuator of {speed!r}" for speed in forces),
        *(f"the prescribed motion of {speed!r}" for speed in run.get("motion", {})),
        *(f"the law of the wrench {wrench.name!r}" for wrench in run.get("wrenches", ())),
        *(f"the stops of {limit.coordinate!r}" for limit in run.get("limits", ())),
        *(f"the event {event.name!r}" for event in run.get("events", ())),
    ]


def _require_inputs(file: Path, inputs: dict[str, str], run: dict[str, Any]) -> None:
    """Refuse forces of a run on speeds along which the equations have none: they would be others."""
    for speed in (*run.get("tau", {}), *run.get("motion", {})):
        if speed not in inputs:
            raise supple.StateError(
                f"{file}: [equations] inputs: expected one along {speed!r}, on which a force acts in a run, got none"
            )


def _program(
    file: Path, model: supple.Model, found: EquationsOfMotion, inputs: dict[str, str], run: dict[str, Any]
) -> str:
    """A simulation program whose defaults are what the file says about a run; `inputs` names the forces by speed."""
    left_out = _left_out(run)
    if left_out:
        raise supple.StateError(
            f"{file}: a program has constant forces and no events, and cannot hold {', '.join(left_out)}; expected a "
            "file without them. `supple run` simulates them"
        )
    q = [float(run.get("q", {}).get(name, x)) for name, x in zip(model.coordinates, model.neutral(), strict=True)]
    v = [float(run.get("v", {}).get(name, 0.0)) for name in model.speeds]
    forces = {inputs[speed]: float(force) for speed, force in run.get("tau", {}).items()}
    tau = [forces.get(leaf.name, 0.0) for leaf in found.variables.inputs]
    duration = float(run.get("duration", 10.0))
    # The step of a file is that of its integrator; one of implicit steps may be far too long for explicit ones.
    step = run.get("step") if run.get("integrator") in EXPLICIT else None
    if step is None:
        step = stable_step(found, np.array(q), np.array(v), np.array(tau))
    every = max(1, round(duration / step / max(1, int(run.get("samples", 1001)) - 1)))
    return found.program(q, v, tau, duration, step, every)
