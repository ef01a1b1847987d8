"""Reading a mesh file, whatever its format."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from supple.errors import FileFormatError, ModelError
from supple.input_files import read_bytes, require_file
from supple.shapes.readers.collada import read_collada
from supple.shapes.readers.gltf import read_gltf
from supple.shapes.readers.mesh_part import LARGEST, MOST_TRIANGLES, MeshPart
from supple.shapes.readers.obj import read_obj
from supple.shapes.readers.stl import read_stl

READERS: dict[str, Callable[[bytes, Path], list[MeshPart]]] = {
    ".stl": lambda content, path: read_stl(content),
    ".obj": read_obj,
    ".dae": read_collada,
    ".gltf": read_gltf,
    ".glb": read_gltf,
}


def read_mesh(path: Path) -> tuple[MeshPart, ...]:
    """The parts of a mesh file, in the units and axes of the file.

    Raises
    ------
    FileFormatError
        If there is no such file, or it is no mesh.
    """
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise FileFormatError(f"{path}: expected a .stl, .obj, .dae, .gltf or .glb file, got suffix {suffix!r}")
    require_file(path)
    state = path.stat()
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _read(path: Path, _time: int, _size: int) -> tuple[MeshPart, ...]:
    """Kept while neither time nor size of the file change: a page and a film read the same meshes."""
    content = read_bytes(path, LARGEST)
    try:
        parts = tuple(part for part in READERS[path.suffix.lower()](content, path) if len(part.mesh.faces))
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(f"{path}: {error}") from None
    except Exception as error:  # damaged files fail in as many ways as they have bytes
        reason = str(error).split("\n")[0][:100]
        raise FileFormatError(f"{path}: expected a mesh, got a damaged or foreign file: {reason}") from None
    if not parts:
        raise FileFormatError(f"{path}: expected some triangles, got none")
    if sum(len(part.mesh.faces) for part in parts) > MOST_TRIANGLES:
        raise FileFormatError(f"{path}: expected at most {MOST_TRIANGLES:,} triangles, got more")
    return parts
