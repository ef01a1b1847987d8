"""Generalized-alpha steps in machine code: for models of which a step is soon compiled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from supple.errors import SimulationError
from supple.expressions.function import Nodes
from supple.inputs.driven import DrivenEquations
from supple.model.model import Model
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
from supple.simulation.state_kernel import Groups, StateKernel

STEP, TREE, FLEX = "step", "stiff tree ", "stiff flex "
"""Groups of numbers: length of a step and spectral radius; arrays of the stiff tree, by the names that follow."""


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
        model = system.model.floating_frames("generalized_alpha")
        stiff = changed_arrays(model, *implicit_arrays(model, *formulas.slopes(), gains))
        arrays = stiff | {STEP: np.array([formulas.step, formulas.rho])}
        self.kernel = StateKernel(system, "generalized_alpha", shapes, self._traced, 1, extra, arrays)
        self.correction, self._guess, self._tt = np.zeros(2 * n), np.zeros(n), np.zeros(1)
        self.before: StepState = (np.zeros(system.size), np.zeros(n), np.zeros(n), np.zeros(nz))
        self._pause = max(1, native_loop.PAUSE // (1 + 10 * self.kernel.weight))

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

    def _traced(self, e: DrivenEquations, groups: Groups) -> dict[str, Nodes]:
        at = e.at
        formulas = replace(self.formulas, step=groups[STEP][0], rho=groups[STEP][1])
        engine = _OnNodes(e, groups)
        start = AlphaState(at.q, at.v, at.z, *(e.inputs[key] for key in "wcr"))
        first = formulas.corrected(engine, start, e.inputs["guess"], 0)
        second = formulas.corrected(engine, start, first.w, 1)
        new = formulas.finished(engine, start, second)
        corrections = np.concatenate([first.correction, second.correction])
        return {"y": np.concatenate(new[:3]), "w": new.w, "c": new.c, "r": new.r, "correction": corrections}


def changed_arrays(model: Model, tree: Tree, flex: Flex | None) -> dict[str, Any]:
    """Arrays of the stiff tree that are not those of the model, by name: all else is computed once for both."""
    out: dict[str, Any] = {}
    for own, stiff, prefix in ((model.tree, tree, TREE), (model.flex, flex, FLEX)):
        if own is not None and stiff is not None:
            parts = zip(own._fields, own, stiff, strict=True)
            out |= {prefix + name: x for name, old, x in parts if isinstance(x, np.ndarray) and not _same(old, x)}
    return out


def _same(x: Any, y: Any) -> bool:
    return x is y or (x.shape == y.shape and bool((x == y).all()))


class _OnNodes:
    """A step on graph nodes; the inertias of its first iteration are kept."""

    def __init__(self, e: DrivenEquations, groups: Groups) -> None:
        assert isinstance(e.trace, Trace)
        self._e, self._trace, self._ws = e, e.trace, e.trace.workspace()
        tree, flex = e.trace.moving, e.trace.flex
        self._stiff = (
            tree._replace(**{name.removeprefix(TREE): x for name, x in groups.items() if name.startswith(TREE)}),
            flex
            and flex._replace(**{name.removeprefix(FLEX): x for name, x in groups.items() if name.startswith(FLEX)}),
        )
        self.prescribed, self.acting = e.applied.given, e.acting

    def advanced(self, q: Nodes, v: Nodes, h: float) -> Nodes:
        return self._trace.advanced(q, v, h)

    def laws(self, q: Nodes, v: Nodes, z: Nodes) -> LawValues:
        x = self._e.at_state(self._e.at.t, q, v, z)
        return LawValues(x.q, x.v, x.drive, x.z_rate)

    def balance(self, iteration: int, x: LawValues, w: Nodes) -> tuple[Nodes, Nodes]:
        run = self._trace.run
        if iteration == 0:
            for k in range(1, len(self._trace.model.bodies) + 1):
                run(composite.configuration_step)(*self._stiff, k, x.q, self._ws)
            run(articulated.articulated_inertias)(*self._stiff, self.prescribed, self._ws)
        force = self._trace.inverse_dynamics(x.q, x.v, w)
        residual = np.where(self.prescribed, 0.0, x.known - force)
        correction = np.zeros(len(residual), dtype=object)
        run(articulated.inverse_mass_times)(*self._stiff, residual, self.prescribed, self._ws, correction)
        return force, correction
