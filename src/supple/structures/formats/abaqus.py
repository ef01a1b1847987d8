"""Abaqus: a deck with the matrices that *MATRIX OUTPUT writes, in its three text formats.

COORDINATE: "row column value", rows in the order of the node labels, three or six a node. MATRIX INPUT: "node, degree
of freedom, node, degree of freedom, value", one triangle or both. LABELS: the same, with nodes as "instance.label".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.structures.discretization.mass import Sparse
from supple.structures.formats.file_set import FileSet, head, read_text
from supple.structures.formats.inp_deck import Deck, read_deck
from supple.structures.formats.number_table import coordinate_entries, coordinate_matrix, read_table, symmetric, whole
from supple.structures.formats.raw_model import RawModel, index_of

NAMES = {"stiffness": r"_stif(\d+)\.mtx$", "mass": r"_mass(\d+)\.mtx$"}


def is_abaqus(files: FileSet) -> bool:
    """A deck, or matrices in a text without a header, that stand beside each other."""
    matrices = [path for path in files.ending(".mtx") if not head(path).startswith((b"%%", b"*", b"$"))]
    return bool(matrices) or (bool(files.ending(".inp")) and bool(_steps(files, "stiffness")))


def read_abaqus(files: FileSet) -> RawModel:
    """Nodes of the deck and the matrices of a step."""
    stiffness, mass = _matrices(files)
    deck_path = _deck(files, stiffness)
    deck = read_deck(deck_path)
    columns = _columns(stiffness)
    read = _by_row if columns == 3 else _by_label
    if _columns(mass) != columns:
        raise FileFormatError(f"{mass}: expected the same format as {stiffness.name}, got another")
    node, component, K, M = read(stiffness, mass, deck)
    return RawModel(
        program="Abaqus",
        files=(*deck.files, stiffness, mass),
        labels=deck.labels,
        nodes=deck.nodes,
        dof_node=node,
        dof_component=component,
        stiffness=K[0],
        mass=M[0],
        sets=deck.sets,
        elements=deck.elements,
        asymmetry=(K[1], M[1]),
    )


def _steps(files: FileSet, what: str) -> list[tuple[int, Path]]:
    """Matrices of this kind that are named, or beside the deck, by step."""
    named = files.ending(".mtx")
    stem = files.first.stem.lower()
    candidates = named or [p for p in files.siblings() if p.name.lower().startswith(stem + "_")]
    found = ((re.search(NAMES[what], path.name.lower()), path) for path in candidates)
    return sorted((int(match[1]), path) for match, path in found if match)


def _matrices(files: FileSet) -> tuple[Path, Path]:
    """Stiffness and mass of the same step: the only one there is."""
    chosen = []
    for what in NAMES:
        found = _steps(files, what)
        if len(found) != 1:
            got = ", ".join(path.name for _, path in found) or "none"
            raise FileFormatError(
                f"{files.first}: expected one matrix {NAMES[what][1:5].upper()} of Abaqus with it (*MATRIX OUTPUT), "
                f"got {got}; name the deck and both matrices where there are several steps"
            )
        chosen.append(found[0][1])
    return chosen[0], chosen[1]


def _deck(files: FileSet, matrix: Path) -> Path:
    named = files.ending(".inp")
    if len(named) == 1:
        return named[0]
    stem = re.sub(NAMES["stiffness"], "", matrix.name.lower())
    found = [path for path in FileSet((matrix,)).siblings() if path.name.lower() == f"{stem}.inp"]
    if len(named) > 1 or not found:
        got = ", ".join(path.name for path in named) or "none"
        raise FileFormatError(f"{matrix}: expected the deck {stem}.inp with it, got {got}")
    return found[0]


def _columns(path: Path) -> int:
    """Numbers in a line: 3 or 5."""
    for line in head(path).splitlines():
        words = line.replace(b",", b" ").split()
        if not words or line.lstrip().startswith(b"*"):
            continue
        if len(words) in (3, 5):
            return len(words)
        raise FileFormatError(
            f"{path}: expected lines of 3 (COORDINATE) or 5 entries (MATRIX INPUT, LABELS), "
            f"got {line.decode('latin-1')[:60]!r}"
        )
    raise FileFormatError(f"{path}: expected the entries of a matrix, got none")


Read = tuple[Ints, Ints, tuple[Sparse, float], tuple[Sparse, float]]


def _by_row(stiffness: Path, mass: Path, deck: Deck) -> Read:
    """Rows are numbered through; which nodes have them follows from the deck."""
    used = np.unique(np.concatenate([table.ravel() for table in deck.elements.values()])) if deck.elements else None
    nodes = np.arange(len(deck.labels)) if used is None else used
    entries = coordinate_entries(stiffness)
    largest = int(entries[:, 0].max(initial=0.0))
    each = next((n for n in (3, 6) if n * len(nodes) == largest), 0)
    if not each:
        raise FileFormatError(
            f"{stiffness}: expected {3 * len(nodes)} or {6 * len(nodes)} rows for {len(nodes)} nodes of 3 or 6 degrees "
            f"of freedom, got {largest}; write FORMAT=MATRIX INPUT for a mesh of both kinds"
        )
    node = np.repeat(nodes, each).astype(np.int64)
    component = np.tile(np.arange(each), len(nodes)).astype(np.int64)
    source = deck.files[0].name
    K = coordinate_matrix(stiffness, entries, len(node), source)
    M = coordinate_matrix(mass, coordinate_entries(mass), len(node), source, massless=True)
    return node, component, K, M


@dataclass(frozen=True, eq=False)
class _Entries:
    """Labels (n, 2), directions (n, 2) and values (n,) of entries."""

    labels: Ints
    directions: Ints
    values: Floats


def _by_label(stiffness: Path, mass: Path, deck: Deck) -> Read:
    """Rows are those nodes and degrees of freedom that the stiffness has, in their order."""
    entries = [_labelled(path) for path in (stiffness, mass)]
    places = []
    for path, found in zip((stiffness, mass), entries, strict=True):
        index = index_of(deck.labels, found.labels.ravel(), path, "entries").reshape(-1, 2)
        places.append(6 * index + found.directions - 1)
    rows = np.unique(places[0])
    missing = np.setdiff1d(places[1], rows)
    if len(missing):
        label, direction = deck.labels[missing[0] // 6], missing[0] % 6 + 1
        raise FileFormatError(f"{mass}: node {label}, degree of freedom {direction}, is not in {stiffness.name}")
    made = []
    for path, where, found in zip((stiffness, mass), places, entries, strict=True):
        at = np.searchsorted(rows, where)
        made.append(symmetric(path, at[:, 0], at[:, 1], found.values, len(rows)))
    return rows // 6, rows % 6, made[0], made[1]


def _labelled(path: Path) -> _Entries:
    what = "node, degree of freedom, node, degree of freedom and value"
    first = next(line for line in head(path).splitlines() if not line.lstrip().startswith(b"*") and line.strip())
    if re.search(rb"[A-Za-z_].*?\.", first.rpartition(b",")[0]):
        table = _without_names(path, what)
    else:
        table = read_table(path, 5, what)
    labels, directions = whole(table[:, [0, 2]], path, "node"), whole(table[:, [1, 3]], path, "degree of freedom")
    if (labels < 1).any():
        raise FileFormatError(
            f"{path}: expected nodes of the deck, got the internal node {int(labels.min())}; leave out couplings, "
            "contact, connectors and hybrid elements"
        )
    wrong = (directions < 1) | (directions > 6)
    if wrong.any():
        raise FileFormatError(f"{path}: expected degrees of freedom 1 to 6, got {int(directions[wrong][0])}")
    return _Entries(labels, directions, table[:, 4])


def _without_names(path: Path, what: str) -> Floats:
    """Entries whose nodes are "instance.label", all of one instance."""
    rows = []
    instances = set()
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("*"):
            continue
        words = [word.strip() for word in line.split(",")]
        try:
            for i in (0, 2):
                instance, _, words[i] = words[i].rpartition(".")
                instances.add(instance.upper())
            rows.append([float(word) for word in words])
            if len(words) != 5:
                raise ValueError
        except (ValueError, IndexError):
            raise FileFormatError(f"{path}: line {number}: expected {what}, got {line.strip()[:60]!r}") from None
    if len(instances) > 1:
        raise FileFormatError(f"{path}: expected nodes of one instance, got {', '.join(sorted(instances))}")
    return np.array(rows)
