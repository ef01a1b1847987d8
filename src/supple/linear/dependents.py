"""How dependent coordinates and speeds follow the independent ones in small motions, and the forces that make them.

The constraint equations of closed loops demand J x = 0 of changes of the coordinates (rolling alone does not), J v = 0
of the speeds, and that their second rates vanish. About a state that satisfies them, changes of the independent
coordinates, speeds and accelerations determine those of all others. The constraint equations are differentiated by
complex steps. A tree has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from supple.errors import SingularError, StateError, nearest
from supple.linear.constraint_equations import ConstraintEquations
from supple.linear.start import Bools, Floats, Numbers
from supple.model.complex_steps import imaginary_steps, step_slopes
from supple.model.loops.partitioning import Partition, lost_beside, partition
from supple.model.loops.redundancy import LEVER, TOLERANCE
from supple.model.model import Model


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

    model: Model
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

    def steps(self, directions: Floats) -> Numbers:
        """Coordinates (k, nq) after imaginary steps along directions (nv, k)."""
        return imaginary_steps(self.q, (self.model.tangent(self.q) @ directions).T)

    def turned(self, directions: Floats, closing: Floats) -> Floats:
        """Change (nv, k) of J* lambda along directions (nv, k), with constant constraint forces lambda (equations,)."""
        m = self.model
        out = np.zeros((m.nv, directions.shape[1]))
        if m.loops is not None and closing.any():
            still = np.zeros(m.nv)
            for i, q in enumerate(self.steps(directions)):
                out[:, i] = step_slopes(ConstraintEquations(m.loops, q, still, still).pull(closing))
        return out

    def rates(self, q: Numbers, v: Numbers, a: Floats) -> tuple[Numbers, Numbers]:
        """First and second rates (equations, k) of the constraints in states (k, nq), (k, nv) with a (nv,)."""
        loops = self.model.loops
        out = np.zeros((2, len(self.partition.J), len(q)), np.result_type(q, v))
        if loops is not None:
            for i, state in enumerate(zip(q, v, strict=True)):
                cw = ConstraintEquations(loops, *state, a).cw
                out[:, :, i] = cw.velocity, cw.acceleration
        return out[0], out[1]

    def carried(self, v: Floats, a: Floats) -> CarriedMotion:
        """The small motions of all coordinates and speeds in a state with speeds v and accelerations a (nv,)."""
        n, p = self.Z.shape[1], self.X.shape[1]
        if self.model.loops is None or not (v.any() or a.any()):
            return CarriedMotion(self.X, self.Z, np.zeros_like(self.X), np.zeros_like(self.X), np.zeros_like(self.Z))
        steps = self.steps(self.X)
        Y = self.closing(-step_slopes(self.rates(steps, np.tile(v, (p, 1)), a)[0]))
        W = self.closing(-step_slopes(self.rates(steps, imaginary_steps(v, Y.T), a)[1]))
        V = self.closing(-step_slopes(self.rates(np.tile(self.q, (n, 1)), imaginary_steps(v, self.Z.T), a)[1]))
        return CarriedMotion(self.X, self.Z, Y, W, V)


def dependents(model: Model, q: Floats, held: Bools, wanted: Sequence[str] = ()) -> Dependents:
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
