"""`supple.structures.read`: structures and bodies from files of finite-element programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from supple.call_checks import checked
from supple.errors import FileFormatError, ModelError
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.superelement import Superelement
from supple.structures.formats.file_set import FileSet, file_set
from supple.structures.formats.imported import GivenFrames, ImportedStructure, imported_structure
from supple.structures.formats.raw_model import RawModel
from supple.structures.formats.raw_superelement import RawSuperelement, imported_superelement
from supple.structures.formats.registry import BodyFormat, ImportFormat, format_of
from supple.structures.formats.tangents import Tangent, TangentModel
from supple.structures.formats.units import GivenUnits, Units, units_of

Imported: TypeAlias = ImportedStructure | Superelement | FlexibleBody
Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


@checked
def read(
    path: Paths,
    frames: GivenFrames = None,
    units: GivenUnits = None,
    tangents: Mapping[str, Tangent] | None = None,
    superelement: int | None = None,
) -> Imported:
    """A structure, or a body that is reduced already, from files of a finite-element program.

    Parameters
    ----------
    path : path or sequence of paths
        A deck beside which the matrices stand, or all files by name. What they are is seen from what stands in them:
        CalculiX (.inp with .sti, .mas, .dof), Abaqus (.inp with .mtx), Nastran (.op4 or .pch with .asm or bulk data),
        NAS2CAM (.op2 with .op4), MBDyn (.fem), SID_FEM, and Matrix Market or Harwell-Boeing matrices with a table of
        nodes, as from Ansys or MATLAB.
    frames : dict, optional
        Name to the label of a node in the file, to several labels, to the name of a node set, or to a function of the
        positions (3, k) in m that says which nodes are in. Several nodes are a rigid region, at their mean position.
    units : str or dict, optional
        Of the files: "mm-t-s", or {"length": "mm", "mass": "t", "time": "s"}; what is not said is SI. Forces are in
        mass x length / time^2.
    tangents : dict of load case to Tangent, optional
        Files with the stiffness of the same mesh under loads, by which the body stiffens; load cases such as "spin
        about z" are those of `from_matrices`, the root of the reduction being held.
    superelement : int, optional
        Which one to take from files of NAS2CAM that hold several; 0 is the residual structure.

    Returns
    -------
    ImportedStructure, Superelement or FlexibleBody
        In SI. A structure is free in space, its nodes in the order of their labels; `print(structure.report)` says what
        to check. A superelement of Nastran or Abaqus has boundary nodes and modal coordinates; its frames are boundary
        nodes. Both have `reduce`. A body comes from files that hold one.

    Notes
    -----
    Write matrices of the bare mesh: without supports, rigid bodies, couplings and contact. The root is held by the
    reduction, and frames of several nodes are rigid.
    """
    wanted = units_of(units)
    files = file_set(path, superelement)
    known = format_of(files)
    if superelement is not None and not (isinstance(known, ImportFormat) and known.several):
        raise ModelError(
            f"superelement: expected none for {known.name}, which has no numbers for them, got {superelement}"
        )
    if isinstance(known, BodyFormat):
        _no_tangents(tangents, known.name)
        return _body(known, files, frames, wanted)
    found = known.read(files)
    if isinstance(found, RawSuperelement):
        _no_tangents(tangents, "a superelement")
        return imported_superelement(found, frames, wanted)
    return imported_structure(found, frames, wanted, _tangent_models(tangents or {}))


def _no_tangents(tangents: Mapping[str, Tangent] | None, what: str) -> None:
    if tangents:
        raise ModelError(
            f"tangents: expected none for {what}, whose nodes inside are not known, got {', '.join(tangents)}"
        )


def _tangent_models(tangents: Mapping[str, Tangent]) -> dict[str, TangentModel]:
    """What the files of tangents say."""
    out = {}
    for case, tangent in tangents.items():
        if not isinstance(tangent, Tangent):
            raise ModelError(f"tangents: {case!r}: expected a Tangent with file and size, got {tangent!r}")
        files = file_set(tangent.file)
        known = format_of(files)
        found = known.read(files) if isinstance(known, ImportFormat) else None
        if not isinstance(found, RawModel):
            raise FileFormatError(
                f"{files.first}: tangent of {case!r}: expected matrices of a whole mesh, got {known.name}"
            )
        out[case] = TangentModel(found, tangent.size, tangent.softened)
    return out


def _body(known: BodyFormat, files: FileSet, frames: GivenFrames, units: Units) -> FlexibleBody:
    """A body that is reduced already; its frames are single nodes."""
    if units.time != "s":
        raise ModelError(f"units: time: expected 's' for {known.name}, got {units.time!r}")
    for name, where in (frames or {}).items():
        if not isinstance(where, int | str):
            raise ModelError(f"frame {name!r}: expected the label of one node, got {where!r}")
    named = None if frames is None else {name: str(where) for name, where in frames.items()}
    return known.read(files.first, frames=named, length=units.metre, mass=units.kilogram)
