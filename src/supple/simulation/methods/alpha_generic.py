"""Generalized-alpha steps one at a time: for odd lengths, Python functions as laws, and models too large for blocks."""

from __future__ import annotations

import numpy as np

from supple.engines.plain import plain
from supple.errors import SimulationError
from supple.formulations.protocol import NewtonIteration
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.alpha_formulas import (
    AlphaFormulas,
    AlphaState,
    Gains,
    LawValues,
    implicit_arrays,
    not_converged,
)
from supple.simulation.methods.alpha_loop import MOST, RENEWED, converged, mean_rate
from supple.simulation.methods.alpha_newton import newton_iteration_of
from supple.simulation.methods.fixed_step_driver import StepState
from supple.simulation.methods.segment import Task, Vector


class GenericAlphaSteps:
    """Steps of one length."""

    def __init__(self, system: DrivenSystem, formulas: AlphaFormulas, gains: Gains) -> None:
        self.system, self.formulas = system, formulas
        self.model = system.model
        self._newton = self._iteration(formulas.slopes(), gains)
        self.before: StepState = ()

    def _iteration(self, slopes: tuple[float, float], gains: Gains) -> NewtonIteration:
        own = self.model.newton_iteration(slopes, gains, self.system.prescribed)
        if own is not None:
            return own
        model = self.model.floating_frames("generalized_alpha")
        return newton_iteration_of(model, implicit_arrays(model, *slopes, gains), self.system.prescribed)

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

    def foresee(self, steps: int) -> None:
        """Steps that call Python take longer than what is compiled."""

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        return not_converged(self.system, "generalized-alpha", self._newton.correction, t, h)

    def one(self, end: float, state: StepState, u: Vector) -> tuple[StepState | None, int]:
        """The state after a step that ends at a time, None if it did not converge; iterations."""
        s, (y, w, c, r) = self.system, state
        start = AlphaState(y[: s.nq], y[s.nq : s.nq + s.nv], y[s.nq + s.nv :], w, c, r)
        size, allowed, newton = 0.0, self.formulas.tolerance, self._newton
        for tries in range(MOST):
            x, _ = self._end(start, w, end, u)
            w, before = np.where(s.prescribed, x.known, w), size
            newton(tries % RENEWED == 0, x.q, x.v, x.known, w)
            w = w + newton.correction
            size = float(np.abs(newton.correction).max(initial=0.0))
            if plain(converged)(size, before, allowed * (1e-6 + float(np.abs(w).max(initial=0.0)))):
                return self._finished(start, w, end, u), tries + 1
        return None, MOST

    def _finished(self, start: AlphaState, w: Vector, end: float, u: Vector) -> StepState:
        """The state at the end of a step, after its last correction."""
        s = self.system
        x, c = self._end(start, w, end, u)
        tau = np.where(s.prescribed, self._newton.force, x.known)
        r = np.concatenate([x.z_rate, [self.model.power(x.q, x.v, tau)] if s.inputs.acting else []])
        return np.concatenate([x.q, x.v, plain(mean_rate)(self.formulas.step, start.z, start.r, r)]), w, c, r

    def _end(self, start: AlphaState, w: Vector, end: float, u: Vector) -> tuple[LawValues, Vector]:
        """What the laws make of the state at the end of a step with the accelerations w there, and c."""
        s, h = self.system, self.formulas.step
        c, mean, v = self.formulas.end(start, w)
        q = self.model.integrate(start.q, mean, h)
        if not s.inputs.acting:
            return LawValues(q, v, np.zeros(s.nv), np.zeros(0)), c
        y = np.concatenate([q, v, start.z + h * start.r])
        s.call(end, y, u)
        return LawValues(*s.laws(np.array([end]), y, u)), c
