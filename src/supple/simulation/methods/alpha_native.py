"""Generalized-alpha steps in machine code: for models of which a step is soon compiled."""

from __future__ import annotations

import numpy as np

from supple.engines.plain import plain
from supple.errors import SimulationError
from supple.expressions.function import Nodes
from supple.inputs.driven import DrivenEquations
from supple.model.trace import Trace, as_objects
from supple.recursions import articulated, composite
from supple.recursions.tree import Flex, Tree
from supple.simulation.methods import native_loop
from supple.simulation.methods.alpha_formulas import AlphaFormulas, Gains, implicit_arrays, not_converged
from supple.simulation.methods.fixed_step_driver import State
from supple.simulation.methods.segment import Task, Vector
from supple.simulation.system import Kernel, System


class NativeAlphaSteps:
    """Steps of one length in machine code: two Newton iterations a call, the last correction beside."""

    def __init__(self, system: System, formulas: AlphaFormulas, gains: Gains) -> None:
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
        self.kernel = Kernel(system, f"generalized_alpha {self._text()}", shapes, self._traced, lanes=1, extra=extra)
        self.correction, self._guess, self._tt = np.zeros(2 * n), np.zeros(n), np.zeros(1)
        self.before: State = (np.zeros(system.size), np.zeros(n), np.zeros(n), np.zeros(nz))
        self._pause = max(1, native_loop.PAUSE // (1 + 10 * self.kernel.weight))

    def _text(self) -> str:
        return f"{self.formulas.step!r} {self.formulas.rho!r} {[x.tolist() for x in self.gains]}".replace(" ", "")

    def take(self, task: Task, t: float, most: int, state: State, g: Vector) -> tuple[int, int]:
        used = np.zeros(1, dtype=np.int64)
        done = native_loop.implicit_steps(
            self.kernel.address,
            task.address,
            t,
            self.formulas.step,
            min(most, self._pause),
            task.last,
            self.formulas.tolerance,
            state,
            self.before,
            task.u,
            self._guess,
            self.correction,
            self._tt,
            g,
            used,
        )
        return int(done), 2 * int(used[0])

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        return not_converged(self.system, self.correction[-self.system.nv :], t, h)

    def _traced(self, e: DrivenEquations) -> dict[str, Nodes]:
        model, trace, at = self.system.model.floating_frames("generalized_alpha"), e.trace, e.at
        assert isinstance(trace, Trace)
        w_0, c_0, r_0 = (e.inputs[key] for key in "wcr")
        tree, flex = implicit_arrays(model, *self.formulas.slopes(), self.gains)
        stiff = Tree(**as_objects(tree)), None if flex is None else Flex(**as_objects(flex))
        given, h = e.applied.given, self.formulas.step
        ws = trace.workspace()
        w = e.inputs["guess"]
        corrections: list[Nodes] = []
        for iteration in range(2):
            q, v, _ = self.formulas.end(trace.advanced, at.q, at.v, w_0, c_0, w)
            x = e.at_state(at.t, q, v, at.z + h * r_0)
            w = np.where(given, x.drive, w)
            if iteration == 0:
                for k in range(1, len(model.bodies) + 1):
                    plain(composite.configuration_step)(*stiff, k, x.q, ws)
                plain(articulated.articulated_inertias)(*stiff, given, ws)
            force = trace.inverse_dynamics(x.q, x.v, w)
            residual = np.where(given, 0.0, x.drive - force)
            correction = np.zeros(model.nv, dtype=object)
            plain(articulated.inverse_mass_times)(*stiff, residual, given, ws, correction)
            corrections.append(correction)
            w = w + correction
        q, v, c = self.formulas.end(trace.advanced, at.q, at.v, w_0, c_0, w)
        x = e.at_state(at.t, q, v, at.z + h * r_0)
        tau = np.where(given, force, x.drive)
        r = np.array([*x.z_rate, *([tau @ x.v] if e.acting else [])], dtype=object)
        z = at.z + 0.5 * h * (r_0 + r)
        return {"y": np.concatenate([x.q, x.v, z]), "w": w, "c": c, "r": r, "correction": np.concatenate(corrections)}
