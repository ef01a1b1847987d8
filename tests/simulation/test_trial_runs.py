"""Trial runs follow implicit steps until they are clearly cheaper, or have cost enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supple.errors import SimulationError
from supple.simulation.methods.segment import Effort, Segment, Task
from supple.simulation.trial_runs import compared


class Counting:
    """An integrator that asks for so many evaluations a second, a function of time, and may fail."""

    name, one_step = "counting", False

    def __init__(self, rate: Any, fails_at: float = np.inf) -> None:
        self.rate, self.fails_at = rate, fails_at
        self.effort = Effort()
        self.system: Any = None

    def attributes(self) -> dict[str, Any]:
        return {}

    def run(self, task: Task) -> Segment:
        if task.end > self.fails_at:
            raise SimulationError("no")
        self.effort.evaluations += round(self.rate(task.t) * (task.end - task.t))
        task.tell(task.end)
        return Segment(task.out, task.end, task.y)


Y = np.zeros(1)


def tried(explicit: Any, implicit: Any, budget: float = 1e9, weight: float = 1.0) -> Any:
    return compared(explicit, implicit, Y, Y, span=0.125, until=8.0, budget=budget, weight=weight)


def test_it_ends_when_implicit_steps_are_clearly_cheaper() -> None:
    found = tried(Counting(lambda t: 1000.0), Counting(lambda t: 2000.0 if t < 1 else 400.0))
    assert found == (1000.0, 400.0, 2.0)


def test_it_ends_with_the_budget_or_the_time() -> None:
    assert tried(Counting(lambda t: 1000.0), Counting(lambda t: 800.0)).t == 8.0
    assert tried(Counting(lambda t: 1000.0), Counting(lambda t: 800.0), budget=700.0).t == 1.0


def test_neither_goes_on_beyond_the_budget_within_a_span() -> None:
    """As with a law that is noise: no step is short enough, and there is no end of them."""
    assert tried(Counting(lambda t: 1000.0), Counting(lambda t: 1e6), budget=700.0) == (1000.0, np.inf, 0.0)
    assert tried(Counting(lambda t: 1e6), Counting(lambda t: 800.0), budget=700.0).explicit == np.inf


def test_iterations_may_cost_more_than_evaluations() -> None:
    found = tried(Counting(lambda t: 1000.0), Counting(lambda t: 400.0), weight=8.0)
    assert found == (1000.0, 3200.0, 8.0)


@pytest.mark.parametrize("fails_at", [0.1, 0.6])
def test_what_fails_costs_without_bound(fails_at: float) -> None:
    assert tried(Counting(lambda t: 1000.0), Counting(lambda t: 800.0, fails_at)).implicit == np.inf
    assert tried(Counting(lambda t: 1000.0, 0.2), Counting(lambda t: 800.0)).explicit == np.inf
