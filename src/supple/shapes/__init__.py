"""Shapes that bodies are drawn as: simple solids, paths, texts, meshes from files.

They have no mass and touch nothing. `Mechanism.add_visual` puts them on bodies and frames.
"""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
    from supple.shapes.mesh import Mesh, Triangles
    from supple.shapes.path import Path
    from supple.shapes.primitives import Box, Capsule, Cone, Cylinder, Disc, Pipe, Sphere, Structure
    from supple.shapes.shape import Shape
    from supple.shapes.text import Text
    from supple.shapes.triangle_mesh import TriangleMesh

__all__ = [
    "Box",
    "Capsule",
    "Cone",
    "Cylinder",
    "Disc",
    "Mesh",
    "Path",
    "Pipe",
    "Shape",
    "Sphere",
    "Structure",
    "Text",
    "TriangleMesh",
    "Triangles",
]

_HOMES = {
    "supple.shapes.text": ("Text",),
    "supple.shapes.mesh": ("Mesh", "Triangles"),
    "supple.shapes.path": ("Path",),
    "supple.shapes.shape": ("Shape",),
    "supple.shapes.primitives": ("Box", "Capsule", "Cone", "Cylinder", "Disc", "Pipe", "Sphere", "Structure"),
    "supple.shapes.triangle_mesh": ("TriangleMesh",),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
