"""Frames on bodies: where they are, how they move, and what loads at them do; batches of states, in numpy.

The formulas of a turned node are the steps of the recursions, run on arrays of states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats, freeze
from supple.engines.plain import plain
from supple.recursions.tree import Flex
from supple.spatial import left_jacobian, so3_coefficients, turn_bias, turn_rotation
from supple.structures.body import ShapeFrame

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Place:
    """A frame by the number of its body: pose in the body's frame."""

    body: int
    position: Floats
    rotation: Floats
    node: ShapeFrame | None = None
    """On a flexible body the node that it moves with; position and rotation are relative to it."""

    def __post_init__(self) -> None:
        freeze(self, "position", "rotation")

    def __eq__(self, other: object) -> bool:
        """Same numbers."""
        if not isinstance(other, Place) or self.body != other.body or (self.node is None) != (other.node is None):
            return False
        return all(np.array_equal(a, b) for a, b in zip(_parts(self), _parts(other), strict=True))

    def __hash__(self) -> int:
        """Of the body: equal places have the same."""
        return hash((self.body, self.node is None))


def _parts(place: Place) -> list[Any]:
    node = [] if place.node is None else [place.node.position, place.node.shape]
    return [place.position, place.rotation, *node]


@dataclass(frozen=True, eq=False)
class Pose:
    """A place in its body's frame for a batch of states.

    Attributes
    ----------
    R : (..., 3, 3) array
        R_body_frame.
    p : (..., 3) array
        Origin of the frame.
    l : (..., 3) array
        The node that it moves with.
    shape : (..., 6, modes) array
        Motion of the node, in body axes, for a unit of each modal speed.
    """

    R: Numbers
    p: Numbers
    l: Numbers
    shape: Numbers


def pose_in_body(flex: Flex | None, place: Place, q: Numbers, deformed: bool = True) -> Pose:
    """Pose of a place for coordinates q (..., nq); with `deformed` false that of the undeformed body."""
    if place.node is None:
        first, last = modal_span(flex, place)
        return Pose(place.rotation, place.position, np.zeros(3), np.zeros((6, last - first)))
    if not deformed:
        l = place.node.position
        return Pose(place.rotation, l + place.position, l, place.node.shape)
    u = modal(flex, place, q) @ place.node.shape.T
    theta = tuple(u[..., i] for i in range(3))
    a, b, _, _ = plain(so3_coefficients)(sum(x * x for x in theta))
    R, Q = (_matrix(plain(f)(theta, a, b)) for f in (turn_rotation, left_jacobian))
    l = place.node.position + u[..., 3:]
    still = np.broadcast_to(place.node.shape[3:], (*u.shape[:-1], *place.node.shape[3:].shape))
    shape = np.concatenate([Q @ place.node.shape[:3], still], axis=-2)
    return Pose(R @ place.rotation, l + R @ place.position, l, shape)


def modal(flex: Flex | None, place: Place, q: Numbers) -> Numbers:
    """The modal coordinates (..., modes) of a place's body."""
    if flex is None:
        return q[..., :0]
    first = flex.q_mode[place.body]
    return q[..., first : first + flex.modes[place.body]]


def modal_span(flex: Flex | None, place: Place) -> tuple[int, int]:
    """First modal speed of a place's body, and the one behind the last."""
    if flex is None:
        return 0, 0
    first = int(flex.v_mode[place.body])
    return first, first + int(flex.modes[place.body])


def motion_at(
    flex: Flex | None, place: Place, q: Numbers, v: Numbers, a: Numbers, V: Numbers, A: Numbers
) -> tuple[Numbers, Numbers]:
    """Velocity and acceleration (..., 6) of a place, in body axes, from those of its body frame."""
    pose = pose_in_body(flex, place, q)
    first, last = modal_span(flex, place)
    w, dw = V[..., :3], A[..., :3]
    rate = (pose.shape @ v[..., first:last, None])[..., 0]
    turning = np.zeros_like(w)
    if place.node is not None:
        theta, theta_rate = (
            tuple((x @ place.node.shape[:3].T)[..., i] for i in range(3))
            for x in (modal(flex, place, q), v[..., first:last])
        )
        _, b, da, db = plain(so3_coefficients)(sum(x * x for x in theta))
        turning = np.stack(plain(turn_bias)(theta, theta_rate, b, da, db), axis=-1)
    own = (pose.shape @ a[..., first:last, None])[..., 0]
    l = np.broadcast_to(pose.l, w.shape)
    w_node = w + rate[..., :3]
    dw_node = dw + own[..., :3] + turning + np.cross(w, rate[..., :3])
    at_node = V[..., 3:] + np.cross(w, l) + rate[..., 3:]
    d_at_node = A[..., 3:] + np.cross(dw, l) + np.cross(w, np.cross(w, l) + 2 * rate[..., 3:]) + own[..., 3:]
    arm = pose.p - pose.l + np.zeros_like(w)
    swing = np.cross(w_node, arm)
    velocity = np.concatenate([w_node, at_node + swing], axis=-1)
    acceleration = np.concatenate([dw_node, d_at_node + np.cross(dw_node, arm) + np.cross(w_node, swing)], axis=-1)
    return velocity, acceleration


def load_at(flex: Flex | None, place: Place, q: Numbers, wrench: Numbers) -> tuple[Numbers, Numbers]:
    """A wrench (..., 6) at a place, in its axes, as one at the body's origin in body axes and forces on its modes."""
    pose = pose_in_body(flex, place, q, deformed=flex is not None and bool(flex.full[place.body]))
    moment, force = (np.matmul(pose.R, wrench[..., i : i + 3, None])[..., 0] for i in (0, 3))
    at_node = np.concatenate([moment + np.cross(pose.p - pose.l + np.zeros_like(force), force), force], axis=-1)
    on_modes = (np.swapaxes(pose.shape, -1, -2) @ at_node[..., None])[..., 0]
    total = at_node.copy()
    total[..., :3] += np.cross(pose.l + np.zeros_like(force), force)
    return total, on_modes


def _matrix(entries: tuple[Numbers, ...]) -> Numbers:
    return np.stack(entries, axis=-1).reshape((*np.shape(entries[1]), 3, 3))
