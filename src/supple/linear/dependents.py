"""How all freedoms of a model follow its independent ones in small motions, and the forces that make them follow.

Rows of closed loops demand J x = 0 of changes of the coordinates (rolling alone does not), J v = 0 of the speeds, and
that their second rates vanish. About a state that fulfils them, changes of all coordinates, speeds and accelerations
are those of the independent ones, carried on. What the rows do is differentiated by complex steps. A tree is the case
without rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.errors import SingularError, StateError, nearest
from supple.linear.rows import Rows
from supple.linear.start import Bools, Floats, Numbers
from supple.model.complex_steps import imaginary_steps, step_slopes
from supple.model.model import Model
from supple.model.partitioning import RANK, SATISFIED, Partition, lost_beside, partition


@dataclass(frozen=True, eq=False)
class Dependents:
    """The freedoms of a model at a configuration.

    Attributes
    ----------
    model : Model
    q : (nq,) array
        Closed.
    degrees of freedom : Degrees of freedom
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
        """Motions (nv, k) of the dependent speeds alone in which the rows change at rates (rows, k)."""
        out = np.zeros((self.model.nv, rates.shape[1]))
        J, row, column = self._scaled
        if J.size:
            out[self.partition.dependent] = np.linalg.lstsq(J, row[:, None] * rates, rcond=RANK)[0] * column[:, None]
        return out

    def forces(self, load: Floats) -> Floats:
        """Forces (rows,), least in size, that take a load (nv,) off the dependent speeds."""
        J, row, column = self._scaled
        if not J.size:
            return np.zeros(len(row))
        found = row * np.linalg.lstsq(J.T, column * load[self.partition.dependent], rcond=RANK)[0]
        return np.asarray(found, dtype=np.float64)

    @cached_property
    def _scaled(self) -> tuple[Floats, Floats, Floats]:
        """J of the dependent speeds with rows and columns scaled to about one, and the factors; zero for idle rows."""
        J = self.partition.J[:, self.partition.dependent]
        size = np.linalg.norm(J, axis=1)
        row = np.divide(1.0, size, out=np.zeros(len(J)), where=size > SATISFIED * size.max(initial=0.0))
        J = row[:, None] * J
        size = np.linalg.norm(J, axis=0)
        column = np.divide(1.0, size, out=np.ones(len(size)), where=size > 0)
        return J * column, row, column

    def steps(self, directions: Floats) -> Numbers:
        """Coordinates (k, nq) after imaginary steps along directions (nv, k)."""
        return imaginary_steps(self.q, (self.model.tangent(self.q) @ directions).T)

    def turned(self, directions: Floats, closing: Floats) -> Floats:
        """Change (nv, k) of J* lambda, forces of the rows lambda (rows,) being constant, along directions (nv, k)."""
        m = self.model
        out = np.zeros((m.nv, directions.shape[1]))
        if m.loops is not None and closing.any():
            still = np.zeros(m.nv)
            for i, q in enumerate(self.steps(directions)):
                out[:, i] = step_slopes(Rows(m.loops, q, still, still).pull(closing))
        return out

    def rates(self, q: Numbers, v: Numbers, a: Floats) -> tuple[Numbers, Numbers]:
        """First and second rates (rows, k) of the rows in states (k, nq), (k, nv) with accelerations a (nv,)."""
        loops = self.model.loops
        out = np.zeros((2, len(self.partition.J), len(q)), np.result_type(q, v))
        if loops is not None:
            for i, state in enumerate(zip(q, v, strict=True)):
                cw = Rows(loops, *state, a).cw
                out[:, :, i] = cw.velocity, cw.acceleration
        return out[0], out[1]

    def carried(self, v: Floats, a: Floats) -> tuple[Floats, Floats, Floats]:
        """Y (nv, p), W (nv, p), V (nv, n): what follows in a state with speeds v and accelerations a (nv,).

        For changes x of the independent coordinates and y of the independent speeds, those of all speeds are Z y + Y x
        and those of all accelerations Z y' + V y + W x.
        """
        n, p = self.Z.shape[1], self.X.shape[1]
        if self.model.loops is None or not (v.any() or a.any()):
            return np.zeros_like(self.X), np.zeros_like(self.X), np.zeros_like(self.Z)
        steps = self.steps(self.X)
        Y = self.closing(-step_slopes(self.rates(steps, np.tile(v, (p, 1)), a)[0]))
        W = self.closing(-step_slopes(self.rates(steps, imaginary_steps(v, Y.T), a)[1]))
        V = self.closing(-step_slopes(self.rates(np.tile(self.q, (n, 1)), imaginary_steps(v, self.Z.T), a)[1]))
        return Y, W, V


def dependents(model: Model, q: Floats, held: Bools, wanted: Sequence[str] = ()) -> Dependents:
    """The freedoms of a model at a closed configuration, some speeds held, some wanted as independent ones."""
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
            f"model {model.name!r}: the configuration is singular: its loops let {n} independent motions through "
            f"there and {n - lost} beside it; small motions are those about another configuration"
        )
