"""Methods with steps of fixed length: equal steps from one output time to the next, cut short at events.

How a step is taken is the methods' own: see `fixed_steps` and `generalized_alpha`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from supple.errors import SimulationError
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.segment import Effort, Segment, Task, Vector, locate

UNCONTROLLED = "none: steps of fixed length, compare with half the step"
"""What results say of the error control of these methods."""
ITERATIONS = 2
"""Newton iterations that an implicit step takes at least."""
StepState = tuple[Vector, ...]
"""All that goes from step to step: the state y (n,) first, then what the method keeps beside it."""


def steps_between(start: float, end: float, step: float) -> int:
    """Equal steps from one time to another, none longer than `step`."""
    return max(1, int(np.ceil((end - start) / step - 1e-9)))


class Stepper(Protocol):
    """Steps of one length.

    Attributes
    ----------
    before : tuple of arrays
        The state before the last step.
    """

    @property
    def before(self) -> StepState: ...

    def take(self, task: Task, t: float, most: int, state: StepState, g: Vector) -> tuple[int, int]:
        """How many steps are done, less than zero if the last of them failed; evaluations.

        Parameters
        ----------
        t : float
            Where the first begins.
        most : int
            Steps to the next output time. Fewer are done at an event, and where it is time to look at the keyboard.
        state : tuple of arrays
            Changed in place.
        g : (3, e) array
            See `Task.signs`; values after the last step, and signs if nothing happened in it.
        """
        ...

    def foresee(self, steps: int) -> None:
        """Prepare for a number of steps: what they call often is compiled from the start."""
        ...

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        """The error of a step of the length h to the time t and the state y, which failed."""
        ...


class FixedStepDriver(ABC):
    """A method with steps of fixed length.

    Parameters
    ----------
    system : DrivenSystem
    step : float
        Longest step, s.
    """

    name: str
    one_step = True
    counts_rejected = True

    def __init__(self, system: DrivenSystem, step: float) -> None:
        self.system, self.step = system, step
        self.effort = Effort()

    @abstractmethod
    def run(self, task: Task) -> Segment:
        """The motion that is asked for."""

    @abstractmethod
    def attributes(self) -> dict[str, Any]:
        """Settings, for the results."""

    @abstractmethod
    def _stepper(self, task: Task, h: float, count: int) -> Stepper:
        """What takes steps of this length; so many of them up to the next output time."""

    @abstractmethod
    def _after(self, task: Task, before: StepState, t: float, h: float) -> Vector:
        """The state y after one step of any length h, from the state `before` at t; it is not counted."""

    def _driven(self, task: Task, state: StepState) -> Segment:
        """The motion from a state on, which is changed in place; at an event it is left where the last step ended."""
        t, watch, g = task.t, task.watch, task.signs()
        for n, goal in enumerate(task.goals):
            left = steps_between(t, goal, self.step)
            h = (goal - t) / left
            stepper = self._stepper(task, h, left)
            if n == 0:
                stepper.foresee(steps_between(t, task.end, self.step))
            while left:
                done, evaluations = stepper.take(task, t, left, state, g)
                self.effort.steps += abs(done)
                self.effort.evaluations += evaluations
                self.effort.longest = max(self.effort.longest, h)
                if done < 0:
                    raise stepper.failure(t - done * h, h, state[0])
                if watch is not None:
                    watch.signs = g[0].copy()
                    if len(watch.crossed(g[2])):
                        return self._cut(task, stepper, n, t + (done - 1) * h, h, g)
                left -= done
                t = t + done * h if left else goal
                task.tell(t)
            if n < len(task.times):
                task.out[n] = state[0]
        return Segment(task.out, task.end, state[0])

    def _cut(self, task: Task, stepper: Stepper, written: int, t: float, h: float, g: Vector) -> Segment:
        """The segment cut at the event in its last step, from t to t + h; so many output times are written."""
        assert task.watch is not None

        def state(x: float) -> Vector:
            return self._after(task, stepper.before, t, x * h)

        x, events = locate(task.watch, task.watch.crossed(g[2]), t, h, task.u, state)
        return Segment(task.out[:written], t + x * h, state(x), events)
