"""The floor below a model: a grid that fades into the distance, and a soft shadow on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.view.film.raster import cover
from supple.view.scene.extent import MotionExtent
from supple.view.scene.level import Level
from supple.view.scene.look import FADED, grid_spacing

CELLS = 400
"""Of the map of the shadow, along the longer side of the shadow of all frames."""
SOFT = 3
"""Half the width of its edge, in cells."""
NONE = np.zeros((4, 3)), np.zeros((1, 1))
"""No floor, and a map of no shadow."""


@dataclass(frozen=True, eq=False)
class Floor:
    """A floor.

    Attributes
    ----------
    level : Level
    height : float
        Along up, m.
    spacing : float
        Of its grid, m: 1, 2 or 5 times a power of ten.
    reach : float
        Distance from the camera at which it has faded, m.
    sun : (3,) array
        Direction to the light.
    cell : float
        Width of a cell of the shadow's map, m.
    """

    level: Level
    height: float
    spacing: float
    reach: float
    sun: Floats
    cell: float

    def parameters(self, points: Floats, faces: Ints) -> tuple[Floats, Floats]:
        """The floor as `floor_color` takes it, and the map of the shadow of triangles on it."""
        flat = self._shadows(points)
        used = flat[faces.ravel()] if len(faces) else np.zeros((1, 2))
        margin = 3 * SOFT + 2
        # corners at whole cells: the map does not tremble from frame to frame
        low = (np.floor(used.min(axis=0) / self.cell) - margin) * self.cell
        columns, rows = np.ceil((used.max(axis=0) - low) / self.cell).astype(int) + margin
        hit = np.zeros((rows, columns), dtype=np.int64)
        places = np.column_stack([(flat - low) / self.cell, np.ones(len(flat))])
        cover(hit, places, faces, 0, len(faces))
        dark = (hit > 0).astype(np.float64)
        for _ in range(3):  # three means are close to a bell
            dark = scipy.ndimage.uniform_filter(dark, 2 * SOFT + 1, mode="constant")
        ground = np.stack(
            [
                self.level.right,
                self.level.ahead,
                [self.height, 1.0 / self.spacing, 1.0 / self.reach],
                [*low, 1.0 / self.cell],
            ]
        )
        return ground, dark

    def _shadows(self, points: Floats) -> Floats:
        """Where points (n, 3) throw their shadows, in axes of the floor (n, 2)."""
        fall = (points @ self.level.up - self.height) / float(self.sun @ self.level.up)
        flat = points - fall[:, None] * self.sun
        return np.stack([flat @ self.level.right, flat @ self.level.ahead], axis=1)


def floor_below(level: Level, extent: MotionExtent, around: Floats, sun: Floats, distance: float) -> Floor:
    """The floor below a motion whose points are `around` (n, 3) what the camera follows, at some distance."""
    room = extent.room
    floor = Floor(level, extent.floor, grid_spacing(room), distance + FADED * room, sun, 1.0)
    spread = float(np.ptp(floor._shadows(around), axis=0).max()) or room
    return replace(floor, cell=spread / CELLS)
