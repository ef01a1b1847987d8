"""What the elements of a structure say of it: beams, plates, solids, those of other programs, and of several parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from supple.checks import Floats
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import MassModel, Sparse
from supple.structures.elements.recovery_table import RecoveryTable
from supple.structures.elements.stressed_state import LoadCases, StressedState
from supple.structures.elements.surface import BodySurface


class Elements:
    """Elements of one kind; what a kind does not say of itself is not known."""

    @property
    def layout(self) -> DofLayout:
        """Nodes and degrees of freedom of the elements, the first of those of their structure."""
        raise NotImplementedError

    @property
    def stiffens(self) -> bool:
        """Whether the geometric stiffness is known."""
        return False

    @property
    def load_cases(self) -> tuple[str | Floats, ...] | None:
        """Load cases by name, or forces (size,), whose geometric stiffness is known; None for any."""
        return None

    @property
    def clamped(self) -> Mapping[int, str]:
        """Nodes with their names that were clamped when another program computed the geometric stiffness."""
        return {}

    def stiffness(self) -> Sparse:
        """Return the stiffness matrix (size, size)."""
        raise NotImplementedError

    def mass(self) -> MassModel:
        """Return where the mass is."""
        raise NotImplementedError

    def strains(self, motion: Any) -> RecoveryTable | None:
        """Return strains in motions (6 k, c), rotation and displacement of all nodes; None where they are not known."""
        return None

    def stresses(self, motion: Any) -> RecoveryTable | None:
        """Return stresses in the same motions."""
        return None

    def section_forces(self, motion: Any) -> RecoveryTable | None:
        """Return forces and moments on sections of beams in the same motions."""
        return None

    def geometric_stiffness(self, cases: LoadCases) -> Iterator[StressedState]:
        """Return what stresses add to the stiffness in each load case."""
        raise NotImplementedError

    def surface(self) -> BodySurface | None:
        """Return the surface that is drawn."""
        return None
