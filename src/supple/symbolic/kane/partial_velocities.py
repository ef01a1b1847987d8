"""Partial velocities and acceleration remainders of all bodies, parents first (Sayers, Tables 7 and 9)."""

from __future__ import annotations

from typing import NamedTuple

from supple.symbolic.kane.composite_bodies import Composite
from supple.symbolic.kane.kane_body import Dof, KaneBody
from supple.symbolic.vector_bases import VectorBasis
from supple.symbolic.vectors import Dyadic, Vector, identity

Partials = dict[int, Vector]
"""Partial velocities by the number of the speed; those that are not there are zero."""


class AngularMotion(NamedTuple):
    """How a body turns.

    Attributes
    ----------
    w : Vector
        Angular velocity.
    w_i : dict of int to Vector
        Partial angular velocities (10).
    alpha : Vector
        What is left of the angular acceleration without rates of speeds (33).
    """

    w: Vector
    w_i: Partials
    alpha: Vector


class PointMotion(NamedTuple):
    """How a point of a body moves: the composite mass centre, or the origin if that is fixed in the parent.

    Attributes
    ----------
    place : Vector
        From the origin to the point.
    v_i : dict of int to Vector
        Partial velocities, in the body's basis (11).
    native : dict of int to Vector
        The same, written as in the body furthest inward where they are equal.
    own : set of int
        Speeds whose partial velocity is native to this body.
    a : Vector
        What is left of the acceleration without rates of speeds (37), less gravity (39), in the body's basis.
    native_a : Vector
        The same, as its parts came.
    """

    place: Vector
    v_i: Partials
    native: Partials
    own: set[int]
    a: Vector
    native_a: Vector


class BodyMotion(NamedTuple):
    """How a body moves.

    Attributes
    ----------
    angular : AngularMotion
    R : Dyadic
        Acceleration of points fixed in the body, alpha~ + w~ w~, times their position.
    point : PointMotion
    """

    angular: AngularMotion
    R: Dyadic
    point: PointMotion


def motions(
    bodies: list[KaneBody], composites: dict[KaneBody, Composite], gravity: Vector, mass_centre_speeds: bool = False
) -> dict[KaneBody, BodyMotion]:
    """The motion of all bodies, which come parent first, the ground not among them.

    With `mass_centre_speeds` the speeds of bodies that are nonrecursive in translation are those of their mass centres.
    """
    zero = gravity * 0.0
    root = PointMotion(zero, {}, {}, set(), -gravity, -gravity)  # gravity as the acceleration of the ground (39)
    ground = BodyMotion(AngularMotion(zero, {}, zero), zero.outer(zero), root)
    out: dict[KaneBody, BodyMotion] = {}
    for body in bodies:
        parent = ground if body.parent is None else out.get(body.parent, ground)
        angular = _rotation(body, composites[body], parent.angular)
        R = _acceleration_dyadic(body, angular)
        follow = _carried
        if composites[body].translation == "nonrecursive":
            follow = _centred if mass_centre_speeds else _alone
        out[body] = BodyMotion(angular, R, follow(body, composites[body].reference, parent, angular, R, gravity))
    return out


def _rotation(body: KaneBody, composite: Composite, parent: AngularMotion) -> AngularMotion:
    """Table 7.

    A rotor, and a body that does not turn, is followed in its parent's axes, all others in their own.
    """
    own = {dof.number: dof.direction for dof in body.turns}
    relative = sum((dof.motion for dof in body.turns), start=parent.w * 0.0)
    if composite.rotation == "nonrecursive":
        return AngularMotion(relative, own, relative * 0.0)
    basis = rotation_basis(body, composite)
    carried = parent.w.along(basis)
    w = carried + relative.along(basis)
    w_i = {i: w_A.along(basis) for i, w_A in parent.w_i.items()}
    w_i |= {i: direction.along(basis) for i, direction in own.items()}
    alpha = parent.alpha.along(basis) + carried.cross(relative)
    if body.joint.rotation.speeds == "rates":
        alpha = alpha + _turn_within(body.turns, relative * 0.0)
    return AngularMotion(w, w_i, alpha.along(basis))


def rotation_basis(body: KaneBody, composite: Composite) -> VectorBasis:
    """Axes in which the rotation of a body is followed."""
    return body.parent.basis if composite.rotation == "rotor" and body.parent is not None else body.basis


def _turn_within(turns: tuple[Dof, ...], zero: Vector) -> Vector:
    """Later axes of a joint turn with the earlier ones."""
    pairs = [(earlier, later) for n, later in enumerate(turns) for earlier in turns[:n]]
    return sum((earlier.motion.cross(later.motion) for earlier, later in pairs), start=zero)


def _acceleration_dyadic(body: KaneBody, angular: AngularMotion) -> Dyadic:
    """alpha~ + w~ w~ in the body's basis."""
    unity = identity(body.basis)
    w, alpha = angular.w.along(body.basis), angular.alpha.along(body.basis)
    return alpha.cross(unity) + w.cross(w.cross(unity))


def _alone(
    body: KaneBody, place: Vector, parent: BodyMotion, angular: AngularMotion, R: Dyadic, gravity: Vector
) -> PointMotion:
    """Table 9 for a body whose own speeds give the velocity of its origin."""
    own = {dof.number: dof.direction for dof in body.moves}
    moving = sum((dof.motion for dof in body.moves), start=gravity * 0.0)
    native = _added(own, _turned(angular.w_i, place))
    v_i = {i: v.along(body.basis) for i, v in native.items()}
    native_a = angular.w.cross(moving) - gravity + R @ place
    return PointMotion(place, v_i, native, set(native), native_a.along(body.basis), native_a)


def _centred(
    body: KaneBody, place: Vector, parent: BodyMotion, angular: AngularMotion, R: Dyadic, gravity: Vector
) -> PointMotion:
    """Table 9 as it is printed, for a body whose own speeds give the velocity of its composite mass centre."""
    own = {dof.number: dof.direction for dof in body.moves}
    moving = sum((dof.motion for dof in body.moves), start=gravity * 0.0)
    v_i = {i: v.along(body.basis) for i, v in own.items()}
    native_a = angular.w.cross(moving) - gravity
    return PointMotion(place, v_i, own, set(own), native_a.along(body.basis), native_a)


def _carried(
    body: KaneBody, place: Vector, parent: BodyMotion, angular: AngularMotion, R: Dyadic, gravity: Vector
) -> PointMotion:
    """Table 9 for a body that moves with its parent."""
    own = {dof.number: dof.direction for dof in body.moves}
    moving = sum((dof.motion for dof in body.moves), start=gravity * 0.0)
    r_A = body.origin_from_parent - parent.point.place
    for dof in body.turns:
        screwing = body.joint.pitch * dof.direction
        if not screwing.is_zero:
            own[dof.number] = own.get(dof.number, gravity * 0.0) + screwing
    relative = _added(own, _added(_turned(parent.angular.w_i, r_A), _turned(angular.w_i, place)))
    v_i, native = {}, {}
    for i in dict.fromkeys([*parent.point.v_i, *relative]):
        v_i[i] = _sum(parent.point.v_i, relative, i).along(body.basis)
        native[i] = v_i[i] if i in relative else parent.point.native[i]
    slid = moving + body.screwing
    parent_w = parent.angular.w
    frame_w = angular.w if body.joint.translation.speeds == "body" else parent_w
    coriolis = (parent_w + frame_w).cross(moving) + (2.0 * parent_w).cross(slid - moving)
    native_a = parent.point.a + parent.R @ r_A + R @ place + coriolis
    return PointMotion(place, v_i, native, set(relative), native_a.along(body.basis), native_a)


def _turned(w_i: Partials, r: Vector) -> Partials:
    """w_i x r, those that are not zero."""
    crossed = {i: w.cross(r) for i, w in w_i.items()}
    return {i: v for i, v in crossed.items() if not v.is_zero}


def _added(a: Partials, b: Partials) -> Partials:
    return {i: _sum(a, b, i) for i in dict.fromkeys([*a, *b])}


def _sum(a: Partials, b: Partials, i: int) -> Vector:
    """The sum of two partial velocities, of which one may be missing."""
    if i in a and i in b:
        return a[i] + b[i]
    return a[i] if i in a else b[i]
