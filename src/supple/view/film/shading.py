"""Samples to pixels: `shade` lights each triangle once a pixel and takes the mean of its samples.

Edges are smooth, and the cost of light does not depend on what is hidden.
"""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.spatial import TINY, Array, Number, Vec3, dot, load3, scale
from supple.view.film.raster import NUMBERS
from supple.view.scene.look import ABOVE, DARK_LINE, DARK_SHADOW, FACING, LIGHT_LINE, LINE, SHINE, SKY, SUN

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
def floor_color(ray: Vec3, eye: Vec3, paper: Vec3, up: Vec3, ground: Array, shadow: Array, spread: Number) -> Vec3:
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


@step
def shaded(color: Vec3, n: Vec3, view: Vec3, up: Vec3, sun: Vec3) -> Vec3:
    """Light, in linear units, of a surface with unit normal n seen along the unit vector -view.

    A sky brighter above than below, a sun, and a highlight half way between sun and eye; both sides of a triangle
    are seen.
    """
    facing = 1.0
    if dot(n, view) < 0.0:
        facing = -1.0
    sky = SKY + ABOVE * facing * dot(n, up) + FACING * abs(dot(n, view))
    direct = SUN * max(facing * dot(n, sun), 0.0)
    half = (sun[0] + view[0], sun[1] + view[1], sun[2] + view[2])
    gloss = max(facing * dot(n, half) / np.sqrt(dot(half, half) + 1e-12), 0.0)
    gloss = gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss
    shine = SHINE * gloss * gloss  # to the power of 32, POWER
    amount = sky + direct
    return amount * color[0] + shine, amount * color[1] + shine, amount * color[2] + shine


@step
def load4(a: Array, k: int) -> tuple[Number, Number, Number, Number]:
    """Row k of an (n, 4) array."""
    return a[k, 0], a[k, 1], a[k, 2], a[k, 3]


@step
def over_color(
    surface_color: tuple[Number, Number, Number, Number], normal: Vec3, ray: Vec3, up: Vec3, sun: Vec3, behind: Vec3
) -> Vec3:
    """The light of a surface, its normal of any length, before what is behind it.

    `surface_color` ends with its opacity, above one for what is not lit. Shares of a screen are mixed, as browsers do.
    """
    n = scale(1.0 / np.sqrt(dot(normal, normal) + TINY), normal)
    view = scale(-1.0 / np.sqrt(dot(ray, ray)), ray)
    light = shaded((surface_color[0], surface_color[1], surface_color[2]), n, view, up, sun)
    opaque, clear = surface_color[3], 1.0 - surface_color[3]
    if opaque > 1.0:
        light = (surface_color[0], surface_color[1], surface_color[2])
        opaque, clear = 1.0, 0.0
    red = opaque * np.sqrt(light[0]) + clear * np.sqrt(behind[0])
    green = opaque * np.sqrt(light[1]) + clear * np.sqrt(behind[1])
    blue = opaque * np.sqrt(light[2]) + clear * np.sqrt(behind[2])
    return red * red, green * green, blue * blue


@step
def barycentric(points: Array, faces: Array, k: int, x: Number, y: Number) -> Vec3:
    """How much of each vertex a place of the picture has, in perspective: barycentric coordinates over depth."""
    a, b, c = faces[k, 0], faces[k, 1], faces[k, 2]
    xa, ya, za = load3(points, a)
    xb, yb, zb = load3(points, b)
    xc, yc, zc = load3(points, c)
    turn = 1.0 / ((xb - xa) * (yc - ya) - (xc - xa) * (yb - ya))
    u = min(max(((x - xa) * (yc - ya) - (xc - xa) * (y - ya)) * turn, 0.0), 1.0)
    v = min(max(((xb - xa) * (y - ya) - (x - xa) * (yb - ya)) * turn, 0.0), 1.0)
    return max(1.0 - u - v, 0.0) * za, u * zb, v * zc


@step
def at_sample(points: Array, values: Array, faces: Array, k: int, x: Number, y: Number) -> Vec3:
    """Values (n, 3) of vertices at a place of the picture, of any length."""
    a, b, c = faces[k, 0], faces[k, 1], faces[k, 2]
    wa, wb, wc = barycentric(points, faces, k, x, y)
    return (
        wa * values[a, 0] + wb * values[b, 0] + wc * values[c, 0],
        wa * values[a, 1] + wb * values[b, 1] + wc * values[c, 1],
        wa * values[a, 2] + wb * values[b, 2] + wc * values[c, 2],
    )


@step
def surface_color_at(
    points: Array, vertex_colors: Array, faces: Array, colors: Array, k: int, x: Number, y: Number
) -> tuple[Number, Number, Number, Number]:
    """Colour and opacity of a triangle at a place of the picture: its own, or where its red is below zero that of its
    vertices, `vertex_colors` (n, 3), in between.
    """
    red, green, blue, opacity = load4(colors, k)
    if red < 0.0:
        w = barycentric(points, faces, k, x, y)
        total = 1.0 / (w[0] + w[1] + w[2] + TINY)
        mixed = at_sample(points, vertex_colors, faces, k, x, y)
        red, green, blue = total * mixed[0], total * mixed[1], total * mixed[2]
    return red, green, blue, opacity


@step
def byte(x: Number) -> int:
    """A linear brightness as one of 256 steps; the square root is the curve of a screen, nearly."""
    return int(255.0 * np.sqrt(min(max(x, 0.0), 1.0)) + 0.5)


@sweep
def shade(
    pixels: Array,
    samples: Array,
    points: Array,
    normals: Array,
    faces: Array,
    colors: Array,
    vertex_colors: Array,
    axes: Array,
    eye: Array,
    lens: Array,
    sky: Array,
    ground: Array,
    shadow: Array,
    first: int,
) -> None:
    """Give pixels (rows, columns), integers red + 256 green + 65536 blue, the mean of their samples.

    Given projected points and normals (n, 3), faces (m, 3), colors (m, 4) linear with opacity, below zero
    where the vertices have colours, vertex_colors (n, 3); axes, eye and lens as
    for `project`; sky (3, 3): background, up, direction to the sun; ground and shadow as for `floor_color`. With
    `first` above zero triangles from this one on are laid over the pixels that are there; else pixels begin with
    background and ground.
    """
    rows, columns = pixels.shape
    s = samples.shape[0] // rows
    x_axis, y_axis, z_axis = load3(axes, 0), load3(axes, 1), load3(axes, 2)
    paper, up, sun = load3(sky, 0), load3(sky, 1), load3(sky, 2)
    share = 1.0 / (s * s)
    for i in range(rows):
        for j in range(columns):
            nearest = 0
            for a in range(s):
                for b in range(s):
                    nearest = max(nearest, samples[s * i + a, s * j + b])
            if nearest > 0 or first == 0:
                x, y = s * (j + 0.5), s * (i + 0.5)
                right, down = (x - lens[1]) / lens[0], (y - lens[2]) / lens[0]
                ray = (
                    z_axis[0] + right * x_axis[0] + down * y_axis[0],
                    z_axis[1] + right * x_axis[1] + down * y_axis[1],
                    z_axis[2] + right * x_axis[2] + down * y_axis[2],
                )
                if first == 0:
                    behind = floor_color(ray, (eye[0], eye[1], eye[2]), paper, up, ground, shadow, s / lens[0])
                else:
                    old = pixels[i, j]
                    red, green, blue = (old % 256) / 255.0, (old // 256 % 256) / 255.0, (old // 65536) / 255.0
                    behind = (red * red, green * green, blue * blue)
                red, green, blue = behind
                if nearest > 0:
                    red, green, blue = 0.0, 0.0, 0.0
                    known, own = 0, behind
                    for a in range(s):
                        for b in range(s):
                            k = samples[s * i + a, s * j + b] % NUMBERS
                            if k != known:
                                known, own = k, behind
                                if k > first:
                                    at_x, at_y = s * j + b + 0.5, s * i + a + 0.5
                                    n = at_sample(points, normals, faces, k - 1, at_x, at_y)
                                    surface_color = surface_color_at(
                                        points, vertex_colors, faces, colors, k - 1, at_x, at_y
                                    )
                                    own = over_color(surface_color, n, ray, up, sun, behind)
                            red, green, blue = red + share * own[0], green + share * own[1], blue + share * own[2]
                pixels[i, j] = byte(red) + 256 * byte(green) + 65536 * byte(blue)
