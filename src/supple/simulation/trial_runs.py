"""Short trial runs: how often an integrator asks for the equations of motion, once it has found its step."""

from __future__ import annotations

import numpy as np

from supple.errors import SimulationError, SingularError
from supple.simulation.methods.segment import Memory, Method, Task, Vector


def trial_evaluations(method: Method, y: Vector, u: Vector, span: float) -> float:
    """Evaluations in the second of two equal spans of time from the start, s; infinite if it fails.

    Counted and not timed, so that a run that is resumed comes to the same choice.
    """
    memory: Memory = {}
    state, held, counted = y.copy(), u.copy(), 0
    try:
        for k in range(2):
            before = method.effort.evaluations
            begin, end = k * span, (k + 1) * span
            task = Task(begin, state, end, np.zeros(0), held, memory, None, np.zeros((0, len(y))), lambda t: None)
            state = method.run(task).y
            counted = method.effort.evaluations - before
    except (SimulationError, SingularError):
        return np.inf
    return float(counted)
