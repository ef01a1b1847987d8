"""Colours: "#rrggbb", or a common name of CSS."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from supple.errors import ModelError, nearest

NAMES = {
    "black": "#000000", "white": "#ffffff", "gray": "#808080", "silver": "#c0c0c0", "darkgray": "#a9a9a9",
    "lightgray": "#d3d3d3", "dimgray": "#696969", "slategray": "#708090", "red": "#ff0000", "darkred": "#8b0000",
    "firebrick": "#b22222", "crimson": "#dc143c", "tomato": "#ff6347", "orange": "#ffa500", "darkorange": "#ff8c00",
    "gold": "#ffd700", "goldenrod": "#daa520", "yellow": "#ffff00", "khaki": "#f0e68c", "olive": "#808000",
    "green": "#008000", "darkgreen": "#006400", "seagreen": "#2e8b57", "lime": "#00ff00", "teal": "#008080",
    "cyan": "#00ffff", "turquoise": "#40e0d0", "skyblue": "#87ceeb", "steelblue": "#4682b4", "royalblue": "#4169e1",
    "blue": "#0000ff", "navy": "#000080", "indigo": "#4b0082", "purple": "#800080", "violet": "#ee82ee",
    "magenta": "#ff00ff", "pink": "#ffc0cb", "brown": "#a52a2a", "sienna": "#a0522d", "peru": "#cd853f",
    "tan": "#d2b48c", "beige": "#f5f5dc", "ivory": "#fffff0",
}  # fmt: skip


def checked_color(value: Any, what: str) -> str | None:
    """A colour as "#rrggbb"; None stays None.

    >>> checked_color("orange", "box: color")
    '#ffa500'
    """
    if value is None:
        return None
    if isinstance(value, str):
        if re.fullmatch("#[0-9a-fA-F]{6}", value):
            return value.lower()
        if value in NAMES:
            return NAMES[value]
        raise ModelError(f"{what}: expected '#rrggbb' or the name of a colour, got {value!r}{nearest(value, NAMES)}")
    raise ModelError(f"{what}: expected '#rrggbb' or the name of a colour, got {value!r}")


def color_of(shares: Sequence[float]) -> str:
    """A colour of red, green and blue from 0 to 1; others are cut off.

    >>> color_of([1.0, 0.5, 0.0])
    '#ff8000'
    """
    red, green, blue = (round(255 * min(max(x, 0.0), 1.0)) for x in shares[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"
