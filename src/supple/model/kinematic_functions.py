"""Where frames are and how they move."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import StateError
from supple.model.body_frames import BodyFrame, frame_arrays, motion_on_body, pose_in_body
from supple.model.frozen import Numbers
from supple.model.state_functions import StateFunctions
from supple.recursions import kinematics
from supple.recursions.frame_jacobian import frame_jacobian
from supple.recursions.states import States

KEPT = 256
"""Functions about frames that a model keeps."""


def is_grounded(axes: str) -> bool:
    """Return whether the axes are those of the ground, not those of the frame."""
    if not isinstance(axes, str) or axes not in ("ground", "frame"):
        raise StateError(f"axes: expected 'ground' or 'frame', got {axes!r}")
    return axes == "ground"


class KinematicFunctions(StateFunctions):
    """Poses, velocities, accelerations and Jacobians of frames."""

    def pose(self, q: ArrayLike, frame: str) -> tuple[Numbers, Numbers]:
        """Rotation R (..., 3, 3) and position p (..., 3) of a frame in the ground frame.

        A frame is "body", "body/place", or "body/12" for a node of a flexible body; on that it is deformed.
        """
        one: tuple[Numbers, Numbers] | None = self._of_frame("pose", frame)(q)
        if one is not None:
            return one
        at = self.find_frame(frame)
        (q_,), shape, _ = self.batch(q=(q, self.nq))
        R, p = self.poses(q_)
        R_own, p_own = pose_in_body(self.flex, at, q_)
        R_body = R[:, at.body]
        found = p[:, at.body] + (R_body @ p_own[..., None])[..., 0]
        return (R_body @ R_own).reshape((*shape, 3, 3)), found.reshape((*shape, 3))

    def poses(self, q: ArrayLike) -> tuple[Numbers, Numbers]:
        """R (..., 1 + bodies, 3, 3), p (..., 1 + bodies, 3) of the ground and all body frames in the ground frame."""
        one: tuple[Numbers, Numbers] | None = self._one.poses(q)
        if one is not None:
            return one
        (q_,), shape, _ = self.batch(q=(q, self.nq))
        R, p = self.evaluation.poses(q_)
        return R.reshape((*shape, *R.shape[1:])), p.reshape((*shape, *p.shape[1:]))

    def motions(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Numbers, Numbers]:
        """Velocity and acceleration (..., 1 + bodies, 6) of the ground and all body frames, each in its own axes."""
        one: tuple[Numbers, Numbers] | None = self._one.motions(q, v, a)
        if one is not None:
            return one
        (q_, v_, a_), shape, _ = self.batch(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        V, A = self.evaluation.motions(q_, v_, a_)
        return V.reshape((*shape, *V.shape[1:])), A.reshape((*shape, *A.shape[1:]))

    def velocity(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """Angular and linear velocity (..., 6) of a frame's origin, in ground axes or its own (`axes="frame"`)."""
        one: Numbers | None = self._of_frame("velocity", frame, axes)(q, v)
        return self._motion(q, v, np.zeros(self.nv), frame, axes)[0] if one is None else one

    def acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """Angular and linear acceleration (..., 6) of a frame's origin; gravity is not counted."""
        one: Numbers | None = self._of_frame("acceleration", frame, axes)(q, v, a)
        return self._motion(q, v, a, frame, axes)[1] if one is None else one

    def jacobian(self, q: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """J (..., 6, nv): velocity of a frame is J v."""
        one: Numbers | None = self._of_frame("jacobian", frame, axes)(q)
        if one is not None:
            return one
        at = self.find_frame(frame)
        (q_,), shape, dtype = self.batch(q=(q, self.nq))
        J = np.zeros((len(q_), 6, self.nv), dtype)
        with self.workspace(dtype) as ws:
            frame_jacobian(self.tree, self.flex, frame_arrays([at]), 0, q_, ws, J)
        turn = self._axes(q_, at, axes)
        return np.concatenate([turn @ J[:, :3], turn @ J[:, 3:]], axis=1).reshape((*shape, 6, self.nv))

    def _of_frame(self, *key: str) -> Callable[..., Any]:
        """A function of the table about one frame, for one state: of its name, that of the frame, and the axes."""
        try:
            return self._of_frames[key]
        except (KeyError, TypeError):
            name, frame, *axes = key
            made = self._one.of_frames(name, [self.find_frame(frame)], *map(is_grounded, axes), single=True)
            return self._keep(key, made)

    def _keep(self, key: tuple[str, ...], made: Callable[..., Any]) -> Callable[..., Any]:
        if len(self._of_frames) >= KEPT:
            self._of_frames.clear()
        self._of_frames[key] = made
        return made

    @cached_property
    def _of_frames(self) -> dict[tuple[str, ...], Callable[..., Any]]:
        """Functions about frames that have been called."""
        return {}

    def _motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str) -> tuple[Numbers, Numbers]:
        at = self.find_frame(frame)
        (q_, v_, a_), shape, _ = self.batch(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        V, A = self.evaluation.motions(q_, v_, a_)
        turn = self._axes(q_, at, axes)
        out = []
        for x in motion_on_body(self.flex, at, States(q_, v_), a_, (V[:, at.body], A[:, at.body])):
            pair = np.stack([(turn @ x[:, i : i + 3, None])[..., 0] for i in (0, 3)], axis=-2)
            out.append(pair.reshape((*shape, 6)))
        return out[0], out[1]

    def _axes(self, q: Numbers, frame: BodyFrame, axes: str) -> Numbers:
        """Turns body components into those of the chosen axes."""
        if is_grounded(axes):
            return self.poses(q)[0][..., frame.body, :, :]
        return np.swapaxes(pose_in_body(self.flex, frame, q)[0], -1, -2)

    def joint_maps(self, q: ArrayLike) -> tuple[Numbers, Numbers]:
        """X (..., bodies, 6, 6) and H (..., nv, 6): transformation of forces to the parent, and joint maps.

        X = phi(parent, body) of (3.8) with the change of axes; rows of H are the motions that unit speeds give.
        """
        (q_,), shape, dtype = self.batch(q=(q, self.nq))
        n = len(self.bodies)
        X, H = np.zeros((len(q_), n, 6, 6), dtype), np.zeros((len(q_), self.nv, 6), dtype)
        with self.workspace(dtype) as ws:
            kinematics.joint_maps(self.tree, self.flex, q_, ws, X, H)
        return X.reshape((*shape, n, 6, 6)), H.reshape((*shape, self.nv, 6))
