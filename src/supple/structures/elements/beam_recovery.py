"""Section forces and stresses of beams, from the motion of their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.beam_element import Element
from supple.structures.elements.beam_stress import BeamSegment
from supple.structures.elements.section_forces import SectionForces, element_forces, joined_forces
from supple.structures.elements.stresses import Stresses, joined_stresses

NOISE = 1e-14
"""A force below this share of the terms it is the sum of is their rounding."""


@dataclass(frozen=True, eq=False)
class BeamRecovery:
    """The elements of a path of beams, as `stresses.StressSource`."""

    segments: Sequence[BeamSegment]

    def section_forces(self, motion: Sparse) -> SectionForces:
        """At both ends of each element."""
        return joined_forces([_forces(segment, motion) for segment in self.segments])

    def stresses(self, motion: Sparse) -> Stresses | None:
        """At the extreme points of the sections, at both ends of each element."""
        if any(not segment.element.section.stress_points() for segment in self.segments):
            return None
        return joined_stresses([_stresses(segment, motion) for segment in self.segments])


def _forces(segment: BeamSegment, motion: Sparse) -> SectionForces:
    rows = element_forces(segment.element, segment.axes).reshape(12, 12)
    count = len(segment.ends)
    columns = 6 * segment.ends[:, None, None] + np.arange(12)
    place = np.broadcast_to(np.arange(12 * count).reshape(count, 12, 1), (count, 12, 12))
    values = np.broadcast_to(rows, (count, 12, 12))
    shape = (12 * count, 6 * len(segment.nodes))
    entries = (values.ravel(), (place.ravel(), np.broadcast_to(columns, values.shape).ravel()))
    matrix = scipy.sparse.csr_array(entries, shape=shape)
    matrix.eliminate_zeros()
    nodes = (segment.ends[:, None] + np.arange(2)).ravel()
    places = tuple(f"{i}-{i + 1} at {i + end}" for i in segment.ends.tolist() for end in range(2))
    return SectionForces(places, nodes, segment.nodes[nodes], _product(matrix, motion))


def _product(matrix: Sparse, motion: Sparse) -> scipy.sparse.csr_array:
    """The product of both, without the rounding of motions that deform nothing."""
    values = scipy.sparse.coo_array(matrix @ motion)
    terms = scipy.sparse.csr_array(abs(matrix) @ abs(motion))
    kept = np.abs(values.data) > NOISE * np.asarray(terms[values.row, values.col]).reshape(-1)
    return scipy.sparse.csr_array((values.data[kept], (values.row[kept], values.col[kept])), shape=values.shape)


def _stresses(segment: BeamSegment, motion: Sparse) -> Stresses:
    forces, element = _forces(segment, motion), segment.element
    points = element.section.stress_points()
    sections, count = len(forces), len(points)
    every = scipy.sparse.csr_array(scipy.sparse.block_diag([point_stresses(element)] * sections))
    across = np.array([(x.y, x.z) for x in points]) @ segment.axes[1:]
    material = element.material
    strength = np.nan if material.yield_strength is None else material.yield_strength
    return Stresses(
        tuple(f"{place} {point.name}" for place in forces.places for point in points),
        tuple(place.partition(" ")[0] for place in forces.places for _ in points),
        np.repeat(forces.nodes, count),
        (forces.positions[:, None] + across).reshape(-1, 3),
        scipy.sparse.csr_array(every @ forces.matrix),
        np.full(sections * count, material.E),
        np.full(sections * count, strength),
    )


def point_stresses(element: Element) -> Floats:
    """(6 points, 6) components xx, yy, zz, xy, yz, zx at the section's points for N, Vy, Vz, T, My, Mz."""
    section = element.section
    points = section.stress_points()
    out = np.zeros((len(points), 6, 6))
    for row, (_, y, z, (xy, xz)) in zip(out, points, strict=True):
        row[0, [0, 4, 5]] = 1.0 / section.A, z / section.Iy, -y / section.Iz
        row[3, [3, 1, 2]], row[5, [3, 1, 2]] = xy, xz
    return out.reshape(-1, 6)
