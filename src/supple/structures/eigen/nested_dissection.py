"""The order in which nested dissection eliminates unknowns: a separator splits the graph in two, the halves again."""

from __future__ import annotations

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.mass import Sparse

LEAF = 48
"""Groups of unknowns below which the graph is not split further."""
LOPSIDED = 0.75
"""Share of a graph that may stand on one side of its separator."""


PIECES = 8
"""Parts of the order that threads work on side by side. As many on every machine: sums depend on it."""


def dissected(matrix: Sparse) -> tuple[list[Ints], list[int], list[int]]:
    """Blocks of unknowns, children before parents; the number of each one's parent, or -1; and the pieces.

    Pieces are the first so many blocks, the next so many, ...; each needs nothing of the others.
    """
    group, graph = _groups(matrix)
    members = _members(group)
    separators, parents = _dissect(graph)
    blocks = [_unknowns(s, members) for s in separators]
    pieces, above = _pieces([len(x) for x in blocks], parents)
    order = [i for piece in pieces for i in piece] + above
    place = {old: new for new, old in enumerate(order)} | {-1: -1}
    return [blocks[i] for i in order], [place[parents[i]] for i in order], [len(piece) for piece in pieces]


def _pieces(sizes: list[int], parents: list[int]) -> tuple[list[list[int]], list[int]]:
    """Blocks of subtrees of about equal size, each children first, and the blocks above them."""
    weight, begins = list(sizes), list(range(len(sizes)))  # of subtrees, which are ranges that end with their roots
    for i, parent in enumerate(parents):
        if parent >= 0:
            weight[parent] += weight[i]
            begins[parent] = min(begins[parent], begins[i])
    children: dict[int, list[int]] = {}
    for i, parent in enumerate(parents):
        children.setdefault(parent, []).append(i)
    roots, above = children[-1], []
    while len(roots) < PIECES:
        heaviest = max(roots, key=lambda i: weight[i])
        if heaviest not in children:
            break
        roots.remove(heaviest)
        roots += children[heaviest]
        above.append(heaviest)
    return [list(range(begins[i], i + 1)) for i in sorted(roots)], sorted(above)


def _groups(matrix: Sparse) -> tuple[Ints, Sparse]:
    """Unknowns with the same neighbours, such as those of one node, as one: group of each, graph of the groups."""
    n = matrix.shape[0]
    pattern = scipy.sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    keys = np.asarray(pattern @ np.random.default_rng(0).random(n))
    _, group = np.unique(np.round(keys, 9), return_inverse=True)
    count = int(group.max()) + 1
    which = scipy.sparse.csr_array((np.ones(n), (group, np.arange(n))), shape=(count, n))
    graph = scipy.sparse.csr_array(which @ pattern @ which.T)
    return group.astype(np.int64), graph


def _members(group: Ints) -> tuple[Ints, Ints]:
    """Unknowns in the order of their groups, and where each group begins."""
    order = np.argsort(group, kind="stable").astype(np.int64)
    return order, np.searchsorted(group[order], np.arange(int(group.max()) + 2)).astype(np.int64)


def _unknowns(groups: Ints, members: tuple[Ints, Ints]) -> Ints:
    order, first = members
    return np.concatenate([order[first[g] : first[g + 1]] for g in groups])


def _dissect(graph: Sparse) -> tuple[list[Ints], list[int]]:
    """Separators and leaves, children before parents, and the number of each one's parent."""
    found: list[tuple[Ints, int]] = []  # parents first, by place in this list
    stack: list[tuple[Ints, int]] = [(np.arange(graph.shape[0], dtype=np.int64), -1)]
    while stack:
        nodes, parent = stack.pop()
        own = scipy.sparse.csr_array(graph[nodes][:, nodes])
        count, label = scipy.sparse.csgraph.connected_components(own, directed=False)
        if count > 1:
            order = np.argsort(label, kind="stable")
            parts = np.split(nodes[order], np.flatnonzero(np.diff(label[order])) + 1)
            stack += [(part, parent) for part in parts]
            continue
        middle, sides = _split(own) if len(nodes) > LEAF else (np.ones(len(nodes), bool), ())
        found.append((nodes[middle], parent))
        stack += [(nodes[side], len(found) - 1) for side in sides if side.any()]
    last = len(found) - 1
    parents = [last - parent if parent >= 0 else -1 for _, parent in reversed(found)]
    return [nodes for nodes, _ in reversed(found)], parents


def _split(graph: Sparse) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """A small separator of a connected graph that leaves a fair part on both sides, and the sides.

    Separators are levels of equal distance: from one end of the graph, and from all that is farthest from there, whose
    levels are flatter.
    """
    start: Ints = np.zeros(1, np.int64)
    for _ in range(2):
        start = np.array([np.argmax(_distances(graph, start))])
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    rows, columns = graph.nonzero()
    for _ in range(3):
        distance = _distances(graph, start).astype(np.int64)
        inner = np.zeros(len(distance), bool)
        inner[rows[distance[columns] > distance[rows]]] = True  # others of their level go to the near side
        sizes = np.bincount(distance[inner], minlength=distance.max() + 1)
        beyond = len(distance) - np.cumsum(np.bincount(distance))
        larger = np.maximum(beyond, len(distance) - sizes - beyond) / len(distance)
        worth = np.where(larger <= LOPSIDED, sizes * (0.5 + larger), np.inf)[1:-1]
        level = 1 + int(np.argmin(worth)) if len(worth) else 0
        if level and np.isfinite(worth[level - 1]) and (best is None or worth[level - 1] < best[0]):
            best = (float(worth[level - 1]), (distance == level) & inner, distance > level)
        start = np.flatnonzero(distance == distance.max())
    if best is None:
        return np.ones(graph.shape[0], bool), ()
    _, middle, far = best
    return middle, (~middle & ~far, far)


def _distances(graph: Sparse, start: Ints) -> Floats:
    """From the nearest of some nodes, in edges."""
    return np.asarray(scipy.sparse.csgraph.dijkstra(graph, indices=start, unweighted=True, min_only=True))
