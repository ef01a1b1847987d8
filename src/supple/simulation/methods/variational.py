"""Variational steps: symplectic, of fixed length, for long runs of rigid and flexible systems, with closed loops.

The motion in a step is at constant speeds v, from q_0 by way of q_m to q_1, which is exact on rotations too. The action
of the step is h L(q_m, v), L = T - V. Its variation, with momenta P at the ends, p = M v in the middle, x = h v / 2 and
g the derivative of L along the directions of the speeds (Marsden and West 2001, on groups Bou-Rabee and Marsden 2009),

    (P_0 + Ad*(x) P_0) / 2 + h g / 2 = (d exp_x^-1)* p,        P_1 = Ad*(x) (Ad*(x) P_0 + h g),

decides v and P_1. Where speeds are rates of coordinates Ad and d exp are the identity (see `recursions.joint_groups`).
The second equation conserves the momenta of free systems by itself. With inverse dynamics at no acceleration, c(q, v),
which has all forces of the model in it, and forces tau of laws,

    g = dp/dt - ad*(v) p - c + tau,

dp/dt the derivative of M(q) v along the motion at constant v: a tangent of one sweep. So the right side of

    (M + h/2 C + h^2/4 K) dv = h/2 (2/h ((P_0 + Ad* P_0) / 2 - (d exp^-1)* p) + dp/dt - ad* p + tau - c)

is that of a Newton iteration of generalized-alpha, which its factors solve, stiff modes and all. It ends where
corrections are rounding. Loops are closed at the ends of steps by impulses J(q_0)* pull that are added to P_0, and
speeds there are those of P without what the loops take (RATTLE).

Order 4 is Suzuki's composition (1990) of five steps: a, a, 1 - 4 a, a, a with a = 1 / (4 - 4^(1/3)).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.errors import SimulationError
from supple.integrators import Variational
from supple.model.step_momenta import closing_program
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.alpha_formulas import implicit_arrays, law_gains, not_converged
from supple.simulation.methods.alpha_newton import BlockNewton
from supple.simulation.methods.fixed_step_driver import ITERATIONS, UNCONTROLLED, FixedStepDriver, StepState
from supple.simulation.methods.segment import Segment, Task, Vector
from supple.simulation.methods.variational_kernels import StepKernels
from supple.simulation.methods.variational_loop import StepMiddle, StepPoint, VariationalKernels, variational_steps
from supple.stepping import native_loop
from supple.stepping.native_loop import Steps

SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
FRACTIONS = {2: (1.0,), 4: (SUZUKI, SUZUKI, 1.0 - 4.0 * SUZUKI, SUZUKI, SUZUKI)}
"""Substeps of each order, as fractions of a step."""


class VariationalDriver(FixedStepDriver):
    """Variational steps of a system.

    Between steps it keeps the momenta P, the speeds in the last four steps, and the impulses of the loops.
    """

    name = "variational"

    def __init__(self, system: DrivenSystem, settings: Variational, y: Vector, u: Vector) -> None:
        super().__init__(system, settings.step)
        self.settings, self.model = settings, system.model.floating_frames(self.name)
        self.fractions = np.array(FRACTIONS[settings.order])
        self.rows = 0 if self.model.loops is None else len(self.model.loops)
        self.kernels = StepKernels(system, self.model)
        self._gains = law_gains(system, y, u)
        self._steppers: dict[float, VariationalSteps] = {}

    def attributes(self) -> dict[str, Any]:
        return {"step": self.step, "order": self.settings.order, "error_control": UNCONTROLLED}

    def run(self, task: Task) -> Segment:
        state = self._state(task.y, task.memory)
        found = self._driven(task, state)
        if found.events:
            task.memory.clear()
        else:
            task.memory.update(zip(("p", "past", "pull"), state[1:], strict=True))
        return found

    def _state(self, y: Vector, memory: dict[str, Vector]) -> StepState:
        """All that goes from step to step, from a state and what is kept beside it."""
        s, m = self.system, len(self.fractions)
        q, v = y[: s.nq], y[s.nq : s.nq + s.nv]
        if "p" in memory:
            return (y.copy(), *(memory[key].copy() for key in ("p", "past", "pull")))
        return y.copy(), self.kernels.momenta(q, v), np.tile(v, (4 * m, 1)), np.zeros((m, self.rows))

    def _stepper(self, task: Task, h: float, count: int) -> VariationalSteps:
        key = float(f"{h:.9g}")
        if key not in self._steppers:
            if len(self._steppers) > 50:
                self._steppers.clear()
            self._steppers[key] = VariationalSteps(self, key)
        self._steppers[key].h = h
        return self._steppers[key]

    def _after(self, task: Task, before: StepState, t: float, h: float) -> Vector:
        state = tuple(x.copy() for x in before)
        if h != 0.0:
            done, _ = VariationalSteps(self, h).run(task, t, 1, state, np.zeros((3, 0)), 0)
            if done < 0:  # where the short step does not converge, the state before it has to do
                state = tuple(x.copy() for x in before)
        self.kernels.set_speeds(state[0], state[1])
        return state[0]

    def newton(self, h: float) -> tuple[BlockNewton, CompiledFunction | None]:
        """What solves a substep of this length, and what closes its loops."""
        stiff = implicit_arrays(self.model, 0.5 * h, 0.25 * h * h, self._gains)
        newton = BlockNewton(self.model, stiff, self.system.prescribed)
        if not self.rows:
            return newton, None
        shapes = {"shift": (self.model.nv,), "force": (self.rows,), "J": (self.rows * self.model.nv,)}
        closing = closing_program(self.model, stiff, self.system.prescribed)
        return newton, CompiledFunction("closing", BoundProgram(*closing, 1), shapes)


class VariationalSteps:
    """Steps of one length.

    Attributes
    ----------
    h : float
        Length, s; the factors are those of a length that is the same to nine digits.
    before : tuple of arrays
        The state before the last step.
    """

    def __init__(self, driver: VariationalDriver, h: float) -> None:
        self.driver, self.h = driver, h
        s, m, rows = driver.system, len(driver.fractions), driver.rows
        self.before: StepState = np.zeros(s.size), np.zeros(s.nv), np.zeros((4 * m, s.nv)), np.zeros((m, rows))
        self._middle = self._new_middle()
        lengths = {float(x): driver.newton(float(x) * h) for x in dict.fromkeys(driver.fractions.tolist())}
        self._solvers = [lengths[x] for x in driver.fractions.tolist()]
        newton = [x.function for x, _ in self._solvers]
        closing = [0 if x is None else x.address for _, x in self._solvers]
        self._addresses = np.array([[x.renewed for x in newton], [x.kept for x in newton], closing], dtype=np.int64)
        self._pause = max(1, native_loop.PAUSE // (1 + 4 * m * (driver.kernels.weight + newton[0].weight)))

    def _new_middle(self) -> StepMiddle:
        """Arrays to iterate in."""
        s, rows = self.driver.system, self.driver.rows
        nq, nv = s.nq, s.nv
        y, own = np.zeros(s.size), np.zeros((8, nv))
        return StepMiddle(
            *(y, y[:nq], y[nq : nq + nv], y[nq + nv :]),
            *(own[0], own[1], own[2], own[3], own[4], own[5], own[6]),
            rate=np.zeros(len(s.z_0)),
            rest=np.zeros(nv),
            end=np.zeros(nq),
            shift=np.zeros(nv),
            impulse=np.zeros(rows),
            J=np.zeros(rows * nv),
            J_start=np.zeros(rows * nv),
            given=s.prescribed,
            tt=np.zeros(1),
            hh=np.zeros(1),
            ss=np.zeros(1),
        )

    def _point(self, state: StepState) -> StepPoint:
        """A state with the parts of y."""
        y, p, past, pull = state
        nq, nv = self.driver.system.nq, self.driver.system.nv
        return StepPoint(y, y[:nq], y[nq : nq + nv], y[nq + nv :], p, past, pull)

    def take(self, task: Task, t: float, most: int, state: StepState, g: Vector) -> tuple[int, int]:
        if task.native:
            return self.run(task, t, min(most, self._pause), state, g, task.address)
        done, used = self.run(task, t, 1, state, g, 0)
        if task.watch is not None and done > 0:
            task.watch.look(min(t + self.h, task.last), state[0], task.u, g)
        return done, used

    def run(self, task: Task, t: float, number: int, state: StepState, g: Vector, events: int) -> tuple[int, int]:
        """Take so many steps; what is watched is at the address `events`."""
        k, (renewed, kept, closing) = self.driver.kernels, self._addresses
        addresses = k.middle.address, k.balance.address, k.end.address, k.speeds.address, k.advance.address
        kernels = VariationalKernels(*addresses, k.call, events, renewed, kept, closing)
        now, before = self._point(state), self._point(self.before)
        steps = Steps(t, self.h, number, task.last)
        found = variational_steps(kernels, self.driver.fractions, steps, now, task.u, before, self._middle, g)
        k.require_sound()
        return int(found[0]), int(found[1])

    def foresee(self, steps: int) -> None:
        for newton, _ in self._solvers:
            newton.function.foresee(ITERATIONS * steps)

    def failure(self, t: float, h: float, y: Vector) -> SimulationError:
        return not_converged(self.driver.system, self.driver.name, self._middle.correction, t, h)
