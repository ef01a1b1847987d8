"""Geometric stiffness of a reduced structure under its unit loads, and the few shapes that are enough for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.held import Held
from supple.structures.integrals import Quadratic, one_pattern
from supple.structures.layout import Bools, extent
from supple.structures.mass import Sparse
from supple.structures.modal_bases import cleaned
from supple.structures.regions import regions
from supple.structures.stress import GeometricStiffness, LoadCases, Stressed
from supple.structures.unit_loads import COUPLED, DEPENDENT, UnitLoads

if TYPE_CHECKING:
    from supple.structures.structure import Structure

SIGNIFICANT = 1e-9
"""Geometric stiffness of a load, per root of its strain energy, relative to the largest: less is rounding."""
RELEVANT = 1e-6
"""Geometric stiffness of a unit load relative to the largest among loads of its kind that is worth a shape."""
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
    work : (loads, k) array
        Of each unit load on each shape.
    kinds : (loads,) array of int
        As in `UnitLoads`.
    rows, columns : (entries,) arrays of int
        Of the entries of C, by rows.
    value : (entries, k) array
        C_k = -Psi* K_sigma[shape k] Psi.
    scaled : (k, p, p) array
        The same in coordinates of unit stiffness: scaled modes, or the shapes themselves if coordinates are nodal.
    scales : (size,) array
        Make rotations and displacements comparable.
    diagonal : (n,) array
        Stiffness of each coordinate.
    """

    shapes: Floats
    family: Ints
    work: Floats
    kinds: Ints
    rows: Ints
    columns: Ints
    value: Floats
    scaled: Floats
    scales: Floats
    diagonal: Floats

    def compressed(self) -> tuple[Floats, Quadratic]:
        """Few shapes (size, k), orthonormal with the stiffness, and their C.

        In each family they span what the geometric stiffness of every load needs, all loads counting alike.
        """
        relevant = self._relevant()
        families = [np.flatnonzero(self.family == i) for i in range(int(self.family.max(initial=-1)) + 1)]
        bases = [self._few(m, relevant) for m in families if self.work[np.ix_(relevant, m)].any()]
        Q = np.concatenate([np.zeros((len(self.family), 0)), *bases], axis=1)
        raw = self.shapes @ Q
        b = cleaned(raw, self.scales)
        signs = np.where(np.einsum("ij,ij->j", raw, b) < 0.0, -1.0, 1.0)
        value = self.value @ (Q * signs)
        sizes = np.sqrt(self.diagonal)
        share = np.abs(value) / (sizes[self.rows] * sizes[self.columns])[:, None]
        value = np.where(share > NOISE * share.max(axis=0, initial=0.0), value, 0.0)
        used = value.any(axis=1)
        first = np.searchsorted(self.rows[used], np.arange(len(sizes) + 1)).astype(np.int64)
        return b, Quadratic(first, self.columns[used], value[used])

    def buckling(self, cases: Floats) -> Floats:
        """(cases, 2) least factors, along and against, by which load cases (loads, cases) make the stiffness singular.

        Infinite where there is none.
        """
        out = np.full((cases.shape[1], 2), np.inf)
        if len(self.family) == 0 or self.scaled.shape[1] == 0:
            return out
        strongest = np.linalg.norm(self.scaled, axis=(1, 2)).max()
        for i, work in enumerate((self.work.T @ cases).T):
            eigenvalues = np.linalg.eigvalsh(np.tensordot(work, self.scaled, 1))
            floor = SIGNIFICANT * max(float(np.abs(eigenvalues).max()), strongest * float(np.linalg.norm(work)))
            for j, share in enumerate((eigenvalues[-1], -eigenvalues[0])):
                if share > floor:
                    out[i, j] = 1.0 / share
        return out

    def _relevant(self) -> Bools:
        """(loads,) which loads have a geometric stiffness that matters beside others that come with them."""
        sizes = np.linalg.norm(np.tensordot(self.work, self.scaled, 1), axis=(1, 2))
        strongest = np.max(np.linalg.norm(self.scaled, axis=(1, 2)), initial=0.0)
        largest = np.array([sizes[self.kinds == kind].max() for kind in self.kinds])
        rounding = SIGNIFICANT * strongest * np.linalg.norm(self.work, axis=1)
        return (sizes > rounding) & (sizes > RELEVANT * largest)

    def _few(self, members: Ints, relevant: Bools) -> Floats:
        """(all shapes, few) orthonormal combinations of the shapes of one family.

        Of the displacements under relevant loads those that their geometric stiffness needs: no shape is spent on what
        all of these loads do not see.
        """
        work = self.work[relevant][:, members]
        work = work[np.any(work != 0.0, axis=1)]
        _, sizes, R = np.linalg.svd(work / np.linalg.norm(work, axis=1, keepdims=True), full_matrices=False)
        R = R[sizes > np.sqrt(DEPENDENT)].T
        A = R.T @ self.scaled[members].reshape(len(members), -1)
        loads = work @ R @ A
        _, sizes, V = np.linalg.svd(loads / np.linalg.norm(loads, axis=1, keepdims=True), full_matrices=False)
        Y = A @ V[sizes > COMPRESSED].T
        out = np.zeros((len(self.family), Y.shape[1]))
        out[members] = R @ np.linalg.qr(Y / np.linalg.norm(Y, axis=0))[0]
        return out


def stressed_loads(
    structure: Structure,
    geometric: GeometricStiffness,
    held: Held,
    loads: UnitLoads,
    coordinates: Floats | Sparse,
    stiffness: Sparse,
) -> StressedLoads:
    """The stresses of all unit loads, as seen by coordinates with these shapes (size, n) and this stiffness."""
    small = structure.condensed
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
    owner = regions(structure.layout, structure.frames)
    names = {name: i for i, name in enumerate(dict.fromkeys(owner.values()))}
    region = np.array([names[owner[i]] if i in owner else -1 for i in range(len(structure.nodes))], dtype=np.int64)
    cases = LoadCases(np.asarray(expand @ b), T, small.layout.points[held.point], region)
    moved = expand @ coordinates
    found = []
    for state in geometric.stressed(cases):
        C = scipy.sparse.csr_array(state.seen_by(moved))
        C = C + scipy.sparse.csr_array(_rigid_links(structure, owner, state).seen_by(coordinates))
        found.append(scipy.sparse.csr_array(-0.5 * (C + C.T)))
    keys, value = one_pattern(found, coordinates.shape[1])
    rows, columns = np.divmod(keys, coordinates.shape[1])
    d = stiffness.diagonal()
    probe = np.diag(1.0 / np.sqrt(d)) if _diagonal(stiffness) else np.asarray(coordinates.T @ b)
    scaled = np.array([probe.T @ (C @ probe) for C in found]).reshape(len(found), probe.shape[1], probe.shape[1])
    scales = small.layout.scales(extent(small.layout.points))
    work = loads.forces.T @ b
    work[np.abs(work) < COUPLED * np.linalg.norm(work, axis=1, keepdims=True)] = 0.0
    return StressedLoads(b, np.array(family, np.int64), work, loads.kinds, rows, columns, value, scaled, scales, d)


def _rigid_links(structure: Structure, owner: dict[int, str], state: Stressed) -> Stressed:
    """Geometric stiffness of rigid regions: a node at `arm` from the middle moves by theta x (theta x arm) / 2 more."""
    small, layout = structure.condensed, structure.layout
    points = [small.frames[name] for name in dict.fromkeys(owner.values())]
    place = {point: i for i, point in enumerate(points)}
    blocks = np.zeros((len(points), 3, 3))
    for node, name in owner.items():
        point = small.frames[name]
        force = state.forces[layout.first[node + 1] - 3 : layout.first[node + 1]]
        outer = np.outer(force, layout.points[node] - small.layout.points[point])
        blocks[place[point]] += (outer + outer.T) / 2.0 - np.trace(outer) * np.eye(3)
    dofs = small.layout.first[np.array(points, np.int64)][:, None] + np.arange(3)
    return Stressed([(dofs, blocks)], np.zeros(small.size))


def _diagonal(matrix: Sparse) -> bool:
    entries = matrix.tocoo()
    return bool((entries.row == entries.col).all())
