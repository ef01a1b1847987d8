"""The floor of a scene: its height and grid, and the soft shadow on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.view.film.camera import Level
from supple.view.film.raster import cover

CELLS = 400
"""Of the map of the shadow, along the longer side of the shadow of all frames."""
SOFT = 5
"""Half the width of its edge, in cells."""
LINES = 12.0
"""About so many lines of the grid cross the extent of the motion."""
FADED = 5.0
"""Distance at which the grid has faded, of the extent of the motion, beyond that of the camera."""
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
        """The floor as `ground_color` takes it, and the map of the shadow of triangles on it."""
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


def floor_below(level: Level, seen: Floats, around: Floats, size: float, sun: Floats, distance: float) -> Floor:
    """The floor below all points (n, 3) that a motion passes: at the height of the origin, or lower if they are.

    `around` (n, 3) are the same points from what the camera follows, by which the grid is measured.
    """
    lowest = float((seen @ level.up).min())
    height = max(min(0.0, lowest), lowest - size)
    extent = float(np.linalg.norm(np.ptp(around, axis=0))) or 1.0
    rough = 1.6 * extent / LINES
    decade = 10.0 ** np.floor(np.log10(rough))
    spacing = float(decade * next(m for m in (1.0, 2.0, 5.0, 10.0) if m * decade >= rough * (1.0 - 1e-9)))
    floor = Floor(level, height, spacing, distance + FADED * extent, sun, 1.0)
    spread = float(np.ptp(floor._shadows(around), axis=0).max()) or extent
    return Floor(level, height, spacing, floor.reach, sun, spread / CELLS)
