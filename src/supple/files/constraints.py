"""The tables of a model file for constraints beyond the tree."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from supple.description.constraints import Constraint, Distance, Gear, PointOnLine, PointOnPlane, Rolling
from supple.files.file_table import Axis, FileTable, Form, Name, Positive, Real, Text, by_type


class ConstraintTable(FileTable):
    """What is demanded of two frames or coordinates."""

    made_of: ClassVar[type[Constraint]]
    name: Name = Field(description="Name of the constraint.")

    def made(self) -> Constraint:
        """The constraint."""
        return self.made_of(**self.model_dump(exclude={"name", "type"}))


class PairTable(ConstraintTable):
    """The frames that a constraint joins."""

    first: Text = Field(description='Frame: "ground", a body, "body/frame" or "body/12".')
    second: Text = Field(description="Frame on another body.")


class DistanceTable(PairTable):
    """The origins of two frames stay at a distance: a rod without mass between two balls."""

    made_of = Distance
    type: Literal["distance"]
    length: Positive = Field(description="m.")


class PointOnLineTable(PairTable):
    """The origin of the second frame stays on a line through the origin of the first."""

    made_of = PointOnLine
    type: Literal["point-on-line"]
    axis: Axis = Field(description="Direction of the line, axes of the first frame.")


class PointOnPlaneTable(PairTable):
    """The origin of the second frame stays in a plane."""

    made_of = PointOnPlane
    type: Literal["point-on-plane"]
    normal: Axis = Field(description="Normal of the plane, axes of the first frame.")
    offset: Real = Field(0.0, description="Of the plane along its normal, from the first frame's origin, m.")


class RollingTable(PairTable):
    """A wheel or ball rolls without slip on the plane x, y of the first frame; z points to it."""

    made_of = Rolling
    type: Literal["rolling"]
    radius: Positive = Field(description="m.")
    axis: Annotated[Axis | None, Form("an axis, or nothing for a ball")] = Field(
        None, description="Axis of the wheel, axes of the second frame, whose origin is its centre; a ball has none."
    )


class GearTable(ConstraintTable):
    """Two coordinates move together: follower = ratio * leader + offset."""

    made_of = Gear
    type: Literal["gear"]
    follower: Text = Field(description='Coordinate, "arm.angle".')
    leader: Text = Field(description="Coordinate.")
    ratio: Real = Field(1.0, description="Ratio.")
    offset: Real = Field(0.0, description="rad or m.")


OneConstraint = DistanceTable | PointOnLineTable | PointOnPlaneTable | RollingTable | GearTable
AnyConstraint = Annotated[OneConstraint, Field(discriminator="type")]
CONSTRAINTS = by_type(OneConstraint)
KINDS: dict[type[Constraint], str] = {table.made_of: kind for kind, table in CONSTRAINTS.items()}
"""What the tables of these are called."""
