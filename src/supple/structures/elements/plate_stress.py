"""Geometric stiffness of plates: what stress resultants add to the stiffness of their elements.

A material line through the thickness moves by u and turns by the rotation vector theta: its direction becomes
n + theta x n + theta x (theta x n) / 2. Green's strains, to second order, give a further deformation of a plate with
the resultants N, M and Q the energy per area

    N_ab (u,a . u,b) / 2 + M_ab (u,a . (theta x n),b + (theta_a theta_n),b / 2)
        + Q_a (u,a . (theta x n) + theta_a theta_n / 2)

with a, b along x and y. The first term is that of von Karman's plates, of all three displacements, so that a spinning
panel is stiffer in its plane too; the others turn bending moments and shear forces with the plate.

In a warped element a rigid link d joins each node to the corner on which the force f of the element acts. The corner
moves by u + theta x d + theta x (theta x d) / 2, and the last term has the energy f . (theta x (theta x d)) / 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats
from supple.structures.elements.plate_element import PlateElements
from supple.structures.stiffening.stressed_structure import LoadCases, Stressed

if TYPE_CHECKING:
    from supple.structures.discretization.clamping import Held
    from supple.structures.discretization.structure import Structure
    from supple.structures.stiffening.unit_loads import UnitLoads

U, THETA, THETA_RATE = 0, 6, 9
"""Where slopes of u along x, then y, rotations, and their slopes along x, then y, begin among 15 numbers."""
NORMAL = 2
COMPONENTS = ((0, 0), (1, 1), (0, 1))


@dataclass(frozen=True, eq=False)
class PlateStress:
    """Geometric stiffness of the elements of a plate."""

    elements: PlateElements

    def loads(self, structure: Structure, held: Held, unit: UnitLoads) -> UnitLoads:
        """All loads."""
        return unit

    @cached_property
    def _motion(self) -> Floats:
        """(e, g, 15, 24) slopes of u, rotations and their slopes."""
        parts = [self.elements.displacement_slopes(), self.elements.rotation(), self.elements.rotation_slopes()]
        return np.concatenate([part.reshape(*part.shape[:2], -1, 24) for part in parts], axis=2)

    def stressed(self, cases: LoadCases) -> Iterator[Stressed]:
        """See `stress.GeometricStiffness`."""
        plate, motion, S = self.elements, self._motion, _energies()
        area, strains, K = plate.areas(), plate.strains(), plate.stiffness()
        for u in cases.displacements.T:
            own = u[plate.dofs]
            resultants = plate.resultants(strains @ own[:, None, :, None])[..., 0]
            energy = np.einsum("egt,tab,eg->egab", resultants, S, area, optimize=True)
            blocks = np.einsum("egai,egab,egbj->eij", motion, energy, motion, optimize=True)
            at_corners = np.einsum("eij,ej->ei", K, own)
            self._turn_links(blocks, at_corners)
            forces = np.zeros(len(u))
            np.add.at(forces, plate.dofs, at_corners)
            yield Stressed([(plate.dofs, blocks)], forces)

    def _turn_links(self, blocks: Floats, forces: Floats) -> None:
        """Add to blocks (e, 24, 24) what rotations of links do with the forces (e, 24) at their ends."""
        heights = self.elements.heights
        if not heights.any():
            return
        f = forces.reshape(-1, 4, 2, 3)[:, :, 1]
        d = -heights[:, :, None] * self.elements.element_normals()[:, None]
        product = f[..., :, None] * d[..., None, :]
        trace = np.einsum("eiaa->ei", product)[..., None, None]
        own = (product + product.swapaxes(-1, -2)) / 2.0 - trace * np.eye(3)
        split = blocks.reshape(len(blocks), 4, 6, 4, 6)
        for i in range(4):
            split[:, i, :3, i, :3] += own[:, i]


def _energies() -> Floats:
    """(8, 15, 15) for unit N, M (xx, yy, xy) and Q (x, y): twice the energy per area is q* S q."""
    S = np.zeros((8, 15, 15))
    for t, (a, b) in enumerate(COMPONENTS):
        for i, j in {(a, b), (b, a)}:
            for c in range(3):
                S[t, U + 3 * i + c, U + 3 * j + c] += 0.5
            _director(S[3 + t], U + 3 * i, THETA_RATE + 3 * j)
            S[3 + t, THETA + i, THETA_RATE + 3 * j + NORMAL] += 0.5
            S[3 + t, THETA + NORMAL, THETA_RATE + 3 * j + i] += 0.5
    for a in range(2):
        _director(S[6 + a], U + 3 * a, THETA)
        S[6 + a, THETA + a, THETA + NORMAL] += 0.5
    return S + S.swapaxes(1, 2)


def _director(S: Floats, u: int, theta: int) -> None:
    """Add u . (theta x n) = u_x theta_y - u_y theta_x."""
    S[u, theta + 1] += 1.0
    S[u + 1, theta] -= 1.0
