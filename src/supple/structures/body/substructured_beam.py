"""A beam in pieces: short flexible bodies one after the other, for deflections that are large in all.

Within a piece deformations are small; from piece to piece rotations add up without limit. Pieces that are equal are one
body, which is reduced and stored once.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, freeze, is_index
from supple.errors import ModelError, nearest
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.hdf5_writer import save_pieces
from supple.structures.elements.recovery_table import RecoveryTable

ENDS = ("start", "end")
LEADING = re.compile(r"^\d+-\d+( at \d+)?")


class Place(NamedTuple):
    """A place on a beam in pieces: the number of the piece, from 0 at the root, and its frame or node there."""

    piece: int
    node: str


@checked
@dataclass(frozen=True, eq=False)
class BeamPieces:
    """A beam as a chain of flexible bodies, each fixed to the end of the one before it; made by `Beam.pieces`.

    `Mechanism.add_body` takes it like one body. Frames and nodes are those of the whole beam.

    Attributes
    ----------
    bodies : tuple of FlexibleBody
        The pieces, from the root on; equal ones are one object. The frame of each has the beam's axes and its origin at
        the inboard end.
    first : tuple of int
        The node of the beam that is node 0 of each piece.
    nodes : (k, 3) array
        Undeformed positions of the beam's nodes, from its root, m.
    frames : dict of str to Place
        Named frames of the beam.
    """

    bodies: tuple[FlexibleBody, ...]
    first: tuple[int, ...]
    nodes: Floats
    frames: dict[str, Place]

    def __post_init__(self) -> None:
        freeze(self, "nodes")
        last = [first + len(body.nodes) - 1 for first, body in zip(self.first, self.bodies, strict=True)]
        ends = sorted([*self.first, len(self.nodes) - 1])
        covered = bool(self.bodies) and ends[0] == 0 and sorted([0, *last]) == ends
        if not covered or self.nodes.shape[1:] != (3,) or not np.isfinite(self.nodes).all():
            raise ModelError("beam in pieces: expected pieces from its start to its end, got others")
        if len(self.bodies) > 1 and ({body.root for body in self.bodies} - {*ENDS} or not self._ordered()):
            raise ModelError("beam in pieces: expected pieces from their root on, each with its root at the inner end")
        for name, (piece, node) in self.frames.items():
            if not 0 <= piece < len(self.bodies):
                raise ModelError(f"beam in pieces: frame {name!r}: no piece {piece}")
            self.bodies[piece].frame(node)

    def _ordered(self) -> bool:
        """Whether all pieces have the same root, and follow each other from there."""
        alike = len({body.root for body in self.bodies}) == 1 and all({*ENDS} <= {*body.frames} for body in self.bodies)
        return alike and list(self.first) == sorted(self.first, reverse=self.root == ENDS[1])

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def root(self) -> str:
        """The frame of every piece at its inboard end, "start" or "end"."""
        return self.bodies[0].root

    @property
    def tip(self) -> str:
        """The frame of every piece at its outboard end."""
        return ENDS[1 - ENDS.index(self.root)]

    @property
    def modes(self) -> int:
        """Number of coordinates of all pieces."""
        return sum(body.modes for body in self.bodies)

    @property
    def mass(self) -> float:
        """kg."""
        return sum(body.mass for body in self.bodies)

    @cached_property
    def undeformed(self) -> RigidBody:
        """The whole beam as a rigid body, in the frame of its root."""
        each = (RigidBody(body.mass, body.com, body.inertia, allow_unphysical=True) for body in self.bodies)
        whole = RigidBody(0.0)
        for i, body in enumerate(each):
            whole = whole.joined(body.moved(np.eye(3), self.origin(i)))
        return whole

    def origin(self, piece: int) -> Floats:
        """Where the frame of a piece is, undeformed, from the beam's root, m."""
        self._require(piece)
        at = self.first[piece] + self._end(piece, self.root)
        return np.asarray(self.nodes[at])

    def _require(self, piece: int) -> None:
        if not -len(self.bodies) <= piece < len(self.bodies):
            raise ModelError(f"piece: expected an integer from 0 to {len(self.bodies) - 1}, got {piece!r:.40}")

    def place(self, name: str) -> Place:
        """A named frame, or a node of the beam by its number as text; where two pieces meet, the end of the inner one.

        Raises
        ------
        ModelError
            If there is none.
        """
        found = self.frames.get(name)
        if found is not None:
            return found
        if not is_index(name) or int(name) >= len(self.nodes):
            numbers = f", nodes 0 to {len(self.nodes) - 1}" if name.isdecimal() else ""
            raise ModelError(f"no frame {name!r}{nearest(name, self.frames)}{numbers}")
        for i, first in enumerate(self.first):
            own = int(name) - first
            if 0 <= own < len(self.bodies[i].nodes):
                return Place(i, next((end for end in ENDS if self._end(i, end) == own), str(own)))
        raise AssertionError("the pieces cover all nodes")

    def name(self, place: Place) -> str:
        """The frame or number of a node of the whole beam that a place is."""
        known = next((name for name, other in self.frames.items() if other == place), None)
        if known is not None:
            return known
        piece, node = place
        return str(self.first[piece] + (self._end(piece, node) if node in ENDS else int(node)))

    def positions(self) -> dict[str, Floats]:
        """Undeformed positions of the named frames, from the root, m."""
        return {name: self.origin(i) + self.bodies[i].frame(node).position for name, (i, node) in self.frames.items()}

    def whole(self, piece: int, found: RecoveryTable) -> RecoveryTable:
        """Return what is recovered of a piece with the numbers and positions of the whole beam."""
        first = self.first[piece]
        return replace(
            found,
            places=tuple(_renumbered(place, first) for place in found.places),
            elements=tuple(_renumbered(element, first) for element in found.elements),
            nodes=np.where(found.nodes < 0, -1, found.nodes + first),
            positions=found.positions + self.origin(piece),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the beam to one HDF5 file, for `supple.structures.read`."""
        save_pieces(self, path)

    def _end(self, piece: int, end: str) -> int:
        return 0 if end == ENDS[0] else len(self.bodies[piece].nodes) - 1


def _renumbered(place: str, first: int) -> str:
    """A place "3-4 at 3 30 deg" of a piece that begins at the node `first`: nodes come first."""
    return LEADING.sub(lambda head: re.sub(r"\d+", lambda number: str(int(number[0]) + first), head[0]), place, count=1)
