"""The paths of some frames in a model, prepared once, and the recursion along them for batches of states."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.llvm.batches import CORES
from supple.model.body_frames import BodyFrame, frame_arrays
from supple.model.program_sizes import compliances_quickly_made
from supple.model.programs import ModelStructure, Programs
from supple.recursions.frame_paths import PathWorkspace, frame_paths, path_workspace
from supple.recursions.operational_space import inverse_operational_inertia
from supple.recursions.tree import Flex, Tree, sizes
from supple.recursions.workspaces import borrow

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]
AXES = GROUND, FRAME = "ground", "frame"
"""Axes of accelerations and forces."""
NAME = "inverse_operational_inertia"
"""Of the recursion."""


class FrameCompliance:
    """Some frames of a model: how they move for forces at them.

    Parameters
    ----------
    tree, flex : Tree, Flex or None
    nq : int
    frames : sequence of BodyFrame
    """

    def __init__(self, tree: Tree, flex: Flex | None, nq: int, frames: Sequence[BodyFrame]) -> None:
        self.frames = tuple(frames)
        self._tree, self._flex, self._nq = tree, flex, nq
        self._paths = frame_paths(tree.parent, frame_arrays(frames))
        self._rows = 6 * len(self.frames)
        self._free = (False,) * len(tree.v_parent)
        self._idle: list[PathWorkspace] = []
        self._direct: dict[str, Any] = {}

    @cached_property
    def _programs(self) -> Programs | None:
        """The recursion as blocks; None where the sweep serves."""
        if not compliances_quickly_made(self._tree, self._flex, len(self.frames)):
            return None
        return Programs(ModelStructure(self._tree, self._flex, self._nq, paths=self._paths))

    def one_state(self, q: Any, axes: str) -> Numbers | None:
        """J M^-1 J* (6 m, 6 m) of one state, nothing prescribed; None where one call of machine code cannot do it."""
        call = self._direct.get(axes)
        if call is None:
            if axes not in AXES or self._programs is None:
                return None
            call = self._direct[axes] = self._programs(NAME, self._free, axes == GROUND).one
        rows = self._rows
        out = np.empty(rows * rows)
        return out.reshape(rows, rows) if call(q, out) is out else None

    def __call__(self, q: Numbers, given: Mask, grounded: bool, workspace: borrow) -> tuple[Numbers, int]:
        """J M^-1 J* (states, 6 m, 6 m), in ground axes or those of the frames.

        Beside it 0, or 1 + the degree of freedom that has no inertia.
        """
        if self._programs is not None:
            bound = self._programs(NAME, tuple(given.tolist()), grounded)
            found, margin = bound.batch([np.ascontiguousarray(q)], len(q), CORES)
            if (margin > 0.0).all():
                return found.reshape(len(q), self._rows, self._rows), 0
        out = np.zeros((len(q), self._rows, self._rows))
        try:
            pw = self._idle.pop()  # that of another call, in whatever thread, which has ended
        except IndexError:
            pw = path_workspace(self._paths, sizes(self._tree, self._flex))
        with workspace as ws:
            fault = inverse_operational_inertia(self._tree, self._flex, self._paths, q, given, grounded, ws, pw, out)
        self._idle.append(pw)
        return out, fault
