"""Meshes that go with a model wherever it goes: triangles in place of files, few enough for a page."""

from __future__ import annotations

import numpy as np

from supple.description.description import D
from supple.description.members import GROUND
from supple.errors import FileFormatError
from supple.shapes.decimation import reduced_meshes
from supple.shapes.mesh import Mesh, Triangles
from supple.shapes.placeholders import stand_in
from supple.shapes.readers.mesh_part import MeshPart
from supple.shapes.shape import Shape

SMALL_BOX = 1.0
"""Size of a mechanism for which a small box stands in for a mesh on the ground, m."""


def with_triangles(mech: D) -> D:
    """The same mechanism with triangles in place of mesh files; of a file that cannot be read the edges of a box."""
    read: dict[int, list[MeshPart]] = {}
    for name, shapes in mech.visuals.items():
        body = mech.find_frame(name).body
        carrier = mech.bodies[body].body if body != GROUND else None
        for shape in shapes:
            if isinstance(shape, Mesh):
                try:
                    read[id(shape)] = shape.parts()
                except FileFormatError:
                    read[id(shape)] = [MeshPart(stand_in(shape, carrier, SMALL_BOX), shape.color)]
    if not read:
        return mech
    read = dict(zip(read, reduced_meshes(list(read.values())), strict=True))
    copy = mech.copy()
    for name, shapes in mech.visuals.items():
        made: list[Shape] = []
        for shape in shapes:
            found = read.get(id(shape))
            made += [shape] if found is None else _triangles(found, shape.opacity)
        copy.visuals[name] = tuple(made)
    return copy


def _triangles(parts: list[MeshPart], opacity: float) -> list[Triangles]:
    """Vertices to seven digits are enough to look at, and pack better."""
    return [
        Triangles(mesh.vertices.astype(np.float32).astype(np.float64), mesh.faces, color=color, opacity=opacity)
        for mesh, color in parts
    ]
