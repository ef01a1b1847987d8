"""All surfaces of a model as one set of triangles that moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.checks import Floats, Ints
from supple.film.coils import Coils
from supple.model.model import Model
from supple.view.colors import GREY, body_color, linear
from supple.view.creases import cut
from supple.view.drawn import DrawnSurface, amplitudes, drawn
from supple.view.stage import Stage

SYMBOLS = 0.018
"""Radius of a spring's coil, of the size of the model."""


class MovingSurfaces:
    """Surfaces of bodies, and springs as coils, in a motion.

    Parameters
    ----------
    model : Model
    q : (frames, nq) array
        Its coordinates.
    more : sequence of DrawnSurface
        Surfaces besides those of the model.

    Attributes
    ----------
    faces : (m, 3) array
        Triangles; the first `opaque` of them cannot be seen through.
    colors : (m, 4) array
        Linear light and opacity of each triangle.
    origins : (frames, bodies, 3) array
        Of the bodies.
    size : float
        Of the model in its first configuration, m.
    """

    def __init__(self, model: Model, q: Floats, more: Sequence[DrawnSurface] = ()) -> None:
        R, p = model.poses(q)
        self.origins = p[:, 1:]
        self._parts = sorted(
            (_Part(model, x, q, R, p) for x in (*drawn(model), *more) if len(x.faces)), key=lambda x: x.opacity < 1.0
        )
        stage = Stage(model, ())
        ends = [[stage.moved(stage.places[i], q, R, p)[1] for i in pair] for pair in stage.springs]
        bodies = np.concatenate([np.zeros((1, 3)), self.origins[0], *[part.points(0) for part in self._parts]])
        self.size = float(np.linalg.norm(np.ptp(bodies, axis=0))) or 1.0
        self._coils = Coils(np.array(ends).reshape(len(ends), 2, len(q), 3), SYMBOLS * self.size)
        self.faces, self.colors = self._joined()
        self.opaque = int(np.sum(self.colors[:, 3] >= 1.0))

    def _joined(self) -> tuple[Ints, Floats]:
        """Triangles and their colours: springs, opaque surfaces, translucent ones."""
        faces, colors = [self._coils.faces], [np.tile([*linear(GREY), 1.0], (len(self._coils.faces), 1))]
        first = self._coils.count
        for part in self._parts:
            faces.append(part.faces + first)
            colors.append(np.tile([*part.color, part.opacity], (len(part.faces), 1)))
            first += part.count
        return np.ascontiguousarray(np.concatenate(faces)), np.concatenate(colors)

    def points(self, frame: int) -> Floats:
        """Vertices (n, 3) at a frame, in the ground frame."""
        return np.concatenate([self._coils.points(frame), *[part.points(frame) for part in self._parts]])


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
