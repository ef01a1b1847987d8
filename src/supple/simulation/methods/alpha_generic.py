"""Generalized-alpha steps by the recursions: for large models, odd lengths, and Python functions as laws."""

from __future__ import annotations

import numpy as np

from supple.engines.plain import plain
from supple.errors import SimulationError
from supple.recursions import coordinates
from supple.recursions.implicit import Correction, WorkingTree, newton_iteration
from supple.recursions.states import Actuation, States
from supple.recursions.tree import sizes, workspace
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.alpha_formulas import (
    AlphaFormulas,
    AlphaState,
    Gains,
    LawValues,
    implicit_arrays,
    not_converged,
)
from supple.simulation.methods.fixed_step_driver import StepState
from supple.simulation.methods.native_loop import converged
from supple.simulation.methods.segment import Task, Vector

MOST = 30
"""Newton iterations in a step."""
RENEWED = 6
"""Iterations for which the inertias of the first are kept."""


class GenericAlphaSteps:
    """Steps of one length, one at a time: a Newton iteration is one sweep of the generic engine."""

    def __init__(self, system: DrivenSystem, formulas: AlphaFormulas, gains: Gains) -> None:
        self.system, self.formulas = system, formulas
        model = self.model = system.model.floating_frames("generalized_alpha")
        self._stiff = implicit_arrays(model, *formulas.slopes(), gains)
        self._ws, self._stiff_ws = (workspace(sizes(model.tree, model.flex), np.float64) for _ in range(2))
        self.force, self._residual, self.correction = np.zeros((3, system.nv))
        self._unloaded = np.zeros((len(model.bodies) + 1, 6))
        self.before: StepState = ()

    def take(self, task: Task, t: float, most: int, state: StepState, g: Vector) -> tuple[int, int]:
        self.before = tuple(x.copy() for x in state)
        end = min(t + self.formulas.step, task.last)
        new, tries = self.one(end, self.before, task.u)
        if new is None:
            return -1, tries
        for x, x_1 in zip(state, new, strict=True):
            x[:] = x_1
        if task.watch is not None:
            task.watch.look(end, new[0], task.u, g)
        return 1, tries

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        return not_converged(self.system, self.correction[-self.system.nv :], t, h)

    def one(self, end: float, state: StepState, u: Vector) -> tuple[StepState | None, int]:
        """The state after a step that ends at a time, None if it did not converge; iterations."""
        s, (y, w, c, r) = self.system, state
        start = AlphaState(y[: s.nq], y[s.nq : s.nq + s.nv], y[s.nq + s.nv :], w, c, r)
        engine, size, allowed = _OnNumbers(self, end, u), 0.0, self.formulas.tolerance
        for tries in range(1, MOST + 1):
            found = self.formulas.corrected(engine, start, w, tries - 1)
            w, before = found.w, size
            size = float(np.abs(found.correction).max(initial=0.0))
            if plain(converged)(size, before, allowed * (1e-6 + float(np.abs(w).max(initial=0.0)))):
                new = self.formulas.finished(engine, start, found)
                return (np.concatenate(new[:3]), *new[3:]), tries
        return None, tries

    def advanced(self, q: Vector, v: Vector, h: float) -> Vector:
        """Coordinates after h at constant speeds; as `Model.integrate`, without its checks, which take longer."""
        model = self.model
        out = np.zeros((1, model.nq))
        coordinates.advance(model.tree, model.flex, q[None], v[None], np.array([h]), out)
        return out[0]

    def iterate(self, renew: bool, x: LawValues, w: Vector) -> None:
        """Force, residual and correction for the accelerations w."""
        model = self.model
        state = States(np.ascontiguousarray(x.q), np.ascontiguousarray(x.v))
        actuation = Actuation(np.ascontiguousarray(x.known), self.system.prescribed, model.no_wrench(float)[0])
        newton_iteration(
            WorkingTree(model.tree, model.flex, self._ws),
            WorkingTree(*self._stiff, self._stiff_ws),
            renew,
            state,
            actuation,
            w,
            Correction(self.force, self._residual, self.correction),
        )


class _OnNumbers:
    """A step that ends at a time, by the recursions."""

    def __init__(self, steps: GenericAlphaSteps, end: float, u: Vector) -> None:
        self._steps, self._system, self._end, self._u = steps, steps.system, end, u
        self.prescribed, self.acting = steps.system.prescribed, steps.system.inputs.acting

    def advanced(self, q: Vector, v: Vector, h: float) -> Vector:
        return self._steps.advanced(q, v, h)

    def laws(self, q: Vector, v: Vector, z: Vector) -> LawValues:
        if not self.acting:
            return LawValues(q, v, np.zeros(self._system.nv), np.zeros(0))
        y = np.concatenate([q, v, z])
        self._system.call(self._end, y, self._u)
        return LawValues(*self._system.laws(np.array([self._end]), y, self._u))

    def balance(self, iteration: int, x: LawValues, w: Vector) -> tuple[Vector, Vector]:
        self._steps.iterate(iteration % RENEWED == 0, x, w)
        return self._steps.force, self._steps.correction
