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

SHARE = 0.1
"""Of the evaluations of an explicit run that a trial may take."""
STAGES = 10
"""Evaluations of a step, about; some integrators count them at the end only."""
CLEAR = 0.5
"""Share of the explicit evaluations that ends a trial: implicit steps are cheaper."""


class Trial(NamedTuple):
    """Evaluations a second of explicit steps, and of implicit ones in the last span of a trial up to the time t, s."""

    explicit: float
    implicit: float
    t: float


class _SpentError(Exception):
    """A trial has cost what it may."""


class _Trying:
    """An integrator on its way from the start, for so many evaluations at most."""

    def __init__(self, method: Method, y: Vector, u: Vector, most: float) -> None:
        self.method, self.t, self.y, self.u, self.most = method, 0.0, y.copy(), u.copy(), most
        self.memory: Memory = {}

    def evaluations_to(self, end: float) -> float:
        """Evaluations up to a time; infinite if that is not reached."""
        effort, none = self.method.effort, np.zeros((0, len(self.y)))
        before, tries = effort.evaluations, effort.steps + effort.rejected

        def look(t: float) -> None:
            if max(effort.evaluations - before, STAGES * (effort.steps + effort.rejected - tries)) > self.most:
                raise _SpentError

        task = Task(self.t, self.y, end, np.zeros(0), self.u, self.memory, None, none, look)
        try:
            self.y, self.t = self.method.run(task).y, end
        except (SimulationError, SingularError, _SpentError):
            return np.inf
        return float(effort.evaluations - before)


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
        Most evaluations of either.
    weight : float
        Evaluations of explicit steps that one of implicit steps costs.
    """
    span = min(span, 0.5 * until)
    known, tried = _Trying(explicit, y, u, budget), _Trying(implicit, y, u, budget / weight)
    first = known.evaluations_to(span)
    rate = known.evaluations_to(2 * span) / span if np.isfinite(first) else np.inf
    spent = weight * tried.evaluations_to(span)
    while True:
        begin = tried.t
        cost = weight * tried.evaluations_to(min(2 * begin, until)) if np.isfinite(spent) else np.inf
        spent += cost
        found = Trial(rate, cost / (tried.t - begin) if tried.t > begin else np.inf, tried.t)
        if found.implicit < CLEAR * rate or not spent < budget or not tried.t < until:
            return found
