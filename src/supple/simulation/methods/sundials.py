"""CVODE and IDA of SUNDIALS, through scikit-sundae (the extra `sundials`), with exact Jacobians.

CVODE integrates dy/dt = f; IDA solves the equations as they stand, tau = inverse dynamics, without an inverse of the
mass matrix; models with closed loops have a form of their own for it, see `index3`. Both are multistep methods: every
jump starts them anew with short steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from supple.errors import StateError
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.residuals import MotionBalance
from supple.simulation.methods.segment import Effort, Segment, Task, Vector, diverged
from supple.simulation.methods.tolerances import Tolerances

NAMES = ("CVODE", "IDA")
SHORTER = 1e-3
"""Factor on the length of a first step: these methods begin with order one."""
RESIZED = 100.0
"""Ratio of the tolerances that fit the motion to those that the solver has, beyond which it starts over with these."""


class Sundials:
    """One of SUNDIALS' integrators.

    Parameters
    ----------
    system : DrivenSystem
    name : str
        "CVODE" or "IDA".
    tolerances : Tolerances
    """

    one_step = False

    def __init__(self, system: DrivenSystem, name: str, tolerances: Tolerances) -> None:
        try:
            import sksundae
        except ImportError:
            raise StateError(
                f"integrator: {name} comes with scikit-sundae, which is not installed: pip install supple[sundials]"
            ) from None
        self._library = sksundae
        self.system, self.name, self.tolerances = system, name, tolerances
        self.effort = Effort()
        self._atol = np.zeros(system.size)

    counts_rejected = False

    def attributes(self) -> dict[str, Any]:
        return self.tolerances.attributes()

    def run(self, task: Task) -> Segment:
        self._measure(task)
        solver, here, y = self._solver(task), task.t, task.y
        times, out, n, before, fired = task.times, task.out, 0, 0, list[int]()
        while here < task.end and not fired:
            # One step at a time, since the library does not say how many it took. After an output between two of its
            # steps it first comes back to where it was.
            result = solver.step(task.end, method="onestep", tstop=task.end)
            reached, found = self._found(task, result)
            self.effort.evaluations += int(result.nfev) - before
            before = int(result.nfev)
            if reached <= here:
                continue
            self.effort.steps += 1
            state, fired = self._reported(task, reached, found), _fired(task, result)
            while n < len(times) and times[n] <= reached:
                inside = times[n] < reached
                out[n] = self._between(task, None if fired else solver, here, y, float(times[n])) if inside else state
                n += 1
            resized = self._resized(task, reached - here, state)
            here, y = reached, state
            task.tell(here)
            if resized and here < task.end and not fired:
                task = replace(task, t=here, y=y)
                if task.watch is not None:
                    task.watch.passed(task.watch.values(here, y, task.u))
                solver, before = self._solver(task), 0
        return Segment(out[:n], here, y, fired)

    def _found(self, task: Task, result: Any) -> tuple[float, Vector]:
        """Time and unknowns that the solver has come to."""
        reached, found = float(np.ravel(result.t)[-1]), np.array(np.atleast_2d(result.y)[-1])
        if result.success and np.isfinite(found).all():
            return reached, found
        why = f"{result.message.rstrip('.')}; {self._reason(task, found)}"
        raise diverged(self.system, self.name, reached, found[: self.system.size], None, why)

    def _between(self, task: Task, solver: Any, t: float, y: Vector, time: float) -> Vector:
        """The state at a time in the last step of the solver, which began at (t, y).

        Behind an event the solver takes times before it for a way back through the event: without one, or where it has
        come to another time, the way is gone from the beginning of the step once more.
        """
        reached, found = self._found(task, solver.step(time, tstop=task.end)) if solver is not None else (np.nan, y)
        if reached != time:
            again = self._solver(replace(task, t=t, y=y, watch=None))
            reached, found = self._found(task, again.step(time, tstop=task.end))
        return self._reported(task, reached, found)

    def _measure(self, task: Task) -> None:
        """Size of the motion and absolute tolerances at the start of a segment."""
        tolerances, memory = self.tolerances, task.memory
        self._first = 0.0
        if "longest" not in memory:  # what begins to move at a jump has no size yet
            h, found = tolerances.first_step(task.t, task.y, task.u, task.end - task.t)
            self._first = SHORTER * h if "sizes" in memory else 0.0
            memory["sizes"] = np.maximum(memory.get("sizes", 0.0), found)
            memory["longest"] = np.array([h])
            self.effort.evaluations += 3
        longest = float(memory["longest"][0])
        self._atol = self._allowed(longest, task.y, memory["sizes"])

    def _resized(self, task: Task, h: float, y: Vector) -> bool:
        """Whether the motion has become much larger or smaller; the tolerances are then those of its size now."""
        memory = task.memory
        memory["sizes"] = self.tolerances.noted(memory["sizes"], y)
        # With the longest step, since the solver starts over with a short one: else it would never come to an end.
        memory["longest"] = np.maximum(memory.get("longest", 0.0), [h])
        now = self._allowed(float(memory["longest"][0]), y, memory["sizes"])
        resized = bool((np.maximum(now / self._atol, self._atol / now) > RESIZED).any())
        if resized:
            self._atol = now
        return resized

    def _allowed(self, h: float, y: Vector, sizes: Vector) -> Vector:
        """Absolute tolerances (n,); with a given atol the solver adds rtol |y|."""
        tolerances = self.tolerances
        out = tolerances.atol if tolerances.asked_atol is not None else tolerances.allowed(h, y, sizes)
        # The work follows the motion, but what does not count is not solved for either.
        return np.where(tolerances.weight > 0.0, out, 1e3 * out)

    def _reported(self, task: Task, t: float, found: Vector) -> Vector:
        """The state y of what the solver has found at a time."""
        return found

    def _reason(self, task: Task, found: Vector) -> str:
        """Why the solver may have stopped where it did."""
        return "a configuration is singular, a law jumps, or the tolerance cannot be reached"

    def _options(self, task: Task) -> dict[str, Any]:
        """What both solvers take."""
        options: dict[str, Any] = {"atol": self._atol, "max_num_steps": 10_000_000}
        if self._first and self.name == "IDA":  # its own first step behind a jump may be too long
            options["first_step"] = self._first
        # What is allowed is whole where no atol is given: rtol |y| would be many times the share of a step.
        options["rtol"] = 0.0 if self.tolerances.asked_atol is None else self.tolerances.rtol
        if task.watch is not None:
            options |= {"num_events": len(task.watch.directions), "max_step": task.watch.longest}
        return options

    def _ida(self, task: Task, residual: Any, matrix: Any, options: dict[str, Any]) -> Any:
        """IDA for a residual, with what is watched; of what it solves for, the state y comes first."""
        size, watched = self.system.size, _watched(task)

        def g(time: float, state: Vector, rate: Vector, events: Vector) -> None:
            watched(time, np.array(state[:size]), events)

        if task.watch is not None:
            vars(g)["direction"] = [int(x) for x in task.watch.directions]
            options["eventsfn"] = g
        return self._library.ida.IDA(residual, jacfn=matrix, **options)

    def _solver(self, task: Task) -> Any:
        """The solver at the start of a segment."""
        system, options = self.system, self._options(task)
        t, y, u, last = task.t, task.y, task.u, task.last
        if self.name == "CVODE":
            watched = _watched(task)

            def rhs(time: float, state: Vector, rate: Vector) -> None:
                rate[:] = system.rate(min(time, last), np.array(state), u)

            def slopes(time: float, state: Vector, rate: Vector, J: Vector) -> None:
                J[:] = system.jacobian(min(time, last), np.array(state), u)

            if task.watch is not None:
                vars(watched)["direction"] = [int(x) for x in task.watch.directions]
                options["eventsfn"] = watched
            solver = self._library.cvode.CVODE(rhs, jacfn=slopes, **options)
            solver.init_step(t, y)
            return solver

        def residual(time: float, state: Vector, rate: Vector, out: Vector) -> None:
            out[:] = residuals(system, min(time, last), np.array(state), np.array(rate), u)

        def matrix(time: float, state: Vector, rate: Vector, out: Vector, cj: float, J: Vector) -> None:
            J[:] = residual_slopes(system, min(time, last), np.array(state), np.array(rate), u, cj)

        solver = self._ida(task, residual, matrix, options)
        solver.init_step(t, y, system.rate(t, y, u))
        return solver


def _fired(task: Task, result: Any) -> list[int]:
    """Events at which the solver has stopped."""
    if task.watch is None or result.t_events is None:
        return []
    return [int(i) for i in np.flatnonzero(np.ravel(result.i_events[-1]))]


def _watched(task: Task) -> Callable[[float, Vector, Vector], None]:
    """Writes what is watched at a state.

    Functions that start from zero, or behind it by rounding, count as on their side until they go on.
    """
    watch, u, last = task.watch, task.u, task.last
    start = np.zeros(0) if watch is None else watch.values(task.t, task.y, u)
    wrong = start <= 0 if watch is None else start * watch.signs <= 0

    def watched(time: float, state: Vector, events: Vector) -> None:
        assert watch is not None
        g = watch.values(min(time, last), np.array(state), u)
        events[:] = np.where(wrong & (np.abs(g) <= np.abs(start)), 1e-300 * watch.signs, g)

    return watched


def residuals(system: DrivenSystem, t: float, y: Vector, rate: Vector, u: Vector) -> Vector:
    """What is left of all equations for a state and its rate: zero for the true rate."""
    nq, nv = system.nq, system.nv
    if not (np.isfinite(y).all() and np.isfinite(rate).all()):
        return np.full_like(y, np.nan)
    system.call(t, y, u)
    q, v, known, z_rate = system.laws(np.array([t]), y, u)
    model, prescribed = system.model, system.prescribed
    needed = model.inverse_dynamics(q, v, np.where(prescribed, known, rate[nq : nq + nv]))
    work = [model.power(q, v, np.where(prescribed, needed, known))] if system.inputs.acting else []
    both = MotionBalance(prescribed, known, needed, model.derivative(q, v), np.concatenate([z_rate, work]))
    out: Vector = both.residual(rate)
    return out


def residual_slopes(system: DrivenSystem, t: float, y: Vector, rate: Vector, u: Vector, cj: float) -> Vector:
    """d residual/dy + cj d residual/d(dy/dt), from the slopes of the laws and of the model."""
    model, nq, nv = system.model, system.nq, system.nv
    system.call(t, y, u)
    values, slopes = system.laws_slopes(np.array([t]), y, u)
    q, v, known = (values[i:j] for i, j in ((0, nq), (nq, nq + nv), (nq + nv, nq + 2 * nv)))
    a = np.where(system.prescribed, known, rate[nq : nq + nv])
    tau = np.where(system.prescribed, model.inverse_dynamics(q, v, a), known)
    rates, force, power = model.inverse_slopes(q, v, a, tau)
    by_a, own = force[:, nq + nv :], np.diag(system.prescribed.astype(float))
    state, law = slopes[: nq + nv], slopes[nq + nv : nq + 2 * nv].toarray()
    free = np.diag((~system.prescribed).astype(float))
    total = force[:, : nq + nv] @ state + by_a @ own @ law  # d force/dy at a given rate
    J = np.zeros((len(y), len(y)))
    J[:nq] = -rates[:, : nq + nv] @ state
    J[nq : nq + nv] = free @ total - law
    J[nq + nv : nq + nv + len(values) - nq - 2 * nv] = -slopes[nq + 2 * nv :].toarray()
    J[:, :nq] += cj * np.eye(len(y))[:, :nq]
    J[nq : nq + nv, nq : nq + nv] += cj * (free @ by_a @ free + own)
    J[nq + nv :, nq + nv :] += cj * np.eye(len(y) - nq - nv)
    if system.inputs.acting:
        moved = model.power(q, v, np.eye(nv))  # what each force does work on
        J[-1] -= moved @ (own @ total + free @ law) + power[: nq + nv] @ state
        J[-1, nq : nq + nv] -= cj * (moved @ own @ by_a @ free)
    return J
