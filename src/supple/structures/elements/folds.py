"""Sides of a shell's nodes: the elements around a node, parted where the shell is folded.

Stresses and normals are continuous over a side and jump at a fold, so that each side has values of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.dof_map import Bools
from supple.structures.elements.boundary import edges

FOLD = np.deg2rad(25.0)
"""Angle between neighbours from which their edge is a fold: more than that of a tube with fifteen facets."""


@dataclass(frozen=True, eq=False)
class Sides:
    """The p sides of k nodes. The first side of a node has the number of the node, the others follow behind all nodes.

    Attributes
    ----------
    corners : (e, 4) array of int
        Side that each corner of an element belongs to.
    node : (p,) array of int
        Node of each side.
    element : (p,) array of int
        First element of each side.
    """

    corners: Ints
    node: Ints
    element: Ints

    @property
    def folded(self) -> Bools:
        """(e, 4) whether the node of each corner has several sides."""
        return (np.bincount(self.node)[self.node] > 1)[self.corners]

    def names(self) -> tuple[str, ...]:
        """ "node 12", or "node 12 at element 7" of one of several sides."""
        several = np.bincount(self.node)[self.node] > 1
        return tuple(
            f"node {i} at element {e}" if more else f"node {i}"
            for i, e, more in zip(self.node, self.element, several, strict=True)
        )


def sides_of(corners: Ints, normals: Floats, k: int) -> Sides:
    """Sides of k nodes for elements (e, 4) with unit normals (e, 3)."""
    place = np.arange(corners.size).reshape(corners.shape)
    sides, ends = edges(corners), edges(place)
    turned = sides[:, 0] > sides[:, 1]
    sides[turned], ends[turned] = sides[turned, ::-1], ends[turned, ::-1]
    order = np.lexsort(sides.T)
    first, second = order[:-1], order[1:]
    same = (sides[first] == sides[second]).all(axis=1)
    first, second = first[same], second[same]
    smooth = (normals[first // 4] * normals[second // 4]).sum(axis=1) > np.cos(FOLD)
    first, second = first[smooth], second[smooth]
    pairs = ends[first].ravel(), ends[second].ravel()
    graph = scipy.sparse.coo_array((np.ones(len(pairs[0])), pairs), shape=(corners.size, corners.size))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    _, start = np.unique(label, return_index=True)  # first corner of each side
    node = corners.ravel()[start]
    order = np.lexsort((start, node))
    further = np.concatenate([[False], node[order][1:] == node[order][:-1]])
    number = np.zeros(len(node), np.int64)
    number[order] = np.where(further, k + np.cumsum(further) - 1, node[order])
    out = np.zeros((2, len(node)), np.int64)
    out[:, number] = node, start // 4
    return Sides(number[label].reshape(corners.shape), *out)
