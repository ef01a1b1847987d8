"""Times at which formulas of the time have a jump or a kink: those of step, sign, abs, min, max, clip and ramp.

No integrator finds these by itself: at rest every step over them is as good as any other, and a pulse between two steps
leaves no trace. So arguments that depend on the time alone are followed ahead, and segments end just before they change
their side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Function
from supple.expressions.graph import Expr
from supple.expressions.operations import OPERATIONS
from supple.inputs.inputs import Inputs

Vector = NDArray[np.float64]
GAP = 8.0 * float(np.finfo(float).eps)
"""Half of the time about a change of side in which the formulas are not evaluated, relative to the time."""
LOOKS = 8
"""Looks at the sides in an output interval: what is shorter may be missed."""
CHUNK = 256
"""Looks at once."""
PARTS = 64
"""Parts into which a bracket is divided at once."""


class TimeJumps:
    """The changes of side of all such arguments in some laws.

    Parameters
    ----------
    laws : Function
        Of (t, y, u), see `LiftedLaws`.
    inputs : Inputs
        Functions that are called change their held values at every evaluation: what depends on these is not followed.
    interval : float
        Between output times, s.
    """

    def __init__(self, laws: Function, inputs: Inputs, interval: float) -> None:
        self._t, u = laws.inputs["t"][0], laws.inputs["u"]
        outside = [x for key, leaves in laws.inputs.items() if key not in ("t", "u") for x in leaves.flat]
        moving = {x.id for x in (*outside, *(u if inputs.calls else ()))}
        timed = {self._t.id}
        for node in laws.order:
            ids = {a.id for a in node.args}
            if ids & moving:
                moving.add(node.id)
            elif ids & timed:
                timed.add(node.id)
        self._places = {x.id: i for i, x in enumerate(u)}
        self._sides = [x for x in laws.order if x.id in timed and x.op in ("sign", "abs", "min", "max")]
        self._order = _needed(self._sides)
        self._step = interval / LOOKS
        self._clear = b"", 0.0, 0.0, np.inf

    @property
    def found(self) -> bool:
        """Whether a formula may jump at a time; kinks of abs, min and max alone do not count."""
        return any(x.op == "sign" for x in self._sides)

    @property
    def jump_places(self) -> set[int]:
        """Places of the held values on which the times of jumps depend."""
        jumps = _needed([x for x in self._sides if x.op == "sign"])
        return {self._places[x.id] for x in jumps if x.id in self._places}

    def next(self, t: float, u: Vector, goal: float) -> float:
        """The last time before the first change of side after `t` and up to `goal`; infinite if there is none."""
        if not self._sides:
            return np.inf
        key, low, high, found = self._clear
        now = u[[self._places[x.id] for x in self._order if x.id in self._places]].tobytes()
        if key != now or not low <= t < high:
            low, high, found = t, t + 2.0 * self._gap(t), np.inf
        while high < goal and found == np.inf:
            times: Vector = high + self._step * np.arange(CHUNK + 1, dtype=float)
            sides = self._at(times, u)
            others = np.flatnonzero((sides != sides[:, :1]).any(axis=0))
            high = float(times[-1])
            if len(others):
                root = self._located(float(times[others[0] - 1]), float(times[others[0]]), u)
                found = high = root - self._gap(root)
        self._clear = now, low, high, found
        return found if found < goal else np.inf

    def begin(self, t: float, u: Vector) -> float:
        """Return the time from which to continue: behind a change of side that is at `t`."""
        if not self._sides:
            return t
        later = t + 2.0 * self._gap(t)
        sides = self._at(np.array([t, later]), u)
        return later if (sides[:, 0] != sides[:, 1]).any() else t

    def _gap(self, t: float) -> float:
        return GAP * max(t, self._step)

    def _located(self, low: float, high: float, u: Vector) -> float:
        """The last time at which all sides are those at `low`; some are others at `high`."""
        while high - low > 0.25 * self._gap(low):
            times = np.linspace(low, high, PARTS + 1)
            sides = self._at(times, u)
            first = int(np.flatnonzero((sides != sides[:, :1]).any(axis=0))[0])
            low, high = float(times[first - 1]), float(times[first])
        return low

    def _at(self, t: Vector, u: Vector) -> Vector:
        """Sides (arguments, times)."""
        known: dict[int, Vector] = {self._t.id: t}
        with np.errstate(all="ignore"):
            for node in self._order:
                if node.op == "constant":
                    known[node.id] = np.asarray(node.value)
                elif node.id in self._places:
                    known[node.id] = u[self._places[node.id]]
                elif node.id not in known:
                    known[node.id] = getattr(np, OPERATIONS[node.op].numpy)(*(known[a.id] for a in node.args))
            sides = []
            for node in self._sides:
                x, *other = (known[a.id] for a in node.args)
                sides.append(np.sign(np.broadcast_to(x - other[0] if other else x, t.shape)))
        return np.nan_to_num(np.array(sides))


def _needed(sides: list[Expr]) -> list[Expr]:
    """All nodes of the arguments, arguments first."""
    found = {x.id: x for node in sides for x in node.args}
    waiting = list(found.values())
    while waiting:
        for x in waiting.pop().args:
            if x.id not in found:
                found[x.id] = x
                waiting.append(x)
    return [found[i] for i in sorted(found)]
