"""Implicit steps with error control: a diagonally implicit Runge-Kutta pair at the price of explicit ones.

The stages are solved by the recursions (see `esdirk_stages`); what has no machine code of its own, as laws that are
Python functions and the Newton iterations of closed loops, is called back from the same loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.engines.llvm.callbacks import CalledBack
from supple.errors import SimulationError
from supple.formulations.protocol import NewtonIteration
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.alpha_formulas import implicit_arrays, law_gains
from supple.simulation.methods.alpha_newton import BlockNewton, newton_iteration_of
from supple.simulation.methods.esdirk_loop import NEEDED, StepRoom, advance_implicit, interpolate_implicit
from supple.simulation.methods.esdirk_stages import Passage, Stage, StageKernels, StageParts
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
from supple.stepping.esdirk_coefficients import DEGREE, DIAGONAL, STAGES, coefficients

LENGTHS = 2.0 ** (np.arange(-320, 121) / 8)
"""Of steps, s: eight rungs to a factor of two."""
MOST_RUNGS = 100
"""Rungs whose factors are kept."""


class ImplicitRungeKutta:
    """Steps of ESDIRK5(4) as long as the tolerances allow.

    Parameters
    ----------
    system : DrivenSystem
        Without prescribed modes. Closed loops are closed after every step.
    tolerances : Tolerances
    y, u : arrays
        State and held values at the start, at which the stiffness of laws is taken.
    """

    name = "ESDIRK54"
    counts_rejected = True
    one_step = False

    def __init__(self, system: DrivenSystem, tolerances: Tolerances, y: Vector, u: Vector) -> None:
        self.system, self.tolerances, self.model = system, tolerances, system.model
        self.effort = Effort()
        self._gains = law_gains(system, y, u)
        self._tables = coefficients()
        self._addresses = np.zeros((2, len(LENGTHS)), dtype=np.int64)
        self._rungs: dict[int, Any] = {}
        self._callbacks: dict[str, CalledBack] = {}
        self._rates = self._rate_function()
        n = system.size
        rows = 0 if self.model.loops is None else len(self.model.loops)
        self._room = StepRoom(np.zeros((STAGES, n)), np.zeros((DEGREE, n)), np.zeros(n), np.zeros(rows))
        self._stage = self._new_stage()
        self._quaternions = np.array(getattr(self.model, "quaternions", ()), dtype=np.int64)
        evaluation = 1 + system.operations + (CALLED if system.inputs.calls else 0)
        self._limit = max(1, native_loop.PAUSE // (500 * n + 7 * evaluation))

    def attributes(self) -> dict[str, Any]:
        return self.tolerances.attributes() | {"engine": "blocks" if self.model.implicit_blocks else "generic"}

    # ------------------------------------------------------------ machine code

    def _new_stage(self) -> Stage:
        """Arrays to iterate in; where nothing acts the laws make nothing of a state."""
        s = self.system
        nq, nv, nz = s.nq, s.nv, len(s.z_0)
        now, base = (StageParts(y, y[:nq], y[nq : nq + nv], y[nq + nv :]) for y in np.zeros((2, s.size)))
        own = s.inputs.acting
        return Stage(
            now,
            base,
            w=np.zeros(nv),
            q=np.zeros(nq) if own else now.q,
            v=np.zeros(nv) if own else now.v,
            known=np.zeros(nv),
            z_rate=np.zeros(nz - s.inputs.acting),
            rate=np.zeros(nq),
            r=np.zeros(nz),
            force=np.zeros(nv),
            correction=np.zeros(nv),
            given=s.prescribed,
            before=np.zeros(s.size),
            allowed=np.zeros(s.size),
            tt=np.zeros(1),
        )

    def _called_back(self, name: str, function: Callable[..., None], lengths: list[int], outputs: int) -> int:
        """Address of a Python function."""
        if name not in self._callbacks:
            self._callbacks[name] = CalledBack(function, lengths, outputs)
        return self._callbacks[name].address

    def _rate_function(self) -> CompiledFunction | None:
        """Rates of the coordinates in machine code; None where there is none."""
        if not self.model.implicit_blocks:
            return None
        programs = self.model.floating_frames(self.name).evaluation.programs
        assert programs is not None
        found = programs("rates")
        return CompiledFunction("rates", BoundProgram(found.program, found.numbers, 1), {"rate": (self.system.nq,)})

    def _rates_address(self) -> int:
        def rates(q: Vector, v: Vector, rate: Vector) -> None:
            rate[:] = self.model.derivative(q, v)

        if self._rates is not None:
            return self._rates.address
        nq, nv = self.system.nq, self.system.nv
        return self._called_back("rates", rates, [nq, nv, nq], 1)

    def _laws_address(self) -> int:
        s = self.system
        if not s.inputs.acting:
            return 0
        if not s.inputs.calls:
            return s.laws.address

        def laws(t: Vector, y: Vector, u: Vector, *found: Vector) -> None:
            s.call(float(t[0]), y, u)
            for x, value in zip(found, s.laws(t, y, u), strict=True):
                x[:] = value

        lengths = [1, s.size, len(s.u_0), s.nq, s.nv, s.nv, len(s.z_0) - s.inputs.acting]
        return self._called_back("laws", laws, lengths, 4)

    def _project_address(self) -> int:
        s = self.system
        if s.model.loops is None:
            return 0
        if s.project_kernel is not None:
            return s.project_kernel.address

        def project(t: Vector, y: Vector, u: Vector, closed: Vector, margin: Vector) -> None:
            closed[:] = s.project(y[None])[0]

        return self._called_back("project", project, [1, s.size, len(s.u_0), s.size, len(self._room.margin)], 2)

    def _events_address(self, task: Task) -> int:
        watch, s = task.watch, self.system
        if watch is None or watch.address:
            return task.address

        def values(t: Vector, y: Vector, u: Vector, g: Vector) -> None:
            g[:] = watch.values(float(t[0]), y, u)

        self._callbacks.pop("events", None)
        return self._called_back("events", values, [1, s.size, len(s.u_0), len(watch.signs)], 1)

    def _make_rung(self, rung: int) -> None:
        """Factors of M + g C + g^2 K for steps of this length."""
        if len(self._rungs) >= MOST_RUNGS:
            self._rungs.clear()
            self._addresses[:] = 0
        g = DIAGONAL * float(LENGTHS[rung])
        newton = self.model.newton_iteration((g, g * g), self._gains, self.system.prescribed)
        if newton is None:
            model = self.model.floating_frames(self.name)
            newton = newton_iteration_of(model, implicit_arrays(model, g, g * g, self._gains), self.system.prescribed)
        if isinstance(newton, BlockNewton):
            self._rungs[rung] = newton
            self._addresses[:, rung] = newton.function.renewed, newton.function.kept
            return
        made = [self._called_newton(newton, renew) for renew in (True, False)]
        self._rungs[rung] = made
        self._addresses[:, rung] = [x.address for x in made]

    def _called_newton(self, newton: NewtonIteration, renew: bool) -> CalledBack:
        def iterate(q: Vector, v: Vector, known: Vector, w: Vector, force: Vector, correction: Vector) -> None:
            newton(renew, q, v, known, w)
            force[:], correction[:] = newton.force, newton.correction

        nq, nv = self.system.nq, self.system.nv
        return CalledBack(iterate, [nq, *[nv] * 5], 2)

    def _require_sound(self) -> None:
        """Raise what a Python function has raised."""
        called = [x for rung in self._rungs.values() if isinstance(rung, list) for x in rung]
        for x in [*self._callbacks.values(), *called]:
            x.require_sound()

    # ------------------------------------------------------------ motion

    def run(self, task: Task) -> Segment:
        t, y, end, u, memory, watch = task.t, task.y.copy(), task.end, task.u, task.memory, task.watch
        tolerances, K = self.tolerances, self._room.K
        if "h" not in memory:
            memory["h"] = np.array([tolerances.first_step(t, y, u, end - t, self.system.single_rate)[0], 1e-4])
            self.effort.evaluations += 3
        if "rate" not in memory:
            memory["rate"] = self.system.single_rate(t, y, u)
            self.effort.evaluations += 1
        K[0] = memory["rate"]
        sizes = np.stack([memory.get("sizes", tolerances.sizes(y))] * 2)
        clock = np.array([t, end, memory["h"][0], 0.0, 0.0, memory["h"][1]])
        counts, g = np.zeros(7, dtype=np.int64), task.signs()
        passage = Passage(clock, y, u, sizes, g, counts, LENGTHS, self._quaternions)
        addresses = self._laws_address(), self._rates_address(), self._events_address(task), self._project_address()
        kernels = StageKernels(*addresses, *self._addresses)
        longest = np.inf if watch is None else watch.longest
        output, status = (task.times, task.out), native_loop.DONE
        while True:
            done = counts.copy()
            if status == native_loop.DONE:
                clock[1] = min(end, clock[0] + longest)  # events are looked for at least so often
            status = advance_implicit(
                kernels, self._limit, passage, tolerances.rule, output, self._tables, self._stage, self._room
            )
            done = counts - done
            self.effort.steps += int(done[1])
            self.effort.rejected += int(done[2])
            self.effort.evaluations += int(done[4])
            self._require_sound()
            task.tell(float(clock[0]))
            if status == NEEDED:
                self._make_rung(int(counts[5]))
            elif status != native_loop.PAUSED and not (status == native_loop.DONE and clock[0] < end):
                break
        memory |= {"h": clock[[2, 5]], "sizes": sizes[0].copy(), "rate": K[0].copy()}
        return ended(task, LoopEnd(int(status), clock, y, g, int(counts[0])), self._failure, self._event)

    def _failure(self, t: float, h: float, y: Vector, u: Vector) -> SimulationError:
        """The error of an integration that steps of the length h do not take further."""
        why = (
            f"steps as short as {h:.1e} s do not reach the tolerance or do not converge: a configuration is singular, "
            "or a law jumps"
        )
        return diverged(self.system, self.name, t, y, self.system.single_rate(t, y, u), why)

    def _event(self, task: Task, at: LoopEnd) -> Segment:
        """The segment cut at the event in its last step."""
        t, h = float(at.clock[3]), float(at.clock[4])
        before, F = self._room.before.copy(), self._room.F

        def state(x: float) -> Vector:
            y = np.empty_like(before)
            interpolate_implicit(x, h, before, F, y)
            return y

        found = cut_at_event(task, at.g[2], (t, h), at.written, state)
        self._require_sound()
        self.effort.steps += 1
        return found
