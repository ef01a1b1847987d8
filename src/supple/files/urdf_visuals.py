"""What the links of a URDF file are drawn as: their visual, or collision, geometry."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from supple.checks import Floats
from supple.errors import ModelError
from supple.files.urdf_numbers import number, numbers, origin
from supple.shapes.colors import color_of
from supple.shapes.mesh import Mesh
from supple.shapes.primitives import Box, Capsule, Cylinder, Sphere
from supple.shapes.shape import Shape

KINDS = ("box", "cylinder", "sphere", "capsule", "mesh")
Colors = dict[str, tuple[str, float]]
"""Colour and opacity of materials by name."""


def materials(robot: Element) -> Colors:
    """The materials that a robot names at its top, or in the first link that uses them."""
    out: Colors = {}
    for element in robot.iter("material"):
        found = _color(element)
        if found is not None:
            out.setdefault(element.get("name", ""), found)
    return out


def _color(material: Element) -> tuple[str, float] | None:
    element = material.find("color")
    if element is None:
        return None
    try:
        red, green, blue, opacity = numbers(element, "rgba", count=4)
    except ModelError:
        return None
    return color_of([red, green, blue]), min(max(float(opacity), 0.0), 1.0)


def link_shapes(link: Element, tag: str, colors: Colors, file: Path) -> Iterator[Shape | str]:
    """The shapes of a link, of `tag` visual or collision; in place of one that is wrong, what is wrong."""
    for element in link.findall(tag):
        try:
            position, rotation = origin(element)
            yield _shape(element, position, rotation, colors, file)
        except ModelError as error:
            yield f"{tag} left out: {error}"


def _shape(element: Element, position: Floats, rotation: Floats, colors: Colors, file: Path) -> Shape:
    geometry = element.find("geometry")
    inner = next((x for x in geometry if x.tag in KINDS), None) if geometry is not None else None
    if inner is None:
        raise ModelError(f"geometry: expected one of {', '.join(KINDS)}")
    material = element.find("material")
    known = None if material is None else _color(material) or colors.get(material.get("name", ""))
    color, opacity = known or (None, 1.0)
    if inner.tag == "mesh":
        name = inner.get("filename", "")
        if not name:
            raise ModelError("mesh: filename: missing")
        scale = numbers(inner, "scale", "1 1 1")
        found = mesh_path(name, file)
        return Mesh(found, scale, at=position, rotation=rotation, color=color, opacity=opacity)
    if inner.tag == "box":
        return Box(numbers(inner, "size"), at=position, rotation=rotation, color=color, opacity=opacity)
    radius = number(inner, "radius")
    if inner.tag == "sphere":
        return Sphere(radius, at=position, rotation=rotation, color=color, opacity=opacity)
    kind = Cylinder if inner.tag == "cylinder" else Capsule
    return kind(radius, number(inner, "length"), at=position, rotation=rotation, color=color, opacity=opacity)


def mesh_path(name: str, file: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Where the mesh of this name of a URDF file is: of a package, by its path, or from the folder of the file.

    Packages are looked for in the directories of ROS_PACKAGE_PATH, in `share` of those of AMENT_PREFIX_PATH, and in the
    folders that the file is in. A mesh that is not found keeps its name.
    """
    scheme, separator, rest = name.partition("://")
    if not separator:
        return str(file.parent / name)
    if scheme == "file":
        return unquote(rest)
    if scheme not in ("package", "model"):
        return name
    package, _, inside = rest.partition("/")
    roots = [Path(x) for x in environment.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if x]
    roots += [Path(x, "share") for x in environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if x]
    candidates = [folder for root in roots for folder in (root / package, root if root.name == package else None)]
    candidates += [parent / package for parent in file.absolute().parents]
    candidates += [parent for parent in file.absolute().parents if parent.name == package]
    return next((str(x / inside) for x in candidates if x is not None and _is_file(x / inside)), name)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long, or has a null character
        return False
