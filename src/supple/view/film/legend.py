"""What is written on a picture: the scale of a quantity with its largest value, the time, the grid.

Letters are drawn by their strokes, as a picture is made without fonts.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.shapes.text import ADVANCE, HEIGHT, WIDTH, strokes
from supple.view.scene.look import (
    ARM,
    AXES,
    BAR,
    COLUMN,
    CORNER,
    LETTER,
    PAGE,
    PICTURE,
    QUANTITIES,
    RING,
    TALL,
    TICKS,
    brief,
    mapped,
    prefixed,
    shares,
)

Picture = NDArray[np.uint8]
"""(height, width, 3), red, green and blue."""
CAPITAL = 0.72
"""Height of a capital, of a line of letters."""
PEN, HALO = 0.055, 0.15
"""Half the width of a stroke, and of the paper around it, of a line of letters."""
AT_FOOT = 12
"""Pixels from the left and lower edge to what is written there."""


def pixel(size: tuple[int, int]) -> float:
    """Width of what counts as a pixel in a picture of this size: large pictures have larger letters."""
    return max(1.0, min(size) / PICTURE)


def column(size: tuple[int, int]) -> int:
    """Width of what is kept free for a scale in a picture of this size, at most a quarter of it."""
    return min(round(COLUMN * pixel(size)), size[0] // 4)


class Lettering:
    """Letters and lines on a picture, in ink with a rim of paper.

    Parameters
    ----------
    picture : (height, width, 3) array
        Is drawn on.
    dark : bool
        Whether its background is dark.
    """

    def __init__(self, picture: Picture, dark: bool) -> None:
        self.picture, self.height, self.width = picture, *picture.shape[:2]
        self._unit = pixel((self.width, self.height))
        self._ink, self._soft, self._paper = (255.0 * shares(PAGE[name][int(dark)]) for name in ("ink", "soft", "card"))

    def write(self, text: str, x: float, y: float, side: float = 0.0, ink: Floats | None = None) -> None:
        """A text whose letters stand at (x, y); `side` of its length is to the left of that."""
        line = self._unit * LETTER
        size = CAPITAL * line / HEIGHT
        x -= side * size * (ADVANCE * (len(text) - 1) + WIDTH)
        lines = [np.array([x, y]) + size * stroke * [1.0, -1.0] for stroke in strokes(text)]
        self._draw([(a, b) for points in lines for a, b in pairwise(points)], line, ink)

    def foot(self, text: str) -> None:
        """A text at the lower left."""
        self.write(text, AT_FOOT * self._unit, self.height - AT_FOOT * self._unit, ink=self._soft)

    def scale(self, quantity: str, most: float, worst: tuple[float, float, float] | None) -> None:
        """The scale of a quantity that ends at `most`; at `worst`, x and y, is its largest value, the third."""
        title, unit = QUANTITIES[quantity]
        size, unit = prefixed(unit, most)
        u, tall = self._unit, round(min(TALL * self._unit, 0.5 * self.height))
        left, top = round(self.width - 0.76 * column((self.width, self.height))), round(34 * u)
        bar = self.picture[top : top + tall, left : left + round(BAR * u)]
        bar[:] = (255.0 * mapped(np.linspace(1.0, 0.0, tall))[: len(bar), None]).round().astype(np.uint8)
        for i in range(TICKS):
            y = top + tall * (1.0 - i / (TICKS - 1)) + 4.0 * u
            self.write(brief(i / (TICKS - 1) * most / size), left + (BAR + 6) * u, y)
        self.write(f"{title}, {unit}" if unit else title, self.width - AT_FOOT * u, top - AT_FOOT * u, side=1.0)
        if worst is not None:
            x, y, value = worst
            angle = np.linspace(0.0, 2.0 * np.pi, 33)
            ring = np.array([x, y]) + RING * u * np.column_stack([np.cos(angle), np.sin(angle)])
            self._draw(list(pairwise(ring)), LETTER * u)
            self.write(f"{brief(value / size)} {unit}".strip(), x + 11.0 * u, y - 9.0 * u)

    def axes(self, seen: Floats) -> None:
        """Show at the lower right which way the axes of the ground point; `seen` (3, 3) are those of the view."""
        if min(self.width, self.height) < PICTURE / 2:
            return  # they would hide the model
        u, origin = self._unit, np.array([self.width, self.height]) - CORNER * self._unit
        for i in np.argsort(-seen[2]):
            color, d = 255.0 * shares(AXES[i]), seen[:2, i]
            self._draw([(origin, origin + ARM * u * d)], LETTER * u, color)
            x, y = origin + (ARM + 9.0) * u * d
            self.write("xyz"[i], x, y + 2.4 * u, side=0.5, ink=color)

    def _draw(self, segments: list[tuple[Floats, Floats]], line: float, ink: Floats | None = None) -> None:
        """Segments from point to point; what is outside is cut off."""
        if not segments:
            return
        room = HALO * line + 1.0
        ends = np.array(segments)
        low = np.clip(np.floor(ends.min(axis=(0, 1)) - room), 0, [self.width, self.height]).astype(int)
        high = np.clip(np.ceil(ends.max(axis=(0, 1)) + room), 0, [self.width, self.height]).astype(int)
        away = np.full((*(high - low)[::-1],), np.inf)
        for a, b in ends - low:
            first = np.maximum(np.floor(np.minimum(a, b) - room), 0.0).astype(int)
            last = np.maximum(np.ceil(np.maximum(a, b) + room), 0.0).astype(int)
            part = away[first[1] : last[1], first[0] : last[0]]
            rows, columns = np.indices(part.shape)
            x, d = np.stack([columns + first[0] + 0.5, rows + first[1] + 0.5], axis=-1) - a, b - a
            share = np.clip(x @ d / max(float(d @ d), 1e-12), 0.0, 1.0)
            np.minimum(part, np.linalg.norm(x - share[..., None] * d, axis=-1), out=part)
        part = self.picture[low[1] : high[1], low[0] : high[0]]
        out = part.astype(float)
        for width, color, strength in ((HALO, self._paper, 0.8), (PEN, self._ink if ink is None else ink, 1.0)):
            covered = strength * np.clip(width * line + 0.5 - away, 0.0, 1.0)[..., None]
            out += covered * (color - out)
        part[:] = out.round().astype(np.uint8)
