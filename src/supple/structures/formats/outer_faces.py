"""What a mesh looks like from outside, and how large it is: faces of solid and shell elements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from supple.checks import Floats, Ints
from supple.structures.elements.surface import BodySurface, of_nodes, triangles

HEXAHEDRON = ((3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
TETRAHEDRON = ((2, 1, 0, 0), (0, 1, 3, 3), (1, 2, 3, 3), (2, 0, 3, 3))
WEDGE = ((2, 1, 0, 0), (3, 4, 5, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
SOLIDS = {4: TETRAHEDRON, 10: TETRAHEDRON, 6: WEDGE, 15: WEDGE, 8: HEXAHEDRON, 20: HEXAHEDRON, 27: HEXAHEDRON}
"""Faces by the number of nodes, corners numbered as Abaqus does, outward; a triangle has its last corner twice."""
SHELLS = {3: (0, 1, 2, 2), 6: (0, 1, 2, 2), 4: (0, 1, 2, 3), 8: (0, 1, 2, 3), 9: (0, 1, 2, 3)}


SIDES = {
    3: ((0, 1), (1, 2), (2, 0)),
    4: ((0, 1), (1, 2), (2, 3), (3, 0)),
    10: ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    15: ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)),
    20: ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)),
}
"""Sides whose middles follow the corners, by the number of corners of a shell or of nodes of a solid."""
CORNERS = 4


def outer_surface(elements: Mapping[str, Ints]) -> BodySurface | None:
    """Triangles of faces that belong to one solid, and of all shells; None where no element has faces."""
    faces = np.concatenate([_shell_faces(elements), _outer(_solid_faces(elements))])
    if len(faces) == 0:
        return None
    three, quadratic = faces[:, 2] == faces[:, 3], faces[:, CORNERS] >= 0
    parts = []
    for count, chosen in ((3, three), (4, ~three)):
        sides = [0, 1, 3] if count == 3 else [0, 1, 2, 3]  # a triangle has no third side
        parts.append(triangles(faces[chosen & ~quadratic][:, :count]))
        curved = faces[chosen & quadratic]
        parts.append(triangles(curved[:, :count], curved[:, CORNERS:][:, sides]))
    return of_nodes(np.concatenate(parts).astype(np.int64))


def enclosed_volume(nodes: Floats, elements: Mapping[str, Ints]) -> float:
    """Of the solids, between straight edges; zero where there are none or some elements are not solids."""
    if any(not _is_solid(kind, table) for kind, table in elements.items()):
        return 0.0
    quads = _outer(_solid_faces(elements))[:, :CORNERS]
    x = nodes[quads]
    parts = [np.einsum("ij,ij->i", x[:, 0], np.cross(x[:, b], x[:, c])) for b, c in ((1, 2), (2, 3))]
    return float(np.sum(parts)) / 6.0


def _is_solid(kind: str, table: Ints) -> bool:
    return re.match(r"C3D", kind) is not None and table.shape[1] in SOLIDS


def _solid_faces(elements: Mapping[str, Ints]) -> Ints:
    """(faces, 8) of all solids: corners, then the middles of the sides that follow them, -1 for none."""
    parts = [np.zeros((0, 2 * CORNERS), np.int64)]
    for kind, table in elements.items():
        count = table.shape[1]
        if _is_solid(kind, table):
            corners = {TETRAHEDRON: 4, WEDGE: 6, HEXAHEDRON: 8}[SOLIDS[count]]
            parts += [
                _face(table, face, corners, SIDES.get(20 if count == 27 else count, ())) for face in SOLIDS[count]
            ]
    return np.concatenate(parts)


def _shell_faces(elements: Mapping[str, Ints]) -> Ints:
    """(faces, 8) of all shells, likewise."""
    parts = [np.zeros((0, 2 * CORNERS), np.int64)]
    for kind, table in elements.items():
        count = table.shape[1]
        if re.match(r"(S|M3D)\d", kind) and count in SHELLS:
            corners = 3 if count in (3, 6) else 4
            parts.append(_face(table, SHELLS[count], corners, SIDES[corners] if count > corners else ()))
    return np.concatenate(parts)


def _face(table: Ints, face: Sequence[int], corners: int, sides: Sequence[tuple[int, int]]) -> Ints:
    """(elements, 8) one face of each element."""
    middle = {frozenset(side): corners + i for i, side in enumerate(sides)}
    at = [middle.get(frozenset((face[i], face[(i + 1) % CORNERS])), -1) for i in range(CORNERS)]
    padded = np.column_stack([table, np.full(len(table), -1)])
    return np.asarray(padded[:, [*face, *at]])


def _outer(faces: Ints) -> Ints:
    """Those that are there once, whatever the order of their corners."""
    keys = np.sort(faces[:, :CORNERS], axis=1)
    _, first, count = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return np.asarray(faces[np.sort(first[count == 1])])
