"""Joints: what a body may do relative to its parent.

Every joint is Sayers' building block: translations along directions fixed in the parent, then rotations. A class here
only says which; the recursions know nothing but `JointLayout`. Axes and directions are given in the joint frame, which
is the parent's frame moved by `at` and turned by `rotation` of `Mechanism.add_body`; with all coordinates zero it is
the body's own frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, direction, number, own_axes, per_dof
from supple.errors import ModelError
from supple.recursions.tree import NO_ROTATION, ONE_AXIS, QUATERNION, THREE_AXES, TWO_AXES

Axis = str | ArrayLike
ANGULAR = ("rad", "rad/s")
LINEAR = ("m", "m/s")


@dataclass(frozen=True)
class JointLayout:
    """A joint as the recursions see it. Coordinates: translations, then rotations; speeds likewise but for `Free`."""

    rotation_kind: int = NO_ROTATION
    axes: tuple[Floats, ...] = ()
    pitch: float = 0.0
    directions: tuple[Floats, ...] = ()
    angular_speeds_first: bool = False
    translation_names: tuple[str, ...] = ()
    rotation_names: tuple[str, ...] = ()

    @property
    def body_axes_translation(self) -> bool:
        return len(self.directions) == 3

    @property
    def body_axes_rotation(self) -> bool:
        return self.rotation_kind in (THREE_AXES, QUATERNION)

    @property
    def translation_speeds(self) -> tuple[str, ...]:
        """Names: a speed that is the rate of a coordinate has its name."""
        return ("vx", "vy", "vz") if self.body_axes_translation else self.translation_names

    @property
    def rotation_speeds(self) -> tuple[str, ...]:
        return ("wx", "wy", "wz") if self.body_axes_rotation else self.rotation_names

    @property
    def dofs(self) -> int:
        return len(self.translation_speeds) + len(self.rotation_speeds)


@checked
@dataclass(frozen=True, eq=False, kw_only=True)
class Joint:
    """What all joints can carry, one number for all degrees of freedom or one for each speed.

    Parameters
    ----------
    stiffness, rest : float or sequence
        Spring on the joint, N m/rad or N/m, free at the coordinate `rest`.
    damping : float or sequence
        Damper on the joint, N m s/rad or N s/m.
    inertia : float or sequence
        Inertia that moves with the joint alone (rotors, reflected motors), kg m^2 or kg.
    """

    stiffness: float | Sequence[float] = 0.0
    rest: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0
    inertia: float | Sequence[float] = 0.0

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        layout = self.layout()
        own_axes(self, *({"axis", "first", "second", "normal"} & self.__dict__.keys()))
        for name, minimum in (("stiffness", None), ("rest", None), ("damping", None), ("inertia", 0.0)):
            values = per_dof(getattr(self, name), layout.dofs, f"{self.kind} joint: {name}", minimum)
            object.__setattr__(self, name, tuple(values.tolist()))
        if any(self.springs[self.unsprung()]):
            raise ModelError(
                f"{self.kind} joint: stiffness: expected zero for speeds that are not the rate of a coordinate "
                f"(angular or linear velocity in body axes), got {list(self.springs)}"
            )

    @property
    def springs(self) -> Floats:
        return np.array(self.stiffness)

    def unsprung(self) -> Floats:
        """Which speeds are not rates of coordinates."""
        layout = self.layout()
        linear = [layout.body_axes_translation] * len(layout.translation_speeds)
        angular = [layout.body_axes_rotation] * len(layout.rotation_speeds)
        return np.array(angular + linear if layout.angular_speeds_first else linear + angular, dtype=bool)

    def layout(self) -> JointLayout:
        """Return what the recursions need to know."""
        raise NotImplementedError


@checked
@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """No degree of freedom."""

    kind = "fixed"

    def layout(self) -> JointLayout:
        return JointLayout()


@checked
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """One rotation about an axis; coordinate `angle`."""

    axis: Axis = "z"
    kind = "revolute"

    def layout(self) -> JointLayout:
        return JointLayout(ONE_AXIS, (direction(self.axis, "revolute joint: axis"),), rotation_names=("angle",))


@checked
@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """One translation along an axis; coordinate `position`."""

    axis: Axis = "x"
    kind = "prismatic"

    def layout(self) -> JointLayout:
        d = direction(self.axis, "prismatic joint: axis")
        return JointLayout(directions=(d,), translation_names=("position",))


@checked
@dataclass(frozen=True, eq=False)
class Helical(Joint):
    """A screw: rotation about an axis with `pitch` metres a radian along it; coordinate `angle`."""

    axis: Axis = "z"
    pitch: float = 0.0
    kind = "helical"

    def layout(self) -> JointLayout:
        a = direction(self.axis, "helical joint: axis")
        pitch = number(self.pitch, "helical joint: pitch")
        return JointLayout(ONE_AXIS, (a,), pitch=pitch, rotation_names=("angle",))


@checked
@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """Translation along and rotation about one axis; coordinates `position`, `angle`."""

    axis: Axis = "z"
    kind = "cylindrical"

    def layout(self) -> JointLayout:
        a = direction(self.axis, "cylindrical joint: axis")
        return JointLayout(ONE_AXIS, (a,), directions=(a,), translation_names=("position",), rotation_names=("angle",))


@checked
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Rotation about an axis fixed in the parent, then about one fixed in the body; coordinates `angle1`, `angle2`."""

    first: Axis = "x"
    second: Axis = "y"
    kind = "universal"

    def layout(self) -> JointLayout:
        a = direction(self.first, "universal joint: first axis")
        b = direction(self.second, "universal joint: second axis")
        if np.linalg.norm(np.cross(a, b)) < 1e-6:
            raise ModelError(f"universal joint: expected two different axes, got {a.tolist()} and {b.tolist()}")
        return JointLayout(TWO_AXES, (a, b), rotation_names=("angle1", "angle2"))


@checked
@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """All rotations; a quaternion `qx qy qz qw`, speeds `wx wy wz` in body axes."""

    kind = "spherical"

    def layout(self) -> JointLayout:
        return JointLayout(QUATERNION, rotation_names=("qx", "qy", "qz", "qw"))


@checked
@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """Motion in a plane: `x`, `y` along two directions fixed in the parent, `angle` about the normal.

    For the normal "z" the directions are x and y of the joint frame; for "x" they are y, z; for "y" z, x.
    """

    normal: Axis = "z"
    kind = "planar"

    def layout(self) -> JointLayout:
        n = direction(self.normal, "planar joint: normal")
        least = np.eye(3)[(int(np.argmax(np.abs(n))) + 1) % 3]
        x = least - float(least @ n) * n
        x /= np.linalg.norm(x)
        return JointLayout(
            ONE_AXIS, (n,), directions=(x, np.cross(n, x)), translation_names=("x", "y"), rotation_names=("angle",)
        )


@checked
@dataclass(frozen=True, eq=False)
class Free(Joint):
    """All motions: position `x y z` in the parent, quaternion `qx qy qz qw`; speeds angular, then linear, body axes."""

    kind = "free"

    def layout(self) -> JointLayout:
        return JointLayout(
            QUATERNION,
            directions=tuple(np.eye(3)),
            angular_speeds_first=True,
            translation_names=("x", "y", "z"),
            rotation_names=("qx", "qy", "qz", "qw"),
        )


@checked
@dataclass(frozen=True, eq=False)
class BuildingBlock(Joint):
    """Sayers' joint: up to three translations along given directions, then zero, one or three rotations.

    Coordinates `position1 ...`, `angle1 ...`. Speeds are rates of the coordinates, except that three translations have
    the velocity of the body's origin in body axes (`vx vy vz`) and three rotations the angular velocity in body axes
    (`wx wy wz`), as the source chooses them (Tables 5, 6).

    Parameters
    ----------
    translations : sequence of axes
        Directions in the joint frame, independent of each other.
    rotations : str
        Axis numbers in the order of the rotations: "", "3", "123", "313", ...
    """

    translations: Sequence[Axis] = field(default=())
    rotations: str = ""
    kind = "building-block"

    def __post_init__(self) -> None:
        super().__post_init__()
        own = tuple(d if isinstance(d, str) else tuple(np.asarray(d, float).tolist()) for d in self.translations)
        object.__setattr__(self, "translations", own)

    def layout(self) -> JointLayout:
        what = "building-block joint"
        if not isinstance(self.translations, Iterable):
            raise ModelError(f"{what}: translations: expected a list of axes, got {self.translations!r}")
        directions = tuple(direction(d, f"{what}: translation {i + 1}") for i, d in enumerate(self.translations))
        if len(directions) > 3 or (directions and np.linalg.matrix_rank(np.array(directions), 1e-6) < len(directions)):
            raise ModelError(f"{what}: expected up to three independent translations, got {_plain(directions)}")
        turns = str(self.rotations)
        repeated = any(a == b for a, b in pairwise(turns))
        if len(turns) not in (0, 1, 3) or set(turns) - set("123") or repeated:
            raise ModelError(
                f"{what}: rotations: expected '', one of '123', or three such as '123' or '313', got {turns!r}"
            )
        kind = {0: NO_ROTATION, 1: ONE_AXIS, 3: THREE_AXES}[len(turns)]
        return JointLayout(
            kind,
            tuple(np.eye(3)[int(c) - 1] for c in turns),
            directions=directions,
            translation_names=tuple(f"position{i + 1}" for i in range(len(directions))),
            rotation_names=tuple(f"angle{i + 1}" for i in range(len(turns))),
        )


def _plain(vectors: Sequence[Any]) -> list[list[float]]:
    return [np.asarray(v).tolist() for v in vectors]
