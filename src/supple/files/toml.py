"""Model files in TOML: reading, checking and writing. The format is in `schema`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from errno import EISDIR
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from supple.drafts import draft_of
from supple.errors import FileFormatError
from supple.files.build import mechanism_of
from supple.files.constraints import CONSTRAINTS
from supple.files.error_list import MOST_BODIES, ErrorList, lines_of
from supple.files.file_table import FileTable
from supple.files.formulation import formulated, formulation_pairs
from supple.files.joints import JOINTS
from supple.files.portable_meshes import with_triangles
from supple.files.schema import ModelFile
from supple.files.sections import SECTIONS
from supple.files.simulation import SimulationTable
from supple.files.structures import STRUCTURES
from supple.files.toml_text import body_files, text
from supple.files.visuals import VISUALS
from supple.formulations import Formulation
from supple.input_files import read_bytes
from supple.linear_theory.basis_errors import reduction_warnings
from supple.model.mechanism import Mechanism
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.hdf5_writer import write_body, write_pieces
from supple.structures.body.substructured_beam import BeamPieces

KINDS: dict[str, Mapping[str, type[FileTable]]] = {
    "joint": JOINTS,
    "structure": STRUCTURES,
    "section": SECTIONS,
    "constraint": CONSTRAINTS,
    "visuals": VISUALS,
}
"""What the key `type` of these tables may be."""


DEEPEST = 32
"""Names in a key; to read keys of thousands of them takes minutes and gigabytes."""
NAME = rb"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
NESTED = re.compile(rb"(?:^|[{,\[])[ \t]*%b(?:[ \t]*\.[ \t]*%b){%d}" % (NAME, NAME, DEEPEST), re.MULTILINE)
"""A longer key at the beginning of a line, a table or an entry."""

T = TypeVar("T", bound=FileTable)


class Reading(NamedTuple):
    """A TOML file as its tables, which fit the schema, and the mechanism that they describe."""

    tables: ModelFile
    mechanism: Mechanism


def read(path: str | os.PathLike[str], screen: Callable[[Any], None] | None = None, content: Any = None) -> Reading:
    """The tables of a TOML file and its mechanism; a `FileFormatError` with all its errors if there are any.

    Parameters
    ----------
    path : path-like
    screen : function, optional
        Looks at the content before anything is made of it, and raises a `FileFormatError` to refuse it.
    content : optional
        What `parsed` has made of the file already.
    """
    errors = ErrorList(Path(path))
    data = _parsed(errors) if content is None else content
    if screen is not None:
        screen(data)
    tables = _validated(data, errors)
    mech = mechanism_of(tables, errors)
    errors.raise_any()
    errors.warn()
    return Reading(tables, mech)


def parsed(path: str | os.PathLike[str]) -> Any:
    """The content of a TOML file: tables, lists, texts and numbers."""
    return _parsed(ErrorList(Path(path)))


def check(path: str | os.PathLike[str], content: Any = None) -> list[str]:
    """All errors of a TOML file that one reading can find; empty if it is right. `content` as for `read`."""
    errors = ErrorList(Path(path))
    try:
        file = _validated(_parsed(errors) if content is None else content, errors)
    except FileFormatError as error:
        return lines_of(error)
    mech = mechanism_of(file, errors)
    if not errors.lines:
        with errors.collected(""):
            model: Formulation = mech.build()
            with errors.collected("formulation", prefix="formulation: "):
                model = formulated(mech.build(), file.formulation)
            for line in file.run_errors(model, Path(path).parent):
                errors.add("", line)
            errors.warnings += reduction_warnings(model.mechanism_model())
    errors.warn()
    return errors.lines


def write(model: Mechanism | Formulation, path: str | os.PathLike[str], portable: bool = False) -> None:
    """Write a model or mechanism as TOML, exactly: what is read from the file is equal to it.

    Mesh files are named from its folder. Flexible bodies go to HDF5 files beside it, `name.body.h5`, one for each that
    several bodies may share. All files are complete or not there at all: they are written under other names and then
    given their own.

    Parameters
    ----------
    model : Mechanism or Formulation
    path : path-like
    portable : bool
        Write the triangles of meshes, reduced to what a page shows, in place of the names of their files.
    """
    mech, formulation = (model, []) if isinstance(model, Mechanism) else (model.description, formulation_pairs(model))
    mech = with_triangles(mech) if portable else mech
    files = body_files(mech, Path(path).stem)
    write_text(text(mech, files, formulation, Path(path).parent), path, files)


def write_text(
    content: str, path: str | os.PathLike[str], files: Mapping[str, FlexibleBody | BeamPieces] = MappingProxyType({})
) -> None:
    """Write the text of a model file, and its flexible bodies beside it: all of them, or nothing."""
    target = Path(path)
    try:
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with ExitStack() as drafts:  # left from the last to the first: the bodies are there before what names them
            drafts.enter_context(draft_of(target)).write_text(content, encoding="utf-8")
            for name, body in files.items():
                draft = drafts.enter_context(draft_of(target.with_name(name)))
                write_pieces(body, draft) if isinstance(body, BeamPieces) else write_body(body, draft)
    except OSError as error:
        raise FileFormatError(f"{target}: cannot be written: {error.strerror or error}") from None


# ------------------------------------------------------------ from text to tables


def _parsed(errors: ErrorList) -> Any:
    """The content of the file: tables, lists, texts and numbers."""
    content = read_bytes(errors.path)
    deep = NESTED.search(content)
    if deep is not None:
        line = content.count(b"\n", 0, deep.end()) + 1
        raise FileFormatError(f"{errors.path}: line {line}: expected keys of at most {DEEPEST} names, got more")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{errors.path}: expected UTF-8 text, got other bytes at line {line}") from None
    except ValueError as error:  # TOMLDecodeError, or a whole number of thousands of digits
        lines = content.decode("utf-8").split("\n")
        end = f"at line {len(lines)}, column {len(lines[-1]) + 1}, the end of the file"
        raise FileFormatError(
            f"{errors.path}: not valid TOML: {str(error).replace('at end of document', end)}"
        ) from None
    except RecursionError:
        raise FileFormatError(f"{errors.path}: not a model: lists or tables nested too deeply") from None


def _validated(data: Any, errors: ErrorList) -> ModelFile:
    """The content as tables that fit the schema."""
    bodies = data.get("body")
    if isinstance(bodies, list) and len(bodies) > MOST_BODIES:
        message = f"expected at most {MOST_BODIES:,}, got {len(bodies):,}; build larger models in Python"
        raise FileFormatError(f"{errors.path}: body: {message}")
    return validated(data, ModelFile, errors)


def validated(data: Any, schema: type[T], errors: ErrorList) -> T:
    """The content as tables that fit a schema."""
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        for line_error in error.errors():
            errors.add(_place(data, line_error["loc"]), line_error["msg"])
        raise FileFormatError("\n".join(errors.lines)) from None


def _place(data: Any, loc: tuple[int | str, ...]) -> str:
    """Where in the file, in words: "body[2] 'arm': joint: axis", tables counted from one, kinds of tables left out."""
    words: list[str] = []
    key = ""
    for item in loc:
        if isinstance(item, int):
            data = data[item]
            name = data.get("name") if isinstance(data, dict) else None
            words[-1] += f"[{item + 1}]" + (f" {name!r}" if isinstance(name, str) else "")
        elif item in KINDS.get(key, ()):
            key = ""
        elif not item.startswith("#"):
            words.append(item)
            key, data = item, data.get(item) if isinstance(data, dict) else None
    return ": ".join(words)


class _RunFile(FileTable):
    """Settings of a run alone."""

    simulation: SimulationTable


def run_tables(content: Any, path: Path) -> ModelFile:
    """Return the tables of a file with settings of a run and no model; a duration may be missing."""
    given = {"simulation": {"duration": 1.0, **content["simulation"]}}
    table = validated(given, _RunFile, ErrorList(path)).simulation
    if "duration" not in content["simulation"]:
        table.model_fields_set.discard("duration")
    return ModelFile.model_construct(name=path.stem, body=[], simulation=table)
