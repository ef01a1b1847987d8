"""Operational space: the inertia that frames have for forces at them, all other degrees of freedom free."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.errors import SingularError, StateError
from supple.model.body_frames import BodyFrame, pose_in_body
from supple.model.frame_compliance import AXES, FRAME, GROUND, FrameCompliance
from supple.model.frozen import Numbers
from supple.model.operator_functions import OperatorFunctions

Mask = NDArray[np.bool_]
SINGULAR = 1e-13
"""Least eigenvalue of a scaled J M^-1 J*, relative to its largest, that is more than rounding."""
KEPT = 16
"""Sets of frames whose paths a model keeps."""


@checked
class OperationalFunctions(OperatorFunctions):
    """Inertia and compliance of frames."""

    @cached_property
    def _compliances(self) -> dict[tuple[str, ...], FrameCompliance]:
        return {}

    def inverse_operational_inertia(
        self, q: ArrayLike, frames: Sequence[str], axes: str = "ground", prescribed: Sequence[str] = ()
    ) -> Numbers:
        """J M^-1 J* (..., 6 m, 6 m) of m frames: their accelerations for unit moments and forces at them.

        Found by Omega = Psi* H* D^-1 H Psi at a cost linear in the bodies, cross blocks too; neither J nor M is formed.
        Closed loops stay closed.

        Parameters
        ----------
        q : (..., nq) array_like
        frames : sequence of str
            Their origins; on a flexible body they move with their nodes, as forces at them see these (a "ruthless"
            body undeformed).
        axes : str
            "ground", or "frame" for those of each frame.
        prescribed : sequence of str
            Speeds that do not change, whatever forces act.

        Examples
        --------
        >>> from supple import Mechanism, RigidBody, Prismatic
        >>> mech = Mechanism("two carts")
        >>> mech.add_body("first", RigidBody(2.0), joint=Prismatic("x"))
        >>> mech.add_body("second", RigidBody(3.0), "first", joint=Prismatic("x"))
        >>> found = mech.build().inverse_operational_inertia([0.0, 0.0], ["first", "second"])
        >>> print(found[3, 3], found[3, 9], round(found[9, 9], 6))  # nothing joins them along x
        0.5 0.0 0.333333
        """
        along = self._along(frames)
        if not prescribed and self.loops is None:
            found = along.one_state(q, axes)
            if found is not None:
                return found
        if axes not in AXES:
            raise StateError(f"axes: expected {GROUND!r} or {FRAME!r}, got {axes!r}")
        mask = self._mask(prescribed)
        (q_,), shape, dtype = self.batch(q=(q, self.nq))
        if dtype != np.float64:
            raise StateError(f"model {self.name!r}: operational inertia: expected real states, got complex numbers")
        out, fault = along(q_, mask, axes == GROUND, self.workspace(dtype))
        self.refuse_singular(fault)
        if self.loops is not None:
            held = self._held(q_, frames, mask)
            out = out - (_turned(self._to_ground(q_, along.frames), held) if axes == GROUND else held)
        return out.reshape((*shape, *out.shape[1:]))

    def operational_inertia(
        self, q: ArrayLike, frames: Sequence[str], axes: str = "ground", prescribed: Sequence[str] = ()
    ) -> Numbers:
        """(J M^-1 J*)^-1 (..., 6 m, 6 m): moments and forces at m frames for unit accelerations of them.

        Refused where the frames cannot move in all directions; `inverse_operational_inertia`, whose parameters these
        are, has no such limit.
        """
        inverse = self.inverse_operational_inertia(q, frames, axes, prescribed)
        return inverted(inverse, f"model {self.name!r}: operational inertia of {', '.join(frames)}")

    def _along(self, frames: Sequence[str]) -> FrameCompliance:
        """The paths of some frames."""
        if isinstance(frames, str):
            raise StateError(f"frames: expected a sequence of names, got {frames!r}")
        key = tuple(frames)
        found = self._compliances.get(key)
        if found is None:
            found = FrameCompliance(self.tree, self.flex, self.nq, [self.find_frame(name) for name in key])
            if len(self._compliances) >= KEPT:
                self._compliances.clear()
            self._compliances[key] = found
        return found

    def _mask(self, prescribed: Sequence[str]) -> Mask:
        mask = self.none_prescribed
        for name in prescribed:
            mask[self.speed_index(name)] = True
        if prescribed and self.is_mode[mask].any():
            raise StateError(f"prescribed: expected speeds of joints, got {list(prescribed)}, modes among them")
        return mask

    def _to_ground(self, q: Numbers, frames: Sequence[BodyFrame]) -> Numbers:
        """Rotations (states, m, 3, 3) of components in the axes of frames to ground axes."""
        R = self.poses(q)[0]
        turns = [R[:, frame.body] @ pose_in_body(self.flex, frame, q, exact=False)[0] for frame in frames]
        return np.stack(turns, axis=1)

    def _held(self, q: Numbers, frames: Sequence[str], mask: Mask) -> Numbers:
        """What closed loops take away: J X* S^-1 X J* with X = M^-1 J_c* of their rows, in the axes of the frames."""
        assert self.loops is not None
        out = np.zeros((len(q), 6 * len(frames), 6 * len(frames)))
        for s, x in enumerate(q):
            at = self.loops.constraint_state(x, given=mask)
            response = at.X @ self._force_maps(x, frames).T
            rows = self.loops.redundancy(at.J, mask)
            out[s] = np.array([rows.solve(at.S, r) for r in response.T]) @ response
        return out

    def _force_maps(self, q: Numbers, names: Sequence[str]) -> Numbers:
        """J (6 m, nv) of frames in their own axes, by what unit forces at them do."""
        still = np.zeros(self.nv)
        rest = self.bias_forces(q, still)
        rows = [rest - self.bias_forces(q, still, {name: np.eye(6)}) for name in names]
        return np.concatenate([np.zeros((0, self.nv)), *rows])


def inverted(inverse: Numbers, what: str) -> Numbers:
    """The operational inertia from its inverse (..., n, n); refused where the frames cannot move in all directions."""
    size = np.sqrt(np.einsum("...ii->...i", inverse))
    scale = np.where(size > 0, size, 1.0)
    scale = scale[..., :, None] * scale[..., None, :]
    if inverse.size and (np.linalg.eigvalsh(inverse / scale)[..., 0] < SINGULAR).any():
        raise SingularError(
            f"{what}: they cannot move in all directions in this configuration; inverse_operational_inertia has those "
            "in which they can"
        )
    return np.asarray(np.linalg.inv(inverse / scale) / scale)


def _turned(R: Numbers, blocks: Numbers) -> Numbers:
    """Blocks (states, 6 m, 6 m) in axes turned by R (states, m, 3, 3), angular and linear parts alike."""
    states, n = blocks.shape[:2]
    turn = np.repeat(R, 2, axis=1)
    parts = blocks.reshape(states, n // 3, 3, n // 3, 3)
    out = np.einsum("spab,spbqc->spaqc", turn, parts)
    return np.einsum("spaqc,sqdc->spaqd", out, turn).reshape(blocks.shape)
