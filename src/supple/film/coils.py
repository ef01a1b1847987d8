"""Springs between points, drawn as coils of wire."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats, Ints

TURNS, STEPS, SIDES = 9, 16, 12
"""Turns of a coil, steps a turn, and sides of the wire."""
WIRE = 0.16
"""Radius of the wire, of that of the coil."""
STRAIGHT = 0.08
"""Length of the straight wire at each end, of the spring's."""


class Coils:
    """Coils whose ends move.

    Parameters
    ----------
    ends : (springs, 2, frames, 3) array
    radius : float
        Of a coil, m.

    Attributes
    ----------
    faces : (m, 3) array
    count : int
        Number of vertices.
    """

    def __init__(self, ends: Floats, radius: float) -> None:
        self._ends = ends
        self._along, self._across, faces = _wire(radius)
        n = len(self._along)
        self.faces = (faces + n * np.arange(len(ends))[:, None, None]).reshape(-1, 3)
        self.count = n * len(ends)
        # an axis of the ground frame to turn from: not along the spring at the start
        self._sides = [np.eye(3)[np.argmin(np.abs(b[0] - a[0]))] for a, b in ends]

    def points(self, frame: int) -> Floats:
        """Vertices (n, 3): on the line between the ends, then away from it by vectors across and along."""
        out = [np.zeros((0, 3))]
        for (a, b), side in zip(self._ends[:, :, frame], self._sides, strict=True):
            length = float(np.linalg.norm(b - a))
            axis = (b - a) / length if length > 0 else np.array([0.0, 0.0, 1.0])
            x = np.cross(axis, side)
            x /= np.linalg.norm(x) or 1.0
            out.append(a + np.outer(self._along, b - a) + self._across @ np.stack([x, np.cross(axis, x), axis]))
        return np.concatenate(out)


def _wire(radius: float) -> tuple[Floats, Floats, Ints]:
    """Places (n,) of vertices along a spring of unit length, vectors (n, 3) from there, and triangles."""
    count = TURNS * STEPS
    turned = np.arange(count + 1) / count
    s = np.concatenate([[0.0, STRAIGHT], STRAIGHT + (1.0 - 2.0 * STRAIGHT) * turned, [1.0 - STRAIGHT, 1.0]])
    angle = np.concatenate([[0.0, 0.0], 2.0 * np.pi * TURNS * turned, [0.0, 0.0]])
    reach = radius * np.concatenate([[0.0, 0.0], np.ones(count + 1), [0.0, 0.0]])
    out = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    around = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(around)[None, :, None] * out[:, None] + np.sin(around)[None, :, None] * np.array([0.0, 0.0, 1.0])
    flat = np.stack([np.cos(around), np.sin(around), 0.0 * around], axis=1)
    ring[[0, 1, -2, -1]] = flat  # the straight ends have their section across the spring
    vectors = reach[:, None, None] * out[:, None] + WIRE * radius * ring
    k, i = np.arange(len(s) - 1)[:, None], np.arange(SIDES)[None, :]
    a, b = SIDES * k + i, SIDES * k + (i + 1) % SIDES
    faces = np.stack([np.stack([a, b, b + SIDES], axis=-1), np.stack([a, b + SIDES, a + SIDES], axis=-1)])
    return np.repeat(s, SIDES), vectors.reshape(-1, 3), faces.reshape(-1, 3)
