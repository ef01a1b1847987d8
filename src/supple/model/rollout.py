"""Whole trajectories in machine code: `Model.compile("rollout")`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.engines.llvm import call
from supple.engines.llvm.batches import spread
from supple.errors import StateError, one_of
from supple.expressions.function import Operations
from supple.model.functions.table import INTEGRATORS


class StepFunction(Protocol):
    """One step in machine code, (q, v, tau, dt) -> (q, v)."""

    threads: int
    weight: int

    @property
    def operations(self) -> Operations:
        """Of one step."""
        ...

    @property
    def address(self) -> int:
        """Of its record."""
        ...


class RolledOut(Protocol):
    """What has states to start from: a model of any formulation."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def nv(self) -> int:
        """Number of speeds."""
        ...

    def batch(self, **parts: tuple[ArrayLike, int]) -> tuple[list[NDArray[Any]], tuple[int, ...], Any]:
        """Arrays as one batch, its leading axes and type."""
        ...


@checked
class Rollout:
    """Fixed steps from many states at once.

    Called as `f(q, v, tau, dt)` with q (..., nq), v (..., nv), tau (..., steps, nv), constant during a step, and dt in
    seconds; with parameters as `f(q, v, tau, dt, values)`, values (..., n). Gives q (..., steps + 1, nq) and
    v (..., steps + 1, nv); the first entries are the states at the start.

    Attributes
    ----------
    step : Compiled
        One step, (q, v, tau, dt) -> (q, v).
    """

    def __init__(
        self, model: RolledOut, integrator: str, parameters: Sequence[str], make: Callable[[str], StepFunction]
    ) -> None:
        if integrator not in INTEGRATORS:
            raise StateError(f"integrator: no {integrator!r}{one_of(INTEGRATORS)}")
        self.model, self.integrator, self.parameters = model, integrator, tuple(parameters)
        self.step = make(integrator)

    @property
    def operations(self) -> Operations:
        """Operations of one step."""
        return self.step.operations

    def __call__(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dt: float, *values: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Trajectories."""
        model = self.model
        force = np.asarray(tau)
        if force.ndim < 2 or force.shape[-1] != model.nv:
            raise StateError(f"rollout: tau: expected shape (..., steps, {model.nv}), got {force.shape}")
        if not (np.isfinite(dt) and dt > 0):
            raise StateError(f"rollout: dt: expected a positive number, got {dt}")
        given = self._given(values)
        steps = force.shape[-2]
        (q_, v_), lead, _ = model.batch(q=(q, model.nq), v=(v, model.nv))
        leading = [lead, force.shape[:-2], *(x.shape[:-1] for x in given)]
        try:
            shape = np.broadcast_shapes(*leading)
        except ValueError:
            raise StateError(f"rollout: leading axes do not broadcast: state, tau ... {leading}") from None
        states = math.prod(shape)
        Q = np.empty((states, steps + 1, model.nq))
        V = np.empty((states, steps + 1, model.nv))
        Q[:, 0] = np.broadcast_to(q_.reshape((*lead, -1)), (*shape, model.nq)).reshape(states, -1)
        V[:, 0] = np.broadcast_to(v_.reshape((*lead, -1)), (*shape, model.nv)).reshape(states, -1)
        drive, *rows = _rows(force, 2, shape), *(_rows(x, 1, shape) for x in given)
        span = np.array([float(dt)])

        def part(first: int, last: int) -> None:
            call.roll(self.step.address, first, last, Q, V, drive, span, *rows)

        if states and steps:
            spread(part, states, self.step.threads, 4 * steps * self.step.weight)
        return Q.reshape((*shape, steps + 1, -1)), V.reshape((*shape, steps + 1, -1))

    def _given(self, values: tuple[ArrayLike, ...]) -> list[NDArray[Any]]:
        """Values of the parameters, if there are any."""
        given = [np.asarray(x) for x in values]
        count = len(self.parameters)
        if len(given) != (count > 0) or any(x.ndim == 0 or x.shape[-1] != count for x in given):
            wanted = (
                f"values of shape (..., {count}) for the parameters" if count else "no values: it has no parameters"
            )
            raise StateError(f"rollout: expected {wanted}, got {[x.shape for x in given]}")
        return given


def _rows(x: NDArray[Any], axes: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """What has `axes` of its own for all states (1, ...), or for each (states, ...)."""
    own = x.shape[-axes:]
    wide = x if math.prod(x.shape[:-axes]) == 1 else np.broadcast_to(x, (*shape, *own))
    return np.array(wide, dtype=float).reshape(-1, *own)
