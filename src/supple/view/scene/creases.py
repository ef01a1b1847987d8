"""Surfaces cut along their sharp edges, so that light is smooth on round parts and breaks at corners."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from supple.checks import Floats, Ints
from supple.view.scene.look import CREASE


def split_at_sharp_edges(vertices: Floats, faces: Ints) -> tuple[Ints, Ints]:
    """Vertices that no sharp edge passes through.

    Corners of triangles at the same place are one vertex if a chain of triangles around it joins them over edges that
    are not sharp. So vertices that a file repeats for every triangle are joined too.

    Parameters
    ----------
    vertices : (n, 3) array
    faces : (m, 3) array

    Returns
    -------
    origin : (k,) array
        The given vertex that each new one is a copy of.
    faces : (m, 3) array
        The same triangles by new vertices.
    """
    if not len(faces):
        return np.zeros(0, dtype=np.int64), np.zeros((0, 3), dtype=np.int64)
    _, place = np.unique(vertices, axis=0, return_inverse=True)
    place = place.reshape(-1)[faces]
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    # half edges: triangle, its two corners and their places, the smaller first
    triangle = np.tile(np.arange(len(faces)), 3)
    corners = np.stack([np.concatenate([3 * np.arange(len(faces)) + i for i in j]) for j in ((0, 1, 2), (1, 2, 0))])
    ends = place.ravel()[corners]
    corners = np.where(ends[0] < ends[1], corners, corners[::-1])
    ends.sort(axis=0)
    order = np.lexsort(ends)
    first, second = order[:-1], order[1:]
    same = (ends[:, first] == ends[:, second]).all(axis=0)
    first, second = first[same], second[same]
    smooth = (normal[triangle[first]] * normal[triangle[second]]).sum(axis=1) > np.cos(CREASE)
    joined = corners[:, first[smooth]].ravel(), corners[:, second[smooth]].ravel()
    graph = sparse.coo_array((np.ones(len(joined[0])), joined), shape=(faces.size, faces.size))
    count, label = sparse.csgraph.connected_components(graph, directed=False)
    origin = np.zeros(count, dtype=np.int64)
    origin[label[::-1]] = faces.ravel()[::-1]
    return origin, label.reshape(faces.shape).astype(np.int64)
