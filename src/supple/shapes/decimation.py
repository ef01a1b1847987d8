"""Fewer triangles: vertices in one cell of a grid become one (vertex clustering).

Rossignac and Borrel, Multi-resolution 3D approximations for rendering complex scenes, 1993.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Floats, Ints
from supple.shapes.triangle_mesh import TriangleMesh


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
