"""What a flexible body looks like: triangles whose corners are rigidly joined to nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.checks import Floats, Ints, freeze
from supple.errors import ModelError
from supple.shapes.revolve_sweep import swept
from supple.shapes.triangle_mesh import joined
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.boundary import edges, unique_edges
from supple.structures.elements.folds import Sides

if TYPE_CHECKING:
    from supple.structures.sections.cross_sections import CrossSection

MOST_RINGS = 25
"""Of a straight segment of a beam: enough for shapes of some waves."""


@dataclass(frozen=True, eq=False)
class BodySurface:
    """Triangles on the nodes of a structure or of a body.

    Attributes
    ----------
    node : (n,) array of int
        The node that each vertex moves with.
    offset : (n, 3) array
        From the node to the vertex, undeformed, axes of the structure, m.
    faces : (m, 3) array of int
        Numbers of vertices; seen from outside they follow each other against the clock.
    """

    node: Ints
    offset: Floats
    faces: Ints

    def __post_init__(self) -> None:
        freeze(self, "node", "offset", "faces")

    def require_fit(self, nodes: int) -> None:
        """Refuse a surface that is none, or not one on so many nodes."""
        n = len(self.node)
        shapes = self.node.shape, self.offset.shape, self.faces.shape
        if shapes != ((n,), (n, 3), (len(self.faces), 3)) or not np.isfinite(self.offset).all():
            raise ModelError(f"surface: expected node (n,), finite offset (n, 3) and faces (m, 3), got {shapes}")
        for what, numbers, most in (("node", self.node, nodes), ("faces", self.faces, n)):
            if numbers.size and not 0 <= numbers.min() <= numbers.max() < most:
                raise ModelError(f"surface: {what}: expected numbers from 0 to {most - 1}")

    def vertices(self, nodes: Floats) -> Floats:
        """(n, 3) undeformed, where the nodes (k, 3) are."""
        return np.asarray(nodes[self.node] + self.offset)

    def shapes(self, of_nodes: Any) -> Sparse:
        """Displacements (3 n, c) of the vertices, given rotation and displacement (6 k, c) of the nodes: u + r x d."""
        x, y, z = self.offset.T
        zero = np.zeros_like(x)
        cross = np.stack([zero, z, -y, -z, zero, x, y, -x, zero], axis=1).reshape(-1, 3, 3)  # r x d = cross @ r
        values = np.concatenate([cross, np.broadcast_to(np.eye(3), cross.shape)], axis=2)
        columns = np.broadcast_to((6 * self.node[:, None] + np.arange(6))[:, None, :], values.shape)
        rows = np.repeat(np.arange(3 * len(self.node)), 6)
        size = (3 * len(self.node), of_nodes.shape[0])
        moves = scipy.sparse.csr_array((values.ravel(), (rows, columns.ravel())), shape=size)
        moves.eliminate_zeros()
        return scipy.sparse.csr_array(moves @ scipy.sparse.csr_array(of_nodes))


def of_segments(nodes: Floats, segments: Sequence[tuple[int, int, CrossSection, Floats]]) -> BodySurface:
    """Of a beam: around each straight segment, from its first to its last node, the outline of its section.

    Each segment comes with its section and its axes (3, 3), rows x, y and z. The ends of tubes are open.
    """
    parts, numbers = [], []
    for first, last, section, axes in segments:
        chosen = np.unique(np.linspace(first, last, min(last - first + 1, MOST_RINGS)).round().astype(np.int64))
        outline = np.array(section.outline())
        rings = nodes[chosen][:, None] + (outline @ axes[1:])[None]
        hole = np.array(section.hole()) if section.hole() else None
        parts.append(swept(outline, rings, hole=hole))
        k = len(outline) if hole is None else 2 * len(outline)
        numbers.append(np.concatenate([np.repeat(chosen, len(outline)), np.full(k, first), np.full(k, last)]))
    mesh, node = joined(parts), np.concatenate(numbers)
    return BodySurface(node, mesh.vertices - nodes[node], mesh.faces)


def of_nodes(faces: Ints) -> BodySurface:
    """Of a solid, whose vertices are nodes: triangles (m, 3) of their numbers."""
    used, compact = np.unique(faces, return_inverse=True)
    return BodySurface(used, np.zeros((len(used), 3)), compact.reshape(faces.shape))


def triangles(corners: Ints, middles: Ints | None = None, centres: Ints | None = None) -> Ints:
    """(m, 3) triangles of faces with three or four corners (f, c), in the same sense.

    Faces of quadratic elements have a node in the middle of each side, (f, c), and some one at their centre, (f,).
    """
    count = corners.shape[1]
    if middles is None:
        parts = [corners[:, [0, i, i + 1]] for i in range(1, count - 1)]
    elif centres is None:
        parts = [np.stack([corners[:, i], middles[:, i], middles[:, i - 1]], axis=1) for i in range(count)]
        parts += [triangles(middles)]
    else:
        ring = np.stack([corners, middles], axis=2).reshape(len(corners), -1)
        parts = [np.stack([centres, ring[:, i - 1], ring[:, i]], axis=1) for i in range(2 * count)]
    return np.concatenate(parts)


def of_plate(corners: Ints, sides: Sides, half: Floats) -> BodySurface:
    """Of a plate or shell: both faces of elements (e, 4), the rim between them, and bevels along folds.

    `half` (p, 3) of its thickness, of each side of the nodes.
    """
    count, own = len(half), sides.corners
    upper = np.concatenate([own[:, [0, 1, 2]], own[:, [0, 2, 3]]])
    ends = edges(own)
    _, which, times = unique_edges(corners)
    a, b = ends[times[which] == 1].T
    rim = np.concatenate([np.stack([a + count, b + count, b], axis=1), np.stack([a + count, b, a], axis=1)])
    inner = np.flatnonzero(times[which] == 2)
    pairs = inner[np.argsort(which[inner], kind="stable")].reshape(-1, 2)
    (a, b), (c, d) = ends[pairs[:, 0]].T, ends[pairs[:, 1]].T  # d and c are sides of the nodes of a and b
    open_ends = np.concatenate([np.stack([d, a], axis=1)[a != d], np.stack([b, c], axis=1)[b != c]])
    at = sides.node[open_ends[:, 0]]
    outside = np.isin(at, edges(corners)[times[which] == 1])
    (a0, b0), others = open_ends[outside].T, ~outside & (open_ends != at[:, None]).all(axis=1)
    ends_of_folds = [np.stack([a0, b0, b0 + count], axis=1), np.stack([a0, b0 + count, a0 + count], axis=1)]
    between = [
        np.stack([b, a, d], axis=1)[a != d],
        np.stack([b, d, c], axis=1)[b != c],
        np.column_stack([at[others], open_ends[others]]),  # where three folds or more meet
    ]
    both = np.concatenate([upper, *between])
    node, offset = np.tile(sides.node, 2), np.concatenate([half, -half])
    return BodySurface(node, offset, np.concatenate([both, both[:, ::-1] + count, rim, *ends_of_folds]))
