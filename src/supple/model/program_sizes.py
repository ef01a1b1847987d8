"""Which models have blocks that are quickly made: what has to be recorded and compiled, estimated from the arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.recursions.tree import Flex, Tree

MOST_BODIES, MOST_UNLIKE, MOST_MODES, MOST_ENTRIES = 4000, 300, 400, 4000
"""Most bodies, bodies of which no earlier one is alike, modes of these, and their `modal_entries`: more take longer to
compile than the sweep, which is loops.
"""
MOST_PAIRS = 1200
"""Most pairs of modes and entries of modal matrices of which mass matrix and derivatives are quickly made."""
MOST_ROW_STEPS = 5000
"""Most bodies that all rows of a mass matrix are carried past on their way to the ground."""
MOST_PATH_BODIES, MOST_PATH_COST, MOST_PATH_MODES = 1000, 20, 40
"""Most bodies, `unlike` bodies plus two for each pair of frames, and modes of these bodies, of which the compliances of
frames are quickly made.
"""


def quickly_made(tree: Tree, flex: Flex | None) -> bool:
    """Whether the blocks of a model are, but for its mass matrix and derivatives."""
    if len(tree.parent) - 1 > MOST_BODIES:
        return False
    first = unlike(tree, flex)
    if len(first) > MOST_UNLIKE:
        return False
    if flex is None:
        return True
    few = matrices_quickly_made(flex) or modal_entries(flex) <= MOST_ENTRIES
    return few and int(flex.modes[first].sum()) <= MOST_MODES


def modal_entries(flex: Flex) -> int:
    """Entries other than zero of the blocks of pairs of modes; those of matrices and factors, as what they cost."""
    matrices = 3 * len(flex.offdiagonal_mode) + 14 * len(flex.factor_mode)
    pairs = np.count_nonzero(flex.pair_value) if flex.full.any() else 0  # without the deformation they are not used
    return int(pairs) + matrices


def matrices_quickly_made(flex: Flex | None) -> bool:
    """Whether the modes let mass matrix and derivatives be: these have all that the model has, for each mode."""
    return flex is None or len(flex.pair_mode) + len(flex.offdiagonal_mode) + len(flex.factor_mode) <= MOST_PAIRS


def rows_quickly_made(tree: Tree) -> bool:
    """Whether the blocks of the mass matrix are: each of its rows is a step for every body on the way to the ground."""
    return row_steps(tree) <= MOST_ROW_STEPS


def row_steps(tree: Tree) -> int:
    """Bodies that all rows of a mass matrix are carried past on their way to the ground."""
    depth = [0] * len(tree.parent)
    for k, parent in enumerate(tree.parent[1:].tolist(), 1):
        depth[k] = depth[parent] + 1
    return int(np.diff(tree.v_first) @ depth)


def compliances_quickly_made(tree: Tree, flex: Flex | None, frames: int) -> bool:
    """Whether the blocks of the inverse operational inertia of some frames are; a sweep serves all models."""
    if not 0 < 2 * frames**2 <= MOST_PATH_COST or len(tree.parent) - 1 > MOST_PATH_BODIES:
        return False
    first = unlike(tree, flex)
    few = flex is None or int(flex.modes[first].sum()) <= MOST_PATH_MODES
    return few and len(first) + 2 * frames**2 <= MOST_PATH_COST and matrices_quickly_made(flex)


def unlike(tree: Tree, flex: Flex | None) -> NDArray[np.int64]:
    """Bodies of which no earlier one has the same kind of joint, zeros at the same places and as many children."""
    rows = len(tree.parent)
    children = np.bincount(tree.parent[1:], minlength=rows)
    columns = [tree.rotation_kind, tree.translations, tree.parent == 0, children, np.diff(tree.v_first)]
    if flex is not None:
        columns += [flex.mode_row, flex.full, flex.attachment >= 0]
    for x in (tree.rotation, tree.axes, tree.directions):
        columns += list(np.where((x == 0.0) | (abs(x) == 1.0), x, 0.5).T)
    for x in (tree.position, tree.moment, tree.inertia, tree.pitch[:, None], tree.mass[:, None]):
        columns += list(x.T == 0.0)
    alike = np.stack([x.astype(float) + 0.0 for x in columns], axis=1)  # no -0
    first: dict[bytes, int] = {}
    for k, row in enumerate(alike):
        first.setdefault(row.tobytes(), k)
    return np.array([*first.values()], dtype=np.int64)
