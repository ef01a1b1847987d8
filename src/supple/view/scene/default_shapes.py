"""What a rigid body is drawn as if nobody has said it: slim links between the places where it holds others."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats, direction
from supple.description.constraints import Constraint, Rolling
from supple.description.description import Description
from supple.description.joints import Joint
from supple.description.members import GROUND, Placed
from supple.model.model import Model
from supple.recursions.tree import NO_ROTATION, ONE_AXIS
from supple.rigid_body import RigidBody
from supple.shapes.path import Path
from supple.shapes.placeholders import inertia_box, sides
from supple.shapes.primitives import Box, Cylinder, Disc, Sphere
from supple.shapes.shape import Shape
from supple.structures.body.flexible_body import FlexibleBody

SLIM, THIN, THICK = 0.06, 0.004, 0.016
"""Radius of a link: this share of its length, within these shares of the size of the mechanism."""
NEAR = 1e-6
"""Of the size of the mechanism: nearer places are one."""
SAME = 1e-3
"""Relative difference of principal moments that are meant to be equal."""


def size_of(model: Model) -> float:
    """Size of a mechanism in its neutral configuration, over joints, frames, nodes and ends of bodies, m."""
    mech, q = model.description, model.neutral()
    R, p = model.poses(q)
    points = [np.zeros(3)] if any(x.parent == GROUND for x in mech.bodies.values()) else []
    for k, placed in enumerate(mech.bodies.values(), start=1):
        body = placed.body
        ends = [body.com, *body.nodes[[0, -1]]] if isinstance(body, FlexibleBody) else [far_end(body)]
        points += [p[k], *(p[k] + R[k] @ x for x in ends)]
    points += [model.pose(q, name)[1] for name, frame in mech.frames.items() if frame.body != GROUND]
    wheels = [2.0 * x.radius for x in mech.constraints.values() if isinstance(x, Rolling)]
    boxes = [float(np.linalg.norm(sides(x.body))) for x in mech.bodies.values() if isinstance(x.body, RigidBody)]
    size = float(np.linalg.norm(np.ptp(np.array(points), axis=0))) if points else 0.0
    return max([size, *wheels]) or max(boxes, default=0.0) or 1.0


def default_shapes(mech: Description, name: str, size: float) -> list[Shape]:
    """Shapes of a rigid body in a mechanism of this size; none of a massless one that holds nothing elsewhere."""
    placed = mech.bodies[name]
    assert isinstance(placed.body, RigidBody)
    wheels = _wheels(mech, name)
    held = [x.position for x in mech.bodies.values() if x.parent == name]
    held += [x.position for x in mech.frames.values() if x.body == name]
    points = _apart(held, NEAR * size)
    com, leaf = placed.body.com, not any(x.parent == name for x in mech.bodies.values())
    away = bool(np.linalg.norm(com) > NEAR * size)
    if not points and placed.body.mass > 0 and away:
        points = [far_end(placed.body)]
    shapes: list[Shape] = [*wheels]
    radius = 0.0
    for p in points:
        length = float(np.linalg.norm(p))
        radius = float(np.clip(SLIM * length, THIN * size, THICK * size))
        shapes.append(Path([np.zeros(3), p], radius=radius))
    if points:
        shapes += _at_joint(placed.joint, 1.8 * radius)
    if points and leaf and away and not wheels and any(np.linalg.norm(p - com) < NEAR * size for p in points):
        shapes.append(Sphere(2.5 * radius, at=com))
    return shapes or _of_inertia(placed, size)


def far_end(body: RigidBody) -> Floats:
    """Where the mass of a body ends, seen from its origin (3,): beyond its centre of mass as its inertia says.

    A uniform rod ends at sqrt(3 J / m) from its centre of mass, a point mass there. Nothing ends farther beyond its
    centre of mass than its origin is on the other side.
    """
    com = body.com
    distance = float(np.linalg.norm(com))
    if body.mass <= 0 or distance == 0:
        return com
    d = com / distance
    across = (float(np.trace(body.inertia)) - float(d @ body.inertia @ d)) / 2.0
    return com * (1.0 + min(np.sqrt(max(3.0 * across / body.mass, 0.0)) / distance, 1.0))


def _apart(points: list[Floats], near: float) -> list[Floats]:
    """The points that are neither at the origin nor at one before."""
    out: list[Floats] = []
    for p in points:
        if all(np.linalg.norm(p - other) > near for other in [np.zeros(3), *out]):
            out.append(p)
    return out


def _at_joint(joint: Joint, radius: float) -> list[Shape]:
    """A hub about the axis of a hinge, a block on a slide, a ball where the body turns about more than one axis."""
    layout = joint.layout()
    if len(layout.directions) == 3:
        return []
    if layout.rotation_kind == ONE_AXIS:
        return [Cylinder(radius, 2.5 * radius, axis=layout.axes[0])]
    if layout.rotation_kind != NO_ROTATION:
        return [Sphere(radius)]
    return [Box((2.4 * radius,) * 3)] if layout.directions else []


def _wheels(mech: Description, name: str) -> list[Shape]:
    """What rolls is round."""
    return [wheel for x in mech.constraints.values() if (wheel := _wheel(mech, name, x)) is not None]


def _wheel(mech: Description, name: str, x: Constraint) -> Shape | None:
    if not isinstance(x, Rolling):
        return None
    frame = mech.find_frame(x.second)
    if frame.body != name:
        return None
    if x.axis is None:
        return Sphere(x.radius, at=frame.position)
    axis = frame.rotation @ direction(x.axis, "axis")
    return Cylinder(x.radius, 0.08 * x.radius, axis=axis, at=frame.position)


def _of_inertia(placed: Placed, size: float) -> list[Shape]:
    """A body that holds nothing: the ball, cylinder or box of its inertia; without inertia a sliding block, a ball."""
    body = placed.body
    assert isinstance(body, RigidBody)
    if body.mass <= 0:
        return []
    moments, axes = np.linalg.eigh(body.inertia)
    if moments[2] <= 0:
        slides = placed.joint.kind == "prismatic"
        return [Box((0.06 * size,) * 3, at=body.com) if slides else Sphere(0.03 * size, at=body.com)]
    if moments[2] - moments[0] < SAME * moments[2]:
        return [Sphere(float(np.sqrt(2.5 * moments.mean() / body.mass)), at=body.com)]
    for i, (j, k) in enumerate(((1, 2), (0, 2), (0, 1))):
        if abs(moments[j] - moments[k]) < SAME * moments[2]:
            return [_cylinder(body, float(moments[i]), float(moments[j]), axes[:, i])]
    return [inertia_box(body)]


def _cylinder(body: RigidBody, along: float, across: float, axis: Floats) -> Shape:
    """The uniform cylinder: J = m r^2 / 2 along its axis, m (3 r^2 + h^2) / 12 across; the slimmest, the flattest."""
    r = np.sqrt(max(2.0 * along / body.mass, 0.0))
    h = np.sqrt(max(12.0 * across / body.mass - 3.0 * r**2, 0.0))
    if h < 1e-3 * r:
        return Disc(float(r), axis=axis, at=body.com)
    return Cylinder(float(max(r, 0.01 * h)), float(h), axis=axis, at=body.com)
