"""Stresses at points of a body: rows that give six components from the motion of nodes or from coordinates.

A structure has a `StressSource`, which says what its elements do when its nodes move. Of a body that was made of it the
`Recovery` keeps the motions of its nodes, for a unit of each coordinate and of each static shape, and finds stresses
and section forces when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, Ints, floats, freeze
from supple.errors import ModelError, StateError
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.section_forces import SectionForces
from supple.structures.reduction.residual_vectors import StaticShapes

MotionSet = Literal["coordinates", "static"]
COMPONENTS = ("xx", "yy", "zz", "xy", "yz", "zx")
DISTORTION = np.zeros((5, 6))
"""Rows whose product with the six components has the norm of von Mises' stress."""
DISTORTION[0, :2] = np.sqrt(0.75) * np.array([1.0, -1.0])
DISTORTION[1, :3] = [0.5, 0.5, -1.0]
DISTORTION[2:, 3:] = np.sqrt(3.0) * np.eye(3)
TIED = 1.0 + 1e-6
"""Points this much farther than the nearest one are as near."""


@checked
@dataclass(frozen=True, eq=False)
class Stresses:
    """Stress recovery points.

    Attributes
    ----------
    places : tuple of str
        Of a beam "3-4 at 3 +y-z", a point of the section at an end of the element between two nodes; of a solid
        "node 12"; of a plate "node 12 top".
    elements : tuple of str
        What each point belongs to in tables of maxima: "3-4", "node 12".
    nodes : (p,) array of int
        The node that each point is at.
    positions : (p, 3) array
        Undeformed, m: in the structure's frame, of a body in the body's.
    matrix : (6 p, c) sparse array
        Components xx, yy, zz, xy, yz, zx of each point, Pa, in the axes of its element, for c unit motions.
    modulus, strength : (p,) arrays
        Young's modulus and yield strength there, Pa; not a number where one is not known.
    """

    places: tuple[str, ...]
    elements: tuple[str, ...]
    nodes: Ints
    positions: Floats
    matrix: scipy.sparse.csr_array
    modulus: Floats
    strength: Floats

    def __post_init__(self) -> None:
        freeze(self, "nodes", "positions", "matrix", "modulus", "strength")
        p = len(self.places)
        shapes = (len(self.elements), *self.nodes.shape, self.positions.shape, self.matrix.shape[0])
        if (*shapes, self.modulus.shape, self.strength.shape) != (p, p, (p, 3), 6 * p, (p,), (p,)):
            raise ModelError(
                f"stresses: expected {p} elements, nodes ({p},), positions ({p}, 3), {6 * p} rows, modulus and "
                f"strength ({p},), one for each place, got {shapes}, {self.modulus.shape} and {self.strength.shape}"
            )
        if not (np.isfinite(self.positions).all() and np.isfinite(self.matrix.data).all()):
            raise ModelError("stresses: expected finite numbers in positions and matrix")

    def __len__(self) -> int:
        return len(self.places)

    def values(self, motion: Floats) -> Floats:
        """Components (..., p, 6), Pa, for amplitudes (..., c) of the motions."""
        flat = motion.reshape(-1, motion.shape[-1])
        found = np.asarray((self.matrix[:, : flat.shape[1]] @ flat.T).T)
        return found.reshape(*motion.shape[:-1], len(self), 6)

    def at(self, points: Sequence[int] | Ints) -> Stresses:
        """Some of the points."""
        chosen = np.asarray(points, np.int64)
        if chosen.ndim != 1:
            raise StateError(f"points: expected a list of their numbers, got shape {chosen.shape}")
        rows: Any = (6 * chosen[:, None] + np.arange(6)).ravel()
        matrix: Any = self.matrix[rows]
        return Stresses(
            tuple(self.places[i] for i in chosen),
            tuple(self.elements[i] for i in chosen),
            self.nodes[chosen],
            self.positions[chosen],
            scipy.sparse.csr_array(matrix),
            self.modulus[chosen],
            self.strength[chosen],
        )

    def in_motions(self, matrix: Sparse) -> Stresses:
        """The same points in other motions, with other rows."""
        return replace(self, matrix=scipy.sparse.csr_array(matrix))

    def near(self, points: Floats) -> Sparse:
        """(n, p) shares of the recovery points nearest to some points (n, 3); several that are as near alike."""
        tree = scipy.spatial.KDTree(self.positions)
        distance, _ = tree.query(points)
        size = float(np.ptp(self.positions, axis=0).max(initial=0.0))
        found: Any = tree.query_ball_point(points, distance * TIED + 1e-9 * size)
        counts = np.array([len(x) for x in found])
        rows, columns = np.repeat(np.arange(len(points)), counts), np.concatenate([np.sort(x) for x in found])
        shape = (len(points), len(self))
        return scipy.sparse.csr_array((1.0 / np.repeat(counts, counts), (rows, columns.astype(np.int64))), shape=shape)


@checked
def von_mises(components: Floats) -> Floats:
    """Von Mises' stress (...) of components (..., 6)."""
    x = floats(components)
    if x is None or x.shape[-1:] != (6,):
        raise StateError(
            f"von Mises stress: components: expected numbers of shape (..., 6), got {np.shape(components)}"
        )
    return np.asarray(np.linalg.norm(x @ DISTORTION.T, axis=-1))


def joined_stresses(parts: Sequence[Stresses]) -> Stresses:
    """The points of several parts of one structure, in the same motions."""
    return Stresses(
        tuple(place for part in parts for place in part.places),
        tuple(element for part in parts for element in part.elements),
        np.concatenate([part.nodes for part in parts]),
        np.concatenate([part.positions for part in parts]),
        scipy.sparse.csr_array(scipy.sparse.vstack([part.matrix for part in parts])),
        np.concatenate([part.modulus for part in parts]),
        np.concatenate([part.strength for part in parts]),
    )


class StressSource(Protocol):
    """What the elements of a structure do when its nodes move."""

    def stresses(self, motion: Sparse) -> Stresses | None:
        """In motions (6 k, c), rotation and displacement of all nodes; None where points of elements are not known."""

    def section_forces(self, motion: Sparse) -> SectionForces | None:
        """Of beams, in the same motions; None of anything else."""


class Recovery:
    """Stresses and section forces of a flexible body, found when they are first asked for.

    Parameters
    ----------
    stresses, section_forces : functions of a set of motions
        What `StressSource` has, in the body's frame: for a unit of each coordinate, or of each static shape.
    static : function that returns StaticShapes or None
        What the coordinates leave of static deflections; None where it is not known.
    """

    def __init__(
        self,
        stresses: Callable[[MotionSet], Stresses | None],
        section_forces: Callable[[MotionSet], SectionForces | None],
        static: Callable[[], StaticShapes | None],
    ) -> None:
        self._stresses, self._forces, self._static = stresses, section_forces, static

    @cached_property
    def stresses(self) -> Stresses | None:
        """For a unit of each coordinate; None where elements are not known."""
        return self._stresses("coordinates")

    @cached_property
    def static_stresses(self) -> Stresses | None:
        """For a unit of each static shape."""
        return None if self.static is None else self._stresses("static")

    @cached_property
    def section_forces(self) -> SectionForces | None:
        """Of beams, for a unit of each coordinate; None of anything else."""
        return self._forces("coordinates")

    @cached_property
    def static_forces(self) -> SectionForces | None:
        """The same for a unit of each static shape."""
        return None if self.static is None else self._forces("static")

    @cached_property
    def static(self) -> StaticShapes | None:
        """What the coordinates leave of static deflections."""
        return self._static()


def recovery(
    source: StressSource | None, motion: Sparse, origin: Floats, static: Callable[[], StaticShapes | None]
) -> Recovery:
    """Of a body in whose frame the structure's `origin` is at zero, its nodes moving by `motion` (6 k, n)."""

    def moved(of: MotionSet) -> Sparse:
        shapes = made.static
        return motion if of == "coordinates" or shapes is None else scipy.sparse.csr_array(shapes.shapes)

    def stresses(of: MotionSet) -> Stresses | None:
        found = None if source is None else source.stresses(moved(of))
        return None if found is None else replace(found, positions=found.positions - origin)

    def forces(of: MotionSet) -> SectionForces | None:
        found = None if source is None else source.section_forces(moved(of))
        return None if found is None else replace(found, positions=found.positions - origin)

    made = Recovery(stresses, forces, static)
    return made
