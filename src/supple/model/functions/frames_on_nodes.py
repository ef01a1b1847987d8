"""Frames by name on the nodes of a trace: how they move, and what wrenches at them do to the speeds."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.places import Indices
from supple.errors import SingularError, StateError
from supple.expressions.elimination import solve_symmetric
from supple.expressions.function import Nodes
from supple.model.body_frames import frame_arrays
from supple.model.frame_programs import Seen, along_axes, carry_frames, frame_motion
from supple.model.symbolic_tree import zeros
from supple.recursions import operational_space
from supple.recursions.frame_jacobian import jacobian_columns
from supple.recursions.frame_paths import FramePaths, frame_paths, path_workspace
from supple.recursions.frame_wrenches import GROUND_AXES, FrameWrenches, frame_wrenches
from supple.recursions.frames import frame_pose
from supple.recursions.tree import Frames, sizes


class Recording:
    """A trace as recursions see it that are recorded on cells too: the arrays, a workspace, and no blocks to end.

    Parameters
    ----------
    t : Trace
    paths : FramePaths, optional
    """

    def __init__(self, t: Any, paths: FramePaths | None = None) -> None:
        self.run, self.tree, self.flex, self.ws = t.run, t.tree, t.flex, t.workspace()
        self.nv, self.bodies, self.recorder = t.model.nv, len(t.model.bodies), self
        self.structure = SimpleNamespace(tree=t.model.tree, flex=t.model.flex, paths=paths)

    def end(self) -> None:
        """Do nothing: nodes are in no order."""

    cut = end


def arrays_of(model: Any, names: Sequence[str]) -> Frames:
    """Return frames of a model as arrays."""
    return frame_arrays(model.find_frame(name) for name in names)


class NodeFrames:
    """Some frames on the nodes of a trace.

    Parameters
    ----------
    t : Trace
    names : sequence of str
    """

    def __init__(self, t: Any, names: Sequence[str]) -> None:
        self._t, self._arrays = t, arrays_of(t.model, names)
        self._paths = frame_paths(t.model.tree.parent, self._arrays)
        self._nodes: Frames = t.frames_by_name(names)

    def __len__(self) -> int:
        """Return their number."""
        return len(self._arrays.body)

    def poses(self, q: Nodes) -> tuple[Nodes, Nodes]:
        """Return R (m, 3, 3) and p (m, 3) in the ground frame."""
        r = self._recording()
        carry_frames(r, q[None])
        R, p = zeros(len(self), 9), zeros(len(self), 3)
        for i in range(len(self)):
            R[i], p[i] = r.run(frame_pose)(r.flex, self._nodes, i, q, r.ws)
        return R.reshape(-1, 3, 3), p

    def motions(self, q: Nodes, v: Nodes, a: Nodes | None) -> Nodes:
        """Return accelerations (m, 6) in ground axes, or velocities where there are no accelerations."""
        r, how, out = self._recording(), Seen(len(self)), zeros(len(self), 6)
        rows = None if a is None else a[None]
        carry_frames(r, q[None], v[None], rows)
        for i in range(len(self)):
            x = frame_motion(r, self._nodes, i, (q[None], v[None], rows))["V" if a is None else "A"]
            out[i] = along_axes(r, self._nodes, i, q, how, x, None)
        return out

    def jacobians(self, q: Nodes) -> Nodes:
        """Return J (m, 6, nv) in ground axes."""
        r, how = self._recording(), Seen(len(self))
        carry_frames(r, q[None])
        out, J = zeros(len(self), 6, r.nv), zeros(len(self), 6, r.nv)
        for i in range(len(self)):
            r.run(jacobian_columns)(r.tree, r.flex, self._nodes, i, q, r.ws, J[i])
            for j in range(r.nv):
                out[i, :, j] = along_axes(r, self._nodes, i, q, how, tuple(J[i, :, j]), None)
        return out

    def forces(self, q: Nodes, wrenches: Nodes, grounded: bool = False) -> tuple[Nodes, Nodes]:
        """Return J* F (nv,) of wrenches (m, 6), along the axes of the frames or of the ground, and what bodies feel."""
        own = list(range(len(self)))
        axes = [GROUND_AXES] * len(self) if grounded else own
        _, *places = frame_wrenches(self._t.model.tree.parent, self._arrays, own, axes)
        laws = FrameWrenches(self._nodes, *map(Indices, places))  # type: ignore[arg-type]
        found: tuple[Nodes, Nodes] = self._t.wrench_forces(laws, q, wrenches)
        return found

    def compliance(self, q: Nodes) -> Nodes:
        """Return J M^-1 J* (6 m, 6 m) in ground axes; closed loops stay closed."""
        r, t, rows = self._recording(), self._t, 6 * len(self)
        paths = FramePaths(self._nodes, *map(Indices, self._paths[1:]))  # type: ignore[arg-type]
        none = np.zeros(t.model.nv, dtype=bool)
        own = path_workspace(self._paths, sizes(t.model.tree, t.model.flex))
        pw, out = type(own)(*(x.astype(object) for x in own)), zeros(rows, rows)
        r.run(operational_space.path_inertias)(r.tree, r.flex, q, none, r.ws)
        r.run(operational_space.path_compliances)(r.tree, r.flex, paths, q, none, True, r.ws, pw, out)
        return out if t.model.loops is None else out - self._held(q, none)

    def inertia(self, q: Nodes) -> Nodes:
        """Return (J M^-1 J*)^-1 (6 m, 6 m) in ground axes."""
        W, rows = self.compliance(q), 6 * len(self)
        out, unit = zeros(rows, rows), np.eye(rows).astype(object)
        try:
            for i in range(rows):
                out[i] = solve_symmetric(W, unit[i])
        except StateError:
            raise SingularError(
                f"model {self._t.model.name!r}: operational inertia: the frames cannot move in all directions in any "
                "configuration; inverse_operational_inertia has those in which they can"
            ) from None
        return out

    def _held(self, q: Nodes, none: NDArray[np.bool_]) -> Nodes:
        """What closed loops take away: J X* S^-1 X J* with X = M^-1 J_c* of their rows."""
        t, units = self._t, np.eye(6 * len(self)).astype(object)
        J = np.array([self.forces(q, unit.reshape(-1, 6), grounded=True)[0] for unit in units], dtype=object)
        cw = t.closing_steps(q, zeros(t.model.nv), none, t.workspace())[0]
        response = cw.X @ J.T
        forces = t.least_forces(cw.S, *response.T)
        return np.array([force @ response for force in forces], dtype=object)

    def _recording(self) -> Any:
        return Recording(self._t, self._paths)
