"""Reduced bodies to files of other programs, by the ending of the name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from supple.call_checks import checked
from supple.errors import ModelError, one_of, unexpected
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.formats.dmig_writer import write_dmig
from supple.structures.formats.fem_writer import write_mbdyn
from supple.structures.formats.modal_data import ModalData, modal_data
from supple.structures.formats.op4_writer import write_op4
from supple.structures.formats.sid_writer import write_sid

Writer = Callable[[ModalData, str | os.PathLike[str]], None]
FORMATS: dict[str, tuple[Writer, tuple[str, ...]]] = {
    "mbdyn": (write_mbdyn, (".fem",)),
    "sid": (write_sid, (".sid_fem", ".sid")),
    "op4": (write_op4, (".op4",)),
    "dmig": (write_dmig, (".dmig", ".pch", ".bdf")),
}


@checked
def write(
    body: FlexibleBody,
    path: str | os.PathLike[str],
    format: str | None = None,
    nodes: Sequence[str] | None = None,
) -> None:
    """Write a reduced body to a file of another program; a file of that name is replaced when the new one is complete.

    Parameters
    ----------
    body : FlexibleBody
        In a basis of modes.
    path : str or path
        Ending in .fem (MBDyn), .SID_FEM, .op4 (Nastran, ASCII) or .dmig, .pch, .bdf (bulk data of Nastran).
    format : str, optional
        "mbdyn", "sid", "op4" or "dmig", where the ending does not tell.
    nodes : sequence of str, optional
        Frames and numbers of nodes to write beside the root; all of them by default, in "op4" and "dmig" all frames.
    """
    if not isinstance(body, FlexibleBody):
        raise unexpected("structures.write", "a FlexibleBody", body)
    ending = Path(path).suffix.lower()
    if format is None:
        format = next((name for name, (_, endings) in FORMATS.items() if ending in endings), None)
        if format is None:
            known = [ending for _, endings in FORMATS.values() for ending in endings]
            raise ModelError(f"{path}: no format for the ending {ending!r}{one_of(known)}")
    if format not in FORMATS:
        raise ModelError(f"format: no format {format!r}{one_of(FORMATS)}")
    if nodes is None and format in ("op4", "dmig"):
        nodes = list(body.frames)
    FORMATS[format][0](modal_data(body, nodes), path)
