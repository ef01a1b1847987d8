"""Shapes on bodies as tables of a model file."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.description.description import Description
from supple.description.members import Frame
from supple.files.visuals import packed
from supple.shapes.mesh import Mesh, Triangles
from supple.shapes.shape import Shape

Tables = list[dict[str, Any]]


def visual_tables(mech: Description, folder: Path | None) -> dict[str, Tables]:
    """The tables of shapes of each body that has visuals, and of the ground; files are named from the folder.

    A shape on a frame stands where the frame is: on the body, or on the node of a flexible body.
    """
    out: dict[str, Tables] = {}
    for name, shapes in mech.visuals.items():
        frame = mech.find_frame(name)
        body, node = mech.carrier(frame.body, frame.node)
        on = {} if node is None else {"on": node}
        out.setdefault(body, []).extend(_table(_moved(shape, frame), folder) | on for shape in shapes)
    return out


def _moved(shape: Shape, frame: Frame) -> Shape:
    R = frame.rotation
    if not frame.position.any() and np.array_equal(R, np.eye(3)):
        return shape
    at, turn = frame.position + R @ np.array(shape.at), R @ np.array(shape.rotation)
    return replace(shape, at=at, rotation=turn)


def _table(shape: Shape, folder: Path | None) -> dict[str, Any]:
    own = shape.own_fields()
    if isinstance(shape, Triangles):
        own = {"vertices": packed(shape.vertices, "<f8"), "faces": packed(shape.faces, "<u4")}
    elif isinstance(shape, Mesh) and folder is not None:
        own["file"] = _from_folder(shape.file, folder)
    defaults = {f.name: f.default for f in fields(shape)}
    common = {key: getattr(shape, key) for key in ("at", "rotation", "color", "opacity")}
    given = {key: x for key, x in {**own, **common}.items() if x is not None and x != defaults[key]}
    return {"type": shape.kind, **given}


def _from_folder(file: str, folder: Path) -> str:
    """The path of a file from a folder, whole if there is none."""
    try:
        return Path(os.path.relpath(os.path.realpath(file), os.path.realpath(folder))).as_posix()
    except ValueError:  # another drive
        return file
