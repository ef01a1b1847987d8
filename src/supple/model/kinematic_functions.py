"""Where frames are and how they move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.llvm.batches import CORES
from supple.errors import StateError, nearest
from supple.model.body_frames import BodyFrame, frame_arrays, motion_on_body, pose_in_body
from supple.model.frame_programs import GROUND, OWN, Seen
from supple.model.frozen import Numbers
from supple.model.jacobian_rates import jacobian_rate
from supple.model.state_functions import StateFunctions
from supple.recursions import kinematics
from supple.recursions.frame_jacobian import frame_jacobian
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.model import Model

KEPT = 256
"""Functions about frames that a model keeps."""


class KinematicFunctions(StateFunctions):
    """Poses, velocities, accelerations and Jacobians of frames.

    A frame is "ground", "body", "body/place", or "body/12" for a node of a flexible body; on that it is deformed. Axes
    are "ground", "frame" for those of the frame itself, or the name of another frame.
    """

    def pose(self, q: ArrayLike, frame: str, relative_to: str = "ground") -> tuple[Numbers, Numbers]:
        """Return rotation R (..., 3, 3) and position p (..., 3) of a frame in the ground frame, or in another one.

        Parameters
        ----------
        q : (..., nq) array_like
        frame : str
            "body", "body/place", or "body/12" for a node of a flexible body; on that it is deformed.
        relative_to : str
            The frame in whose axes, and from whose origin.
        """
        one: tuple[Numbers, Numbers] | None = self._of_frame("pose", frame, "ground", relative_to)(q)
        if one is not None:
            return one
        if relative_to != "ground":
            (R, p), (R_base, p_base) = self.pose(q, frame), self.pose(q, relative_to)
            turn = np.swapaxes(R_base, -1, -2)
            return turn @ R, (turn @ (p - p_base)[..., None])[..., 0]
        at = self.find_frame(frame)
        (q_,), shape, _ = self.batch(q=(q, self.nq))
        R, p = self.evaluation.poses(q_)
        R_own, p_own = pose_in_body(self.flex, at, q_)
        R_body = R[:, at.body]
        found = p[:, at.body] + (R_body @ p_own[..., None])[..., 0]
        return (R_body @ R_own).reshape((*shape, 3, 3)), found.reshape((*shape, 3))

    def poses(self, q: ArrayLike, frames: Sequence[str] | None = None) -> tuple[Numbers, Numbers]:
        """Return R (..., m, 3, 3) and p (..., m, 3) of m frames in the ground frame.

        Parameters
        ----------
        q : (..., nq) array_like
        frames : sequence of str, optional
            Default: the ground and all bodies, in this order.
        """
        if frames is not None:
            return self._poses_of(q, frames)
        one: tuple[Numbers, Numbers] | None = self._one.poses(q)
        if one is not None:
            return one
        (q_,), shape, _ = self.batch(q=(q, self.nq))
        R, p = self.evaluation.poses(q_)
        return R.reshape((*shape, *R.shape[1:])), p.reshape((*shape, *p.shape[1:]))

    def _poses_of(self, q: ArrayLike, frames: Sequence[str]) -> tuple[Numbers, Numbers]:
        if isinstance(frames, str):
            raise StateError(f"frames: expected a sequence of names, got {frames!r}")
        key = ("poses", *frames)
        call = self._of_frames.get(key)
        if call is None:
            own = [self.find_frame(name) for name in frames]
            call = self._keep(key, self._one.of_frames("pose", own, Seen(len(own))))
        one: tuple[Numbers, Numbers] | None = call(q)
        if one is not None:
            return one
        found = [self.pose(q, name) for name in frames]
        shape = np.shape(q)[:-1]
        R = [np.zeros((*shape, 0, 3, 3)), *(R[..., None, :, :] for R, _ in found)]
        return np.concatenate(R, axis=-3), np.concatenate([R[0][..., 0], *(p[..., None, :] for _, p in found)], axis=-2)

    def motions(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Numbers, Numbers]:
        """Velocity and acceleration (..., 1 + bodies, 6) of the ground and all body frames, each in its own axes."""
        one: tuple[Numbers, Numbers] | None = self._one.motions(q, v, a)
        if one is not None:
            return one
        (q_, v_, a_), shape, _ = self.batch(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        V, A = self.evaluation.motions(q_, v_, a_)
        return V.reshape((*shape, *V.shape[1:])), A.reshape((*shape, *A.shape[1:]))

    def velocity(
        self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "ground", relative_to: str = "ground"
    ) -> Numbers:
        """Return the angular and linear velocity (..., 6) of a frame's origin, rad/s and m/s.

        Parameters
        ----------
        q, v : (..., nq), (..., nv) array_like
        frame : str
        axes : str
            "ground", "frame" for its own, or the name of another frame.
        relative_to : str
            The frame from which it is seen.
        """
        one: Numbers | None = self._of_frame("velocity", frame, axes, relative_to)(q, v)
        if one is not None:
            return one
        V = self._motion(q, v, np.zeros(self.nv), frame)[0]
        if relative_to != "ground":
            V = V - self._carried(q, frame, relative_to, self.velocity(q, v, relative_to)[..., None])[..., 0]
        return self._seen(q, frame, axes, V[..., None])[..., 0]

    def acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """Return the angular and linear acceleration (..., 6) of a frame's origin, without gravity, rad/s^2, m/s^2."""
        one: Numbers | None = self._of_frame("acceleration", frame, axes)(q, v, a)
        return self._seen(q, frame, axes, self._motion(q, v, a, frame)[1][..., None])[..., 0] if one is None else one

    def jacobian(self, q: ArrayLike, frame: str, axes: str = "ground", relative_to: str = "ground") -> Numbers:
        """Return J (..., 6, nv): `velocity` of a frame is J v."""
        one: Numbers | None = self._of_frame("jacobian", frame, axes, relative_to)(q)
        if one is not None:
            return one
        at = self.find_frame(frame)
        (q_,), shape, dtype = self.batch(q=(q, self.nq))
        J = np.zeros((len(q_), 6, self.nv), dtype)
        with self.workspace(dtype) as ws:
            frame_jacobian(self.tree, self.flex, frame_arrays([at]), 0, q_, ws, J)
        J = _turned(self.evaluation.poses(q_)[0][:, at.body], J).reshape((*shape, 6, self.nv))
        if relative_to != "ground":
            J = J - self._carried(q, frame, relative_to, self.jacobian(q, relative_to))
        return self._seen(q, frame, axes, J)

    def jacobian_derivative(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """Return the rate dJ/dt (..., 6, nv) of `jacobian` at speeds v.

        In ground axes the acceleration of a frame is J a + dJ/dt v, unless a body on its path is "ruthless".
        """
        bound, call = self._rate_of_jacobian(frame, axes)
        one: Numbers | None = call(q, v)
        if one is not None:
            return one
        (q_, v_), shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv))
        if dtype != np.float64:
            raise StateError(f"{self._where}: jacobian_derivative: expected real states, got complex numbers")
        return bound.batch([q_, v_], len(q_), CORES)[0].reshape((*shape, 6, self.nv))

    def _rate_of_jacobian(self, frame: str, axes: str) -> tuple[BoundProgram, Callable[..., Any]]:
        """The program of `jacobian_derivative`, and the function of one state."""
        key = frame, axes
        try:
            return self._jacobian_rates[key]
        except (KeyError, TypeError):
            at, (seen, others) = self.find_frame(frame), self._how(frame, axes)
            bound = jacobian_rate(cast("Model", self), [at, *others], seen)
            if len(self._jacobian_rates) >= KEPT:
                self._jacobian_rates.clear()
            made = bound, bound.call({"dJ": (6, self.nv)}, quaternions=self._quaternion_ends)
            self._jacobian_rates[key] = made
            return made

    @cached_property
    def _jacobian_rates(self) -> dict[tuple[str, str], tuple[BoundProgram, Callable[..., Any]]]:
        return {}

    def _of_frame(self, *key: str) -> Callable[..., Any]:
        """A function of the table about one frame, for one state: of its name, that of the frame, axes and base."""
        try:
            return self._of_frames[key]
        except (KeyError, TypeError):
            name, frame, *further = key
            at, (seen, others) = self.find_frame(frame), self._how(frame, *further)
            return self._keep(key, self._one.of_frames(name, [at, *others], seen, single=True))

    def _how(self, frame: str, axes: str, relative_to: str = "ground") -> tuple[Seen, list[BodyFrame]]:
        """How a frame is looked at, and the further frames that this takes."""
        others: list[BodyFrame] = []
        numbers = [GROUND, GROUND]
        for i, name in enumerate((axes, relative_to)):
            if i == 0 and isinstance(name, str) and name == "frame":
                numbers[i] = OWN
            elif not isinstance(name, str) or name != "ground":
                others.append(self._further_frame(name, ("axes", "relative_to")[i]))
                numbers[i] = len(others)
        return Seen(1, *numbers), others

    def _further_frame(self, name: str, argument: str) -> BodyFrame:
        try:
            return self.find_frame(name)
        except StateError:
            further = ("frame",) if argument == "axes" else ()
            expected = "'ground', 'frame' or the name of a frame" if further else "the name of a frame"
            near = nearest(name, (*further, *self._frames)) if isinstance(name, str) else ""
            raise StateError(f"{argument}: expected {expected}, got {name!r}{near}") from None

    def _keep(self, key: tuple[str, ...], made: Callable[..., Any]) -> Callable[..., Any]:
        if len(self._of_frames) >= KEPT:
            self._of_frames.clear()
        self._of_frames[key] = made
        return made

    @cached_property
    def _of_frames(self) -> dict[tuple[str, ...], Callable[..., Any]]:
        """Functions about frames that have been called."""
        return {}

    def _motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str) -> tuple[Numbers, Numbers]:
        """Velocity and acceleration (..., 6) of a frame in ground axes."""
        at = self.find_frame(frame)
        (q_, v_, a_), shape, _ = self.batch(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        V, A = self.evaluation.motions(q_, v_, a_)
        turn = self.evaluation.poses(q_)[0][:, at.body]
        body = V[:, at.body], A[:, at.body]
        V, A = (_turned(turn, x[..., None]) for x in motion_on_body(self.flex, at, States(q_, v_), a_, body))
        return V.reshape((*shape, 6)), A.reshape((*shape, 6))

    def _carried(self, q: ArrayLike, frame: str, base: str, x: Numbers) -> Numbers:
        """Motions (..., 6, n) that the origin of a frame would have if it were fixed to another one; ground axes."""
        arm = (self.pose(q, frame)[1] - self.pose(q, base)[1])[..., None]
        return np.concatenate([x[..., :3, :], x[..., 3:, :] + np.cross(x[..., :3, :], arm, axis=-2)], axis=-2)

    def _seen(self, q: ArrayLike, frame: str, axes: str, x: Numbers) -> Numbers:
        """Motions (..., 6, n) along the chosen axes, from ground axes."""
        if axes == "ground":
            return x
        return _turned(np.swapaxes(self.pose(q, frame if axes == "frame" else axes)[0], -1, -2), x)

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


def _turned(R: Numbers, x: Numbers) -> Numbers:
    """Motions (..., 6, n), both halves turned."""
    return np.concatenate([R @ x[..., :3, :], R @ x[..., 3:, :]], axis=-2)
