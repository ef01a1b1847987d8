"""Load cases of a structure, and what their stresses add to its stiffness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

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


class Stressed(NamedTuple):
    """A structure under load.

    Attributes
    ----------
    stiffness : (size, size) sparse array
        What its stresses add to the stiffness.
    forces : (size,) array
        That its nodes exert on the elements, without those within rigid regions.
    """

    stiffness: Sparse
    forces: Floats


class GeometricStiffness(Protocol):
    """The stresses of a structure's elements, and what they add to its stiffness."""

    def stressed(self, cases: LoadCases) -> Iterator[Stressed]:
        """The structure in each load case."""


def assembled(blocks: Iterable[tuple[Ints, Floats]], size: int) -> Sparse:
    """Element matrices (e, d, d) at degrees of freedom (e, d), added up."""
    rows, columns, values = [], [], []
    for dofs, matrices in blocks:
        used = matrices != 0.0
        rows.append(np.broadcast_to(dofs[:, :, None], matrices.shape)[used])
        columns.append(np.broadcast_to(dofs[:, None, :], matrices.shape)[used])
        values.append(matrices[used])
    places = (np.concatenate(rows), np.concatenate(columns))
    return scipy.sparse.csr_array((np.concatenate(values), places), shape=(size, size))
