"""Texts: letters of straight strokes, for bodies and for films."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, text
from supple.errors import ModelError
from supple.shapes.path import Path
from supple.shapes.shape import Shape
from supple.shapes.triangle_mesh import TriangleMesh, joined

WIDTH, HEIGHT, ADVANCE = 4, 6, 5.5
"""Of a letter, and from letter to letter, in the units of its strokes."""
STROKE, DEPTH = 0.7, 0.4
MOST_LETTERS = 200
UNKNOWN = "0006464000"
STROKES = {
    "A": "002640 1232", "B": "00063645443303 3342413000", "C": "4536160501103041", "D": "00062644422000",
    "E": "46060040 0333", "F": "460600 0333", "G": "45361605011030414323", "H": "0006 4046 0343", "I": "1030 2026 1636",
    "J": "4641301001", "K": "0006 4602 1340", "L": "060040", "M": "0006234640", "N": "00064046",
    "O": "100105163645413010", "P": "00063645443303", "Q": "100105163645413010 2240", "R": "00063645443303 2340",
    "S": "453616050413334241301001", "T": "0646 2026", "U": "060110304146", "V": "062046", "W": "0610233046",
    "X": "0046 0640", "Y": "062346 2320", "Z": "06460040", "0": "100105163645413010 1135", "1": "152620 1030",
    "2": "05163645440040", "3": "05163645443313 334241301001", "4": "30360242", "5": "4606033342413000",
    "6": "4536160501103041423303", "7": "064610", "8": "13040516364544331302011030414233",
    "9": "0110304145361605041343", ".": "2021", ",": "1021", ":": "2122 2425", "-": "1333", "+": "1333 2224",
    "=": "1232 1434", "/": "0046", "(": "36242230", ")": "16242210", "_": "0040", "*": "1234 1432 1333",
    "'": "2624", "!": "2622 2021", "?": "05163645442322 2021", "#": "1016 3036 0242 0444", "%": "0046 0516 3041",
    "<": "351331", ">": "153311",
    "a": "100103143443413010 4440", "b": "0600 100103143443413010", "c": "4334140301103041",
    "d": "4640 100103143443413010", "e": "02424334140301103041",
    "f": "10152636 0434", "g": "100103143443413010 444f3e1e0f", "h": "0006 0314344340",
    "i": "2024 2526", "j": "242f1e0e 2526", "k": "0006 0134 1240", "l": "2620", "m": "0004 03142320 23344340",
    "n": "0004 0314344340", "o": "100103143443413010", "p": "0e04 100103143443413010", "q": "4e44 100103143443413010",
    "r": "0004 03143443", "s": "4414031232413000", "t": "16112030 0434", "u": "0401103041 4440", "v": "042044",
    "w": "0410233044", "x": "0044 0440", "y": "0420 441e", "z": "04440040", "\u00b5": "0e04 01103041 4440",
}  # fmt: skip
"""Strokes of letters: x from 0 to 4 and y from 0 to 6 of their corners; below the line e and f are -2 and -1."""


def strokes(text: str) -> list[Floats]:
    """Corners (n, 2) of the strokes of a line of text that begins at the origin, in their units."""
    out = []
    for i, letter in enumerate(text):
        for stroke in STROKES.get(letter, "" if letter.isspace() else UNKNOWN).split():
            x = np.array([int(c, 16) for c in stroke], dtype=float).reshape(-1, 2)
            out.append(np.where(x > HEIGHT, x - 16.0, x) + np.array([ADVANCE * i, 0.0]))
    return out


@checked
@dataclass(frozen=True)
class Text(Shape):
    """A line of text in the plane x, y, centred, which reads along x; `size` is the height of its capitals, m."""

    text: str
    size: float
    kind: ClassVar[str] = "text"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("size")
        if not text(self.text, "text: text").strip() or len(self.text) > MOST_LETTERS:
            raise ModelError(f"text: text: expected 1 to {MOST_LETTERS} letters, got {self.text[:40]!r}")

    def local_triangles(self) -> TriangleMesh:
        """A bar for each stroke."""
        unit, middle = self.size / HEIGHT, [(ADVANCE * (len(self.text) - 1) + WIDTH) / 2.0, HEIGHT / 2.0]
        section = STROKE * unit, DEPTH * unit
        bars = [np.column_stack([unit * (x - middle), np.zeros(len(x))]) for x in strokes(self.text)]
        return joined([Path(points, section=section).local_triangles() for points in bars])
