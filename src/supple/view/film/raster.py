"""Triangles to samples of a picture, and samples to pixels: the two sweeps of the renderer.

A picture has `s` x `s` samples a pixel. `cover` keeps for each sample the nearest triangle; depth and number of the
triangle are one integer, so that nearer is larger and one comparison decides. `shade` then lights each triangle once a
pixel and takes the mean of the samples: edges are smooth, and the cost of light does not depend on what is hidden.
"""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.spatial import TINY, Array, Number, Vec3, cross, dot, load3, scale
from supple.view.film.ground import ground_color

NUMBERS = 2**24
"""A sample is depth * NUMBERS + the number of the triangle + 1; zero where there is none."""
DEPTHS = 2.0**38
"""Steps of depth between infinity and the near plane."""
SLACK = 1e-9
"""Of a sample's width: triangles that share an edge leave no gap."""


@step
def difference(a: Vec3, b: Vec3) -> Vec3:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@sweep
def project(points: Array, axes: Array, eye: Array, lens: Array, out: Array) -> None:
    """Points (n, 3) of the scene on the picture.

    Given axes (3, 3), the camera's right, down and forward in rows; eye (3,); lens (4,): focal length in samples,
    middle of the picture in x and y, distance of the near plane. Computes out (n, 3): x, y in samples, and near /
    depth, which is linear on the picture; zero behind the near plane.
    """
    x_axis, y_axis, z_axis = load3(axes, 0), load3(axes, 1), load3(axes, 2)
    origin = (eye[0], eye[1], eye[2])
    for i in range(len(points)):
        d = difference(load3(points, i), origin)
        depth = dot(z_axis, d)
        if depth >= lens[3]:
            out[i, 0] = lens[1] + lens[0] * dot(x_axis, d) / depth
            out[i, 1] = lens[2] + lens[0] * dot(y_axis, d) / depth
            out[i, 2] = lens[3] / depth
        else:
            out[i, 2] = 0.0


@sweep
def vertex_normals(points: Array, faces: Array, out: Array) -> None:
    """Unit normals (n, 3) of smooth surfaces: the mean of the triangles (m, 3) around a vertex, by their areas."""
    for i in range(len(points)):
        for j in range(3):
            out[i, j] = 0.0
    for k in range(len(faces)):
        a, b, c = faces[k, 0], faces[k, 1], faces[k, 2]
        origin = load3(points, a)
        n = cross(difference(load3(points, b), origin), difference(load3(points, c), origin))
        for j in range(3):
            out[a, j] += n[j]
            out[b, j] += n[j]
            out[c, j] += n[j]
    for i in range(len(points)):
        n = load3(out, i)
        size = np.sqrt(dot(n, n))
        if size > 0.0:
            for j in range(3):
                out[i, j] = n[j] / size


@step
def narrowed(low: Number, high: Number, a: Number, c: Number) -> tuple[Number, Number]:
    """The part of [low, high] where a x + c >= 0."""
    if a > 0.0:
        low = max(low, -c / a)
    else:
        if a < 0.0:
            high = min(high, -c / a)
        else:
            if c < 0.0:
                high = low - 1.0
    return low, high


@sweep
def cover(samples: Array, points: Array, faces: Array, first: int, last: int) -> None:
    """Put the triangles first, ..., last - 1 into samples (rows, columns).

    Given projected points (n, 3) and triangles (m, 3). Sample (i, j) is at (j + 1/2, i + 1/2). Row by row the samples
    within a triangle are those between its edges; 1/depth is linear along the row. Cost: its rows, and its samples.
    """
    rows, columns = samples.shape
    for k in range(first, last):
        xa, ya, za = load3(points, faces[k, 0])
        xb, yb, zb = load3(points, faces[k, 1])
        xc, yc, zc = load3(points, faces[k, 2])
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if za > 0.0 and zb > 0.0 and zc > 0.0 and area != 0.0:
            turn = 1.0 / area
            # barycentric coordinates of (x, y): u of b, v of c
            ux, uy = (yc - ya) * turn, (xa - xc) * turn
            vx, vy = (ya - yb) * turn, (xb - xa) * turn
            zx, zy = ux * (zb - za) + vx * (zc - za), uy * (zb - za) + vy * (zc - za)
            top = int(min(max(min(ya, yb, yc) - 0.5, 0.0), 1.0 * rows))
            end = int(min(max(max(ya, yb, yc) + 0.5, 0.0), 1.0 * rows))
            left = max(min(xa, xb, xc), 0.0)
            right = min(max(xa, xb, xc), 1.0 * columns)
            for i in range(top, end):
                y = i + 0.5
                u0, v0 = uy * (y - ya) - ux * xa, vy * (y - ya) - vx * xa
                low, high = narrowed(left, right, ux, u0)
                low, high = narrowed(low, high, vx, v0)
                low, high = narrowed(low, high, -ux - vx, 1.0 - u0 - v0)
                if high >= low:
                    begin = int(low + 0.5 - SLACK)
                    stop = min(int(high + 0.5 + SLACK), columns)
                    z0 = za + zy * (y - ya) - zx * (xa - 0.5)
                    for j in range(begin, stop):
                        depth = min(max(z0 + zx * j, 0.0), 1.0)
                        key = int(depth * DEPTHS) * NUMBERS + k + 1
                        if key > samples[i, j]:
                            samples[i, j] = key


@step
def lit(color: Vec3, n: Vec3, view: Vec3, up: Vec3, sun: Vec3) -> Vec3:
    """Light, in linear units, of a surface with unit normal n seen along the unit vector -view.

    A sky brighter above than below, a sun, and a highlight half way between sun and eye; both sides of a triangle
    are seen.
    """
    facing = 1.0
    if dot(n, view) < 0.0:
        facing = -1.0
    sky = 0.40 + 0.14 * facing * dot(n, up) + 0.10 * abs(dot(n, view))
    direct = 0.62 * max(facing * dot(n, sun), 0.0)
    half = (sun[0] + view[0], sun[1] + view[1], sun[2] + view[2])
    gloss = max(facing * dot(n, half) / np.sqrt(dot(half, half) + 1e-12), 0.0)
    gloss = gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss
    gloss = gloss * gloss
    shine = 0.10 * gloss * gloss
    amount = sky + direct
    return amount * color[0] + shine, amount * color[1] + shine, amount * color[2] + shine


@step
def load4(a: Array, k: int) -> tuple[Number, Number, Number, Number]:
    """Row k of an (n, 4) array."""
    return a[k, 0], a[k, 1], a[k, 2], a[k, 3]


@step
def over_color(
    tint: tuple[Number, Number, Number, Number], normal: Vec3, ray: Vec3, up: Vec3, sun: Vec3, behind: Vec3
) -> Vec3:
    """The light of a surface, its normal of any length, before what is behind it; `tint` ends with its opacity."""
    n = scale(1.0 / np.sqrt(dot(normal, normal) + TINY), normal)
    view = scale(-1.0 / np.sqrt(dot(ray, ray)), ray)
    light = lit((tint[0], tint[1], tint[2]), n, view, up, sun)
    opaque, clear = tint[3], 1.0 - tint[3]
    return (
        opaque * light[0] + clear * behind[0],
        opaque * light[1] + clear * behind[1],
        opaque * light[2] + clear * behind[2],
    )


@step
def shares(points: Array, faces: Array, k: int, x: Number, y: Number) -> Vec3:
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
    wa, wb, wc = shares(points, faces, k, x, y)
    return (
        wa * values[a, 0] + wb * values[b, 0] + wc * values[c, 0],
        wa * values[a, 1] + wb * values[b, 1] + wc * values[c, 1],
        wa * values[a, 2] + wb * values[b, 2] + wc * values[c, 2],
    )


@step
def tint_at(
    points: Array, tints: Array, faces: Array, colors: Array, k: int, x: Number, y: Number
) -> tuple[Number, Number, Number, Number]:
    """Colour and opacity of a triangle at a place of the picture: its own, or where its red is below zero that of its
    vertices, `tints` (n, 3), in between.
    """
    red, green, blue, opacity = load4(colors, k)
    if red < 0.0:
        w = shares(points, faces, k, x, y)
        total = 1.0 / (w[0] + w[1] + w[2] + TINY)
        mixed = at_sample(points, tints, faces, k, x, y)
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
    tints: Array,
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
    where the vertices have colours, tints (n, 3); axes, eye and lens as
    for `project`; sky (3, 3): background, up, direction to the sun; ground and shadow as for `ground_color`. With
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
                    behind = ground_color(ray, (eye[0], eye[1], eye[2]), paper, up, ground, shadow, s / lens[0])
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
                                    tint = tint_at(points, tints, faces, colors, k - 1, at_x, at_y)
                                    own = over_color(tint, n, ray, up, sun, behind)
                            red, green, blue = red + share * own[0], green + share * own[1], blue + share * own[2]
                pixels[i, j] = byte(red) + 256 * byte(green) + 65536 * byte(blue)
