"""Abaqus substructures: *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=USER DEFINED, in the form of a user element.

`*USER ELEMENT, NODES=n, LINEAR` is followed by comments with the node labels, by the degrees of freedom of the first
node, and where they change by the place of a node and its degrees of freedom; then `*MATRIX, TYPE=STIFFNESS` and
`TYPE=MASS` with one triangle, column by column to the diagonal. Node positions are those of the deck.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from supple.checks import Floats
from supple.errors import FileFormatError
from supple.structures.formats.file_set import FileSet, head, read_text
from supple.structures.formats.inp_deck import node_label, read_deck
from supple.structures.formats.raw_superelement import RawSuperelement

HEADER = re.compile(rb"^\*USER ELEMENT\b", re.MULTILINE | re.IGNORECASE)
MOST_NODES = 10_000


def is_substructure(files: FileSet) -> bool:
    """A matrix file that defines a user element."""
    return any(HEADER.search(head(path)) for path in files.ending(".mtx"))


def read_substructure(files: FileSet) -> RawSuperelement:
    """Retained nodes with their matrices, positions from the deck."""
    path = next(x for x in files.ending(".mtx") if HEADER.search(head(x)))
    decks = files.ending(".inp")
    if len(decks) != 1:
        raise FileFormatError(f"{path}: expected the deck .inp with the nodes named with it, got {len(decks)}")
    deck = read_deck(decks[0])
    nodes, dofs, matrices = _parts(path)
    labels = np.repeat(nodes, [len(x) for x in dofs]).astype(np.int64)
    directions = np.concatenate([np.array(x, dtype=np.int64) for x in dofs])
    wrong = directions[(directions < 1) | (directions > 6)]
    if wrong.size or not directions.size:
        raise FileFormatError(f"{path}: expected degrees of freedom 1 to 6, got {wrong[0] if wrong.size else 'none'}")
    n = len(labels)
    K, M = (_square(path, matrices, kind, n) for kind in ("STIFFNESS", "MASS"))
    missing = [label for label in nodes if label not in deck.labels]
    if missing:
        raise FileFormatError(f"{path}: no node {missing[0]} in {decks[0].name}")
    x = {int(label): deck.nodes[int(np.searchsorted(deck.labels, label))] for label in nodes}
    axes = np.eye(6)[:, :3][directions - 1]
    return RawSuperelement("Abaqus", (*deck.files, path), labels, directions, x, axes, K, M)


def _parts(path: Path) -> tuple[list[int], list[list[int]], dict[str, list[float]]]:
    """Labels, degrees of freedom of each node, and numbers of the matrices by type."""
    nodes: list[int] = []
    lists: list[tuple[int, list[int]]] = []
    matrices: dict[str, list[float]] = {}
    kind, listing, count = "", False, 0
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        text = line.strip()
        try:
            if text.upper().startswith("*USER ELEMENT"):
                count = int(re.search(r"NODES\s*=\s*(\d+)", text, re.IGNORECASE)[1])  # type: ignore[index]
                kind = "ELEMENT"
            elif text.upper().startswith("*MATRIX"):
                kind = re.search(r"TYPE\s*=\s*(\w+)", text, re.IGNORECASE)[1].upper()  # type: ignore[index]
                matrices[kind] = []
            elif text.startswith("**"):
                words = text.lstrip("*").strip().strip(",")
                listing = (listing and len(nodes) < count) or words.upper() == "ELEMENT NODES"
                if listing and words.upper() != "ELEMENT NODES" and words:
                    nodes += [node_label(word) for word in words.split(",")]
            elif text.startswith("*"):
                kind = ""
            elif text and kind == "ELEMENT":
                numbers = [node_label(word) for word in text.strip(",").split(",")]
                lists.append((numbers[0], numbers[1:]) if lists else (1, numbers))
            elif text and kind:
                matrices[kind] += [float(word.replace("D", "E")) for word in text.strip(", ").split(",")]
        except (ValueError, TypeError):
            shown = f"line {number}: expected numbers of a substructure, got {text[:60]!r}"
            raise FileFormatError(f"{path}: {shown}") from None
    if not lists or not 0 < len(nodes) == count <= MOST_NODES:
        what = f"expected the labels and degrees of freedom of {count} nodes, got {len(nodes)} labels"
        raise FileFormatError(f"{path}: {what}")
    dofs: list[list[int]] = []
    for i in range(1, count + 1):
        given = next((x for at, x in lists if at == i), None)
        dofs.append(dofs[-1] if given is None else given)
    return nodes, dofs, matrices


def _square(path: Path, matrices: dict[str, list[float]], kind: str, n: int) -> Floats:
    """A symmetric matrix of one triangle."""
    if kind not in matrices:
        raise FileFormatError(f"{path}: expected *MATRIX, TYPE={kind}, got {', '.join(matrices) or 'none'}")
    values = np.array(matrices[kind])
    if len(values) != n * (n + 1) // 2 or not np.isfinite(values).all():
        expected = f"expected {n * (n + 1) // 2} finite numbers for {n} rows, got {len(values)}"
        raise FileFormatError(f"{path}: {kind}: {expected}")
    out = np.zeros((n, n))
    out[np.tril_indices(n)] = values
    return np.asarray(out + np.tril(out, -1).T)
