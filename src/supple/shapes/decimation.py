"""Meshes with fewer triangles, small enough for a page: vertices in one cell of a grid become one (vertex clustering).

Rossignac and Borrel, Multi-resolution 3D approximations for rendering complex scenes, 1993.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from supple.checks import Floats, Ints
from supple.shapes.readers.mesh_part import MeshPart
from supple.shapes.triangle_mesh import TriangleMesh

CELLS = 100
"""Cells along the longest side of the largest mesh, at most; smaller ones have smaller cells, but not so many."""
FEW = 600
"""Triangles of a mesh that is left as it is."""
MOST = 45_000
"""Triangles of all meshes of a model together: about 0.8 MB of a page."""
COARSEST = 6
MOST_NODES = 10_500
"""Vertices of a surface that deforms."""


class Clusters(NamedTuple):
    """Cluster of each vertex (n,), from 0 on, and the triangles (m, 3) that are left, of numbers of clusters."""

    number: Ints
    faces: Ints


def clusters(vertices: Floats, faces: Ints, cell: float) -> Clusters:
    """Clusters of vertices in cells of this size; triangles within less than three cells and copies are left out."""
    places = np.floor((vertices - vertices.min(axis=0)) / cell).astype(np.int64)
    sizes = places.max(axis=0) + 1
    number = np.unique((places[:, 0] * sizes[1] + places[:, 1]) * sizes[2] + places[:, 2], return_inverse=True)[1]
    corners = number.reshape(-1)[faces]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    corners = corners[np.sort(first)]
    kept = np.unique(corners)
    place = np.full(number.max() + 1, -1)
    place[kept] = np.arange(len(kept))
    return Clusters(place[number.reshape(-1)], place[corners])


def reduced(mesh: TriangleMesh, cell: float) -> TriangleMesh:
    """The mesh with each cluster at the mean of its vertices; the mesh itself if nothing would be left."""
    number, faces = clusters(mesh.vertices, mesh.faces, cell)
    if not len(faces):
        return mesh
    used = number >= 0
    count = np.bincount(number[used])
    means = [np.bincount(number[used], weights=mesh.vertices[used, a]) / count for a in range(3)]
    return TriangleMesh(np.stack(means, axis=1), faces)


def reduced_meshes(meshes: Sequence[Sequence[MeshPart]]) -> list[list[MeshPart]]:
    """The parts of all meshes of a model, such that they have few enough triangles together."""
    if not meshes:
        return []
    sides = [_longest(part.mesh.vertices for part in parts) for parts in meshes]
    cells = CELLS
    while True:
        out = [_reduced(parts, cells, side, max(sides)) for parts, side in zip(meshes, sides, strict=True)]
        count = sum(len(part.mesh.faces) for parts in out for part in parts)
        if count <= MOST or cells <= COARSEST:
            return out
        cells = max(int(cells * min(np.sqrt(MOST / count), 0.95)), COARSEST)


def _reduced(parts: Sequence[MeshPart], cells: int, side: float, longest: float) -> list[MeshPart]:
    """The parts of a mesh, its longest side and that of all meshes given; few triangles stay as they are."""
    cell = np.sqrt(side * longest) / cells
    if cell == 0 or sum(len(part.mesh.faces) for part in parts) <= FEW:
        return list(parts)
    return [MeshPart(reduced(part.mesh, cell), part.color) for part in parts]


def _longest(points: Iterable[Floats]) -> float:
    ends = np.array([(x.min(axis=0), x.max(axis=0)) for x in points])
    return float((ends[:, 1].max(axis=0) - ends[:, 0].min(axis=0)).max())


def decimated(vertices: Floats, faces: Ints) -> tuple[Ints, Ints]:
    """Numbers of some vertices of a surface that deforms, and triangles between them: all, or one of each cell."""
    kept, left, cells = np.arange(len(vertices)), faces, 100
    while len(kept) > MOST_NODES:
        number, left = clusters(vertices, faces, _longest([vertices]) / cells)
        inside = np.flatnonzero(number >= 0)
        kept = inside[np.unique(number[inside], return_index=True)[1]]
        cells = int(0.8 * cells)
    return kept, left
