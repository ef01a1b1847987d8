"""Constraint equations that no joint can change: set apart if they are satisfied, refused if they are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.description.constraints import Row
from supple.errors import AssemblyError
from supple.model.loops.assembly import NEARLY
from supple.model.loops.redundancy import unit_rows
from supple.model.loops.scales import Scales, random_coordinates
from supple.model.loops.sweeps import ConstraintSweeps
from supple.recursions.closures import ANGLE, Closures
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.loops.loops import Loops
    from supple.model.model import Model

SAMPLES = 3
"""Random configurations at which rows are tried."""


def split_rows(model: Model, closures: Closures, rows: Sequence[tuple[str, Row]]) -> NDArray[np.bool_]:
    """Which rows (rows,) the joints can change; others must be fulfilled as they are."""
    scales, sweeps = Scales(model, closures), ConstraintSweeps(model, closures)
    q = np.stack([random_coordinates(model, n, scales.length) for n in range(SAMPLES)])
    moved = np.asarray(unit_rows(sweeps.jacobian(q), scales.rows, scales.speeds)[2].any(axis=0))
    (position,), _ = sweeps.errors(States(q[:1], np.zeros((1, model.nv))))
    for i in map(int, np.flatnonzero(~moved & (np.abs(position) > NEARLY * scales.rows))):
        name, row = rows[i]
        raise AssemblyError(
            f"model {model.name!r}: constraint {name!r}: {row.label} is off by {abs(position[i]):.3g} (m or rad), "
            "and no joint can change it"
        )
    return moved


def refuse_turned_over(loops: Loops) -> None:
    """Refuse joints whose frames are half a turn apart, if no joint can change that."""
    turning = {name for name, row in loops.rows if row.kind == ANGLE}
    for name in loops.turned_over(random_coordinates(loops.model, 0, loops.scales.length)):
        if name not in turning:
            raise AssemblyError(
                f"model {loops.model.name!r}: constraint {name!r}: its frames are half a turn apart, and no joint "
                "can change it"
            )
