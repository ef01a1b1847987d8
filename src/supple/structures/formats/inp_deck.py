"""Nodes, elements and node sets of input decks of Abaqus and CalculiX.

Keywords begin with one star, comments with two; names are read without regard to case. A deck that puts one part into
its assembly once, without moving it, is read as if it had no parts.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.input_files import read_bytes
from supple.structures.formats.file_set import MOST_BYTES, file_set
from supple.structures.formats.raw_model import index_of

Members: TypeAlias = "dict[int | range, None]"
"""Members of a node set: numbers of nodes, and ranges of them."""
LARGEST_LABEL = 10**15
"""Number of a node or element."""
MOST_MEMBERS = 20_000_000
"""Limit for all node sets together; members of sets within sets count again."""
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
    sets: dict[str, Members] = field(default_factory=dict)
    members: int = 0
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
    sets = {name: _places(labels, x, path, f"*NSET {name}") for name, x in found.sets.items() if x}
    elements = {}
    for kind, each in ((kind, each) for kind, each in found.elements.items() if each):
        lengths = {len(x) for x in each.values()}
        if len(lengths) > 1:
            raise FileFormatError(
                f"{path}: *ELEMENT, TYPE={kind}: expected elements of one size, got {sorted(lengths)}"
            )
        table = np.array(list(each.values()), dtype=np.int64)
        elements[kind] = index_of(labels, table.ravel(), path, f"*ELEMENT, TYPE={kind}").reshape(table.shape)
    return Deck(found.files, labels, nodes, sets, elements)


def _places(labels: Ints, members: Members, path: Path, what: str) -> Ints:
    """Indices of the members of a set. Ranges are never written out: all their nodes have to be there."""
    found = [np.zeros(0, dtype=np.int64)]
    for x in members:
        if isinstance(x, range):
            place = np.arange(np.searchsorted(labels, x[0]), np.searchsorted(labels, x[-1], side="right"))
            place = place[(labels[place] - x[0]) % x.step == 0]
            if len(place) < len(x):
                here = set(labels[place].tolist())
                missing = next(label for label in x if label not in here)
                raise FileFormatError(f"{path}: {what}: no node {missing}")
            found.append(place)
    single = np.array([x for x in members if isinstance(x, int)], dtype=np.int64)
    return np.unique(np.concatenate([*found, index_of(labels, single, path, what)]))


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
            if not all(_is_zero(x) for _, words in data for x in words if x):
                raise FileFormatError(f"{where}: expected an instance that is not moved; move the part's nodes instead")
        elif keyword in REFUSED:
            raise FileFormatError(f"{where}: {REFUSED[keyword]}")


def _is_zero(word: str) -> bool:
    try:
        return float(word) == 0.0
    except ValueError:
        return False


def _blocks(path: Path) -> Iterator[tuple[int, str, dict[str, str], list[tuple[int, list[str]]]]]:
    """Line number, keyword, options and lines of data, each with its number."""
    start, keyword, options = 0, "", ""
    data: list[tuple[int, list[str]]] = []
    with io.TextIOWrapper(io.BytesIO(read_bytes(path, MOST_BYTES)), encoding="latin-1") as file:
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
            label = node_label(words[0])
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
        _add(where, options["NSET"].upper(), labels, found)


def _node_set(where: str, options: dict[str, str], data: list[tuple[int, list[str]]], found: _Gathered) -> None:
    name = options.get("NSET", "").upper()
    if not name:
        raise FileFormatError(f"{where}: expected NSET=name")
    _add(where, name, (), found)
    for number, words in data:
        entries = [w for w in words if w]
        try:
            if "GENERATE" in options:
                first, last, step = (*(node_label(w) for w in entries), 1)[:3]
                if step < 1:
                    raise ValueError(step)
                nodes = range(first, last + 1, step)
                parts: list[Iterable[int | range]] = [[nodes] if nodes else []]
            else:
                parts = [[node_label(w)] if w.isdecimal() else found.sets[w.upper()] for w in entries]
        except (ValueError, KeyError):
            members = "numbers of nodes or names of sets before it"
            expected = "first and last node and a step of at least 1" if "GENERATE" in options else members
            raise FileFormatError(f"{_line(where, number)}: expected {expected}, got {words}") from None
        for part in parts:
            _add(_line(where, number), name, part, found)


def node_label(word: str) -> int:
    """Return the number of a node, or raise a ValueError."""
    number = int(word)
    if abs(number) > LARGEST_LABEL:
        raise ValueError(word)
    return number


def _add(where: str, name: str, members: Iterable[int | range], found: _Gathered) -> None:
    """Add members to a set, each once."""
    own = found.sets.setdefault(name, {})
    before = len(own)
    own.update(dict.fromkeys(members))
    found.members += len(own) - before
    if found.members > MOST_MEMBERS:
        raise FileFormatError(f"{where}: expected at most {MOST_MEMBERS:,} members of node sets in all, got more")


def _elements(where: str, options: dict[str, str], data: list[tuple[int, list[str]]], found: _Gathered) -> None:
    kind = options.get("TYPE", "").upper()
    if not kind:
        raise FileFormatError(f"{where}: expected TYPE=name")
    size = _size_of(kind)
    waiting: list[int] = []
    each = found.elements.setdefault(kind, {})
    for number, words in data:
        try:
            waiting += [node_label(w) for w in words if w]
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
