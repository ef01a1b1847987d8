"""Paths that a sweep may vary: values that a model file has, or could have; and cases that no model can be made of."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from supple.errors import FileFormatError, ModelError, nearest
from supple.files import toml, vector_files
from supple.files.changes import apply_changes, first_missing
from supple.files.error_list import ErrorList, lines_of
from supple.files.schema import ModelFile
from supple.files.sweep_table import SweptFile
from supple.files.vector_schema import VectorFile
from supple.rigid_body import RigidBody

FREE = ("variables", "parameters", "inputs", "expressions")
"""Tables whose keys the user invents: only those that are there can be varied."""
OWN = "sweep"


def require_paths(content: Any, paths: Iterable[str], file: Path) -> None:
    """Refuse paths that are neither in a file nor keys of its schema, with the nearest name.

    Unlike a change by `--set`, which may add what is not there, a misspelt path would leave all cases equal. Names under
    `simulation.q` and `simulation.v` are looked up in the model by those who have it.
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
