"""What is up, and from where a motion is seen best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.checks import Floats

CORNER, ABOVE, LYING = (-0.9, 0.35), 0.22, 0.6
"""Azimuth and elevation, rad, from which motions in space are seen; elevations for upright and for lying flat ones."""
ASIDE, LAST = 0.35, 0.75
"""How far from its front an upright flat motion is seen, rad, and the last azimuth that is its front."""


@dataclass(frozen=True, eq=False)
class Level:
    """Axes of the floor and up, against gravity; z is up where there is none."""

    right: Floats
    ahead: Floats
    up: Floats

    @classmethod
    def of(cls, gravity: Floats) -> Level:
        """The level of a model."""
        down = float(np.linalg.norm(gravity))
        up = -gravity / down if down > 0 else np.array([0.0, 0.0, 1.0])
        side = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        right = np.cross(np.cross(up, side), up)
        right /= np.linalg.norm(right)
        return cls(right, np.cross(up, right), up)

    def front(self, points: Floats) -> tuple[float, float]:
        """Azimuth and elevation, rad, from which a motion through points (n, 3) is seen best.

        Flat motions are seen from the front, a little from the side, others from a corner. Of two fronts it is that on
        the side of negative y, or of positive x if it lies along y: robots look there.
        """
        flat = (points - points.mean(axis=0)) @ np.stack([self.right, self.ahead, self.up]).T
        (a, b, _), (_, c, _), (_, _, tall) = flat.T @ flat
        spread = float(np.hypot((a - c) / 2.0, b))
        thin, wide = max((a + c) / 2.0 - spread, 0.0), (a + c) / 2.0 + spread
        if tall < 0.01 * wide or thin >= 0.04 * max(wide, tall):
            return CORNER[0], LYING if tall < 0.01 * wide else CORNER[1]
        way = 0.5 * float(np.arctan2(2.0 * b, a - c)) - np.pi / 2.0 + ASIDE
        return LAST - (LAST - way) % np.pi, ABOVE
