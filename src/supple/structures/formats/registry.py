"""The formats that `read` knows, and how it tells them apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from supple.errors import FileFormatError
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.hdf5_reader import load_any
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.formats.abaqus import is_abaqus, read_abaqus
from supple.structures.formats.calculix import is_calculix, read_calculix
from supple.structures.formats.exchange import is_exchange, read_exchange
from supple.structures.formats.file_set import FileSet, head
from supple.structures.formats.mbdyn import read_mbdyn
from supple.structures.formats.nas2cam import is_nas2cam, read_nas2cam
from supple.structures.formats.nastran import is_nastran, read_nastran
from supple.structures.formats.raw_model import RawModel
from supple.structures.formats.raw_superelement import RawSuperelement
from supple.structures.formats.sid import read_sid
from supple.structures.formats.substructure import is_substructure, read_substructure

HDF5 = b"\x89HDF\r\n\x1a\n"
"""First bytes of a file that supple wrote."""


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
        What they say.
    several : bool
        Whether they may hold several superelements.
    """

    name: str
    recognises: Callable[[FileSet], bool]
    read: Callable[[FileSet], RawModel | RawSuperelement]
    several: bool = False


@dataclass(frozen=True)
class BodyFormat:
    """A kind of file that holds a body, reduced already.

    Attributes
    ----------
    name, recognises
        As of `ImportFormat`.
    read : function
        From the path, with those of its options.
    options : tuple of str
        Of `read`: "root", "frames" (labels of nodes by name), "interfaces", and "units" in metres and kilograms.
    """

    name: str
    recognises: Callable[[FileSet], bool]
    read: Callable[..., FlexibleBody | BeamPieces]
    options: tuple[str, ...] = ("root", "frames", "units")


def _begins(pattern: bytes) -> Callable[[FileSet], bool]:
    """Whether one file is named, and a line of its beginning is like this."""
    found = re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    return lambda files: len(files.paths) == 1 and found.search(head(files.first)) is not None


def _is_hdf5(files: FileSet) -> bool:
    """Whether one file is named that supple wrote, or that says so."""
    return len(files.paths) == 1 and (files.first.suffix == ".h5" or head(files.first).startswith(HDF5))


FORMATS: tuple[ImportFormat | BodyFormat, ...] = (
    BodyFormat("supple: .h5", _is_hdf5, load_any, ()),
    BodyFormat(
        "MBDyn: .fem",
        _begins(rb"^\s*\*\*\s*RECORD\s+GROUP\s+\d"),
        read_mbdyn,
        ("root", "frames", "units", "interfaces"),
    ),
    BodyFormat("SID_FEM", _begins(rb"^\s*new\s+modal\b"), read_sid),
    ImportFormat("CalculiX: .inp with .sti, .mas and .dof", is_calculix, read_calculix),
    ImportFormat("Matrix Market or Harwell-Boeing with a table of nodes", is_exchange, read_exchange),
    ImportFormat("Abaqus: .inp with the .mtx of a substructure", is_substructure, read_substructure),
    ImportFormat("Abaqus: .inp with .mtx", is_abaqus, read_abaqus),
    ImportFormat("Nastran: .op2 and .op4 of NAS2CAM", is_nas2cam, read_nas2cam, several=True),
    ImportFormat("Nastran: .op4 or .pch with .asm or bulk data", is_nastran, read_nastran),
)
"""In the order in which they are tried."""


def format_of(files: FileSet) -> ImportFormat | BodyFormat:
    """The first format that recognises the files."""
    for known in FORMATS:
        if known.recognises(files):
            return known
    if len(files.paths) == 1 and files.ending(".inp"):
        raise FileFormatError(
            f"{files.first}: expected the matrices of the mesh beside the deck, got none; CalculiX writes .sti, .mas "
            "and .dof by *FREQUENCY, SOLVER=MATRIXSTORAGE; Abaqus _STIF1.mtx and _MASS1.mtx by *MATRIX OUTPUT"
        )
    names = "; ".join(known.name for known in FORMATS)
    shown = ", ".join(str(path) for path in files.paths)
    raise FileFormatError(f"{shown}: expected files of a finite-element program, got others; known are {names}")
