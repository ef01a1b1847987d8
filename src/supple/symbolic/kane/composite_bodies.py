"""Composite bodies: what moves with its parent is counted with its parent (Sayers, (15)-(19), Tables 5 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from supple.expressions.graph import Expr
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.vectors import Dyadic, Vector, axis, identity

Translation = Literal["fixed", "recursive", "nonrecursive"]
Rotation = Literal["rotor", "recursive", "nonrecursive"]


@dataclass
class Composite:
    """A body together with what is fixed to it.

    Attributes
    ----------
    translation : "fixed", "recursive" or "nonrecursive"
        The mass centre is fixed in the parent; moves with it; has a velocity given by the body's own speeds (Table 5).
    rotation : "rotor", "recursive" or "nonrecursive"
        The inertia is constant in the parent's axes; is not; the angular velocity is given by its own speeds (Table 6).
    mass : Expr
        Of the composite body (15).
    com : Vector
        From the origin to its mass centre (16).
    inertia : Dyadic
        What is left to count with this body's rotation (17), (18); of a rotor in the parent's axes (19).
    """

    translation: Translation
    rotation: Rotation
    mass: Expr
    com: Vector
    inertia: Dyadic

    @property
    def own_mass(self) -> Expr:
        """The mass that this body answers for: none if its parent does (41)."""
        return self.mass.graph.zero if self.translation == "fixed" else self.mass

    @property
    def reference(self) -> Vector:
        """From the origin to the point whose motion is followed: the mass centre, the origin of a fixed body."""
        return self.com * 0.0 if self.translation == "fixed" else self.com


def composite_bodies(bodies: list[KaneBody]) -> dict[KaneBody, Composite]:
    """Categories and lumped inertias of all bodies, which come parent first."""
    points: dict[KaneBody, list[tuple[Expr, Vector]]] = {body: [(body.rigid.mass, body.rigid.com)] for body in bodies}
    turning: dict[KaneBody, Dyadic] = {body: body.rigid.inertia for body in bodies}
    out: dict[KaneBody, Composite] = {}
    for body in reversed(bodies):
        own = _lumped(body, points[body], turning[body])
        out[body] = own
        parent = body.parent
        if parent is None or parent not in points:
            continue  # what is fixed to the ground does not move
        if own.translation == "fixed":
            points[parent].append((own.mass, (body.origin_from_parent + own.com).along(parent.basis)))
        if own.rotation == "rotor":
            carried, own.inertia = _split(body, own.inertia, parent)
            turning[parent] = turning[parent] + carried
    return {body: out[body] for body in bodies}


def _lumped(body: KaneBody, points: list[tuple[Expr, Vector]], turning: Dyadic) -> Composite:
    """Masses at points and the inertia that turns with a body, as one."""
    graph = body.basis.graph
    heavy = [(m, x) for m, x in points if m is not graph.zero]
    mass, com, inertia = graph.zero, body.rigid.com * 0.0, turning
    for m, _ in heavy:
        mass = mass + m
    if len(heavy) == 1:
        com = heavy[0][1]
    elif heavy:
        for m, x in heavy:
            com = com + (m / mass) * x
        for m, x in heavy:
            d = (x - com).along(body.basis)
            inertia = inertia + m * ((d @ d) * identity(body.basis) - d.outer(d))
    com = com.along(body.basis)
    return Composite(_translation(body, com), _rotation(body, inertia), mass, com, inertia.along(body.basis))


def _translation(body: KaneBody, com: Vector) -> Translation:
    """Table 5."""
    if body.joint.translation.speeds == "absolute":
        return "nonrecursive"
    if body.moves or body.joint.pitch is not body.basis.graph.zero:
        return "recursive"
    if not body.turns:
        return "fixed"
    if len(body.turns) == 1:
        return "fixed" if com.cross(body.joint.rotation.directions[0]).is_zero else "recursive"
    return "fixed" if com.is_zero else "recursive"


def _rotation(body: KaneBody, inertia: Dyadic) -> Rotation:
    """Table 6."""
    if body.joint.rotation.speeds == "absolute":
        return "nonrecursive"
    if not body.turns:
        return "rotor"
    if len(body.turns) > 1:
        return "recursive"
    spin, across = _moments(body, inertia)
    rest = inertia - _symmetric(body.joint.rotation.directions[0].along(body.basis), spin, across, body)
    return "rotor" if rest.along(body.basis).is_zero else "recursive"


def _split(body: KaneBody, inertia: Dyadic, parent: KaneBody) -> tuple[Dyadic, Dyadic]:
    """What of a rotor's inertia turns with the parent alone, and the rest, both in the parent's axes (19).

    The source leaves the whole with the rotor; but J (1 - a a) sees only the angular velocity across the axis a, which
    is the parent's, so that it can be counted there.
    """
    zero = inertia * 0.0
    if not body.turns:
        return inertia.along(parent.basis), zero
    spin, across = _moments(body, inertia)
    a = body.joint.rotation.directions[0].along(parent.basis)
    return _symmetric(a, zero.graph.zero, across, parent), _symmetric(a, spin, zero.graph.zero, parent)


def _symmetric(a: Vector, spin: Expr, across: Expr, body: KaneBody) -> Dyadic:
    """The inertia with one moment about the axis a and another across it, in the axes of a body."""
    return across * (identity(body.basis) - a.outer(a)) + spin * a.outer(a)


def _moments(body: KaneBody, inertia: Dyadic) -> tuple[Expr, Expr]:
    """About the axis of a body's joint, and across it in one direction."""
    (i,) = (n for n in range(3) if body.joint.rotation.directions[0].cross(axis(body.basis, n)).is_zero)
    a, b = axis(body.basis, i), axis(body.basis, (i + 1) % 3)
    return a @ inertia @ a, b @ inertia @ b
