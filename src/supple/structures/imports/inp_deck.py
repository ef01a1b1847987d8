"""Nodes, elements and node sets of input decks of Abaqus and CalculiX.

Keywords begin with one star, comments with two; names are read without regard to case. A deck that puts one part into
its assembly once, without moving it, is read as if it had no parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.structures.imports.file_set import file_set
from supple.structures.imports.raw_model import index_of

DEEPEST = 8
"""Files that include each other."""
REFUSED = {"TRANSFORM": "it turns the axes of nodes, in which the matrices stand; leave it out"}


@dataclass
class Deck:
    """What a deck says of its mesh.

    Attributes
    ----------
    files : list of Path
        The deck and what it includes.
    labels, nodes : (k,), (k, 3) arrays
        In ascending order of the labels.
    sets : dict of str to array of int
        Node sets, by index.
    elements : dict of str to (m, c) array of int
        Connectivity by type, by index.
    """

    files: list[Path]
    labels: Ints
    nodes: Floats
    sets: dict[str, Ints]
    elements: dict[str, Ints]


@dataclass
class _Gathered:
    files: list[Path] = field(default_factory=list)
    nodes: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    sets: dict[str, list[int]] = field(default_factory=dict)
    elements: dict[str, dict[int, list[int]]] = field(default_factory=dict)
    instances: int = 0


def read_deck(path: Path) -> Deck:
    """The mesh of a deck and of the files that it includes."""
    found = _Gathered()
    _read(path, found, 0)
    if not found.nodes:
        raise FileFormatError(f"{path}: expected nodes under *NODE, got none")
    labels = np.array(sorted(found.nodes), dtype=np.int64)
    nodes = np.array([found.nodes[int(i)] for i in labels])
    sets = {name: index_of(labels, np.unique(x), path, f"*NSET {name}") for name, x in found.sets.items() if x}
    elements = {}
    for kind, each in found.elements.items():
        lengths = {len(x) for x in each.values()}
        if len(lengths) > 1:
            raise FileFormatError(
                f"{path}: *ELEMENT, TYPE={kind}: expected elements of one size, got {sorted(lengths)}"
            )
        table = np.array(list(each.values()), dtype=np.int64)
        elements[kind] = index_of(labels, table.ravel(), path, f"*ELEMENT, TYPE={kind}").reshape(table.shape)
    return Deck(found.files, labels, nodes, sets, elements)


def _read(path: Path, found: _Gathered, depth: int) -> None:
    if depth > DEEPEST:
        raise FileFormatError(f"{path}: expected files that include each other at most {DEEPEST} deep")
    found.files.append(path)
    for number, keyword, options, data in _blocks(path):
        where = f"{path}: line {number}: *{keyword}"
        if keyword == "INCLUDE":
            name = options.get("INPUT")
            if not name:
                raise FileFormatError(f"{where}: expected INPUT=file")
            _read(file_set(path.parent / name).first, found, depth + 1)
        elif keyword == "NODE":
            _nodes(where, options, data, found)
        elif keyword == "NSET":
            _node_set(where, options, data, found)
        elif keyword == "ELEMENT":
            _elements(where, options, data, found)
        elif keyword == "INSTANCE":
            found.instances += 1
            if found.instances > 1:
                raise FileFormatError(f"{where}: expected one instance, got another; write a deck of one part")
            if any(float(x) != 0.0 for _, words in data for x in words if x):
                raise FileFormatError(f"{where}: expected an instance that is not moved; move the part's nodes instead")
        elif keyword in REFUSED:
            raise FileFormatError(f"{where}: {REFUSED[keyword]}")


def _blocks(path: Path) -> Iterator[tuple[int, str, dict[str, str], list[tuple[int, list[str]]]]]:
    """Line number, keyword, options and lines of data, each with its number."""
    start, keyword, options = 0, "", ""
    data: list[tuple[int, list[str]]] = []
    with open(path, encoding="latin-1") as file:
        for number, line in enumerate(file, start=1):
            text = line.strip()
            if not text or text.startswith("**"):
                continue
            if not text.startswith("*"):
                if options.endswith(",") and not data:  # a keyword's options on a second line
                    options += text
                elif keyword:
                    data.append((number, [word.strip() for word in text.split(",")]))
                continue
            if keyword:
                yield start, keyword, _options(options), data
            name, _, options = text[1:].partition(",")
            start, keyword, data = number, " ".join(name.upper().split()), []
        if keyword:
            yield start, keyword, _options(options), data


def _options(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(","))
    return {key.strip().upper(): value.strip().strip('"') for key, _, value in pairs if key.strip()}


def _nodes(where: str, options: dict[str, str], data: list[tuple[int, list[str]]], found: _Gathered) -> None:
    if options.get("SYSTEM", "R").upper() != "R":
        raise FileFormatError(f"{where}: expected rectangular coordinates, got SYSTEM={options['SYSTEM']}")
    labels = []
    for number, words in data:
        try:
            label = int(words[0])
            x, y, z = (float(w) if w else 0.0 for w in (*words[1:4], "", "", "")[:3])
        except ValueError:
            raise FileFormatError(
                f"{_line(where, number)}: expected a number and three coordinates, got {words}"
            ) from None
        if not np.isfinite((x, y, z)).all():
            raise FileFormatError(
                f"{_line(where, number)}: node {label}: expected finite coordinates, got {words[1:4]}"
            )
        if label in found.nodes and found.nodes[label] != (x, y, z):
            raise FileFormatError(f"{_line(where, number)}: node {label} is there already, in another place")
        found.nodes[label] = (x, y, z)
        labels.append(label)
    if "NSET" in options:
        found.sets.setdefault(options["NSET"].upper(), []).extend(labels)


def _node_set(where: str, options: dict[str, str], data: list[tuple[int, list[str]]], found: _Gathered) -> None:
    name = options.get("NSET", "").upper()
    if not name:
        raise FileFormatError(f"{where}: expected NSET=name")
    members = found.sets.setdefault(name, [])
    for number, words in data:
        entries = [w for w in words if w]
        try:
            if "GENERATE" in options:
                first, last, step = (*(int(w) for w in entries), 1)[:3]
                members.extend(range(first, last + 1, step))
                continue
            for word in entries:
                members.extend([int(word)] if word.isdigit() else found.sets[word.upper()])
        except (ValueError, KeyError):
            raise FileFormatError(
                f"{_line(where, number)}: expected numbers of nodes or names of sets before it, got {words}"
            ) from None


def _elements(where: str, options: dict[str, str], data: list[tuple[int, list[str]]], found: _Gathered) -> None:
    kind = options.get("TYPE", "").upper()
    if not kind:
        raise FileFormatError(f"{where}: expected TYPE=name")
    size = _size_of(kind)
    waiting: list[int] = []
    each = found.elements.setdefault(kind, {})
    for number, words in data:
        try:
            waiting += [int(w) for w in words if w]
        except ValueError:
            raise FileFormatError(f"{_line(where, number)}: expected numbers of nodes, got {words}") from None
        complete = len(waiting) == size + 1 if size else bool(words[-1])
        if complete:
            each[waiting[0]] = waiting[1:]
            waiting = []
    if waiting:
        raise FileFormatError(f"{_line(where, data[-1][0])}: element {waiting[0]} of {kind} is not complete")


def _size_of(kind: str) -> int:
    """Nodes of a type that says so in its name, else 0: its line ends where no comma ends it."""
    counted = re.match(r"(?:C3D|SC|S|M3D)(\d+)", kind)
    return int(counted[1]) if counted else 0


def _line(where: str, number: int) -> str:
    path, _, keyword = where.rpartition(": ")
    return f"{path.rpartition(': ')[0]}: line {number}: {keyword}"
