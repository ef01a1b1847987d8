"""scipy's integrators, with exact Jacobians where they take one; for systems that need Python at every evaluation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy

from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.segment import Effort, Memory, Segment, Task, Vector, diverged, locate
from supple.simulation.methods.tolerances import Tolerances
from supple.simulation.sparse_slopes import RateSlopes


def solver_class(name: str) -> type[Any]:
    """The class of scipy of this name: DOP853, RK45, RK23, Radau, BDF or LSODA."""
    found: type[Any] = getattr(scipy.integrate, name)
    return found


class ScipySolver:
    """One of scipy's solver classes.

    Parameters
    ----------
    system : DrivenSystem
    solver : type
        A subclass of `scipy.integrate.OdeSolver`.
    tolerances : Tolerances
    """

    def __init__(self, system: DrivenSystem, solver: type[Any], tolerances: Tolerances) -> None:
        self.system, self.solver, self.tolerances = system, solver, tolerances
        self.name = solver.__name__
        self.one_step = not issubclass(solver, (scipy.integrate.BDF, scipy.integrate.LSODA))
        self.effort = Effort()
        explicit = issubclass(solver, scipy.integrate.RK23 | scipy.integrate.RK45 | scipy.integrate.DOP853)
        self._stages = int(solver.n_stages) if explicit else 0
        self.counts_rejected = self._stages > 0
        self._slopes: RateSlopes | None = None
        self._judged = False
        self._takes_jacobian = "jac" in inspect.signature(solver.__init__).parameters

    def attributes(self) -> dict[str, Any]:
        tolerances = self.tolerances
        raised = tolerances.step_rtol / float(tolerances.rules[0])  # scipy's solvers take no smaller one
        return tolerances.attributes() | {"rtol": tolerances.rtol * raised}

    def run(self, task: Task) -> Segment:
        u, memory, watch, out, last = task.u, task.memory, task.watch, task.out, task.last

        def rate(time: float, state: Vector) -> Vector:
            return self.system.rate(min(time, last), np.ascontiguousarray(state), u)

        tolerances, y = self.tolerances, task.y
        options: dict[str, Any] = {"rtol": tolerances.step_rtol}
        if self._takes_jacobian:
            options["jac"] = self._jacobian(task)
        if watch is not None:
            options["max_step"] = watch.longest
        h, sizes = float(memory["h"][0]) if "h" in memory else 0.0, memory.get("sizes")
        if tolerances.asked_atol is not None:
            sizes = tolerances.sizes(y)
        else:  # what begins to move at a jump has no size yet
            first, found = tolerances.first_step(task.t, y, u, task.end - task.t)
            h, sizes = h or first, found if sizes is None else np.maximum(sizes, found)
            self.effort.evaluations += 3
        if h:
            options["first_step"] = h = min(h, task.end - task.t, options.get("max_step", np.inf))
        solver = self.solver(rate, task.t, y, task.end, atol=self._atol(h, y, sizes), **options)
        done = 0
        while solver.status == "running":
            before = solver.nfev
            try:
                message = solver.step()
            except ValueError as error:
                if "infs or NaNs" not in str(error):
                    raise
                slope, why = rate(solver.t, solver.y), "derivatives or steps are beyond the range of numbers"
                raise diverged(self.system, self.name, solver.t, solver.y, slope, why) from None
            if self._stages:
                self.effort.rejected += (solver.nfev - before) // self._stages - 1
            bad = not np.isfinite(solver.y).all()
            if solver.status == "failed" or bad:
                why = message or "the state is not finite"
                if solver.status == "failed":
                    why = f"{why} A configuration is singular, a law jumps, or the model is stiff for this method"
                raise diverged(self.system, self.name, solver.t, solver.y, rate(solver.t, solver.y), why.rstrip("."))
            self.effort.steps += 1
            start, h = float(solver.t_old), float(solver.t - solver.t_old)
            memory["sizes"] = sizes = tolerances.noted(sizes, solver.y)
            _tolerate(solver, self._atol(h, solver.y, sizes))
            reached = float(solver.t)
            events: list[int] = []
            crossed = np.zeros(0, dtype=np.int64)
            if watch is not None:
                g = watch.values(min(reached, last), solver.y, u)
                crossed = watch.crossed(g)
            upto = task.upto(reached)
            dense = solver.dense_output() if upto > done or len(crossed) else None
            if watch is not None and len(crossed) and dense is not None:
                x, events = locate(watch, crossed, start, h, u, partial(_between, dense, start, h))
                reached = start + x * h
                upto = task.upto(reached)
            if upto > done and dense is not None:
                out[done:upto] = dense(task.times[done:upto]).T
                done = upto
            task.tell(reached)
            if events and dense is not None:
                self._count(solver, h, memory)
                return Segment(out[:done], reached, dense(reached), events)
            if watch is not None:
                watch.passed(g)
        self._count(solver, h, memory)
        return Segment(out, task.end, solver.y)

    def _jacobian(self, task: Task) -> Callable[[float, Vector], Any]:
        """d(dy/dt)/dy as a function of time and state, a sparse matrix where that is faster and the solver takes it."""
        system, u, last = self.system, task.u, task.last
        if not self._judged and issubclass(self.solver, (scipy.integrate.Radau, scipy.integrate.BDF)):
            self._slopes = RateSlopes.of(system, task.t, task.y, u)
        self._judged = True
        slopes = self._slopes
        if slopes is None:
            return lambda time, state: system.jacobian(min(time, last), np.ascontiguousarray(state), u)
        pattern = slopes.pattern
        return lambda time, state: pattern.matrix(slopes.entries(min(time, last), np.ascontiguousarray(state), u))

    def _atol(self, h: float, y: Vector, sizes: Vector) -> Vector:
        """Absolute tolerances (n,) of the next step: what is allowed, less what the solver adds for |y|."""
        tolerances = self.tolerances
        out = tolerances.atol
        if tolerances.asked_atol is None:
            allowed = tolerances.allowed(h, y, sizes)
            out = np.maximum(allowed - tolerances.step_rtol * np.abs(y), 1e-3 * allowed)
        # The work follows the motion and need not steer it, but from rest a step must not pass over it.
        return np.where(tolerances.weight > 0.0, out, 1e300 if tolerances.asked_atol is not None else 1e3 * out)

    def _count(self, solver: Any, h: float, memory: Memory) -> None:
        self.effort.evaluations += int(solver.nfev)
        following = getattr(solver, "h_abs", None)
        memory["h"] = np.array([following if following else h])


def _tolerate(solver: Any, atol: Vector) -> None:
    """Go on with other absolute tolerances."""
    if isinstance(solver, scipy.integrate.LSODA):
        vars(solver)["_lsoda_solver"]._integrator.call_args[1] = atol
    else:
        solver.atol = atol


def _between(dense: Any, start: float, h: float, x: float) -> Vector:
    """The state at a fraction of a step."""
    state: Vector = dense(start + x * h)
    return state
