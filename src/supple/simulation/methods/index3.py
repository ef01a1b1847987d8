"""IDA for models with closed loops: their differential-algebraic equations as they stand, with exact derivatives.

Unknown are the state, the closure forces lambda, and one more number mu for each condition on positions:

    q' = velocity(q, v + J* mu),    inverse dynamics(q, v, v') - J* lambda = tau,    phi(q) = 0,    J v = 0.

Without mu and without J v = 0 of these conditions the equations are of index 3, and steps of variable length do not
solve them: lambda is wrong by its own size whenever the length changes. With both they are of index 2, have the same
solutions (mu = 0), and keep positions and speeds on the constraint in every step (Gear, Leimkuhler, Gupta 1985).

lambda and mu take no part in the error test: their errors are of lower order and do not add up. The rows are not
scaled: elimination finds all unknowns to rounding at any step length, since what makes the matrix look singular at
short steps are the sizes of its blocks alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import SimulationError, StateError
from supple.expressions.function import Nodes
from supple.expressions.graph import GraphTooLarge
from supple.inputs.driven import DrivenEquations
from supple.model.compiled import LARGEST
from supple.model.loops.loops import Loops
from supple.model.loops.singular_configurations import NEARLY_SINGULAR
from supple.model.trace import Trace
from supple.recursions import closed_chains
from supple.recursions.states import Actuation, States
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.residuals import MotionBalance
from supple.simulation.methods.segment import Task, Vector
from supple.simulation.methods.sundials import Sundials
from supple.simulation.methods.tolerances import Tolerances
from supple.simulation.state_kernel import StateKernel
from supple.simulation.state_slopes import StateSlopes

UNTESTED = 1e10
"""Absolute tolerance of what is left out of the error test."""
OPENED = (1e-6, 1e2)
"""Error of a row that was left out, relative to its size, and times rtol, beyond which it did not repeat others."""


class ClosedIDA(Sundials):
    """IDA for a system with closed loops.

    Parameters
    ----------
    system : DrivenSystem
    tolerances : Tolerances

    Raises
    ------
    StateError
        If the model is too large for equations in machine code.
    """

    def __init__(self, system: DrivenSystem, tolerances: Tolerances) -> None:
        super().__init__(system, "IDA", tolerances)
        assert system.model.loops is not None
        self.loops: Loops = system.model.loops
        self._rows, self._shifts = len(self.loops), int(self.loops.holonomic.sum())
        self.unknowns = system.size + self._rows + self._shifts
        self._kept = np.ones(self._rows)
        self._residual = self._kernel()
        self._slopes = StateSlopes(self._residual, ("y", "force", "shift", "rate"))

    def _kernel(self) -> StateKernel:
        """The residual in machine code."""
        s, n = self.system, self.unknowns
        rows = [str(i) for i in range(self._rows)]
        shifts = [rows[i] for i in np.flatnonzero(self.loops.holonomic)]
        extra = {"rate": [str(i) for i in range(s.size)], "force": rows, "shift": shifts, "kept": rows}
        if s.engine == "blocks" and s.operations * n <= 10 * LARGEST:
            try:
                return StateKernel(s, "closed_residual", {"F": (n,)}, lambda e, _: {"F": residual(e)}, 1, extra)
            except GraphTooLarge:
                pass
        raise StateError(
            f"model {s.model.name!r}: IDA solves closed loops by equations in machine code, for which this model, with "
            f"{n} unknowns, is too large; expected DOP853, Radau, BDF, CVODE or an explicit method of fixed steps"
        )

    def _matrix(self, cj: float, *arguments: Vector) -> Vector:
        """d residual/d unknowns + cj d residual/d rates, from the arguments of the residual."""
        *parts, by_rate = self._slopes(*arguments)
        J = np.concatenate(parts, axis=1)
        J[:, : self.system.size] += cj * by_rate
        return J

    def _solver(self, task: Task) -> Any:
        s, u, n, last = self.system, task.u, self.system.size, task.last

        def split(time: float, x: Vector, rate: Vector) -> tuple[Vector, ...]:
            """Arguments of the kernels; functions that are called are asked."""
            x, rate, time = np.array(x), np.array(rate[:n]), min(time, last)
            s.call(time, x[:n], u)
            return np.array([time]), x[:n], u, rate, x[n : n + self._rows], x[n + self._rows :], self._kept

        def left(time: float, x: Vector, rate: Vector, out: Vector) -> None:
            out[:] = self._residual(*split(time, x, rate)) if np.isfinite(x).all() else np.nan

        def slopes(time: float, x: Vector, rate: Vector, out: Vector, cj: float, J: Vector) -> None:
            J[:] = self._matrix(cj, *split(time, x, rate))

        shortest = float(np.spacing(task.end))  # else it creeps up to a singular configuration and never gets there
        options = {"max_step": max(task.end - task.t, 2 * shortest)} | self._options(task)
        options["atol"] = np.concatenate([self._atol, np.full(self._rows + self._shifts, UNTESTED)])
        options |= {"min_step": shortest, "algebraic_idx": list(range(n, self.unknowns))}
        solver = self._ida(task, left, slopes, options)
        solver.init_step(task.t, *self._start(task))
        return solver

    def _start(self, task: Task) -> tuple[Vector, Vector]:
        """Unknowns and rates at the start of a segment; takes the rows that repeat no others there."""
        s, n = self.system, self.system.size
        s.call(task.t, task.y, task.u)
        q, v, known, _ = s.laws(np.array([[task.t]]), task.y[None], task.u[None])
        actuation = Actuation(known, s.prescribed, np.zeros((1, len(s.model.bodies) + 1, 6)))
        cw = self.loops.sweeps.response(States(q, v), actuation).last
        kept = self.loops.redundancy(cw.J, s.prescribed).independent
        self._kept = kept.astype(float)
        x, rate = np.zeros(self.unknowns), np.zeros(self.unknowns)
        x[:n], rate[:n] = task.y, s.rate(task.t, task.y, task.u)
        x[n : n + self._rows][kept] = np.linalg.solve(cw.S[np.ix_(kept, kept)], -cw.acceleration[kept])
        return x, rate

    def _allowed(self, h: float, y: Vector, sizes: Vector) -> Vector:
        """Absolute tolerances (n,), no smaller than the corrector can reach in a mechanism of this length."""
        tolerances = self.tolerances
        least = tolerances.magnified * tolerances.rules[6] / tolerances.scaling[3]
        return np.maximum(super()._allowed(h, y, sizes), least)

    def _reported(self, task: Task, t: float, found: Vector) -> Vector:
        """The state, prescribed motions as prescribed; refused if a row that was left out has opened."""
        s = self.system
        y = found[: s.size].copy()
        q, v = s.settled(np.array([t]), y[None], task.u[None], 0)
        y[: s.nq], y[s.nq : s.nq + s.nv] = q, v
        off = np.where(self._kept == 0, np.abs(self.loops.errors(q, v)[0]), 0.0)
        share = off / self.loops.scales.rows
        if share.max(initial=0.0) > max(OPENED[0], OPENED[1] * self.tolerances.rtol):
            worst = int(share.argmax())
            name, row = self.loops.rows[worst]
            raise SimulationError(
                f"model {s.model.name!r}: IDA stopped at t = {t:.6g} s: constraint {name!r}: {row.label} repeated "
                f"others at t = {task.t:.6g} s, where the configuration is singular, and is off by {off[worst]:.3g} "
                "(m or rad) now; the default integrator passes such configurations"
            )
        return y

    def _reason(self, task: Task, found: Vector) -> str:
        places = np.stack([task.y[: self.system.nq], found[: self.system.nq]])
        if np.isfinite(places).all():
            margin, names = self.loops.margins(places, self.system.prescribed)
            if margin[1] < NEARLY_SINGULAR:
                return f"the configuration is singular at constraint {names[1]!r}, which the default integrator passes"
        return super()._reason(task, found)


def residual(e: DrivenEquations) -> Nodes:
    """What is left of all equations: of the coordinates, speeds and integrals, of the rows, of the rates of the rows.

    Rows that are not `kept` have no force and no shift instead.
    """
    x, trace, loops, graph = e.applied, e.trace, e.at.model.loops, e.at.graph
    assert loops is not None
    nq, nv, holonomic = e.at.model.nq, e.at.model.nv, loops.holonomic
    rate, force, kept = e.inputs["rate"], e.inputs["force"], e.inputs["kept"]
    mu = np.zeros(len(loops), dtype=object)
    mu[holonomic] = e.inputs["shift"]
    position, velocity, (closing, shift) = _closures(e, [force, mu])
    needed = trace.inverse_dynamics(x.q, x.v, np.where(x.given, x.drive, rate[nq : nq + nv])) - closing
    power = [np.where(x.given, needed, x.drive) @ x.v] if e.acting else []
    z_rate = np.array([*x.z_rate, *power], dtype=object)
    q_rate = trace.rates(x.q, np.where(x.given, x.v, x.v + shift))
    motion = MotionBalance(x.given, x.drive, needed, q_rate, z_rate).residual(rate)
    closed = kept * np.where(holonomic, position, velocity) + (1 - kept) * force
    still = (kept * velocity + (1 - kept) * mu)[holonomic]
    return np.array([graph.node(f) for f in (*motion, *closed, *still)], dtype=object)


def _closures(e: DrivenEquations, sizes: list[Nodes]) -> tuple[Nodes, Nodes, list[Nodes]]:
    """phi, J v, and J* of each of some numbers for all rows."""
    x, t = e.applied, e.trace
    assert isinstance(t, Trace)
    ct, cw = t.closures()
    ws = t.workspace()
    t.run(closed_chains.still_motion)(t.moving, t.flex, x.q, x.v, cw.still, ws)
    t.run(closed_chains.constraint_rates)(ct, States(x.q, x.v), ws, cw)
    return cw.position, cw.velocity, [t.constraint_pull(x.q, row_sizes, ct, ws, cw) for row_sizes in sizes]
