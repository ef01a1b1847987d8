"""Reduced bodies to files of other programs, by the ending of the name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from supple.call_checks import checked
from supple.errors import ModelError, one_of, unexpected
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.formats.mbdyn import write_mbdyn
from supple.structures.formats.modal_data import ModalData, modal_data
from supple.structures.formats.nastran_writer import write_dmig, write_op4
from supple.structures.formats.sid import write_sid

Writer = Callable[[ModalData, str | os.PathLike[str]], None]
FORMATS: dict[str, tuple[Writer, tuple[str, ...]]] = {
    "mbdyn": (write_mbdyn, (".fem",)),
    "sid": (write_sid, (".sid_fem", ".sid")),
    "op4": (write_op4, (".op4",)),
    "dmig": (write_dmig, (".dmig", ".pch", ".bdf")),
}


@checked
def write(
    body: FlexibleBody | BeamPieces,
    path: str | os.PathLike[str],
    format: str | None = None,
    nodes: Sequence[str] | None = None,
) -> None:
    """Write a reduced body to a file of supple or another program; a file of that name is replaced by the complete one.

    Parameters
    ----------
    body : FlexibleBody or BeamPieces
        For other programs a body in a basis of modes.
    path : str or path
        Ending in .h5, which keeps all of the body for `read`, .fem (MBDyn), .SID_FEM, .op4 (Nastran, ASCII) or .dmig,
        .pch, .bdf (bulk data of Nastran).
    format : str, optional
        "hdf5", "mbdyn", "sid", "op4" or "dmig", where the ending does not tell.
    nodes : sequence of str, optional
        Frames and numbers of nodes to write beside the root; all of them by default, in "op4" and "dmig" all frames.
    """
    ending = Path(path).suffix.lower()
    if isinstance(body, FlexibleBody | BeamPieces) and (format == "hdf5" or (format is None and ending == ".h5")):
        if nodes is not None:
            raise ModelError(f"nodes: expected none for .h5, which keeps all nodes, got {nodes!r}")
        body.save(path)
        return
    if not isinstance(body, FlexibleBody):
        raise unexpected("structures.write", "a FlexibleBody", body)
    if format is None:
        format = next((name for name, (_, endings) in FORMATS.items() if ending in endings), None)
        if format is None:
            known = [".h5", *(ending for _, endings in FORMATS.values() for ending in endings)]
            raise ModelError(f"{path}: no format for the ending {ending!r}{one_of(known)}")
    if format not in FORMATS:
        raise ModelError(f"format: no format {format!r}{one_of(['hdf5', *FORMATS])}")
    if nodes is None and format in ("op4", "dmig"):
        nodes = list(body.frames)
    FORMATS[format][0](modal_data(body, nodes), path)
