"""A rigid body, the building-block joint that ties it to its parent, and how it moves (Sayers, Tables 1, 3, 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from supple.call_checks import checked
from supple.expressions.graph import Expr
from supple.symbolic.vector_bases import VectorBasis
from supple.symbolic.vectors import Dyadic, Vector, axis, in_basis

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_system import KaneSystem

Speeds = Literal["rates", "body", "absolute"]
"""What speeds are: rates of coordinates; relative motion in body axes; motion against the ground in body axes."""


@dataclass(frozen=True)
class Dof:
    """A degree of freedom of a joint.

    Attributes
    ----------
    number : int
        Of its speed, counted from 0 over the whole system.
    speed : Expr
    direction : Vector
        Of the velocity, or angular velocity, that a unit of speed gives.
    """

    number: int
    speed: Expr
    direction: Vector

    @property
    def motion(self) -> Vector:
        """Its part of the velocity or angular velocity."""
        return self.speed * self.direction


@dataclass(frozen=True)
class JointMotion:
    """The translations of a joint, or its rotations.

    Attributes
    ----------
    coordinates : tuple of Expr
    directions : tuple of Vector
        Of translations: fixed in the parent. Axes of rotations; a quaternion has none.
    speeds : "rates", "body" or "absolute"
    dofs : tuple of Dof
    """

    coordinates: tuple[Expr, ...] = ()
    directions: tuple[Vector, ...] = ()
    speeds: Speeds = "rates"
    dofs: tuple[Dof, ...] = ()


@dataclass(frozen=True)
class JointKinematics:
    """A joint in vectors.

    Attributes
    ----------
    point : Vector
        From the parent's origin to where the joint is.
    shift : Vector
        From there to the body's origin: translations times directions, (14).
    pitch : Expr
        Advance of a screw, m/rad, along its axis.
    translation, rotation : JointMotion
    """

    point: Vector
    shift: Vector
    pitch: Expr
    translation: JointMotion = JointMotion()
    rotation: JointMotion = JointMotion()


class RigidInertia(NamedTuple):
    """Mass, mass centre from the body's origin, and inertia about the mass centre."""

    mass: Expr
    com: Vector
    inertia: Dyadic


@checked
@dataclass(frozen=True, eq=False)
class KaneBody:
    """A rigid body of a system; made by `KaneSystem.add_body`.

    Attributes
    ----------
    name : str
    system : KaneSystem
    parent : KaneBody or None
        None for the ground.
    basis : VectorBasis
        Axes that the analysis uses for this body; one of them is the joint's axis.
    frame : VectorBasis
        Axes that the user means; the same unless the joint turns about an oblique axis.
    joint : JointKinematics
    rigid : RigidInertia
    """

    name: str
    system: KaneSystem
    parent: KaneBody | None
    basis: VectorBasis
    frame: VectorBasis
    joint: JointKinematics
    rigid: RigidInertia

    @property
    def axes(self) -> tuple[Vector, Vector, Vector]:
        """The three unit vectors of the body's frame."""
        return frame_axes(self.frame)

    @property
    def coordinates(self) -> list[Expr]:
        """Coordinates of its joint, translations first."""
        return [*self.joint.translation.coordinates, *self.joint.rotation.coordinates]

    @property
    def moves(self) -> tuple[Dof, ...]:
        """Translational degrees of freedom."""
        return self.joint.translation.dofs

    @property
    def turns(self) -> tuple[Dof, ...]:
        """Rotational degrees of freedom."""
        return self.joint.rotation.dofs

    @property
    def speeds(self) -> list[Expr]:
        """Speeds of its joint, translations first."""
        return [dof.speed for dof in (*self.moves, *self.turns)]

    def vector(self, *components: Any) -> Vector:
        """The vector with these components in the body's frame."""
        return in_basis(self.frame, components)

    @property
    def origin_from_parent(self) -> Vector:
        """From the parent's origin to the body's (14)."""
        return self.joint.point + self.joint.shift

    def position(self, at: Vector | None = None) -> Vector:
        """From the ground's origin to the body's, or to the point `at` from there."""
        own = self.system.zero if self.parent is None else self.parent.position() + self.origin_from_parent
        return own if at is None else own + self.system.vector_of(at, f"position on {self.name}")

    @property
    def relative_angular_velocity(self) -> Vector:
        """Of the body in its parent."""
        turning = self._sum(self.turns)
        if self.joint.rotation.speeds == "absolute" and self.parent is not None:
            return turning - self.parent.angular_velocity
        return turning

    @property
    def angular_velocity(self) -> Vector:
        """In the ground, in native form (5)."""
        if self.parent is None:
            return self.system.zero
        own = self._sum(self.turns)
        return own if self.joint.rotation.speeds == "absolute" else self.parent.angular_velocity + own

    def velocity(self, at: Vector | None = None) -> Vector:
        """Of the body's origin, or of the body's point that is `at` from there, in native form."""
        if self.parent is None:
            own = self.system.zero
        elif self.joint.translation.speeds == "absolute":
            own = self._sum(self.moves)
        else:
            own = self.parent.velocity(self.origin_from_parent) + self._sum(self.moves) + self.screwing
        if at is None:
            return own
        return own + self.angular_velocity.cross(self.system.vector_of(at, f"velocity of {self.name}"))

    @property
    def relative_velocity(self) -> Vector:
        """Of the origin in the parent (21), (22)."""
        if self.joint.translation.speeds == "absolute" and self.parent is not None:
            return self._sum(self.moves) - self.parent.velocity(self.origin_from_parent)
        return self._sum(self.moves) + self.screwing

    @property
    def screwing(self) -> Vector:
        """Velocity of the origin because the joint is a screw."""
        return self.joint.pitch * self._sum(self.turns)

    def _sum(self, dofs: tuple[Dof, ...]) -> Vector:
        return sum((dof.motion for dof in dofs), start=self.system.zero)

    def __repr__(self) -> str:
        return f"KaneBody({self.name!r})"


def frame_axes(frame: VectorBasis) -> tuple[Vector, Vector, Vector]:
    """The three unit vectors of a frame."""
    return axis(frame, 0), axis(frame, 1), axis(frame, 2)
