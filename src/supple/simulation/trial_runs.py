"""Trial runs: what implicit steps cost in the motion at hand, beside explicit ones.

What explicit steps cost is known soon: the fastest motion sets them, whether it is still there or not. Implicit steps
get longer as it dies away, so they are followed for longer and longer spans of time, up to a small share of the cost of
the run. Evaluations are counted and not timed: a run that is resumed comes to the same choice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.errors import SimulationError, SingularError
from supple.simulation.methods.segment import Memory, Method, Task, Vector

SHARE = 0.05
"""Of the evaluations of an explicit run that a trial may take."""
CLEAR = 0.5
"""Share of the explicit evaluations that ends a trial: implicit steps are cheaper."""


class Trial(NamedTuple):
    """Evaluations a second of explicit steps, and of implicit ones in the last span of a trial up to the time t, s."""

    explicit: float
    implicit: float
    t: float


class _Trying:
    """An integrator on its way from the start."""

    def __init__(self, method: Method, y: Vector, u: Vector) -> None:
        self.method, self.t, self.y, self.u = method, 0.0, y.copy(), u.copy()
        self.memory: Memory = {}

    def evaluations_to(self, end: float) -> float:
        """Evaluations up to a time; infinite if that is not reached."""
        before, none = self.method.effort.evaluations, np.zeros((0, len(self.y)))
        task = Task(self.t, self.y, end, np.zeros(0), self.u, self.memory, None, none, lambda t: None)
        try:
            self.y, self.t = self.method.run(task).y, end
        except (SimulationError, SingularError):
            return np.inf
        return float(self.method.effort.evaluations - before)


def compared(
    explicit: Method, implicit: Method, y: Vector, u: Vector, span: float, until: float, budget: float, weight: float
) -> Trial:
    """What both cost from a start (y, u) on.

    Parameters
    ----------
    explicit, implicit : Method
    span : float
        First span, s; explicit steps are tried in two of them.
    until : float
        Longest trial, s.
    budget : float
        Most evaluations of implicit steps.
    weight : float
        Evaluations of explicit steps that one of implicit steps costs.
    """
    span = min(span, 0.5 * until)
    known, tried = _Trying(explicit, y, u), _Trying(implicit, y, u)
    known.evaluations_to(span)
    rate, spent = known.evaluations_to(2 * span) / span, weight * tried.evaluations_to(span)
    while True:
        begin = tried.t
        cost = weight * tried.evaluations_to(min(2 * begin, until)) if np.isfinite(spent) else np.inf
        spent += cost
        found = Trial(rate, cost / (tried.t - begin) if tried.t > begin else np.inf, tried.t)
        if found.implicit < CLEAR * rate or not spent < budget or not tried.t < until:
            return found
