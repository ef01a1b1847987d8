"""Paths of frames through a motion, drawn as thin lines in the colours of their bodies."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats, Ints
from supple.description.members import GROUND
from supple.view.scene.look import PATH
from supple.view.scene.motion import SceneMotion
from supple.view.scene.places import ScenePlaces
from supple.view.scene.sampling import evenly
from supple.view.scene.surfaces import DrawnSurface, body_color

RADIUS = 1e-4
"""Of a line, of the size of the model; it is thickened when it is seen."""
SIDES = 8
"""Of a line."""
MOST_POINTS = 400
"""Of a line."""
SHORT = 1e-3
"""Steps shorter than this, of the size of the model, are joined to the next."""


def path_surfaces(motion: SceneMotion, stage: ScenePlaces, size: float) -> list[DrawnSurface]:
    """The paths of the traces of a stage, of a model of some size; a frame that does not move has none."""
    chosen = evenly(len(motion.times), MOST_POINTS)
    model, q, out = motion.model, motion.q[chosen], []
    poses = model.poses(q)
    for name, i in stage.traces.items():
        place = stage.places[i]
        points = _apart(stage.moved(place, q, *poses)[1], SHORT * size)
        if len(points) > 1:
            color = body_color(model, (GROUND, *model.bodies)[place.body])
            out.append(DrawnSurface(GROUND, *_line(points, RADIUS * size), color, name=name, thicker=PATH))
    return out


def _line(points: Floats, radius: float) -> tuple[Floats, Ints]:
    """Vertices and triangles of a straight tube from each point to the next, so that a path may turn back."""
    along = np.diff(points, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    x = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    x /= np.linalg.norm(x, axis=1)[:, None]
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = radius * (np.cos(angle)[:, None] * x[:, None] + np.sin(angle)[:, None] * np.cross(along, x)[:, None])
    vertices = np.stack([points[:-1, None] + ring, points[1:, None] + ring], axis=1).reshape(-1, 3)
    i, after = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES
    tube = np.stack([np.stack([i, after, SIDES + after], axis=1), np.stack([i, SIDES + after, SIDES + i], axis=1)])
    faces = tube.reshape(-1, 3) + 2 * SIDES * np.arange(len(along))[:, None, None]
    return vertices, faces.reshape(-1, 3)


def _apart(points: Floats, distance: float) -> Floats:
    """Those of the points (n, 3) that are some distance from the one before them that is taken."""
    taken = [points[0]]
    for p in points[1:]:
        if float(np.linalg.norm(p - taken[-1])) >= distance:
            taken.append(p)
    return np.array(taken)
