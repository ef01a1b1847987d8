"""Partial velocities and acceleration remainders of all bodies, parents first (Sayers, Tables 7 and 9)."""

from __future__ import annotations

from dataclasses import dataclass, field

from supple.symbolic.kane.composite_bodies import Composite
from supple.symbolic.kane.kane_body import Dof, KaneBody
from supple.symbolic.vectors import Dyadic, Vector, identity

Partials = dict[int, Vector]
"""Partial velocities by the number of the speed; those that are not there are zero."""


@dataclass
class BodyMotion:
    """How a body moves. Its point is the composite mass centre, or the origin if that is fixed in the parent.

    Attributes
    ----------
    w : Vector
        Angular velocity.
    w_i : dict of int to Vector
        Partial angular velocities (10).
    alpha : Vector
        What is left of the angular acceleration without rates of speeds (33).
    v_i : dict of int to Vector
        Partial velocities of the point, in the body's basis (11).
    native : dict of int to Vector
        The same, written as in the body furthest inward where they are equal.
    own : set of int
        Speeds whose partial velocity is native to this body.
    R : Dyadic
        Acceleration of points fixed in the body, alpha~ + w~ w~, times their position.
    a : Vector
        What is left of the point's acceleration without rates of speeds (37), less gravity (39), in the body's basis.
    native_a : Vector
        The same, as its parts came.
    point : Vector
        From the origin to the point.
    """

    w: Vector
    w_i: Partials
    alpha: Vector
    point: Vector
    v_i: Partials = field(default_factory=dict)
    native: Partials = field(default_factory=dict)
    own: set[int] = field(default_factory=set)
    R: Dyadic = field(init=False)
    a: Vector = field(init=False)
    native_a: Vector = field(init=False)


def motions(
    bodies: list[KaneBody], composites: dict[KaneBody, Composite], gravity: Vector
) -> dict[KaneBody, BodyMotion]:
    """The motion of all bodies, which come parent first, the ground not among them."""
    zero = gravity * 0.0
    out: dict[KaneBody, BodyMotion] = {}
    for body in bodies:
        at_rest = BodyMotion(zero, {}, zero, zero)
        at_rest.a, at_rest.R = -gravity, zero.outer(zero)
        parent = at_rest if body.parent is None else out.get(body.parent, at_rest)
        motion = _rotation(body, composites[body], parent)
        _acceleration_dyadic(body, motion)
        _translation(body, composites[body], parent, motion, gravity)
        out[body] = motion
    return out


def _rotation(body: KaneBody, composite: Composite, parent: BodyMotion) -> BodyMotion:
    """Table 7.

    A rotor, and a body that does not turn, is followed in its parent's axes, all others in their own.
    """
    own = {dof.number: dof.direction for dof in body.turns}
    relative = sum((dof.motion for dof in body.turns), start=parent.w * 0.0)
    if composite.rotation == "nonrecursive":
        return BodyMotion(relative, own, relative * 0.0, composite.reference)
    basis = body.basis
    if composite.rotation == "rotor" and body.parent is not None:
        basis = body.parent.basis
    carried = parent.w.along(basis)
    w = carried + relative.along(basis)
    w_i = {i: w_A.along(basis) for i, w_A in parent.w_i.items()}
    w_i |= {i: direction.along(basis) for i, direction in own.items()}
    alpha = parent.alpha.along(basis) + carried.cross(relative)
    if body.joint.rotation.speeds == "rates":
        alpha = alpha + _turn_within(body.turns, relative * 0.0)
    return BodyMotion(w, w_i, alpha.along(basis), composite.reference)


def _turn_within(turns: tuple[Dof, ...], zero: Vector) -> Vector:
    """Later axes of a joint turn with the earlier ones."""
    pairs = [(earlier, later) for n, later in enumerate(turns) for earlier in turns[:n]]
    return sum((earlier.motion.cross(later.motion) for earlier, later in pairs), start=zero)


def _acceleration_dyadic(body: KaneBody, motion: BodyMotion) -> None:
    """alpha~ + w~ w~ in the body's basis."""
    unity = identity(body.basis)
    w, alpha = motion.w.along(body.basis), motion.alpha.along(body.basis)
    motion.R = alpha.cross(unity) + w.cross(w.cross(unity))


def _translation(body: KaneBody, composite: Composite, parent: BodyMotion, motion: BodyMotion, gravity: Vector) -> None:
    """Table 9."""
    basis, own = body.basis, {dof.number: dof.direction for dof in body.moves}
    moving = sum((dof.motion for dof in body.moves), start=gravity * 0.0)
    if composite.translation == "nonrecursive":
        motion.native = _added(own, _turned(motion.w_i, motion.point))
        motion.v_i = {i: v.along(basis) for i, v in motion.native.items()}
        motion.own = set(motion.native)
        motion.native_a = motion.w.cross(moving) - gravity + motion.R @ motion.point
        motion.a = motion.native_a.along(basis)
        return
    r_A = body.origin_from_parent - parent.point
    for dof in body.turns:
        screwing = body.joint.pitch * dof.direction
        if not screwing.is_zero:
            own[dof.number] = own.get(dof.number, gravity * 0.0) + screwing
    relative = _added(own, _added(_turned(parent.w_i, r_A), _turned(motion.w_i, motion.point)))
    motion.own = set(relative)
    for i in dict.fromkeys([*parent.v_i, *relative]):
        before = parent.v_i.get(i)
        after = relative.get(i)
        total = before if after is None else after if before is None else before + after
        assert total is not None
        motion.v_i[i] = total.along(basis)
        motion.native[i] = parent.native[i] if after is None else motion.v_i[i]
    slid = moving + body.screwing
    frame_w = motion.w if body.joint.translation.speeds == "body" else parent.w
    coriolis = (parent.w + frame_w).cross(moving) + (2.0 * parent.w).cross(slid - moving)
    motion.native_a = parent.a + parent.R @ r_A + motion.R @ motion.point + coriolis
    motion.a = motion.native_a.along(basis)


def _turned(w_i: Partials, r: Vector) -> Partials:
    """w_i x r, those that are not zero."""
    crossed = {i: w.cross(r) for i, w in w_i.items()}
    return {i: v for i, v in crossed.items() if not v.is_zero}


def _added(a: Partials, b: Partials) -> Partials:
    return {i: a[i] + b[i] if i in a and i in b else a.get(i, b.get(i)) for i in dict.fromkeys([*a, *b])}  # type: ignore[misc]
