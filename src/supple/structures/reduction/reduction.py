"""How a structure is reduced, and what a flexible body was reduced from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from supple.checks import text
from supple.errors import ModelError, one_of
from supple.structures.damping import Damping
from supple.structures.discretization.discretization import Discretization
from supple.structures.reduction.mode_selection import Modes

BASES = ("cantilever", "free-free", "craig-bampton", "nodal")


@dataclass(frozen=True, eq=False)
class Reduction:
    """The arguments of `Structure.reduce`."""

    basis: str
    modes: Modes | None = None
    root: str = "start"
    interfaces: Sequence[str] | None = None
    damping: Damping = None
    residual: Sequence[str] = ()

    def require_basis(self, known: Sequence[str] = BASES, of: str = "") -> None:
        """Raise if the basis is none of these, or has no interfaces where some are named."""
        if text(self.basis, "basis") not in known:
            raise ModelError(f"no basis {self.basis!r}{of}{one_of(known)}")
        if self.interfaces is not None and self.basis != "craig-bampton":
            raise ModelError(
                f"interfaces: only the basis 'craig-bampton' has them, got {self.interfaces!r} for {self.basis!r}"
            )


class ReducedFrom(NamedTuple):
    """A structure, and how it was reduced."""

    structure: Discretization
    reduction: Reduction
