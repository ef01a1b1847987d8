"""Wrenches that laws exert at frames: how the frames move, and what the wrenches do to the speeds, J* F.

The components of a wrench are along the axes of its own frame, of the ground, or of any other frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.engines.kernels import step
from supple.recursions.frames import frame_act, frame_in_body, frame_pose, frame_velocity
from supple.recursions.kinematics import joint_step, pose_step, twist_step
from supple.recursions.states import States
from supple.recursions.tree import Array, Flex, Frames, Tree, Workspace
from supple.spatial import Vec3, angular, join, linear, load6, load9, rotate, unrotate

GROUND_AXES = -1
MOTION = 9
"""Numbers that say how a frame moves: position in the ground frame; angular velocity and velocity along the law's
axes."""


class FrameWrenches(NamedTuple):
    """Where wrenches act. Never written to."""

    frames: Frames
    """Frames at which they act, and those whose axes they have."""
    frame: Array
    """(m,) the frame of each wrench."""
    axes: Array
    """(m,) the frame whose axes its components have; `GROUND_AXES` for those of the ground."""
    body: Array
    """(p,) all bodies from the ground to these frames, parents first."""


def frame_wrenches(parent: Array, frames: Frames, frame: list[int], axes: list[int]) -> FrameWrenches:
    """The wrenches of some frames in a tree."""
    found: set[int] = set()
    for k in frames.body:
        while k > 0 and int(k) not in found:
            found.add(int(k))
            k = parent[k]
    arrays = [np.array(x, dtype=np.int64) for x in (frame, axes, sorted(found))]
    for x in arrays:
        x.flags.writeable = False
    return FrameWrenches(frames, *arrays)


@step
def to_body_axes(flex: Flex | None, laws: FrameWrenches, e: int, x: Vec3, q: Array, ws: Workspace) -> Vec3:
    """A vector along the axes of wrench e, in those of the body that it acts on. Given R_ground if they are others.

    Own axes are as the dynamics sees the frame, those of another frame as it stands in space.
    """
    i, j = laws.frame[e], laws.axes[e]
    if j == i:
        return rotate(frame_in_body(flex, laws.frames, i, q, False, ws.flex)[0], x)
    if j >= 0:
        x = rotate(frame_pose(flex, laws.frames, j, q, ws)[0], x)
    return unrotate(load9(ws.R_ground, laws.frames.body[i]), x)


@step
def to_law_axes(flex: Flex | None, laws: FrameWrenches, e: int, x: Vec3, q: Array, ws: Workspace) -> Vec3:
    """The other way: a vector in body axes, along the axes of wrench e."""
    i, j = laws.frame[e], laws.axes[e]
    if j == i:
        return unrotate(frame_in_body(flex, laws.frames, i, q, False, ws.flex)[0], x)
    x = rotate(load9(ws.R_ground, laws.frames.body[i]), x)
    if j >= 0:
        x = unrotate(frame_pose(flex, laws.frames, j, q, ws)[0], x)
    return x


@step
def paths_step(tree: Tree, flex: Flex | None, k: int, state: States, ws: Workspace) -> None:
    """Pose and velocity of body k, given its parent's. Computes R, l, H, R_ground, p_ground, V."""
    joint_step(tree, flex, k, state.q, ws)
    pose_step(tree, flex, k, state.q, ws)
    twist_step(tree, flex, k, state.v, ws)


@step
def frame_motion_step(
    flex: Flex | None, laws: FrameWrenches, e: int, state: States, ws: Workspace, motion: Array
) -> None:
    """How the frame of wrench e moves. Given R_ground, p_ground, V. Computes a row of motion (m, 9), see `MOTION`.

    As for spring-dampers, the position is that in space, the velocity the one that the dynamics sees.
    """
    i = laws.frame[e]
    p = frame_pose(flex, laws.frames, i, state.q, ws)[1]
    V = frame_velocity(flex, laws.frames, i, state, load6(ws.V, laws.frames.body[i]), False, ws.flex)
    w = to_law_axes(flex, laws, e, angular(V), state.q, ws)
    u = to_law_axes(flex, laws, e, linear(V), state.q, ws)
    for j in range(3):
        motion[e, j], motion[e, 3 + j], motion[e, 6 + j] = p[j], w[j], u[j]


@step
def law_wrench_step(flex: Flex | None, laws: FrameWrenches, e: int, wrench: Array, q: Array, ws: Workspace) -> None:
    """Let row e of wrench (m, 6) act at its frame. Given R_ground. Adds to load and modal."""
    f = load6(wrench, e)
    moment = to_body_axes(flex, laws, e, angular(f), q, ws)
    force = to_body_axes(flex, laws, e, linear(f), q, ws)
    i = laws.frame[e]
    at = frame_in_body(flex, laws.frames, i, q, False, ws.flex)[1]
    frame_act(flex, laws.frames, i, q, at, join(moment, force), ws)


@step
def frame_motions(
    tree: Tree, flex: Flex | None, laws: FrameWrenches, state: States, ws: Workspace, motion: Array
) -> None:
    """How the frames of all wrenches move: motion (m, 9)."""
    for n in range(len(laws.body)):
        paths_step(tree, flex, laws.body[n], state, ws)
    for e in range(len(laws.frame)):
        frame_motion_step(flex, laws, e, state, ws, motion)


@step
def law_wrenches(
    tree: Tree, flex: Flex | None, laws: FrameWrenches, state: States, wrench: Array, ws: Workspace
) -> None:
    """Let all wrenches (m, 6) act. Given `at_rest`. Computes load and modal; `carry_inward` makes -J* F of them."""
    for n in range(len(laws.body)):
        paths_step(tree, flex, laws.body[n], state, ws)
    for e in range(len(laws.frame)):
        law_wrench_step(flex, laws, e, wrench, state.q, ws)
