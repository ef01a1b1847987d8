"""What a description is a list of: placed bodies, frames, springs, wrenches, couplings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.checks import Floats, freeze
from supple.description.joints import Joint
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces, Place

GROUND = "ground"


@dataclass(frozen=True, eq=False)
class Placed:
    """A body with its joint; the joint frame in the parent's frame."""

    name: str
    body: RigidBody | FlexibleBody
    parent: str
    joint: Joint
    position: Floats
    rotation: Floats
    node: str | None = None
    """On a flexible parent the frame or node that carries the joint; position and rotation are relative to it."""
    fidelity: str = "full"
    stiffening: bool = True

    def __post_init__(self) -> None:
        freeze(self, "position", "rotation")

    @property
    def stiffens(self) -> bool:
        """Whether the dynamics has displacements of second order of the body."""
        flexible = isinstance(self.body, FlexibleBody) and self.body.second_order is not None
        return flexible and self.stiffening and self.fidelity == "full"


@dataclass(frozen=True, eq=False)
class Frame:
    """A place on a body, or on the ground: its pose in the body's frame."""

    body: str
    position: Floats
    rotation: Floats
    node: str | None = None
    """On a flexible body the frame or node that it moves with; position and rotation are relative to it."""

    def __post_init__(self) -> None:
        freeze(self, "position", "rotation")


@dataclass(frozen=True, eq=False)
class PlacedBeam:
    """A beam in pieces: the first has the name of the beam and its joint, the others "beam.2", "beam.3", ..."""

    name: str
    pieces: BeamPieces

    @property
    def names(self) -> tuple[str, ...]:
        """Of the bodies."""
        return (self.name, *(f"{self.name}.{i}" for i in range(2, len(self.pieces) + 1)))

    def frame(self, place: str) -> Frame:
        """A frame of the beam, or a node by its number as text."""
        piece, node = self.pieces.place(place)
        return Frame(self.names[piece], np.zeros(3), np.eye(3), node)

    def place(self, body: str, node: str) -> str:
        """The frame of the beam, or the number of its node, that is a frame or node of one of its bodies."""
        return self.pieces.name(Place(self.names.index(body), node))


@dataclass(frozen=True, eq=False)
class SpringDamper:
    """A spring-damper between two frames' origins."""

    name: str
    first: str
    second: str
    stiffness: float
    damping: float
    length: float


@dataclass(frozen=True, eq=False)
class AppliedWrench:
    """A constant wrench at a frame's origin, its axes fixed in the frame or in the ground."""

    name: str
    frame: str
    moment: Floats
    force: Floats
    axes: str

    def __post_init__(self) -> None:
        freeze(self, "moment", "force")


@dataclass(frozen=True)
class Coupling:
    """A relation a file states between two joints: angle of `follower` = ratio * angle of `leader` + offset.

    Kept with the model; the dynamics of a tree treats both as free.
    """

    follower: str
    leader: str
    ratio: float
    offset: float
