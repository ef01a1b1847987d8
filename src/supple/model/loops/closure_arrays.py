"""From the constraints of a description to the flat arrays of the recursions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import text
from supple.description.constraints import Gear, Row
from supple.description.description import Description
from supple.errors import ModelError, nearest
from supple.model.flatten import Names
from supple.recursions.closures import ALONG, Closures
from supple.recursions.spring_slopes import ROWS
from supple.recursions.tree import Tree


def closure_arrays(mech: Description, names: Names, tree: Tree) -> Closures:
    """The constraints of a description as read-only arrays.

    Parameters
    ----------
    mech : Description
    names : Names
    tree : Tree
        Of the same description.
    """
    q_of_speed = tree.q_of_speed
    before = 2 * len(mech.springs) + len(mech.wrenches)  # frames of the model that are not of constraints
    pair = -1
    table: list[tuple[int, Row, tuple[int, int], tuple[int, int], tuple[float, float]]] = []
    for name, constraint in mech.constraints.items():
        if isinstance(constraint, Gear):
            (row,) = constraint.rows()
            speeds = tuple(_speed(name, x, names, q_of_speed) for x in (constraint.follower, constraint.leader))
            coordinates = tuple(int(q_of_speed[i]) for i in speeds)
            table.append((-1, row, coordinates, speeds, (1.0, -row.d)))  # type: ignore[arg-type]
        else:
            pair += 1
            table += [(pair, row, (0, 0), (0, 0), (0.0, 0.0)) for row in constraint.rows()]
    parts = {
        "pair_frames": before + np.arange(2 * pair + 2, dtype=np.int64).reshape(-1, 2),
        "row_kind": np.array([row.kind for _, row, *_ in table], dtype=np.int64),
        "row_pair": np.array([e for e, *_ in table], dtype=np.int64),
        "row_first": np.array([row.a for _, row, *_ in table]).reshape(-1, 3),
        "row_second": np.array([row.b for _, row, *_ in table]).reshape(-1, 3),
        "row_number": np.array([(row.c, row.d) for _, row, *_ in table]).reshape(-1, 2),
        "row_coordinates": np.array([x for _, _, x, *_ in table], dtype=np.int64).reshape(-1, 2),
        "row_speeds": np.array([x for *_, x, _ in table], dtype=np.int64).reshape(-1, 2),
        "row_ratios": np.array([x for *_, x in table]).reshape(-1, 2),
    }
    ends = [
        [tree.frames.body[f] for f in parts["pair_frames"][e]] if e >= 0 else [_body_of(i, tree) for i in speeds]
        for e, _, _, speeds, _ in table
    ]
    return _frozen(parts, ends, tree)


def spring_closures(tree: Tree) -> Closures:
    """The rows of all spring-dampers between frames: see `recursions.spring_slopes`."""
    springs = len(tree.spring_frames)
    rows = ROWS * springs
    pair = np.repeat(np.arange(springs), ROWS)
    parts = {
        "pair_frames": tree.spring_frames.copy(),
        "row_kind": np.full(rows, ALONG),
        "row_pair": pair,
        "row_first": np.tile(np.eye(ROWS), (springs, 1)),
        "row_second": np.zeros((rows, 3)),
        "row_number": np.zeros((rows, 2)),
        "row_coordinates": np.zeros((rows, 2), dtype=np.int64),
        "row_speeds": np.zeros((rows, 2), dtype=np.int64),
        "row_ratios": np.zeros((rows, 2)),
    }
    return _frozen(parts, [[tree.frames.body[f] for f in tree.spring_frames[e]] for e in pair], tree)


def _frozen(parts: dict[str, NDArray[Any]], ends: Sequence[Sequence[int]], tree: Tree) -> Closures:
    """The arrays, with the paths of rows that act on these bodies."""
    parts["row_path"] = np.array([_path(bodies, tree) for bodies in ends]).reshape(-1, len(tree.parent))
    parts["row_reach"] = parts["row_path"].copy()
    for k in range(1, len(tree.parent)):
        parts["row_reach"][:, k] |= parts["row_reach"][:, tree.parent[k]]
    for x in parts.values():
        x.flags.writeable = False
    return Closures(**parts)


def _body_of(speed: int, tree: Tree) -> int:
    """The body whose joint or mode has a speed."""
    return int(np.searchsorted(tree.v_first[1:], speed, side="right"))


def _path(bodies: Sequence[int], tree: Tree) -> NDArray[np.bool_]:
    """Some bodies and all inboard of them, as flags (n + 1,)."""
    found = np.zeros(len(tree.parent), dtype=bool)
    for k in bodies:
        while k > 0:
            found[k] = True
            k = int(tree.parent[k])
    return found


def _speed(name: str, coordinate: str, names: Names, q_of_speed: Any) -> int:
    """The speed that is the rate of a coordinate."""
    if text(coordinate, f"constraint {name!r}: coordinate") not in names.coordinates:
        hint = nearest(coordinate, names.coordinates)
        raise ModelError(f"constraint {name!r}: no coordinate {coordinate!r}{hint}")
    found = np.flatnonzero(np.asarray(q_of_speed) == names.coordinates.index(coordinate))
    if not len(found):
        raise ModelError(f"constraint {name!r}: {coordinate!r} is a coordinate whose rate is no speed")
    return int(found[0])
