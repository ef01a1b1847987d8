"""Meshes of flat plates: rectangles by a grid, polygons by triangles that are cut into quadrilaterals.

A polygon's edges are divided evenly, and a triangular lattice fills it. Where an edge is missing in the Delaunay
triangulation of these points its middle is added until none is (Ruppert, 1995). Each triangle becomes three
quadrilaterals around its centre, so that all plates are made of one element.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.errors import ModelError
from supple.structures.discretization.dof_map import Bools
from supple.structures.elements.boundary import quadrilaterals

MOST_NODES = 50_000
"""Of one plate: 300,000 degrees of freedom."""
NEAR = 1e-9
"""Share of a plate's size within which a position is that of a node, or on an edge."""
CLEAR = 0.55
"""Distance that lattice points keep from edges and given points, in spacings."""
MOST_ROUNDS = 30


class PlateMesh(NamedTuple):
    """Nodes (k, 3) in the plane z = 0, m, and corners (e, 4) of the elements, against the clock."""

    nodes: Floats
    corners: Ints


def grid(length: float, width: float, elements: tuple[int, int], through: Floats) -> PlateMesh:
    """A rectangle along x from the origin, centred in y, with nodes numbered along x first.

    The grid's lines nearest to the positions `through` (p, 2) are moved there, so that these are nodes; where two
    positions want the same line, there is one more.
    """
    _check_count((elements[0] + 1) * (elements[1] + 1))
    x = _ticks(np.linspace(0.0, length, elements[0] + 1), through[:, 0])
    y = _ticks(width * np.linspace(-0.5, 0.5, elements[1] + 1), through[:, 1])
    _check_count(len(x) * len(y))
    X, Y = np.meshgrid(x, y)
    i = (np.arange(len(y) - 1)[:, None] * len(x) + np.arange(len(x) - 1)).ravel()
    corners = np.stack([i, i + 1, i + 1 + len(x), i + len(x)], axis=1)
    return PlateMesh(np.stack([X.ravel(), Y.ravel(), np.zeros(X.size)], axis=1), corners.astype(np.int64))


def _ticks(even: Floats, wanted: Floats) -> Floats:
    """Ascending places of lines from even ones, with one at each wanted place."""
    size = even[-1] - even[0]
    ticks = even.copy()
    taken = np.zeros(len(ticks), bool)
    taken[[0, -1]] = True
    for place in np.unique(wanted):
        gaps = np.abs(ticks - place)
        if gaps.min() <= NEAR * size:
            taken[np.argmin(gaps)] = True
            continue
        nearest = int(np.argmin(gaps))
        if taken[nearest]:
            at = int(np.searchsorted(ticks, place))
            ticks, taken = np.insert(ticks, at, place), np.insert(taken, at, True)
        else:
            ticks[nearest], taken[nearest] = place, True
    return ticks


def fill(outline: Floats, spacing: float, through: Floats) -> PlateMesh:
    """A polygon (p, 2), against the clock, of triangles with sides of about `spacing`, m, each cut into three elements.

    The positions `through` (q, 2) become nodes.
    """
    size = float(np.ptp(outline, axis=0).max())
    sides = np.roll(outline, -1, axis=0) - outline
    lengths = np.linalg.norm(sides, axis=1)
    _check_count(int(3.5 * area_of(outline) / spacing**2))
    edges = []
    for a, side, length in zip(outline, sides, lengths, strict=True):
        places = np.linspace(0.0, 1.0, max(int(np.ceil(length / spacing - 1e-9)), 1) + 1)[:-1]
        on = [
            float((p - a) @ side / length**2)
            for p in through
            if _distances(p[None], a[None], side[None])[0] < NEAR * size
        ]
        taken = [p for p in places[1:] if all(abs(p - other) * length > CLEAR * spacing for other in on)]
        steps = np.unique([0.0, *taken, *(t for t in on if NEAR < t < 1.0 - NEAR)])
        edges.append(a + steps[:, None] * side)
    rim = np.concatenate(edges)
    inner = through[_edge_distances(through, outline) > NEAR * size]
    lattice = _lattice(outline, spacing)
    lattice = lattice[inside(lattice, outline) & (_edge_distances(lattice, outline) > CLEAR * spacing)]
    if len(inner) and len(lattice):
        gaps = np.linalg.norm(lattice[:, None] - inner, axis=2).min(axis=1)
        lattice = lattice[gaps > CLEAR * spacing]
    points, triangles = _triangles(rim, np.concatenate([inner, lattice]), outline)
    return _quadrilaterals(points, triangles)


def _lattice(outline: Floats, spacing: float) -> Floats:
    """(m, 2) corners of equilateral triangles over the outline's box."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    step = np.array([spacing, spacing * np.sqrt(0.75)])
    i, j = np.meshgrid(*(np.arange(int(n) + 2) for n in (high - low) / step))
    return np.stack([low[0] + step[0] * (i + 0.5 * (j % 2)).ravel(), low[1] + step[1] * j.ravel()], axis=1)


def _triangles(rim: Floats, inner: Floats, outline: Floats) -> tuple[Floats, Ints]:
    """Points (n, 2), those of the rim first and in order, and triangles (t, 3) that fill the outline."""
    for _ in range(MOST_ROUNDS):
        points = np.concatenate([rim, inner])
        found = np.sort(scipy.spatial.Delaunay(points).simplices, axis=1)
        pairs = {(int(i), int(j)) for t in found for i, j in ((t[0], t[1]), (t[1], t[2]), (t[0], t[2]))}
        n = len(rim)
        missing = [i for i in range(n) if (min(i, (i + 1) % n), max(i, (i + 1) % n)) not in pairs]
        if not missing:
            a, b, c = (points[found[:, i]] for i in range(3))
            kept = inside((a + b + c) / 3.0, outline) & (np.abs(_cross(b - a, c - a)) > NEAR * _longest(a, b, c) ** 2)
            return points, found[kept].astype(np.int64)
        middles = (rim[missing] + rim[(np.array(missing) + 1) % n]) / 2.0
        rim = np.insert(rim, np.array(missing) + 1, middles, axis=0)
    raise ModelError("outline: its mesh did not become fine enough; expected edges that meet at wider angles")


def _quadrilaterals(points: Floats, triangles: Ints) -> PlateMesh:
    """Three around the centre of each triangle."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    turned = _cross(b - a, c - a) < 0
    nodes, corners = quadrilaterals(points, np.where(turned[:, None], triangles[:, ::-1], triangles))
    used, numbers = np.unique(corners, return_inverse=True)
    flat = np.column_stack([nodes, np.zeros(len(nodes))])
    return PlateMesh(flat[used], numbers.reshape(-1, 4).astype(np.int64))


def check_outline(outline: Floats) -> Floats:
    """The polygon (p, 2) against the clock; raises if it crosses or touches itself."""
    p = len(outline)
    if p < 3:
        raise ModelError(f"outline: expected three corners or more, got {p}")
    a, b = outline, np.roll(outline, -1, axis=0)
    size = float(np.ptp(outline, axis=0).max())
    short = np.flatnonzero(np.linalg.norm(b - a, axis=1) <= NEAR * size)
    if len(short) or size == 0.0:
        raise ModelError(
            f"outline: expected different corners, got {outline[short[0] if len(short) else 0].tolist()} twice"
        )
    for i in range(p):
        for j in range(i + 1, p):
            if (i + 1) % p == j or (j + 1) % p == i:
                shared, one, other = (b[i], a[i], b[j]) if (i + 1) % p == j else (a[i], b[i], a[j])
                u, v = one - shared, other - shared
                if p > 3 and abs(_cross(u, v)) <= NEAR * size**2 and u @ v > 0:
                    raise ModelError(f"outline: edge {j + 1} runs back along edge {i + 1}")
            elif _cross_each_other(a[i], b[i], a[j], b[j], NEAR * size):
                raise ModelError(
                    f"outline: expected a polygon that does not cross itself, but edges {i + 1} and {j + 1} meet"
                )
    signed = float(_cross(a, b).sum() / 2.0)
    if abs(signed) <= NEAR * size**2:
        raise ModelError("outline: expected a polygon with an area, got corners in one line")
    return outline if signed > 0 else outline[::-1]


def _cross_each_other(a: Floats, b: Floats, c: Floats, d: Floats, near: float) -> bool:
    """Whether two segments have a point in common."""
    sides = [_cross(b - a, c - a), _cross(b - a, d - a), _cross(d - c, a - c), _cross(d - c, b - c)]
    if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0:
        return True
    ends = [(c, a, b - a), (d, a, b - a), (a, c, d - c), (b, c, d - c)]
    return any(float(_distances(p[None], q[None], along[None])[0]) <= near for p, q, along in ends)


def inside(points: Floats, outline: Floats) -> Bools:
    """Which points (n, 2) are inside: a ray from them crosses the outline an odd number of times."""
    x, y = points[:, :1], points[:, 1:]
    a, b = outline, np.roll(outline, -1, axis=0)
    above = (a[:, 1] > y) != (b[:, 1] > y)
    rise = np.where(b[:, 1] == a[:, 1], 1.0, b[:, 1] - a[:, 1])
    at = a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / rise
    return np.asarray((above & (x < at)).sum(axis=1) % 2 == 1)


def _edge_distances(points: Floats, outline: Floats) -> Floats:
    """(n,) from points (n, 2) to the nearest edge, m."""
    if not len(points):
        return np.zeros(0)
    sides = np.roll(outline, -1, axis=0) - outline
    return np.min([_distances(points, a[None], side[None]) for a, side in zip(outline, sides, strict=True)], axis=0)


def _distances(points: Floats, start: Floats, along: Floats) -> Floats:
    """(n,) from points (n, 2) to segments (n or 1, 2)."""
    share = np.einsum("ij,ij->i", points - start, np.broadcast_to(along, points.shape)) / np.sum(along**2, axis=1)
    return np.asarray(np.linalg.norm(points - start - np.clip(share, 0.0, 1.0)[:, None] * along, axis=1))


def off_plate(points: Floats, outline: Floats) -> Bools:
    """Which points (n, 2) are neither inside the outline nor on it."""
    size = float(np.ptp(outline, axis=0).max())
    return np.asarray(~inside(points, outline) & (_edge_distances(points, outline) > NEAR * size))


def on_edge(points: Floats, outline: Floats, edge: int) -> Bools:
    """Which points (n, 2) are on an edge."""
    size = float(np.ptp(outline, axis=0).max())
    a, b = outline[edge], outline[(edge + 1) % len(outline)]
    return np.asarray(_distances(points, a[None], (b - a)[None]) <= NEAR * size)


def area_of(outline: Floats) -> float:
    """m^2, of a polygon against the clock."""
    return float(_cross(outline, np.roll(outline, -1, axis=0)).sum() / 2.0)


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _longest(*corners: Floats) -> Floats:
    sides = [corners[i] - corners[i - 1] for i in range(3)]
    return np.asarray(np.max([np.linalg.norm(side, axis=1) for side in sides], axis=0))


def _check_count(nodes: int) -> None:
    if nodes > MOST_NODES:
        raise ModelError(f"mesh: expected at most {MOST_NODES:,} nodes, got {nodes:,}; use larger elements")
