"""Generalized-alpha steps, implicit at the price of explicit ones.

The stiff part of a system is its elasticity, the springs and dampers of its joints and the gains of their controllers:
K and C that stand on single freedoms or single bodies. M + g_1 C + g_2 K therefore has the same operator factors as M:
with G + g_1 C + g_2 K in the place of the modal mass and the joints' terms added to their own inertia, the
articulated-body recursion solves it. A Newton iteration is one inverse dynamics for the residual and two vector sweeps
for the correction; no Jacobian is formed. What K leaves out (weight, spin) only slows the iteration down a little.

Chung and Hulbert (1993), on rotations as Arnold and Bruls (2007): displacements in a step are speeds times the step,
applied as the motion they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.plain import plain
from supple.errors import SimulationError, StateError
from supple.model.compiled import estimated_operations
from supple.model.flatten import numbering
from supple.model.flexible import flexible_arrays
from supple.model.model import Model
from supple.recursions import articulated, composite, coordinates
from supple.recursions.implicit import newton_iteration
from supple.recursions.tree import Flex, Tree, sizes, workspace
from supple.simulation.methods import native_loop
from supple.simulation.methods.fixed_steps import require_step, steps_between
from supple.simulation.methods.stretch import Effort, Memory, Stretch, Watch, locate
from supple.simulation.system import Equations, Kernel, System
from supple.structures.body import FlexibleBody
from supple.symbolic.function import Nodes
from supple.symbolic.graph import GraphTooLarge
from supple.symbolic.trace import as_objects

Vector = NDArray[np.float64]
WORTH_COMPILING = 25_000
"""Operations of forward dynamics up to which a step, three times as large, is soon compiled."""
PAUSE = 20_000_000
"""Operations, roughly, between two looks at the keyboard."""
MOST = 30
"""Newton iterations in a step."""
RENEWED = 6
"""Iterations for which the inertias of the first are kept."""


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Fixed implicit steps of second order for stiff systems, with chosen numerical damping.

    Parameters
    ----------
    step : float
        Longest step, s; output times are met exactly.
    rho : float
        Spectral radius at high frequencies, 0 ... 1: one keeps all vibration, zero kills what the step cannot resolve.
    tolerance : float
        Error of the accelerations that Newton's iteration may leave, relative to the largest.
    """

    step: float
    rho: float = 0.9
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        require_step("generalized-alpha", self.step)
        if not 0 <= self.rho <= 1:
            raise StateError(f"generalized-alpha: rho: expected a number from 0 to 1, got {self.rho}")

    def constants(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        m, f = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        return m, f, 0.25 * (1 - m + f) ** 2, 0.5 - m + f

    def slopes(self) -> tuple[float, float]:
        """g_1, g_2: what speeds and coordinates at the end of a step change with the acceleration there."""
        m, f, beta, gamma = self.constants()
        share = (1 - f) / (1 - m)
        return self.step * gamma * share, self.step**2 * beta * share


def implicit_arrays(
    model: Model, g_1: float, g_2: float, gains: tuple[Vector, Vector] | None = None
) -> tuple[Tree, Flex | None]:
    """The arrays of the model with M + g_1 C + g_2 K in the place of M, for elasticity, joints and gains.

    `gains` are the damping and stiffness (nv,) that controllers add to their own freedoms.
    """
    rates = model.tree.q_of_speed >= 0
    own = model.tree.joint_inertia + g_1 * model.tree.damping + g_2 * np.where(rates, model.tree.stiffness, 0.0)
    if gains is not None:
        own = own + np.where(model._is_mode, 0.0, g_1 * gains[0] + g_2 * gains[1])
    tree = model.tree._replace(joint_inertia=own)
    if model.flex is None:
        return tree, None
    stiff: dict[int, FlexibleBody] = {}
    mech = model.description._copy()
    for name, placed in mech.bodies.items():
        body = placed.body
        if isinstance(body, FlexibleBody):
            G = body.mass_matrix + g_1 * body.damping + g_2 * body.stiffness
            stiff.setdefault(id(body), replace(body, mass_matrix=G.tocsr()))
            mech.bodies[name] = replace(placed, body=stiff[id(body)])
    return tree, flexible_arrays(mech, numbering(mech), model.flex.q_mode, model.flex.v_mode)


def _end(method: GeneralizedAlpha, advance: Any, q_0: Any, v_0: Any, w_0: Any, c_0: Any, w: Any) -> tuple[Any, ...]:
    """q, v and c at the end of a step with the accelerations w there; numbers or nodes."""
    m, f, beta, gamma = method.constants()
    h = method.step
    c = ((1 - f) * w + f * w_0 - m * c_0) / (1 - m)
    return advance(q_0, v_0 + h * ((0.5 - beta) * c_0 + beta * c), h), v_0 + h * ((1 - gamma) * c_0 + gamma * c), c


def converged(size: float, before: float, allowed: float) -> bool:
    """Whether what a correction of this size leaves, after one of the size `before`, is small enough."""
    return size <= allowed or (before > 0 and size < 0.1 * before and size * (size / before) <= allowed)


class ImplicitWalk:
    """Generalized-alpha steps of a system.

    Between steps it keeps the accelerations w, those of the method c, and the rates r of the integrals.
    """

    name = "generalized_alpha"

    def __init__(self, system: System, settings: GeneralizedAlpha, y: Vector, u: Vector) -> None:
        self.system, self.settings = system, settings
        self.effort = Effort()
        self._gains = _gains(system, y, u)
        self._steppers: dict[tuple[float, bool], _MachineStep | _GenericStep] = {}

    def attributes(self) -> dict[str, Any]:
        return {"step": self.settings.step, "rho": self.settings.rho}

    def _stepper(self, h: float, usual: bool) -> _MachineStep | _GenericStep:
        """A step of just this length; compiled if it is taken often."""
        key = float(f"{h:.9g}"), usual
        if key not in self._steppers:
            settings = replace(self.settings, step=key[0])
            made: _MachineStep | None = None
            small = estimated_operations(self.system.model) <= WORTH_COMPILING
            if usual and small and self.system.engine == "llvm" and not self.system.inputs.calls:
                try:
                    made = _MachineStep(self.system, settings, self._gains)
                except GraphTooLarge:
                    made = None
            if not usual and len(self._steppers) > 50:
                self._steppers.clear()
            self._steppers[key] = made or _GenericStep(self.system, settings, self._gains)
        return self._steppers[key]

    def run(
        self,
        t: float,
        y: Vector,
        end: float,
        times: Vector,
        u: Vector,
        memory: Memory,
        watch: Watch | None,
        out: Vector,
        tell: Any,
    ) -> Stretch:
        last = float(np.nextafter(end, t))
        if "w" not in memory:
            rate = self.system.rate(t, y, u)
            a = rate[self.system.nq : self.system.nq + self.system.nv]
            memory |= {"w": a.copy(), "c": a.copy(), "r": rate[self.system.nq + self.system.nv :].copy()}
        state = (y.copy(), *(memory[key].copy() for key in "wcr"))
        g = np.zeros((3, 0)) if watch is None else np.stack([watch.signs, watch.directions, watch.signs])
        goals = times if len(times) and times[-1] == end else np.append(times, end)
        for n, goal in enumerate(goals):
            left = steps_between(t, float(goal), self.settings.step)
            h = (float(goal) - t) / left
            native = watch is None or watch.address != 0
            stepper = self._stepper(h, usual=native and (left > 20 or len(times) > 20))
            while left:
                start = t
                done, tries = stepper.steps(start, min(left, stepper.pause), last, state, u, watch, g)
                self.effort.evaluations += tries
                self.effort.steps += abs(done)
                if done < 0:
                    raise self._not_converged(start - done * h, h, stepper)
                crossed = np.zeros(0, dtype=np.int64)
                if watch is not None:
                    watch.signs = g[0].copy()
                    crossed = watch.crossed(g[2])
                if watch is not None and len(crossed):
                    return self._event(watch, crossed, start + (done - 1) * h, h, u, stepper, state, times, out, memory)
                left -= done
                t = float(goal) if not left else start + done * h
                tell(t)
            if n < len(times):
                out[n] = state[0]
        memory |= dict(zip("wcr", state[1:], strict=True))
        return Stretch(out, end, state[0])

    def _event(
        self,
        watch: Watch,
        crossed: NDArray[np.int64],
        t: float,
        h: float,
        u: Vector,
        stepper: _MachineStep | _GenericStep,
        state: tuple[Vector, ...],
        times: Vector,
        out: Vector,
        memory: Memory,
    ) -> Stretch:
        """The stretch cut at the event in its last step, states between by shorter steps from its start."""
        before = tuple(x.copy() for x in stepper.before)

        def at(x: float) -> tuple[Vector, ...]:
            if x == 0.0:
                return before
            part = _GenericStep(self.system, replace(self.settings, step=x * h), self._gains)
            trial = tuple(z.copy() for z in before)
            part.steps(t, 1, np.inf, trial, u, None, np.zeros((3, 0)))
            return trial

        x, events = locate(watch, crossed, t, h, u, lambda x: at(x)[0])
        memory.clear()
        upto = int(np.searchsorted(times, t, side="right"))
        return Stretch(out[:upto], t + x * h, at(x)[0], events)

    def _not_converged(self, t: float, h: float, stepper: _MachineStep | _GenericStep) -> SimulationError:
        x = stepper.correction[-self.system.nv :]
        worst = self.system.model.speeds[int(np.argmax(np.nan_to_num(np.abs(x), nan=np.inf)))]
        return SimulationError(
            f"model {self.system.model.name!r}: generalized-alpha did not converge at t = {t:.6g} s with steps of "
            f"{h:.3g} s; look at {worst!r}, or take shorter steps"
        )


def _gains(system: System, y: Vector, u: Vector) -> tuple[Vector, Vector]:
    """Damping and stiffness (nv,) that the laws give their own freedoms at the start."""
    damping, stiffness = np.zeros(system.nv), np.zeros(system.nv)
    if not system.inputs.constant:
        _, slopes = system._laws_slopes(np.zeros(1), y, u)
        force = slopes[system.nq + system.nv : system.nq + 2 * system.nv]
        for i in np.flatnonzero(~system.given):
            damping[i] = max(0.0, -force[i, system.nq + i])
            place = system.model.tree.q_of_speed[i]
            stiffness[i] = max(0.0, -force[i, place]) if place >= 0 else 0.0
    return damping, stiffness


class _MachineStep:
    """Steps of one length in machine code: two Newton iterations a call, the last correction beside."""

    def __init__(self, system: System, settings: GeneralizedAlpha, gains: tuple[Vector, Vector]) -> None:
        self.system, self.settings, self.gains = system, settings, gains
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
        self.before = (np.zeros(system.size), np.zeros(n), np.zeros(n), np.zeros(nz))
        self.pause = max(1, PAUSE // (1 + 10 * self.kernel.weight))

    def _text(self) -> str:
        return f"{self.settings.step!r} {self.settings.rho!r} {[x.tolist() for x in self.gains]}".replace(" ", "")

    def steps(
        self, t: float, count: int, last: float, state: tuple[Vector, ...], u: Vector, watch: Watch | None, g: Vector
    ) -> tuple[int, int]:
        """How many steps are done, or less than zero where one did not converge; iterations."""
        used = np.zeros(1, dtype=np.int64)
        done = native_loop.implicit_steps(
            self.kernel.address,
            0 if watch is None else watch.address,
            t,
            self.settings.step,
            count,
            last,
            self.settings.tolerance,
            state,
            self.before,
            u,
            self._guess,
            self.correction,
            self._tt,
            g,
            used,
        )
        return int(done), 2 * int(used[0])

    def _traced(self, e: Equations) -> dict[str, Nodes]:
        model, trace, at = self.system.model, e.trace, e.at
        w_0, c_0, r_0 = (e.inputs[key] for key in "wcr")
        tree, flex = implicit_arrays(model, *self.settings.slopes(), self.gains)
        stiff = Tree(**as_objects(tree)), None if flex is None else Flex(**as_objects(flex))
        given, h = e.applied.given, self.settings.step
        ws = trace.workspace()
        w = e.inputs["guess"]
        corrections: list[Nodes] = []
        for iteration in range(2):
            q, v, _ = _end(self.settings, trace.advanced, at.q, at.v, w_0, c_0, w)
            x = e.at_state(at.t, q, v, at.z + h * r_0)
            w = np.where(given, x.drive, w)
            if iteration == 0:
                for k in range(1, len(model.bodies) + 1):
                    plain(composite.posture_step)(*stiff, k, x.q, ws)
                plain(articulated.articulated_inertias)(*stiff, given, ws)
            force = trace.inverse_dynamics(x.q, x.v, w)
            residual = np.where(given, 0.0, x.drive - force)
            correction = np.zeros(model.nv, dtype=object)
            plain(articulated.inverse_mass_times)(*stiff, residual, given, ws, correction)
            corrections.append(correction)
            w = w + correction
        q, v, c = _end(self.settings, trace.advanced, at.q, at.v, w_0, c_0, w)
        x = e.at_state(at.t, q, v, at.z + h * r_0)
        tau = np.where(given, force, x.drive)
        r = np.array([*x.z_rate, *([tau @ x.v] if e.acting else [])], dtype=object)
        z = at.z + 0.5 * h * (r_0 + r)
        return {"y": np.concatenate([x.q, x.v, z]), "w": w, "c": c, "r": r, "correction": np.concatenate(corrections)}


class _GenericStep:
    """The same steps by the generic engine: for large models, odd lengths, and Python functions as laws."""

    pause = 1

    def __init__(self, system: System, settings: GeneralizedAlpha, gains: tuple[Vector, Vector]) -> None:
        self.system, self.settings = system, settings
        model = system.model
        self._stiff = implicit_arrays(model, *settings.slopes(), gains)
        self._ws, self._stiff_ws = (workspace(sizes(model.tree, model.flex), np.float64) for _ in range(2))
        self._force, self._residual, self.correction = np.zeros((3, system.nv))
        self.before: tuple[Vector, ...] = ()

    def steps(
        self, t: float, count: int, last: float, state: tuple[Vector, ...], u: Vector, watch: Watch | None, g: Vector
    ) -> tuple[int, int]:
        """One step (done 1, or -1 where it did not converge); iterations."""
        self.before = tuple(x.copy() for x in state)
        end = min(t + self.settings.step, last)
        s, h = self.system, self.settings.step
        y_0, w_0, c_0, r_0 = self.before
        q_0, v_0, z_0 = y_0[: s.nq], y_0[s.nq : s.nq + s.nv], y_0[s.nq + s.nv :]
        w, size = w_0.copy(), 0.0
        for tries in range(1, MOST + 1):
            q, v, _ = _end(self.settings, self._advanced, q_0, v_0, w_0, c_0, w)
            q, v, drive, _ = self._laws(end, q, v, z_0 + h * r_0, u)
            w = np.where(s.given, drive, w)
            self._iterate(tries % RENEWED == 1, q, v, w, drive)
            w = w + self.correction
            size, before = float(np.abs(self.correction).max(initial=0.0)), size
            if converged(size, before, self.settings.tolerance * (1e-6 + float(np.abs(w).max(initial=0.0)))):
                break
        else:
            return -1, tries
        q, v, c = _end(self.settings, self._advanced, q_0, v_0, w_0, c_0, w)
        q, v, drive, z_rate = self._laws(end, q, v, z_0 + h * r_0, u)
        tau = np.where(s.given, self._force, drive)
        r = np.concatenate([z_rate, [tau @ v] if s.inputs.acting else []])
        y = np.concatenate([q, v, z_0 + 0.5 * h * (r_0 + r)])
        for old, new in zip(state, (y, w, c, r), strict=True):
            old[:] = new
        if watch is not None:
            g[2] = watch.values(end, y, u)
            if not len(watch.crossed(g[2])):
                watch.passed(g[2])
                g[0] = watch.signs
        return 1, tries

    def _advanced(self, q: Vector, v: Vector, h: float) -> Vector:
        """Coordinates after h at constant speeds; as `Model.integrate`, without its checks, which take longer."""
        model = self.system.model
        out = np.zeros((1, model.nq))
        coordinates.advance(model.tree, model.flex, q[None], v[None], np.array([h]), out)
        return out[0]

    def _iterate(self, renew: bool, q: Vector, v: Vector, w: Vector, drive: Vector) -> None:
        """Force, residual and correction for the accelerations w."""
        model = self.system.model
        newton_iteration(
            model.tree,
            model.flex,
            self._stiff[0],
            self._stiff[1],
            renew,
            np.ascontiguousarray(q),
            np.ascontiguousarray(v),
            w,
            np.ascontiguousarray(drive),
            self.system.given,
            model._unloaded[0],
            self._ws,
            self._stiff_ws,
            self._force,
            self._residual,
            self.correction,
        )

    def _laws(self, t: float, q: Vector, v: Vector, z: Vector, u: Vector) -> tuple[Vector, ...]:
        if not self.system.inputs.acting:
            return q, v, np.zeros(self.system.nv), np.zeros(0)
        y = np.concatenate([q, v, z])
        self.system.call(t, y, u)
        found: tuple[Vector, ...] = self.system.laws(np.array([t]), y, u)
        return found
