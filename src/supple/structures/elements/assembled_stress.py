"""Geometric stiffness of an assembled structure: that of its parts, each in its own axes.

Bushings and nodes that follow others add nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.discretization.mass import Sparse
from supple.structures.stiffening.stressed_structure import INERTIA, GeometricStiffness, LoadCases, Stressed

if TYPE_CHECKING:
    from supple.structures.discretization.clamping import Held
    from supple.structures.discretization.structure import Structure
    from supple.structures.stiffening.unit_loads import UnitLoads


@dataclass(frozen=True, eq=False)
class StressedPart:
    """Geometric stiffness of a part, and where the part is.

    Attributes
    ----------
    own : GeometricStiffness
    R : (3, 3) array
        From its axes to those of the whole.
    at : (3,) array
        Its origin in the whole, m.
    node, nodes, dof, size : int
        Its first node and number of nodes, and the same of its degrees of freedom.
    """

    own: GeometricStiffness
    R: Floats
    at: Floats
    node: int
    nodes: int
    dof: int
    size: int

    @property
    def turned(self) -> bool:
        """Whether its axes are not those of the whole."""
        return not np.array_equal(self.R, np.eye(3))

    @property
    def turn(self) -> Any:
        """(size, size) from its own axes to those of the whole."""
        return scipy.sparse.kron(scipy.sparse.eye_array(self.size // 3), self.R)

    def cases(self, cases: LoadCases) -> LoadCases:
        """The load cases as the part sees them."""
        R, own = self.R, cases.displacements[self.dof : self.dof + self.size]
        shares = cases.shares.copy()
        m = shares.shape[1]
        shares[:3] = R.T @ shares[:3]
        moments = shares[3:INERTIA].reshape(3, 3, m)
        shares[3:INERTIA] = np.einsum("ia,ijm,jb->abm", R, moments, R).reshape(9, m)
        own = np.asarray(self.turn.T @ own) if self.turned else own
        region = cases.region[self.node : self.node + self.nodes]
        return LoadCases(own, shares, R.T @ (cases.origin - self.at), region)


@dataclass(frozen=True, eq=False)
class AssembledStress:
    """Geometric stiffness of all parts."""

    parts: tuple[StressedPart, ...]

    def loads(self, structure: Structure, held: Held, unit: UnitLoads) -> UnitLoads:
        """All loads."""
        return unit

    def stressed(self, cases: LoadCases) -> Iterator[Stressed]:
        """See `stress.GeometricStiffness`."""
        size = len(cases.displacements)
        for states in zip(*(part.own.stressed(part.cases(cases)) for part in self.parts), strict=True):
            forces = np.zeros(size)
            blocks, given = [], scipy.sparse.csr_array((size, size))
            for part, state in zip(self.parts, states, strict=True):
                end = part.dof + part.size
                if part.turned:
                    T = part.turn
                    forces[part.dof : end] = T @ state.forces
                    given = given + _put(T @ state.matrix @ T.T, part.dof, size)
                else:
                    forces[part.dof : end] = state.forces
                    blocks += [(part.dof + dofs, K) for dofs, K in state.blocks]
            yield Stressed(blocks, forces, scipy.sparse.csr_array(given) if given.nnz else None)


def _put(matrix: Any, first: int, size: int) -> Sparse:
    """The matrix at rows and columns from `first` on, of so many."""
    entries = scipy.sparse.coo_array(matrix)
    return scipy.sparse.csr_array((entries.data, (entries.row + first, entries.col + first)), shape=(size, size))
