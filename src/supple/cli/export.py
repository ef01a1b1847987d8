"""supple export: models and results as files of other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import supple
from supple.cli.console import Changed, Floating, Limits, Mimic, app, changes_of, refuse_of_results, say
from supple.cli.view import RESULTS
from supple.drafts import export_target
from supple.errors import warn
from supple.export.start_point import start_point
from supple.files import read
from supple.results.export import write_export
from supple.simulation.program_integration import untaken
from supple.simulation.recording import results_model


class ExportFormat(StrEnum):
    """What can be written."""

    fmu = "fmu"
    c = "c"
    casadi = "casadi"
    python = "python"
    glb = "glb"
    mat = "mat"
    csv = "csv"
    parquet = "parquet"


ENDS = {ExportFormat.python: ".py", ExportFormat.c: ""} | {x: f".{x}" for x in ExportFormat if x not in ("python", "c")}
"""How the names of files end; a C library is a folder."""
OF_RESULTS = (ExportFormat.csv, ExportFormat.parquet)
"""Formats that hold signals alone."""
ACTING = ("tau", "motion", "wrenches", "variables", "events", "limits")
"""Arguments of a run that act on the model."""
OPTIONS: dict[str, tuple[ExportFormat, ...]] = {
    "fmi": (ExportFormat.fmu,),
    "platforms": (ExportFormat.fmu,),
    "sources_only": (ExportFormat.fmu,),
    "precision": (ExportFormat.c,),
    "functions": (ExportFormat.c, ExportFormat.casadi, ExportFormat.python),
    "inputs": (ExportFormat.mat,),
    "outputs": (ExportFormat.fmu, ExportFormat.c, ExportFormat.mat),
    "parameters": (ExportFormat.fmu, ExportFormat.c, ExportFormat.casadi, ExportFormat.python),
    "of": (ExportFormat.csv, ExportFormat.mat, ExportFormat.parquet),
}
"""Options that belong to some formats alone."""


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="Model file, .toml or .urdf; or results, .nc.")],
    to: Annotated[
        ExportFormat,
        typer.Option(
            help="Of a model: an FMU; a C library; a function for CasADi; a Python module that needs numpy alone; "
            "glTF; the linear model for MATLAB. Of results: glTF with the motion; signals for MATLAB, as CSV with "
            "names and units in its first line, or as Parquet, which needs pyarrow."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write, of a C library a folder; by default named after FILE."),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            help="Of results: signal, or the end of its name: arm.angle, boom/end.z, work; repeatable. By default all."
        ),
    ] = None,
    fmi: Annotated[int | None, typer.Option(help="FMU: version of the standard, 3 (default) or 2.")] = None,
    platforms: Annotated[
        str | None, typer.Option(help="FMU: platforms of its binaries, separated by commas; host by default, or all.")
    ] = None,
    sources_only: Annotated[bool, typer.Option("--sources-only", help="FMU: C sources without binaries.")] = False,
    precision: Annotated[str | None, typer.Option(help="C library: double (default) or float.")] = None,
    functions: Annotated[
        str | None,
        typer.Option(
            help="C library, CasADi, Python: functions of the model, separated by commas: forward_dynamics, energy. "
            "An unknown name lists all."
        ),
    ] = None,
    inputs: Annotated[
        str | None, typer.Option(help="Linear model: inputs, separated by commas: arm.angle, boom/end.fz.")
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(
            help="FMU, C library: frames whose motion is put out; linear model: outputs, as q:arm.angle, boom/end.z. "
            "Separated by commas."
        ),
    ] = None,
    parameters: Annotated[
        str | None,
        typer.Option(help="FMU, C library, CasADi, Python: numbers of the model that can be set, separated by commas."),
    ] = None,
    changed: Changed = None,
    limits: Limits = None,
    mimic: Mimic = None,
    floating_base: Floating = False,
) -> None:
    """Write a model, or the signals of results, to a file for other programs."""
    given: dict[str, Any] = {
        "of": of,
        "fmi": fmi,
        "platforms": _split(platforms),
        "sources_only": sources_only or None,
        "precision": precision,
        "functions": _split(functions),
        "inputs": _split(inputs),
        "outputs": _split(outputs),
        "parameters": _split(parameters),
    }
    options = {name: x for name, x in given.items() if x is not None}
    for name in options:
        if to not in OPTIONS[name]:
            where = " or ".join(OPTIONS[name])
            raise supple.StateError(f"--{name.replace('_', '-')}: expected only with --to {where}, got --to {to}")
    target = output or file.with_suffix(ENDS[to])
    simulated = file.suffix.lower() in RESULTS
    if simulated and to in (*OF_RESULTS, ExportFormat.mat, ExportFormat.glb):
        own = {"set": changed, "floating_base": floating_base, "limits": limits, "mimic": mimic}
        refuse_of_results(file, {name: x for name, x in options.items() if name != "of"} | own)
        written = _of_results(file, to, target, options.get("of"))
    elif to in OF_RESULTS or "of" in options:
        what = "--of" if "of" in options else f"--to {to}"
        raise supple.StateError(f"{file}: {what}: expected results, .nc, got a model; supple run makes them")
    else:
        contents = read(file, floating_base, limits, mimic, changes=changes_of(changed))
        written = _of_model(contents.model, to, target, contents.run_arguments(), options)
    say(f"written: {written}")


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _of_results(file: Path, to: ExportFormat, target: Path, of: list[str] | None) -> Path:
    """What is written of results."""
    with supple.open_results(file) as result:
        if to is not ExportFormat.glb:
            return write_export(result, target, to.value, of)
        model = results_model(file)
        if model is None:
            raise supple.FileFormatError(f"{file}: expected results that hold their model, got none")
        return supple.render(result, target, model=model)


def _warn_of_run(model: supple.Model, run: dict[str, Any], what: str) -> None:
    """Name what a file of functions, whose caller gives the state, the forces and the steps, does not take of a run."""
    found = [name for name in ACTING if run.get(name)] + list(filter(None, [untaken(run)]))
    if found:
        warn(f"model {model.name!r}: {what}; not taken: {', '.join(found)}", supple.OmissionWarning)


def _of_model(
    model: supple.Model, to: ExportFormat, target: Path, run: dict[str, Any], options: dict[str, Any]
) -> Path:
    """What is written of a model with what its file says about a run."""
    if to is ExportFormat.c:
        frames = {"frames": options.pop("outputs")} if "outputs" in options else {}
        _warn_of_run(model, run, "a C library has functions of the model, steps of rk4 and the start")
        start = start_point(model, run)
        library: Path = supple.export.c_library(model, target, start=(start.q, start.v), **frames, **options)
        return library
    if to is ExportFormat.fmu and "outputs" in options:
        options["outputs"] = supple.Outputs(frames=options["outputs"])
    if to is ExportFormat.casadi:
        functions = options.pop("functions", ["forward_dynamics"])
        if len(functions) != 1:
            raise supple.StateError(f"--functions: expected one for a file of CasADi, got {len(functions)}")
        _warn_of_run(model, run, "a file of CasADi has a function of the model alone")
        return supple.export.casadi(model, target, function=functions[0], **options)
    if to is ExportFormat.python and "equations" not in options.get("functions", ["equations"]):
        _warn_of_run(model, run, "a Python module without the function 'equations' has functions of the model alone")
    with export_target(target, ENDS[to]):
        written: Path = getattr(supple.export, to.value)(model, target, run, **options)
    return written
