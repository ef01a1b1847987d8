"""The paths of some frames in a model, prepared once, and the recursion along them for batches of states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.model.body_frames import BodyFrame, frame_arrays
from supple.recursions.frame_paths import PathWorkspace, frame_paths, path_workspace
from supple.recursions.operational_space import inverse_operational_inertia
from supple.recursions.tree import Flex, Tree, Workspace, sizes
from supple.structures.body import FlexibleBody

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]


class FrameCompliance:
    """Some frames of a model: how they move for forces at them.

    Parameters
    ----------
    tree, flex : Tree, Flex or None
    bodies : sequence
        What the bodies are made of.
    frames : sequence of BodyFrame
    """

    def __init__(self, tree: Tree, flex: Flex | None, bodies: Sequence[Any], frames: Sequence[BodyFrame]) -> None:
        self.frames = tuple(frames)
        self._tree, self._flex = tree, flex
        gains = [_gain(bodies[frame.body - 1], frame) for frame in frames]
        self._paths = frame_paths(tree.parent, frame_arrays(frames), gains)
        self._idle: list[PathWorkspace] = []

    def __call__(self, q: Numbers, given: Mask, grounded: bool, ws: Workspace) -> tuple[Numbers, int]:
        """J M^-1 J* (states, 6 m, 6 m), in ground axes or those of the frames.

        Beside it 0, or 1 + the degree of freedom that has no inertia.
        """
        out = np.zeros((len(q), 6 * len(self.frames), 6 * len(self.frames)))
        try:
            pw = self._idle.pop()  # that of another call, in whatever thread, which has ended
        except IndexError:
            pw = path_workspace(self._paths, sizes(self._tree, self._flex))
        fault = inverse_operational_inertia(self._tree, self._flex, self._paths, q, given, grounded, ws, pw, out)
        self._idle.append(pw)
        return out, fault


def _gain(body: Any, frame: BodyFrame) -> Numbers:
    """Lam Pi* (modes, 6) of the node that a frame moves with; nothing if there is none."""
    if frame.node is None:
        return np.zeros((0, 6))
    assert isinstance(body, FlexibleBody)
    return np.asarray(
        scipy.sparse.linalg.splu(body.mass_matrix.tocsc()).solve(np.ascontiguousarray(frame.node.shape.T))
    )
