"""What the surfaces of flexible bodies are coloured by in a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from supple.checks import Floats
from supple.errors import StateError
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.view.scene.quantities import DISTORTIONS, checked_quantity, largest, with_worst_points, worst_points
from supple.view.scene.surfaces import DrawnSurface, amplitudes, drawn


class Scale(NamedTuple):
    """A quantity, the end of its scale, and the vertex where it is largest, -1 for none, with its value."""

    quantity: str
    most: float
    worst: int
    value: float


class VertexField(NamedTuple):
    """Of the vertices of one surface: the norm of `width` rows each times amplitudes (frames, c), times a factor."""

    rows: sparse.csr_array
    width: int
    amplitudes: Floats
    factor: Floats

    def values(self, frame: int) -> Floats:
        """(n,) at a frame."""
        found = (self.rows @ self.amplitudes[frame]).reshape(-1, self.width)
        return np.asarray(np.linalg.norm(found, axis=1) * self.factor)

    def peaks(self) -> Floats:
        """(n,) the largest of all frames."""
        out = self.values(0)
        for frame in range(1, len(self.amplitudes)):
            np.maximum(out, self.values(frame), out=out)
        return out


class Coloring:
    """Displacement, strain or stress of all flexible bodies.

    Parameters
    ----------
    model : Model
    quantity : str
        Of `fields.QUANTITIES`.
    q : (frames, nq) array
        Coordinates of the frames that are painted.
    every : (samples, nq) array
        Those of the whole motion, by which the end of the scale is found.

    Attributes
    ----------
    fields : dict of str to VertexField
        By body.
    surfaces : dict of str to DrawnSurface
        By body: what has these values, with vertices at the worst recovery points that are on no triangle.
    most : float
        The end of the scale.
    """

    def __init__(self, model: Model, quantity: str, q: Floats, every: Floats) -> None:
        checked_quantity(quantity)
        self.quantity = quantity
        self.fields: dict[str, VertexField] = {}
        self.surfaces: dict[str, DrawnSurface] = {}
        self.most = 0.0
        for surface in (x for x in drawn(model) if x.shapes is not None):
            body = model.description.bodies[surface.body].body
            assert isinstance(body, FlexibleBody)
            eta, whole = (amplitudes(model, surface.body, x) for x in (q, every))
            if quantity == "displacement":
                assert surface.shapes is not None
                field = VertexField(surface.shapes, 3, eta, np.ones(len(surface.vertices)))
                most = largest(surface.shapes, 3, whole)
            else:
                points = None if body.recovery is None else body.recovery.stresses
                if points is None or not len(points):
                    continue
                worst = worst_points(points, np.concatenate([whole, eta]))
                stiffens = model.description.bodies[surface.body].stiffens
                surface, stress = with_worst_points(surface, body, stiffens, worst)
                if stress is None:
                    continue
                factor, most = np.ones(len(surface.vertices)), worst.stress
                if quantity == "strain":
                    factor, most = stress.compliance, worst.strain
                field = VertexField(stress.rows, DISTORTIONS, eta[:, : stress.rows.shape[1]], factor)
            self.fields[surface.body], self.surfaces[surface.body] = field, surface
            self.most = max(self.most, most)
        if not self.fields:
            raise StateError(f"color: expected a flexible body whose {quantity} is known, got none")
