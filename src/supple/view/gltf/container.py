"""The container of binary glTF: a JSON document and one buffer of numbers."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from supple.checks import Floats, Ints
from supple.view.scene.look import shares

FLOAT, UNSIGNED = 5126, 5125
"""Kinds of numbers, by the codes of glTF."""
ELEMENTS = 34963
"""What a part of the buffer with numbers of vertices is for."""


class Container:
    """A file as it grows.

    Parameters
    ----------
    generator : str
        What has written it.

    Attributes
    ----------
    document : dict
        The JSON document.
    """

    def __init__(self, generator: str) -> None:
        self.document: dict[str, Any] = {"asset": {"version": "2.0", "generator": generator}}
        self._buffer = bytearray()
        self._materials: dict[tuple[str, float], int] = {}

    def add(self, kind: str, entry: dict[str, Any]) -> int:
        """Put an entry into one of the document's lists; its number."""
        entries = self.document.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def floats(self, values: Floats, kind: str, limits: bool = False) -> int:
        """An accessor of numbers; with `limits` it says between which they are, as positions and times have to."""
        x = np.ascontiguousarray(values, dtype="<f4")
        entry = {"bufferView": self._view(x.tobytes(), {}), "componentType": FLOAT, "count": len(x), "type": kind}
        if limits:
            flat = x.reshape(len(x), -1)
            entry |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def indices(self, values: Ints) -> int:
        """An accessor of numbers of vertices."""
        view = self._view(values.astype("<u4").tobytes(), {"target": ELEMENTS})
        entry = {"bufferView": view, "componentType": UNSIGNED, "count": len(values), "type": "SCALAR"}
        return self.add("accessors", entry)

    def material(self, color: str, opacity: float) -> int:
        """The material of a colour "#rrggbb", once for all surfaces that have it."""
        key = color, opacity
        if key not in self._materials:
            red, green, blue = linear_light(shares(color)).tolist()
            surface = {"baseColorFactor": [red, green, blue, opacity], "metallicFactor": 0.0, "roughnessFactor": 0.6}
            entry = {"name": color, "pbrMetallicRoughness": surface, "doubleSided": True}
            self._materials[key] = self.add("materials", entry | ({"alphaMode": "BLEND"} if opacity < 1.0 else {}))
        return self._materials[key]

    def _view(self, content: bytes, more: dict[str, Any]) -> int:
        entry = {"buffer": 0, "byteOffset": len(self._buffer), "byteLength": len(content), **more}
        self._buffer += content + bytes(-len(content) % 4)
        return self.add("bufferViews", entry)

    def written(self) -> bytes:
        """The whole file: a header, the document, the buffer."""
        document = self.document | ({"buffers": [{"byteLength": len(self._buffer)}]} if self._buffer else {})
        text = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        if self._buffer:
            chunks += struct.pack("<I4s", len(self._buffer), b"BIN\0") + bytes(self._buffer)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def linear_light(x: Floats) -> Floats:
    """Shares of a screen's colours, sRGB, as linear light."""
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
