"""The tables of a model file for constraints beyond the tree."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Literal

from pydantic import Field

from supple.description.constraints import Constraint, Distance, Gear, PointOnLine, PointOnPlane, Rolling
from supple.files.tables import Axis, Form, Name, Positive, Real, Table, Text


class ConstraintTable(Table):
    """What is demanded of two frames or coordinates."""

    name: Name = Field(description="Name of the constraint.")

    @abstractmethod
    def made(self) -> Constraint:
        """The constraint."""


class PairTable(ConstraintTable):
    """The frames that a constraint joins."""

    first: Text = Field(description='Frame: "ground", a body, "body/frame" or "body/12".')
    second: Text = Field(description="Frame on another body.")


class DistanceTable(PairTable):
    """The origins of two frames stay at a distance: a rod without mass between two balls."""

    type: Literal["distance"]
    length: Positive = Field(description="m.")

    def made(self) -> Constraint:
        """The constraint."""
        return Distance(self.first, self.second, self.length)


class PointOnLineTable(PairTable):
    """The origin of the second frame stays on a line through the origin of the first."""

    type: Literal["point-on-line"]
    axis: Axis = Field(description="Direction of the line, axes of the first frame.")

    def made(self) -> Constraint:
        """The constraint."""
        return PointOnLine(self.first, self.second, self.axis)


class PointOnPlaneTable(PairTable):
    """The origin of the second frame stays in a plane."""

    type: Literal["point-on-plane"]
    normal: Axis = Field(description="Normal of the plane, axes of the first frame.")
    offset: Real = Field(0.0, description="Of the plane along its normal, from the first frame's origin, m.")

    def made(self) -> Constraint:
        """The constraint."""
        return PointOnPlane(self.first, self.second, self.normal, self.offset)


class RollingTable(PairTable):
    """A wheel or ball rolls without slip on the plane x, y of the first frame; z points to it."""

    type: Literal["rolling"]
    radius: Positive = Field(description="m.")
    axis: Annotated[Axis | None, Form("an axis, or nothing for a ball")] = Field(
        None, description="Axis of the wheel, axes of the second frame, whose origin is its centre; a ball has none."
    )

    def made(self) -> Constraint:
        """The constraint."""
        return Rolling(self.first, self.second, self.radius, self.axis)


class GearTable(ConstraintTable):
    """Two coordinates move together: follower = ratio * leader + offset."""

    type: Literal["gear"]
    follower: Text = Field(description='Coordinate, "arm.angle".')
    leader: Text = Field(description="Coordinate.")
    ratio: Real = Field(1.0, description="Ratio.")
    offset: Real = Field(0.0, description="rad or m.")

    def made(self) -> Constraint:
        """The constraint."""
        return Gear(self.follower, self.leader, self.ratio, self.offset)


CONSTRAINTS: dict[str, type[ConstraintTable]] = {
    "distance": DistanceTable,
    "point-on-line": PointOnLineTable,
    "point-on-plane": PointOnPlaneTable,
    "rolling": RollingTable,
    "gear": GearTable,
}
AnyConstraint = Annotated[
    DistanceTable | PointOnLineTable | PointOnPlaneTable | RollingTable | GearTable, Field(discriminator="type")
]
KINDS = {
    Distance: "distance",
    PointOnLine: "point-on-line",
    PointOnPlane: "point-on-plane",
    Rolling: "rolling",
    Gear: "gear",
}
"""What the tables of these are called."""
