"""A run that carries the tangents of its state: how it changes with parameters, from segment to segment.

Within a segment the tangents S = dy/dp follow dS/dt = f_y S + f_p. At an event its time changes with the parameters by

    dt = -(g_y S + g_p) / (g_y f + g_t),

and behind it S = r_y (S + f dt) + r_p + r_t dt - f+ dt, where r is what the event makes of the state and f+ are the
rates after it (saltation). Laws that jump at fixed times change what is held, and leave S.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.formulations import Formulation
from supple.inputs.controllers import Sampled
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.event_handling import EventHandler
from supple.simulation.independent_speeds import IndependentSpeeds
from supple.simulation.methods.segment import Method, Segment, Task
from supple.simulation.run import Key, Run, Setting
from supple.simulation.samples import Samples
from supple.simulation.sensitivities.reset_tangents import Reset, stop_tangent
from supple.simulation.sensitivities.run_tangents import RunTangents
from supple.simulation.sensitivities.tangent_system import TangentSystem, tangent_method

Vector = NDArray[np.float64]
GRAZING = 1e-9
"""Rate of what is watched, relative to its tangents, below which an event only touches zero."""


class SensitiveRun(Run):
    """A system in motion with its tangents.

    Parameters
    ----------
    system, setting, q, v, partition
        See `Run`.
    tangents : RunTangents
        All functions with derivatives, and the parameters.
    start : (nq + nv, P) array
        How the start changes.

    Attributes
    ----------
    S, U : (n, P), (k, P) arrays
        How state and held values change with the parameters, scaled.
    """

    def __init__(
        self,
        system: DrivenSystem,
        setting: Setting,
        q: Vector,
        v: Vector,
        partition: IndependentSpeeds | None,
        tangents: RunTangents,
        start: Vector,
    ) -> None:
        self.parameters, self._tangents = tangents.parameters, tangents
        parameters = tangents.parameters
        self._found: Vector | None = None
        self._tangent_methods: dict[Key, Method] = {}
        self.S = np.concatenate([start, np.zeros((len(system.z_0), parameters.count))])
        self.U = parameters.u.copy()
        super().__init__(system, setting, q, v, partition)
        for place in sorted(self.clocks.jump_places):
            if parameters.u[place].any():
                raise StateError(
                    f"sensitivities: the time at which a law jumps depends on {system.inputs.held[place]!r}; "
                    "write the jump as an event that changes a variable"
                )
        for rate in system.inputs.sample_rates:
            self._tick(rate)

    def tangent_state(self) -> list[Vector]:
        return [self.S, self.U]

    def restore_tangents(self, values: list[Vector]) -> None:
        self.S, self.U = (x.reshape(-1, self.parameters.count) for x in values)
        self._tangent_methods = {}

    # ------------------------------------------------------------ segments

    def method(self) -> Method:
        key = self._key()
        if key not in self._tangent_methods:
            handler = self.handler()
            rates = self._tangents.rates(handler.system)
            system = TangentSystem(handler.system, rates, self.parameters.directions)
            self._tangent_methods[key] = tangent_method(self.choice.options, system, handler.native)
        return self._tangent_methods[key]

    def _run(self, method: Method, task: Task) -> Segment:
        n, k, watch = len(self.y), len(self.u), task.watch
        seen = None if watch is None else replace(watch, values=lambda t, y, u: watch.values(t, y[:n], u[:k]))
        whole = replace(
            task,
            y=np.concatenate([task.y, self.S.reshape(-1)]),
            u=np.concatenate([task.u, self.U.reshape(-1)]),
            watch=seen,
            out=np.full((len(task.times), n * (1 + self.parameters.count)), np.nan),
        )
        found = super()._run(method, whole)
        if watch is not None and seen is not None:
            watch.signs = seen.signs
        system, times = self.handler().system, self._times[self._done :]
        self.S = self._closed(system, found.t, found.y)
        self._found = np.array([self._closed(system, t, y) for t, y in zip(times, found.states, strict=False)])
        return Segment(found.states[:, :n], found.t, found.y[:n], found.events)

    def _closed(self, system: DrivenSystem, t: float, whole: Vector) -> Vector:
        """Tangents (n, P) of a state with its tangents, the loops closed."""
        n = len(self.y)
        S = whole[n:].reshape(n, -1)
        if system.model.loops is None:
            return S.copy()
        y = system.project(whole[None, :n])[0]
        return self._tangents.closed(system)(t, y, self.u, S, self.U)[1]

    def _gather(self, t: Vector, y: Vector) -> None:
        if y.shape[1] > len(self.y):  # what was found before a failure
            n = len(self.y)
            self._found, y = y[:, n:].reshape(len(y), n, -1), y[:, :n]
        super()._gather(t, y)
        self._found = None

    def sampled(self, t: Vector, y: Vector) -> Samples:
        found = super().sampled(t, y)
        S = self.S[None] if self._found is None else self._found
        tangents = self._tangents.outputs(self.handler().system).many(t, y, self.u, S, self.U)[1]
        return replace(found, tangents=tangents)

    # ------------------------------------------------------------ jumps

    def _tick(self, rate: float) -> None:
        """Held values that a tick of a clock sets, and how they change."""
        places = self.system.laws_equations.ticks[rate][0] if rate in self.system.laws_equations.ticks else []
        if places:
            kernel = self._tangents.tick(self.system, rate)
            self.U[places] = kernel(self.t, self.y, self.u, self.S, self.U)[1]

    def _jump(self) -> None:
        due = [rate for rate, n in self.clocks.ticks.items() if n / rate <= self.t + self.horizon.close]
        u = self.u.copy()
        super()._jump()
        after, self.u = self.u, u
        for rate in due:
            self._tick(rate)
        self.u = after

    def _reacted(self, handler: EventHandler, events: list[int], y: Vector, u: Vector) -> None:
        system, t = handler.system, self.t
        f = system.rate(t, y, u.copy())
        dt = self._moved_time(handler, events[0], y, u, f)
        moved = self.S + np.outer(f, dt)
        reset = Reset(self._tangents, handler, self.held)
        self.S, self.U = reset.tangents(events, (t, y, u), (dt, moved, self.U))
        after = self.handler().system
        self.S -= np.outer(after.rate(t, self.y, self.u.copy()), dt)

    def _moved_time(self, handler: EventHandler, event: int, y: Vector, u: Vector, f: Vector) -> Vector:
        """(P,) how the time of an event changes."""
        kernel, none = self._tangents.watched(handler), np.zeros_like(self.S)
        g_p = kernel(self.t, y, u, self.S, self.U)[1][event] + stop_tangent(handler, event, self.parameters)
        along, still = np.repeat(f[:, None], len(g_p), axis=1), np.zeros_like(self.U)
        whole = kernel(self.t, y, u, along, still, np.ones(len(g_p)))[1] - kernel(self.t, y, u, none, still)[1]
        plain = float(whole[event, 0])
        if abs(plain) <= GRAZING * np.abs(g_p).max(initial=0.0):
            raise StateError(
                f"sensitivities: {handler.label(event)!r} only touches zero at t = {self.t:.6g} s: a small change of a "
                "parameter makes it happen or not, so that the motion has no derivative"
            )
        return np.asarray(-g_p / plain)


def require_differentiable(model: Formulation, run: Setting, system: DrivenSystem) -> None:
    """Refuse what has no derivatives, by its name."""
    inputs = system.inputs
    why = "is a Python function, whose derivative is not known; write it as a formula"
    for i in inputs.called_functions:
        raise StateError(f"sensitivities: {inputs.law_name(i)} {why}")
    for i in inputs.sampled:
        if isinstance(inputs.laws[i], Sampled):
            raise StateError(f"sensitivities: {inputs.law_name(i)} {why}")
    if inputs.whole_is_called or isinstance(inputs.whole, Sampled):
        raise StateError(f"sensitivities: tau: the law of all speeds {why}")
    for x in inputs.fmus:
        raise StateError(f"sensitivities: {x.place} is an FMU, whose derivative is not known; write it as a formula")
    for event in run.events:
        if callable(event.when) or event.action is not None:
            raise StateError(f"sensitivities: event {event.name!r}: 'when' or 'action' {why}")
    if system.engine != "blocks":
        raise StateError(
            f"sensitivities: model {model.name!r} is too large for code that has tangents ({system.operations:,} "
            "operations); fewer modes or bodies help"
        )
