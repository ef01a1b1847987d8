"""All surfaces of a model as one set of triangles that moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from supple.checks import Floats, Ints
from supple.model.model import Model
from supple.view.film.coloring import Coloring, Scale
from supple.view.film.symbols import MovingSymbol
from supple.view.scene.look import mapped, seen_on
from supple.view.scene.surfaces import DrawnSurface, amplitudes, body_color, drawn

VERTICES = (-1.0, -1.0, -1.0)
"""Colour of triangles whose vertices have colours of their own."""
UNLIT = 2.0
"""Opacity of lines, which have their colour whatever the light."""


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
    coloring : Coloring, optional
        What flexible bodies are coloured by.
    dark : bool
        Whether the background is dark.

    Attributes
    ----------
    faces : (m, 3) array
        Triangles; the first `opaque` of them cannot be seen through, the first `lit` of these throw shadows.
    colors : (m, 4) array
        Linear light and opacity of each triangle.
    growth : (n,) array
        Pixels by which vertices are moved along their normals.
    origins : (frames, bodies, 3) array
        Of the bodies.
    """

    def __init__(
        self,
        model: Model,
        q: Floats,
        surfaces: Sequence[DrawnSurface] | None = None,
        symbols: Sequence[MovingSymbol] = (),
        coloring: Coloring | None = None,
        dark: bool = False,
    ) -> None:
        R, p = model.poses(q)
        self._coloring = coloring
        self.origins = p[:, 1:]
        chosen = drawn(model) if surfaces is None else surfaces
        if coloring is not None:
            chosen = [x if x.shapes is None else coloring.surfaces.get(x.body, x) for x in chosen]
        parts = [_Part(model, x, q, R, p, dark) for x in chosen if len(x.faces)]
        self._parts: list[_Part | MovingSymbol] = [*symbols, *sorted(parts, key=lambda x: (x.opacity < 1.0, x.opacity))]
        self.faces, self.colors = self._joined()
        self.growth = np.concatenate([np.zeros(0), *(np.full(x.count, x.growth) for x in self._parts)])
        self.opaque, self.lit = (int(x.sum()) for x in (self.colors[:, 3] >= 1.0, self.colors[:, 3] == 1.0))

    def _joined(self) -> tuple[Ints, Floats]:
        """Triangles and their colours: symbols, opaque surfaces, translucent ones."""
        faces, colors, first = [np.zeros((0, 3), dtype=np.int64)], [np.zeros((0, 4))], 0
        for part in self._parts:
            faces.append(part.faces + first)
            color = part.color if self._field(part) is None else VERTICES
            colors.append(np.tile([*color, part.opacity], (len(part.faces), 1)))
            first += part.count
        return np.ascontiguousarray(np.concatenate(faces)), np.concatenate(colors)

    def points(self, frame: int) -> Floats:
        """Vertices (n, 3) at a frame, in the ground frame."""
        return np.concatenate([np.zeros((0, 3)), *[part.points(frame) for part in self._parts]])

    def colored(self, frame: int) -> tuple[Floats, Scale | None]:
        """Linear light (n, 3) of the vertices at a frame, and the quantity that it shows with its largest value.

        One row of zeros and None where nothing is coloured by a quantity.
        """
        if self._coloring is None:
            return np.zeros((1, 3)), None
        values, most = self._values(frame), self._coloring.most
        worst = int(np.argmax(values))
        value = float(values[worst])
        scale = Scale(self._coloring.quantity, most, worst if value > 0.0 else -1, value)
        return mapped(np.clip(values / (most or 1.0), 0.0, 1.0)) ** 2, scale

    def _values(self, frame: int) -> Floats:
        """(n,) of all vertices; zero of surfaces that are not coloured."""
        out = [np.zeros(0)]
        for part in self._parts:
            values = self._field(part)
            out.append(np.zeros(part.count) if values is None else values(frame))
        return np.concatenate(out)

    def _field(self, part: _Part | MovingSymbol) -> Callable[[int], Floats] | None:
        """What the vertices of a part are coloured by at a frame; None where it has one colour."""
        if self._coloring is None or not isinstance(part, _Part) or part.name not in self._coloring.fields:
            return None
        field, origin = self._coloring.fields[part.name], part.origin
        return lambda frame: field.values(frame)[origin]


class _Part:
    """One surface, cut along its sharp edges; then its vertices on no triangle."""

    def __init__(self, model: Model, surface: DrawnSurface, q: Floats, R: Floats, p: Floats, dark: bool) -> None:
        origin, self.faces = surface.split()
        origin = np.concatenate([origin, np.setdiff1d(np.arange(len(surface.vertices)), surface.faces)])
        self.origin, self.growth = origin, surface.growth
        self.name = surface.body if surface.shapes is not None else ""
        self.count = len(origin)
        self._vertices = surface.vertices[origin]
        self.color, self.opacity = seen_on(surface.color or body_color(model, surface.body), dark), surface.opacity
        if surface.thicker is not None:
            self.opacity = UNLIT
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
