"""What mesh files are made of, and how large they may be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import ModelError
from supple.shapes.triangle_mesh import TriangleMesh

LARGEST = 200 * 2**20
"""Bytes of a file."""
MOST_TRIANGLES = 5_000_000
"""Of a file, with all its copies of a part."""
MOST_PARTS = 10_000
DEEPEST = 100
"""Nodes within nodes."""


class MeshPart(NamedTuple):
    """Triangles of one colour; None where the file says none."""

    mesh: TriangleMesh
    color: str | None = None


class Parts:
    """The parts of a file as they are found; too many are refused."""

    def __init__(self) -> None:
        self.found: list[MeshPart] = []
        self.triangles = 0

    def add(self, part: MeshPart) -> None:
        """Add a part."""
        self.triangles += len(part.mesh.faces)
        if self.triangles > MOST_TRIANGLES or len(self.found) >= MOST_PARTS:
            raise ModelError(f"expected at most {MOST_TRIANGLES:,} triangles in {MOST_PARTS:,} parts, got more")
        self.found.append(part)


def beside(path: Path, name: str) -> Path:
    """Another file that a file names: in its folder or below it, and nowhere else."""
    folder = Path(os.path.realpath(path.parent))
    found = folder if "\0" in name else Path(os.path.realpath(folder / name))
    if found == folder or ":" in name or not found.is_relative_to(folder):
        raise ModelError(f"expected a file below the folder of {path.name}, got {name!r}")
    return found


def used(vertices: Floats, faces: Ints) -> TriangleMesh:
    """Triangles with the vertices that they use alone; numbers of none are refused."""
    if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise ModelError(f"expected numbers of vertices from 0 to {len(vertices) - 1}, got others")
    kept, compact = np.unique(faces, return_inverse=True)
    return TriangleMesh(vertices[kept], compact.reshape(faces.shape))


def fans(corners: Ints, counts: Ints) -> Ints:
    """Triangles (m, 3) of polygons, one after the other, each of so many corners: fans from the first corner."""
    if (counts < 0).any() or counts.sum() > len(corners):
        raise ModelError(f"expected polygons of {len(corners)} corners in all, got {int(counts.sum())}")
    first = np.cumsum(counts) - counts
    each = np.maximum(counts - 2, 0)
    start = np.repeat(first, each)
    step = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    return corners[np.stack([start, start + step + 1, start + step + 2], axis=1)]
