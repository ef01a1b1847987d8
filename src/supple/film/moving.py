"""All surfaces of a model as one set of triangles that moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.checks import Floats, Ints
from supple.film.moving_symbols import MovingSymbol
from supple.model.model import Model
from supple.view.colors import body_color, linear
from supple.view.creases import cut
from supple.view.drawn import DrawnSurface, amplitudes, drawn


class MovingSurfaces:
    """Surfaces of bodies, and symbols, in a motion.

    Parameters
    ----------
    model : Model
    q : (frames, nq) array
        Its coordinates.
    surfaces : sequence of DrawnSurface, optional
        Those of the model if not given.
    symbols : sequence of MovingSymbol
        Over the same frames.

    Attributes
    ----------
    faces : (m, 3) array
        Triangles; the first `opaque` of them cannot be seen through.
    colors : (m, 4) array
        Linear light and opacity of each triangle.
    origins : (frames, bodies, 3) array
        Of the bodies.
    """

    def __init__(
        self,
        model: Model,
        q: Floats,
        surfaces: Sequence[DrawnSurface] | None = None,
        symbols: Sequence[MovingSymbol] = (),
    ) -> None:
        R, p = model.poses(q)
        self.origins = p[:, 1:]
        chosen = drawn(model) if surfaces is None else surfaces
        parts = [_Part(model, x, q, R, p) for x in chosen if len(x.faces)]
        self._parts: list[_Part | MovingSymbol] = [*symbols, *sorted(parts, key=lambda x: x.opacity < 1.0)]
        self.faces, self.colors = self._joined()
        self.opaque = int(np.sum(self.colors[:, 3] >= 1.0))

    def _joined(self) -> tuple[Ints, Floats]:
        """Triangles and their colours: symbols, opaque surfaces, translucent ones."""
        faces, colors, first = [np.zeros((0, 3), dtype=np.int64)], [np.zeros((0, 4))], 0
        for part in self._parts:
            faces.append(part.faces + first)
            colors.append(np.tile([*part.color, part.opacity], (len(part.faces), 1)))
            first += part.count
        return np.ascontiguousarray(np.concatenate(faces)), np.concatenate(colors)

    def points(self, frame: int) -> Floats:
        """Vertices (n, 3) at a frame, in the ground frame."""
        return np.concatenate([np.zeros((0, 3)), *[part.points(frame) for part in self._parts]])


class _Part:
    """One surface, cut along its sharp edges."""

    def __init__(self, model: Model, surface: DrawnSurface, q: Floats, R: Floats, p: Floats) -> None:
        origin, self.faces = cut(surface.vertices, surface.faces)
        self.count = len(origin)
        self._vertices = surface.vertices[origin]
        self.color, self.opacity = linear(surface.color or body_color(model, surface.body)), surface.opacity
        k = model.bodies.index(surface.body) + 1 if surface.body in model.bodies else 0
        pose: tuple[Floats, Floats] = (R[:, k], p[:, k]) if surface.place is None else model.pose(q, surface.place)
        self._R, self._p = pose
        self._shapes = None
        if surface.shapes is not None:
            self._shapes = surface.shapes[(3 * origin[:, None] + np.arange(3)).ravel()]
            self._amplitudes = amplitudes(model, surface.body, q)

    def points(self, frame: int) -> Floats:
        """Vertices at a frame."""
        x = self._vertices
        if self._shapes is not None:
            x = x + (self._shapes @ self._amplitudes[frame]).reshape(-1, 3)
        out: Floats = x @ self._R[frame].T + self._p[frame]
        return out
