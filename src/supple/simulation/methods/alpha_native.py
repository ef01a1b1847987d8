"""Generalized-alpha steps in machine code: for models that have blocks, where no law is a Python function."""

from __future__ import annotations

import numpy as np

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.errors import SimulationError
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.alpha_formulas import AlphaFormulas, Gains, implicit_arrays, not_converged
from supple.simulation.methods.alpha_loop import AlphaKernels, StepEnd, StepTrial, implicit_steps
from supple.simulation.methods.alpha_newton import BlockNewton
from supple.simulation.methods.fixed_step_driver import ITERATIONS, StepState
from supple.simulation.methods.segment import Task, Vector
from supple.stepping import native_loop
from supple.stepping.native_loop import Steps


class NativeAlphaSteps:
    """Steps of one length, as many as are wanted in one call."""

    def __init__(self, system: DrivenSystem, formulas: AlphaFormulas, gains: Gains) -> None:
        self.system, self.formulas = system, formulas
        self.model = model = system.model.floating_frames("generalized_alpha")
        self._newton = BlockNewton(model, implicit_arrays(model, *formulas.slopes(), gains), system.prescribed)
        programs = model.evaluation.programs
        assert programs is not None
        advance = programs("advance")
        self._advance = CompiledFunction(
            "advance", BoundProgram(advance.program, advance.numbers, 1), {"q": (model.nq,)}
        )
        n, nz = system.nv, len(system.z_0)
        self.before: StepState = (np.zeros(system.size), np.zeros(n), np.zeros(n), np.zeros(nz))
        self._trial = self._new_trial()
        self._pause = max(1, native_loop.PAUSE // (1 + 2 * self._newton.function.weight))

    def _new_trial(self) -> StepTrial:
        """Arrays to iterate in; where nothing acts the laws make nothing of a state."""
        s, end, newton = self.system, self._end(self.before), self._newton
        q, v = (np.zeros(s.nq), np.zeros(s.nv)) if s.inputs.acting else (end.q, end.v)
        return StepTrial(
            end,
            mean=np.zeros(s.nv),
            q=q,
            v=v,
            known=np.zeros(s.nv),
            z_rate=np.zeros(len(s.z_0) - s.inputs.acting),
            force=newton.force,
            correction=newton.correction,
            given=s.prescribed,
            tt=np.zeros(1),
            hh=np.zeros(1),
        )

    def _end(self, state: StepState) -> StepEnd:
        """A state with the parts of y."""
        y, w, c, r = state
        nq, nv = self.system.nq, self.system.nv
        return StepEnd(y, y[:nq], y[nq : nq + nv], y[nq + nv :], w, c, r)

    def take(self, task: Task, t: float, most: int, state: StepState, g: Vector) -> tuple[int, int]:
        newton = self._newton.function
        laws = self.system.laws.address if self.system.inputs.acting else 0
        kernels = AlphaKernels(laws, self._advance.address, newton.renewed, newton.kept, task.address)
        steps = Steps(t, self.formulas.step, min(most, self._pause), task.last)
        constants, end = self.formulas.constants(), self._end(state)
        done, used = implicit_steps(kernels, constants, steps, end, task.u, self._trial, g)
        return int(done), int(used)

    def foresee(self, steps: int) -> None:
        self._newton.function.foresee(ITERATIONS * steps)
        self._advance.foresee(ITERATIONS * steps)
        if self.system.inputs.acting:
            self.system.laws.foresee(ITERATIONS * steps)

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        return not_converged(self.system, "generalized-alpha", self._newton.correction, t, h)
