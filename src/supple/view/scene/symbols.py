"""What the 3-D view draws beside the surfaces of bodies, as JSON: joints, springs, frames, forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.model.body_frames import BodyFrame
from supple.view.pages.packing import packed
from supple.view.plots.rounding import ROUNDING
from supple.view.scene.places import ScenePlaces
from supple.view.scene.stops import Stop
from supple.view.scene.symbol_parts import Pose, stop_symbols, symbols_of
from supple.view.scene.symbol_shapes import packed_shapes

if TYPE_CHECKING:
    import xarray as xr

ARROWS = ("force", "moment")
HEAD, SHORT, SHORTEST = 0.07, 0.12, 0.01
"""Of arrows, in symbol sizes: length of the head; shorter ones are slimmer too; still shorter ones are not drawn."""
LONGEST = 0.28
"""Of the size of the mechanism: the longest arrow of a kind."""
FAINT, STANDARD_GRAVITY = 1e-6, 9.80665
"""Of the mechanism's weight on the ground: if the largest force is smaller, its arrow is shorter in proportion."""


def symbols(stage: ScenePlaces, q: Floats, joints: Floats, size: float, stops: Sequence[Stop] = ()) -> dict[str, Any]:
    """Joints, springs, rods and contacts as shapes between points, the shapes, and frames by name."""
    found = [*symbols_of(stage, q, joints, size), *stop_symbols(stage, [x.coordinate for x in stops], size)]
    return {
        "symbols": [x.as_json() for x in found],
        "shapes": packed_shapes(["rod", "ball", *ARROWS, *(x.shape for x in found)]),
        "arrow": {"head": HEAD * size, "short": SHORT * size, "shortest": SHORTEST * size},
        "frames": [{"name": name, "place": i} for name, i in stage.frames.items()],
    }


class ForceArrow(NamedTuple):
    """A load or a reaction over a motion.

    Attributes
    ----------
    kind : str
        "load" or "reaction".
    at : Pose
        Where it acts.
    axes : Pose, optional
        Whose axes its components are along; None for the ground's.
    wrench : (frames, 6) array
        Moment, then force.
    """

    kind: str
    at: Pose
    axes: Pose | None
    wrench: Floats


def force_arrows(stage: ScenePlaces, result: xr.Dataset | None, chosen: NDArray[np.int64]) -> list[ForceArrow]:
    """Loads and reactions of joints over some samples of a result.

    Loads are the constant wrenches of the model and those of laws that the result holds; reactions are the wrenches of
    joints if they were asked for. What is zero throughout is left out.
    """
    out: list[ForceArrow] = []
    for x in stage.model.description.wrenches.values():
        constant = np.tile(np.concatenate([x.moment, x.force]), (len(chosen), 1))
        out.append(ForceArrow("load", *_loaded(stage, x.frame, x.axes), constant))
    if result is not None and "applied_wrench" in result:
        laws = result["applied_wrench"].isel(time=chosen)
        for i, (frame, axes) in enumerate(law_places(result)):
            out.append(ForceArrow("load", *_loaded(stage, frame, axes), laws.values[:, i].astype(float)))
    if result is not None and "wrench" in result:
        carried = result["wrench"].isel(time=chosen)
        values = carried.values.astype(float)
        values[np.abs(values) <= ROUNDING * np.abs(values).max(initial=0.0)] = 0.0
        for i, body in enumerate(map(str, carried["joint"].values)):
            if body in stage.model.bodies:
                pose = Pose("body", stage.model.bodies.index(body) + 1)
                out.append(ForceArrow("reaction", pose, pose, values[:, i]))
    return [x for x in out if x.wrench.any()]


def _loaded(stage: ScenePlaces, frame: str, axes: str) -> tuple[Pose, Pose | None]:
    """Where a wrench acts, and along whose axes."""
    at = Pose("place", stage.carriers[frame])
    return at, {"frame": at, "ground": None}[axes] if axes in ("frame", "ground") else Pose(
        "place", stage.carriers[axes]
    )


def arrow_scales(arrows: Sequence[ForceArrow], size: float, mass: float) -> dict[str, tuple[float, float]]:
    """Metres of an arrow for 1 N m and 1 N, by kind: the largest of a kind is a share of the mechanism.

    What is next to nothing for a mechanism of this size, m, and mass, kg, stays short: a tide is not a thruster.
    """
    out = {}
    faint = FAINT * STANDARD_GRAVITY * mass
    for kind in dict.fromkeys(x.kind for x in arrows):
        most = np.max(
            [np.linalg.norm(x.wrench.reshape(-1, 2, 3), axis=2).max(axis=0) for x in arrows if x.kind == kind], axis=0
        )
        floor = np.array([faint * size, faint])
        moment, force = (
            LONGEST * size / float(m) if m > 0 else 0.0 for m in np.where(most > 0, np.maximum(most, floor), 0.0)
        )
        out[kind] = moment, force
    return out


def forces(arrows: Sequence[ForceArrow], size: float, mass: float) -> dict[str, Any]:
    """Loads and reactions as JSON: what they are, and their wrenches over the frames, packed."""
    if not arrows:
        return {}
    items = [
        {
            "kind": x.kind,
            "at": x.at.as_json(),
            "axes": None if x.axes is None else x.axes.as_json(),
        }
        for x in arrows
    ]
    return {
        "forces": items,
        "wrenches": packed(np.concatenate([x.wrench for x in arrows], axis=1)),
        "scales": arrow_scales(arrows, size, mass),
    }


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
