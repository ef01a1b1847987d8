"""supple info, check, bench: what a model file holds."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import supple
from supple.bench import timing_table
from supple.cli.console import (
    Changed,
    File,
    Floating,
    Formulated,
    Limits,
    Mimic,
    app,
    changes_of,
    err,
    out,
    row,
    say,
    table_of,
)
from supple.description.members import PlacedBeam
from supple.files import check as check_file
from supple.files import read
from supple.linear_theory.basis_errors import reduction_warnings
from supple.model.loops.mobility import degrees_of_freedom
from supple.structures.body.flexible_body import FlexibleBody
from supple.symbolic.kane.kane_model import KaneModel
from supple.view.plots.spectra import beam_frequencies, frequencies

LOWEST = 3
"""Frequencies of a flexible body that are shown."""
MOST_LISTED = 16
"""Pieces of a beam."""


@app.command()
def info(
    file: File,
    modes: Annotated[bool, typer.Option("--modes", help="Add the modes of the flexible bodies.")] = False,
    changed: Changed = None,
    limits: Limits = None,
    mimic: Mimic = None,
    floating_base: Floating = False,
    formulation: Formulated = None,
) -> None:
    """Show what a model consists of: bodies, joints, masses, degrees of freedom, modes."""
    contents = read(file, floating_base, limits, mimic, formulation, changes=changes_of(changed))
    loaded = contents.model
    model = loaded.mechanism_model()
    title = f"{model.name}: {len(model.bodies)} bodies, {model.nq} coordinates, {model.nv} speeds"
    table = table_of(title, "body", "parent", "joint", "degrees of freedom>", "mass kg>", "principal inertia kg m^2>")
    for placed, beam in model.description.parts():
        body = placed.body if beam is None else beam.pieces.undeformed
        dofs = len(model.joint_speeds(placed.name))
        carrier = "/".join(filter(None, model.description.carrier(placed.parent, placed.node)))
        inertia = " ".join(f"{m:.3g}" for m in np.linalg.eigvalsh(body.inertia))
        row(table, placed.name, carrier, placed.joint.kind, dofs, f"{body.mass:.6g}", inertia)
    out.print(table)
    _show_flexible(model, modes)
    for line in reduction_warnings(model):
        say(f"warning: {line}")
    say(f"total mass {model.mass:.6g} kg, gravity {model.tree.gravity.tolist()} m/s^2")
    extra = [n for n in model.frames if n != "ground" and n not in model.bodies]
    if extra:
        say("frames: " + ", ".join(extra))
    if model.description.springs:
        say("springs and dampers between frames: " + ", ".join(model.description.springs))
    if model.description.wrenches:
        say("wrenches: " + ", ".join(model.description.wrenches))
    if model.loops is not None:
        say("constraints: " + ", ".join(model.description.constraints))
        with warnings.catch_warnings():  # Of configurations that are tried to count, none of which is a start.
            warnings.simplefilter("ignore", supple.AssemblyWarning)
            dofs = degrees_of_freedom(model)
        say(f"degrees of freedom with all loops closed: {dofs}")
        for sentence in model.loops.redundant():
            say(f"  {sentence}")
    if isinstance(loaded, KaneModel):
        say(f"a system of vectors with {loaded.nv} independent speeds: {', '.join(loaded.speeds)}")
    elif loaded is not model:
        kept = {
            name: sum(x.startswith(f"{name}.") for x in np.array(loaded.coordinates)[loaded.is_mode])
            for name in model.bodies
        }
        say(f"simulated as {loaded.formulation}, modes: {', '.join(f'{name} {n}' for name, n in kept.items())}")
    for line in contents.beside_model():
        say(f"in runs: {line}")
    if contents.stops():
        say(f"in runs: limits of {', '.join(contents.stops())}")
    for c in model.couplings:
        say(f"the file couples {c.follower} = {c.ratio:g} {c.leader} + {c.offset:g}; both are free in this model")


def _show_flexible(model: supple.Model, with_modes: bool) -> None:
    """A table of the flexible bodies; if asked for also their modes, once for those that are the same."""
    table = table_of("flexible bodies", "body", "basis", "root", "fidelity", "coordinates>", "lowest Hz>")
    alike: dict[int, tuple[FlexibleBody, list[str]]] = {}
    for placed, beam in model.description.parts():
        body, found = placed.body, np.zeros(0)
        if isinstance(body, FlexibleBody):
            found = frequencies(body, LOWEST) if beam is None else beam_frequencies(beam.pieces, LOWEST)
            basis = body.basis if beam is None else f"{body.basis}, {len(beam.pieces)} pieces"
            modes = body.modes if beam is None else beam.pieces.modes
            row(table, placed.name, basis, body.root, placed.fidelity, modes, " ".join(f"{f:.4g}" for f in found))
        for name in (placed.name,) if beam is None else beam.names:
            own = model.description.bodies[name].body
            if isinstance(own, FlexibleBody):
                alike.setdefault(id(own), (own, []))[1].append(name)
    if alike:
        out.print(table)
    for beam in model.description.beams.values():
        say(f"{beam.name} in pieces: {', '.join(_ranges(beam))}")
    for body, names in alike.values() if with_modes else ():
        say(f"{', '.join(names)}:")
        say(str(body.report or "no report in its file"))


def _ranges(beam: PlacedBeam) -> list[str]:
    """The pieces with their nodes of the beam; of very many the first and the last."""
    pieces = beam.pieces
    found = [
        f"{name} nodes {first} to {first + len(body.nodes) - 1}"
        for name, first, body in zip(beam.names, pieces.first, pieces.bodies, strict=True)
    ]
    return found if len(found) <= MOST_LISTED else [*found[: MOST_LISTED - 1], "...", found[-1]]


@app.command()
def check(file: File, changed: Changed = None) -> None:
    """List all errors of a model file."""
    changes = changes_of(changed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", supple.PhysicsWarning)
        errors = check_file(file, changes, lambda content: _measure_errors(content, file, changes))
    for warning in caught:
        say(f"warning: {warning.message}")
    for error in errors:
        say(f"error: {error}")
    if errors:
        raise typer.Exit(1)
    say(f"{file}: no errors")


def _measure_errors(content: Any, file: Path, changes: dict[str, Any]) -> list[str]:
    """Return what the measures of a sweep name that its first case does not have."""
    if "sweep" not in content:
        return []
    sweeps = import_module("supple.sweeps.parameter_sweep")
    try:
        plan, _ = sweeps.plan_of(file, {}, changes)
        plan.runner.require_names(plan.changes(0))
    except supple.SuppleError as error:
        return [f"{file}: sweep: {error}"]
    return []


@app.command()
def bench(file: File, changed: Changed = None, floating_base: Floating = False) -> None:
    """Time the dynamics of a model: a single call and a batch, beside Pinocchio if it is installed."""
    with err.status("timing") if err.is_terminal else nullcontext():
        table = timing_table(file, floating_base, changes_of(changed))
    out.print(table)
