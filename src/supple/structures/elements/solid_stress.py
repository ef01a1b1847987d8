"""Geometric stiffness of solid elements: int sigma_ab dN_i/dx_a dN_j/dx_b, the same for all three displacements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.structures.materials import Material
from supple.structures.stiffening.stressed_structure import LoadCases, Stressed

if TYPE_CHECKING:
    from supple.structures.discretization.clamping import Held
    from supple.structures.discretization.structure import Structure
    from supple.structures.stiffening.unit_loads import UnitLoads

DEGREES = {"ElementHex1": 3, "ElementHex2": 5, "ElementTetP1": 1, "ElementTetP2": 3}
"""Degree to which integrals are exact: enough for the products of three gradients in straight elements."""


@dataclass(frozen=True, eq=False)
class SolidStress:
    """Geometric stiffness of a scikit-fem mesh of one material; `skfem` is the module."""

    skfem: Any
    mesh: Any
    material: Material

    def loads(self, structure: Structure, held: Held, unit: UnitLoads) -> UnitLoads:
        """All loads."""
        return unit

    def stressed(self, cases: LoadCases) -> Iterator[Stressed]:
        """See `stress.GeometricStiffness`."""
        element = self.mesh.elem()
        basis = self.skfem.Basis(self.mesh, element, intorder=DEGREES[type(element).__name__])
        nodes = np.asarray(basis.element_dofs).T.astype(np.int64)
        grads: Floats = np.stack([field[0].grad for field in basis.basis])  # shapes, 3, elements, points
        count, _, elements, points = grads.shape
        rates = np.ascontiguousarray(grads.transpose(2, 3, 1, 0)).reshape(elements, 3 * points, count)
        weights = np.asarray(basis.dx)[:, :, None, None]
        for u in cases.displacements.T:
            slopes = (rates @ u.reshape(-1, 3)[nodes]).reshape(elements, points, 3, 3)
            sigma = weights * self._stress(slopes)
            pulled = (sigma @ rates.reshape(elements, points, 3, count)).reshape(elements, 3 * points, count)
            K = rates.swapaxes(1, 2) @ pulled
            pushed = rates.swapaxes(1, 2) @ sigma.reshape(elements, 3 * points, 3)
            forces = np.zeros((len(u) // 3, 3))
            np.add.at(forces, nodes, pushed)
            yield Stressed([(3 * nodes + a, K) for a in range(3)], forces.ravel())

    def _stress(self, slopes: Floats) -> Floats:
        """From the gradients (..., 3, 3) of a displacement."""
        E, nu = self.material.E, self.material.nu
        lame, mu = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))
        volume = np.trace(slopes, axis1=-2, axis2=-1)[..., None, None]
        return lame * volume * np.eye(3) + mu * (slopes + slopes.swapaxes(-1, -2))
