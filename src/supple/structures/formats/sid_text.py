"""The text of SID_FEM files: blocks within blocks, and matrices with derivatives (Taylor blocks).

    part / new modal / refmod ... end refmod / frame / new node = 1 ... end node / end frame / mdCM ... / end modal

A Taylor block has its order, size and structure (0 nothing, 1 diagonal, 2 symmetric with its lower triangle, 3 full),
then lines `m0( i, j) = value` and `m1( i, j, k) = value`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from supple.checks import Floats
from supple.structures.formats.text_files import number, read_lines, wrong

ENTRY = re.compile(r"m([01])\s*\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\)\s*=\s*(\S+)")
SETTING = re.compile(r"(\w+)\s*=\s*(.*)")
NAME = re.compile(r"ielastq\s*\(\s*(\d{1,9})\s*\)\s*=\s*(.*)")
HEAD = ("order", "nrow", "ncol", "nq", "nqn", "structure")
OF_BODY = ("mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")
OF_NODE = ("origin", "phi", "psi", "AP", "sigma")


@dataclass(frozen=True)
class Taylor:
    """A matrix m0 (rows, columns), None where nothing is written, and m1 (rows, columns, n), None for order 0."""

    m0: Floats | None
    m1: Floats | None
    line: int


@dataclass
class SidText:
    """What a file says."""

    mass: float = 0.0
    names: list[str] = field(default_factory=list)
    nodes: dict[str, dict[str, Taylor]] = field(default_factory=dict)
    blocks: dict[str, Taylor] = field(default_factory=dict)


class SidReader:
    """Reads lines in their order."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self.lines = [(i, text.strip()) for i, text in enumerate(read_lines(path), start=1) if text.strip()]
        self.at = 0

    def read(self) -> SidText:
        """The whole file, up to `end part`."""
        words = [text for _, text in self.lines]
        if "part" not in words:
            raise wrong(self.path, 1, "expected a SID_FEM file, got one without a line 'part'")
        self.at = words.index("part") + 1
        self._expect("new modal")
        out = SidText()
        self._refmod(out)
        n = len(out.names)
        self._expect("frame", "new frame")
        while self._peek() != "end frame":
            self._node(out, n)
        self._expect("end frame")
        sizes = {"mdCM": (3, 1), "J": (3, 3), "Ct": (n, 3), "Cr": (n, 3), "Me": (n, n), "Gr": (3, 3 * n)}
        sizes |= {"Ge": (n, 3 * n), "Oe": (n, 6), "ksigma": (n, 1), "Ke": (n, n), "De": (n, n)}
        while self._peek() != "end modal":
            name = self._expect(*OF_BODY)
            if name in out.blocks:
                raise self._wrong(f"block {name!r} is there twice")
            out.blocks[name] = self._taylor(name, *sizes[name], n)
        self._expect("end modal")
        self._expect("end part")
        return out

    def _wrong(self, message: str) -> Exception:
        return wrong(self.path, self.lines[min(max(self.at - 1, 0), len(self.lines) - 1)][0], message)

    def _peek(self) -> str:
        if self.at >= len(self.lines):
            raise self._wrong("expected more lines, up to 'end part'; was the file cut off?")
        return self.lines[self.at][1]

    def _next(self) -> str:
        text = self._peek()
        self.at += 1
        return text

    def _expect(self, *words: str) -> str:
        text = self._next()
        if text not in words:
            raise self._wrong(f"expected {' or '.join(map(repr, words[:12]))}, got {text[:60]!r}")
        return text

    def _setting(self, key: str) -> str:
        text = self._next()
        found = SETTING.fullmatch(text)
        if not found or found[1] != key:
            raise self._wrong(f"expected '{key} = ...', got {text[:60]!r}")
        return found[2]

    def _number(self, text: str, what: str) -> float:
        try:
            return number(text)
        except ValueError:
            raise self._wrong(f"{what}: expected a finite number, got {text[:40]!r}") from None

    def _count(self, text: str, what: str) -> int:
        if not text.isdecimal() or len(text) > 9:
            raise self._wrong(f"{what}: expected a count, got {text[:40]!r}")
        return int(text)

    def _refmod(self, out: SidText) -> None:
        self._expect("refmod")
        out.mass = self._number(self._setting("mass"), "mass")
        n = self._count(self._setting("nelastq"), "nelastq")
        while self._peek() != "end refmod":
            found = NAME.fullmatch(self._next())
            if not found or int(found[1]) != len(out.names) + 1:
                raise self._wrong(f"expected 'ielastq ({len(out.names) + 1}) = ...' or 'end refmod'")
            out.names.append(found[2])
        self._expect("end refmod")
        if len(out.names) != n:
            raise self._wrong(f"refmod: expected {n} names of coordinates as nelastq says, got {len(out.names)}")

    def _node(self, out: SidText, n: int) -> None:
        text = self._next()
        found = re.fullmatch(r"new node\s*=\s*(.*)", text)
        if not found or not found[1]:
            raise self._wrong(f"expected 'new node = ...' or 'end frame', got {text[:60]!r}")
        label = found[1]
        if label in out.nodes:
            raise self._wrong(f"node {label!r} is there twice")
        sizes = {"origin": (3, 1), "phi": (3, n), "psi": (3, n), "AP": (3, 3), "sigma": (6, 1)}
        self._setting("rframe")
        blocks: dict[str, Taylor] = {}
        while self._peek() != "end node":
            name = self._expect(*OF_NODE)
            blocks[name] = self._taylor(name, *sizes[name], n)
        self._expect("end node")
        for name in ("origin", "phi", "psi"):
            if name not in blocks or blocks[name].m0 is None:
                raise self._wrong(f"node {label!r}: expected a block {name!r} with numbers")
        out.nodes[label] = blocks

    def _taylor(self, name: str, rows: int, columns: int, n: int) -> Taylor:
        """A block that has to be of this size."""
        start = self.lines[self.at - 1][0]
        head = {key: self._count(self._setting(key), f"{name}: {key}") for key in HEAD}
        if (head["nrow"], head["ncol"]) != (rows, columns) or head["order"] > 1 or head["structure"] > 3:
            raise self._wrong(
                f"{name}: expected order 0 or 1, {rows} rows, {columns} columns and a structure from 0 to 3, got "
                f"order {head['order']}, {head['nrow']} rows, {head['ncol']} columns, structure {head['structure']}"
            )
        if head["order"] and head["nq"] != n:
            raise self._wrong(f"{name}: expected nq = {n}, the number of coordinates, got {head['nq']}")
        entries: list[dict[tuple[int, ...], float]] = [{}, {}]
        while self._peek() != f"end {name}":
            order, place, value = self._entry(name, (rows, columns, n))
            entries[order][place] = value
        self._expect(f"end {name}")
        if entries[1] and not head["order"]:
            raise self._wrong(f"{name}: got entries m1 in a block of order 0")
        self._require_all(name, entries, (rows, columns, n), head["structure"])
        symmetric = head["structure"] == 2
        m0 = _array(entries[0], (rows, columns), symmetric) if entries[0] else None
        m1 = _array(entries[1], (rows, columns, n), symmetric) if head["order"] else None
        return Taylor(m0, m1, start)

    def _entry(self, name: str, size: tuple[int, int, int]) -> tuple[int, tuple[int, ...], float]:
        text = self._next()
        found = ENTRY.fullmatch(text)
        if not found:
            raise self._wrong(
                f"{name}: expected 'm0(i,j) = number', 'm1(i,j,k) = number' or 'end {name}', got {text[:60]!r}"
            )
        # Some generators write terms of first order as m0 with three indices.
        place = tuple(int(i) - 1 for i in found.groups()[1:4] if i)
        if (found[1] == "1" and len(place) < 3) or any(not 0 <= i < most for i, most in zip(place, size, strict=False)):
            raise self._wrong(f"{name}: expected indices within {size[: len(place)]}, got {text[:60]!r}")
        return len(place) - 2, place, self._number(found[5], name)

    def _require_all(
        self, name: str, entries: Sequence[Mapping[tuple[int, ...], float]], size: tuple[int, int, int], kind: int
    ) -> None:
        """Refuse terms of either order with some of their entries missing; empty ones are as good as none."""
        rows, columns, modes = size
        full = {0: 0, 1: rows, 2: rows * (rows + 1) // 2, 3: rows * columns}[kind]
        for order, (own, expected) in enumerate(zip(entries, (full, full * modes), strict=True)):
            if own and len(own) < expected:
                raise self._wrong(f"{name}: expected {expected} entries m{order} for structure {kind}, got {len(own)}")


def _array(entries: dict[tuple[int, ...], float], shape: tuple[int, ...], symmetric: bool) -> Floats:
    out = np.zeros(shape)
    for place, value in entries.items():
        out[place] = value
        other = (place[1], place[0], *place[2:])
        if symmetric and other not in entries:
            out[other] = value
    return out
