"""Explicit steps of fixed length: in a native loop, or by the same formulas on numbers where Python is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import SimulationError
from supple.expressions.function import Nodes
from supple.expressions.graph import GraphTooLarge
from supple.inputs.driven import DrivenEquations
from supple.integrators import FixedStep
from supple.model.step_formulas import STEPS
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.fixed_step_driver import UNCONTROLLED, FixedStepDriver, StepState
from supple.simulation.methods.segment import Segment, Task, Vector, diverged
from supple.simulation.state_kernel import Groups, StateKernel
from supple.stepping import native_loop
from supple.stepping.native_loop import Kernels, Steps, StepScratch

EXPLICIT = {"rk4": 4, "leapfrog": 2, "semi_implicit_euler": 1}
"""How often each asks for accelerations in a step."""


class ExplicitDriver(FixedStepDriver):
    """Fixed explicit steps of a system."""

    def __init__(self, system: DrivenSystem, settings: FixedStep) -> None:
        super().__init__(system, settings.step)
        self.name = settings.name
        self.kernel: StateKernel | None = None
        if system.engine == "blocks" and not system.inputs.calls:
            try:
                self.kernel = step_kernel(system, self.name)
            except GraphTooLarge:
                self.kernel = None

    def attributes(self) -> dict[str, Any]:
        return {"step": self.step, "error_control": UNCONTROLLED}

    def run(self, task: Task) -> Segment:
        return self._driven(task, (task.y.copy(),))

    def _stepper(self, task: Task, h: float, count: int) -> _ExplicitSteps:
        return _ExplicitSteps(self, h)

    def _after(self, task: Task, before: StepState, t: float, h: float) -> Vector:
        (y,), u = before, task.u
        if h == 0.0:
            return y.copy()
        if self.kernel is not None:
            new: Vector = self.kernel(np.array([t]), y, u, np.array([h]))
            return new
        nq = self.system.nq

        def accelerate(fraction: float, q: Vector, w: Vector) -> Vector:
            return self.system.rate(t + fraction * h, np.concatenate([q, w]), u)[nq:]

        q, w = STEPS[self.name](_Numbers(self.system), y[:nq], y[nq:], h, accelerate)
        return self.system.project(np.concatenate([q, w])[None])[0]


def step_nodes(e: DrivenEquations, name: str) -> Nodes:
    """The state after a step of the length h, an input of the equations, by the method of this name."""
    h = e.inputs["h"][0]
    w = np.concatenate([e.at.v, e.at.z])

    def accelerate(fraction: float, q: Nodes, w: Nodes) -> Nodes:
        return e.accelerations(e.at.t + fraction * h, q, w)

    q, w = STEPS[name](e.trace, e.at.q, w, h, accelerate)
    if e.at.model.loops is not None:
        nv = e.at.model.nv
        closed = e.at_state(e.at.t + h, q, w[:nv], w[nv:])
        q, w = closed.q, np.concatenate([closed.v, w[nv:]])
    return np.concatenate([q, w])


def step_kernel(system: DrivenSystem, name: str) -> StateKernel:
    """One step of an explicit method in machine code, (t, y, u, h) -> y."""

    def traced(e: DrivenEquations, _: Groups) -> dict[str, Nodes]:
        return {"y": step_nodes(e, name)}

    return StateKernel(system, name, {"y": (system.size,)}, traced, lanes=1, extra={"h": ["h"]})


class _ExplicitSteps:
    """Explicit steps of one length: in the native loop where nothing needs Python, else one at a time."""

    def __init__(self, method: ExplicitDriver, h: float) -> None:
        self._method, self._h = method, h
        size = method.system.size
        self.before: StepState = (np.zeros(size),)
        self._tt, self._hh = np.zeros(1), np.zeros(1)
        self._pause = max(1, native_loop.PAUSE // (1 + EXPLICIT[method.name] * 500 * size))

    def take(self, task: Task, t: float, most: int, state: StepState, g: Vector) -> tuple[int, int]:
        kernel, h = self._method.kernel, self._h
        (y,), (before,) = state, self.before
        if kernel is not None and task.native:
            count = min(most, self._pause)
            kernels, steps = Kernels(kernel.address, task.address), Steps(t, h, count, task.last)
            scratch = StepScratch(self._tt, self._hh, g)
            done = native_loop.explicit_steps(kernels, steps, y, task.u, before, scratch)
        else:
            before[:] = y
            y[:] = self._method._after(task, self.before, t, h)
            if task.watch is not None:
                task.watch.look(min(t + h, task.last), y, task.u, g)
            done = 1
        return done if np.isfinite(y).all() else -done, done * EXPLICIT[self._method.name]

    def foresee(self, steps: int) -> None:
        if self._method.kernel is not None:
            self._method.kernel.foresee(steps)

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        why = (
            f"the state is no longer finite; steps of {h:.3g} s are too long for the fastest vibration, or "
            "the configuration is singular"
        )
        return diverged(self._method.system, self._method.name, t, y, None, why)


class _Numbers:
    """What the formulas of a step ask for, on numbers."""

    def __init__(self, system: DrivenSystem) -> None:
        self.model = system.model

    def advanced(self, q: Vector, v: Vector, dt: float) -> Vector:
        """Coordinates after dt at constant speeds."""
        return self.model.integrate(q, v, dt)

    def rates(self, q: Vector, v: Vector) -> Vector:
        """Rates of the coordinates."""
        return self.model.derivative(q, v)
