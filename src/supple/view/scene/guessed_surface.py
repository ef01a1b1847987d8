"""How the nodes of a flexible body are joined for drawing where nobody knows its elements.

They are guessed from the positions: beams are lines in the order of their nodes, or the shortest tree through them;
plates and solids are triangles of a Delaunay mesh whose large elements, those that span holes and hollows, are left
out. Lines are drawn as slim bars.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import sparse

from supple.checks import Floats, Ints
from supple.shapes.revolve_sweep import circle, swept
from supple.shapes.shape import turn_to
from supple.shapes.triangle_mesh import NOTHING, TriangleMesh, joined
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.elements.surface import BodySurface, of_nodes

MOST_NODES = 4000
FLAT = 1e-6
"""Thickness, relative to the length, below which nodes are in a plane or on a line."""
SLACK = 1.25
"""More than the diagonal of a cube over that of its face: a cube of nodes may be cut into tetrahedra either way."""
SLIM = 0.008
"""Radius of a bar in place of a line, relative to the extent of the body."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The nodes that are drawn (k,), and what joins them: lines (l, 2) and triangles (t, 3) of places in `nodes`."""

    nodes: Ints
    lines: Ints
    triangles: Ints


def outline(body: FlexibleBody) -> Outline:
    """Lines for beams, triangles for plates and solids; of very many nodes some are left out."""
    chosen = np.arange(0, len(body.nodes), -(-len(body.nodes) // MOST_NODES))
    x = body.nodes[chosen]
    spread = x - x.mean(axis=0)
    _, sizes, axes = np.linalg.svd(spread, full_matrices=False)
    rank = int(np.sum(sizes > FLAT * sizes[0])) if sizes[0] > 0 else 0
    path = np.stack([np.arange(len(x) - 1), np.arange(1, len(x))], axis=1)
    none = np.zeros((0, 3), dtype=np.int64)
    if rank < 2 or len(x) < 4:
        along = np.argsort(spread @ axes[0], kind="stable")
        return Outline(chosen, along[path], none)
    if body.turning.all():
        tree = _shortest_tree(x)
        if _length(x, path) < 1.5 * _length(x, tree):
            return Outline(chosen, path, none)
        if rank == 3:
            return Outline(chosen, tree, none)
    faces = _surface(spread @ axes[:rank].T)
    used = np.unique(faces)
    return Outline(chosen[used], none[:, :2], np.searchsorted(used, faces))


def guessed_surface(body: FlexibleBody) -> BodySurface:
    """Bars for beams, triangles for plates and solids."""
    found = outline(body)
    if len(found.triangles):
        return of_nodes(found.nodes[found.triangles])
    radius = SLIM * float(np.linalg.norm(np.ptp(body.nodes, axis=0)))
    bars = [_bar(body.nodes, pair, radius) for pair in found.nodes[found.lines]]
    mesh, node = joined([bar for bar, _ in bars]), np.concatenate([np.zeros(0, np.int64), *(ends for _, ends in bars)])
    return BodySurface(node, mesh.vertices - body.nodes[node], mesh.faces)


def _bar(nodes: Floats, pair: Ints, radius: float) -> tuple[TriangleMesh, Ints]:
    """A bar from node to node, and the node of each vertex; nothing where both are in one place."""
    along = nodes[pair[1]] - nodes[pair[0]]
    length = float(np.linalg.norm(along))
    if length == 0:
        return NOTHING, np.zeros(0, np.int64)
    section = circle(radius, 6)
    mesh = swept(section, nodes[pair][:, None] + (section @ turn_to(along / length)[:, :2].T)[None])
    return mesh, np.tile(np.repeat(pair, len(section)), 2)


def _length(x: Floats, lines: Ints) -> float:
    return float(np.linalg.norm(x[lines[:, 1]] - x[lines[:, 0]], axis=1).sum())


def _shortest_tree(x: Floats) -> Ints:
    """Lines of the shortest tree through points, among those to the eight nearest neighbours."""
    near = np.asarray(scipy.spatial.cKDTree(x).query(x, k=min(9, len(x)))[1])
    distance = np.linalg.norm(x[near] - x[:, None], axis=2)
    rows = np.repeat(np.arange(len(x)), near.shape[1] - 1)
    graph = sparse.csr_array((distance[:, 1:].ravel() + 1e-300, (rows, near[:, 1:].ravel())), shape=(len(x), len(x)))
    tree = sparse.coo_array(sparse.csgraph.minimum_spanning_tree(graph))
    return np.stack([tree.row, tree.col], axis=1).astype(np.int64)


def _surface(x: Floats) -> Ints:
    """Triangles of a plate (k, 2), or of the surface of a solid (k, 3).

    Elements with edges longer than needed to leave no node without an element are taken out.
    """
    simplices: NDArray[np.int64] = np.asarray(
        scipy.spatial.Delaunay(x, qhull_options="QJ Pp").simplices, dtype=np.int64
    )
    corners = x[simplices]
    longest = np.linalg.norm(corners[:, :, None] - corners[:, None, :], axis=3).max(axis=(1, 2))
    shortest = np.full(len(x), np.inf)
    np.minimum.at(shortest, simplices.ravel(), np.repeat(longest, simplices.shape[1]))
    kept = simplices[longest <= SLACK * shortest[np.isfinite(shortest)].max()]
    if x.shape[1] == 2:
        return kept
    faces = np.concatenate([kept[:, [0, 1, 2]], kept[:, [0, 1, 3]], kept[:, [0, 2, 3]], kept[:, [1, 2, 3]]])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]
