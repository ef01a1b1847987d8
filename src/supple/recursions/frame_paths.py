"""The paths from some frames to the ground as a small tree of junctions, and arrays to work along them.

Junctions are the bodies that carry the frames, and those where paths meet. Each body on a path lies between exactly one
junction and the next, so that what is carried along the paths of all frames passes every body once.

A junction is entered from outboard through a child, or at a frame that it carries. These entries are numbered together:
children by their body numbers, frame i as bodies + 1 + i.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from supple.recursions.tree import Array, Frames, Sizes


class FramePaths(NamedTuple):
    """Frames and the junctions of their paths. Never written to."""

    frames: Frames
    """The m frames."""
    body: Array
    """(p,) all bodies on the paths, parents first."""
    junction: Array
    """(j,) the junctions' bodies."""
    inner: Array
    """(j,) the next junction towards the ground; -1 where there is none."""
    child: Array
    """(j,) the child of that through which it is entered; 0 where there is none."""
    of_frame: Array
    """(m,) the junction that carries a frame; -1 on the ground."""
    meeting: Array
    """(m, m) the junction where the paths of two frames meet; -1 on the ground."""
    entry: Array
    """(m, m) the entry of the first frame there."""


class PathWorkspace(NamedTuple):
    """What is computed along the paths. One for each thread."""

    upsilon: Array
    """(n + 1, 36) compliance of the body frames: covariance of their accelerations. By `compliance_step`."""
    through: Array
    """(n + 1 + m, 36) force at an entry of a flexible body, referred to its origin with the modes free."""
    cross: Array
    """(n + 1 + m, widest, 6) Pi_t Lam Pi* of all ports of a flexible body with an entry, turned with the nodes."""
    Q: Array
    """(m, 9) as `node_Q`, of the nodes of the frames."""
    edge: Array
    """(j, 36) force at a junction, referred to its entry at the next one with all degrees of freedom between free."""
    U: Array
    """(m, j, 36) force at a frame, referred to its entry at a junction on its path in the same way."""
    units: Array
    """(6, 6) the identity."""


def frame_paths(parent: Array, frames: Frames) -> FramePaths:
    """The junctions of the paths of some frames in a tree."""
    carrying = [int(k) for k in frames.body]
    ways = [_way(parent, k) for k in carrying]
    entered: dict[int, set[int]] = {}
    for way in ways:
        for outer, carrier in pairwise(way):
            entered.setdefault(carrier, set()).add(outer)
    bodies = sorted({k for way in ways for k in way})
    carriers = {k for k in carrying if k > 0}
    stops = [k for k in bodies if k in carriers or len(entered.get(k, ())) > 1]
    place = {k: j for j, k in enumerate(stops)}
    inner, child = np.full(len(stops), -1), np.zeros(len(stops), dtype=np.int64)
    for j, k in enumerate(stops):
        while parent[k] > 0 and inner[j] < 0:
            inner[j], child[j], k = place.get(int(parent[k]), -1), k, int(parent[k])
    of_frame = np.array([place.get(k, -1) for k in carrying], dtype=np.int64)
    meeting, entry = _meetings(len(parent), of_frame, inner, child)
    arrays = (np.array(bodies), np.array(stops), inner, np.where(inner >= 0, child, 0), of_frame, meeting, entry)
    return FramePaths(frames, *(x.astype(np.int64) for x in arrays))


def _way(parent: Array, k: int) -> list[int]:
    """Body k and its ancestors, the ground left out."""
    out = []
    while k > 0:
        out.append(k)
        k = int(parent[k])
    return out


def _meetings(rows: int, of_frame: Array, inner: Array, child: Array) -> tuple[Array, Array]:
    """Where the paths of each two frames meet, and how the first of the two comes there."""
    m = len(of_frame)
    meeting, entry = np.full((m, m), -1), np.zeros((m, m))
    entries: list[dict[int, int]] = []
    for i, j in enumerate(of_frame):
        on_path, how = {}, rows + i
        while j >= 0:
            on_path[int(j)] = int(how)
            how, j = child[j], inner[j]
        entries.append(on_path)
    for i in range(m):
        for k in range(m):
            shared = entries[i].keys() & entries[k].keys()
            if shared:
                meeting[i, k] = max(shared)
                entry[i, k] = entries[i][max(shared)]
    return meeting, entry


def path_workspace(paths: FramePaths, size: Sizes) -> PathWorkspace:
    """New arrays."""
    rows, m, j = size.bodies + 1, len(paths.of_frame), len(paths.junction)
    return PathWorkspace(
        upsilon=np.zeros((rows, 36)),
        through=np.zeros((rows + m, 36)),
        cross=np.zeros((rows + m, size.widest, 6)),
        Q=np.zeros((m, 9)),
        edge=np.zeros((j, 36)),
        U=np.zeros((m, j, 36)),
        units=np.eye(6),
    )
