"""The tables of a model file for joints, of the tree or closing loops."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, Strict

from supple.description import joints
from supple.files.file_table import Axis, FileTable, Form, PerDof, Real, Three, by_type


class JointTable(FileTable):
    """A joint."""

    made_of: ClassVar[type[joints.Joint]]

    def made(self) -> joints.Joint:
        """The joint."""
        return self.made_of(**self.model_dump(exclude={"type"}))


class MovingJointTable(JointTable):
    """What every joint can carry; one number for all its degrees of freedom, or one for each of its speeds."""

    stiffness: PerDof = Field(0.0, description="Spring on the joint, N m/rad or N/m.")
    rest: PerDof = Field(0.0, description="Coordinate at which that spring is free, rad or m.")
    damping: PerDof = Field(0.0, description="Damper on the joint, N m s/rad or N s/m.")
    inertia: PerDof = Field(
        0.0, description="Inertia that moves with the joint alone (rotors, reflected motors), kg m^2 or kg."
    )


class RevoluteTable(MovingJointTable):
    """One rotation; coordinate `angle`."""

    made_of = joints.Revolute
    type: Literal["revolute"]
    axis: Axis = Field(description="Axis of rotation, joint frame.")


class PrismaticTable(MovingJointTable):
    """One translation; coordinate `position`."""

    made_of = joints.Prismatic
    type: Literal["prismatic"]
    axis: Axis = Field(description="Direction of translation, joint frame.")


class HelicalTable(MovingJointTable):
    """A screw; coordinate `angle`."""

    made_of = joints.Helical
    type: Literal["helical"]
    axis: Axis = Field(description="Axis of the screw, joint frame.")
    pitch: Real = Field(description="Advance along the axis, m/rad.")


class CylindricalTable(MovingJointTable):
    """Translation along and rotation about one axis; coordinates `position`, `angle`."""

    made_of = joints.Cylindrical
    type: Literal["cylindrical"]
    axis: Axis = Field(description="Axis, joint frame.")


class UniversalTable(MovingJointTable):
    """Two rotations; coordinates `angle1`, `angle2`."""

    made_of = joints.Universal
    type: Literal["universal"]
    first: Axis = Field(description="Axis fixed in the parent, joint frame.")
    second: Axis = Field(description="Axis fixed in the body, body frame.")


class SphericalTable(MovingJointTable):
    """All rotations; a quaternion `qx qy qz qw`, speeds `wx wy wz` in body axes."""

    made_of = joints.Spherical
    type: Literal["spherical"]


class PlanarTable(MovingJointTable):
    """Motion in a plane; coordinates `x`, `y`, `angle`."""

    made_of = joints.Planar
    type: Literal["planar"]
    normal: Axis = Field(description="Normal of the plane, joint frame; for z, `x` and `y` are along x and y.")


class FreeTable(MovingJointTable):
    """All motions; coordinates `x y z qx qy qz qw`, speeds `wx wy wz vx vy vz` in body axes."""

    made_of = joints.Free
    type: Literal["free"]


class FixedTable(JointTable):
    """No degree of freedom."""

    made_of = joints.Fixed
    type: Literal["fixed"]


class BuildingBlockTable(MovingJointTable):
    """Translations, then rotations; coordinates `position1 ...`, `angle1 ...`."""

    made_of = joints.BuildingBlock
    type: Literal["building-block"]
    translations: Annotated[list[str | Three], Form("up to three axes")] = Field(
        [], description="Directions, joint frame, independent of each other."
    )
    rotations: Annotated[str, Strict(), Form('"", one of "1", "2", "3", or three such as "123" or "313"')] = Field(
        "", description="Axis numbers in the order of the rotations."
    )


OneJoint = (
    RevoluteTable
    | PrismaticTable
    | HelicalTable
    | CylindricalTable
    | UniversalTable
    | SphericalTable
    | PlanarTable
    | FreeTable
    | FixedTable
    | BuildingBlockTable
)
AnyJoint = Annotated[OneJoint, Field(discriminator="type"), Form('a table such as {type = "revolute", axis = "y"}')]
JOINTS = by_type(OneJoint)
