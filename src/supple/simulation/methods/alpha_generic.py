"""Generalized-alpha steps by the recursions: for large models, odd lengths, and Python functions as laws."""

from __future__ import annotations

import numpy as np

from supple.errors import SimulationError
from supple.recursions import coordinates
from supple.recursions.implicit import newton_iteration
from supple.recursions.tree import sizes, workspace
from supple.simulation.methods.alpha_formulas import AlphaFormulas, Gains, converged, implicit_arrays, not_converged
from supple.simulation.methods.fixed_step_driver import State
from supple.simulation.methods.segment import Task, Vector
from supple.simulation.system import System

MOST = 30
"""Newton iterations in a step."""
RENEWED = 6
"""Iterations for which the inertias of the first are kept."""


class GenericAlphaSteps:
    """Steps of one length, one at a time: a Newton iteration is one sweep of the generic engine."""

    def __init__(self, system: System, formulas: AlphaFormulas, gains: Gains) -> None:
        self.system, self.formulas = system, formulas
        model = self.model = system.model.floating_frames("generalized_alpha")
        self._stiff = implicit_arrays(model, *formulas.slopes(), gains)
        self._ws, self._stiff_ws = (workspace(sizes(model.tree, model.flex), np.float64) for _ in range(2))
        self._force, self._residual, self.correction = np.zeros((3, system.nv))
        self._unloaded = np.zeros((len(model.bodies) + 1, 6))
        self.before: State = ()

    def take(self, task: Task, t: float, most: int, state: State, g: Vector) -> tuple[int, int]:
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

    def one(self, end: float, state: State, u: Vector) -> tuple[State | None, int]:
        """The state after a step that ends at a time, None if it did not converge; iterations."""
        s, h = self.system, self.formulas.step
        y_0, w_0, c_0, r_0 = state
        q_0, v_0, z_0 = y_0[: s.nq], y_0[s.nq : s.nq + s.nv], y_0[s.nq + s.nv :]
        w, size = w_0.copy(), 0.0
        for tries in range(1, MOST + 1):
            q, v, _ = self.formulas.end(self._advanced, q_0, v_0, w_0, c_0, w)
            q, v, drive, _ = self._laws(end, q, v, z_0 + h * r_0, u)
            w = np.where(s.given, drive, w)
            self._iterate(tries % RENEWED == 1, q, v, w, drive)
            w = w + self.correction
            size, before = float(np.abs(self.correction).max(initial=0.0)), size
            if converged(size, before, self.formulas.tolerance * (1e-6 + float(np.abs(w).max(initial=0.0)))):
                break
        else:
            return None, tries
        q, v, c = self.formulas.end(self._advanced, q_0, v_0, w_0, c_0, w)
        q, v, drive, z_rate = self._laws(end, q, v, z_0 + h * r_0, u)
        tau = np.where(s.given, self._force, drive)
        r = np.concatenate([z_rate, [tau @ v] if s.inputs.acting else []])
        y = np.concatenate([q, v, z_0 + 0.5 * h * (r_0 + r)])
        return (y, w, c, r), tries

    def _advanced(self, q: Vector, v: Vector, h: float) -> Vector:
        """Coordinates after h at constant speeds; as `Model.integrate`, without its checks, which take longer."""
        model = self.model
        out = np.zeros((1, model.nq))
        coordinates.advance(model.tree, model.flex, q[None], v[None], np.array([h]), out)
        return out[0]

    def _iterate(self, renew: bool, q: Vector, v: Vector, w: Vector, drive: Vector) -> None:
        """Force, residual and correction for the accelerations w."""
        model = self.model
        newton_iteration(
            model.tree,
            model.flex,
            self._stiff[0],
            self._stiff[1],
            renew,
            np.ascontiguousarray(q),
            np.ascontiguousarray(v),
            w,
            np.ascontiguousarray(drive),
            self.system.given,
            self._unloaded,
            self._ws,
            self._stiff_ws,
            self._force,
            self._residual,
            self.correction,
        )

    def _laws(self, t: float, q: Vector, v: Vector, z: Vector, u: Vector) -> tuple[Vector, ...]:
        if not self.system.inputs.acting:
            return q, v, np.zeros(self.system.nv), np.zeros(0)
        y = np.concatenate([q, v, z])
        self.system.call(t, y, u)
        found: tuple[Vector, ...] = self.system.laws(np.array([t]), y, u)
        return found
