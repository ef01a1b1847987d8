"""Geometric stiffness that another program has computed, for some load cases of a structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.discretization.clamping import Held
from supple.structures.discretization.mass import Sparse
from supple.structures.stiffening.stressed_structure import LoadCases, Stressed
from supple.structures.stiffening.unit_loads import UnitLoads

if TYPE_CHECKING:
    from supple.structures.discretization.structure import Structure


@dataclass(frozen=True, eq=False)
class GivenStress:
    """What stresses add to the stiffness in load cases of a structure.

    Attributes
    ----------
    cases : tuple of str or (size,) array
        Names of `load_cases.case_names`, or forces on the degrees of freedom of the structure.
    matrices : tuple of (size, size) sparse arrays
        K_sigma in each case.
    stiffness : (size, size) sparse array
        Of the structure.
    held : dict of int to str
        Nodes that were held when the matrices were computed, with their names; they must be those of the root.
    """

    cases: tuple[str | Floats, ...]
    matrices: tuple[Sparse, ...]
    stiffness: Sparse
    held: Mapping[int, str] = field(default_factory=dict)

    def loads(self, structure: Structure, held: Held, unit: UnitLoads) -> UnitLoads:
        """The loads of the cases that are given."""
        apart = [name for node, name in self.held.items() if structure.condensed.point_of[node] != held.point]
        if apart:
            raise ModelError(
                f"geometric_stiffness: {apart[0]}, which is not in the root, is held in the given tangents "
                f"({len(apart)} such nodes); hold the root's nodes in both"
            )
        expand = structure.layout.motion.T @ structure.condensed.motion
        F = np.zeros((len(unit.forces), len(self.cases)))
        U = np.zeros_like(F)
        for i, case in enumerate(self.cases):
            if not isinstance(case, str):
                F[:, i] = expand.T @ case
                U[held.free, i] = held.solve(F[held.free, i])
            elif case in unit.cases:
                shares = unit.shares[:, unit.cases.index(case)]
                F[:, i], U[:, i] = unit.forces @ shares, unit.displacements @ shares
            else:
                raise ModelError(f"geometric_stiffness: {case!r}: the root is held, so no load there stresses anything")
        labels = tuple(case if isinstance(case, str) else f"load {i + 1}" for i, case in enumerate(self.cases))
        return UnitLoads(unit.frames, labels, np.eye(len(labels)), np.arange(len(labels)), F, U)

    def stressed(self, cases: LoadCases) -> Iterator[Stressed]:
        """See `stress.GeometricStiffness`."""
        for shares, u in zip(cases.shares.T, cases.displacements.T, strict=True):
            K = scipy.sparse.csr_array(self.stiffness.shape)
            for share, matrix in zip(shares, self.matrices, strict=True):
                K = scipy.sparse.csr_array(K + share * matrix)
            yield Stressed([], np.asarray(self.stiffness @ u), K)
