"""Where the camera stands and what it sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError

HALF_ANGLE = 0.3
"""Of view, rad, across the shorter side of the picture."""
FILLED = 0.92
"""Share of the picture that is filled, in the direction that decides."""
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

    azimuth: float = -52.0
    elevation: float = 20.0
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
    """

    axes: Floats
    target: Floats
    distance: float

    def eye(self, followed: Floats) -> Floats:
        """Where the camera is (3,)."""
        out: Floats = followed + self.target - self.distance * self.axes[2]
        return out

    def lens(self, width: int, height: int) -> Floats:
        """Focal length, middle of the picture and near plane, in samples."""
        return np.array([_focal(width, height), width / 2.0, height / 2.0, NEAR * self.distance])


def view_of(camera: Camera, level: Level, seen: Floats, width: int, height: int) -> View:
    """The camera so that it sees all points (n, 3) in a picture of these sides."""
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
    return View(axes, target, camera.distance or distance)


def _focal(width: int, height: int) -> float:
    """Focal length in pixels."""
    return min(width, height) / (2.0 * float(np.tan(HALF_ANGLE)))
