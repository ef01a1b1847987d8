"""COLLADA (.dae): geometries placed by a tree of nodes; lengths in the unit that the file says.

The direction that the file calls up is left alone, as viewers of robots do.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from supple.checks import Floats, Ints, is_number
from supple.errors import ModelError
from supple.shapes.colors import color_of
from supple.shapes.readers.mesh_part import DEEPEST, MeshPart, Parts, fans, used
from supple.shapes.triangle_mesh import NOTHING, TriangleMesh
from supple.xml_tree import xml_tree

Geometry = list[tuple[str, TriangleMesh]]
"""Symbol of a material and triangles."""


def read_collada(content: bytes, path: Path) -> list[MeshPart]:
    """The triangles of the scene of a file; of all its geometries if it has no scene."""
    root, _ = xml_tree(content, path)
    for element in root.iter():
        element.tag = element.tag.rpartition(":")[2]
    if root.tag != "COLLADA":
        raise ModelError(f"expected <COLLADA>, got <{root.tag}>")
    return _Document(root).parts()


class _Document:
    """A file: what its elements with a name are, and what has been read of them."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.named = {key: x for x in root.iter() if (key := x.get("id"))}
        self.known: dict[str, Geometry] = {}
        self.found = Parts()

    def parts(self) -> list[MeshPart]:
        unit = self.root.find("asset/unit")
        scale = float(unit.get("meter", "1")) if unit is not None else 1.0
        if not is_number(scale):
            raise ModelError(f"unit: meter: expected a number, got {scale}")
        start = np.diag([scale, scale, scale, 1.0])
        scene = self.root.find("scene/instance_visual_scene")
        if scene is None:
            for geometry in self.root.iterfind("library_geometries/geometry"):
                self._place(geometry, start, {})
        else:
            for node in self._target(scene).findall("node"):
                self._walk(node, start, 0)
        return self.found.found

    def _target(self, element: Element) -> Element:
        url = element.get("url") or element.get("source") or ""
        if not url.startswith("#") or url[1:] not in self.named:
            raise ModelError(f"<{element.tag}>: expected the name of an element of the file, got {url!r}")
        return self.named[url[1:]]

    def _walk(self, node: Element, above: Floats, depth: int) -> None:
        """Add what a node holds, and the nodes below it."""
        if depth > DEEPEST:
            raise ModelError(f"<node>: expected at most {DEEPEST} within each other")
        pose = above
        for child in node:
            step = _transform(child)
            pose = pose if step is None else pose @ step
        for child in node:
            if child.tag == "node":
                self._walk(child, pose, depth + 1)
            elif child.tag == "instance_node":
                self._count()
                self._walk(self._target(child), pose, depth + 1)
            elif child.tag == "instance_geometry":
                self._place(self._target(child), pose, self._materials(child))

    def _count(self) -> None:
        """Copies of nodes may multiply: each is counted as a part, though it may hold none."""
        self.found.add(MeshPart(NOTHING))

    def _materials(self, instance: Element) -> dict[str, str]:
        """Colours by the symbols of materials."""
        out = {}
        for x in instance.iterfind("bind_material/technique_common/instance_material"):
            color = self._color(x.get("target", "")[1:])
            if color is not None:
                out[x.get("symbol", "")] = color
        return out

    def _color(self, material: str) -> str | None:
        """The diffuse colour of a material, if it is one and not a picture."""
        link = self.named[material].find("instance_effect") if material in self.named else None
        effect = self.named.get(link.get("url", "")[1:]) if link is not None else None
        numbers = effect.find(".//diffuse/color") if effect is not None else None
        return None if numbers is None else color_of([float(x) for x in (numbers.text or "").split()[:3]])

    def _place(self, geometry: Element, pose: Floats, colors: dict[str, str]) -> None:
        key = geometry.get("id", "")
        if key not in self.known:
            self.known[key] = list(self._geometry(geometry))
        for symbol, mesh in self.known[key]:
            self.found.add(MeshPart(mesh.transformed(pose), colors.get(symbol)))

    def _geometry(self, geometry: Element) -> Iterator[tuple[str, TriangleMesh]]:
        for kind in ("triangles", "polylist", "polygons", "trifans", "tristrips"):
            for element in geometry.iterfind(f"mesh/{kind}"):
                positions, corners = self._corners(element)
                if len(corners):
                    yield element.get("material", ""), used(positions, corners)

    def _corners(self, element: Element) -> tuple[Floats, Ints]:
        """Positions (k, 3) and triangles (m, 3) of an element."""
        inputs = element.findall("input")
        width = 1 + max((int(x.get("offset", "0")) for x in inputs), default=0)
        vertex = next((x for x in inputs if x.get("semantic") == "VERTEX"), None)
        if vertex is None or not 0 < width < 1000:
            raise ModelError(f"<{element.tag}>: expected an input VERTEX")
        position = next((x for x in self._target(vertex).iterfind("input") if x.get("semantic") == "POSITION"), None)
        if position is None:
            raise ModelError("<vertices>: expected an input POSITION")
        runs = [_integers(p)[int(vertex.get("offset", "0")) :: width] for p in element.iterfind("p")]
        return self._source(self._target(position)), _triangles(element, runs)

    def _source(self, source: Element) -> Floats:
        values = source.find("float_array")
        if values is None:
            raise ModelError("<source>: expected a <float_array>")
        numbers = np.array((values.text or "").split(), dtype="S").astype(np.float64)
        accessor = source.find("technique_common/accessor")
        stride = int(accessor.get("stride", "1")) if accessor is not None else 3
        start = int(accessor.get("offset", "0")) if accessor is not None else 0
        if not (3 <= stride < 1000 and 0 <= start <= len(numbers)):
            raise ModelError(f"<accessor>: expected a stride of at least 3, got {stride}")
        count = (len(numbers) - start) // stride
        return numbers[start : start + count * stride].reshape(count, stride)[:, :3]


def _triangles(element: Element, runs: list[Ints]) -> Ints:
    """Triangles of the corners of an element: of triangles, of polygons, of fans or of strips."""
    together = np.concatenate([np.zeros(0, np.int64), *runs])
    if element.tag == "triangles":
        return together[: len(together) // 3 * 3].reshape(-1, 3)
    if element.tag == "polylist":
        counts = element.find("vcount")
        return fans(together, _integers(counts) if counts is not None else np.zeros(0, np.int64))
    if element.tag == "tristrips":
        return np.concatenate([np.zeros((0, 3), np.int64), *(strip(run) for run in runs)])
    return fans(together, np.array([len(run) for run in runs], dtype=np.int64))


def strip(run: Ints) -> Ints:
    """Triangles of a strip: each corner with the two before it, every other one turned round."""
    out = np.stack([run[:-2], run[1:-1], run[2:]], axis=1) if len(run) > 2 else np.zeros((0, 3), np.int64)
    out[1::2] = out[1::2, ::-1]
    return out


def _integers(element: Element) -> Ints:
    return np.array((element.text or "").split(), dtype="S").astype(np.int64)


def _transform(element: Element) -> Floats | None:
    """The matrix (4, 4) of one step of a node's pose; None for other elements."""
    sizes = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}
    if element.tag not in sizes:
        if element.tag in ("skew", "lookat"):
            raise ModelError(f"<{element.tag}>: expected matrix, translate, rotate or scale")
        return None
    x = np.array([float(word) for word in (element.text or "").split()])
    if len(x) != sizes[element.tag] or not np.isfinite(x).all():
        raise ModelError(f"<{element.tag}>: expected {sizes[element.tag]} numbers")
    if element.tag == "matrix":
        return x.reshape(4, 4)
    out = np.eye(4)
    if element.tag == "translate":
        out[:3, 3] = x
    elif element.tag == "scale":
        out[:3, :3] = np.diag(x)
    else:
        out[:3, :3] = turn_about(x[:3], np.deg2rad(x[3]))
    return out


def turn_about(axis: Floats, angle: float) -> Floats:
    """The rotation about an axis by an angle (Rodrigues); none about the zero vector."""
    length = float(np.linalg.norm(axis))
    if length == 0:
        return np.eye(3)
    x, y, z = axis / length
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)
