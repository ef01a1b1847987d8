"""Section forces of beams: normal and shear forces, torsional and bending moments, at both ends of each element.

They act on a section from the side where x is larger, in the axes of the element: x along it, y and z those of its
section. So N is positive in tension, and the forces at the outer end of a cantilever are those that are applied there.
Moments and N are those of the element's deformation, E Iy times curvature y and so on; the shear forces
Vy = -dMz/dx and Vz = dMy/dx follow from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from supple.checks import Floats, Ints, freeze
from supple.errors import ModelError
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.beam_element import Element

RESULTANTS = ("N", "Vy", "Vz", "T", "My", "Mz")


@dataclass(frozen=True, eq=False)
class SectionForces:
    """Rows that give section forces in c unit motions.

    Attributes
    ----------
    places : tuple of str
        "3-4 at 3": the end at node 3 of the element between two nodes.
    nodes : (s,) array of int
        The node of each section.
    positions : (s, 3) array
        Undeformed, m: in the structure's frame, of a body in the body's.
    matrix : (6 s, c) sparse array
        N, Vy, Vz (N), T, My, Mz (N m) of each section.
    """

    places: tuple[str, ...]
    nodes: Ints
    positions: Floats
    matrix: scipy.sparse.csr_array

    def __post_init__(self) -> None:
        freeze(self, "nodes", "positions", "matrix")
        s = len(self.places)
        shapes = self.nodes.shape, self.positions.shape, self.matrix.shape[0]
        if shapes != ((s,), (s, 3), 6 * s) or not np.isfinite(self.matrix.data).all():
            raise ModelError(f"section forces: expected ({s},), ({s}, 3) and {6 * s} finite rows, got {shapes}")

    def __len__(self) -> int:
        return len(self.places)

    def in_motions(self, matrix: Sparse) -> SectionForces:
        """The same sections in other motions, with other rows."""
        return replace(self, matrix=scipy.sparse.csr_array(matrix))

    def values(self, motion: Floats) -> Floats:
        """N, Vy, Vz, T, My, Mz (..., s, 6) for amplitudes (..., c) of the motions."""
        flat = motion.reshape(-1, motion.shape[-1])
        found = np.asarray((self.matrix[:, : flat.shape[1]] @ flat.T).T)
        return found.reshape(*motion.shape[:-1], len(self), 6)


def element_forces(element: Element, axes: Floats) -> Floats:
    """(2, 6, 12) section forces at both ends for the element's degrees of freedom, in the structure's axes."""
    section, material = element.section, element.material
    axial, twist, bend_y, bend_z = np.moveaxis(element.strains(np.array([0.0, 1.0])), 1, 0)
    N, T = material.E * section.A * axial, material.G * section.J * twist
    My, Mz = material.E * section.Iy * bend_y, material.E * section.Iz * bend_z
    Vy, Vz = -(Mz[1] - Mz[0]) / element.length, (My[1] - My[0]) / element.length
    ends = [np.stack([N[end], Vy, Vz, T[end], My[end], Mz[end]]) for end in range(2)]
    return np.asarray(np.stack(ends) @ np.kron(np.eye(4), axes))


def joined_forces(parts: Sequence[SectionForces]) -> SectionForces:
    """The sections of several parts of one structure, in the same motions."""
    return SectionForces(
        tuple(place for part in parts for place in part.places),
        np.concatenate([part.nodes for part in parts]),
        np.concatenate([part.positions for part in parts]),
        scipy.sparse.csr_array(scipy.sparse.vstack([part.matrix for part in parts])),
    )
