"""Joints, springs and contacts of a model as shapes between two points, for the page and for films alike."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.checks import Floats, direction
from supple.description.constraints import Closure, Rolling
from supple.description.joints import Joint
from supple.recursions.tree import QUATERNION, THREE_AXES
from supple.view.scene.places import ScenePlaces

HINGE, BALL, RAIL, OUT, SLEEVE = 0.017, 0.022, 0.007, 0.04, 0.027
"""Radius of a hinge, a ball and a rail, how far a rail goes beyond its travel, side of what slides: in symbol sizes."""
COIL, KNOB, DAMPER, MARK = 0.03, 0.011, 0.0102, 0.03
"""Radius of a spring's coil, of its ends, of a damper, of the mark of a contact."""
STUBBY = 0.25
"""Largest radius of a coil, of its length in the first configuration."""
GROWS = 0.25
"""A slide whose least distance from zero is more than this of its largest is drawn as a rod that grows."""
ROAMS = 4.0
"""A joint that travels farther, in symbol sizes, has no rails: a vehicle."""


class Pose(NamedTuple):
    """Of a body, 0 the ground, or of a place of the stage."""

    kind: str
    number: int

    def as_json(self) -> dict[str, int]:
        """For the page."""
        return {self.kind: self.number}


class Point(NamedTuple):
    """A point that moves with a pose, and in some directions with the origin of another.

    It is at p + R (at + sum d d . R* (p_to - p)) with the unit vectors d of `along`.
    """

    on: Pose
    at: tuple[float, ...] = (0.0, 0.0, 0.0)
    to: Pose | None = None
    along: tuple[tuple[float, ...], ...] = ()


class Touch(NamedTuple):
    """Where a wheel, or a ball if it has no axis, is nearest to the plane x, y of a pose; `above` it, m."""

    plane: Pose
    wheel: Pose
    radius: float
    axis: tuple[float, ...] | None
    above: float = 0.0


class Symbol(NamedTuple):
    """A shape from one point to another.

    Attributes
    ----------
    group : str
        "joints", "springs", "contacts", or "rods", which are always drawn.
    shape : str
        A name for `symbol_shape`.
    size : float
        m.
    ends : pair of Point or Touch
    stop : int, optional
        It is drawn only while this stop holds or hits.
    """

    group: str
    shape: str
    size: float
    ends: tuple[Point | Touch, Point | Touch]
    stop: int | None = None

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        out = {"group": self.group, "shape": self.shape, "size": self.size, "ends": [_json(x) for x in self.ends]}
        return out if self.stop is None else out | {"stop": self.stop}


def _json(end: Point | Touch) -> dict[str, Any]:
    given = {key: x.as_json() if isinstance(x, Pose) else x for key, x in end._asdict().items()}
    return {key: x for key, x in given.items() if x is not None and x != ()}


def symbols_of(stage: ScenePlaces, q: Floats, joints: Floats, size: float) -> list[Symbol]:
    """All but those of stops, for a motion q (frames, nq) with poses `stage.joints(q)` and symbols of some size."""
    travels = joints[..., 4:]
    out = []
    for k, x in enumerate(stage.bodies, start=1):
        out += joint_symbols(x.joint, Pose("place", k - 1), Pose("body", k), size, travels[:, k - 1])
    for closure, (a, b) in stage.closures:
        poses = Pose("place", a), Pose("place", b)
        if isinstance(closure, Closure):
            out += joint_symbols(closure.joint, *poses, size)
        else:
            out.append(Symbol("rods", "rod", RAIL * size, (Point(poses[0]), Point(poses[1]))))
    return [*out, *_springs(stage, q, size), *(_rolling(x, *pair, size) for x, pair in stage.rolling)]


def joint_symbols(joint: Joint, base: Pose, moved: Pose, size: float, travel: Floats | None = None) -> list[Symbol]:
    """A joint between what it is fixed to and what it moves.

    Hinges stand for the axes it turns about, a ball for any axis, rails for the directions it slides along; `travel`
    (frames, 3) is how far, in the axes of its base. What can move anywhere has no symbol, what goes far no rails.
    """
    layout = joint.layout()
    slides = list(layout.directions) or ([layout.axes[0]] if layout.pitch else [])
    if len(slides) == 3:
        return []
    if layout.rotation_kind in (THREE_AXES, QUATERNION):
        out = [Symbol("joints", "ball", BALL * size, (Point(moved), Point(moved, (0.0, 0.0, 1.0))))]
    else:
        out = []
        two = len(layout.axes) > 1
        for i, axis in enumerate(layout.axes):
            half = (1.9 if two else 1.7) * HINGE * size * np.asarray(axis)
            carrier = base if two and i == 0 else moved
            ends = Point(carrier, _numbers(-half)), Point(carrier, _numbers(half))
            out.append(Symbol("joints", "rod", (0.6 if two else 1.0) * HINGE * size, ends))
    if travel is not None and float(np.ptp(travel, axis=0).max(initial=0.0)) > ROAMS * size:
        return out
    for axis in slides:
        across = [d for d in slides if d is not axis]
        far = np.zeros(1) if travel is None else travel @ axis
        out += _slider(np.asarray(axis), across, (float(far.min()), float(far.max())), base, moved, size)
    return out


def _slider(
    axis: Floats, across: list[Floats], travel: tuple[float, float], base: Pose, moved: Pose, size: float
) -> list[Symbol]:
    """A rail over its travel if it passes its zero, else a rod or cable that grows; a sleeve on what slides.

    The rail itself moves along the other directions of the joint.
    """
    low, high = travel
    least, most = sorted((abs(low), abs(high)))
    others, own = tuple(_numbers(d) for d in across), _numbers(axis)

    def at(far: float, *along: tuple[float, ...]) -> Point:
        return Point(base, _numbers(far * axis), *((moved, (*others, *along)) if others or along else ()))

    if low * high > 0 and least > GROWS * most:
        return [
            Symbol("joints", "rod", RAIL * size, (at(0.0), at(0.0, own))),
            Symbol("joints", "ball", 2.0 * RAIL * size, (at(0.0), at(1.0))),
        ]
    rail = at(min(0.0, low) - OUT * size), at(max(0.0, high) + OUT * size)
    return [
        Symbol("joints", "rod", RAIL * size, rail),
        Symbol("joints", "block", SLEEVE * size, (at(0.0, own), at(1.0, own))),
    ]


def _springs(stage: ScenePlaces, q: Floats, size: float) -> list[Symbol]:
    """A coil where there is stiffness, a cylinder with its piston where there is damping."""
    R, p = stage.model.poses(q[:1])
    out = []
    for x, pair in zip(stage.model.description.springs.values(), stage.springs, strict=True):
        a, b = (stage.moved(stage.places[i], q[:1], R, p)[1][0] for i in pair)
        ends = Point(Pose("place", pair[0])), Point(Pose("place", pair[1]))
        length = float(np.linalg.norm(b - a))
        out += [Symbol("springs", "ball", KNOB * size, (end, end)) for end in ends]
        if float(x.damping):
            out.append(Symbol("springs", "damper", DAMPER * size, ends))
        if float(x.stiffness):
            out.append(Symbol("springs", "coil", min(COIL * size, STUBBY * length or COIL * size), ends))
    return out


def _rolling(x: Rolling, plane: int, wheel: int, size: float) -> Symbol:
    """The mark under a wheel, its ring in the plane."""
    axis = None if x.axis is None else _numbers(direction(x.axis, "axis"))
    where = Touch(Pose("place", plane), Pose("place", wheel), float(x.radius), axis)
    return Symbol("contacts", "contact", MARK * size, (where, where._replace(above=size)))


def stop_symbols(stage: ScenePlaces, coordinates: list[str], size: float) -> list[Symbol]:
    """Marks at the joints of these coordinates, about the axis or along the direction that the coordinate measures."""
    out = []
    for i, name in enumerate(coordinates):
        body, _, component = name.rpartition(".")
        k = stage.model.bodies.index(body) + 1
        layout = stage.bodies[k - 1].joint.layout()
        axes = dict(zip(layout.translation_names, layout.directions, strict=False))
        axes |= dict(zip(layout.rotation_names, layout.axes, strict=False))
        end = Point(Pose("place", k - 1), (0.0, 0.0, 0.0), Pose("body", k), tuple(_numbers(d) for d in np.eye(3)))
        axis = _numbers(size * np.asarray(axes.get(component, (0.0, 0.0, 1.0))))
        out.append(Symbol("contacts", "contact", 1.5 * MARK * size, (end, end._replace(at=axis)), i))
    return out


def _numbers(x: Floats) -> tuple[float, ...]:
    return tuple(float(v) for v in np.asarray(x).ravel())
