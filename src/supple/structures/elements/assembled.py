"""Elements of structures made of others: those of the parts, each in its own place and axes.

Bushings and nodes that follow others add nothing to the geometric stiffness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, array, rotation_matrix
from supple.errors import ModelError
from supple.structures.builders.connections import Part
from supple.structures.discretization.couplings import Arm, Average
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import MassModel, OffsetMass, Sparse, joined
from supple.structures.elements.elements import Elements
from supple.structures.elements.recovery_table import RecoveryTable, joined_tables
from supple.structures.elements.stressed_state import INERTIA, LoadCases, StressedState
from supple.structures.elements.surface import BodySurface
from supple.structures.structure import Structure


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

    @property
    def elements(self) -> Elements:
        """Its elements; those of which nothing is known if there are none."""
        return self.structure.elements or Elements()

    @property
    def turned(self) -> bool:
        """Whether its axes are not those of the whole."""
        return not np.array_equal(self.R, np.eye(3))

    @property
    def turn(self) -> Any:
        """(own size, own size) from its own axes to those of the whole."""
        return scipy.sparse.kron(scipy.sparse.eye_array(self.structure.layout.size // 3), self.R)

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
        return _put(self.turn.T, self.dof, size)

    def mass(self, size: int) -> MassModel:
        """Of the part, in the degrees of freedom of the whole."""
        own = self.structure.masses.through(self.expand(size))
        offset_mass = own.offset_mass
        if offset_mass is not None:
            offset_mass = OffsetMass(offset_mass.rows, offset_mass.arms @ self.R.T, _turned(offset_mass.turns, self.R))
        positions = own.positions @ self.R.T + np.where(own.counted[:, None], self.at, 0.0)
        return replace(own, motion=_turned(own.motion, self.R), positions=positions, offset_mass=offset_mass)

    def recovered(self, find: Callable[[Any], RecoveryTable | None], motion: Any) -> RecoveryTable | None:
        """Return what its elements find in the motion of all nodes, named and placed as in the whole."""
        count = len(self.structure.nodes)
        rows = scipy.sparse.csr_array(motion)[6 * self.node : 6 * (self.node + count)]
        own = find(scipy.sparse.csr_array(scipy.sparse.kron(scipy.sparse.eye_array(2 * count), self.R.T) @ rows))
        if own is None:
            return None
        return replace(
            own,
            places=tuple(f"{self.name} {place}" for place in own.places),
            elements=tuple(f"{self.name} {element}" for element in own.elements),
            nodes=np.where(own.nodes < 0, -1, self.node + own.nodes),
            positions=self.at + own.positions @ self.R.T,
        )

    def cases(self, cases: LoadCases) -> LoadCases:
        """Return the load cases as the part sees them."""
        R, own = self.R, cases.displacements[self.dof : self.dof + self.structure.layout.size]
        shares = cases.shares.copy()
        m = shares.shape[1]
        shares[:3] = R.T @ shares[:3]
        moments = shares[3:INERTIA].reshape(3, 3, m)
        shares[3:INERTIA] = np.einsum("ia,ijm,jb->abm", R, moments, R).reshape(9, m)
        own = np.asarray(self.turn.T @ own) if self.turned else own
        region = cases.region[self.node : self.node + len(self.structure.nodes)]
        return LoadCases(own, shares, R.T @ (cases.origin - self.at), region)

    def surface(self) -> BodySurface | None:
        """Return its surface in the whole."""
        own = self.structure.surface
        return None if own is None else BodySurface(self.node + own.node, own.offset @ self.R.T, own.faces)


@dataclass(frozen=True, eq=False)
class Assembled(Elements):
    """The elements of all parts."""

    parts: tuple[PlacedPart, ...]

    @cached_property
    def layout(self) -> DofLayout:
        """Nodes of the parts, one part after the other."""
        turning = np.concatenate([part.structure.turning for part in self.parts])
        return DofLayout(np.concatenate([part.nodes for part in self.parts]), turning)

    @property
    def stiffens(self) -> bool:
        """Whether the geometric stiffness of all parts is known, for all loads."""
        return all(part.elements.stiffens and part.elements.load_cases is None for part in self.parts)

    def stiffness(self) -> Sparse:
        """Return that of the parts."""
        size = self.layout.size
        total = scipy.sparse.csr_array((size, size))
        for part in self.parts:
            expand = part.expand(size)
            total = total + expand.T @ part.structure.stiffness @ expand
        return scipy.sparse.csr_array((total + total.T) * 0.5)

    def mass(self) -> MassModel:
        """Return that of the parts."""
        parts = [part.mass(self.layout.size) for part in self.parts]
        whole = joined(parts)
        if all(part.given is None for part in parts):
            return whole
        given = scipy.sparse.csr_array(sum((part.matrix for part in parts[1:]), start=parts[0].matrix))
        return MassModel(whole.motion, whole.positions, whole.weights, whole.counted, given, whole.offset_mass)

    def strains(self, motion: Any) -> RecoveryTable | None:
        """Return those of the parts whose elements are known."""
        return _joined(part.recovered(part.elements.strains, motion) for part in self.parts)

    def stresses(self, motion: Any) -> RecoveryTable | None:
        """Return those of the parts whose elements are known."""
        return _joined(part.recovered(part.elements.stresses, motion) for part in self.parts)

    def section_forces(self, motion: Any) -> RecoveryTable | None:
        """Return those of the parts that are beams."""
        return _joined(part.recovered(part.elements.section_forces, motion) for part in self.parts)

    def geometric_stiffness(self, cases: LoadCases) -> Iterator[StressedState]:
        """Return that of the parts in each load case."""
        size = len(cases.displacements)
        for states in zip(*(part.elements.geometric_stiffness(part.cases(cases)) for part in self.parts), strict=True):
            forces = np.zeros(size)
            blocks, given = [], scipy.sparse.csr_array((size, size))
            for part, state in zip(self.parts, states, strict=True):
                end = part.dof + part.structure.layout.size
                if part.turned:
                    T = part.turn
                    forces[part.dof : end] = T @ state.forces
                    expand = _put(T.T, part.dof, size)
                    given = given + expand.T @ state.matrix @ expand
                else:
                    forces[part.dof : end] = state.forces
                    blocks += [(part.dof + dofs, K) for dofs, K in state.blocks]
            yield StressedState(blocks, forces, scipy.sparse.csr_array(given) if given.nnz else None)

    def surface(self) -> BodySurface | None:
        """Return that of the parts that have one."""
        known = [surface for part in self.parts if (surface := part.surface()) is not None]
        if not known:
            return None
        first = np.cumsum([0, *(len(surface.node) for surface in known)])
        faces = [surface.faces + start for surface, start in zip(known, first, strict=False)]
        return BodySurface(
            np.concatenate([surface.node for surface in known]),
            np.concatenate([surface.offset for surface in known]),
            np.concatenate(faces),
        )


def _joined(found: Iterator[RecoveryTable | None]) -> RecoveryTable | None:
    known = [table for table in found if table is not None]
    return joined_tables(known) if known else None


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
