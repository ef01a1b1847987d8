"""Where the mass of a structure is: material points that move linearly with the degrees of freedom.

A row is a point at x that moves by P u, with u the degrees of freedom. Points are weighted by mass, or in pairs by the
scalar mass matrix of solid elements. The second moment C of a node or of a beam's section about its own centre is a
sum of c c*; each such c is a row too, at c, moved by theta x c. Those rows say how mass is spread around a centre that
is already counted, so they do not count in sums of first order. All integrals follow from the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy

from supple.checks import Floats, Ints, freeze
from supple.structures.discretization.dof_map import Bools

Sparse: TypeAlias = "scipy.sparse.csr_array"


@dataclass(frozen=True, eq=False)
class OffsetMass:
    """Rows of mass on arms.

    Attributes
    ----------
    rows : (r,) array of int
    arms : (r, 3) array
        From a centre that turns to the row, m.
    turns : three (r, size) sparse arrays
        Rotation of that centre about x, y and z for the degrees of freedom.
    """

    rows: Ints
    arms: Floats
    turns: tuple[Sparse, Sparse, Sparse]

    def __post_init__(self) -> None:
        freeze(self, "rows", "arms")


@dataclass(frozen=True, eq=False)
class MassModel:
    """Rows of material points.

    Attributes
    ----------
    motion : three (rows, size) sparse arrays
        Displacement in x, y and z for the degrees of freedom.
    positions : (rows, 3) array
        m; of a row that does not count, the vector from its centre.
    weights : (rows, rows) sparse array
        kg.
    counted : (rows,) array of bool
        Which rows count in the mass, its moment and the momentum.
    given : (size, size) sparse array, optional
        A mass matrix that the rows only stand in for.
    offset_mass : OffsetMass, optional
        Rows on arms, which move further in second order.
    """

    motion: tuple[Sparse, Sparse, Sparse]
    positions: Floats
    weights: Sparse
    counted: Bools
    given: Sparse | None = None
    offset_mass: OffsetMass | None = None

    def __post_init__(self) -> None:
        freeze(self, "positions", "weights", "counted", *(["given"] if self.given is not None else []))

    @cached_property
    def matrix(self) -> Sparse:
        """The mass matrix (size, size)."""
        if self.given is not None:
            return self.given
        total = sum(P.T @ self.weights @ P for P in self.motion)
        return _clean((total + total.T) * 0.5)

    @cached_property
    def first_order(self) -> Floats:
        """(rows,) weights in sums of first order."""
        return np.asarray(self.weights @ self.counted.astype(np.float64)) * self.counted

    @property
    def mass(self) -> float:
        """kg."""
        return float(self.first_order.sum())

    @property
    def moment(self) -> Floats:
        """int x (3,), kg m."""
        return self.first_order @ self.positions

    def centres(self) -> MassModel:
        """The rows that count, without what is spread around their centres."""
        x, y, z = (scipy.sparse.csr_array(P[self.counted]) for P in self.motion)
        weights = scipy.sparse.csr_array(self.weights[self.counted][:, self.counted])
        return MassModel((x, y, z), self.positions[self.counted], weights, self.counted[self.counted], self.given)

    def through(self, expand: Sparse) -> MassModel:
        """The same mass in other degrees of freedom v, where u = expand v."""
        x, y, z = (_clean(P @ expand) for P in self.motion)
        given = None if self.given is None else _clean(expand.T @ self.given @ expand)
        offset_mass = self.offset_mass
        if offset_mass is not None:
            about_x, about_y, about_z = (_clean(T @ expand) for T in offset_mass.turns)
            offset_mass = replace(offset_mass, turns=(about_x, about_y, about_z))
        return replace(self, motion=(x, y, z), given=given, offset_mass=offset_mass)

    def seen_from(self, origin: Floats) -> MassModel:
        """The same mass with positions measured from `origin`."""
        return replace(self, positions=self.positions - np.where(self.counted[:, None], origin, 0.0))

    def plus(self, other: MassModel) -> MassModel:
        """Both masses together, in the same degrees of freedom."""
        given = None if self.given is None else _clean(self.given + other.matrix)
        return replace(joined([self, other]), given=given)

    def after(self, count: int) -> MassModel:
        """The rows after the first so many, which have no weights with these in common."""
        x, y, z = (scipy.sparse.csr_array(P[count:]) for P in self.motion)
        own = self.offset_mass
        if own is not None:
            kept = np.flatnonzero(own.rows >= count)
            about_x, about_y, about_z = (scipy.sparse.csr_array(T[kept]) for T in own.turns)
            own = OffsetMass(own.rows[kept] - count, own.arms[kept], (about_x, about_y, about_z))
        weights = scipy.sparse.csr_array(self.weights[count:, count:])
        return MassModel((x, y, z), self.positions[count:], weights, self.counted[count:], offset_mass=own)


def joined(models: Sequence[MassModel]) -> MassModel:
    """The rows of several models in the same degrees of freedom."""
    x, y, z = (scipy.sparse.csr_array(scipy.sparse.vstack([m.motion[a] for m in models])) for a in range(3))
    return MassModel(
        (x, y, z),
        np.concatenate([m.positions for m in models]),
        scipy.sparse.csr_array(scipy.sparse.block_diag([m.weights for m in models])),
        np.concatenate([m.counted for m in models]),
        offset_mass=_joined_offsets(models),
    )


def _joined_offsets(models: Sequence[MassModel]) -> OffsetMass | None:
    """The rows on arms of several models, numbered anew."""
    starts = np.cumsum([0, *(len(m.positions) for m in models)])
    parts = [(m.offset_mass, int(start)) for m, start in zip(models, starts, strict=False) if m.offset_mass is not None]
    if not parts:
        return None
    x, y, z = (scipy.sparse.csr_array(scipy.sparse.vstack([s.turns[a] for s, _ in parts])) for a in range(3))
    rows = np.concatenate([s.rows + start for s, start in parts])
    return OffsetMass(rows, np.concatenate([s.arms for s, _ in parts]), (x, y, z))


def stations(
    positions: Floats,
    displacement: Sparse,
    rotation: Sparse,
    masses: Floats,
    second: Floats,
    offsets: Floats | None = None,
) -> MassModel:
    """Rigid pieces of mass around their centres.

    Parameters
    ----------
    positions : (r, 3) array
        Centres of mass, m.
    displacement, rotation : (3 r, size) sparse arrays
        How each centre is displaced and turned; rows 3 i + axis.
    masses : (r,) array
        kg.
    second : (r, 3, 3) array
        Second moments C about the centres, kg m^2; their inertia is tr(C) I - C.
    offsets : (r, 3) array, optional
        From the nodes that carry them to the centres, m.
    """
    rotations = [rotation[a::3] for a in range(3)]
    x, y, z = (scipy.sparse.csr_array(displacement[a::3]) for a in range(3))
    centres = MassModel(
        (x, y, z), positions, scipy.sparse.csr_array(scipy.sparse.diags_array(masses)), np.ones(len(masses), bool)
    )
    beside = np.zeros(0, np.int64) if offsets is None else np.flatnonzero((offsets != 0.0).any(axis=1))
    if offsets is not None and len(beside):
        about_x, about_y, about_z = (scipy.sparse.csr_array(T[beside]) for T in rotations)
        centres = replace(centres, offset_mass=OffsetMass(beside, offsets[beside], (about_x, about_y, about_z)))
    values, vectors = np.linalg.eigh(second)
    parts = [centres]
    for i in range(3):
        used = np.flatnonzero(values[:, i] > 1e-14 * values[:, 2])
        if len(used):
            arms = np.sqrt(values[used, i, None]) * vectors[used, :, i]
            parts.append(_spread([scipy.sparse.csr_array(T[used]) for T in rotations], arms))
    return joined(parts)


def _spread(rotation: Sequence[Sparse], arms: Floats) -> MassModel:
    """Rows at `arms` (r, 3) around centres that turn by `rotation`: moved by theta x c."""
    x, y, z = turned(rotation, arms)
    about_x, about_y, about_z = rotation
    return MassModel(
        (x, y, z),
        arms,
        scipy.sparse.csr_array(scipy.sparse.eye_array(len(arms))),
        np.zeros(len(arms), bool),
        offset_mass=OffsetMass(np.arange(len(arms)), arms, (about_x, about_y, about_z)),
    )


def turned(rotation: Sequence[Sparse], arms: Floats) -> list[Sparse]:
    """theta x c for each row: three (r, size) sparse arrays."""
    c = [scipy.sparse.diags_array(arms[:, a]) for a in range(3)]
    return [_clean(c[k] @ rotation[j] - c[j] @ rotation[k]) for j, k in ((1, 2), (2, 0), (0, 1))]


def _clean(matrix: Any) -> Sparse:
    out = scipy.sparse.csr_array(matrix)
    out.eliminate_zeros()
    return out
