"""Whole trajectories in machine code: `Model.compile("rollout")`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm import call
from supple.engines.llvm.batches import spread
from supple.errors import StateError, nearest
from supple.expressions.function import Operations
from supple.model.compiled import Compiled

if TYPE_CHECKING:
    from supple.model.model import Model

INTEGRATORS = ("rk4", "semi_implicit_euler", "leapfrog")


class Rollout:
    """Fixed steps from many states at once.

    Called as `f(q, v, tau, dt)` with q (..., nq), v (..., nv), tau (..., steps, nv), constant during a step, and dt in
    seconds. Gives q (..., steps + 1, nq) and v (..., steps + 1, nv); the first entries are the states at the start.

    Attributes
    ----------
    step : Compiled
        One step, (q, v, tau, dt) -> (q, v).
    """

    def __init__(self, model: Model, integrator: str, parameters: Sequence[str], threads: int | None) -> None:
        if integrator not in INTEGRATORS:
            raise StateError(f"integrator: no {integrator!r}{nearest(integrator, INTEGRATORS)}")
        if parameters:
            raise StateError("parameters: a rollout takes none; build a model with the numbers you want")
        self.model, self.integrator = model, integrator
        self.step = Compiled(model, integrator, (), (), threads)

    @property
    def operations(self) -> Operations:
        """Operations of one step."""
        return self.step.operations

    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dt: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Trajectories."""
        model = self.model
        force = np.asarray(tau)
        if force.ndim < 2 or force.shape[-1] != model.nv:
            raise StateError(f"rollout: tau: expected shape (..., steps, {model.nv}), got {force.shape}")
        if not (np.isfinite(dt) and dt > 0):
            raise StateError(f"rollout: dt: expected a positive number, got {dt}")
        steps = force.shape[-2]
        (q_, v_), lead, _ = model.batch(q=(q, model.nq), v=(v, model.nv))
        try:
            shape = np.broadcast_shapes(lead, force.shape[:-2])
        except ValueError:
            raise StateError(f"rollout: leading axes do not broadcast: state {lead}, tau {force.shape[:-2]}") from None
        states = math.prod(shape)
        Q = np.empty((states, steps + 1, model.nq))
        V = np.empty((states, steps + 1, model.nv))
        Q[:, 0] = np.broadcast_to(q_.reshape((*lead, -1)), (*shape, model.nq)).reshape(states, -1)
        V[:, 0] = np.broadcast_to(v_.reshape((*lead, -1)), (*shape, model.nv)).reshape(states, -1)
        shared = math.prod(force.shape[:-2]) == 1
        wide = force.reshape(1, steps, -1) if shared else np.broadcast_to(force, (*shape, steps, model.nv))
        drive = np.array(wide, dtype=float).reshape(-1, steps, model.nv)
        span = np.array([float(dt)])

        def part(first: int, last: int) -> None:
            call.roll(self.step.address, first, last, Q, V, drive, span)

        if states and steps:
            spread(part, states, self.step.threads, 4 * steps * self.step.weight)
        return Q.reshape((*shape, steps + 1, -1)), V.reshape((*shape, steps + 1, -1))
