"""How dependent coordinates and speeds follow the independent ones in small motions, and the forces that make them.

The constraint equations of closed loops demand J x = 0 of changes of the coordinates (rolling alone does not), J v = 0
of the speeds, and that their second rates vanish. About a state that satisfies them, changes of the independent
coordinates, speeds and accelerations determine those of all others. A tree has no constraint equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from supple.errors import SingularError, StateError, nearest
from supple.formulations import Formulation
from supple.linear.start import Bools, Floats
from supple.model.loops.constraint_slopes import ConstraintSlopes
from supple.model.loops.partitioning import Partition, lost_beside, partition
from supple.model.loops.redundancy import LEVER, TOLERANCE


class CarriedMotion(NamedTuple):
    """Changes of all coordinates, speeds and accelerations from those of the independent ones.

    For changes x of the independent coordinates and y of the independent speeds, those of all coordinates are X x, in
    the directions of the speeds, those of all speeds Z y + Y x, and those of all accelerations Z y' + V y + W x.

    Attributes
    ----------
    X, Y, W : (nv, p) arrays
    Z, V : (nv, n) arrays
    """

    X: Floats
    Z: Floats
    Y: Floats
    W: Floats
    V: Floats


@dataclass(frozen=True, eq=False)
class Dependents:
    """How all speeds of a model depend on the independent ones at a configuration.

    Attributes
    ----------
    model : Model
    q : (nq,) array
        Closed.
    partition : Partition
        Into independent and dependent speeds.
    """

    model: Formulation
    q: Floats
    partition: Partition

    @property
    def X(self) -> Floats:
        """(nv, p) changes of all coordinates, in the directions of the speeds, with the independent ones."""
        return self.partition.X

    @property
    def Z(self) -> Floats:
        """(nv, n) all speeds, from the independent ones."""
        return self.partition.Z

    def closing(self, rates: Floats) -> Floats:
        """Motions (nv, k) of the dependent speeds alone in which the constraints change at rates (equations, k)."""
        out = np.zeros((self.model.nv, rates.shape[1]))
        J, row, column = self._scaled
        if J.size:
            out[self.partition.dependent] = (
                np.linalg.lstsq(J, row[:, None] * rates, rcond=TOLERANCE)[0] * column[:, None]
            )
        return out

    def forces(self, load: Floats) -> Floats:
        """Constraint forces (equations,) of minimum norm that take a load (nv,) off the dependent speeds."""
        J, row, column = self._scaled
        if not J.size:
            return np.zeros(len(row))
        found = row * np.linalg.lstsq(J.T, column * load[self.partition.dependent], rcond=TOLERANCE)[0]
        return np.asarray(found, dtype=np.float64)

    @cached_property
    def _scaled(self) -> tuple[Floats, Floats, Floats]:
        """J of the dependent speeds with rows and columns scaled to about one, and the factors.

        Identically satisfied constraints have the factor zero.
        """
        J = self.partition.J[:, self.partition.dependent]
        size = np.linalg.norm(J, axis=1)
        row = np.divide(1.0, size, out=np.zeros(len(J)), where=size > LEVER * size.max(initial=0.0))
        J = row[:, None] * J
        size = np.linalg.norm(J, axis=0)
        column = np.divide(1.0, size, out=np.ones(len(size)), where=size > 0)
        return J * column, row, column

    def turned(self, directions: Floats, closing: Floats) -> Floats:
        """Change (nv, k) of J* lambda along directions (nv, k), with constant constraint forces lambda (equations,)."""
        m = self.model
        if m.loops is None or not closing.any():
            return np.zeros((m.nv, directions.shape[1]))
        still = np.zeros(m.nv)
        out: Floats = self._slopes(still, still, closing).pull_by_q[0] @ (m.tangent(self.q) @ directions)
        return out

    def second_rates(self, v: Floats, a: Floats) -> Floats:
        """Second rates (equations,) of the constraints for speeds v and accelerations a."""
        if self.model.loops is None:
            return np.zeros(len(self.partition.J))
        return self._slopes(v, a).acceleration[0]

    def carried(self, v: Floats, a: Floats) -> CarriedMotion:
        """The small motions of all coordinates and speeds in a state with speeds v and accelerations a (nv,)."""
        X, Z = self.X, self.Z
        if self.model.loops is None or not (v.any() or a.any()):
            return CarriedMotion(X, Z, np.zeros_like(X), np.zeros_like(X), np.zeros_like(Z))
        slopes, moved = self._slopes(v, a), self.model.tangent(self.q) @ X
        by_v = slopes.acceleration_by_v[0]
        Y = self.closing(-slopes.velocity_by_q[0] @ moved)
        W = self.closing(-slopes.acceleration_by_q[0] @ moved - by_v @ Y)
        return CarriedMotion(X, Z, Y, W, self.closing(-by_v @ Z))

    def _slopes(self, v: Floats, a: Floats, closing: Floats | None = None) -> ConstraintSlopes:
        loops = self.model.loops
        assert loops is not None
        force = np.zeros(len(loops)) if closing is None else closing
        return loops.constraint_slopes(self.q[None], v[None], a[None], force[None])


def dependents(model: Formulation, q: Floats, held: Bools, wanted: Sequence[str] = ()) -> Dependents:
    """The dependence at a closed configuration, with some speeds held and some wanted among the independent ones."""
    if isinstance(wanted, str):
        raise StateError(f"independent: expected a sequence of names, got the text {wanted!r}")
    for name in wanted:
        if name not in model.speeds:
            raise StateError(f"independent: no speed {name!r}{nearest(name, model.speeds)}")
    if model.loops is not None:
        return Dependents(model, q, partition(model.loops, q, held, wanted))
    if wanted:
        raise StateError(f"independent: model {model.name!r} has no closed loops: all its speeds are")
    free = np.flatnonzero(~held)
    Z = np.eye(model.nv)[:, free]
    none = np.zeros(0, dtype=np.intp)
    return Dependents(model, q, Partition(np.zeros((0, model.nv)), free, free, none, Z, Z))


def require_regular(f: Dependents, held: Bools) -> None:
    """Refuse a configuration with motions that end beside it: no neighbourhood of it is linear."""
    model, n = f.model, f.Z.shape[1]
    if model.loops is None or not n:
        return
    lost = lost_beside(model.loops, f.q, held, f.partition)
    if lost > 0:
        raise SingularError(
            f"model {model.name!r}: the configuration is singular: its loops allow {n} independent motions there "
            f"and {n - lost} next to it; linearize about another configuration"
        )
