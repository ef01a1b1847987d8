"""The formats that `read` knows, and how it tells them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from supple.errors import FileFormatError
from supple.structures.body import FlexibleBody
from supple.structures.imports.abaqus import is_abaqus, read_abaqus
from supple.structures.imports.calculix import is_calculix, read_calculix
from supple.structures.imports.exchange import is_exchange, read_exchange
from supple.structures.imports.file_set import FileSet
from supple.structures.imports.nastran import is_nastran, read_nastran
from supple.structures.imports.raw_model import RawModel
from supple.structures.imports.raw_superelement import RawSuperelement


@dataclass(frozen=True)
class ImportFormat:
    """A kind of file.

    Attributes
    ----------
    name : str
        Of the program and what it wrote, for messages.
    recognises : function of FileSet
        Whether these are such files, by what stands in them.
    read : function of FileSet
        What they say: matrices, or a body that is reduced already.
    """

    name: str
    recognises: Callable[[FileSet], bool]
    read: Callable[[FileSet], RawModel | RawSuperelement | FlexibleBody]


FORMATS = (
    ImportFormat("CalculiX: .inp with .sti, .mas and .dof", is_calculix, read_calculix),
    ImportFormat("Matrix Market or Harwell-Boeing with a table of nodes", is_exchange, read_exchange),
    ImportFormat("Abaqus: .inp with .mtx", is_abaqus, read_abaqus),
    ImportFormat("Nastran: .op4 or .pch with .asm or bulk data", is_nastran, read_nastran),
)
"""In the order in which they are tried."""


def format_of(files: FileSet) -> ImportFormat:
    """The first format that recognises the files."""
    for known in FORMATS:
        if known.recognises(files):
            return known
    names = "; ".join(known.name for known in FORMATS)
    shown = ", ".join(str(path) for path in files.paths)
    raise FileFormatError(f"{shown}: expected files of a finite-element program, got others; known are {names}")
