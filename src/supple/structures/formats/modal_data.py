"""A reduced body as other programs keep it: mass, modal matrices and integrals, shapes at nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.body.modal_integrals import ModalIntegrals, pairs
from supple.structures.stiffening.stiffening_matrices import GeometricMatrices, matrices_of

if TYPE_CHECKING:
    from supple.structures.body.flexible_body import FlexibleBody


@dataclass(frozen=True, eq=False)
class ModalData:
    """Any n coordinates, any origin; see `structures.body.integration` for the integrals.

    Attributes
    ----------
    integrals : ModalIntegrals
        Without N where the body is `lacking` it.
    mass_matrix, stiffness, damping : (n, n) arrays
    coordinates : tuple of str
        A word for each coordinate.
    labels : tuple of str
        Of the nodes.
    positions : (k, 3) array
    shapes : (k, 6, n) array
        Rotation and displacement of the nodes for unit coordinates.
    geometric : GeometricMatrices, optional
        What stiffens the body; None where nothing is known of it.
    lacking : str
        What keeps the body from full fidelity; empty if nothing does.
    """

    integrals: ModalIntegrals
    mass_matrix: Floats
    stiffness: Floats
    damping: Floats
    coordinates: tuple[str, ...]
    labels: tuple[str, ...]
    positions: Floats
    shapes: Floats
    geometric: GeometricMatrices | None = None
    lacking: str = ""

    def in_units(self, length: float, mass: float) -> ModalData:
        """The same in metres and kilograms, for units of so many of them; coordinates stay numbers."""
        energy = mass * length**2
        scale = np.repeat([1.0, length], 3)[:, None]
        return replace(
            self,
            integrals=self.integrals.in_units(length, mass),
            mass_matrix=self.mass_matrix * energy,
            stiffness=self.stiffness * energy,
            damping=self.damping * energy,
            positions=self.positions * length,
            shapes=self.shapes * scale,
            geometric=None if self.geometric is None else self.geometric.in_units(length, mass),
        )

    def in_coordinates(self, y: Floats) -> ModalData:
        """The same for coordinates z with eta = y z (n, m)."""
        return replace(
            self,
            integrals=self.integrals.in_coordinates(y),
            mass_matrix=y.T @ self.mass_matrix @ y,
            stiffness=y.T @ self.stiffness @ y,
            damping=y.T @ self.damping @ y,
            shapes=self.shapes @ y,
            geometric=None if self.geometric is None else self.geometric.in_coordinates(y),
        )

    def seen_from(self, node: int) -> ModalData:
        """The same in a frame that is fixed to a node: positions from there, shapes less the motion of the node.

        Matrices of stiffening are those of a frame at rest; shapes that move the node have to do without.
        """
        x = self.positions[node]
        turn, move = self.shapes[node, :3].T, self.shapes[node, 3:].T
        geometric = self.geometric
        if geometric is not None:
            X2 = geometric.X2 - np.einsum("a,brs->abrs", x, geometric.E2)
            geometric = GeometricMatrices(geometric.E2, X2, geometric.nodes)
        seen = self.integrals.seen_from(x)
        here = replace(self, integrals=seen, positions=self.positions - x, geometric=geometric)
        return here._without_rigid_motion(turn, move) if turn.any() or move.any() else here

    def _without_rigid_motion(self, turn: Floats, move: Floats) -> ModalData:
        """Shapes less the rigid motions move_r + turn_r x position, turn and move (n, 3)."""
        own = self.integrals
        R = np.concatenate([move[:, :, None], np.cross(turn[:, None], np.eye(3)).swapaxes(1, 2)], axis=2)
        modes = np.concatenate([own.E[:, None], own.X], axis=1)
        rigid = np.einsum("ij,raj->ria", own.rigid, R)
        cross = np.einsum("sia,rbi->srab", modes, R)
        both = np.trace(cross, axis1=2, axis2=3)
        change = np.einsum("sai,ria->sr", R, rigid) - both - both.T
        place = np.concatenate([np.ones((len(self.positions), 1)), self.positions], axis=1)
        shapes = self.shapes.copy()
        shapes[:, :3] -= turn.T
        shapes[:, 3:] -= np.einsum("ki,rai->kar", place, R)
        N = own.N
        if not self.lacking:
            N = pairs(N.dense() - cross - cross.transpose(1, 0, 3, 2) + np.einsum("sai,rib->srab", R, rigid))
        return replace(
            self,
            integrals=replace(own, E=own.E - rigid[:, 0], X=own.X - rigid[:, 1:], N=N),
            mass_matrix=self.mass_matrix + change,
            shapes=shapes,
            geometric=None,
        )


def modal_data(body: FlexibleBody, nodes: Sequence[str] | None = None) -> ModalData:
    """A body as other programs keep it: its root first, then its other frames and, if no `nodes` are named, all nodes.

    Parameters
    ----------
    body : FlexibleBody
    nodes : sequence of str, optional
        Frames and numbers of nodes to keep beside the root.
    """
    if body.basis == "nodal":
        raise ModelError("basis: expected a body of modes, got one in nodal coordinates; reduce its structure to modes")
    if nodes is None:
        names = [body.root, *(name for name in body.frames if name != body.root)]
        names += [str(i) for i in range(len(body.nodes)) if str(i) not in body.frames]
    else:
        names = list(dict.fromkeys([body.root, *nodes]))
    frames = [body.frame(name) for name in names]
    geometric = None
    if body.second_order is not None:
        geometric = matrices_of(
            body.second_order, {i: f.second for i, f in enumerate(frames) if names[i] in body.frames and i > 0}
        )
    return ModalData(
        integrals=body.integrals,
        mass_matrix=body.mass_matrix.toarray(),
        stiffness=body.stiffness.toarray(),
        damping=body.damping.toarray(),
        coordinates=body.labels,
        labels=tuple(names),
        positions=np.array([f.position for f in frames]),
        shapes=np.array([f.shape for f in frames]).reshape(len(frames), 6, body.modes),
        geometric=geometric,
        lacking=body.missing_for_full_fidelity,
    )
