"""Edges and faces of meshes: which are there once, and triangles cut into quadrilaterals."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats, Ints


def edges(corners: Ints) -> Ints:
    """Return the edges (e c, 2) of faces (e, c), in the sense in which these go round."""
    return np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)


def unique_edges(corners: Ints) -> tuple[Ints, Ints, Ints]:
    """Return different edges (n, 2), the number of each edge of the faces among these, and how often they occur."""
    found, which, count = np.unique(np.sort(edges(corners), axis=1), axis=0, return_inverse=True, return_counts=True)
    return found, which.reshape(-1), count


def quadrilaterals(nodes: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return three around the centre of each triangle; nodes are those given, middles of sides, centres."""
    pairs, which, _ = unique_edges(triangles)
    middle = len(nodes) + which.reshape(-1, 3)
    centre = len(nodes) + len(pairs) + np.arange(len(triangles))
    corners = [np.stack([triangles[:, i], middle[:, i], centre, middle[:, i - 1]], axis=1) for i in range(3)]
    points = np.concatenate([nodes, nodes[pairs].mean(axis=1), nodes[triangles].mean(axis=1)])
    return points, np.concatenate(corners)
