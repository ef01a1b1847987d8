"""From the constraints of a description to the flat arrays of the recursions."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.checks import text
from supple.description.constraints import Gear, Row
from supple.description.description import Description
from supple.errors import ModelError, nearest
from supple.model.flatten import Names
from supple.recursions.closures import Closures


def closure_arrays(mech: Description, names: Names, q_of_speed: Any) -> Closures:
    """The constraints of a description as read-only arrays.

    Parameters
    ----------
    mech : Description
    names : Names
    q_of_speed : (nv,) array
    """
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
    for x in parts.values():
        x.flags.writeable = False
    return Closures(**parts)


def _speed(name: str, coordinate: str, names: Names, q_of_speed: Any) -> int:
    """The speed that is the rate of a coordinate."""
    if text(coordinate, f"constraint {name!r}: coordinate") not in names.coordinates:
        hint = nearest(coordinate, names.coordinates)
        raise ModelError(f"constraint {name!r}: no coordinate {coordinate!r}{hint}")
    found = np.flatnonzero(np.asarray(q_of_speed) == names.coordinates.index(coordinate))
    if not len(found):
        raise ModelError(f"constraint {name!r}: {coordinate!r} is a coordinate whose rate is no speed")
    return int(found[0])
