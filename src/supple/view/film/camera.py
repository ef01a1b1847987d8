"""Where the camera stands and what it sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError
from supple.view.scene.level import CORNER, Level
from supple.view.scene.look import FILLED, HALF_ANGLE, TO_EYE, TO_LEFT

NEAR = 0.01
"""Distance within which nothing is drawn, of the distance of the camera."""


@checked
@dataclass(frozen=True)
class Camera:
    """A direction to look from, and a distance.

    Attributes
    ----------
    azimuth : float
        About the vertical, degrees, from the first axis of the floor (x where z is up); the camera looks at the model.
    elevation : float
        Above the level, degrees.
    distance : float, optional
        From the middle of the model, m; far enough to see all of the motion if not given.
    """

    azimuth: float = float(np.degrees(CORNER[0]))
    elevation: float = float(np.degrees(CORNER[1]))
    distance: float | None = None

    def __post_init__(self) -> None:
        numbers = (self.azimuth, self.elevation, 1.0 if self.distance is None else self.distance)
        if not np.isfinite(numbers).all():
            raise StateError(f"camera: expected finite numbers, got {self}")
        if abs(self.elevation) > 90.0:
            raise StateError(f"camera: expected an elevation from -90 to 90 degrees, got {self.elevation:g}")
        if self.distance is not None and self.distance <= 0.0:
            raise StateError(f"camera: expected a distance above zero, got {self.distance:g} m")


@dataclass(frozen=True, eq=False)
class View:
    """A camera in the scene.

    Attributes
    ----------
    axes : (3, 3) array
        Right, down and forward on the picture, in rows.
    target : (3,) array
        What it looks at; relative to what it follows, if it does.
    distance : float
        From there to the eye.
    column : int
        Pixels at the right of the picture that are kept free.
    """

    axes: Floats
    target: Floats
    distance: float
    column: int = 0

    def eye(self, followed: Floats) -> Floats:
        """Where the camera is (3,)."""
        out: Floats = followed + self.target - self.distance * self.axes[2]
        return out

    def lens(self, width: int, height: int, samples: int = 1) -> Floats:
        """Focal length, middle of what is not kept free and near plane, in samples."""
        wide = width - self.column
        return np.array([*(samples * np.array([_focal(wide, height), wide / 2.0, height / 2.0])), NEAR * self.distance])

    def sun(self, level: Level) -> Floats:
        """Direction to the light (3,): high, behind the left shoulder, so that shadows fall to the right."""
        out = level.up - TO_LEFT * self.axes[0] + TO_EYE * np.cross(self.axes[0], level.up)
        return np.asarray(out / np.linalg.norm(out))


def view_of(camera: Camera, level: Level, seen: Floats, width: int, height: int, column: int = 0) -> View:
    """The camera so that it sees all points (n, 3) in a picture of these sides, beside a column that is kept free."""
    width -= column
    a, b = np.radians([camera.azimuth, camera.elevation])
    outward = np.cos(b) * (np.cos(a) * level.right + np.sin(a) * level.ahead) + np.sin(b) * level.up
    right = -np.sin(a) * level.right + np.cos(a) * level.ahead
    axes = np.stack([right, np.cross(-outward, right), -outward])
    half = FILLED * np.array([width, height]) / (2.0 * _focal(width, height))
    middle = (seen.min(axis=0) + seen.max(axis=0)) / 2.0
    x = (seen - middle) @ axes.T
    # +-(x - shift) <= half (distance + depth) for all points, in both directions of the picture
    right_most, left_most = (np.max(sign * x[:, :2] / half - x[:, 2:], axis=0) for sign in (1.0, -1.0))
    distance = float(np.max(right_most + left_most)) / 2.0 or 1.0
    target = middle + (half * (right_most - left_most) / 2.0) @ axes[:2]
    return View(axes, target, camera.distance or distance, column)


def _focal(width: int, height: int) -> float:
    """Focal length in pixels."""
    return min(width, height) / (2.0 * float(np.tan(HALF_ANGLE)))
