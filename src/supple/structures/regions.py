"""Rigid regions: a frame of several nodes becomes one point with six degrees of freedom at their mean position.

Each node of the region moves by u + theta x (x - centre) and turns by theta.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.layout import COMPONENTS, Bools, DofLayout, cross_matrix
from supple.structures.mass import MassModel, Sparse

COLLINEAR = 1e-6
"""Width of a region, relative to its length, below which it cannot turn about its line."""


@dataclass(frozen=True, eq=False)
class Condensed:
    """A structure in which rigid regions are points.

    Attributes
    ----------
    layout : DofLayout
        Its points: the nodes that are in no region, and the regions in the place of their first node.
    names : tuple of str
        Of the points: the number of the node or the name of the region.
    frames : dict of str to int
        The points of those frames that are points.
    motion : (6 k, size) sparse array
        Rotation and displacement of all k nodes.
    turning : (k,) array of bool
        Which nodes have a rotation, of their own or of their region.
    stiffness : (size, size) sparse array
    mass : MassModel
    """

    layout: DofLayout
    names: tuple[str, ...]
    frames: dict[str, int]
    motion: Sparse
    turning: Bools
    stiffness: Sparse
    mass: MassModel

    @property
    def size(self) -> int:
        """Number of degrees of freedom."""
        return self.layout.size

    def name_of(self, dof: int) -> str:
        """A degree of freedom in words: "12.ux"."""
        return f"{self.names[self.layout.point[dof]]}.{COMPONENTS[self.layout.component[dof]]}"


def condense(layout: DofLayout, stiffness: Sparse, mass: MassModel, frames: Mapping[str, tuple[int, ...]]) -> Condensed:
    """The structure with its rigid regions as points.

    Cost is linear in the nodes.
    """
    owner = regions(layout, frames)
    point_of, heads = _points(layout, owner)
    counts = np.bincount(point_of)
    centres = np.stack([np.bincount(point_of, x) / counts for x in layout.points.T], axis=1)
    alone = np.array([i not in owner for i in heads])
    small = DofLayout(centres, np.where(alone, layout.turning[heads], True))
    motion = _motion(layout.points, small, point_of)
    expand = scipy.sparse.csr_array(motion[6 * layout.point + layout.component])
    K = scipy.sparse.csr_array(expand.T @ stiffness @ expand)
    K = scipy.sparse.csr_array((K + K.T) * 0.5)
    K.eliminate_zeros()
    return Condensed(
        small,
        tuple(owner.get(i, str(i)) for i in heads),
        {name: int(point_of[nodes[0]]) for name, nodes in frames.items() if len(nodes) > 1 or nodes[0] not in owner},
        motion,
        np.asarray(small.turning[point_of]),
        K,
        mass.through(expand),
    )


def regions(layout: DofLayout, frames: Mapping[str, tuple[int, ...]]) -> dict[int, str]:
    """The region of each node that is in one; regions may not share nodes unless they are the same."""
    owner: dict[int, str] = {}
    for name, nodes in frames.items():
        if len(nodes) < 2:
            continue
        others = {owner[i] for i in nodes if i in owner}
        for other in others:
            if set(frames[other]) != set(nodes):
                shared = sorted(set(frames[other]) & set(nodes))
                raise ModelError(
                    f"frames {other!r} and {name!r}: expected rigid regions without common nodes, got nodes "
                    f"{shared[:5]} in both"
                )
        if not others:
            _check_turns(layout, name, nodes)
            owner.update(dict.fromkeys(nodes, name))
    return owner


def _check_turns(layout: DofLayout, name: str, nodes: tuple[int, ...]) -> None:
    if layout.turning[list(nodes)].any():
        return
    x = layout.points[list(nodes)]
    sizes = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)
    if len(nodes) < 3 or sizes[1] <= COLLINEAR * sizes[0]:
        raise ModelError(
            f"frame {name!r}: expected a rigid region of three or more nodes not in one line, because its nodes have "
            f"no rotations, got {len(nodes)} nodes of width {sizes[-1] if len(nodes) < 3 else sizes[1]:.3g} m"
        )


def _points(layout: DofLayout, owner: Mapping[int, str]) -> tuple[np.ndarray, list[int]]:
    """The point of each node, and the first node of each point."""
    point_of = np.zeros(len(layout.points), dtype=np.int64)
    heads: list[int] = []
    seen: dict[str, int] = {}
    for i in range(len(layout.points)):
        region = owner.get(i)
        if region in seen:
            point_of[i] = seen[region]
            continue
        if region is not None:
            seen[region] = len(heads)
        point_of[i] = len(heads)
        heads.append(i)
    return point_of, heads


def _motion(nodes: Floats, small: DofLayout, point_of: np.ndarray) -> Sparse:
    """(6 k, size) rotation and displacement of the nodes from the points they belong to."""
    arms = nodes - small.points[point_of]
    blocks = np.zeros((len(nodes), 6, 6))
    blocks[:] = np.eye(6)
    blocks[:, 3:, :3] = -cross_matrix(arms)
    blocks[:, :, :3] *= small.turning[point_of, None, None]
    rows = np.broadcast_to(6 * np.arange(len(nodes))[:, None, None] + np.arange(6)[:, None], blocks.shape)
    shift = np.where(small.turning, 0, 3)
    columns = np.broadcast_to((small.first[point_of] - shift[point_of])[:, None, None] + np.arange(6), blocks.shape)
    used = blocks != 0.0
    return scipy.sparse.csr_array((blocks[used], (rows[used], columns[used])), shape=(6 * len(nodes), small.size))
