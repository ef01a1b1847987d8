"""What a file says about the ranges of joints, and about joints that follow others: acted on if it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from supple.description.constraints import Gear
from supple.description.description import D, Description
from supple.description.limits import Limit
from supple.errors import FileFormatError, PhysicsWarning, warn

NAMED = 6
"""Joints that a warning names."""


class Leader(NamedTuple):
    """The coordinate p that another one follows, q = ratio p + offset."""

    name: str
    ratio: float
    offset: float


Leaders = dict[str, Leader]
"""By the coordinate that follows."""


def related(mech: D, path: Path, limits: bool | None, mimic: bool | None) -> D:
    """Return the mechanism with the requested stops and gears.

    Parameters
    ----------
    mech : Description
        As a file describes it.
    path : Path
        The file, for messages.
    limits, mimic : bool or None
        Whether to keep the stops and to make gears of the couplings. None: no; see `unrelated`.
    """
    copy = mech.copy()
    if not limits:
        copy.limits = []
    if mimic:
        _gear(copy, path)
    return copy


def unrelated(mech: Description, limits: bool | None, mimic: bool | None) -> Iterator[str]:
    """Yield what `related` leaves out without being told to, with the argument that keeps it."""
    if limits is None and mech.limits:
        yield f"limits of {listed(x.coordinate for x in mech.limits)} (limits=True: stops)"
    following = [c.follower for c in mech.couplings if _coordinate(mech, c.follower) and _coordinate(mech, c.leader)]
    if mimic is None and following:
        yield f"mimic joints {listed(following)} (mimic=True: gears)"


def listed(names: Iterable[str]) -> str:
    """Return the names in a row, of very many the first."""
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


def _gear(mech: Description, path: Path) -> None:
    """Make gears of the couplings, q = ratio p + offset; stops of q, which follows, become stops of p, which leads.

    Joints that do not move by one coordinate, such as fixed ones, neither lead nor follow.
    """
    leaders: Leaders = {}
    for c in mech.couplings:
        follower, leader = _coordinate(mech, c.follower), _coordinate(mech, c.leader)
        if follower and leader:
            mech.constrain(f"{c.follower} follows {c.leader}", Gear(follower, leader, c.ratio, c.offset))
            leaders[follower] = Leader(leader, c.ratio, c.offset)
    mech.couplings = []
    ranges = {x.coordinate: x for x in mech.limits}
    for follower in leaders:
        at, ratio, offset = _first(follower, leaders, path)
        own = ranges.pop(follower, None)
        if own is not None and ratio != 0:
            ends = sorted((x - offset) / ratio for x in _ends(own))
            before = _ends(ranges[at]) if at in ranges else (-math.inf, math.inf)
            low, high = max(ends[0], before[0]), min(ends[1], before[1])
            if low < high:
                lower, upper = (x if math.isfinite(x) else None for x in (low, high))
                ranges[at] = Limit(at, lower, upper, own.restitution)
            else:
                said = (
                    f"limits of {at!r} and of {follower!r}, which follows it, do not overlap: those of {at!r} are used"
                )
                warn(f"{path}: read with a warning: {said}", PhysicsWarning)
    mech.limits = list(ranges.values())


def _first(follower: str, leaders: Leaders, path: Path) -> Leader:
    """The coordinate at the head of the chain of those that a coordinate follows."""
    at, ratio, offset = follower, 1.0, 0.0
    passed = {follower}
    while at in leaders:
        at, r, o = leaders[at]
        ratio, offset = ratio * r, offset + ratio * o
        if at in passed:
            raise FileFormatError(f"{path}: mimic: expected joints that follow others, got {at!r} following itself")
        passed.add(at)
    return Leader(at, ratio, offset)


def _coordinate(mech: Description, body: str) -> str | None:
    """The coordinate of the joint that carries a body, if it is one alone."""
    layout = mech.bodies[body].joint.layout()
    names = (*layout.translation_names, *layout.rotation_names)
    return f"{body}.{names[0]}" if len(names) == 1 else None


def _ends(limit: Limit) -> tuple[float, float]:
    low, high = limit.lower, limit.upper
    return -math.inf if low is None else low, math.inf if high is None else high
