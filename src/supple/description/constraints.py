"""Constraints beyond the tree: what closes a loop, ties two joints, or lets a wheel roll."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, direction, number, own_axes
from supple.description.joints import Axis, Joint, JointLayout
from supple.errors import ModelError
from supple.recursions.closures import ALONG, ANGLE, COUPLING, DISTANCE, HEIGHT, SCREW, SLIP
from supple.recursions.tree import NO_ROTATION, ONE_AXIS, TWO_AXES

ZERO = np.zeros(3)
ZERO.flags.writeable = False


class Row(NamedTuple):
    """One number that must vanish; a, b, c, d as in `recursions.closures`."""

    label: str
    kind: int
    a: Floats = ZERO
    b: Floats = ZERO
    c: float = 0.0
    d: float = 0.0


class Constraint(ABC):
    """What can be demanded of two frames."""

    first: str
    second: str

    @abstractmethod
    def rows(self) -> list[Row]:
        """What must vanish."""

    def kept_axes(self) -> Floats:
        """Axes (n, 3) of the first frame that are those of the second too, and must not be opposite to them."""
        return np.zeros((0, 3))

    def uses_rotation(self) -> bool:
        """Whether both frames must have rotations of their own, or translations alone are constrained.

        Translations are along directions of the first frame. Those of a node without rotations are its body's.
        """
        return any(row.kind not in (ALONG, DISTANCE) for row in self.rows())


@final
@dataclass(frozen=True, eq=False)
class Closure(Constraint):
    """A joint that closes a loop: the second frame may move in the first as the joint lets it.

    Parameters
    ----------
    first, second : str
        Frames; where the joint's coordinates are zero they coincide.
    joint : Joint
        Its springs, dampers and inertia must be zero: they belong to joints of the tree.
    """

    first: str
    second: str
    joint: Joint

    def __post_init__(self) -> None:
        if not isinstance(self.joint, Joint):
            raise ModelError(f"joint: expected a joint such as Revolute('y'), got {self.joint!r}")
        for what in ("stiffness", "damping", "inertia"):
            if any(getattr(self.joint, what)):
                raise ModelError(f"joint: {what}: expected none on a joint that closes a loop; use a spring-damper")

    def kept_axes(self) -> Floats:
        """All axes if it does not turn. A hinge is the same hinge whichever way its axis points."""
        return np.eye(3) if self.joint.layout().rotation_kind == NO_ROTATION else np.zeros((0, 3))

    def rows(self) -> list[Row]:
        """What the joint does not let happen: moves off its directions, turns off its axes."""
        layout = self.joint.layout()
        return [*_move_rows(layout), *_turn_rows(layout)]


def _move_rows(layout: JointLayout) -> list[Row]:
    """One for each direction across all translations; of a screw one along it too."""
    off = _across(list(layout.directions))
    if layout.pitch:
        a = layout.axes[0]
        off = _across([a])
        return [*(Row("position", ALONG, a=n) for n in off), Row("screw", SCREW, a=a, d=layout.pitch)]
    return [Row("position", ALONG, a=n) for n in off]


def _turn_rows(layout: JointLayout) -> list[Row]:
    """No rotation: all axes stay; one: its axis stays; two: the angle between their axes stays."""
    if layout.rotation_kind == NO_ROTATION:
        x, y, z = np.eye(3)
        return [Row("orientation", ANGLE, a=a, b=b) for a, b in ((y, z), (z, x), (x, y))]
    if layout.rotation_kind == ONE_AXIS:
        return [Row("axis", ANGLE, a=n, b=layout.axes[0]) for n in _across([layout.axes[0]])]
    if layout.rotation_kind == TWO_AXES:
        a, b = layout.axes
        return [Row("angle between axes", ANGLE, a=a, b=b, c=float(a @ b))]
    return []


def _across(directions: list[Floats]) -> list[Floats]:
    """Unit vectors at right angles to the given ones and to each other; coordinate axes where they can be."""
    if not directions:
        return list(np.eye(3))
    D = np.array(directions)
    axes = [e for e in np.eye(3) if np.abs(D @ e).max() < 1e-12]
    if len(axes) == 3 - len(directions):
        return axes
    return list(np.linalg.svd(D)[2][len(directions) :])


@checked
@final
@dataclass(frozen=True, eq=False)
class Distance(Constraint):
    """The origins of two frames stay at a distance: a rod without mass between two balls.

    Parameters
    ----------
    first, second : str
    length : float
        m, more than zero.
    """

    first: str
    second: str
    length: float

    def __post_init__(self) -> None:
        if not number(self.length, "length") > 0:
            raise ModelError(f"length: expected more than zero, got {self.length}; a spherical joint has none")

    def rows(self) -> list[Row]:
        """One."""
        return [Row("distance", DISTANCE, c=float(self.length))]


@checked
@final
@dataclass(frozen=True, eq=False)
class PointOnLine(Constraint):
    """The origin of the second frame stays on a line through the first frame's origin.

    Parameters
    ----------
    first, second : str
    axis : "x", "y", "z" or direction
        In the first frame.
    """

    first: str
    second: str
    axis: Axis = "x"

    def __post_init__(self) -> None:
        own_axes(self, "axis")

    def rows(self) -> list[Row]:
        """Two."""
        return [Row("off the line", ALONG, a=n) for n in _across([direction(self.axis, "axis")])]


@checked
@final
@dataclass(frozen=True, eq=False)
class PointOnPlane(Constraint):
    """The origin of the second frame stays in a plane.

    Parameters
    ----------
    first, second : str
    normal : "x", "y", "z" or direction
        In the first frame.
    offset : float
        Of the plane along its normal, m.
    """

    first: str
    second: str
    normal: Axis = "z"
    offset: float = 0.0

    def __post_init__(self) -> None:
        own_axes(self, "normal")

    def rows(self) -> list[Row]:
        """One."""
        return [Row("off the plane", ALONG, a=direction(self.normal, "normal"), c=number(self.offset, "offset"))]


@checked
@final
@dataclass(frozen=True, eq=False)
class Rolling(Constraint):
    """A wheel or a ball rolls without slip on the plane x, y of the first frame.

    Parameters
    ----------
    first : str
        Frame of the plane; z points to the wheel.
    second : str
        Frame at the centre of the wheel.
    radius : float
        m.
    axis : "x", "y", "z", direction, or None
        Axis of the wheel in the second frame; None for a ball.
    """

    first: str
    second: str
    radius: float
    axis: Axis | None = None

    def __post_init__(self) -> None:
        if not number(self.radius, "radius") > 0:
            raise ModelError(f"radius: expected more than zero, got {self.radius}")
        own_axes(self, "axis")

    def rows(self) -> list[Row]:
        """It touches the plane, and does not slip in two directions."""
        b = ZERO if self.axis is None else direction(self.axis, "axis")
        x, y, _ = np.eye(3)
        return [
            Row("touching", HEIGHT, b=b, d=float(self.radius)),
            Row("slip along x", SLIP, a=x, b=b, d=float(self.radius)),
            Row("slip along y", SLIP, a=y, b=b, d=float(self.radius)),
        ]


@checked
@final
@dataclass(frozen=True, eq=False)
class Gear(Constraint):
    """Two coordinates move together: follower = ratio * leader + offset.

    Parameters
    ----------
    follower, leader : str
        Coordinates whose rates are speeds, "arm.angle".
    ratio : float
    offset : float
        rad or m.
    """

    follower: str
    leader: str
    ratio: float = 1.0
    offset: float = 0.0
    first: str = field(default="", init=False)
    second: str = field(default="", init=False)

    def rows(self) -> list[Row]:
        """One."""
        return [Row("ratio", COUPLING, c=number(self.offset, "offset"), d=number(self.ratio, "ratio"))]
