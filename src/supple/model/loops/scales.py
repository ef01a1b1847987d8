"""Typical sizes of a closed model's speeds and constraint equations, so that nothing depends on the units of length.

A rotation counts as one at 1 rad, a displacement at the extent of the mechanism, a modal coordinate where a node of its
body turns by 1 rad or moves by the body's length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.recursions.closures import ALONG, ANGLE, COUPLING, DISTANCE, HEIGHT, SCREW, SLIP, Closures
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    from supple.model.model import Model

Floats = NDArray[np.float64]
LENGTHS = (ALONG, DISTANCE, SCREW, HEIGHT, SLIP)
"""Kinds of constraint equations whose error is a length."""
ROUNDING = 0.01
"""Share of its distance from the origin to which a position is known as well as one at the mechanism's own extent."""


class Scales:
    """Typical sizes for the constraints of one model.

    Attributes
    ----------
    length : float
        Extent of the mechanism, m; 1 if its description holds no length.
    speeds : (nv,) array
        Changes of the coordinates, in the directions of the speeds, that count as one.
    rows : (rows,) array
        Errors of the constraint equations that count as one.
    """

    def __init__(self, model: Model, arrays: Closures) -> None:
        self.length = extent(model, arrays) or 1.0
        self.speeds: Floats = speed_sizes(model, self.length)
        kind = arrays.row_kind
        self.rows: Floats = np.where(kind == ANGLE, 1.0, self.length)
        self.rows[kind == COUPLING] = self.speeds[arrays.row_speeds[kind == COUPLING, 0]]
        self._is_length = np.isin(kind, LENGTHS)
        self._displacements = np.flatnonzero([unit == "m" for unit in model.coordinate_units])
        self._is_displacement = np.array([unit == "m/s" for unit in model.speed_units])

    def units(self, farthest: float) -> Floats:
        """Errors (rows,) that count as one where points are this far, m, from the origin and rounding grows."""
        return np.where(self._is_length, np.maximum(self.rows, ROUNDING * farthest), self.rows)

    def travel(self, q: Floats) -> float:
        """Largest displacement of a joint among coordinates (nq,), m."""
        return float(np.abs(q[self._displacements]).max(initial=0.0))

    def longest(self, gap: float, share: float) -> Floats:
        """Steps (nv,) of this share of the typical ones; displacements may be as long as the gap that is left, m."""
        out = share * self.speeds
        return np.where(self._is_displacement, np.maximum(out, gap), out)

    def gap(self, errors: Floats) -> float:
        """Largest error of the constraint equations (rows,) that is a length, m."""
        return float(np.abs(errors[self._is_length]).max(initial=0.0))


def random_coordinates(model: Model, seed: int, length: float) -> Floats:
    """Coordinates (nq,) of `Model.random_state`, displacements of joints within this length instead of 1 m."""
    q = model.random_state(seed)[0]
    tree = model.tree
    for first, count in zip(tree.q_translation[1:], tree.translations[1:], strict=True):
        q[first : first + count] *= length
    return q


def speed_sizes(model: Model, length: float) -> Floats:
    """Changes (nv,) of the coordinates that count as one: 1 rad, this length, m, or modes of which a body is bent."""
    out: Floats = np.array([length if unit == "m/s" else 1.0 for unit in model.speed_units])
    for k, placed in enumerate(model.description.bodies.values(), start=1):
        if isinstance(placed.body, FlexibleBody) and placed.body.basis != "nodal":
            out[model.tree.v_mode[k] : model.tree.v_first[k + 1]] = _bent(placed.body)
    return out


def _bent(body: FlexibleBody) -> Floats:
    """Amplitudes (n,) of the modes, each by itself, at which a node turns by 1 rad or moves by the body's length."""
    shapes = np.abs(body.shapes.toarray()).reshape(len(body.nodes), 2, 3, body.modes)
    turn, move = shapes.max(axis=(0, 2), initial=1e-200)  # quotients do not overflow
    return np.minimum(1.0 / turn, float(np.ptp(body.nodes, axis=0).max()) / move)


def extent(model: Model, arrays: Closures | None) -> float:
    """Largest length, m, in the description of bodies, joints and constraints; of the ground how far they spread."""
    tree = model.tree
    on_ground, on_bodies = [tree.position[1:][tree.parent[1:] == 0]], [tree.position[1:][tree.parent[1:] != 0]]
    numbers = np.abs(tree.pitch)
    if arrays is not None:
        numbers = np.append(numbers, np.abs(arrays.row_number[np.isin(arrays.row_kind, LENGTHS)]))
        joined = arrays.pair_frames.ravel()
        fixed, positions = tree.frames.body[joined] == 0, tree.frames.position[joined]
        on_ground.append(positions[fixed])
        on_bodies.append(positions[~fixed])
    for placed in model.description.bodies.values():
        if isinstance(placed.body, FlexibleBody):
            on_bodies.append(placed.body.nodes)
        elif placed.body.mass > 0:
            gyration = np.sqrt(np.abs(placed.body.inertia).max() / placed.body.mass)
            on_bodies += [placed.body.com[None], np.array([[gyration, 0.0, 0.0]])]
    ground = np.concatenate(on_ground)
    spread = np.ptp(ground, axis=0) if len(ground) else np.zeros(1)
    lengths = [np.linalg.norm(np.concatenate(on_bodies), axis=1), spread, numbers]
    return float(np.concatenate(lengths).max(initial=0.0))
