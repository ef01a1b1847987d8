"""Files that describe a system by vectors: read, checked, written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from supple.errors import FileFormatError, SuppleError
from supple.files import toml
from supple.files.error_list import ErrorList
from supple.files.toml_text import lines_text, table_text
from supple.files.vector_schema import VectorFile
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
        return VectorReading(tables, KaneModel(*system_of_tables(tables.tables())))
    except SuppleError as error:
        raise FileFormatError(f"{path}: {error}") from None


def check(data: Any, path: Path) -> list[str]:
    """All errors of a file that one reading can find; empty if it is right."""
    try:
        tables, model = read(data, path)
    except FileFormatError as error:
        return str(error).split("\n")
    return [f"{path}: {line}" for line in tables.run_errors(model, path.parent)]


def text(model: KaneModel) -> str:
    """The text of a file from which the same model is read; what is empty is left out."""
    tables: dict[str, Any] = model.formulation_settings()["system"]
    head = [("name", tables["name"]), ("formulation", {"name": model.formulation}), ("gravity", tables["gravity"])]
    parts = [lines_text(head)]
    for key in ("parameters", "inputs", "expressions"):
        if tables[key]:
            parts.append(f"[{key}]\n{lines_text(tables[key].items())}")
    parts += [table_text(key, list(table.items())) for key in LISTS for table in tables[key]]
    return "\n".join(parts)
