"""A structure: nodes with stiffness and mass, and named frames where other things are attached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, text
from supple.errors import ModelError
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.damping import Damping
from supple.structures.discretization.clamping import static
from supple.structures.discretization.discretization import Discretization
from supple.structures.elements.elements import Elements
from supple.structures.reduction.mode_selection import Modes
from supple.structures.reduction.reduce import reduce
from supple.structures.reduction.reduction import ReducedFrom, Reduction


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Structure(Discretization):
    """Nodes with stiffness and mass, free in space; made by `beam`, `beam_path`, `from_mesh`, `box`, `from_matrices`.

    Its attributes are those of a discretization: nodes, frames, stiffness, masses and elements.
    """

    @classmethod
    def of(cls, elements: Elements, frames: dict[str, tuple[int, ...]]) -> Self:
        """Return the structure of some elements, with these frames."""
        layout = elements.layout
        return cls(layout.points, layout.turning, elements.stiffness(), elements.mass(), frames, elements)

    def static(self, loads: Mapping[str | int, ArrayLike], root: str = "start") -> Floats:
        """Rotation and displacement (k, 6) of all nodes under constant loads, with the root held.

        Parameters
        ----------
        loads : dict
            For frames or nodes, a moment and force (6,) or a force (3,), in the structure's axes, N m and N.
        root : str
            The frame that is held.
        """
        return static(self._from(root), loads, root)

    def _from(self, root: str) -> Self:
        """The structure with the root as the first frame of its rigid region: its point is there."""
        point = self.condensed.frames.get(root)
        if point is None:
            return self
        middle = self.nodes[list(self.frames[root])].mean(axis=0)
        if np.array_equal(middle, self.condensed.layout.points[point]):
            return self
        return replace(self, frames={root: self.frames[root], **self.frames})

    def reduce(
        self,
        basis: str,
        modes: Modes | None = None,
        root: str = "start",
        interfaces: Sequence[str] | None = None,
        damping: Damping = None,
        residual: Sequence[str] = (),
    ) -> FlexibleBody:
        """The structure as a flexible body: its frame at `root`, its deformation in few coordinates.

        Parameters
        ----------
        basis : str
            "cantilever": normal modes with the root fixed. "free-free": normal modes of the free structure, relative
            to the root. "craig-bampton": constraint modes of the interfaces and normal modes with the interfaces
            fixed, made orthogonal. "nodal": all degrees of freedom but the root's.
        modes : int, sequence of int, Bandwidth or EffectiveMass
            Normal modes: the lowest ones, so many; those of these numbers, from 1; all up to a frequency; or those
            that have a share of the effective mass. "craig-bampton" adds constraint modes; none in "nodal".
        root : str
            Frame at the inboard hinge, or the number of a node as text. The body frame has its origin there and the
            structure's axes.
        interfaces : sequence of str, optional
            Only for "craig-bampton": frames, or numbers of nodes as text, where loads or joints act; by default all
            named frames.
        damping : float, sequence of float or Rayleigh, optional
            Ratio for all modes, or one for each coordinate; "nodal" takes only Rayleigh's.
        residual : sequence of str, optional
            Loads under which the body shall be as stiff as the whole structure, whatever the number of modes: frames,
            for forces and moments there, load cases such as "force z at end" or "spin about z" (see
            `from_matrices`), or "inertia" for all motions of the root. What the modes leave of the static deflections
            becomes further coordinates, residual vectors, which are modes of high frequency.

        Examples
        --------
        >>> from supple.structures import Material, Rectangle, beam
        >>> boom = beam(2.0, Rectangle(0.02, 0.01), Material(E=70e9, nu=0.3, rho=2700), elements=10)
        >>> boom.reduce("cantilever", modes=3).labels
        ('mode1', 'mode2', 'mode3')
        """
        named = self
        if interfaces is not None:
            if isinstance(interfaces, str) or not isinstance(interfaces, Iterable):
                raise ModelError(f"interfaces: expected a list of frames, got {interfaces!r}")
            interfaces = [text(name, "interfaces") for name in interfaces]
        for name in (text(root, "root"), *(interfaces or ())):
            if name not in named.frames and str(name).isdecimal():
                named = replace(named, frames={**named.frames, name: named.find(name)})
        wanted = Reduction(basis, modes, root, interfaces, damping, residual)
        return replace(reduce(named._from(root), wanted), source=ReducedFrom(self, wanted))
