"""How much room a motion takes, and by what symbols are measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Floats
from supple.description.members import GROUND
from supple.view.scene.level import Level
from supple.view.scene.places import ScenePlaces
from supple.view.scene.sampling import evenly
from supple.view.scene.surfaces import INERTIA

FAR = 4.0
"""Sizes of the mechanism beyond which the view follows it."""
MEASURED = 100
"""Configurations from which the extent of a motion is measured."""


class MotionExtent(NamedTuple):
    """Room of a motion.

    Attributes
    ----------
    size : float
        Of the mechanism in its first configuration, m.
    symbol : float
        What symbols are measured by, m.
    low, high : (3,) array
        Corners of all the motion.
    floor : float
        Height of the ground along up: that of the origin, or lower if the motion is; not far below it.
    front : (float, float)
        Azimuth and elevation, rad, from which it is seen best.
    """

    size: float
    symbol: float
    low: Floats
    high: Floats
    floor: float
    front: tuple[float, float]

    @property
    def far(self) -> bool:
        """Whether it goes so far that the view follows it."""
        return bool(np.linalg.norm(self.high - self.low) > FAR * self.size)

    @property
    def room(self) -> float:
        """How much of it is seen at once, m, by which the grid is measured."""
        return 2.0 * self.size if self.far else float(np.linalg.norm(self.high - self.low)) or self.size


def motion_extent(stage: ScenePlaces, q: Floats, known: int | None = None) -> MotionExtent:
    """Of coordinates (frames, nq), of which the first are known to be taken; all if not given."""
    q = q[evenly(len(q), MEASURED)]
    R, p = stage.model.poses(q)
    places = stage.places
    points = [stage.moved(x, q, R, p)[1] for x in places] + [p[:, k] for k in range(1, p.shape[1])]
    level = Level.of(stage.model.tree.gravity)
    lowest = min((float((x @ level.up).min()) for x in points), default=0.0)
    number = {GROUND: 0} | {x.name: k for k, x in enumerate(stage.bodies, start=1)}
    for x in stage.surfaces:
        if x.name == INERTIA or not len(x.vertices):
            continue
        ends = np.stack([x.vertices.min(axis=0), x.vertices.max(axis=0)])
        k, place = number[x.body], None if x.place is None else places[stage.carriers[x.place]]
        R_own, p_own = (R[:, k], p[:, k]) if place is None else stage.moved(place, q, R, p)
        heights = x.vertices @ (level.up @ R_own).T + p_own @ level.up
        lowest = min(lowest, float(heights.min()))
        points += [p_own + R_own @ np.array([ends[i, 0], ends[j, 1], ends[h, 2]]) for i, j, h in np.ndindex(2, 2, 2)]
    all_points = np.stack(points)
    size = float(np.linalg.norm(np.ptp(all_points[:, 0], axis=0))) or 1.0
    arms = [float(np.linalg.norm(x.position + (x.node.position if x.node else 0.0))) for x in places]
    symbol = min(size, 8.0 * float(np.median([a for a in arms if a > 0] or [size])))
    front = level.front(all_points[:, :known].reshape(-1, 3))
    floor = max(min(0.0, lowest), lowest - size)
    return MotionExtent(size, symbol, all_points.min(axis=(0, 1)), all_points.max(axis=(0, 1)), floor, front)
