"""Geometric stiffness of beams: what stress resultants add to the stiffness of a straight element.

A section turns by the rotation vector theta and moves by u. Its strains, in its own axes, are to second order

    stretch and shear   u' - theta x e - theta x u' + theta x (theta x e) / 2         e along the axis
    curvature           theta' - theta x theta' / 2

so that the force n = (N, Q_y, Q_z) and the moment m of a stressed beam have in a further deformation the energy

    N/2 (v'^2 + w'^2) + N/2 I_p/A phi'^2 + phi (Q_y w' - Q_z v') + phi (Q_y theta_y + Q_z theta_z) / 2
        - m . (theta x theta') / 2

with u = (u, v, w) and phi = theta_x. The force N works on the slope of the axis, not on the turn of the section: a
column that shears buckles at Engesser's load. The second term is that of fibres which twist (trapeze effect). Products
with the stretch u', small against 1, are left out. For Euler and Bernoulli's beam all but the first two terms are
M_z phi w'' + M_y phi v'' + M_x (w' v'' - v' w'') / 2, and what moments at the ends do in large rotations.

Resultants follow from the forces at an element's first end and its own inertia loads: exact within the element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats, Ints
from supple.structures.elements.beam_element import Element, gauss
from supple.structures.stiffening.stressed_structure import INERTIA, LoadCases, Stressed

if TYPE_CHECKING:
    from supple.structures.discretization.clamping import Held
    from supple.structures.discretization.structure import Structure
    from supple.structures.stiffening.unit_loads import UnitLoads

V, W, RX, RY, RZ, TWIST, BEND_Y, BEND_Z = range(8)
"""Slopes of the axis in y and z, turns of the section, their rates along the axis."""


@dataclass(frozen=True, eq=False)
class BeamSegment:
    """Equal elements in one line, between the nodes `ends` and the next ones.

    Attributes
    ----------
    element : Element
    axes : (3, 3) array
        Rows: the elements' x, y and z.
    ends : (e,) array of int
    nodes : (k, 3) array
        All nodes of the structure, m, six degrees of freedom each.
    lumped : bool
        Whether inertia loads act on the nodes alone.
    """

    element: Element
    axes: Floats
    ends: Ints
    nodes: Floats
    lumped: bool

    @cached_property
    def turn(self) -> Floats:
        """(12, 12) from the structure's axes to the elements'."""
        return np.asarray(np.kron(np.eye(4), self.axes), np.float64)

    def unit_matrices(self, s: Floats, w: Floats) -> Floats:
        """(g, 6, 12, 12) what unit force and moment at a Gauss point add, in the structure's axes."""
        turn, _ = self.element.motion(s)
        q = np.concatenate([self.element.slopes(s), turn, self.element.strains(s)[:, 1:]], axis=1) @ self.turn
        S = _energies(self.element.section.polar / self.element.section.A)
        unit: Floats = np.einsum("gai,tab,gbj,g->gtij", q, S, q, w * self.element.length, optimize=True)
        return unit

    def resultants(self, cases: LoadCases, along: Floats) -> tuple[Floats, Floats]:
        """Force and moment, in the elements' axes, together (e, g, 6, m) at `along` (g,), and nodal forces (e, 12, m).

        Nodal forces do the work of the stresses on displacements of the nodes, in the structure's axes.
        """
        l = self.element.length
        u = np.einsum("ij,ejm->eim", self.turn, cases.displacements[6 * self.ends[:, None] + np.arange(12)])
        constant, rate = self._inertia_loads(cases)
        s, w = gauss()
        _, move = self.element.motion(s)
        own = np.einsum("g,gai,eam->eim", w * l, move, constant) + np.einsum("g,gai,am->im", w * s * l**2, move, rate)
        nodal = np.einsum("ij,ejm->eim", self.element.stiffness(), u)
        first = own - nodal
        n, m = first[:, None, 3:6], first[:, None, :3]
        x = (along * l)[:, None, None]
        force = n - x * constant[:, None] - x**2 / 2.0 * rate
        area = x * n - x**2 / 2.0 * constant[:, None] - x**3 / 6.0 * rate
        moment = m + np.stack([np.zeros_like(area[:, :, 0]), area[:, :, 2], -area[:, :, 1]], axis=2)
        return np.concatenate([force, moment], axis=2), np.einsum("ji,ejm->eim", self.turn, nodal)

    def _inertia_loads(self, cases: LoadCases) -> tuple[Floats, Floats]:
        """Force per length at the start (e, 3, m), in the elements' axes, and its rate along x (3, m)."""
        m = cases.shares.shape[1]
        mass = 0.0 if self.lumped else self.element.material.rho * self.element.section.A
        uniform, moments = cases.shares[:3], cases.shares[3:INERTIA].reshape(3, 3, m)
        start = self.nodes[self.ends] - cases.origin
        constant = mass * (uniform + np.einsum("abm,eb->eam", moments, start))
        rate = mass * np.einsum("abm,b->am", moments, self.axes[0])
        return np.einsum("ij,ejm->eim", self.axes, constant), self.axes @ rate


@dataclass(frozen=True, eq=False)
class BeamStress:
    """Geometric stiffness of a path of beams."""

    segments: Sequence[BeamSegment]

    def loads(self, structure: Structure, held: Held, unit: UnitLoads) -> UnitLoads:
        """All loads."""
        return unit

    def stressed(self, cases: LoadCases) -> Iterator[Stressed]:
        """See `stress.GeometricStiffness`."""
        s, w = gauss()
        parts = []
        for segment in self.segments:
            inside, ends = segment.resultants(cases, s)
            loose = ~cases.within_region(segment.ends, segment.ends + 1)
            parts.append((segment, segment.unit_matrices(s, w), inside * loose[:, None, None, None], ends, loose))
        size = len(cases.displacements)
        for i in range(cases.displacements.shape[1]):
            forces = np.zeros(size)
            blocks = []
            for segment, unit, inside, ends, loose in parts:
                dofs = 6 * segment.ends[:, None] + np.arange(12)
                blocks.append((dofs, np.tensordot(inside[..., i], unit, 2)))
                np.add.at(forces, dofs[loose], ends[loose, :, i])
            yield Stressed(blocks, forces)


def _energies(gyration: float) -> Floats:
    """(6, 8, 8) for unit N, Q_y, Q_z, M_x, M_y, M_z: twice the energy per length is q* S q."""
    S = np.zeros((6, 8, 8))
    N, Q_y, Q_z, M_x, M_y, M_z = S
    N[V, V] = N[W, W] = 0.5
    N[TWIST, TWIST] = gyration / 2.0
    Q_y[RX, W], Q_y[RX, RY] = 1.0, 0.5
    Q_z[RX, V], Q_z[RX, RZ] = -1.0, 0.5
    M_x[RY, BEND_Z], M_x[RZ, BEND_Y] = -0.5, 0.5
    M_y[RZ, TWIST], M_y[RX, BEND_Z] = -0.5, 0.5
    M_z[RX, BEND_Y], M_z[RY, TWIST] = -0.5, 0.5
    return S + S.swapaxes(1, 2)
