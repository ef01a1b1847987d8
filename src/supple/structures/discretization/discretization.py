"""A structure: nodes with stiffness and mass, and named frames where other things are attached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array, freeze, number, size
from supple.errors import ModelError, nearest
from supple.html_tables import html_table
from supple.rigid_body import RigidBody
from supple.structures.body.integration import totals
from supple.structures.discretization.couplings import Arm, Average, Condensed, Ties, condense, regions
from supple.structures.discretization.dof_map import Bools, DofLayout, cross_matrix
from supple.structures.discretization.frames import named
from supple.structures.discretization.mass import MassModel, Sparse, stations, turned
from supple.structures.elements.elements import Elements
from supple.structures.elements.recovery_table import RecoveryTable
from supple.structures.elements.surface import BodySurface


@checked
@dataclass(frozen=True, eq=False)
class Discretization:
    """Nodes with stiffness and mass, free in space: what every `Structure` is.

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
    elements : Elements, optional
        Strains, stresses, section forces, geometric stiffness and surface; None where the elements are not known.
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
    elements: Elements | None = None
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
    def clamped_at(self) -> dict[str, Any]:
        """The structure with a frame fixed, by its name: the last that was requested, so that it is factorized once."""
        return {}

    @cached_property
    def strains(self) -> RecoveryTable | None:
        """Strains of its elements for the motion of all nodes: `strains.matrix @ static(...).ravel()`."""
        motion = scipy.sparse.csr_array(scipy.sparse.eye_array(6 * len(self.nodes)))
        return None if self.elements is None else self.elements.strains(motion)

    @cached_property
    def surface(self) -> BodySurface | None:
        """Surface that is drawn; None where its elements are not known."""
        return None if self.elements is None else self.elements.surface()

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
        if self.elements is not None and self.elements.load_cases:
            raise ModelError(f"frame {name!r}: a structure with given geometric stiffness can have no averaging frame")
        return replace(
            self,
            nodes=np.concatenate([self.nodes, middle[None]]),
            turning=np.append(self.turning, True),
            stiffness=scipy.sparse.csr_array(wider.T @ self.stiffness @ wider),
            masses=self.masses.through(wider),
            frames={**self.frames, name: (k,)},
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
