"""What a user says of a body: its building-block joint (Sayers, Table 1) and its mass; read, and made into a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.errors import ModelError
from supple.symbolic.kane.arguments import (
    Direction,
    check_independent,
    check_orthogonal,
    fixed_vector,
    inertia_of,
    unit_direction,
)
from supple.symbolic.kane.joint import Turning, placed, turned
from supple.symbolic.kane.kane_body import JointKinematics, JointMotion, KaneBody, RigidInertia, Speeds, frame_axes
from supple.symbolic.vector_bases import VectorBasis
from supple.symbolic.vectors import Vector

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_system import KaneSystem


@checked
@dataclass(frozen=True)
class KaneJoint:
    """A building-block joint: translations along directions fixed in the parent, then rotations about axes in turn.

    Attributes
    ----------
    translations : up to three directions
        Vectors fixed in the parent, components in its frame, or "x", "y", "z"; of any length, as coordinates are
        distances along them, m.
    rotations : str
        Numbers of the body's axes in the order of the rotations: "", "3", "12", "123", "313", ...
    axis, reference : direction, optional
        Where the first rotation axis, and the one after it, point while all coordinates are zero (Table 3); without
        them the body's axes are the parent's then. Of a joint without rotations: where the body's first and second
        axis point, which turns the axes of a body against its parent's.
    coordinates : sequence of str
        Names of the coordinates, translations first; q1, q2, ... if not given.
    speed_names : sequence of str
        Names of the speeds, translations first; u1, u2, ... if not given.
    speeds : "auto" or "rates"
        "auto" chooses as Tables 5 and 6 do: three rotations, or three translations, have the angular velocity, or the
        velocity of the origin, against the ground in body axes for speeds; so have two translations that keep the body
        in a plane; all others the rates of their coordinates. (The source takes the velocity of the composite mass
        centre, whose meaning would change with every body that is added.)
    """

    translations: Sequence[Direction] = ()
    rotations: str = ""
    axis: Direction | None = None
    reference: Direction | None = None
    coordinates: Sequence[str] = ()
    speeds: Literal["auto", "rates"] = "auto"
    speed_names: Sequence[str] = ()


@checked
@dataclass(frozen=True)
class MassProperties:
    """Mass of a body and how it is distributed, in symbols or numbers.

    Attributes
    ----------
    mass : Expr or float
    com : Vector, or three components in the body's frame
        Mass centre from the origin.
    inertia : three moments or 3 x 3, in the body's frame
        About the mass centre.
    """

    mass: Any = 0.0
    com: Direction = (0, 0, 0)
    inertia: Sequence[Any] | NDArray[Any] = (0, 0, 0)


FIXED, MASSLESS = KaneJoint(), MassProperties()


def built(
    system: KaneSystem, name: str, parent: KaneBody, joint: KaneJoint, properties: MassProperties, at: Direction
) -> KaneBody:
    """A new body of a system on a joint; what is refused leaves the system as it was."""
    where = f"system {system.name!r}: body {name!r}"
    _check(joint, where)
    point = fixed_vector(parent.frame, parent.name, at, f"{where}: at")
    directions = [fixed_vector(parent.frame, parent.name, d, f"{where}: translations") for d in joint.translations]
    check_independent(directions, f"{where}: translations")
    directions = [unit_direction(d) for d in directions]
    start = _start(name, parent, joint, where)
    mass = system.scalar_of(properties.mass, f"body {name!r}: mass")
    q = system.coordinate_leaves(joint.coordinates, len(directions) + len(joint.rotations), where)
    moves, turns = q[: len(directions)], q[len(directions) :]
    turning = turned(name, start, [np.eye(3)[int(c) - 1] for c in joint.rotations], turns)
    shift = sum((q * d for q, d in zip(moves, directions, strict=True)), start=system.zero)
    com = fixed_vector(turning.frame, name, properties.com, f"{where}: com").along(turning.basis)
    inertia = inertia_of(turning.frame, properties.inertia, f"{where}: inertia").along(turning.basis)
    kinematics = JointKinematics(
        point,
        shift,
        system.graph.zero,
        JointMotion(tuple(moves), tuple(directions), _move_speeds(joint, parent, point, directions, turning)),
        JointMotion(tuple(turns), tuple(turning.axes), "absolute" if _is_free(joint, joint.rotations) else "rates"),
    )
    _check_speed_names(system, joint, len(q), where)
    return system.enter(name, parent, turning, kinematics, RigidInertia(mass, com, inertia), joint.speed_names)


def _check_speed_names(system: KaneSystem, joint: KaneJoint, count: int, where: str) -> None:
    """Refuse too many or too few names of speeds, and those that are taken."""
    names = joint.speed_names
    if names and len(names) != count:
        raise ModelError(f"{where}: expected {count} names of speeds, got {list(names)}")
    taken = [v.name for v in system.v]
    for i, name in enumerate(names):
        if name in taken or name in names[:i]:
            raise ModelError(f"{where}: speed {name!r} is defined twice")


def _check(joint: KaneJoint, where: str) -> None:
    """Refuse what no building-block joint has."""
    rotations = joint.rotations
    if len(joint.translations) > 3:
        raise ModelError(f"{where}: translations: expected up to three, got {joint.translations!r}")
    if not isinstance(rotations, str) or len(rotations) > 3 or set(rotations) - set("123"):
        raise ModelError(f"{where}: rotations: expected up to three of 1, 2, 3, as in '313', got {rotations!r}")
    if any(a == b for a, b in pairwise(rotations)):
        raise ModelError(f"{where}: rotations: expected no axis twice in a row, got {rotations!r}")
    if joint.speeds not in ("auto", "rates"):
        raise ModelError(f"{where}: speeds: expected 'auto' or 'rates', got {joint.speeds!r}")


def _start(name: str, parent: KaneBody, joint: KaneJoint, where: str) -> VectorBasis:
    """Axes of the body while all coordinates are zero."""
    if joint.axis is None and joint.reference is None:
        return parent.frame
    if joint.axis is None or joint.reference is None:
        raise ModelError(f"{where}: expected an axis and a reference direction together")
    first, second = (
        fixed_vector(parent.frame, parent.name, d, f"{where}: axis and reference")
        for d in (joint.axis, joint.reference)
    )
    check_orthogonal(first, second, f"{where}: axis and reference")
    return placed(f"{name}o_", parent.frame, int(joint.rotations[:1] or "1") - 1, first, second)


def _is_free(joint: KaneJoint, parts: Sequence[Any]) -> bool:
    """Whether translations, or rotations, are three and have speeds of Tables 5 and 6."""
    return joint.speeds == "auto" and len(parts) == 3


def _move_speeds(
    joint: KaneJoint, parent: KaneBody, point: Vector, directions: list[Vector], turning: Turning
) -> Speeds:
    planar = len(directions) == 2 and _is_planar(parent, point, directions, turning)
    return "absolute" if _is_free(joint, directions) or (joint.speeds == "auto" and planar) else "rates"


def _is_planar(parent: KaneBody, point: Vector, directions: list[Vector], turning: Turning) -> bool:
    """Whether a body with two translations turns about their normal and does not move along it (Table 5)."""
    normal = directions[0].cross(directions[1])
    carrying = parent.angular_velocity
    carried = parent.velocity(point)
    axes_agree = all(a.cross(normal).is_zero for a in turning.axes)
    if len(axes_across(turning.frame, normal)) != 2:
        return False  # no axis of the body is the normal: two of them do not span the plane
    return axes_agree and carrying.cross(normal).is_zero and (carried @ normal) is normal.graph.zero


def axes_across(frame: VectorBasis, normal: Vector) -> list[Vector]:
    """Axes of a frame that are not parallel to a normal."""
    return [a for a in frame_axes(frame) if not a.cross(normal).is_zero]


def speed_directions(frame: VectorBasis, joint: JointKinematics) -> tuple[list[Vector], list[Vector]]:
    """Velocities, and angular velocities, that unit speeds of a joint give to a body with this frame."""
    moves, turns = list(joint.translation.directions), list(joint.rotation.directions)
    if joint.translation.speeds != "rates":
        moves = list(frame_axes(frame)) if len(moves) == 3 else axes_across(frame, moves[0].cross(moves[1]))
    if joint.rotation.speeds != "rates":
        turns = list(frame_axes(frame))
    return moves, turns
