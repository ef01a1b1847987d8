"""All surfaces of a model as one set of triangles that moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.checks import Floats, Ints
from supple.film.coils import Coils
from supple.film.coloring import Coloring, Scale
from supple.model.model import Model
from supple.view.colors import GREY, body_color, linear
from supple.view.creases import cut
from supple.view.drawn import DrawnSurface, amplitudes, drawn
from supple.view.fields import mapped
from supple.view.stage import Stage

VERTICES = (-1.0, -1.0, -1.0)
"""Colour of triangles whose vertices have colours of their own."""
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
    coloring : Coloring, optional
        What flexible bodies are coloured by.

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

    def __init__(
        self, model: Model, q: Floats, more: Sequence[DrawnSurface] = (), coloring: Coloring | None = None
    ) -> None:
        R, p = model.poses(q)
        self._coloring = coloring
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
            color = VERTICES if self._coloring is not None and part.name in self._coloring.fields else part.color
            colors.append(np.tile([*color, part.opacity], (len(part.faces), 1)))
            first += part.count
        return np.ascontiguousarray(np.concatenate(faces)), np.concatenate(colors)

    def points(self, frame: int) -> Floats:
        """Vertices (n, 3) at a frame, in the ground frame."""
        return np.concatenate([self._coils.points(frame), *[part.points(frame) for part in self._parts]])

    def tints(self, frame: int) -> Floats:
        """Linear light (n, 3) of the vertices at a frame; one row of zeros where nothing is coloured by a quantity."""
        if self._coloring is None:
            return np.zeros((1, 3))
        return mapped(np.clip(self._values(frame) / (self._coloring.most or 1.0), 0.0, 1.0)) ** 2

    def scale(self, frame: int) -> Scale | None:
        """The quantity that surfaces are coloured by, and where it is largest; None where there is none."""
        if self._coloring is None:
            return None
        values = self._values(frame)
        worst = int(np.argmax(values)) if len(values) else -1
        value = float(values[worst]) if worst >= 0 else 0.0
        return Scale(self._coloring.quantity, self._coloring.most, worst if value > 0.0 else -1, value)

    def _values(self, frame: int) -> Floats:
        """(n,) of all vertices; zero of surfaces that are not coloured."""
        assert self._coloring is not None
        out = [np.zeros(self._coils.count)]
        for part in self._parts:
            field = self._coloring.fields.get(part.name)
            out.append(np.zeros(part.count) if field is None else field.values(frame)[part.origin])
        return np.concatenate(out)


class _Part:
    """One surface, cut along its sharp edges."""

    def __init__(self, model: Model, surface: DrawnSurface, q: Floats, R: Floats, p: Floats) -> None:
        origin, self.faces = cut(surface.vertices, surface.faces)
        self.origin = origin
        self.name = surface.body if surface.shapes is not None else ""
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
