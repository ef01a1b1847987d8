"""Generalized-alpha steps, implicit at the price of explicit ones.

The stiff part of a system is its elasticity, the springs and dampers of its joints and the gains of their controllers:
K and C that stand on single degrees of freedom or single bodies. M + g_1 C + g_2 K therefore has the same operator
factors as M:
with G + g_1 C + g_2 K in the place of the modal mass and the joints' terms added to their own inertia, the
articulated-body recursion solves it. A Newton iteration is one inverse dynamics for the residual and two vector sweeps
for the correction; no Jacobian is formed. Springs between frames join bodies: they come as a correction of low rank
(see `recursions.spring_slopes`). What K leaves out (weight, spin) only slows the iteration down a little.

Chung and Hulbert (1993), on rotations as Arnold and Bruls (2007): displacements in a step are speeds times the step,
applied as the motion they are.
"""

from __future__ import annotations

from typing import Any

from supple.integrators import GeneralizedAlpha
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.alpha_formulas import AlphaFormulas, law_gains
from supple.simulation.methods.alpha_generic import GenericAlphaSteps
from supple.simulation.methods.alpha_native import NativeAlphaSteps
from supple.simulation.methods.fixed_step_driver import UNCONTROLLED, FixedStepDriver, Stepper, StepState
from supple.simulation.methods.segment import Segment, Task, Vector


class ImplicitDriver(FixedStepDriver):
    """Generalized-alpha steps of a system.

    Between steps it keeps the accelerations w, those of the method c, and the rates r of the integrals.
    """

    name = "generalized_alpha"

    def __init__(self, system: DrivenSystem, settings: GeneralizedAlpha, y: Vector, u: Vector) -> None:
        super().__init__(system, settings.step)
        self.settings = settings
        self._gains = law_gains(system, y, u)
        self._steppers: dict[tuple[float, bool], Stepper] = {}
        self._blocks = system.model.implicit_blocks and not system.inputs.calls

    def _formulas(self, step: float) -> AlphaFormulas:
        """The formulas of steps of a length."""
        return AlphaFormulas(step, self.settings.rho, self.settings.tolerance)

    def attributes(self) -> dict[str, Any]:
        engine = "blocks" if self._blocks else "generic"
        x = self.settings
        settings = {"step": x.step, "rho": x.rho, "tolerance": x.tolerance}
        return settings | {"engine": engine, "error_control": UNCONTROLLED}

    def run(self, task: Task) -> Segment:
        memory, nq, nv = task.memory, self.system.nq, self.system.nv
        if "w" not in memory:
            rate = self.system.single_rate(task.t, task.y, task.u)
            a = rate[nq : nq + nv]
            memory |= {"w": a.copy(), "c": a.copy(), "r": rate[nq + nv :].copy()}
        state = (task.y.copy(), *(memory[key].copy() for key in "wcr"))
        found = self._driven(task, state)
        if found.events:
            memory.clear()
        else:
            memory |= dict(zip("wcr", state[1:], strict=True))
        return found

    def _stepper(self, task: Task, h: float, count: int) -> Stepper:
        key = float(f"{h:.9g}"), task.native
        if key not in self._steppers:
            if len(self._steppers) > 50:
                self._steppers.clear()
            kind = NativeAlphaSteps if self._blocks and task.native else GenericAlphaSteps
            self._steppers[key] = kind(self.system, self._formulas(key[0]), self._gains)
        return self._steppers[key]

    def _after(self, task: Task, before: StepState, t: float, h: float) -> Vector:
        if h == 0.0:
            return before[0].copy()
        steps = GenericAlphaSteps(self.system, self._formulas(h), self._gains)
        new, _ = steps.one(t + h, before, task.u)
        # Where the short step does not converge, the state before it has to do.
        return before[0].copy() if new is None else new[0]
