"""Surfaces from curves: a profile turned about z, an outline carried along a path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.checks import Floats, Ints
from supple.shapes.triangle_mesh import NOTHING, TriangleMesh, joined

AROUND = 48
"""Corners of a circle."""


def circle(radius: float, corners: int = AROUND) -> Floats:
    """(corners, 2) points on a circle, against the clock."""
    angle = 2.0 * np.pi * np.arange(corners) / corners
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def turned(profile: Sequence[Sequence[float]] | Floats, corners: int = AROUND) -> TriangleMesh:
    """The surface that a profile (k, 2) of radius and z leaves when turned about z; outside lies right of its way."""
    unit = circle(1.0, corners)
    points, first = [], [0]
    for radius, z in profile:
        ring = unit * radius if radius > 0 else np.zeros((1, 2))
        points.append(np.column_stack([ring, np.full(len(ring), z)]))
        first.append(first[-1] + len(ring))
    i = np.arange(corners)
    following = (i + 1) % corners
    faces = [NOTHING.faces]
    for k in range(len(points) - 1):
        a, b = first[k] + i % len(points[k]), first[k + 1] + i % len(points[k + 1])
        a_next, b_next = first[k] + following % len(points[k]), first[k + 1] + following % len(points[k + 1])
        if len(points[k]) > 1:
            faces.append(np.stack([a, a_next, b_next], axis=1))
        if len(points[k + 1]) > 1:
            faces.append(np.stack([a, b_next, b], axis=1))
    return TriangleMesh(np.concatenate(points), np.concatenate(faces))


def tunnel(rings: int, corners: int, closed: bool = False) -> Ints:
    """Triangles between rings of corners one after the other; seen along their way the corners go against the clock."""
    k = np.arange(rings if closed else rings - 1)[:, None]
    i = np.arange(corners)[None, :]
    after = (k + 1) % rings
    a, a_next = corners * k + i, corners * k + (i + 1) % corners
    b, b_next = corners * after + i, corners * after + (i + 1) % corners
    faces = np.stack([np.stack([a, b_next, b], axis=-1), np.stack([a, a_next, b_next], axis=-1)])
    return faces.reshape(-1, 3)


def lid(outline: Floats) -> Ints:
    """Triangles that fill a polygon (k, 2) whose corners go against the clock: a fan, or by cutting off ears."""
    if _convex(outline):
        i = np.arange(1, len(outline) - 1)
        return np.stack([np.zeros_like(i), i, i + 1], axis=1)
    left = list(range(len(outline)))
    faces = []
    while len(left) > 3:
        best = max(range(len(left)), key=lambda i: _ear(outline, left, i))
        a, b, c = (left[(best + step) % len(left)] for step in (-1, 0, 1))
        faces.append((a, b, c))
        left.pop(best)
    return np.array([*faces, tuple(left)], dtype=np.int64)


def _convex(x: Floats) -> bool:
    """Whether every corner turns to the left, and all of them together once: then any fan fills the polygon."""
    along = np.roll(x, -1, axis=0) - x
    after = np.roll(along, -1, axis=0)
    sines = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
    turns = np.arctan2(sines, np.einsum("ij,ij->i", along, after))
    return bool((sines > 0).all() and turns.sum() < 3 * np.pi)


def _ear(x: Floats, left: list[int], i: int) -> float:
    """How good it is to cut off corner i: the least height of the triangle, negative if it is none or not empty."""
    a, b, c = (x[left[(i + step) % len(left)]] for step in (-1, 0, 1))
    size = _cross(b - a, c - a)
    longest = max(np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c))
    if size <= 0:
        return -1.0
    inside = False
    for k in left:
        p = x[k]
        if not any(p is corner or (p == corner).all() for corner in (a, b, c)):
            inside |= min(_cross(b - a, p - a), _cross(c - b, p - b), _cross(a - c, p - c)) >= 0
    return -0.5 if inside else float(size / longest)


def _cross(a: Floats, b: Floats) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def swept(outline: Floats, rings: Floats, closed: bool = False, hole: Floats | None = None) -> TriangleMesh:
    """A surface through rings (r, k, 3) of the corners of an outline (k, 2), with a lid at each end if it has ends.

    With a `hole` (k, 2), corner by corner within the outline, the lids are rims, and one looks into the ends.
    """
    r, k = rings.shape[:2]
    walls = TriangleMesh(rings.reshape(-1, 3), tunnel(r, k, closed))
    if closed:
        return walls
    ends = lid(outline) if hole is None else tunnel(2, k)
    first, last = (
        ring if hole is None else np.concatenate([ring, _within(outline, ring, hole)]) for ring in rings[[0, -1]]
    )
    return joined([walls, TriangleMesh(first, ends[:, ::-1]), TriangleMesh(last, ends)])


def _within(outline: Floats, ring: Floats, points: Floats) -> Floats:
    """Where points (n, 2) of the plane of an outline are on a ring (k, 3), which is the outline placed in space."""
    flat = np.column_stack([outline, np.ones(len(outline))])
    placed, *_ = np.linalg.lstsq(flat, ring, rcond=None)
    out: Floats = np.column_stack([points, np.ones(len(points))]) @ placed
    return out
