"""Strains, stresses and section forces of a flexible body, found when they are first requested.

Of a body that was made of elements the motions of its nodes are kept, for a unit of each coordinate and of each static
shape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import scipy

from supple.checks import Floats
from supple.structures.elements.elements import Elements
from supple.structures.elements.recovery_table import RecoveryTable
from supple.structures.reduction.residual_vectors import StaticShapes

Kind = Literal["strains", "stresses", "section_forces"]
MotionSet = Literal["coordinates", "static"]


class Recovery:
    """Strains, stresses and section forces of a flexible body.

    Parameters
    ----------
    find : function of a kind and a set of motions
        What `Elements` have of it, in the body's frame: for a unit of each coordinate, or of each static shape.
    static : function that returns StaticShapes or None
        What the coordinates leave of static deflections; None where it is not known.
    """

    def __init__(
        self,
        find: Callable[[Kind, MotionSet], RecoveryTable | None],
        static: Callable[[], StaticShapes | None] = lambda: None,
    ) -> None:
        self._find, self._static = find, static

    @cached_property
    def strains(self) -> RecoveryTable | None:
        """Strains for a unit of each coordinate; None where elements are not known."""
        return self._find("strains", "coordinates")

    @cached_property
    def stresses(self) -> RecoveryTable | None:
        """Stresses for a unit of each coordinate; None where elements are not known."""
        return self._find("stresses", "coordinates")

    @cached_property
    def section_forces(self) -> RecoveryTable | None:
        """Section forces of beams for a unit of each coordinate; None of anything else."""
        return self._find("section_forces", "coordinates")

    @cached_property
    def static_stresses(self) -> RecoveryTable | None:
        """Stresses for a unit of each static shape."""
        return None if self.static is None else self._find("stresses", "static")

    @cached_property
    def static_forces(self) -> RecoveryTable | None:
        """Section forces for a unit of each static shape."""
        return None if self.static is None else self._find("section_forces", "static")

    @cached_property
    def static(self) -> StaticShapes | None:
        """What the coordinates leave of static deflections."""
        return self._static()


def recovery(
    elements: Elements | None, motion: Any, origin: Floats, static: Callable[[], StaticShapes | None]
) -> Recovery:
    """Return that of a body whose frame is at the structure's `origin` and whose nodes move by `motion` (6 k, n)."""

    def find(kind: Kind, of: MotionSet) -> RecoveryTable | None:
        shapes = made.static if of == "static" else None
        found = (
            None
            if elements is None
            else getattr(elements, kind)(motion if shapes is None else scipy.sparse.csr_array(shapes.shapes))
        )
        return None if found is None else replace(found, positions=found.positions - origin)

    made = Recovery(find, static)
    return made
