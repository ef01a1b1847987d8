"""Forward dynamics and steps of the explicit integrators as programs of blocks: state in, state out.

The formulas are those of `step_formulas`, written for cells instead of values, so that bodies that are alike, and the
stages of a step, share what is recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.places import Indices
from supple.recursions import articulated, coordinates, kinematics
from supple.recursions.states import Actuation, States
from supple.recursions.tree import QUATERNION

if TYPE_CHECKING:
    from supple.model.programs import RecursionRecording


class _Step:
    """One step while it is recorded.

    Attributes
    ----------
    q, v, tau, dt : Cells
        Inputs (1, n).
    a : Cells
        Accelerations as they were last computed.
    """

    def __init__(self, r: RecursionRecording, timed: bool = True) -> None:
        self.r = r
        self.q, self.v = r.state()
        self.tau = r.input("tau", r.nv)
        self.dt: Any = r.input("dt", 1) if timed else None
        self.a = self.cells(r.nv)
        none: Any = Indices((False,) * r.nv)
        self._actuation = Actuation(self.tau[0], none, r.wrench(False)[0])
        r.run(kinematics.ground_acceleration)(-1.0, r.tree, r.ws)

    def cells(self, size: int, initial: float | None = None) -> Any:
        """New ones (1, n)."""
        return Cells(self.r.recorder, (1, size), initial)

    def accelerate(self, q: Any, v: Any, recursion: Any = articulated.articulate) -> None:
        """Compute a."""
        r = self.r
        r.run(recursion)(r.tree, r.flex, States(q[0], v[0]), self._actuation, r.ws, self.a[0])
        r.recorder.cut()

    def advance(self, q: Any, v: Any, dt: Any, out: Any) -> None:
        """Coordinates after dt at constant speeds."""
        self.r.run(coordinates.advance)(self.r.tree, self.r.flex, q, v, dt, out)
        self.r.recorder.cut()

    def add(self, out: Any, x: Any, slope: Any, share: float = 1.0, timed: bool = True) -> None:
        """out = x + share dt slope, or without dt."""
        for i in range(out.shape[1]):
            factor = share * self.dt[0, 0] if timed else share
            out[0, i] = x[0, i] + factor * slope[0, i]
            self.r.recorder.cut()

    def results(self) -> tuple[Any, Any]:
        """q and v after the step."""
        return self.r.output("q", self.r.structure.nq), self.r.output("v", self.r.nv)


def forward_dynamics(r: RecursionRecording) -> Program:
    """Accelerations, without a word about degrees of freedom that have no inertia."""
    s = _Step(r, timed=False)
    s.accelerate(s.q, s.v)
    r.outputs["a"] = s.a
    return r.program()


def semi_implicit_euler(r: RecursionRecording) -> Program:
    """Speeds first, then coordinates with the new speeds."""
    s = _Step(r)
    q, v = s.results()
    s.accelerate(s.q, s.v)
    s.add(v, s.v, s.a)
    s.advance(s.q, v, s.dt[0], q)
    return r.program()


def leapfrog(r: RecursionRecording) -> Program:
    """Half a step of the coordinates, a whole one of the speeds, the other half."""
    s = _Step(r)
    q, v = s.results()
    half, q_middle, v_middle = s.cells(1), s.cells(r.structure.nq), s.cells(r.nv)
    half[0, 0] = 0.5 * s.dt[0, 0]
    s.advance(s.q, s.v, half[0], q_middle)
    s.accelerate(q_middle, s.v)
    s.add(v_middle, s.v, s.a, 0.5)
    s.accelerate(q_middle, v_middle, articulated.articulate_at_speeds)
    s.add(v, s.v, s.a)
    s.advance(q_middle, v, half[0], q)
    return r.program()


def rk4(r: RecursionRecording) -> Program:
    """The classical step on coordinates and speeds; quaternions are brought back to unit length."""
    s = _Step(r)
    sizes = r.structure.nq, r.nv
    now, rate = (s.q, s.v), (s.cells(sizes[0]), s.a)
    stage, total = [s.cells(n) for n in sizes], [s.cells(n, 0.0) for n in sizes]
    at: Any = now
    for share, following in ((1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)):
        r.run(coordinates.rates)(r.tree, r.flex, *at, rate[0])
        s.accelerate(*at)
        for x, slope, sum_, out in zip(now, rate, total, stage, strict=True):
            s.add(sum_, sum_, slope, share, timed=False)
            if following:
                s.add(out, x, slope, following)
        at = stage
    for x, sum_, out in zip(now, total, s.results(), strict=True):
        s.add(out, x, sum_, 1 / 6)
    _normalize(r, r.outputs["q"])
    return r.program()


def _normalize(r: RecursionRecording, q: Any) -> None:
    """Quaternions of unit length."""
    tree = r.structure.tree
    for first in tree.q_rotation[tree.rotation_kind == QUATERNION].tolist():
        length = np.sqrt(sum(q[0, i] * q[0, i] for i in range(first, first + 4)))
        for i in range(first, first + 4):
            q[0, i] = q[0, i] / length
        r.recorder.cut()


STEP_RECURSIONS = {
    "forward_dynamics": forward_dynamics,
    "rk4": rk4,
    "leapfrog": leapfrog,
    "semi_implicit_euler": semi_implicit_euler,
}
"""By name."""
