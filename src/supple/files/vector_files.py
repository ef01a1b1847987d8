"""Files that describe a system by vectors: read, checked, written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from supple.errors import FileFormatError, SuppleError
from supple.files import toml
from supple.files.error_list import ErrorList, lines_of
from supple.files.toml_text import lines_text, table_text
from supple.files.vector_schema import VectorFile
from supple.files.visual_text import visual_tables
from supple.symbolic.kane.kane_model import KaneModel
from supple.symbolic.kane.written_system import system_of_tables

LISTS = ("body", "force", "torque", "generalized_force", "constraint", "closure")
"""Tables of which there may be several."""


class VectorReading(NamedTuple):
    """A file as its tables, which fit the schema, and the model that they describe."""

    tables: VectorFile
    model: KaneModel


def describes_vectors(data: Any) -> bool:
    """Whether the content of a file is a system of vectors."""
    formulation = data.get("formulation") if isinstance(data, dict) else None
    return isinstance(formulation, dict) and formulation.get("name") == KaneModel.formulation


def read(data: Any, path: Path) -> VectorReading:
    """The tables and the model of a file's content; a `FileFormatError` that names file and place of an error."""
    tables = toml.validated(data, VectorFile, ErrorList(path))
    try:
        system, inputs = system_of_tables(tables.tables())
        for body in tables.body:
            if body.visuals is not None:
                system.add_visual(body.name, *(table.made(path.parent) for table in body.visuals))
        return VectorReading(tables, KaneModel(system, inputs))
    except SuppleError as error:
        raise FileFormatError(f"{path}: {error}") from None


def check(data: Any, path: Path) -> list[str]:
    """All errors of a file that one reading can find; empty if it is right."""
    try:
        tables, model = read(data, path)
    except FileFormatError as error:
        return lines_of(error)
    return [f"{path}: {line}" for line in tables.run_errors(model, path.parent)]


def text(model: KaneModel, folder: Path) -> str:
    """The text of a file in a folder from which the same model is read; what is empty is left out."""
    tables: dict[str, Any] = model.formulation_settings()["system"]
    head = [("name", tables["name"]), ("formulation", {"name": model.formulation}), ("gravity", tables["gravity"])]
    parts = [lines_text(head)]
    for key in ("parameters", "inputs", "expressions"):
        if tables[key]:
            parts.append(f"[{key}]\n{lines_text(tables[key].items())}")
    drawn = {name: {"visuals": shapes} for name, shapes in visual_tables(model.description, folder).items()}
    for key in LISTS:
        more = drawn if key == "body" else {}
        parts += [table_text(key, [*(x | more.get(x.get("name", ""), {})).items()]) for x in tables[key]]
    return "\n".join(parts)
