"""STL: triangles one by one, in binary or in words."""

from __future__ import annotations

import re

import numpy as np

from supple.checks import Floats
from supple.errors import ModelError
from supple.shapes.readers.mesh_part import MeshPart
from supple.shapes.triangle_mesh import TriangleMesh

HEAD, TRIANGLE = 84, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(content: bytes) -> list[MeshPart]:
    """The triangles of a file; corners in one place are one vertex."""
    count = int.from_bytes(content[80:HEAD], "little")
    size = HEAD + count * TRIANGLE.itemsize
    if len(content) >= HEAD and (len(content) == size or (size < len(content) and not content.startswith(b"solid"))):
        corners = np.frombuffer(content, TRIANGLE, count, HEAD)["corners"].reshape(-1, 3)
    else:
        corners = _in_words(content)
    return [MeshPart(_merged(corners.astype(np.float64)))]


def _in_words(content: bytes) -> Floats:
    """Corners (3 m, 3) of a file of words."""
    words = re.findall(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", content)
    if not content.lstrip().startswith(b"solid") or len(words) % 3:
        raise ModelError("expected triangles in binary or in words, got neither")
    return np.array(words, dtype="S").astype(np.float64).reshape(-1, 3)


def _merged(corners: Floats) -> TriangleMesh:
    places = np.ascontiguousarray(corners + 0.0).view("V24").ravel()
    _, first, number = np.unique(places, return_index=True, return_inverse=True)
    return TriangleMesh(corners[first], number.reshape(-1, 3))
