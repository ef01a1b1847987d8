"""Writing flexible bodies to HDF5 files: one file a body, plain arrays and names."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.call_checks import checked
from supple.checksums import seal
from supple.drafts import draft_of
from supple.errors import FileFormatError
from supple.lazy import LazyModule
from supple.structures.body.hdf5_parts import write_names, write_recovery, write_sparse
from supple.structures.reduction.report import Report

if TYPE_CHECKING:
    import h5py

    from supple.structures.body.flexible_body import FlexibleBody
    from supple.structures.body.substructured_beam import BeamPieces
    from supple.structures.stiffening.second_order import SecondOrder
else:
    h5py = LazyModule("h5py")

FORMAT = "supple flexible body"
PIECES_FORMAT = "supple beam in pieces"
VERSION = 3
"""Number of the format: raised with every change of what files hold, so that no file is misread."""
MATRICES = ("shapes", "mass_matrix", "stiffness", "damping")
SURFACE = ("node", "offset", "faces")
SECOND_ORDER = ("shapes", "E", "X", "N_cross", "N_own", "mass_cross", "mass_own")


@checked
def save_body(body: FlexibleBody, path: str | os.PathLike[str]) -> None:
    """Write a body to one HDF5 file; a file of that name is replaced when the new one is complete."""
    try:
        with draft_of(Path(path)) as draft:
            write_body(body, draft)
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be written: {error.strerror or error}") from None


def write_body(body: FlexibleBody, path: Path) -> None:
    """Write a body into a file that is part of a larger draft."""
    with h5py.File(path, "w") as file:
        _write(file, body)
    seal(path)


def save_pieces(pieces: BeamPieces, path: str | os.PathLike[str]) -> None:
    """Write a beam in pieces to one HDF5 file; a file of that name is replaced when the new one is complete."""
    try:
        with draft_of(Path(path)) as draft:
            write_pieces(pieces, draft)
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be written: {error.strerror or error}") from None


def write_pieces(pieces: BeamPieces, path: Path) -> None:
    """Write a beam in pieces into a file that is part of a larger draft; pieces that are one body once."""
    kinds = {id(body): body for body in pieces.bodies}
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": PIECES_FORMAT, "version": VERSION})
        for i, body in enumerate(kinds.values()):
            _write(file.create_group(f"bodies/{i}"), body)
        file["body"] = [list(kinds).index(id(body)) for body in pieces.bodies]
        file["first"], file["nodes"] = pieces.first, pieces.nodes
        group = file.create_group("frames")
        write_names(group, "names", tuple(pieces.frames))
        group["piece"] = [place.piece for place in pieces.frames.values()]
        write_names(group, "node", tuple(place.node for place in pieces.frames.values()))
    seal(path)


def _write(file: h5py.Group, body: FlexibleBody) -> None:
    file.attrs.update({"format": FORMAT, "version": VERSION, "basis": body.basis, "root": body.root})
    if body.missing_for_full_fidelity:
        file.attrs["missing_for_full_fidelity"] = body.missing_for_full_fidelity
    write_names(file, "labels", body.labels)
    file["nodes"], file["turning"] = body.nodes, body.turning
    for name in MATRICES:
        write_sparse(file.create_group(name), getattr(body, name))
    for i, (name, frame) in enumerate(body.frames.items()):
        group = file.create_group(f"frames/{i}")
        group.attrs.update({"name": name, "turning": frame.turning})
        group["position"], group["shape"] = frame.position, frame.shape
    group = file.create_group("integrals")
    for name in ("mass", "moment", "second", "E", "X"):
        group[name] = getattr(body.integrals, name)
    for name in ("first", "other", "value"):
        group[f"N/{name}"] = getattr(body.integrals.N, name)
    if body.second_order is not None:
        _write_second_order(file.create_group("second_order"), body.second_order)
    if body.surface is not None:
        group = file.create_group("surface")
        for name in SURFACE:
            group[name] = getattr(body.surface, name)
    if body.recovery is not None:
        write_recovery(file.create_group("recovery"), body.recovery)
    if body.report is not None:
        group = file.create_group("report")
        for field in fields(Report):
            value = getattr(body.report, field.name)
            if isinstance(value, tuple):
                write_names(group, field.name, value)
            else:
                group[field.name] = value


def _write_second_order(group: Any, second: SecondOrder) -> None:
    for name in ("first", "other", "value"):
        group[f"quadratic/{name}"] = getattr(second.quadratic, name)
    for name in SECOND_ORDER:
        group[name] = getattr(second, name)
    for i, (name, rows) in enumerate(second.frames.items()):
        group[f"frames/{i}"] = rows
        group[f"frames/{i}"].attrs["name"] = name
