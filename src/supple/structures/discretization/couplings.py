"""Rigid regions become one point with six degrees of freedom; nodes that follow others have none of their own.

Each node of a region moves by u + theta x (x - centre) and turns by theta.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, Ints
from supple.errors import ModelError
from supple.structures.discretization.dof_map import COMPONENTS, Bools, DofLayout, cross_matrix
from supple.structures.discretization.mass import MassModel, Sparse

COLLINEAR = 1e-6
"""Width of a region, relative to its length, below which it cannot turn about its line."""

FOLLOWING = -1
"""The point of nodes that follow others."""


@checked
@dataclass(frozen=True)
class Average:
    """A node that moves as the mean of others, without stiffening them (RBE3).

    Its displacement and rotation are those of the rigid motion that is nearest to the displacements of the others.

    Attributes
    ----------
    dependent : int
        The node that follows.
    nodes : tuple of int
        Those that it follows.
    weights : tuple of float
        Of each; equal if left out.
    """

    dependent: int
    nodes: tuple[int, ...]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True)
class Arm:
    """A node at the end of a rigid arm, free to turn about the arm: where a stiffener runs beside a panel.

    A section of the stiffener turns about the arm as the stiffener bends, and the panel below it does not.

    Attributes
    ----------
    node, to : int
        The node, and the one that carries it.
    """

    node: int
    to: int


@dataclass(frozen=True)
class Ties:
    """What ties the nodes of a structure to each other.

    Attributes
    ----------
    frames : dict of str to tuple of int
        Those of several nodes are rigid regions.
    rigid : tuple of tuples of int
        Further rigid regions; those with common nodes are one.
    averages : tuple of Average
    arms : tuple of Arm
    """

    frames: Mapping[str, tuple[int, ...]]
    rigid: tuple[tuple[int, ...], ...] = ()
    averages: tuple[Average, ...] = ()
    arms: tuple[Arm, ...] = ()


@dataclass(frozen=True, eq=False)
class Condensed:
    """A structure in which rigid regions are points.

    Attributes
    ----------
    layout : DofLayout
        Its points: the nodes that are in no region and follow no others, and the regions in the place of their first
        node, at the middle of the first frame in them.
    names : tuple of str
        Of the points: the number of the node or the name of the region.
    frames : dict of str to int
        The points of those frames that are points, or part of one.
    point_of : (k,) array of int
        The point of each node; `FOLLOWING` of nodes that follow others.
    motion : (6 k, size) sparse array
        Rotation and displacement of all k nodes.
    turning : (k,) array of bool
        Which nodes have a rotation, of their own, of their region or of those they follow.
    stiffness : (size, size) sparse array
    mass : MassModel
    """

    layout: DofLayout
    names: tuple[str, ...]
    frames: dict[str, int]
    point_of: Ints
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


def condense(layout: DofLayout, stiffness: Sparse, mass: MassModel, ties: Ties) -> Condensed:
    """The structure with its rigid regions as points, and without the nodes that follow others.

    Cost is linear in the nodes.
    """
    owner = regions(layout, ties)
    point_of, heads = _points(layout, owner)
    whole = DofLayout(_centres(layout, ties, owner, heads), _turning(layout, point_of))
    motion = _motion(layout.points, whole, point_of)
    kept = np.ones(len(heads), bool)
    if ties.averages:
        follow, kept = _following(layout, whole, point_of, motion, ties.averages)
        motion = scipy.sparse.csr_array(motion @ follow)
    small = DofLayout(whole.points[kept], whole.turning[kept])
    names = [owner.get(i, str(i)) for i, used in zip(heads, kept, strict=True) if used]
    if ties.arms:
        small, motion = _spinning(layout, small, motion, ties.arms)
        names += [str(arm.node) for arm in ties.arms]
    number = np.where(kept, np.cumsum(kept) - 1, FOLLOWING)
    seen: Any = motion[6 * layout.point + layout.component]
    expand: Sparse = scipy.sparse.csr_array(seen)
    K = scipy.sparse.csr_array(expand.T @ stiffness @ expand)
    K = scipy.sparse.csr_array((K + K.T) * 0.5)
    K.eliminate_zeros()
    found = {name: int(number[point_of[nodes[0]]]) for name, nodes in ties.frames.items()}
    return Condensed(
        small,
        tuple(names),
        {name: point for name, point in found.items() if point != FOLLOWING},
        number[point_of],
        motion,
        np.asarray(whole.turning[point_of]),
        K,
        mass.through(expand),
    )


def regions(layout: DofLayout, ties: Ties) -> dict[int, str]:
    """The region of each node that is in one: the name of its first frame, or the number of its first node.

    Frames may not share nodes unless they are the same, or something else ties them to each other.
    """
    frames = {name: nodes for name, nodes in ties.frames.items() if len(nodes) > 1}
    _check_apart(frames)
    groups = [*frames.values(), *(group for group in ties.rigid if len(group) > 1)]
    groups += [(arm.to, arm.node) for arm in ties.arms]
    if not groups:
        return {}
    first, other = zip(*((group[0], i) for group in groups for i in group[1:]), strict=True)
    k = len(layout.points)
    graph = scipy.sparse.coo_array((np.ones(len(first)), (first, other)), shape=(k, k))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    names: dict[int, str] = {}
    for name, chosen in frames.items():
        names.setdefault(int(label[chosen[0]]), name)
    members: dict[str, list[int]] = {}
    for i in sorted({i for group in groups for i in group}):
        members.setdefault(names.setdefault(int(label[i]), str(i)), []).append(i)
    for name, nodes in members.items():
        _check_turns(layout, name, nodes)
    return {i: name for name, nodes in members.items() for i in nodes}


def _check_apart(frames: Mapping[str, tuple[int, ...]]) -> None:
    owner: dict[int, str] = {}
    for name, nodes in frames.items():
        for other in {owner[i] for i in nodes if i in owner}:
            if set(frames[other]) != set(nodes):
                shared = sorted(set(frames[other]) & set(nodes))
                raise ModelError(
                    f"frames {other!r} and {name!r}: expected rigid regions without common nodes, got nodes "
                    f"{shared[:5]} in both"
                )
        owner.update(dict.fromkeys(nodes, name))


def _check_turns(layout: DofLayout, name: str, nodes: Sequence[int]) -> None:
    x = layout.points[list(nodes)]
    if layout.turning[list(nodes)].any() or _coincide(x):
        return
    sizes = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)
    if len(nodes) < 3 or sizes[1] <= COLLINEAR * sizes[0]:
        raise ModelError(
            f"frame {name!r}: expected a rigid region of three or more nodes not in one line, because its nodes have "
            f"no rotations, got {len(nodes)} nodes of width {sizes[-1] if len(nodes) < 3 else sizes[1]:.3g} m"
        )


def _coincide(x: Floats) -> bool:
    return bool(np.ptp(x, axis=0).max() <= 1e-12 * (1.0 + np.abs(x).max()))


def _points(layout: DofLayout, owner: Mapping[int, str]) -> tuple[Ints, list[int]]:
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


def _centres(layout: DofLayout, ties: Ties, owner: Mapping[int, str], heads: Sequence[int]) -> Floats:
    """Positions of the points: of a region the middle of the first frame in it, or its first node."""
    place = {owner[i]: p for p, i in enumerate(heads) if i in owner}
    centres = layout.points[heads].copy()
    for nodes in reversed(list(ties.frames.values())):
        if nodes[0] in owner:
            centres[place[owner[nodes[0]]]] = layout.points[list(nodes)].mean(axis=0)
    return centres


def _turning(layout: DofLayout, point_of: Ints) -> Bools:
    """Which points have rotations: all but nodes without, alone or several in one place."""
    out = np.bincount(point_of, layout.turning) > 0
    for p in np.flatnonzero(~out & (np.bincount(point_of) > 1)):
        out[p] = not _coincide(layout.points[point_of == p])
    return np.asarray(out)


def _spinning(layout: DofLayout, small: DofLayout, motion: Sparse, arms: Sequence[Arm]) -> tuple[DofLayout, Sparse]:
    """The layout with one more point for each arm, whose turn about it is free, and the motion of all nodes by it."""
    nodes = np.array([arm.node for arm in arms])
    axes = layout.points[nodes] - layout.points[[arm.to for arm in arms]]
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    rows = (6 * nodes[:, None] + np.arange(3)).ravel()
    columns = np.repeat(np.arange(len(arms)), 3)
    own = scipy.sparse.csr_array((axes.ravel(), (rows, columns)), shape=(motion.shape[0], len(arms)))
    turning = np.concatenate([small.turning, np.zeros(len(arms), bool)])
    wider = DofLayout(np.concatenate([small.points, layout.points[nodes]]), turning, axes)
    return wider, scipy.sparse.csr_array(scipy.sparse.hstack([motion, own]))


def _following(
    layout: DofLayout, whole: DofLayout, point_of: Ints, motion: Sparse, averages: Sequence[Average]
) -> tuple[Sparse, Bools]:
    """(all, kept) the degrees of freedom of all points by those that follow no others, and which points these are."""
    kept = np.ones(len(whole.points), bool)
    rows = scipy.sparse.lil_array((whole.size, whole.size))
    for average in averages:
        point = point_of[average.dependent]
        if not kept[point]:
            raise ModelError(f"average: node {average.dependent} follows other nodes already")
        kept[point] = False
        mean = fitted(layout, average, whole.points[point]) @ motion
        own = whole.of([point])
        rows[own] = mean[-len(own) :]
    dependent = ~kept[whole.point]
    for average in averages:
        used = scipy.sparse.csr_array(rows.tocsr()[whole.of([point_of[average.dependent]])])
        if used[:, dependent].count_nonzero():
            raise ModelError(
                f"average: node {average.dependent} follows a node that follows others, or itself; expected nodes that "
                "follow none"
            )
    same = scipy.sparse.diags_array(np.where(dependent, 0.0, 1.0))
    return scipy.sparse.csr_array((rows + same).tocsc()[:, ~dependent]), kept


def fitted(layout: DofLayout, average: Average, at: Floats) -> Sparse:
    """(6, 6 k) rotation and displacement at `at` of the rigid motion nearest to displacements of the average's nodes.

    About a line that all nodes are on it turns by the mean of their rotations.
    """
    nodes = list(average.nodes)
    w = np.array(average.weights or np.ones(len(nodes)))
    w = w / w.sum()
    x = layout.points[nodes]
    arms = cross_matrix(x - w @ x)
    sizes, axes = np.linalg.eigh(-np.einsum("n,nij,njk->ik", w, arms, arms))
    loose = sizes <= COLLINEAR**2 * max(sizes[-1], 1e-300)
    if loose.any() and not layout.turning[nodes].all():
        raise ModelError(
            f"average: node {average.dependent}: expected three or more nodes not in one line, because they have no "
            f"rotations, got {len(nodes)}"
        )
    tight = (axes[:, ~loose] / sizes[~loose]) @ axes[:, ~loose].T
    turn = np.zeros((3, len(nodes), 6))
    turn[:, :, 3:] = np.einsum("ij,n,njk->ink", tight, w, arms)
    turn[:, :, :3] = np.einsum("n,ik->ink", w, axes[:, loose] @ axes[:, loose].T)
    move = np.zeros((3, len(nodes), 6))
    move[:, :, 3:] = w[:, None] * np.eye(3)[:, None]
    move -= np.einsum("ij,jnk->ink", cross_matrix(at - w @ x), turn)
    values = np.concatenate([turn, move]).reshape(6, -1)
    columns = (6 * np.array(nodes)[:, None] + np.arange(6)).ravel()
    out = scipy.sparse.lil_array((6, 6 * len(layout.points)))
    out[:, columns] = values
    return scipy.sparse.csr_array(out)


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
