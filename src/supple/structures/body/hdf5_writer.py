"""Writing flexible bodies to HDF5 files: one file a body, plain arrays and names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from supple.call_checks import checked
from supple.checksums import seal
from supple.drafts import draft_of
from supple.errors import FileFormatError
from supple.lazy import LazyModule
from supple.structures.body.hdf5_fields import write, write_fields
from supple.structures.body.recovery import Kind, Recovery

if TYPE_CHECKING:
    import h5py

    from supple.structures.body.flexible_body import FlexibleBody
    from supple.structures.body.substructured_beam import BeamPieces
else:
    h5py = LazyModule("h5py")

FORMAT = "supple flexible body"
PIECES_FORMAT = "supple beam in pieces"
VERSION = 3
"""Number of the format: raised with every change of what files hold, so that no file is misread."""
APART = ("recovery", "source")
"""Fields of a body that are written in another way, or not at all."""
TABLES: dict[Kind, str] = {"strains": "", "stresses": "static_stresses", "section_forces": "static_forces"}
"""Tables of a body with the names of those for static shapes."""


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
        write(group, "names", tuple(pieces.frames))
        group["piece"] = [place.piece for place in pieces.frames.values()]
        write(group, "node", tuple(place.node for place in pieces.frames.values()))
    seal(path)


def _write(file: h5py.Group, body: FlexibleBody) -> None:
    file.attrs.update({"format": FORMAT, "version": VERSION})
    write_fields(file, body, APART)
    if body.recovery is not None:
        _write_recovery(file.create_group("recovery"), body.recovery)


def _write_recovery(group: h5py.Group, recovery: Recovery) -> None:
    """Write what is known of a body's recovery; it is found now if it has not been requested."""
    write(group, "static", recovery.static)
    for kind, static in TABLES.items():
        write(group, kind, getattr(recovery, kind))
        if static and (moved := getattr(recovery, static)) is not None:
            write(group[kind], "static", moved.matrix)
