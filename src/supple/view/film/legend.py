"""The scale of a coloured picture: a bar of colours with numbers, and a ring around the largest value.

Letters are dots of a 5 x 7 grid, as a picture is made without fonts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.view.scene.quantities import QUANTITIES, mapped

Picture = NDArray[np.uint8]
TICKS = 5
PAPER = {True: (18, 22, 28), False: (246, 248, 250)}
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"))
GLYPHS = {
    "0": "0e11191513110e", "1": "040c040404040e", "2": "0e11010204081f", "3": "1f02040201110e",
    "4": "02060a121f0202", "5": "1f101e0101110e", "6": "0608101e11110e", "7": "1f010204080808",
    "8": "0e11110e11110e", "9": "0e11110f01020c", ".": "00000000000c0c", "-": "0000001f000000",
    ",": "000000000c0408", "G": "0e11101713110f", "M": "111b1515111111", "P": "1e11111e101010",
    "a": "00000e010f110f", "c": "00000e1010110e", "d": "01010d1311110f", "e": "00000e111f100e",
    "i": "04000c0404040e", "k": "10101214181412", "l": "0c04040404040e", "m": "00001a15151111",
    "n": "00001619111111", "p": "00001e111e1010", "r": "00001619101010", "s": "00000e100e011e",
    "t": "08081c0808090e", "u": "0000111111130d",
}  # fmt: skip
"""Seven rows of five dots each, as two hexadecimal digits a row."""


def with_legend(picture: Picture, quantity: str, most: float, worst: tuple[float, float, float] | None) -> Picture:
    """A picture with the scale of a quantity at its right.

    Parameters
    ----------
    picture : (height, width, 3) array
    quantity : str
        Of `fields.QUANTITIES`.
    most : float
        The end of the scale.
    worst : (float, float, float), optional
        Pixel x and y of the largest value of this moment, and the value.
    """
    out = picture.copy()
    height, width = out.shape[:2]
    dot = max(1, round(min(width, height) / 270))
    dark = bool(out[: height // 4, -width // 6 :].mean() < 128.0)
    ink = np.array([213, 219, 226] if dark else [36, 41, 47], np.uint8)
    size, unit = unit_of(quantity, most)
    tall, wide, top = round(0.42 * height), 9 * dot, 24 * dot
    left = width - 40 * dot
    end = min(top + tall, height)
    _dim(out[: end + 8 * dot, width - 62 * dot :], PAPER[dark])
    bar = 255.0 * mapped(np.linspace(1.0, 0.0, tall))
    out[top:end, left : left + wide] = bar[: end - top, None].round().astype(np.uint8)
    for i in range(TICKS):
        at = top + round(tall * (1.0 - i / (TICKS - 1)))
        write(out, f"{i / (TICKS - 1) * most / size:.3g}", (left + wide + 3 * dot, at - 3 * dot), dot, ink)
    title = f"{quantity}, {unit}" if unit else quantity
    write(out, title, (width - 6 * dot * len(title) - 5 * dot, top - 14 * dot), dot, ink)
    if worst is not None:
        x, y, value = worst
        _ring(out, (x, y), 5.0 * dot, dot, ink)
        write(out, f"{value / size:.3g}", (round(x) + 8 * dot, round(y) - 10 * dot), dot, ink)
    return out


def _dim(part: Picture, paper: tuple[int, int, int]) -> None:
    """Make room for letters: what is behind them is seen through paper."""
    part[:] = (0.25 * part + 0.75 * np.array(paper)).round().astype(np.uint8)


def unit_of(quantity: str, most: float) -> tuple[float, str]:
    """What numbers are divided by, and their unit: "MPa", "mm"; none for strains."""
    unit = QUANTITIES[quantity]
    if unit == "1":
        return 1.0, ""
    size, prefix = next(((size, prefix) for size, prefix in PREFIXES if most >= size), PREFIXES[-1])
    return size, prefix + unit


def write(picture: Picture, text: str, at: tuple[int, int], dot: int, ink: NDArray[np.uint8]) -> None:
    """Letters from a place (x, y), its upper left corner; what has no glyph is a gap, what is outside is cut off."""
    x, y = at
    for letter in text:
        rows = bytes.fromhex(GLYPHS.get(letter, "00" * 7))
        for i, row in enumerate(rows):
            for j in range(5):
                if row >> (4 - j) & 1:
                    top, left = max(0, y + i * dot), max(0, x + j * dot)
                    picture[top : max(0, y + (i + 1) * dot), left : max(0, x + (j + 1) * dot)] = ink
        x += 6 * dot


def _ring(picture: Picture, at: tuple[float, float], radius: float, dot: int, ink: NDArray[np.uint8]) -> None:
    rows, columns = np.indices(picture.shape[:2])
    distance: Floats = np.hypot(columns + 0.5 - at[0], rows + 0.5 - at[1])
    picture[np.abs(distance - radius) < 0.7 * dot] = ink
