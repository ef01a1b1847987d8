"""Stresses and section forces of structures made of others: those of the parts, each in its own axes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import scipy

from supple.checks import Floats
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.section_forces import SectionForces, joined_forces
from supple.structures.elements.stresses import Stresses, StressSource, joined_stresses


@dataclass(frozen=True, eq=False)
class PlacedSource:
    """A part whose elements are known.

    Attributes
    ----------
    name : str
        Of the part, which goes before its places.
    source : StressSource
    R, at : (3, 3) and (3,) arrays
        From its axes to those of the whole, and where its origin is, m.
    node, count : int
        Its first node in the whole, and how many it has.
    """

    name: str
    source: StressSource
    R: Floats
    at: Floats
    node: int
    count: int

    def motion(self, whole: Sparse) -> Sparse:
        """(6 count, c) motion of its nodes in its own axes, in that of all nodes (6 k, c)."""
        own = scipy.sparse.csr_array(whole)[6 * self.node : 6 * (self.node + self.count)]
        turn = scipy.sparse.kron(scipy.sparse.eye_array(2 * self.count), self.R.T)
        return scipy.sparse.csr_array(turn @ own)

    def placed(self, found: Stresses) -> Stresses:
        """Its points as those of the whole."""
        return replace(
            found,
            places=self._named(found.places),
            elements=self._named(found.elements),
            nodes=self.node + found.nodes,
            positions=self.at + found.positions @ self.R.T,
        )

    def placed_forces(self, found: SectionForces) -> SectionForces:
        """Its sections as those of the whole."""
        positions = self.at + found.positions @ self.R.T
        return replace(found, places=self._named(found.places), nodes=self.node + found.nodes, positions=positions)

    def _named(self, places: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{self.name} {place}" for place in places)


@dataclass(frozen=True, eq=False)
class AssembledRecovery:
    """The parts whose elements are known, as `stresses.StressSource`."""

    parts: tuple[PlacedSource, ...]

    def stresses(self, motion: Sparse) -> Stresses | None:
        """Of those parts that have some."""
        found = [(part, part.source.stresses(part.motion(motion))) for part in self.parts]
        known = [part.placed(own) for part, own in found if own is not None]
        return joined_stresses(known) if known else None

    def section_forces(self, motion: Sparse) -> SectionForces | None:
        """Of those parts that have some."""
        found = [(part, part.source.section_forces(part.motion(motion))) for part in self.parts]
        known = [part.placed_forces(own) for part, own in found if own is not None]
        return joined_forces(known) if known else None
