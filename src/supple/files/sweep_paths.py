"""Paths that a sweep may vary: values that a model file has, or could have; and cases that no model can be made of."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from supple.errors import FileFormatError, ModelError, StateError, nearest
from supple.files import toml, vector_files
from supple.files.changes import apply_changes, first_missing
from supple.files.error_list import ErrorList, lines_of
from supple.files.schema import ModelFile
from supple.files.sweep_table import SweptFile
from supple.files.vector_schema import VectorFile
from supple.formulations import Formulation
from supple.rigid_body import RigidBody
from supple.sampling.case_tables import read_cases
from supple.sampling.distributions import read_quantity
from supple.sampling.samplers import sampled

FREE = ("variables", "parameters", "inputs", "expressions")
"""Tables whose keys the user invents: only those that are there can be varied."""
OWN = "sweep"
COORDINATES, SPEEDS = ("q", "guess"), ("v", "tau")
"""Tables of a run whose keys are names of the model."""
FEW = 64
"""Cases that are tried of a design."""


def require_paths(content: Any, paths: Iterable[str], file: Path, model: Callable[[], Formulation]) -> None:
    """Refuse paths that are neither in a file nor keys of its schema, with the nearest name.

    Unlike a change of one value, which may add what is not there, a misspelt path would leave all cases equal. Names
    under `simulation.q` and `simulation.v` are looked up in the model, which is made if there are such.
    """
    for path in paths:
        place = f"{file}: sweep: vary"
        if path.partition(".")[0] == OWN:
            raise FileFormatError(f"{place}: {path!r}: expected a path outside the table [{OWN}]")
        try:
            missing = first_missing(content, path, file)
        except FileFormatError as error:
            raise FileFormatError(str(error).replace(f"{file}: path", f"{place}:", 1)) from None
        if missing is None:
            continue
        key, beside = missing
        if path.partition(".")[0] in FREE:
            raise FileFormatError(f"{place}: no {path!r} in the file: {key!r} is not there{nearest(key, beside)}")
        unknown = [line for line in _schema_errors(_changed(content, path, file), file) if "unknown key" in line]
        if unknown:
            reason = unknown[0].removeprefix(f"{file}: ")
            raise FileFormatError(f"{place}: no {path!r} in the file or in its schema: {reason}")
        words = path.split(".", 2)
        if len(words) == 3 and words[0] == "simulation" and words[1] in (*COORDINATES, *SPEEDS):
            states = model().coordinates if words[1] in COORDINATES else model().speeds
            if words[2] not in states:
                raise FileFormatError(f"{place}: {path!r}: no {words[2]!r} in the model{nearest(words[2], states)}")


def sweep_errors(content: Any, file: Path, model: Callable[[], Formulation]) -> list[str]:
    """What is wrong with the table [sweep] of a file whose schema is right: paths, a table of cases, the design."""
    said = sweep_arguments(content, file)
    try:
        if "table" in said:
            require_paths(content, read_cases(file.parent / said["table"]), file, model)
        elif said:
            require_paths(content, said["vary"], file, model)
            quantities = {path: read_quantity(x, f"vary: {path!r}") for path, x in said["vary"].items()}
            points = said.get("samples") and min(said["samples"], FEW)
            samples = points if said.get("sampler") not in ("grid", "list") else said.get("samples")
            design = [said.get(key, default) for key, default in (("seed", 0), ("together", ()), ("correlation", ()))]
            sampled(quantities, said.get("sampler"), samples, *design)
    except StateError as error:
        return [f"{file}: sweep: {error}"]
    except FileFormatError as error:
        return lines_of(error)
    return []


def case_errors(content: Any, file: Path) -> list[str]:
    """What is wrong with a changed file that its schema, its rigid bodies and its joints tell; quick to find."""
    found = _schema_errors(content, file)
    if found or vector_files.describes_vectors(content):
        return found
    errors = ErrorList(file)
    for i, table in enumerate(ModelFile.model_validate(content).body, start=1):
        place = f"body[{i}] {table.name!r}"
        with errors.collected(f"{place}: joint", prefix=f"{table.joint.type} joint: "):
            table.joint.made()
        if table.mass is not None:
            with errors.collected(place):
                RigidBody(table.mass, table.com, table.inertia, table.allow_unphysical)
    return errors.lines


def _changed(content: Any, path: str, file: Path) -> Any:
    out = copy.deepcopy(content)
    apply_changes(out, {path: 1.0}, file)
    return out


def _schema_errors(content: Any, file: Path) -> list[str]:
    schema: Any = VectorFile if vector_files.describes_vectors(content) else ModelFile
    try:
        toml.validated(content, schema, ErrorList(file))
    except ModelError as error:
        return lines_of(error)
    return []


def sweep_arguments(content: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """What the table [sweep] of a file says, as keyword arguments of `supple.sweep`; nothing if there is none."""
    table = content.get(OWN)
    return {} if table is None else toml.validated({OWN: table}, SweptFile, ErrorList(file)).sweep.arguments()
