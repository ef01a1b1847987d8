"""How constraint equations, their rates and what their forces do change with the state: tangents of blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.model.programs import Ends
from supple.model.recorded_tangents import RecordedTangents
from supple.model.recorded_trace import RecordedTrace, recorded_program
from supple.recursions.closed_chains import constraint_accelerations, constraint_rates, still_motion
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.model import Model

Floats = NDArray[np.float64]
VALUES = ("velocity", "acceleration", "pull")


class ConstraintSlopes(NamedTuple):
    """Of all rows in states (s,); by q each coordinate by itself."""

    velocity: Floats
    """(s, rows) first rates."""
    acceleration: Floats
    """(s, rows) second rates."""
    pull: Floats
    """(s, nv) J* lambda."""
    velocity_by_q: Floats
    acceleration_by_q: Floats
    pull_by_q: Floats
    """(s, rows or nv, nq)."""
    J: Floats
    """(s, rows, nv): the first rates by v."""
    acceleration_by_v: Floats
    """(s, rows, nv)."""


class DifferentiatedConstraints:
    """The constraint equations of a model, differentiated.

    Parameters
    ----------
    model : Model
        With closed loops.
    """

    def __init__(self, model: Model) -> None:
        self._tangents = RecordedTangents(
            recorded_program(model, ("constraint_slopes",), rates_and_forces, {}), ("q", "v"), VALUES
        )

    def __call__(self, q: Floats, v: Floats, a: Floats, force: Floats) -> ConstraintSlopes:
        """Slopes in states (s, ...) with accelerations a (s, nv) and constraint forces (s, rows)."""
        found = self._tangents(q, v, a, force)
        by_q = (found[f"d{name}_dq"] for name in VALUES)
        by_v = (found[f"d{name}_dv"] for name in VALUES[:2])
        return ConstraintSlopes(*(found[name] for name in VALUES), *by_q, *by_v)


def rates_and_forces(t: RecordedTrace, _: Mapping[str, Any]) -> Ends:
    """First and second rates of all rows, and what forces of theirs do to the speeds."""
    ct, cw = t.closures()
    ws, state = t.workspace(), States(t.q, t.v)
    force = t.graph.new_inputs("force", [str(i) for i in range(len(cw.force))])
    t.run(still_motion)(ct.tree, ct.flex, t.q, t.v, t.a, ws)
    t.run(constraint_rates)(ct, state, ws, cw)
    t.run(constraint_accelerations)(ct, state, t.a, ws, cw)
    outputs = {"velocity": cw.velocity, "acceleration": cw.acceleration}
    inputs = {"q": t.q, "v": t.v, "a": t.a, "force": force}
    return inputs, outputs | {"pull": t.constraint_pull(t.q, force, ct, ws, cw)}
