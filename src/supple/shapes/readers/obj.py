"""OBJ: vertices and polygons in words, colours in a file of materials beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.errors import FileFormatError, ModelError
from supple.input_files import read_bytes
from supple.shapes.colors import color_of
from supple.shapes.readers.mesh_part import LARGEST, MeshPart, Parts, beside, fans, used


def read_obj(content: bytes, path: Path) -> list[MeshPart]:
    """The polygons of a file, a part for each material."""
    vertices: list[list[bytes]] = []
    materials: dict[str, tuple[list[int], list[int]]] = {}
    corners, counts = materials.setdefault("", ([], []))
    colors: dict[str, str] = {}
    for line in content.replace(b"\\\n", b" ").split(b"\n"):
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            vertices.append(words[1:4])
        elif words[0] == b"f":
            numbers = [int(word.partition(b"/")[0]) for word in words[1:]]
            corners += [i - 1 if i > 0 else len(vertices) + i for i in numbers]
            counts.append(len(numbers))
        elif words[0] == b"usemtl":
            corners, counts = materials.setdefault(_name(words), ([], []))
        elif words[0] == b"mtllib":
            colors |= _colors(path, _name(words))
    if any(len(x) != 3 for x in vertices):
        raise ModelError("v: expected three numbers")
    x = np.array(vertices, dtype="S").astype(np.float64).reshape(-1, 3)
    parts = Parts()
    for name, (found, sizes) in materials.items():
        faces = fans(np.array(found, dtype=np.int64), np.array(sizes, dtype=np.int64))
        if len(faces):
            parts.add(MeshPart(used(x, faces), colors.get(name)))
    return parts.found


def _name(words: list[bytes]) -> str:
    return b" ".join(words[1:]).decode("utf-8", "replace")


def _colors(path: Path, name: str) -> dict[str, str]:
    """Diffuse colours of materials by name; none if the file cannot be read, since colours are not worth an error."""
    out: dict[str, str] = {}
    try:
        content = read_bytes(beside(path, name), LARGEST)
        current = ""
        for line in content[:LARGEST].split(b"\n"):
            words = line.split()
            if words[:1] == [b"newmtl"]:
                current = _name(words)
            elif words[:1] == [b"Kd"] and len(words) == 4:
                out[current] = color_of([float(x) for x in words[1:]])
    except (FileFormatError, ModelError, ValueError, OSError):
        return {}
    return out
