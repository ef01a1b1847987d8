"""How everything looks, in one place: light, colours, lens, grid, letters and numbers.

Films read these numbers here, pages and notebooks get them as `look()`. Both mix colours as light, the square of a
screen's shares.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7ee0", "#8a8f98")
"""Of bodies and curves, in their order: readers with any colour vision can tell them apart, after Okabe and Ito."""
GREY = "#8a8f98"
"""Of the ground and of multiples of a speed."""
COLORS = (
    "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c",
    "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725",
)  # fmt: skip
"""Of quantities, from the lowest value to the highest at equal distances: viridis."""
PAINTS = {
    "metal": ("#737d8a", "#a8b3c2"),
    "load": ("#d6261f",) * 2,
    "reaction": ("#7a40b8", "#a677dd"),
    "contact": ("#e8780c",) * 2,
}
"""Of symbols, on a light and on a dark background."""
AXES = ("#d63d2e", "#299e4d", "#3370e6")
"""Of the axes x, y and z."""
PAGE = {
    "paper": ("#ffffff", "#0e1116"),
    "card": ("#f6f8fa", "#161a20"),
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#59636e", "#9aa4af"),
    "line": ("#d9dee3", "#2b323b"),
    "accent": ("#2f6fae", "#6aa8e0"),
    "alarm": ("#e5484d",) * 2,
}
"""Of pages, light and dark; "card" is the background of views and films, "ink" and "soft" are their letters."""
FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif'
LETTER, RING, BAR = 12, 7, 14
"""Pixels: height of a line of letters in views, radius of the ring around a largest value, width of a scale's bar."""
CORNER, ARM = 44, 24
"""Pixels: from the lower right corner to the origin of the axes that are shown there, and the length of these."""
COLUMN, TALL = 100, 180
"""Pixels: the column at the right that is kept free for a scale, and the height of its bar at most."""
PICTURE = 600
"""Shorter side of a picture from which these pixels grow with it."""
DARK, LIFTED = 0.2, 0.34
"""Linear light below which a background is dark; share of the brightest part of a colour on it, at least."""
SKY, ABOVE, FACING, SUN, SHINE = 0.40, 0.12, 0.10, 0.44, 0.10
"""Light on bodies: from everywhere, more from above, more towards the eye, from the sun, of a highlight. The first four
are little more than one together: what is fully lit has its own colour."""
POWER = 32
"""Exponent of the highlight."""
TO_LEFT, TO_EYE = 0.5, 0.4
"""Where the sun is, to one upwards: behind the left shoulder of who looks."""
HALF_ANGLE, FILLED = 0.3, 0.92
"""Of view, rad, across the shorter side of a picture; share of it that is filled in the direction that decides."""
CREASE = 0.6
"""Angle between triangles, rad, from which an edge is sharp: more than the 30 degrees of a tube with twelve sides."""
SLENDER, NARROW, THIN, PATH = 0.012, 0.1, 1.5, 0.8
"""Of slender bodies: thickness over extent, area over its square, at most; pixels by which each side is thickened.
The last: half the width of a path, pixels."""
LINES, LINE, FADED = 12.0, 0.012, 5.0
"""Lines of the grid across the extent of a motion, width of a line of its spacing, extents to where it has faded."""
DARK_LINE, DARK_SHADOW, LIGHT_LINE = 0.34, 0.55, 0.045
"""What a line and the deepest shadow take of the light of the floor, and what a line adds to that of a dark floor."""
QUANTITIES = {
    "displacement": ("Displacement", "m"),
    "strain": ("Strain (von Mises)", ""),
    "stress": ("Stress (von Mises)", "Pa"),
}
"""Titles and units of what colours bodies."""
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "\u00b5"), (1e-9, "n"))
TICKS, DIGITS = 5, 3
"""Numbers at a scale, and digits of numbers in views."""


def look() -> dict[str, Any]:
    """All these numbers for the pages, as JSON, by the names they have here."""
    return {name: value for name, value in globals().items() if name.isupper()}


def style() -> str:
    """Colours and letters of pages as variables of CSS."""
    light, dark = ("; ".join(f"--{name}: {pair[i]}" for name, pair in PAGE.items()) for i in (0, 1))
    scheme = f"@media (prefers-color-scheme: dark) {{ :root, :host {{ {dark}; }} }}"
    return f":root, :host {{ {light}; --font: {FONT}; }}\n{scheme}\n"


def linear(color: str) -> NDArray[np.float64]:
    """Red, green and blue of "#rrggbb" as linear light (3,): the square, as `raster.byte` takes the root."""
    return shares(color) ** 2


def shares(color: str) -> NDArray[np.float64]:
    """Red, green and blue of "#rrggbb" from 0 to 1 (3,)."""
    return np.array([int(color[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])


def seen_on(color: str, dark: bool) -> NDArray[np.float64]:
    """Linear light (3,) of a body's colour, lifted on a dark background so that black does not vanish."""
    own = shares(color)
    return np.minimum(own + max(0.0, LIFTED - float(own.max())) * dark, 1.0) ** 2


def mapped(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Red, green and blue (..., 3) from 0 to 1 of values from 0 to 1 of a scale."""
    table, places = np.stack([shares(color) for color in COLORS]), np.linspace(0.0, 1.0, len(COLORS))
    return np.stack([np.interp(values, places, table[:, i]) for i in range(3)], axis=-1)


def prefixed(unit: str, most: float) -> tuple[float, str]:
    """What numbers up to some size are divided by, and their unit: "MPa", "mm"; none for strains."""
    if not unit:
        return 1.0, ""
    size, prefix = next(((size, prefix) for size, prefix in PREFIXES if most >= size), PREFIXES[-1])
    return size, prefix + unit


def brief(x: float) -> str:
    """A number with three digits, as views write it.

    >>> brief(1234.5), brief(0.5), brief(1.5e-5)
    ('1230', '0.5', '1.5e-5')
    """
    text = f"{x:.{DIGITS - 1}e}"
    if x == 0.0 or 1e-3 <= abs(x) < 1e6:
        return f"{float(text):.12g}"
    base, power = text.split("e")
    return f"{float(base):g}e{int(power)}"


def clock(time: float, stop: float, length: float) -> str:
    """A time of a motion that ends at `stop` and is of some length, s, as views write it."""
    digits = 3 if stop < 10.0 else 2
    if stop < 0.1:
        digits = min(9, 3 - int(np.floor(np.log10(length or 1.0))))
    return f"{time:.{digits}f} s"


def grid_spacing(extent: float) -> float:
    """Distance of the lines of the grid below a motion, m: 1, 2 or 5 times a power of ten."""
    rough = 1.6 * extent / LINES
    decade = 10.0 ** np.floor(np.log10(rough))
    return float(decade * next(m for m in (1.0, 2.0, 5.0, 10.0) if m * decade >= rough * (1.0 - 1e-9)))
