"""Triangles to samples of a picture.

A picture has `s` x `s` samples a pixel. `cover` keeps for each sample the nearest triangle; depth and number of the
triangle are one integer, so that nearer is larger and one comparison decides.
"""

from __future__ import annotations

import numpy as np

from supple.engines.kernels import step, sweep
from supple.spatial import Array, Number, Vec3, cross, dot, load3

NUMBERS = 2**24
"""A sample is depth * NUMBERS + the number of the triangle + 1; zero where there is none."""
DEPTHS = 2.0**38
"""Steps of depth between infinity and the near plane."""
SLACK = 1e-9
"""Of a sample's width: triangles that share an edge leave no gap."""
BEFORE = 1e-6
"""Of its depth: how much nearer what is translucent counts, so that it covers what lies in the same plane."""


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
    within a triangle are those between its edges; 1/depth is linear along the row. Triangles that do not begin with the
    first are translucent. Cost: its rows, and its samples.
    """
    rows, columns = samples.shape
    nearer = 1.0 + BEFORE
    if first == 0:
        nearer = 1.0
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
                        depth = min(max(nearer * (z0 + zx * j), 0.0), 1.0)
                        key = int(depth * DEPTHS) * NUMBERS + k + 1
                        if key > samples[i, j]:
                            samples[i, j] = key
