"""What the 3-D view draws beside the surfaces of bodies, as JSON: joints, springs, frames, forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.description.constraints import Closure
from supple.description.joints import Joint
from supple.model.body_frames import BodyFrame
from supple.recursions.tree import QUATERNION, THREE_AXES
from supple.view.packing import packed
from supple.view.rounding import ROUNDING
from supple.view.stage import Stage

if TYPE_CHECKING:
    import xarray as xr


def joint_symbol(joint: Joint) -> dict[str, Any]:
    """Axes it turns about and directions it slides along, in the axes of its frame; `ball`: it turns about any axis."""
    layout = joint.layout()
    ball = layout.rotation_kind in (THREE_AXES, QUATERNION)
    slides = list(layout.directions) or ([layout.axes[0]] if layout.pitch else [])
    return {
        "turns": [] if ball else [[float(x) for x in axis] for axis in layout.axes],
        "ball": ball,
        "slides": [[float(x) for x in axis] for axis in slides],
    }


def symbols(stage: Stage) -> dict[str, Any]:
    """Springs, joints and rods that close loops, and frames by name; ends are numbers of places."""
    springs = stage.model.description.springs.values()
    return {
        "springs": [
            {"name": x.name, "ends": list(ends), "stiffness": float(x.stiffness), "damping": float(x.damping)}
            for x, ends in zip(springs, stage.springs, strict=True)
        ],
        "pins": [
            {"joint": joint_symbol(x.joint), "ends": list(ends)} for x, ends in stage.closures if isinstance(x, Closure)
        ],
        "rods": [list(ends) for x, ends in stage.closures if not isinstance(x, Closure)],
        "frames": [{"name": name, "place": i} for name, i in stage.frames.items()],
    }


def forces(stage: Stage, result: xr.Dataset | None, chosen: NDArray[np.int64]) -> dict[str, Any]:
    """Loads and reactions of joints over the frames of a motion: what they are, and their wrenches, packed.

    Loads are the constant wrenches of the model and those of laws that the result holds; reactions are the wrenches of
    joints if they were asked for. A load that is zero throughout is left out.
    """
    items: list[dict[str, Any]] = []
    rows: list[Floats] = []

    def add(kind: str, at: dict[str, Any], values: Floats) -> None:
        moment, force = (float(np.linalg.norm(part, axis=1).max()) for part in np.split(values, 2, axis=1))
        if max(moment, force) > 0:
            items.append({"kind": kind, **at, "row": len(rows), "moment": moment, "force": force})
            rows.append(values)

    for x in stage.model.description.wrenches.values():
        constant = np.tile(np.concatenate([x.moment, x.force]), (len(chosen), 1))
        add("load", stage.loaded(x.frame, x.axes), constant)
    if result is not None and "applied_wrench" in result:
        laws = result["applied_wrench"].isel(time=chosen)
        for i, (frame, axes) in enumerate(law_places(result)):
            add("load", stage.loaded(frame, axes), laws.values[:, i].astype(float))
    if result is not None and "wrench" in result:
        carried = result["wrench"].isel(time=chosen)
        values = carried.values.astype(float)
        values[np.abs(values) <= ROUNDING * np.abs(values).max(initial=0.0)] = 0.0
        for i, body in enumerate(map(str, carried["joint"].values)):
            if body in stage.model.bodies:
                add("reaction", {"body": stage.model.bodies.index(body) + 1, "axes": "frame"}, values[:, i])
    if not rows:
        return {}
    return {"forces": items, "wrenches": packed(np.concatenate(rows, axis=1))}


def law_places(result: xr.Dataset) -> list[tuple[str, str]]:
    """Frame and axes of each wrench of a law that a result holds."""
    if "applied_wrench" not in result:
        return []
    laws = result["applied_wrench"]
    return [(str(a), str(b)) for a, b in zip(laws["law_frame"].values, laws["law_axes"].values, strict=True)]


def place_of(x: BodyFrame, shape: Floats) -> dict[str, Any]:
    """A place as JSON: its body, its node there, how it sits on that, and how the node moves with the coordinates."""
    node = np.zeros(3) if x.node is None else x.node.position
    return {
        "body": x.body,
        "l": [float(v) for v in node],
        "offset": [float(v) for v in x.position],
        "R": [float(v) for v in np.ravel(x.rotation)],
        "shape": packed(shape),
    }
