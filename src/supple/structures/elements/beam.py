"""Paths of beam elements: matrices, strains, stresses, section forces and geometric stiffness.

Stress resultants add to the stiffness of a straight element:
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
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import MassModel, Sparse, joined, stations
from supple.structures.elements.beam_element import Element, gauss
from supple.structures.elements.elements import Elements
from supple.structures.elements.recovery_table import (
    RESULTANTS,
    STRESSES,
    RecoveryTable,
    joined_tables,
    material_rows,
)
from supple.structures.elements.scatter import element_matrix, element_rows, rows_in_motion
from supple.structures.elements.stressed_state import INERTIA, LoadCases, StressedState
from supple.structures.elements.surface import BodySurface, of_segments

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

    @property
    def dofs(self) -> Ints:
        """(e, 12) degrees of freedom of the elements."""
        return 6 * self.ends[:, None] + np.arange(12)

    def mass(self, layout: DofLayout) -> MassModel:
        """Return slices at Gauss points, which make the exact mass matrix, or at the nodes."""
        l, count = self.element.length, len(self.ends)
        if self.lumped:  # half of each element, with the inertia of its section, at each of its nodes
            nodes = np.concatenate([self.ends, self.ends[-1:] + 1])
            lengths = np.full(len(nodes), l)
            lengths[[0, -1]] /= 2.0
            rows = 6 * nodes[:, None] + np.arange(3)
            turn, move = (scipy.sparse.csr_array(layout.motion[(rows + shift).ravel()]) for shift in (0, 3))
            return self._slices(self.nodes[nodes], move, turn, lengths)
        s, w = gauss()
        moved = (self.axes.T @ part @ self.turn for part in self.element.motion(s))
        turn, move = (element_rows(part[None], self.dofs, layout.size) for part in moved)
        a, b = self.nodes[self.ends], self.nodes[self.ends + 1]
        positions = (a[:, None] + s[:, None] * (b - a)[:, None]).reshape(-1, 3)
        return self._slices(positions, move, turn, np.tile(w * l, count))

    def _slices(self, positions: Floats, move: Sparse, turn: Sparse, lengths: Floats) -> MassModel:
        """Slices of these lengths."""
        section, rho, R = self.element.section, self.element.material.rho, self.axes
        second = R.T @ np.diag([0.0, rho * section.Iz, rho * section.Iy]) @ R
        return stations(positions, move, turn, rho * section.A * lengths, lengths[:, None, None] * second)

    def strains(self, motion: Any) -> RecoveryTable:
        """Return axial strain and twist, constant along an element, and at both ends curvatures and fibre strains."""
        axial, twist, bend_y, bend_z = np.moveaxis(self.element.strains(np.array([0.0, 1.0])), 1, 0)
        rows, quantities, at = [axial[0], twist[0]], ["axial strain", "twist"], [-1, -1]
        fibres = self.element.section.fibres()
        for end in range(2):
            rows += [bend_y[end], bend_z[end]]
            rows += [axial[end] + z * bend_y[end] - y * bend_z[end] for y, z in fibres.values()]
            found = ["curvature y", "curvature z", *(f"fibre {name}" for name in fibres)]
            quantities += found
            at += [end] * len(found)
        count, x = len(self.ends), self.nodes
        along = np.array([0.5 if end < 0 else float(end) for end in at])
        positions = x[self.ends][:, None] + along[:, None] * (x[self.ends + 1] - x[self.ends])[:, None]
        own = element_rows((np.stack(rows) @ self.turn)[None], self.dofs, 6 * len(x))
        return RecoveryTable(
            tuple(f"{i}-{i + 1}" + ("" if end < 0 else f" at {i + end}") for i in self.ends.tolist() for end in at),
            tuple(quantities) * count,
            np.where(np.array(at) < 0, -1, self.ends[:, None] + at).ravel(),
            positions.reshape(-1, 3),
            rows_in_motion(own, motion),
            material_rows(self.element.material, count * len(at)),
            tuple(f"{i}-{i + 1}" for i in self.ends.tolist() for _ in at),
        )

    def section_forces(self, motion: Any) -> RecoveryTable:
        """Return forces and moments at both ends of each element."""
        nodes = (self.ends[:, None] + np.arange(2)).ravel()
        own = element_rows(element_forces(self.element, self.axes)[None], self.dofs, 6 * len(self.nodes))
        return RecoveryTable(
            tuple(f"{i}-{i + 1} at {i + end}" for i in self.ends.tolist() for end in range(2)),
            RESULTANTS,
            nodes,
            self.nodes[nodes],
            rows_in_motion(own, motion),
            material_rows(self.element.material, len(nodes)),
            tuple(f"{i}-{i + 1}" for i in self.ends.tolist() for _ in range(2)),
        )

    def stresses(self, motion: Any) -> RecoveryTable:
        """Return stresses at the extreme points of the section, at both ends of each element."""
        forces, points = self.section_forces(motion), self.element.section.stress_points()
        count = len(points)
        every = scipy.sparse.csr_array(scipy.sparse.block_diag([point_stresses(self.element)] * len(forces)))
        across = np.array([(x.y, x.z) for x in points]) @ self.axes[1:]
        return RecoveryTable(
            tuple(f"{place} {point.name}" for place in forces.places for point in points),
            STRESSES,
            np.repeat(forces.nodes, count),
            (forces.positions[:, None] + across).reshape(-1, 3),
            scipy.sparse.csr_array(every @ forces.matrix),
            np.repeat(forces.material, count, axis=0),
            tuple(element for element in forces.elements for _ in points),
        )


@dataclass(frozen=True, eq=False)
class BeamElements(Elements):
    """A path of beams in segments of equal elements."""

    segments: Sequence[BeamSegment]
    stiffens = True

    @cached_property
    def layout(self) -> DofLayout:
        """Nodes of all segments."""
        nodes = self.segments[0].nodes
        return DofLayout(nodes, np.ones(len(nodes), bool))

    def stiffness(self) -> Sparse:
        """Return the sum over the elements."""
        total = scipy.sparse.csr_array((self.layout.size, self.layout.size))
        for x in self.segments:
            K = x.turn.T @ x.element.stiffness() @ x.turn
            total = total + element_matrix((K + K.T) / 2.0, x.dofs, self.layout.size)
        return total

    def mass(self) -> MassModel:
        """Return slices of the beams."""
        return joined([segment.mass(self.layout) for segment in self.segments])

    def strains(self, motion: Any) -> RecoveryTable:
        """Return strains of all segments."""
        return joined_tables([segment.strains(motion) for segment in self.segments])

    def stresses(self, motion: Any) -> RecoveryTable | None:
        """Return stresses of all segments, if the outlines of their sections are known."""
        if any(not segment.element.section.stress_points() for segment in self.segments):
            return None
        return joined_tables([segment.stresses(motion) for segment in self.segments])

    def section_forces(self, motion: Any) -> RecoveryTable:
        """Return section forces of all segments."""
        return joined_tables([segment.section_forces(motion) for segment in self.segments])

    def geometric_stiffness(self, cases: LoadCases) -> Iterator[StressedState]:
        """Return what the resultants of each load case add."""
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
                blocks.append((segment.dofs, np.tensordot(inside[..., i], unit, 2)))
                np.add.at(forces, segment.dofs[loose], ends[loose, :, i])
            yield StressedState(blocks, forces)

    def surface(self) -> BodySurface:
        """Return the outlines of the sections, swept along the segments."""
        parts = [(int(x.ends[0]), int(x.ends[-1]) + 1, x.element.section, x.axes) for x in self.segments]
        return of_segments(self.layout.points, parts)


def element_forces(element: Element, axes: Floats) -> Floats:
    """(2, 6, 12) section forces at both ends for the element's degrees of freedom, in the structure's axes."""
    section, material = element.section, element.material
    axial, twist, bend_y, bend_z = np.moveaxis(element.strains(np.array([0.0, 1.0])), 1, 0)
    N, T = material.E * section.A * axial, material.G * section.J * twist
    My, Mz = material.E * section.Iy * bend_y, material.E * section.Iz * bend_z
    Vy, Vz = -(Mz[1] - Mz[0]) / element.length, (My[1] - My[0]) / element.length
    ends = [np.stack([N[end], Vy, Vz, T[end], My[end], Mz[end]]) for end in range(2)]
    return np.asarray(np.stack(ends) @ np.kron(np.eye(4), axes))


def point_stresses(element: Element) -> Floats:
    """(6 points, 6) components xx, yy, zz, xy, yz, zx at the section's points for N, Vy, Vz, T, My, Mz."""
    section = element.section
    points = section.stress_points()
    out = np.zeros((len(points), 6, 6))
    for row, (_, y, z, (xy, xz)) in zip(out, points, strict=True):
        row[0, [0, 4, 5]] = 1.0 / section.A, z / section.Iy, -y / section.Iz
        row[3, [3, 1, 2]], row[5, [3, 1, 2]] = xy, xz
    return out.reshape(-1, 6)


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
