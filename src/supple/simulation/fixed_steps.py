"""Explicit steps of fixed length, in machine code; with constant drives whole stretches of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from supple.errors import SimulationError, StateError
from supple.model.model import Model
from supple.simulation.drives import Drive, Vector

EXPLICIT = {"rk4": 4, "leapfrog": 2, "semi_implicit_euler": 1}
"""The integrators of `Model.compile("rollout")`, and how often they ask for accelerations in a step."""


def steps_between(times: Vector, step: float) -> int:
    """Steps from one output time to the next, none longer than `step`."""
    return max(1, int(np.ceil(float(times[1] - times[0]) / step - 1e-9)))


@dataclass(frozen=True)
class FixedSteps:
    """An explicit integrator of `Model.compile("rollout")` and the longest step, s."""

    name: str
    step: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.step) and self.step > 0):
            raise StateError(f"{self.name}: step: expected a positive number, got {self.step}")


def walk(
    model: Model, method: FixedSteps, times: Vector, q: Vector, v: Vector, drive: Drive, constant: bool
) -> Iterator[tuple[Vector, Vector, int]]:
    """States (q, v) and the number of evaluations so far at all times, one after another, the first included.

    With `constant` the drive is asked once; else before every step.
    """
    count = steps_between(times, method.step)
    h = float(times[1] - times[0]) / count
    rollout = model.compile("rollout", integrator=method.name, threads=1)
    span = np.array([h])
    stretch = np.tile(np.asarray(drive(0.0, q, v), dtype=float), (count, 1)) if constant else None
    yield q, v, 0
    for n in range(len(times) - 1):
        if stretch is not None:
            Q, V = rollout(q, v, stretch, h)
            q, v = Q[-1], V[-1]
        else:
            for i in range(count):
                tau = np.asarray(drive(float(times[n]) + i * h, q, v), dtype=float)
                q, v = rollout.step(q, v, tau, span)
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise SimulationError(
                f"model {model.name!r}: {method.name}: the state is no longer finite at t = {times[n + 1]:.6g} s; "
                f"steps of {h:.3g} s are too long for the fastest vibration, or the posture is singular"
            )
        yield q, v, EXPLICIT[method.name] * count * (n + 1)
