"""How the state behind an event changes with the state before it: derivatives of what events and stops do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.inputs.events import changed
from supple.simulation.event_handling import REST, EventHandler
from supple.simulation.sensitivities.loop_tangents import closed_tangents
from supple.simulation.sensitivities.run_parameters import RunParameters
from supple.simulation.sensitivities.run_tangents import RunTangents
from supple.simulation.watched import EventCrossing, StopContact

Vector = NDArray[np.float64]
State = tuple[float, Vector, Vector]
Changes = tuple[Vector, Vector, Vector]


def stop_tangent(handler: EventHandler, event: int, parameters: RunParameters) -> Vector:
    """(P,) how what is watched changes with the place of a stop."""
    x = handler.watched[event]
    if not isinstance(x, StopContact):
        return np.zeros(parameters.count)
    return -parameters.stop(x.number, "upper" if x.side > 0 else "lower")


class Reset:
    """What the events of one moment do to tangents.

    Parameters
    ----------
    tangents : RunTangents
    handler : EventHandler
        Before the events.
    held : dict of int to float
        Limits whose joint is held after them.
    """

    def __init__(self, tangents: RunTangents, handler: EventHandler, held: dict[int, float]) -> None:
        self._tangents, self._parameters, self._handler, self._held = tangents, tangents.parameters, handler, held
        self._system = handler.system

    def tangents(self, events: list[int], state: State, changes: Changes) -> tuple[Vector, Vector]:
        """dy (n, P) and du (k, P) behind the events, from (t, y, u) before and its changes (dt, dy, du)."""
        t, y, u = state[0], state[1].copy(), state[2].copy()
        dt, dy, du = changes[0], changes[1].copy(), changes[2].copy()
        watched = [self._handler.watched[n] for n in events]
        places: set[int] = set()
        for x in watched:
            if isinstance(x, EventCrossing) and x.event.change:
                places |= self._change(x, (t, y, u), (dt, dy, du))
        if places and self._system.model.loops is not None:
            dy[:] = closed_tangents(self._tangents, self._system, (t, y, u), dy, du, places, dt)
        for x in watched:
            if isinstance(x, StopContact):
                self._impact(x, (t, y, u), (dt, dy, du))
        return dy, du

    def _change(self, x: EventCrossing, state: State, changes: Changes) -> set[int]:
        """What the changes of an event do; gives the places of y that it has changed."""
        (t, y, u), (dt, dy, du), s = state, changes, self._system
        new, slope = self._tangents.change(s, x)(t, y, u, dy, du, dt)
        places: set[int] = set()
        for i, name in enumerate(x.event.change):
            kind, place = changed(s.model, s.inputs, name, x.where)
            (y if kind == "y" else u)[place] = new[i]
            (dy if kind == "y" else du)[place] = slope[i]
            places |= {place} if kind == "y" else set()
        return places

    def _impact(self, x: StopContact, state: State, changes: Changes) -> None:
        """What the impact of a joint on its stop does."""
        (t, y, u), (dt, dy, du), s, handler = state, changes, self._system, self._handler
        limit, nq, nv = x.limit, s.nq, s.nv
        y[x.place] = limit.upper if x.side > 0 else limit.lower
        dy[x.place] = self._parameters.stop(x.number, "upper" if x.side > 0 else "lower")
        kept = [j for j in handler.held if j in self._held]
        if s.model.loops is not None:
            dy[:] = closed_tangents(self._tangents, s, (t, y, u), dy, du, {x.place}, dt)
        v = y[nq : nq + nv]
        if v[x.speed] * x.side < -REST:
            return
        back = limit.restitution if abs(v[x.speed]) > REST else 0.0
        mask = np.zeros(nv, dtype=np.bool_)
        mask[[*s.inputs.motions, *(handler.speeds[j] for j in kept)]] = True
        kernel = self._tangents.impact(s, x.speed, mask)
        new, slope = kernel(t, y, u, dy, du, dt, further=np.array([back]))
        if back:
            slope = slope + np.outer((new - v) / (1.0 + back), self._parameters.stop(x.number, "restitution"))
        else:
            new[x.speed], slope[x.speed] = 0.0, 0.0
        y[nq : nq + nv], dy[nq : nq + nv] = new, slope
