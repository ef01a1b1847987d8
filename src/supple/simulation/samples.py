"""States of a motion: at the present time, and at many times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import StateError
from supple.formulations import Formulation

Vector = NDArray[np.float64]


class State(NamedTuple):
    """Where a simulator is.

    Attributes
    ----------
    t : float
        s.
    q, v, a, tau : (nq,), (nv,), (nv,), (nv,) arrays
        Coordinates, speeds, accelerations and generalized forces.
    variables : mapping of name to number
        Of the laws and events.
    """

    t: float
    q: Vector
    v: Vector
    a: Vector
    tau: Vector
    variables: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Samples:
    """The motion at some times.

    Attributes
    ----------
    t : (n,) array
        s.
    q, v, a, tau : (n, nq), (n, nv), (n, nv), (n, nv) arrays
        Coordinates, speeds, accelerations and generalized forces.
    z : (n, integrals) array
        Integrals over time, by the names of `Inputs.integrals`.
    wrench : (n, m, 6) array
        Moments and forces of the wrenches of laws, along their axes.
    pull : (n, nv) array
        What they do to the speeds, J* F; tau does not have it.
    on_bodies : (n, bodies, 6) array
        What they do to each body, in its axes at its origin; (n, 0, 6) if there are none.
    tangents : (n, m, P) array
        Derivatives of m quantities by P parameters, see `sensitive_run`; (0, 0, 0) if none were asked for.
    """

    t: Vector
    q: Vector
    v: Vector
    a: Vector
    tau: Vector
    z: Vector
    wrench: Vector
    pull: Vector
    on_bodies: Vector
    tangents: Vector = field(default_factory=lambda: np.zeros((0, 0, 0)))

    @classmethod
    def of(cls, model: Formulation, t: ArrayLike, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike) -> Samples:
        """Samples of a model, their shapes checked, without integrals and wrenches."""
        n = np.size(t)
        shapes = {"t": (n,), "q": (n, model.nq), "v": (n, model.nv), "a": (n, model.nv), "tau": (n, model.nv)}
        values = [_table(x, shapes[key], key) for key, x in zip(shapes, (t, q, v, a, tau), strict=True)]
        none = [np.zeros((n, 0)), np.zeros((n, 0, 6)), np.zeros((n, model.nv)), np.zeros((n, 0, 6))]
        return cls(*[*values, *none])

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, which: slice) -> Samples:
        return Samples(*(getattr(self, key)[which] for key in KEYS))

    @staticmethod
    def joined(parts: Sequence[Samples]) -> Samples:
        """One after another."""
        return Samples(*(np.concatenate([getattr(x, key) for x in parts]) for key in KEYS))


KEYS = tuple(x.name for x in fields(Samples))


def _table(values: ArrayLike, shape: tuple[int, ...], what: str) -> Vector:
    """Numbers of just this shape."""
    x = np.ascontiguousarray(values, dtype=np.float64)
    if x.shape != shape:
        raise StateError(f"{what}: expected shape {shape}, got {x.shape}")
    return x
