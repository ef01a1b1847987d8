"""Explicit steps of fixed length with their tangents: the exact derivatives of what the steps compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.expressions.function import Nodes
from supple.inputs.driven import DrivenEquations
from supple.integrators import FixedStep
from supple.model.moved_trace import MovedTrace
from supple.simulation.methods.fixed_step_driver import FixedStepDriver, StepState
from supple.simulation.methods.fixed_steps import ExplicitDriver, step_nodes
from supple.simulation.methods.segment import Task, Vector
from supple.simulation.sensitivities.tangent_kernel import Directions, TangentKernel

if TYPE_CHECKING:
    from supple.simulation.driven_system import DrivenSystem
    from supple.simulation.sensitivities.tangent_system import TangentSystem


def step_kernel(system: DrivenSystem, directions: Directions, name: str) -> TangentKernel:
    """The state after a step of the length h, which is one more argument."""

    def step(e: DrivenEquations, _: MovedTrace) -> Nodes:
        return step_nodes(e, name)

    return TangentKernel(system, directions, f"step {name}", step, further=("h",))


class FixedTangents(ExplicitDriver):
    """Fixed explicit steps of state and tangents."""

    def __init__(self, system: TangentSystem, settings: FixedStep) -> None:
        FixedStepDriver.__init__(self, system, settings.step)
        self.name, self.kernel = settings.name, None
        self._whole = system
        self._step = step_kernel(system.base, system.directions, settings.name)

    def _after(self, task: Task, before: StepState, t: float, h: float) -> Vector:
        (y,), u, n, k = before, task.u, self._whole.states, self._whole.held_values
        if h == 0.0:
            return y.copy()
        new, slope = self._step(t, y[:n], u[:k], y[n:], u[k:], further=np.array([h]))
        return np.concatenate([new, slope.reshape(-1)])
