"""`supple.structures.read`: structures and bodies from files of finite-element programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from supple.call_checks import checked
from supple.errors import FileFormatError, ModelError
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.body.superelement import Superelement
from supple.structures.formats.file_set import FileSet, file_set
from supple.structures.formats.imported import GivenFrames, ImportedStructure, imported_structure
from supple.structures.formats.raw_model import RawModel
from supple.structures.formats.raw_superelement import RawSuperelement, imported_superelement
from supple.structures.formats.registry import BodyFormat, ImportFormat, format_of
from supple.structures.formats.tangents import Tangent, TangentModel
from supple.structures.formats.units import GivenUnits, Units, units_of

Imported: TypeAlias = ImportedStructure | Superelement | FlexibleBody | BeamPieces
Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


@checked
def read(
    path: Paths,
    frames: GivenFrames = None,
    units: GivenUnits = None,
    tangents: Mapping[str, Tangent] | None = None,
    superelement: int | None = None,
    root: str | None = None,
    interfaces: Sequence[str] | None = None,
) -> Imported:
    """A structure, or a body that is reduced already, from files of a finite-element program.

    Parameters
    ----------
    path : path or sequence of paths
        A deck beside which the matrices stand, or all files by name. What they are is seen from what stands in them:
        supple (.h5, as `write` and `save` make them), CalculiX (.inp with .sti, .mas, .dof), Abaqus (.inp with .mtx),
        Nastran (.op4 or .pch with .asm or bulk data), NAS2CAM (.op2 with .op4), MBDyn (.fem), SID_FEM, and Matrix
        Market or Harwell-Boeing matrices with a table of nodes, as from Ansys or MATLAB.
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
    root : str, optional
        Of a body in modal data of MBDyn or SID_FEM, the label of the node at the inboard hinge; by default a node that
        no mode moves, else the first one.
    interfaces : sequence of str, optional
        Labels of the interface nodes in the order of MBDyn's modal joint, which record group 19 counts them in; by
        default all nodes but the root, in the order of the file.

    Returns
    -------
    ImportedStructure, Superelement, FlexibleBody or BeamPieces
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
    other = None if wanted == Units() else units
    given = {"root": root, "interfaces": interfaces, "frames": frames or None, "units": other}
    if isinstance(known, BodyFormat):
        _no_tangents(tangents, known.name)
        return _body(known, files, given, wanted)
    _none_of(given, ("root", "interfaces"), known.name)
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


def _none_of(given: Mapping[str, Any], names: Sequence[str], what: str) -> None:
    """Raise if one of these options is given."""
    for name in names:
        if given[name] is not None:
            raise ModelError(f"{name}: expected none for {what}, got {given[name]!r}")


def _body(known: BodyFormat, files: FileSet, given: Mapping[str, Any], units: Units) -> FlexibleBody | BeamPieces:
    """A body that is reduced already; its frames are single nodes."""
    _none_of(given, [name for name in given if name not in known.options], known.name)
    if units.time != "s":
        raise ModelError(f"units: time: expected 's' for {known.name}, got {units.time!r}")
    for name, where in (given["frames"] or {}).items():
        if not isinstance(where, int | str):
            raise ModelError(f"frame {name!r}: expected the label of one node, got {where!r}")
    own = {name: value for name, value in given.items() if value is not None and name != "units"}
    if "frames" in own:
        own["frames"] = {name: str(where) for name, where in own["frames"].items()}
    scale = {"length": units.metre, "mass": units.kilogram} if "units" in known.options else {}
    return known.read(files.first, **own, **scale)
