"""Triangles as a shape: from a file, or given."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from supple.call_checks import checked
from supple.checks import array, dimensions, freeze, number
from supple.errors import ModelError
from supple.shapes.readers.mesh_file import read_mesh
from supple.shapes.readers.mesh_part import MeshPart
from supple.shapes.shape import Shape
from supple.shapes.triangle_mesh import TriangleMesh, joined


@checked
@dataclass(frozen=True)
class Mesh(Shape):
    """The triangles of a file: STL, OBJ, COLLADA (.dae) or glTF (.gltf, .glb).

    The file is read when the body is drawn. Colours of the file are kept; `color` is that of parts without one.

    Parameters
    ----------
    file : path-like
    scale : float or (3,) array_like
        Metres a unit of the file, one number or one for each axis.
    """

    file: Any
    scale: Any = 1.0
    kind: ClassVar[str] = "mesh"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.file, str | os.PathLike) or not os.fspath(self.file):
            raise ModelError(f"mesh: file: expected a path, got {self.file!r}")
        one = dimensions(self.scale, "mesh: scale") == 0
        scale = np.full(3, number(self.scale, "mesh: scale")) if one else array(self.scale, (3,), "mesh: scale")
        if not scale.all():
            raise ModelError(f"mesh: scale: expected numbers other than zero, got {scale.tolist()}")
        self._set(file=str(os.fspath(self.file)), scale=tuple(scale.tolist()))

    def local_triangles(self) -> TriangleMesh:
        """All parts of the file."""
        return joined([part.mesh for part in self._local_parts()])

    def parts(self) -> list[MeshPart]:
        """The parts of the file with their colours, in the axes of the body."""
        return [MeshPart(self.placed(mesh), color or self.color) for mesh, color in self._local_parts()]

    def _local_parts(self) -> list[MeshPart]:
        scale = np.diag(self.scale)
        return [MeshPart(mesh.transformed(scale), color) for mesh, color in read_mesh(Path(self.file))]


@checked
@dataclass(frozen=True, eq=False)
class Triangles(Shape):
    """Given triangles.

    Parameters
    ----------
    vertices : (n, 3) array_like
        m.
    faces : (m, 3) array_like of int
        Numbers of vertices, against the clock seen from outside.
    """

    vertices: Any
    faces: Any
    kind: ClassVar[str] = "triangles"

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(self.vertices) if hasattr(self.vertices, "__len__") else 0
        x = array(self.vertices, (count, 3), "triangles: vertices")
        rows = len(self.faces) if hasattr(self.faces, "__len__") else 0
        faces = array(self.faces, (rows, 3), "triangles: faces")
        if (faces != np.round(faces)).any():
            raise ModelError("triangles: faces: expected numbers of vertices, got fractions")
        mesh = TriangleMesh(x, faces.astype(np.int64))
        self._set(vertices=mesh.vertices, faces=mesh.faces)
        freeze(self, "vertices", "faces")

    def local_triangles(self) -> TriangleMesh:
        """As given."""
        return TriangleMesh(self.vertices, self.faces)
