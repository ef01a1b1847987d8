"""Load cases of a structure, and what their stresses add to its stiffness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.layout import Bools
from supple.structures.mass import Sparse

INERTIA = 12
"""Unit inertia loads: a force of density rho along x, y, z, then one of density rho x_b along a, number 3 + 3 a + b."""


@dataclass(frozen=True, eq=False)
class LoadCases:
    """m load cases of a structure, and how it answers them.

    Attributes
    ----------
    displacements : (size, m) array
        Of the degrees of freedom of the structure.
    inertia : (12, m) array
        How much of the unit inertia loads a case has.
    origin : (3,) array
        From where positions in inertia loads are measured, m.
    region : (k,) array of int
        The rigid region of each node, -1 for none.
    """

    displacements: Floats
    inertia: Floats
    origin: Floats
    region: Ints

    def within_region(self, *nodes: Ints) -> Bools:
        """Whether elements with these nodes, an array for each corner, are part of one rigid region."""
        first = self.region[nodes[0]]
        return np.logical_and.reduce([first >= 0, *(self.region[other] == first for other in nodes[1:])])


@dataclass(frozen=True, eq=False)
class Stressed:
    """A structure under load.

    Attributes
    ----------
    blocks : sequence of ((e, d) array of int, (e, d, d) array)
        What the stresses of its elements add to the stiffness, at degrees of freedom of the structure.
    forces : (size,) array
        That its nodes exert on the elements, without those within rigid regions.
    """

    blocks: Sequence[tuple[Ints, Floats]]
    forces: Floats

    def seen_by(self, shapes: Floats | Sparse) -> Floats | Sparse:
        """shapes* K_sigma shapes (n, n) for shapes (size, n); sparse if they are."""
        if scipy.sparse.issparse(shapes):
            return shapes.T @ self.matrix @ shapes
        n = shapes.shape[1]
        out = np.zeros((n, n))
        for dofs, K in self.blocks:
            part = shapes[dofs]
            out += part.reshape(-1, n).T @ (K @ part).reshape(-1, n)
        return out

    @property
    def matrix(self) -> Sparse:
        """K_sigma (size, size)."""
        size = len(self.forces)
        rows, columns, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for dofs, K in self.blocks:
            used = K != 0.0
            rows.append(np.broadcast_to(dofs[:, :, None], K.shape)[used])
            columns.append(np.broadcast_to(dofs[:, None, :], K.shape)[used])
            values.append(K[used])
        places = (np.concatenate(rows), np.concatenate(columns))
        return scipy.sparse.csr_array((np.concatenate(values), places), shape=(size, size))


class GeometricStiffness(Protocol):
    """The stresses of a structure's elements, and what they add to its stiffness."""

    def stressed(self, cases: LoadCases) -> Iterator[Stressed]:
        """The structure in each load case."""
