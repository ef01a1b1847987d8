"""A structure: nodes with stiffness and mass, and named frames where other things are attached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array, freeze, number, size, text
from supple.errors import ModelError, nearest
from supple.html_tables import html_table
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.integration import totals
from supple.structures.damping import Damping
from supple.structures.discretization.clamping import Held, static
from supple.structures.discretization.couplings import Arm, Average, Condensed, Ties, condense, regions
from supple.structures.discretization.dof_map import Bools, DofLayout, cross_matrix
from supple.structures.discretization.mass import MassModel, Sparse, stations, turned
from supple.structures.elements.given_stress import GivenStress
from supple.structures.elements.strains import Strains
from supple.structures.elements.stresses import StressSource
from supple.structures.elements.surface import BodySurface
from supple.structures.reduction.mode_selection import Modes
from supple.structures.reduction.reduce import reduce
from supple.structures.reduction.reduced_from import Reduction
from supple.structures.stiffening.stressed_structure import GeometricStiffness


@checked
@dataclass(frozen=True, eq=False)
class Structure:
    """Nodes with stiffness and mass, free in space; made by `beam`, `beam_path`, `from_mesh`, `box`, `from_matrices`.

    Attributes
    ----------
    nodes : (k, 3) array
        Positions, m.
    turning : (k,) array of bool
        Which nodes have rotations. Degrees of freedom go node by node: rx, ry, rz, ux, uy, uz, or ux, uy, uz.
    stiffness : (size, size) sparse array
        N/m, N, N m.
    masses : MassModel
        Where the mass is.
    frames : dict of str to tuple of int
        Named nodes. A frame of several nodes is a rigid region, at their mean position.
    strains : Strains, optional
        Of its elements; None where they are not known, as of imported matrices. Times what `static` returns, as one
        vector, they are strains: `strains.matrix @ static(...).ravel()`.
    geometric : GeometricStiffness, optional
        What stresses add to the stiffness; None where it is not known.
    surface : BodySurface, optional
        What it looks like; None where its elements are not known.
    stress_source : StressSource, optional
        Stresses and section forces of its elements; None where they are not known.
    rigid : tuple of tuples of int
        Rigid regions besides those that are frames; regions with common nodes are one.
    averages : tuple of Average
        Nodes that move as the mean of others.
    arms : tuple of Arm
        Nodes at the ends of rigid arms that are free to turn about them.
    """

    nodes: Floats
    turning: Bools
    stiffness: Sparse
    masses: MassModel
    frames: dict[str, tuple[int, ...]]
    strains: Strains | None = None
    geometric: GeometricStiffness | None = None
    surface: BodySurface | None = None
    stress_source: StressSource | None = None
    rigid: tuple[tuple[int, ...], ...] = ()
    averages: tuple[Average, ...] = ()
    arms: tuple[Arm, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "nodes", "turning", "stiffness")
        regions(self.layout, self.ties)

    def __repr__(self) -> str:
        return f"<supple structure: {self._summary()}>"

    def _repr_html_(self) -> str:
        middles = {name: self.nodes[list(nodes)].mean(axis=0) for name, nodes in self.frames.items()}
        rows = [(name, len(self.frames[name]), *(f"{x:.5g}" for x in p)) for name, p in middles.items()]
        return html_table(f"Structure: {self._summary()}", ("frame", "nodes>", "x, m>", "y, m>", "z, m>"), rows)

    def _summary(self) -> str:
        return f"{len(self.nodes):,} nodes, {self.layout.size:,} degrees of freedom, {self.mass:.5g} kg"

    @cached_property
    def layout(self) -> DofLayout:
        """Numbering of the degrees of freedom."""
        return DofLayout(self.nodes, self.turning)

    @cached_property
    def condensed(self) -> Condensed:
        """The same structure with its rigid regions as points."""
        return condense(self.layout, self.stiffness, self.masses, self.ties)

    @property
    def ties(self) -> Ties:
        """What ties nodes to each other."""
        return Ties(self.frames, self.rigid, self.averages, self.arms)

    @cached_property
    def held_at(self) -> dict[str, Held]:
        """The structure with a frame fixed, by its name: the last that was asked for, so that it is factorised once."""
        return {}

    @property
    def mass_matrix(self) -> Sparse:
        """(size, size), kg, kg m, kg m^2."""
        return self.masses.matrix

    @property
    def mass(self) -> float:
        """kg."""
        return self._totals[0]

    @property
    def com(self) -> Floats:
        """Centre of mass, m."""
        return self._totals[1] / self.mass

    @cached_property
    def _totals(self) -> tuple[float, Floats, Floats]:
        return totals(self.masses, self.layout, np.zeros(3))

    def with_frame(self, name: str, nodes: int | Iterable[int]) -> Self:
        """The structure with one more named node, or rigid region of nodes."""
        return replace(self, frames=named({**self.frames, name: nodes}, len(self.nodes)))

    def with_average(self, name: str, nodes: Iterable[int], weights: Iterable[float] | None = None) -> Self:
        """The structure with a frame that moves as the mean of some nodes and does not stiffen them (RBE3).

        The frame is one more node, at the mean of their positions. Loads on it go to the nodes, as fasteners share
        them; a joint or a mass on it does not hold them together. It can be neither a root nor an interface.

        Parameters
        ----------
        name : str
            New.
        nodes : iterable of int
            Three or more not in one line, if they have no rotations.
        weights : iterable of float, optional
            Of each node, more than zero; equal if left out.
        """
        if name in self.frames:
            raise ModelError(f"frame {name!r}: there is one of this name already")
        chosen = named({name: nodes}, len(self.nodes))[name]
        given = np.ones(len(chosen)) if weights is None else array(list(weights), (len(chosen),), f"{name!r}: weights")
        if given.min() <= 0:
            raise ModelError(f"frame {name!r}: weights: expected numbers above zero, got {given.min():g}")
        k = len(self.nodes)
        middle = given @ self.nodes[list(chosen)] / given.sum()
        wider = scipy.sparse.csr_array(scipy.sparse.eye_array(self.layout.size, self.layout.size + 6))
        moved = scipy.sparse.csr_array(scipy.sparse.eye_array(6 * k, 6 * k + 6))
        strains = self.strains
        if strains is not None:
            strains = replace(strains, matrix=scipy.sparse.csr_array(strains.matrix @ moved))
        if isinstance(self.geometric, GivenStress):
            raise ModelError(f"frame {name!r}: a structure with given geometric stiffness can have no averaging frame")
        return replace(
            self,
            nodes=np.concatenate([self.nodes, middle[None]]),
            turning=np.append(self.turning, True),
            stiffness=scipy.sparse.csr_array(wider.T @ self.stiffness @ wider),
            masses=self.masses.through(wider),
            frames={**self.frames, name: (k,)},
            strains=strains,
            averages=(*self.averages, Average(k, chosen, tuple(given.tolist()))),
        )

    def with_mass(
        self,
        where: str | int,
        mass: float,
        inertia: ArrayLike = (0.0, 0.0, 0.0),
        offset: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Self:
        """The structure with a rigid piece of mass on a node or frame.

        Parameters
        ----------
        where : str or int
            A frame, or the number of a node.
        mass : float
            kg.
        inertia : (3, 3) or (3,) array_like
            About its own centre of mass, in the structure's axes, kg m^2; three numbers are a diagonal.
        offset : (3,) array_like
            From the node or frame to the centre of mass, m.
        """
        what = f"mass on {where!r}"
        piece = RigidBody(
            number(mass, what, minimum=0.0) and size(mass, what), array(offset, (3,), f"{what}: offset"), inertia
        )
        nodes = self.find(where)
        position = self.nodes[list(nodes)].mean(axis=0)
        turn, move = _fitted(self.layout, nodes)
        if turn is None and (np.any(piece.com) or np.any(piece.inertia)):
            raise ModelError(f"{what}: node {nodes[0]} has no rotations, so it can take no inertia and no offset")
        turn = scipy.sparse.csr_array((3, self.layout.size)) if turn is None else turn
        arm = [scipy.sparse.csr_array(turn[[a]]) for a in range(3)]
        move = move + scipy.sparse.vstack(turned(arm, piece.com[None]))
        second = np.trace(piece.inertia) / 2.0 * np.eye(3) - piece.inertia
        extra = stations(
            (position + piece.com)[None],
            scipy.sparse.csr_array(move),
            turn,
            np.array([piece.mass]),
            second[None],
            piece.com[None],
        )
        return replace(self, masses=self.masses.plus(extra))

    def find(self, where: str | int) -> tuple[int, ...]:
        """The nodes of a frame, or of a number."""
        if isinstance(where, str) and where in self.frames:
            return self.frames[where]
        try:
            node = int(where)
        except ValueError:
            raise ModelError(f"no frame {where!r}{nearest(str(where), self.frames)}") from None
        if not 0 <= node < len(self.nodes):
            raise ModelError(f"no node {node}: expected a number from 0 to {len(self.nodes) - 1}")
        return (node,)

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
        found = reduce(named._from(root), basis, modes, root, interfaces, damping, residual)
        return replace(found, source=Reduction(self, basis, modes, root, interfaces, damping, residual))


def named(frames: Mapping[str, int | Iterable[int]], count: int) -> dict[str, tuple[int, ...]]:
    """Frames as tuples of node numbers, checked."""
    out: dict[str, tuple[int, ...]] = {}
    for name, nodes in frames.items():
        if not isinstance(name, str) or not name or "/" in name or name.isdecimal():
            raise ModelError(f"frame {name!r}: expected a name that is no number and has no '/', got {name!r}")
        numbers = np.atleast_1d(np.asarray(nodes if np.ndim(nodes) == 0 else list(nodes)))  # type: ignore[arg-type]
        if numbers.ndim != 1 or len(numbers) == 0 or not np.issubdtype(numbers.dtype, np.integer):
            raise ModelError(f"frame {name!r}: expected a node number or several, got {nodes!r}")
        wrong = numbers[(numbers < 0) | (numbers >= count)]
        if len(wrong):
            raise ModelError(f"frame {name!r}: expected node numbers from 0 to {count - 1}, got {int(wrong[0])}")
        if len(np.unique(numbers)) != len(numbers):
            raise ModelError(f"frame {name!r}: expected each node once, got {numbers.tolist()}")
        out[name] = tuple(int(i) for i in numbers)
    return out


def _fitted(layout: DofLayout, nodes: tuple[int, ...]) -> tuple[Sparse | None, Sparse]:
    """Rotation (None if there is none) and displacement (3, size) of the middle of some nodes that move rigidly."""
    rows = scipy.sparse.csr_array(layout.motion[(6 * np.array(nodes)[:, None] + np.arange(6)).ravel()])
    mean = scipy.sparse.csr_array(np.tile(np.eye(6), len(nodes)) / len(nodes)) @ rows
    turn, move = scipy.sparse.csr_array(mean[:3]), scipy.sparse.csr_array(mean[3:])
    if layout.turning[list(nodes)].all():
        return turn, move
    if len(nodes) == 1:
        return None, move
    arms = cross_matrix(layout.points[list(nodes)] - layout.points[list(nodes)].mean(axis=0))
    spread = -np.einsum("nij,njk->ik", arms, arms)
    fit = np.linalg.solve(spread, np.concatenate(arms, axis=1))
    moves = scipy.sparse.csr_array(rows[(6 * np.arange(len(nodes))[:, None] + np.arange(3, 6)).ravel()])
    return scipy.sparse.csr_array(scipy.sparse.csr_array(fit) @ moves), move
