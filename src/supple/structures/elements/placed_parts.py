"""A part of an assembled structure in its place: its arrays in the degrees of freedom and axes of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, array, rotation_matrix
from supple.errors import ModelError
from supple.structures.builders.connections import Part
from supple.structures.discretization.couplings import Arm, Average
from supple.structures.discretization.mass import MassModel, Sparse, Swung
from supple.structures.discretization.structure import Structure
from supple.structures.elements.assembled_recovery import PlacedSource
from supple.structures.elements.assembled_stress import StressedPart
from supple.structures.elements.given_stress import GivenStress
from supple.structures.elements.strains import Strains
from supple.structures.elements.surface import BodySurface


class PlacedPart:
    """A part in its place.

    Parameters
    ----------
    name : str
    part : Structure or Part
    node, dof : int
        Where its nodes and degrees of freedom begin in the whole.
    """

    def __init__(self, name: str, part: Structure | Part, node: int, dof: int) -> None:
        given = part if isinstance(part, Part) else Part(part)
        if not isinstance(given.structure, Structure):
            raise ModelError(f"assembly: part {name!r}: expected a Structure or a Part, got {type(part).__name__}")
        self.name, self.structure = name, given.structure
        self.node, self.dof = node, dof
        self.at = array(given.at, (3,), f"assembly: part {name!r}: at")
        self.R = rotation_matrix(given.rotation, f"assembly: part {name!r}: rotation")

    @cached_property
    def nodes(self) -> Floats:
        """(k, 3) in the whole, m."""
        return self.at + self.structure.nodes @ self.R.T

    def find(self, name: str) -> tuple[int, ...]:
        """Nodes of the whole that one of its frames or nodes is."""
        try:
            return tuple(self.node + i for i in self.structure.find(name))
        except ModelError as error:
            raise ModelError(f"part {self.name!r}: {error}") from None

    def regions(self) -> list[tuple[int, ...]]:
        """Its rigid regions, by nodes of the whole."""
        groups = [*(nodes for nodes in self.structure.frames.values() if len(nodes) > 1), *self.structure.rigid]
        return [tuple(self.node + i for i in group) for group in groups]

    def arms(self) -> list[Arm]:
        """Its nodes at the ends of rigid arms."""
        return [Arm(self.node + arm.node, self.node + arm.to) for arm in self.structure.arms]

    def averages(self) -> list[Average]:
        """Its nodes that follow others."""
        return [
            Average(self.node + one.dependent, tuple(self.node + i for i in one.nodes), one.weights)
            for one in self.structure.averages
        ]

    def expand(self, size: int) -> Sparse:
        """(own size, size): its degrees of freedom, in its own axes, by those of the whole."""
        turn = scipy.sparse.kron(scipy.sparse.eye_array(self.structure.layout.size // 3), self.R.T)
        return _put(turn, self.dof, size)

    def mass(self, size: int) -> MassModel:
        """Of the part, in the degrees of freedom of the whole."""
        own = self.structure.masses.through(self.expand(size))
        swung = own.swung
        if swung is not None:
            swung = Swung(swung.rows, swung.arms @ self.R.T, _turned(swung.turns, self.R))
        positions = own.positions @ self.R.T + np.where(own.counted[:, None], self.at, 0.0)
        return replace(own, motion=_turned(own.motion, self.R), positions=positions, swung=swung)

    def strains(self, nodes: int) -> Strains | None:
        """Gauges, with the name of the part in front of their places."""
        own = self.structure.strains
        if own is None:
            return None
        turn = scipy.sparse.kron(scipy.sparse.eye_array(2 * len(self.nodes)), self.R.T)
        matrix = scipy.sparse.csr_array(own.matrix @ _put(turn, 6 * self.node, 6 * nodes))
        places = tuple(f"{self.name} {place}" for place in own.places)
        return replace(own, places=places, positions=self.at + own.positions @ self.R.T, matrix=matrix)

    def stress(self) -> StressedPart | None:
        """Its geometric stiffness; None if it is not known for all loads."""
        own = self.structure.geometric
        if own is None or isinstance(own, GivenStress):
            return None
        return StressedPart(own, self.R, self.at, self.node, len(self.nodes), self.dof, self.structure.layout.size)

    def stress_source(self) -> PlacedSource | None:
        """Its elements; None if they are not known."""
        own = self.structure.stress_source
        return None if own is None else PlacedSource(self.name, own, self.R, self.at, self.node, len(self.nodes))

    def surface(self) -> BodySurface | None:
        """What it looks like."""
        own = self.structure.surface
        return None if own is None else BodySurface(self.node + own.node, own.offset @ self.R.T, own.faces)


def _put(matrix: Any, first: int, size: int) -> Sparse:
    """The matrix in columns from `first` on, of so many."""
    left, right = (scipy.sparse.csr_array((matrix.shape[0], n)) for n in (first, size - first - matrix.shape[1]))
    return scipy.sparse.csr_array(scipy.sparse.hstack([left, matrix, right]))


def _turned(rows: Sequence[Sparse], R: Floats) -> tuple[Sparse, Sparse, Sparse]:
    """Components along x, y and z of vectors, in turned axes."""
    if np.array_equal(R, np.eye(3)):
        x, y, z = rows
    else:
        x, y, z = (scipy.sparse.csr_array(sum(R[a, b] * rows[b] for b in range(3))) for a in range(3))
    return x, y, z
