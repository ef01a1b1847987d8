"""Generalized-alpha steps in machine code: for models of which a step is soon compiled."""

from __future__ import annotations

import numpy as np

from supple.engines.plain import plain
from supple.errors import SimulationError
from supple.expressions.function import Nodes
from supple.inputs.driven import DrivenEquations
from supple.model.model import Model
from supple.model.symbolic_tree import as_objects
from supple.model.trace import Trace
from supple.recursions import articulated, composite
from supple.recursions.tree import Flex, Tree
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods import native_loop
from supple.simulation.methods.alpha_formulas import (
    AlphaFormulas,
    AlphaState,
    Gains,
    LawValues,
    implicit_arrays,
    not_converged,
)
from supple.simulation.methods.fixed_step_driver import StepState
from supple.simulation.methods.native_loop import Kernels, Steps, StepScratch
from supple.simulation.methods.segment import Task, Vector
from supple.simulation.state_kernel import StateKernel


class NativeAlphaSteps:
    """Steps of one length in machine code: two Newton iterations a call, the last correction beside."""

    def __init__(self, system: DrivenSystem, formulas: AlphaFormulas, gains: Gains) -> None:
        self.system, self.formulas, self.gains = system, formulas, gains
        n, nz = system.nv, len(system.z_0)
        shapes: dict[str, tuple[int, ...]] = {
            "y": (system.size,),
            "w": (n,),
            "c": (n,),
            "r": (nz,),
            "correction": (2 * n,),
        }
        speeds = system.model.speeds
        extra = {"w": speeds, "c": speeds, "r": system.inputs.integrals, "guess": speeds}
        self.kernel = StateKernel(
            system, f"generalized_alpha {self._text()}", shapes, self._traced, lanes=1, extra=extra
        )
        self.correction, self._guess, self._tt = np.zeros(2 * n), np.zeros(n), np.zeros(1)
        self.before: StepState = (np.zeros(system.size), np.zeros(n), np.zeros(n), np.zeros(nz))
        self._pause = max(1, native_loop.PAUSE // (1 + 10 * self.kernel.weight))

    def _text(self) -> str:
        return f"{self.formulas.step!r} {self.formulas.rho!r} {[x.tolist() for x in self.gains]}".replace(" ", "")

    def take(self, task: Task, t: float, most: int, state: StepState, g: Vector) -> tuple[int, int]:
        kernels = Kernels(self.kernel.address, task.address)
        steps = Steps(t, self.formulas.step, min(most, self._pause), task.last)
        scratch = StepScratch(self._tt, self._tt, g, self._guess, self.correction)
        done, used = native_loop.implicit_steps(
            kernels, steps, self.formulas.tolerance, state, self.before, task.u, scratch
        )
        return int(done), 2 * int(used)

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        return not_converged(self.system, self.correction[-self.system.nv :], t, h)

    def _traced(self, e: DrivenEquations) -> dict[str, Nodes]:
        model, at = self.system.model.floating_frames("generalized_alpha"), e.at
        tree, flex = implicit_arrays(model, *self.formulas.slopes(), self.gains)
        stiff = Tree(**as_objects(tree)), None if flex is None else Flex(**as_objects(flex))
        engine = _OnNodes(e, model, stiff)
        start = AlphaState(at.q, at.v, at.z, *(e.inputs[key] for key in "wcr"))
        first = self.formulas.corrected(engine, start, e.inputs["guess"], 0)
        second = self.formulas.corrected(engine, start, first.w, 1)
        new = self.formulas.finished(engine, start, second)
        corrections = np.concatenate([first.correction, second.correction])
        return {"y": np.concatenate(new[:3]), "w": new.w, "c": new.c, "r": new.r, "correction": corrections}


class _OnNodes:
    """A step on graph nodes; the inertias of its first iteration are kept."""

    def __init__(self, e: DrivenEquations, model: Model, stiff: tuple[Tree, Flex | None]) -> None:
        assert isinstance(e.trace, Trace)
        self._e, self._model, self._stiff, self._trace = e, model, stiff, e.trace
        self._ws = e.trace.workspace()
        self.prescribed, self.acting = e.applied.given, e.acting

    def advanced(self, q: Nodes, v: Nodes, h: float) -> Nodes:
        return self._trace.advanced(q, v, h)

    def laws(self, q: Nodes, v: Nodes, z: Nodes) -> LawValues:
        x = self._e.at_state(self._e.at.t, q, v, z)
        return LawValues(x.q, x.v, x.drive, x.z_rate)

    def balance(self, iteration: int, x: LawValues, w: Nodes) -> tuple[Nodes, Nodes]:
        if iteration == 0:
            for k in range(1, len(self._model.bodies) + 1):
                plain(composite.configuration_step)(*self._stiff, k, x.q, self._ws)
            plain(articulated.articulated_inertias)(*self._stiff, self.prescribed, self._ws)
        force = self._trace.inverse_dynamics(x.q, x.v, w)
        residual = np.where(self.prescribed, 0.0, x.known - force)
        correction = np.zeros(self._model.nv, dtype=object)
        plain(articulated.inverse_mass_times)(*self._stiff, residual, self.prescribed, self._ws, correction)
        return force, correction
