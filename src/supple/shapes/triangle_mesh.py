"""Triangles: corners, and which three of them each triangle joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.checks import Floats, Ints, freeze
from supple.errors import ModelError


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """A surface of triangles.

    Attributes
    ----------
    vertices : (n, 3) array
        m.
    faces : (m, 3) array of int
        Numbers of vertices; seen from outside they follow each other against the clock.
    """

    vertices: Floats
    faces: Ints

    def __post_init__(self) -> None:
        freeze(self, "vertices", "faces")
        x, faces = self.vertices, self.faces
        if x.ndim != 2 or x.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
            raise ModelError(f"triangles: expected vertices (n, 3) and faces (m, 3), got {x.shape} and {faces.shape}")
        if not np.isfinite(x).all():
            raise ModelError("triangles: expected finite vertices")
        if faces.size and not 0 <= faces.min() <= faces.max() < len(x):
            raise ModelError(
                f"triangles: expected numbers of vertices from 0 to {len(x) - 1}, got {faces.min()} to {faces.max()}"
            )

    @property
    def bounds(self) -> Floats:
        """(2, 3): the corners of the box along the axes that holds all triangles; zeros if there are none."""
        used = self.vertices[self.faces.ravel()]
        return np.stack([used.min(axis=0), used.max(axis=0)]) if len(used) else np.zeros((2, 3))

    @property
    def area(self) -> float:
        """m^2."""
        a, b, c = np.moveaxis(self.vertices[self.faces], 1, 0)
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2.0

    @property
    def volume(self) -> float:
        """Sum of a . (b x c) / 6, m^3: of a closed surface what it holds, negative if it is inside out."""
        a, b, c = np.moveaxis(self.vertices[self.faces], 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0

    def moved(self, rotation: Floats, position: Floats) -> TriangleMesh:
        """Seen from a frame in which its own frame has this rotation and position."""
        return TriangleMesh(self.vertices @ rotation.T + position, self.faces)

    def transformed(self, matrix: Floats) -> TriangleMesh:
        """Each vertex times a matrix (3, 3) and, if it is (4, 4), moved; turned outside again if that mirrors it."""
        linear, shift = matrix[:3, :3], matrix[:3, 3] if len(matrix) == 4 else np.zeros(3)
        faces = self.faces[:, ::-1] if np.linalg.det(linear) < 0 else self.faces
        return TriangleMesh(self.vertices @ linear.T + shift, np.ascontiguousarray(faces))


NOTHING = TriangleMesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))


def joined(meshes: Sequence[TriangleMesh]) -> TriangleMesh:
    """All triangles of several meshes in one."""
    if len(meshes) == 1:
        return meshes[0]
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return TriangleMesh(
        np.concatenate([NOTHING.vertices, *(mesh.vertices for mesh in meshes)]),
        np.concatenate([NOTHING.faces, *(mesh.faces + i for mesh, i in zip(meshes, first, strict=False))]),
    )


def vertex_normals(vertices: Floats, faces: Ints) -> Floats:
    """Unit normals (n, 3) of vertices: the mean of the triangles around each, by their areas; zero on no triangle."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    normals = np.zeros_like(vertices)
    np.add.at(normals, faces.ravel(), np.repeat(np.cross(b - a, c - a), 3, axis=0))
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None])
