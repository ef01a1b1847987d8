"""Geometric stiffness of a reduced structure under its unit loads, and the few shapes that are enough for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.body.modal_integrals import Quadratic, one_pattern
from supple.structures.discretization.clamping import Clamped
from supple.structures.discretization.couplings import FOLLOWING, regions
from supple.structures.discretization.discretization import Discretization
from supple.structures.discretization.dof_map import Bools, extent
from supple.structures.discretization.mass import Sparse
from supple.structures.eigen.lowest_modes import canonical_rotation
from supple.structures.elements.stressed_state import LoadCases, StressedState
from supple.structures.reduction.bases import cleaned
from supple.structures.stiffening.unit_loads import COUPLED, DEPENDENT, UnitLoads

SIGNIFICANT = 1e-9
"""Geometric stiffness of a load, per root of its strain energy, relative to the largest: less is rounding."""
RELEVANT = 1e-6
"""Geometric stiffness of a unit load relative to the largest among loads of its kind that is worth a shape."""
RANGE = 0.2
"""Rotation, rad, or displacement, share of the body's extent, up to which linear elements are of use."""
IN_RANGE = 0.5
"""The same under a critical load, up to which its geometric stiffness is kept to the last digits."""
LEFT_OUT = 0.2
"""What may be missing of that of other loads, relative to the stiffness, when they have moved the body by `RANGE`:
linear elements leave out as much."""
COMPRESSED = 1e-7
"""Relative error in the geometric stiffness of a load that is allowed, so as to have fewer shapes."""
NOISE = 1e-12
"""Entries of C below this share of the largest, all coordinates being scaled to unit stiffness, are rounding."""


@dataclass(frozen=True, eq=False)
class StressedLoads:
    """What stresses do to the coordinates of a body.

    The shapes are combinations of the displacements under unit loads, orthonormal with the stiffness; each belongs to
    one family of loads that the structure couples.

    Attributes
    ----------
    shapes : (size, k) array
        Of the condensed structure.
    family : (k,) array of int
    axes : (loads, loads) array
        As `UnitLoads.principal`.
    principal_work : (loads, k) array
        Of each unit load along these axes on each shape.
    kinds : (loads,) array of int
        As in `UnitLoads`.
    rows, columns : (entries,) arrays of int
        Of the entries of C, by rows.
    value : (entries, k) array
        C_k = -Psi* K_sigma[shape k] Psi.
    probes : (n, p) array
        Shapes of unit stiffness, in the coordinates: scaled modes, or the shapes themselves if coordinates are nodal.
    scaled : (k, p, p) array
        C between the probes.
    scales : (size,) array
        Make rotations and displacements comparable.
    extent : float
        Of the structure, m.
    diagonal : (n,) array
        Stiffness of each coordinate.
    """

    shapes: Floats
    family: Ints
    axes: Floats
    principal_work: Floats
    kinds: Ints
    rows: Ints
    columns: Ints
    value: Floats
    probes: Floats
    scaled: Floats
    scales: Floats
    extent: float
    diagonal: Floats

    @property
    def work(self) -> Floats:
        """(loads, k) of each unit load on each shape."""
        return self.axes @ self.principal_work

    @cached_property
    def few(self) -> tuple[Floats, Quadratic]:
        """Few shapes (size, k) and their C.

        In each family C spans what the geometric stiffness of loads in range needs, and a few more matrices what is
        strongest in that of the others. These do such work on b that it is as near to theirs as these matrices allow.
        """
        families = [np.flatnonzero(self.family == i) for i in range(int(self.family.max(initial=-1)) + 1)]
        relevant, critical = self._relevant(), self._critical()
        found = [
            self._definite(*self._few(m, relevant & self.principal_work[:, m].any(axis=1), critical)) for m in families
        ]
        none = np.zeros((len(self.family), 0))
        moved, stressed = (np.concatenate([none, *parts], axis=1) for parts in zip(*found, strict=True))
        raw = self.shapes @ moved
        b = cleaned(raw, self.scales)
        signs = np.where(np.einsum("ij,ij->j", raw, b) < 0.0, -1.0, 1.0)
        value = self.value @ (stressed * signs)
        sizes = np.sqrt(self.diagonal)
        share = np.abs(value) / (sizes[self.rows] * sizes[self.columns])[:, None]
        value = np.where(share > NOISE * share.max(axis=0, initial=0.0), value, 0.0)
        used = value.any(axis=1)
        first = np.searchsorted(self.rows[used], np.arange(len(sizes) + 1)).astype(np.int64)
        return b, Quadratic(first, self.columns[used], value[used])

    def _definite(self, moved: Floats, stressed: Floats) -> tuple[Floats, Floats]:
        """The same few shapes in one definite basis: rounding must not choose among those that do equally well."""
        turn = canonical_rotation((self.shapes @ moved) * self.scales[:, None])
        return moved @ turn, stressed @ turn

    def _relevant(self) -> Bools:
        """(loads,) which loads have a geometric stiffness that is more than rounding beside that of their kind."""
        sizes = np.linalg.norm(np.tensordot(self.principal_work, self.scaled, 1), axis=(1, 2))
        strongest = np.max(np.linalg.norm(self.scaled, axis=(1, 2)), initial=0.0)
        largest = np.array([sizes[self.kinds == kind].max() for kind in self.kinds])
        rounding = SIGNIFICANT * strongest * np.linalg.norm(self.principal_work, axis=1)
        return (sizes > rounding) & (sizes > RELEVANT * largest)

    def _critical(self) -> tuple[Floats, Floats]:
        """Loads (loads,) that are critical, and how far they move the body, rad or share of its extent."""
        loaded = np.linalg.eigvalsh(np.tensordot(self.principal_work, self.scaled, 1))
        critical = 1.0 / np.maximum(np.abs(loaded).max(axis=1, initial=0.0), np.sqrt(np.finfo(float).tiny))
        moved = (
            np.abs((self.shapes * self.scales[:, None]) @ self.principal_work.T).max(axis=0, initial=0.0) / self.extent
        )
        return critical, moved * critical

    def _few(self, members: Ints, relevant: Bools, critical: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """(all shapes, few) combinations of the shapes of one family that b are, and those whose C are theirs.

        Loads count by what they do when they have moved the body by `RANGE`, or are critical.
        """
        none = np.zeros((len(self.family), 0))
        if not relevant.any():
            return none, none
        load, moved = (x[relevant] for x in critical)
        work = self.principal_work[np.ix_(relevant, members)]
        in_range, limit = moved <= IN_RANGE, load * np.minimum(RANGE / moved, 1.0)
        A = self.scaled[members].reshape(len(members), -1)
        Y = _spanning(work[in_range], A)
        shares: Floats = np.zeros((len(work), 0))
        if Y.size:
            shares = np.asarray(np.linalg.lstsq((Y.T @ A).T, (work @ A).T, rcond=None)[0].T, dtype=np.float64)
        shares[in_range] = work[in_range] @ Y
        Y, shares = self._with_others(work, A, Y, shares, limit)
        out = np.zeros((2, len(self.family), Y.shape[1]))
        size = np.linalg.norm(work, axis=1, keepdims=True)
        missing = (shares - work @ Y) / size
        out[0, members] = Y + np.linalg.lstsq(work / size, missing, rcond=np.sqrt(DEPENDENT))[0]
        out[1, members] = Y
        return out[0], out[1]

    def _with_others(self, work: Floats, A: Floats, Y: Floats, shares: Floats, limit: Floats) -> tuple[Floats, Floats]:
        """Combinations Y of shapes and the shares of loads in them, with as many more as `LEFT_OUT` asks for."""
        p = self.scaled.shape[1]
        left = limit[:, None] * (work - shares @ Y.T)
        shares = limit[:, None] * shares
        U, sizes, _ = np.linalg.svd(left @ A, full_matrices=False)
        for u, size in zip(U.T, sizes, strict=True):
            if np.abs(np.linalg.eigvalsh((left @ A).reshape(-1, p, p))).max(initial=0.0) <= LEFT_OUT:
                break
            y = (u @ left) / size
            Y, shares = np.column_stack([Y, y]), np.column_stack([shares, size * u])
            left = left - size * np.outer(u, y)
        return Y, shares / limit[:, None]


def _spanning(work: Floats, A: Floats) -> Floats:
    """(shapes, few) orthonormal combinations of shapes that do all that loads with this work (loads, shapes) see.

    A (shapes, p p) are C of the shapes between probes. No shape is spent on what all of these loads do not see.
    """
    work = work[np.any(work != 0.0, axis=1)]
    if not len(work):
        return np.zeros((len(A), 0))
    _, sizes, R = np.linalg.svd(work / np.linalg.norm(work, axis=1, keepdims=True), full_matrices=False)
    R = R[sizes > np.sqrt(DEPENDENT)].T
    loads = work @ R @ (R.T @ A)
    _, sizes, V = np.linalg.svd(loads / np.linalg.norm(loads, axis=1, keepdims=True), full_matrices=False)
    Y = R.T @ A @ V[sizes > COMPRESSED].T
    return np.asarray(R @ np.linalg.qr(Y / np.linalg.norm(Y, axis=0))[0])


def stressed_loads(
    structure: Discretization,
    clamped: Clamped,
    loads: UnitLoads,
    coordinates: Floats | Sparse,
    stiffness: Sparse,
) -> StressedLoads:
    """The stresses of all unit loads, as seen by coordinates with these shapes (size, n) and this stiffness."""
    assert structure.elements is not None
    small = structure.condensed
    axes = loads.principal()
    loads = replace(loads, forces=loads.forces @ axes, displacements=loads.displacements @ axes)
    families = loads.families()
    T = np.zeros((loads.forces.shape[1], 0))
    family: list[int] = []
    for i, members in enumerate(families):
        part = loads.independent(members)
        wide = np.zeros((len(T), part.shape[1]))
        wide[members] = part
        T = np.concatenate([T, wide], axis=1)
        family += [i] * part.shape[1]
    b = loads.displacements @ T
    expand = structure.layout.motion.T @ small.motion
    owner = regions(structure.layout, structure.ties)
    names = {name: i for i, name in enumerate(dict.fromkeys(owner.values()))}
    region = np.array([names[owner[i]] if i in owner else -1 for i in range(len(structure.nodes))], dtype=np.int64)
    cases = LoadCases(np.asarray(expand @ b), axes @ T, small.layout.points[clamped.point], region)
    moved = expand @ coordinates
    found = []
    for state in structure.elements.geometric_stiffness(cases):
        C: Any = scipy.sparse.csr_array(state.seen_by(moved))
        C = C + scipy.sparse.csr_array(_rigid_links(structure, owner, state).seen_by(coordinates))
        found.append(scipy.sparse.csr_array(-0.5 * (C + C.T)))
    keys, value = one_pattern(found, coordinates.shape[1])
    rows, columns = np.divmod(keys, coordinates.shape[1])
    d = stiffness.diagonal()
    probe = np.diag(1.0 / np.sqrt(d)) if _diagonal(stiffness) else np.asarray(coordinates.T @ b)
    scaled = np.array([probe.T @ (C @ probe) for C in found]).reshape(len(found), probe.shape[1], probe.shape[1])
    length = extent(small.layout.points)
    scales = small.layout.scales(length)
    work = loads.forces.T @ b
    work[np.abs(work) < COUPLED * np.linalg.norm(work, axis=1, keepdims=True)] = 0.0
    return StressedLoads(
        b, np.array(family, np.int64), axes, work, loads.kinds, rows, columns, value, probe, scaled, scales, length, d
    )


def _rigid_links(structure: Discretization, owner: dict[int, str], state: StressedState) -> StressedState:
    """Geometric stiffness of rigid regions: a node at `arm` from the middle moves by theta x (theta x arm) / 2 more."""
    small, layout = structure.condensed, structure.layout
    turning = [node for node in owner if small.point_of[node] != FOLLOWING and small.turning[node]]
    points = list(dict.fromkeys(int(small.point_of[node]) for node in turning))
    place = {point: i for i, point in enumerate(points)}
    blocks = np.zeros((len(points), 3, 3))
    for node in turning:
        point = int(small.point_of[node])
        force = state.forces[layout.first[node + 1] - 3 : layout.first[node + 1]]
        outer = np.outer(force, layout.points[node] - small.layout.points[point])
        blocks[place[point]] += (outer + outer.T) / 2.0 - np.trace(outer) * np.eye(3)
    dofs = small.layout.first[np.array(points, np.int64)][:, None] + np.arange(3)
    return StressedState([(dofs, blocks)], np.zeros(small.size))


def _diagonal(matrix: Sparse) -> bool:
    entries = matrix.tocoo()
    return bool((entries.row == entries.col).all())
