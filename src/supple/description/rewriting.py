"""The same mechanism described otherwise: freed from the ground, or with bodies on fixed joints joined."""

from __future__ import annotations

from dataclasses import replace

from supple.description.description import D, Description
from supple.description.joints import Fixed, Free
from supple.description.members import GROUND, Frame, Placed
from supple.rigid_body import RigidBody
from supple.structures.body import FlexibleBody


def free_base(mech: D) -> D:
    """The same mechanism with every body that hangs fixed on the ground freed from it."""
    copy = mech.copy()
    for name, placed in mech.bodies.items():
        if placed.parent == GROUND and isinstance(placed.joint, Fixed):
            copy.bodies[name] = replace(placed, joint=Free())
    return copy


def _rigid_pair(mech: Description, placed: Placed) -> bool:
    """Whether a body and what carries it are rigid, so that they can be one."""
    carrier = mech.bodies.get(placed.parent)
    return not any(isinstance(x.body, FlexibleBody) for x in (placed, carrier) if x is not None)


def merged(mech: D) -> D:
    """`mech` with each body on a fixed joint joined to its carrier, or dropped if that is the ground."""
    copy = mech.copy()
    for name in reversed(list(mech.bodies)):
        placed = copy.bodies[name]
        if not isinstance(placed.joint, Fixed) or not _rigid_pair(copy, placed):
            continue
        del copy.bodies[name]
        R, p, carrier = placed.rotation, placed.position, placed.parent
        if carrier != GROUND:
            base = copy.bodies[carrier]
            assert isinstance(base.body, RigidBody)
            assert isinstance(placed.body, RigidBody)
            copy.bodies[carrier] = replace(base, body=base.body.joined(placed.body.moved(R, p)))
        for child, other in list(copy.bodies.items()):
            if other.parent == name:
                moved = replace(other, parent=carrier, position=p + R @ other.position, rotation=R @ other.rotation)
                copy.bodies[child] = moved
        for label, frame in copy.frames.items():
            if frame.body == name:
                copy.frames[label] = Frame(carrier, p + R @ frame.position, R @ frame.rotation)
        copy.frames[name] = Frame(carrier, p, R)
    copy.couplings = [c for c in copy.couplings if c.follower in copy.bodies and c.leader in copy.bodies]
    return copy
