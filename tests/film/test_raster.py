"""Triangles become samples where geometry says, the nearest wins, and light is the mean of the samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Delaunay

from supple.checks import Floats, Ints
from supple.view.film.floor import NONE
from supple.view.film.raster import DEPTHS, NUMBERS, cover, project, vertex_normals
from supple.view.film.shading import shade

ROWS, COLUMNS = 24, 32
AXES = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
"""A camera that looks down along z."""
PAPER = np.array([0.25, 0.25, 0.25])
TINTS = np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.4, 0.2, 0.0], [0.0, 0.2, 0.0]])
"""Of the vertices of a rectangle: red grows to the right, green downwards."""
SKY = np.stack([PAPER, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])


def covered(points: Floats, faces: Ints) -> Ints:
    samples = np.zeros((ROWS, COLUMNS), dtype=np.int64)
    cover(samples, points, faces, 0, len(faces))
    return samples


def by_hand(points: Floats, faces: Ints) -> tuple[Ints, Floats]:
    """Number of the nearest triangle, and how near the decision was, of each sample: barycentric coordinates."""
    x, y = np.meshgrid(np.arange(COLUMNS) + 0.5, np.arange(ROWS) + 0.5)
    best, number, margin = np.zeros((ROWS, COLUMNS)), np.zeros((ROWS, COLUMNS), dtype=np.int64), np.full(x.shape, 1.0)
    for k, face in enumerate(faces):
        (xa, ya, za), (xb, yb, zb), (xc, yc, zc) = points[face]
        M = np.array([[xb - xa, xc - xa], [yb - ya, yc - ya]])
        u, v = np.einsum("ij,jrc->irc", np.linalg.inv(M), np.stack([x - xa, y - ya]))
        inside = np.minimum(np.minimum(u, v), 1.0 - u - v)
        z = za + u * (zb - za) + v * (zc - za)
        margin = np.minimum(margin, np.abs(inside))
        margin = np.where(inside >= 0, np.minimum(margin, np.abs(z - best)), margin)
        number = np.where((inside >= 0) & (z > best), k + 1, number)
        best = np.where((inside >= 0) & (z > best), z, best)
    return number, margin


def test_samples_hold_the_nearest_triangle() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform([-8, -8, 0.05], [COLUMNS + 8, ROWS + 8, 1.0], (60, 3))
    faces = np.arange(60).reshape(20, 3)
    expected, margin = by_hand(points, faces)
    found = covered(points, faces) % NUMBERS
    clear = margin > 1e-6  # elsewhere rounding decides
    assert clear.mean() > 0.99
    assert len(np.unique(found)) > 10  # not trivial: many are seen
    np.testing.assert_array_equal(found[clear], expected[clear])


def test_depth_is_kept_to_one_step() -> None:
    points = np.array([[0.0, 0.0, 0.2], [32.0, 0.0, 0.6], [0.0, 24.0, 0.4]])
    samples = covered(points, np.array([[0, 1, 2]]))
    i, j = 5, 9
    exact = 0.2 + 0.4 * (j + 0.5) / 32.0 + 0.2 * (i + 0.5) / 24.0
    assert abs(samples[i, j] // NUMBERS / DEPTHS - exact) < 2.0 / DEPTHS


def test_triangles_that_share_edges_leave_no_gap() -> None:
    rng = np.random.default_rng(1)
    inner = rng.uniform([4, 4], [28, 20], (30, 2))
    corners = np.array([[-1.0, -1.0], [33.0, -1.0], [33.0, 25.0], [-1.0, 25.0]])
    flat = np.concatenate([corners, inner])
    points = np.column_stack([flat, np.full(len(flat), 0.5)])
    samples = covered(points, Delaunay(flat).simplices.astype(np.int64))
    assert (samples > 0).all()


def test_what_is_behind_the_camera_is_left_out() -> None:
    points = np.array([[0.0, 0.0, -5.0], [1.0, 0.0, -5.0], [0.0, 1.0, 2.0]])
    out = np.ones_like(points)
    project(points, AXES, np.zeros(3), np.array([10.0, 16.0, 12.0, 0.1]), out)
    np.testing.assert_allclose(out, [[16.0, 12.0, 0.02], [18.0, 12.0, 0.02], [1.0, 1.0, 0.0]], atol=1e-15)
    assert not covered(out, np.array([[0, 1, 2]])).any()


def test_normals_of_a_ball_point_outward() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(400, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    faces = hull.simplices.astype(np.int64)
    a, b, c = (points[faces[:, i]] for i in range(3))
    inward = (np.cross(b - a, c - a) * a).sum(axis=1)
    faces[inward < 0] = faces[inward < 0][:, ::-1]
    normals = np.zeros_like(points)
    vertex_normals(points, faces, normals)
    assert np.einsum("ij,ij->i", normals, points).min() > 0.95


def painted(x_edge: float, colors: Floats, first: int) -> Ints:
    """Pixels of rectangles that reach from the left to some x, all across the light, one behind the other."""
    s, rows, columns = 4, 2, 4
    lens = np.array([10.0 * s, s * columns / 2.0, s * rows / 2.0, 0.1])
    points, faces = [], []
    for k in range(len(colors) // 2):
        n = 4 * k
        x = np.array([[0.0, 0.0], [s * x_edge, 0.0], [s * x_edge, s * rows], [0.0, s * rows]])
        points.append(np.column_stack([x, np.full(4, 0.1 * (k + 1))]))
        faces += [[n, n + 1, n + 2], [n, n + 2, n + 3]]
    joined, triangles = np.concatenate(points), np.array(faces)
    normals = np.tile([0.0, 0.0, 1.0], (len(joined), 1))
    pixels, samples = np.zeros((rows, columns), dtype=np.int64), np.zeros((s * rows, s * columns), dtype=np.int64)
    scene = joined, normals, triangles, colors, TINTS, AXES, np.array([0.0, 0.0, 5.0]), lens, SKY, *NONE
    for begin, end in ((0, first), (first, len(faces))):
        cover(samples, joined, triangles, begin, end)
        shade(pixels, samples, *scene, begin)
    return pixels


@pytest.mark.parametrize("part", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_an_edge_is_the_mean_of_its_samples(part: float) -> None:
    colors = np.tile([0.0, 0.0, 0.0, 1.0], (2, 1))
    red = painted(1.0 + part, colors, 2) % 256
    full, empty = (painted(4.0, colors, 2)[0, 1] % 256 / 255.0) ** 2, 0.25
    assert red[0, 3] == round(255 * 0.5)
    # to a rounding of each picture
    expected = part * full + (1.0 - part) * empty
    assert abs(red[0, 1] - 255.0 * np.sqrt(expected)) <= 1.0


def test_what_is_translucent_is_laid_over_what_is_behind_it() -> None:
    behind = np.tile([0.2, 0.0, 0.0, 1.0], (2, 1))
    before = np.tile([0.0, 0.4, 0.0, 0.5], (2, 1))
    alone = painted(4.0, behind, 2)[0, 0]
    both = painted(4.0, np.concatenate([behind, before]), 2)[0, 0]
    opaque = painted(4.0, np.concatenate([behind, np.tile([0.0, 0.4, 0.0, 1.0], (2, 1))]), 4)[0, 0]

    def light(pixel: int) -> Floats:
        return np.array([pixel % 256, pixel // 256 % 256, pixel // 65536]) / 255.0

    # shares of a screen are mixed; a step of 256 in each of three roundings
    np.testing.assert_allclose(light(both), 0.5 * light(alone) + 0.5 * light(opaque), atol=3.0 / 255.0)
    assert abs(light(both) - light(alone)).max() > 0.1


def test_colours_of_vertices_are_mixed_in_between() -> None:
    pixels = painted(4.0, np.tile([-1.0, 0.0, 0.0, 1.0], (2, 1)), 2)
    plain = (painted(4.0, np.tile([0.2, 0.1, 0.0, 1.0], (2, 1)), 2) % 256 / 255.0) ** 2
    red = (pixels % 256 / 255.0) ** 2
    assert (np.diff(red, axis=1) > 0.05).all()
    assert (np.diff(pixels // 256 % 256, axis=0) > 10).all()
    # a triangle has one colour in a pixel, that of its first sample: 3/8 of a pixel, and of a step, from the middle
    np.testing.assert_allclose(red.mean(), plain.mean(), atol=3 / 8 * np.diff(red, axis=1).max())
