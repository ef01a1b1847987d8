"""Junctions of the paths of frames in a tree."""

from __future__ import annotations

import numpy as np

from supple.recursions.frame_paths import FramePaths, frame_paths, path_workspace
from supple.recursions.tree import Frames, Sizes

# 0 is the ground; 1 - 2 - 3 - 4, a branch 3 - 5 - 6, another root 7
PARENT = np.array([0, 0, 1, 2, 3, 3, 5, 0])


def paths(*bodies: int) -> FramePaths:
    m = len(bodies)
    empty = np.zeros((m, 3)), np.tile(np.eye(3).reshape(9), (m, 1)), np.zeros((m, 3))
    frames = Frames(np.array(bodies, dtype=np.int64), *empty, np.full(m, -1), np.zeros((0, 6)))
    return frame_paths(PARENT, frames)


def test_paths_meet_at_the_outermost_common_body() -> None:
    found = paths(4, 6, 2)
    assert found.body.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.junction.tolist() == [2, 3, 4, 6]
    assert found.inner.tolist() == [-1, 0, 1, 1]
    assert found.child.tolist() == [0, 3, 4, 5]
    assert found.junction[found.of_frame].tolist() == [4, 6, 2]
    assert found.junction[found.meeting].tolist() == [[4, 3, 2], [3, 6, 2], [2, 2, 2]]
    rows = len(PARENT)
    assert found.entry.tolist() == [[rows, 4, 3], [5, rows + 1, 3], [rows + 2, rows + 2, rows + 2]]


def test_separate_trees_and_the_ground_do_not_meet() -> None:
    found = paths(7, 1, 0)
    assert found.meeting.tolist() == [[1, -1, -1], [-1, 0, -1], [-1, -1, -1]]
    assert found.of_frame.tolist() == [1, 0, -1]
    assert path_workspace(found, Sizes(7, 7)).U.shape == (3, 2, 36)


def test_no_frames_have_no_paths() -> None:
    found = paths()
    assert len(found.body) == len(found.junction) == 0
    assert found.meeting.shape == (0, 0)
