"""What a mesh looks like from outside, and how large it is: faces of solid and shell elements by their corners."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from supple.checks import Floats, Ints
from supple.structures.surface import BodySurface, of_nodes

HEXAHEDRON = ((3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
TETRAHEDRON = ((2, 1, 0, 0), (0, 1, 3, 3), (1, 2, 3, 3), (2, 0, 3, 3))
WEDGE = ((2, 1, 0, 0), (3, 4, 5, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
SOLIDS = {4: TETRAHEDRON, 10: TETRAHEDRON, 6: WEDGE, 15: WEDGE, 8: HEXAHEDRON, 20: HEXAHEDRON, 27: HEXAHEDRON}
"""Faces by the number of nodes, corners numbered as Abaqus does, outward; a triangle has its last corner twice."""
SHELLS = {3: (0, 1, 2, 2), 6: (0, 1, 2, 2), 4: (0, 1, 2, 3), 8: (0, 1, 2, 3), 9: (0, 1, 2, 3)}


def outer_surface(elements: Mapping[str, Ints]) -> BodySurface | None:
    """Triangles of faces that belong to one solid, and of all shells; None where no element has faces."""
    faces = [*_shell_faces(elements), _outer(_solid_faces(elements))]
    quads = np.concatenate(faces)
    if len(quads) == 0:
        return None
    second = quads[quads[:, 2] != quads[:, 3]]
    return of_nodes(np.concatenate([quads[:, [0, 1, 2]], second[:, [0, 2, 3]]]).astype(np.int64))


def enclosed_volume(nodes: Floats, elements: Mapping[str, Ints]) -> float:
    """Of the solids, between straight edges; zero where there are none or some elements are not solids."""
    if any(not _is_solid(kind, table) for kind, table in elements.items()):
        return 0.0
    quads = _outer(_solid_faces(elements))
    x = nodes[quads]
    parts = [np.einsum("ij,ij->i", x[:, 0], np.cross(x[:, b], x[:, c])) for b, c in ((1, 2), (2, 3))]
    return float(np.sum(parts)) / 6.0


def _is_solid(kind: str, table: Ints) -> bool:
    return re.match(r"C3D", kind) is not None and table.shape[1] in SOLIDS


def _solid_faces(elements: Mapping[str, Ints]) -> Ints:
    """(faces, 4) of all solids."""
    parts = [np.zeros((0, 4), np.int64)]
    for kind, table in elements.items():
        if _is_solid(kind, table):
            parts += [table[:, list(face)] for face in SOLIDS[table.shape[1]]]
    return np.concatenate(parts)


def _shell_faces(elements: Mapping[str, Ints]) -> list[Ints]:
    return [
        table[:, list(SHELLS[table.shape[1]])]
        for kind, table in elements.items()
        if re.match(r"(S|M3D)\d", kind) and table.shape[1] in SHELLS
    ]


def _outer(faces: Ints) -> Ints:
    """Those that are there once, whatever the order of their corners."""
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return np.asarray(faces[np.sort(first[count == 1])])
