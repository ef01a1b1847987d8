"""Adaptive explicit steps of order 8 in the native loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.engines.llvm.callbacks import CalledBack
from supple.errors import SimulationError
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.segment import (
    CALLED,
    Effort,
    LoopEnd,
    Segment,
    Task,
    Vector,
    cut_at_event,
    diverged,
    ended,
)
from supple.simulation.methods.tolerances import Tolerances
from supple.stepping import native_loop
from supple.stepping.native_loop import Integration, Kernels, Scratch


class NativeDOP853:
    """Steps as long as the tolerances allow, in machine code.

    Parameters
    ----------
    system : DrivenSystem
        With engine "blocks"; Python functions are called back from the loop.
    tolerances : Tolerances
    """

    name = "DOP853"
    one_step = False
    counts_rejected = True

    def __init__(self, system: DrivenSystem, tolerances: Tolerances) -> None:
        self.system, self.tolerances = system, tolerances
        self.effort = Effort()
        assert system.rate_kernel is not None
        n, self._kernel = system.size, system.rate_kernel
        self._tables = native_loop.tableau()
        self._scratch = Scratch(np.zeros((16, n)), np.zeros((7, n)), np.zeros((6, n)), np.zeros(1))
        calls = system.inputs.calls
        self._called = CalledBack(self._call, [1, n, len(system.u_0)], 1) if calls else None
        weight = self._kernel.weight + (0 if self._called is None else CALLED)
        self._limit = max(1, native_loop.PAUSE // (100 * n + 13 * weight))

    def attributes(self) -> dict[str, Any]:
        return self.tolerances.attributes()

    def _call(self, t: Vector, y: Vector, u: Vector) -> None:
        """Ask the functions that are called, unless a trial step went too far: it is rejected."""
        if np.isfinite(y).all():
            self.system.call(float(t[0]), y, u)

    def _require_sound(self, u: Vector, held: Vector) -> None:
        """Raise what a Python function has raised; held values are again what they were."""
        if self._called is not None and self._called.error is not None:
            u[:] = held
            self._called.require_sound()

    def run(self, task: Task) -> Segment:
        t, y, end, u, memory, watch = task.t, task.y.copy(), task.end, task.u, task.memory, task.watch
        rate, project = self.system.rate(t, y, u), self.system.project_kernel
        self.effort.evaluations += 1
        tolerances = self.tolerances
        if "h" not in memory:
            memory["h"] = np.array([tolerances.first_step(t, y, u, end - t)[0], 1e-4])
            self.effort.evaluations += 3
            if not np.isfinite(memory["h"]).all():  # no comparison with it would end a step
                raise diverged(self.system, self.name, t, y, rate, "rates are beyond the range of numbers")
        sizes = np.stack([memory.get("sizes", tolerances.sizes(y))] * 2)
        self._scratch.K[0] = rate
        clock = np.array([t, end, memory["h"][0], 0.0, 0.0, memory["h"][1], *memory.get("singular", (np.inf, 0.0))])
        margin = np.zeros((2, 0))
        if project is not None:
            here = project(np.array([t]), y, u)[1]
            margin = np.stack([here, here > native_loop.USUAL])
        counts = np.zeros(5, dtype=np.int64)
        g = task.signs()
        longest = np.inf if watch is None else watch.longest
        addresses = 0 if project is None else project.address, 0 if self._called is None else self._called.address
        kernels, held = Kernels(self._kernel.address, task.address, *addresses), u.copy()
        integration = Integration(clock, y, u, sizes, g, margin, counts)
        while True:
            before = counts.copy()
            clock[1] = min(end, clock[0] + longest)  # events are looked for at least so often
            status = native_loop.advance(
                kernels, self._limit, integration, tolerances.rule, (task.times, task.out), self._tables, self._scratch
            )
            done = counts - before
            self.effort.steps += int(done[1])
            self.effort.rejected += int(done[2])
            self.effort.evaluations += int(
                native_loop.STAGES * (done[1] + done[2]) + native_loop.DENSE_STAGES * done[4]
            )
            self._require_sound(u, held)
            task.tell(float(clock[0]))
            if status != native_loop.PAUSED and not (status == native_loop.DONE and clock[0] < end):
                break
        memory["h"], memory["sizes"] = clock[[2, 5]], sizes[0].copy()
        if project is not None:
            memory["singular"] = clock[[6, 7]]
        return ended(task, LoopEnd(int(status), clock, y, g, int(counts[0])), self._failure, self._event)

    def _failure(self, t: float, h: float, y: Vector, u: Vector) -> SimulationError:
        """The error of an integration that steps of the length h do not take further."""
        why = (
            "a configuration is singular, a law jumps, or the model is very stiff (try integrator='ESDIRK54' or "
            "'Radau')"
        )
        if self.system.model.loops is not None:
            why = (
                "a singular configuration, near which rounding is magnified (a larger rtol passes it), or a law that "
                "jumps"
            )
        why = f"steps as short as {h:.1e} s do not reach the tolerance: {why}"
        return diverged(self.system, self.name, t, y, self.system.rate(t, y, u), why)

    def _event(self, task: Task, at: LoopEnd) -> Segment:
        """The segment cut at the event in its last step."""
        before, F = self._scratch.work[0].copy(), self._scratch.F

        def state(x: float) -> Vector:
            y = np.empty_like(before)
            native_loop.interpolate(x, before, F, y)
            return y

        self.effort.steps += 1
        self.effort.evaluations += native_loop.STAGES
        return cut_at_event(task, at.g[2], (float(at.clock[3]), float(at.clock[4])), at.written, state)
