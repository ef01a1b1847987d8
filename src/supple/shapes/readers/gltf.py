"""glTF 2.0: JSON with arrays in buffers (.gltf), or both in one file (.glb).

Read are the triangles of the scene with the colours of their materials; y is up in these files, and is left alone.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from supple.checks import Floats
from supple.errors import ModelError
from supple.input_files import read_bytes
from supple.shapes.colors import color_of
from supple.shapes.readers.collada import strip
from supple.shapes.readers.mesh_part import DEEPEST, LARGEST, MeshPart, Parts, beside, fans, used
from supple.shapes.triangle_mesh import NOTHING

MAGIC, JSON, BINARY = b"glTF", b"JSON", b"BIN\0"
NUMBERS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
TRIANGLES, STRIP, FAN = 4, 5, 6


def read_gltf(content: bytes, path: Path) -> list[MeshPart]:
    """The triangles of the scene of a file; of all its nodes if it has no scene."""
    text, binary = _chunks(content) if content.startswith(MAGIC) else (content, b"")
    data = json.loads(text.decode("utf-8"))
    if not isinstance(data, dict) or not isinstance(data.get("asset"), dict):
        raise ModelError("expected an asset of glTF")
    if str(data["asset"].get("version", ""))[:1] != "2":
        raise ModelError(f"expected version 2 of glTF, got {data['asset'].get('version')!r}")
    needed = data.get("extensionsRequired", [])
    if needed:
        raise ModelError(f"expected no extension that is required, got {', '.join(map(str, needed))}")
    return _Document(data, binary, path).parts()


def _chunks(content: bytes) -> tuple[bytes, bytes]:
    """The JSON and the buffer of a binary file."""
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(content):
        length, kind = int.from_bytes(content[at : at + 4], "little"), content[at + 4 : at + 8]
        found.setdefault(kind, content[at + 8 : at + 8 + length])
        at += 8 + length
    if JSON not in found:
        raise ModelError("expected a chunk of JSON")
    return found[JSON], found.get(BINARY, b"")


class _Document:
    """A file, and what has been read of it."""

    def __init__(self, data: dict[str, Any], binary: bytes, path: Path) -> None:
        self.data, self.binary, self.path = data, binary, path
        self.buffers: dict[int, bytes] = {}
        self.known: dict[int, list[MeshPart]] = {}
        self.found = Parts()

    def parts(self) -> list[MeshPart]:
        scenes = self.data.get("scenes")
        if scenes:
            roots = self._item("scenes", self.data.get("scene", 0)).get("nodes", [])
        else:
            below = {i for node in self.data.get("nodes", []) for i in node.get("children", [])}
            roots = [i for i in range(len(self.data.get("nodes", []))) if i not in below]
        for root in roots:
            self._walk(root, np.eye(4), 0)
        return self.found.found

    def _item(self, kind: str, number: Any) -> dict[str, Any]:
        items = self.data.get(kind, [])
        if type(number) is not int or not 0 <= number < len(items) or not isinstance(items[number], dict):
            raise ModelError(f"{kind}: expected a number from 0 to {len(items) - 1}, got {number!r}")
        found: dict[str, Any] = items[number]
        return found

    def _walk(self, number: Any, above: Floats, depth: int) -> None:
        """Add what a node holds, and the nodes below it; copies of nodes are counted, since they may multiply."""
        if depth > DEEPEST:
            raise ModelError(f"nodes: expected at most {DEEPEST} within each other")
        node = self._item("nodes", number)
        pose = above @ _pose(node)
        self.found.add(MeshPart(NOTHING))
        if "mesh" in node:
            for part in self._mesh(node["mesh"]):
                self.found.add(MeshPart(part.mesh.transformed(pose), part.color))
        for child in node.get("children", []):
            self._walk(child, pose, depth + 1)

    def _mesh(self, number: Any) -> list[MeshPart]:
        mesh = self._item("meshes", number)
        if number not in self.known:
            made = [
                self._primitive(x) for x in mesh["primitives"] if x.get("mode", TRIANGLES) in (TRIANGLES, STRIP, FAN)
            ]
            self.known[number] = [part for part in made if len(part.mesh.faces)]
        return self.known[number]

    def _primitive(self, primitive: dict[str, Any]) -> MeshPart:
        x = self._array(primitive["attributes"]["POSITION"]).astype(np.float64)
        if x.ndim != 2 or x.shape[1] != 3:
            raise ModelError("POSITION: expected VEC3")
        corners = np.arange(len(x))
        if "indices" in primitive:
            corners = self._array(primitive["indices"]).astype(np.int64).ravel()
        mode = primitive.get("mode", TRIANGLES)
        if mode == TRIANGLES:
            faces = corners[: len(corners) // 3 * 3].reshape(-1, 3)
        else:
            faces = strip(corners) if mode == STRIP else fans(corners, np.array([len(corners)]))
        return MeshPart(used(x, faces), self._color(primitive))

    def _color(self, primitive: dict[str, Any]) -> str | None:
        if "material" not in primitive:
            return None
        factor = self._item("materials", primitive["material"]).get("pbrMetallicRoughness", {}).get("baseColorFactor")
        return None if factor is None else color_of([_to_screen(float(x)) for x in factor[:3]])

    def _array(self, number: Any) -> Any:
        """The numbers (count, width) of an accessor."""
        accessor = self._item("accessors", number)
        view = self._item("bufferViews", accessor.get("bufferView"))
        kind, width = np.dtype(NUMBERS[accessor["componentType"]]), WIDTHS[accessor["type"]]
        count, packed = int(accessor["count"]), width * kind.itemsize
        stride = int(view.get("byteStride", packed))
        start = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
        buffer = self._buffer(view["buffer"])
        if "sparse" in accessor or stride < packed or min(count, start) < 0:
            raise ModelError("accessors: expected whole arrays")
        if count and start + stride * (count - 1) + packed > len(buffer):
            raise ModelError(f"accessors: expected arrays within the {len(buffer):,} bytes of their buffer")
        return np.ndarray((count, width), kind, buffer, start, (stride, kind.itemsize))

    def _buffer(self, number: Any) -> bytes:
        item = self._item("buffers", number)
        if number not in self.buffers:
            uri = item.get("uri")
            if uri is None:
                self.buffers[number] = self.binary
            elif str(uri).startswith("data:"):
                self.buffers[number] = base64.b64decode(str(uri)[: 2 * LARGEST].partition(",")[2], validate=True)
            else:
                self.buffers[number] = read_bytes(beside(self.path, unquote(str(uri))), LARGEST)
        return self.buffers[number]


def _pose(node: dict[str, Any]) -> Floats:
    """Matrix (4, 4) of a node: as it stands, column by column, or of its translation, rotation and scale."""
    if "matrix" in node:
        return _numbers(node["matrix"], 16).reshape(4, 4).T
    x, y, z, w = _numbers(node.get("rotation", (0.0, 0.0, 0.0, 1.0)), 4)
    R = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    out = np.eye(4)
    out[:3, :3] = R * _numbers(node.get("scale", (1.0, 1.0, 1.0)), 3)
    out[:3, 3] = _numbers(node.get("translation", (0.0, 0.0, 0.0)), 3)
    return out


def _numbers(values: Any, count: int) -> Floats:
    x = np.array([float(value) for value in values])
    if len(x) != count or not np.isfinite(x).all():
        raise ModelError(f"nodes: expected {count} numbers, got {len(x)}")
    return x


def _to_screen(share: float) -> float:
    """A share of light as a share of what screens take (sRGB)."""
    return 12.92 * share if share <= 0.0031308 else 1.055 * share ** (1 / 2.4) - 0.055
