"""The same mechanism described otherwise: freed from the ground, or with bodies on fixed joints joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from supple.description.description import D, Description
from supple.description.joints import Fixed, Free
from supple.description.members import GROUND, Frame, Placed
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody


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
    """`mech` with each body on a fixed joint joined to its carrier, or dropped if that is the ground.

    Parents come first in a description: masses are joined from the tips inward, then poses composed outward.
    """
    copy = mech.copy()
    joined: dict[str, Frame] = {}
    """Where the joined bodies are in those that remain."""
    for name in reversed(list(mech.bodies)):
        placed = copy.bodies[name]
        if not isinstance(placed.joint, Fixed) or not _rigid_pair(copy, placed):
            continue
        del copy.bodies[name]
        joined[name] = Frame(placed.parent, placed.position, placed.rotation)
        if placed.parent != GROUND:
            base = copy.bodies[placed.parent]
            assert isinstance(base.body, RigidBody)
            assert isinstance(placed.body, RigidBody)
            moved = placed.body.moved(placed.rotation, placed.position)
            copy.bodies[placed.parent] = replace(base, body=base.body.joined(moved))
    for name in reversed(list(joined)):
        joined[name] = _carried(joined[name], joined)
    for name, placed in copy.bodies.items():
        if placed.parent in joined:
            at = _carried(Frame(placed.parent, placed.position, placed.rotation), joined)
            copy.bodies[name] = replace(placed, parent=at.body, position=at.position, rotation=at.rotation)
    copy.frames = {label: _carried(frame, joined) for label, frame in copy.frames.items()} | joined
    copy.couplings = [c for c in copy.couplings if c.follower in copy.bodies and c.leader in copy.bodies]
    return copy


def _carried(frame: Frame, joined: Mapping[str, Frame]) -> Frame:
    """A frame on the body that carries what it is on."""
    base = joined.get(frame.body)
    if base is None:
        return frame
    return Frame(base.body, base.position + base.rotation @ frame.position, base.rotation @ frame.rotation)
