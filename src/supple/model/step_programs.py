"""Forward dynamics and steps of the explicit integrators as programs of blocks: state in, state out.

The formulas of a step are those of `step_formulas`, on values that are written to cells where a recursion takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.places import Indices
from supple.expressions.function import Nodes
from supple.model.step_formulas import STEPS
from supple.recursions import articulated, coordinates, kinematics
from supple.recursions.states import Actuation, States
from supple.recursions.tree import QUATERNION

if TYPE_CHECKING:
    from supple.model.programs import RecursionRecording


class RecordedStep:
    """What the formulas of a step ask for, recorded: each call is one recursion on cells of its own.

    Parameters
    ----------
    r : RecursionRecording
        Whose inputs become q, v and tau.
    """

    def __init__(self, r: RecursionRecording) -> None:
        self._r = r
        self.q, self.v = r.state()
        none: Any = Indices((False,) * r.nv)
        self._actuation = Actuation(r.input("tau", r.nv)[0], none, r.wrench(False)[0])
        self._configuration: Nodes | None = None
        r.run(kinematics.ground_acceleration)(-1.0, r.tree, r.ws)

    @property
    def model(self) -> RecordedStep:
        """Whose speeds are counted."""
        return self

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return self._r.nv

    @property
    def quaternions(self) -> list[int]:
        """Where in q each quaternion begins."""
        tree = self._r.structure.tree
        found: list[int] = tree.q_rotation[tree.rotation_kind == QUATERNION].tolist()
        return found

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds."""
        r = self._r
        out = Cells(r.recorder, (1, r.structure.nq))
        r.run(coordinates.advance)(r.tree, r.flex, self._written(q), self._written(v), self._written([dt])[0], out)
        return values(out)

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        r = self._r
        out = Cells(r.recorder, (1, r.structure.nq))
        r.run(coordinates.rates)(r.tree, r.flex, self._written(q), self._written(v), out)
        return values(out)

    def accelerations(self, q: Nodes, v: Nodes) -> Nodes:
        """Accelerations; in the configuration of the last call what depends on it alone is taken from there."""
        again, self._configuration = q is self._configuration, q
        return values(self.accelerated(self._written(q), self._written(v), again))

    def accelerated(self, q: Any, v: Any, again: bool = False) -> Cells:
        """The same on cells."""
        r = self._r
        out = Cells(r.recorder, (1, r.nv))
        recursion = articulated.articulate_at_speeds if again else articulated.articulate
        r.run(recursion)(r.tree, r.flex, States(q[0], v[0]), self._actuation, r.ws, out[0])
        r.recorder.cut()
        return out

    def _written(self, x: Any) -> Any:
        """New cells (1, n) that hold some values."""
        out = Cells(self._r.recorder, (1, len(x)))
        store(x, out)
        return out


def values(x: Cells) -> Nodes:
    """What cells (1, n) hold."""
    return np.array([x[0, i] for i in range(x.size)], dtype=object)


def store(x: Any, out: Cells) -> None:
    """Write values to cells (1, n)."""
    for i, value in enumerate(x):
        out[0, i] = value
        out.recorder.cut()


def forward_dynamics(r: RecursionRecording) -> Program:
    """Accelerations, without a word about degrees of freedom that have no inertia."""
    s = RecordedStep(r)
    r.outputs["a"] = s.accelerated(s.q, s.v)
    return r.program()


def step(name: str, r: RecursionRecording) -> Program:
    """The state after a step of one of `STEPS`."""
    s = RecordedStep(r)
    dt = r.input("dt", 1)
    found = STEPS[name](s, values(s.q), values(s.v), dt[0, 0], lambda _, q, v: s.accelerations(q, v))
    for key, x in zip(("q", "v"), found, strict=True):
        store(x, r.output(key, len(x)))
    return r.program()


STEP_RECURSIONS: dict[str, Callable[..., Program]] = {
    "forward_dynamics": forward_dynamics,
    **{name: partial(step, name) for name in STEPS},
}
"""By name."""
