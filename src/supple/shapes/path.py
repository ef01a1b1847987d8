"""A path with a section: pipes that bend, rails, cables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, array
from supple.errors import ModelError
from supple.shapes.revolve_sweep import circle, swept
from supple.shapes.shape import Shape, turn_to
from supple.shapes.triangle_mesh import TriangleMesh, joined

AROUND = 16
SHARPEST = 0.25
"""Cosine of half an angle between segments up to which a corner is cut off and not drawn out to its point."""
MOST_POINTS = 20_000


@checked
@dataclass(frozen=True)
class Path(Shape):
    """Straight segments from point to point, with a round or a rectangular section.

    Parameters
    ----------
    points : (k, 3) array_like
        At least two, no two that follow each other the same, m.
    radius : float, optional
        Of a round section, m.
    section : (2,) array_like, optional
        Of a rectangular one, in place of the radius: width, level where the path allows it, and height, m.
    closed : bool
        Whether the last point is joined to the first.

    Examples
    --------
    >>> rail = Path([(0, 0, 0), (1, 0, 0), (1, 1, 0)], section=(0.1, 0.2))
    >>> round(rail.triangles().volume, 9)
    0.04
    """

    points: Any
    radius: float | None = None
    section: Any = None
    closed: bool = False
    kind = "path"

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(self.points) if hasattr(self.points, "__len__") else 0
        x = array(self.points, (count, 3), "path: points")
        steps = np.linalg.norm(np.diff(x, axis=0, append=x[:1] if self.closed else x[:0]), axis=1)
        if not (3 if self.closed else 2) <= count <= MOST_POINTS or (steps == 0).any():
            raise ModelError(
                f"path: points: expected {3 if self.closed else 2} to {MOST_POINTS:,} points, each unlike the one "
                f"before it, got {count}"
            )
        if (self.radius is None) == (self.section is None):
            raise ModelError(
                f"path: expected either radius or section, got {'both' if self.radius is not None else 'neither'}"
            )
        if self.radius is not None:
            self._positive("radius")
        else:
            section = array(self.section, (2,), "path: section")
            if (section <= 0).any():
                raise ModelError(f"path: section: expected two positive numbers, got {section.tolist()}")
            self._set(section=tuple(section.tolist()))
        self._set(points=tuple(tuple(p) for p in x.tolist()))

    def local_triangles(self) -> TriangleMesh:
        """Rings at the points, in the planes that halve the angles there; a path that turns back is in pieces."""
        x = np.array(self.points)
        pieces = _pieces(x, self.closed)
        whole = self.closed and len(pieces) == 1 and len(pieces[0]) == len(x)
        return joined([self._piece(x[piece], whole) for piece in pieces])

    def _piece(self, x: Floats, closed: bool) -> TriangleMesh:
        """Without sharp corners."""
        outline = self._outline()
        ahead = np.diff(x, axis=0, append=x[:1] if closed else 2 * x[-1:] - x[-2:-1])
        ahead /= np.linalg.norm(ahead, axis=1)[:, None]
        behind = np.concatenate([ahead[-1:] if closed else ahead[:1], ahead[:-1]])
        frames = _frames(ahead, self.radius is not None)
        rings = np.empty((len(x), len(outline), 3))
        for i in range(len(x)):
            k = max(i - 1, 0) if not closed else i - 1  # the segment that arrives here
            normal = behind[i] + ahead[i]
            normal /= np.linalg.norm(normal)
            offsets = outline @ frames[k]
            rings[i] = x[i] + offsets - ((offsets @ normal) / (behind[i] @ normal))[:, None] * behind[i]
        return swept(outline, rings, closed)

    def _outline(self) -> Floats:
        if self.radius is not None:
            return circle(self.radius, AROUND)
        w, h = np.array(self.section) / 2.0
        return np.array([(-w, -h), (w, -h), (w, h), (-w, h)])


def _pieces(x: Floats, closed: bool) -> list[list[int]]:
    """Numbers of the points between corners that are too sharp; a corner ends one piece and begins the next.

    A closed path with such a corner begins and ends there; without one it is one piece, its points once.
    """
    n = len(x)
    way = np.diff(x, axis=0, append=x[:1])
    way /= np.maximum(np.linalg.norm(way, axis=1), 1e-300)[:, None]
    half = np.linalg.norm(way + np.roll(way, 1, axis=0), axis=1) / 2.0  # cosine of half the angle at each point
    sharp = [i for i in range(n) if half[i] <= SHARPEST and (closed or 0 < i < n - 1)]
    if closed:
        if not sharp:
            return [list(range(n))]
        ends = [*sharp, sharp[0] + n]
    else:
        ends = [0, *sharp, n - 1]
    return [[i % n for i in range(a, b + 1)] for a, b in pairwise(ends)]


def _frames(ahead: Floats, follow: bool) -> Floats:
    """(k, 2, 3): two axes across each segment; each the last ones turned on with `follow`, else the first is level."""
    out = np.empty((len(ahead), 2, 3))
    for i, d in enumerate(ahead):
        if follow and i:
            a, b = out[i - 1]
            before = np.cross(a, b)
            out[i] = out[i - 1] @ _shortest(before, d).T
            continue
        level = np.array([-d[1], d[0], 0.0])
        a = level / np.linalg.norm(level) if np.linalg.norm(level) > 1e-6 else np.array([0.0, 1.0, 0.0])
        out[i] = a, np.cross(d, a)
    return out


def _shortest(a: Floats, b: Floats) -> Floats:
    """The shortest rotation from a unit vector to another."""
    base = turn_to(a)
    return base @ turn_to(base.T @ b) @ base.T
