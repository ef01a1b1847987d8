"""Explicit steps of fixed length: in a native loop, or by the same formulas on numbers where Python is needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from supple.errors import StateError
from supple.simulation.methods import native_loop
from supple.simulation.methods.stretch import Effort, Memory, Stretch, Vector, Watch, diverged, locate
from supple.simulation.system import Equations, Kernel, System
from supple.symbolic.function import Nodes
from supple.symbolic.graph import GraphTooLarge
from supple.symbolic.trace import STEPS

EXPLICIT = {"rk4": 4, "leapfrog": 2, "semi_implicit_euler": 1}
"""How often each asks for accelerations in a step."""
PAUSE = 20_000_000
"""Operations, roughly, between two looks at the keyboard."""


def steps_between(start: float, end: float, step: float) -> int:
    """Equal steps from one time to another, none longer than `step`."""
    return max(1, int(np.ceil((end - start) / step - 1e-9)))


def require_step(name: str, step: float) -> None:
    """Refuse what is no length of a step."""
    if not (np.isfinite(step) and step > 0):
        raise StateError(f"{name}: step: expected a positive number, got {step}")


@dataclass(frozen=True)
class FixedSteps:
    """An explicit integrator and its longest step, s; output times are met exactly."""

    name: str
    step: float

    def __post_init__(self) -> None:
        require_step(self.name, self.step)


class ExplicitWalk:
    """Fixed explicit steps of a system."""

    def __init__(self, system: System, settings: FixedSteps) -> None:
        self.system, self.settings, self.name = system, settings, settings.name
        self.effort = Effort()
        self.kernel: Kernel | None = None
        if system.engine == "llvm" and not system.inputs.calls:
            try:
                shapes = {"y": (system.size,)}
                self.kernel = Kernel(system, self.name, shapes, self._traced, lanes=1, extra={"h": ["h"]})
            except GraphTooLarge:
                self.kernel = None

    def attributes(self) -> dict[str, Any]:
        return {"step": self.settings.step}

    def _traced(self, e: Equations) -> dict[str, Nodes]:
        h = e.inputs["h"][0]
        w = np.concatenate([e.at.v, e.at.z])

        def accelerate(fraction: float, q: Nodes, w: Nodes) -> Nodes:
            return e.accelerations(e.at.t + fraction * h, q, w)

        return {"y": np.concatenate(STEPS[self.name](e.trace, e.at.q, w, h, accelerate))}

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
        y, last = y.copy(), float(np.nextafter(end, t))
        g = np.zeros((3, 0)) if watch is None else np.stack([watch.signs, watch.directions, watch.signs])
        goals = times if len(times) and times[-1] == end else np.append(times, end)
        for n, goal in enumerate(goals):
            left = steps_between(t, float(goal), self.settings.step)
            h = (float(goal) - t) / left
            while left:
                start, before = t, y.copy()
                chunk = min(left, max(1, PAUSE // (1 + EXPLICIT[self.name] * 500 * len(y))))
                done, before = self._steps(t, h, chunk, last, y, u, watch, g)
                self._count(done)
                if not np.isfinite(y).all():
                    why = (
                        f"the state is no longer finite; steps of {h:.3g} s are too long for the fastest vibration, or "
                        "the posture is singular"
                    )
                    raise diverged(self.system, self.name, start + done * h, y, None, why)
                crossed = np.zeros(0, dtype=np.int64)
                if watch is not None:
                    watch.signs = g[0].copy()
                    crossed = watch.crossed(g[2])
                if watch is not None and len(crossed):
                    t_0 = start + (done - 1) * h
                    state = partial(self._part, t_0, h, before, u)
                    x, events = locate(watch, crossed, t_0, h, u, state)
                    return Stretch(out[:n], t_0 + x * h, state(x), events)
                left -= done
                t = float(goal) if not left else start + done * h
                tell(t)
            if n < len(times):
                out[n] = y
        return Stretch(out, end, y)

    def _count(self, done: int) -> None:
        self.effort.steps += done
        self.effort.evaluations += done * EXPLICIT[self.name]

    def _steps(
        self, t: float, h: float, count: int, last: float, y: Vector, u: Vector, watch: Watch | None, g: Vector
    ) -> tuple[int, Vector]:
        """Steps done (y changed in place), and the state before the last."""
        if self.kernel is not None and (watch is None or watch.address):
            before, tt, hh = np.empty_like(y), np.zeros(1), np.zeros(1)
            events = 0 if watch is None else watch.address
            done = native_loop.explicit_steps(self.kernel.address, events, t, h, count, last, y, u, before, tt, hh, g)
            return done, before
        before = y.copy()
        y[:] = self._one(t, h, before, u)
        if watch is not None:
            g[2] = watch.values(min(t + h, last), y, u)
            if not len(watch.crossed(g[2])):
                watch.passed(g[2])
                g[0] = watch.signs
        return 1, before

    def _part(self, t: float, h: float, y: Vector, u: Vector, x: float) -> Vector:
        """The state at a fraction of a step."""
        return self._one(t, x * h, y, u)

    def _one(self, t: float, h: float, y: Vector, u: Vector) -> Vector:
        """One step of any length."""
        if h == 0.0:
            return y.copy()
        if self.kernel is not None:
            (new,) = self.kernel._batch([np.array([t]), y, u, np.array([h])], None)[None]
            return np.array(new)
        nq = self.system.nq

        def accelerate(fraction: float, q: Vector, w: Vector) -> Vector:
            return self.system.rate(t + fraction * h, np.concatenate([q, w]), u)[nq:]

        q, w = STEPS[self.name](_Numbers(self.system), y[:nq], y[nq:], h, accelerate)
        return np.concatenate([q, w])


class _Numbers:
    """What the formulas of a step ask for, on numbers."""

    def __init__(self, system: System) -> None:
        self.model = system.model

    def advanced(self, q: Vector, v: Vector, dt: float) -> Vector:
        """Coordinates after dt at constant speeds."""
        return self.model.integrate(q, v, dt)

    def rates(self, q: Vector, v: Vector) -> Vector:
        """Rates of the coordinates."""
        return self.model.derivative(q, v)
