"""The floor below a model: a grid that fades into the distance, and a soft shadow on it."""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step
from supple.spatial import Array, Number, Vec3, dot

LINE = 0.012
"""Width of a line of the grid, of its spacing."""
DARK_LINE, DARK_SHADOW = 0.34, 0.55
"""What a line and the deepest shadow take of the light of the floor."""
LIGHT_LINE = 0.045
"""What a line adds to the light of a dark floor."""
LONG = 40.0
"""How much longer than wide a pixel is on the floor, at most."""
FAR = 2.0**30
"""More spacings than there are between a place and the origin; whole parts of positive numbers are found alone."""


@step
def line_share(x: Number, half: Number) -> Number:
    """How much of [x - half, x + half] is within a line about a whole number."""
    share = 0.0
    away = abs(x - (int(x + FAR + 0.5) - FAR))
    if away < 0.5 * LINE + half:
        share = min((0.5 * LINE + half - away) / (2.0 * half), min(1.0, 0.5 * LINE / half))
    return share


@step
def shadow_at(shadow: Array, x: Number, y: Number) -> Number:
    """Darkness at a place of the map, in its cells, between four of them; none beyond its edge."""
    rows, columns = shadow.shape
    dark = 0.0
    if x > 0.5 and y > 0.5 and x < columns - 1.0 and y < rows - 1.0:
        i, j = int(y - 0.5), int(x - 0.5)
        a, b = y - 0.5 - i, x - 0.5 - j
        dark = (1.0 - a) * ((1.0 - b) * shadow[i, j] + b * shadow[i, j + 1]) + a * (
            (1.0 - b) * shadow[i + 1, j] + b * shadow[i + 1, j + 1]
        )
    return dark


@step
def ground_color(ray: Vec3, eye: Vec3, paper: Vec3, up: Vec3, ground: Array, shadow: Array, spread: Number) -> Vec3:
    """What is seen along a ray, of unit length forward, that meets no body: the floor, or the paper behind.

    Given ground (4, 3): two axes of the floor; its height along up, lines per metre (zero for no floor) and one over
    the distance at which all has faded; corner (x, y) of the shadow's map and its cells per metre. `spread` is the
    width of a pixel at unit distance.
    """
    color = paper
    down = dot(ray, up)
    height = dot(eye, up) - ground[2, 0]
    per_metre = ground[2, 1]
    if per_metre > 0.0 and down < -1e-6 and height > 0.0:
        steep = -1.0 / down
        t = height * steep
        far = t * ground[2, 2]
        clear = 1.0 - far * far
        if clear > 0.0:
            along = ray[0] * ground[0, 0] + ray[1] * ground[0, 1] + ray[2] * ground[0, 2]
            across = ray[0] * ground[1, 0] + ray[1] * ground[1, 1] + ray[2] * ground[1, 2]
            a = along * t + eye[0] * ground[0, 0] + eye[1] * ground[0, 1] + eye[2] * ground[0, 2]
            b = across * t + eye[0] * ground[1, 0] + eye[1] * ground[1, 1] + eye[2] * ground[1, 2]
            # half a pixel on the floor, in spacings: longer the flatter it is seen
            half = 0.5 * spread * t * np.sqrt(dot(ray, ray)) * per_metre
            long = half * min(steep, LONG)
            lines = line_share(a * per_metre, max(long * abs(along), half))
            lines = max(lines, line_share(b * per_metre, max(long * abs(across), half)))
            dark = shadow_at(shadow, (a - ground[3, 0]) * ground[3, 2], (b - ground[3, 1]) * ground[3, 2])
            rest = (1.0 - DARK_LINE * lines * clear) * (1.0 - DARK_SHADOW * dark * clear)
            glow = LIGHT_LINE * lines * clear * max(1.0 - 5.0 * (paper[0] + paper[1] + paper[2]) / 3.0, 0.0)
            color = (paper[0] * rest + glow, paper[1] * rest + glow, paper[2] * rest + glow)
    return color
