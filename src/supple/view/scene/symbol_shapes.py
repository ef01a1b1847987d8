"""Shapes of symbols: rods, balls, coils, dampers, arrows, marks of contact. Each reaches from one point to another.

A vertex is at a + share (b - a) + size [x y z] vector, with z the unit vector from a to b. So one shape serves for
every length: the wire of a coil stays round, and the head of an arrow keeps its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from supple.checks import Floats, Ints
from supple.shapes.revolve_sweep import circle, tunnel, turned
from supple.shapes.triangle_mesh import vertex_normals
from supple.view.pages.packing import packed
from supple.view.scene.creases import split_at_sharp_edges

LONG = 12.0
"""Length, in sizes, at which edges are found sharp and normals are measured."""
SIDES = 16
"""Of round shapes: few enough that pages stay small, so many that they look round."""
TURNS, STEPS, WIRE_SIDES = 8, 12, 8
"""Turns of a coil, steps a turn, and sides of the wire."""
WIRE = 0.16
"""Radius of the wire, of that of the coil."""
STRAIGHT = 0.1
"""Length of the straight wire at each end, of the spring's."""
RANGE = 2.0
"""Largest number of a packed shape."""


@dataclass(frozen=True, eq=False)
class SymbolShape:
    """Triangles of a symbol.

    Attributes
    ----------
    share : (n,) array
        Place of each vertex on the way from a to b.
    vectors : (n, 3) array
        From there, in sizes; z points from a to b.
    normals : (n, 3) array
        Of unit length.
    faces : (m, 3) array
    """

    share: Floats
    vectors: Floats
    normals: Floats
    faces: Ints

    def packed(self) -> dict[str, str]:
        """JSON: seven numbers of 16 bits a vertex, in steps of RANGE / 32767."""
        rows = np.column_stack([self.share, self.vectors, self.normals])
        return {"vertices": packed(np.round(rows * 32767.0 / RANGE), "<i2"), "triangles": packed(self.faces, "<u2")}


def _shape(share: Floats, vectors: Floats, faces: Ints, smooth: bool = False) -> SymbolShape:
    """A shape with its normals; cut along its sharp edges unless it is smooth."""
    if not smooth:
        origin, faces = split_at_sharp_edges(_long(share, vectors), faces)
        share, vectors = share[origin], vectors[origin]
    return SymbolShape(share, vectors, vertex_normals(_long(share, vectors), faces), faces)


def _long(share: Floats, vectors: Floats) -> Floats:
    return vectors + LONG * share[:, None] * np.array([0.0, 0.0, 1.0])


def _round(*profiles: Sequence[tuple[float, float, float]]) -> SymbolShape:
    """Profiles of radius, share and height z, turned about z."""
    parts, first = [], 0
    for profile in profiles:
        shares, heights = (turned([(x[0], x[i]) for x in profile], SIDES) for i in (1, 2))
        parts.append((shares.vertices[:, 2], heights.vertices, heights.faces + first))
        first += len(heights.vertices)
    share, vectors, faces = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _shape(share, vectors, faces)


def _rod(radius: float, start: float, end: float) -> list[tuple[float, float, float]]:
    return [(0.0, start, 0.0), (radius, start, 0.0), (radius, end, 0.0), (0.0, end, 0.0)]


def _head(radius: float, back: float, length: float) -> list[tuple[float, float, float]]:
    """A cone whose tip is `back` before b."""
    return [(0.0, 1.0, -back - length), (radius, 1.0, -back - length), (0.0, 1.0, -back)]


def _arrow(*tips: float) -> SymbolShape:
    """A shaft and heads of unit length, their tips so far before b."""
    shaft = [(0.0, 0.0, 0.0), (0.11, 0.0, 0.0), (0.11, 1.0, -1.0), (0.0, 1.0, -1.0)]
    return _round(shaft, *(_head(0.28, tip, 1.0) for tip in tips))


def _ball() -> SymbolShape:
    angles = np.linspace(-np.pi / 2.0, np.pi / 2.0, SIDES // 2 + 1)[1:-1]
    return _round([(0.0, 0.0, -1.0), *((float(np.cos(a)), 0.0, float(np.sin(a))) for a in angles), (0.0, 0.0, 1.0)])


def _block() -> SymbolShape:
    """A box of 1 x 1 x 1.6, its middle at a."""
    corners = np.array([(x, y, 1.6 * z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))])
    return _shape(np.zeros(len(corners)), corners, faces)


def _coil() -> SymbolShape:
    """A wire: straight at each end, in turns of unit radius between."""
    count = TURNS * STEPS
    turn = np.arange(count + 1) / count
    s = np.concatenate([[0.0, STRAIGHT], STRAIGHT + (1.0 - 2.0 * STRAIGHT) * turn, [1.0 - STRAIGHT, 1.0]])
    angle = np.concatenate([[0.0, 0.0], 2.0 * np.pi * TURNS * turn, [0.0, 0.0]])
    reach = np.concatenate([[0.0, 0.0], np.ones(count + 1), [0.0, 0.0]])
    out = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    section = circle(1.0, WIRE_SIDES)
    ring = section[None, :, :1] * out[:, None] - section[None, :, 1:] * np.array([0.0, 0.0, 1.0])
    ring[[0, 1, -2, -1]] = np.column_stack([section, 0.0 * section[:, 0]])  # the ends have their section across
    vectors = reach[:, None, None] * out[:, None] + WIRE * ring
    return _shape(np.repeat(s, WIRE_SIDES), vectors.reshape(-1, 3), tunnel(len(s), WIRE_SIDES), smooth=True)


def _mark() -> SymbolShape:
    """A ring of unit radius about z with its middle at a, and a small ball there."""
    tube = [(0.86, 0.0, -0.14), (1.0, 0.0, -0.14), (1.0, 0.0, 0.14), (0.86, 0.0, 0.14), (0.86, 0.0, -0.14)]
    ball = [(0.3 * float(np.sin(a)), 0.0, -0.3 * float(np.cos(a))) for a in np.linspace(0.0, np.pi, 9)[1:-1]]
    return _round(tube, [(0.0, 0.0, -0.3), *ball, (0.0, 0.0, 0.3)])


_MADE = {
    "rod": lambda: _round(_rod(1.0, 0.0, 1.0)),
    "ball": _ball,
    "block": _block,
    "coil": _coil,
    "damper": lambda: _round(_rod(1.0, 0.0, 0.55), _rod(0.47, 0.5, 1.0)),
    "force": lambda: _arrow(0.0),
    "moment": lambda: _arrow(0.0, 0.8),
    "contact": _mark,
}


@cache
def symbol_shape(name: str) -> SymbolShape:
    """ "rod", "ball", "block", "coil", "damper", "force", "moment" or "contact"."""
    return _MADE[name]()


def packed_shapes(names: Sequence[str]) -> dict[str, Any]:
    """Shapes by name, as JSON."""
    return {name: symbol_shape(name).packed() for name in dict.fromkeys(names)}
