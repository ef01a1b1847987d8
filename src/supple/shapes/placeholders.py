"""Boxes in place of what cannot be drawn, and of inertias."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats
from supple.rigid_body import RigidBody
from supple.shapes.primitives import Box
from supple.shapes.shape import Shape
from supple.shapes.triangle_mesh import TriangleMesh, joined


def stand_in(shape: Shape, body: object, size: float) -> TriangleMesh:
    """The edges of a box in place of a mesh, in the axes of the body: that of its inertia, or a small one.

    Parameters
    ----------
    shape : Shape
    body : object
        What carries it, if that is a rigid body.
    size : float
        Of the mechanism, m.
    """
    if isinstance(body, RigidBody) and body.mass > 0 and body.inertia.any():
        return edges(inertia_box(body))
    return edges(Box((0.05 * size,) * 3, at=shape.at))


def edges(box: Box) -> TriangleMesh:
    """The twelve edges of a box as slim bars."""
    half = np.array(box.size) / 2.0
    width = 0.02 * float(half.max())
    bars = []
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for y, z in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            centre, size = np.zeros(3), np.full(3, 2.0 * width)
            centre[[b, c]], size[a] = np.array([y, z]) * half[[b, c]], 2.0 * (half[a] + width)
            bars.append(Box(size, at=centre).triangles())
    return box.placed(joined(bars))


def sides(body: RigidBody) -> Floats:
    """Of the uniform box of the same mass and inertia, m, in the order of principal moments; zero if none has them."""
    moments = np.linalg.eigvalsh(body.inertia)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass if body.mass > 0 else np.zeros(3)
    return np.sqrt(np.maximum(squares, 0.0))


def inertia_box(body: RigidBody) -> Box:
    """The uniform box of the same mass and inertia; sides that no box has are thin."""
    axes = np.linalg.eigh(body.inertia)[1]
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    size = sides(body)
    return Box(np.maximum(size, 1e-3 * max(size.max(), 1e-3)), rotation=axes, at=body.com)
