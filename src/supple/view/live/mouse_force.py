"""The mouse as a spring: a point of a body is drawn to where the mouse is.

The force is found again some hundred times a second and held between, as generalized forces J* F. So any point of any
body can be drawn, and nothing is compiled for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.checks import Floats
from supple.model.body_frames import BodyFrame
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.view.scene.places import ScenePlaces
from supple.view.scene.sampling import evenly

RATE = 120.0
"""Times a second that the force is found."""
SOFTEST, STIFFEST = 8.0, 30.0
"""Of the mass that the point stands for on the spring, rad/s: so that it follows; and stays stable at this `RATE`."""
DAMPING = 0.7
"""Of critical."""
STRETCH = 0.5
"""Share of the size of the mechanism by which the spring is stretched when it carries all the weight."""
ALONG = 4
"""Points on a rigid link from its joint to each place on it."""
MOST_NODES = 40
"""Points on a flexible body."""


class PickPoint(NamedTuple):
    """A point that can be taken hold of: its body, the frame it moves with, and its place there and on the body, m."""

    body: int
    frame: str
    offset: Floats
    place: Floats


class MouseForce(NamedTuple):
    """What the mouse does: the point, the force there (3,), N, ground axes, and generalized forces (nv,)."""

    point: Floats
    force: Floats
    tau: Floats


@dataclass(frozen=True)
class MouseSpring:
    """A spring and damper from a point of a model to a place in space.

    Parameters
    ----------
    grip : PickPoint
    target : (3,) array
        Ground frame, m.
    stiffness, damping : float
        N/m, N s/m.
    """

    grip: PickPoint
    target: Floats
    stiffness: float
    damping: float

    @staticmethod
    def of(model: Model, grip: PickPoint, target: Floats, q: Floats, size: float) -> MouseSpring:
        """One that suits what the point stands for: 1/m is the mean of J M^-1 J* over all directions."""
        J = _jacobian(model, grip, q)[1]
        held = np.zeros(model.nv, dtype=bool)
        mobility = np.trace(J @ model.inverse_mass_product(np.tile(q, (3, 1)), J, held).T) / 3.0
        mass = 1.0 / mobility if mobility > 0 else model.mass
        weight = model.mass * float(np.linalg.norm(model.tree.gravity))
        k = min(max(mass * SOFTEST**2, weight / (STRETCH * size)), mass * STIFFEST**2)
        return MouseSpring(grip, target, k, 2.0 * DAMPING * float(np.sqrt(k * mass)))

    def pull(self, model: Model, q: Floats, v: Floats) -> MouseForce:
        """The force in a state."""
        point, J = _jacobian(model, self.grip, q)
        force = self.stiffness * (self.target - point) - self.damping * (J @ v)
        return MouseForce(point, force, J.T @ force)


def _jacobian(model: Model, grip: PickPoint, q: Floats) -> tuple[Floats, Floats]:
    """The point (3,) and J (3, nv) of its velocity, ground axes."""
    R, p = model.pose(q, grip.frame)
    J, arm = model.jacobian(q, grip.frame), R @ grip.offset
    return p + arm, J[3:] + np.cross(J[:3], arm, axis=0)  # v + omega x r


def pick_points(stage: ScenePlaces) -> list[PickPoint]:
    """Points of all bodies that can be taken hold of: along rigid links, on the nodes of flexible bodies."""
    out: list[PickPoint] = []
    for k, placed in enumerate(stage.bodies, start=1):
        body = placed.body
        if isinstance(body, FlexibleBody):
            chosen = evenly(len(body.nodes), MOST_NODES)
            out += [PickPoint(k, f"{placed.name}/{i}", np.zeros(3), body.nodes[i]) for i in chosen]
            continue
        ends = [np.zeros(3), body.com, *(x.position for x in stage.places if _on(x, k))]
        shares = np.linspace(0.0, 1.0, ALONG + 1)[1:]
        points = {tuple(np.round(share * end, 9)) for end in ends for share in shares}
        out += [PickPoint(k, placed.name, np.array(x), np.array(x)) for x in sorted(points)]
    return out


def _on(x: BodyFrame, k: int) -> bool:
    return x.body == k and x.node is None
