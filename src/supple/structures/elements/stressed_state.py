"""Load cases of a structure, and what their stresses add to its stiffness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.dof_map import Bools
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.scatter import element_matrix

INERTIA = 12
"""Unit inertia loads: a force of density rho along x, y, z, then one of density rho x_b along a, number 3 + 3 a + b."""


@dataclass(frozen=True, eq=False)
class LoadCases:
    """m load cases of a structure, and how it answers them.

    Attributes
    ----------
    displacements : (size, m) array
        Of the degrees of freedom of the structure.
    shares : (loads, m) array
        How much of each load a case has; the first twelve are the unit inertia loads, if the structure needs them.
    origin : (3,) array
        From where positions in inertia loads are measured, m.
    region : (k,) array of int
        The rigid region of each node, -1 for none.
    """

    displacements: Floats
    shares: Floats
    origin: Floats
    region: Ints

    def within_region(self, *nodes: Ints) -> Bools:
        """Whether elements with these nodes, an array for each corner, are part of one rigid region."""
        first = self.region[nodes[0]]
        return np.logical_and.reduce([first >= 0, *(self.region[other] == first for other in nodes[1:])])


@dataclass(frozen=True, eq=False)
class StressedState:
    """A structure under load.

    Attributes
    ----------
    blocks : sequence of ((e, d) array of int, (e, d, d) array)
        What the stresses of its elements add to the stiffness, at degrees of freedom of the structure.
    forces : (size,) array
        On its nodes, that do the work of its stresses, but for elements within rigid regions.
    given : (size, size) sparse array, optional
        What else is added to the stiffness.
    """

    blocks: Sequence[tuple[Ints, Floats]]
    forces: Floats
    given: Sparse | None = None

    def seen_by(self, shapes: Floats | Sparse) -> Floats | Sparse:
        """shapes* K_sigma shapes (n, n) for shapes (size, n); sparse if they are."""
        if scipy.sparse.issparse(shapes):
            return shapes.T @ self.matrix @ shapes
        n = shapes.shape[1]
        out = np.zeros((n, n)) if self.given is None else np.asarray(shapes.T @ (self.given @ shapes))
        for dofs, K in self.blocks:
            part = shapes[dofs]
            out += part.reshape(-1, n).T @ (K @ part).reshape(-1, n)
        return out

    @property
    def matrix(self) -> Sparse:
        """K_sigma (size, size)."""
        size = len(self.forces)
        none = scipy.sparse.csr_array((size, size)) if self.given is None else self.given
        return scipy.sparse.csr_array(sum((element_matrix(K, dofs, size) for dofs, K in self.blocks), start=none))
