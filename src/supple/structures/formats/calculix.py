"""CalculiX: a deck with the matrices that *FREQUENCY, SOLVER=MATRIXSTORAGE stores.

`job.sti` and `job.mas` have lines "row column value" of one triangle, from 1; line i of `job.dof` is "node.direction"
of row i (CalculiX 2.20, *FREQUENCY in its manual). Degrees of freedom that the deck holds are left out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.checks import Ints
from supple.errors import FileFormatError
from supple.structures.formats.file_set import FileSet, read_text
from supple.structures.formats.inp_deck import read_deck
from supple.structures.formats.number_table import coordinate_entries, coordinate_matrix
from supple.structures.formats.raw_model import RawModel

MATRICES = (".sti", ".mas", ".dof")
MOST_DIGITS = 15
"""Of the number of a node."""


def is_calculix(files: FileSet) -> bool:
    """A deck with stored matrices beside it, or the matrices themselves."""
    return any(files.ending(*MATRICES)) or (any(files.ending(".inp")) and any(files.beside(*MATRICES)))


def read_calculix(files: FileSet) -> RawModel:
    """Nodes of the deck and the matrices that CalculiX stored."""
    deck_path, stiffness, mass, rows = (_one(files, suffix) for suffix in (".inp", *MATRICES))
    deck = read_deck(deck_path)
    label, direction = _rows(rows)
    unknown = np.setdiff1d(label, deck.labels)
    if len(unknown):
        raise FileFormatError(
            f"{rows}: degrees of freedom: no node {unknown[0]} in {deck_path.name}; CalculiX adds nodes to C3D8I, "
            "shells and beams: use C3D10, C3D20 or other solids of it"
        )
    node = np.searchsorted(deck.labels, label).astype(np.int64)
    K, asymmetry_K = coordinate_matrix(stiffness, coordinate_entries(stiffness), len(label), rows.name)
    M, asymmetry_M = coordinate_matrix(mass, coordinate_entries(mass), len(label), rows.name, massless=True)
    return RawModel(
        program="CalculiX",
        files=(*deck.files, stiffness, mass, rows),
        labels=deck.labels,
        nodes=deck.nodes,
        dof_node=node,
        dof_component=direction - 1,
        stiffness=K,
        mass=M,
        sets=deck.sets,
        elements=deck.elements,
        asymmetry=(asymmetry_K, asymmetry_M),
    )


def _one(files: FileSet, suffix: str) -> Path:
    found = files.beside(suffix)
    if len(found) != 1:
        got = ", ".join(path.name for path in found) or "none"
        raise FileFormatError(
            f"{files.first}: expected one file {suffix} of CalculiX with it, got {got}; *FREQUENCY, "
            "SOLVER=MATRIXSTORAGE writes .sti, .mas and .dof with the name of the deck"
        )
    return found[0]


def _rows(path: Path) -> tuple[Ints, Ints]:
    """Node and direction of each row; "12.1" is a pair of whole numbers and no fraction."""
    pairs = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        node, _, direction = line.strip().partition(".")
        if not (node.isdecimal() and direction.isdecimal() and len(node) <= MOST_DIGITS and len(direction) == 1):
            raise FileFormatError(f"{path}: line {number}: expected node.direction, got {line.strip()[:60]!r}")
        if not 1 <= int(direction) <= 6:
            raise FileFormatError(f"{path}: line {number}: expected a direction from 1 to 6, got {direction}")
        pairs.append((int(node), int(direction)))
    if not pairs:
        raise FileFormatError(f"{path}: expected lines of node.direction, got none")
    table = np.array(pairs, dtype=np.int64)
    return table[:, 0], table[:, 1]
