"""What is watched while a model moves, and what events and stops do to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.description.limits import Limit
from supple.errors import AssemblyError, SimulationError, StateError
from supple.expressions.function import Function
from supple.inputs.driven import DrivenEquations
from supple.inputs.events import Event, changed, limit_speed
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.impacts import Mask, closed_again, impulse_at
from supple.simulation.methods.segment import Watch
from supple.simulation.methods.tolerances import state_scale
from supple.simulation.watched import EventCrossing, StopRelease, Watched, on_nodes, values_by_python, watched_by

Vector = NDArray[np.float64]
REST = 1e-3
"""Speed, rad/s or m/s, below which a joint that meets a stop with restitution stays there."""
ROUNDED = 1e3 * float(np.finfo(float).eps)
"""Relative change of coordinates and speeds that is rounding, while a watched function stays at zero."""
LATER = np.array([0.11, 0.37, 1.0])
"""Fractions of the output interval after which such a function is looked at."""
AHEAD = 1e-9
"""Share of the longest step after which a function that is at zero shows its side."""


class Reaction(NamedTuple):
    """What events have done: whether the run ends, and which limits hold their joint from now on, on which side."""

    ends: bool
    held: dict[int, float]


class EventHandler:
    """A system with some joints held by their stops, and what is watched meanwhile.

    Parameters
    ----------
    system : DrivenSystem
        Of the run, nothing held.
    events, limits : sequences
    held : dict of int to float
        Numbers of limits whose joint is held, and the side: 1 at the upper stop, -1 at the lower.
    """

    def __init__(
        self, system: DrivenSystem, events: Sequence[Event], limits: Sequence[Limit], held: dict[int, float]
    ) -> None:
        self.events, self.limits, self.held = events, limits, held
        self.speeds = [limit_speed(system.model, limit) for limit in limits]
        self.system = system.locked(frozenset(self.speeds[i] for i in held)) if held else system
        self._watched = watched_by(self.system, events, limits, held)
        calling = bool(held) and self.system.inputs.calls  # what a stop has to hold depends on their answers
        called = any(callable(e.when) for e in events)
        self.native = not called and not calling and (not held or self.system.engine == "blocks")
        self._by_python = values_by_python(self.system, self._watched, calling)
        self._changes: dict[int, Function] = {}

    def watch(self, t: float, y: Vector, u: Vector, longest: float) -> Watch | None:
        """What is watched from a state on, in steps no longer than `longest`."""
        if not self._watched:
            return None
        kernel = None
        if self.native:
            count, held = len(self._watched), bool(self.held)
            kernel = self.system.watch(lambda e: on_nodes(e, self._watched, held), count, self._name())
        values = (lambda t, y, u: np.asarray(kernel(np.array([t]), y, u))) if kernel is not None else self._by_python
        # An event that has just happened is at zero, and what it changed may turn it back: its side is where it goes.
        # Joints are inside their stops, and stops push.
        h = AHEAD * longest
        soon = np.sign(values(t + h, y + h * self.system.rate(t, y, u), u))
        inside = [-x.direction for x in self._watched]
        own = [isinstance(x, EventCrossing) for x in self._watched]
        signs = np.where(own, soon, inside)
        directions = np.array([x.direction for x in self._watched])
        return Watch(values, 0 if kernel is None else kernel.address, directions, signs, longest)

    def stays(self, watch: Watch, t: float, y: Vector, u: Vector) -> NDArray[np.bool_]:
        """Whether functions (e,), zero at a state, change in an output interval by no more than rounding does."""
        scale = np.maximum(np.abs(y), state_scale(self.system))
        here, ways = watch.values(t, y, u), np.random.default_rng(0).choice([-1.0, 1.0], (4, len(y)))
        rounding = np.max([np.abs(watch.values(t, y + ROUNDED * scale * way, u) - here) for way in ways], axis=0)
        moved = np.zeros_like(here)
        for h in watch.longest * LATER:
            later = y + h * self.system.rate(t + h, y + h * self.system.rate(t, y, u), u)
            moved = np.maximum(moved, np.abs(watch.values(t + h, later, u) - here))
        return np.asarray(moved <= rounding)

    def is_event(self, n: int) -> bool:
        """Whether this is an event of the user."""
        return isinstance(self._watched[n], EventCrossing)

    def _name(self) -> str:
        whens = [e.when for e in self.events]
        return f"watch {(whens, self.limits, sorted(self.held.items()))!r}"

    @property
    def watched(self) -> Sequence[Watched]:
        """All that is watched, in order."""
        return self._watched

    def label(self, n: int) -> str:
        """Name of what happened."""
        return self._watched[n].label

    def react(self, happened: Sequence[int], t: float, y: Vector, u: Vector) -> Reaction:
        """What follows from all that happened at one time; y and u are changed."""
        held = dict(self.held)
        met: dict[int, float] = {}
        changes: dict[str, set[int]] = {}
        ends = False
        for x in (self._watched[n] for n in happened):
            if isinstance(x, EventCrossing):
                changes[x.event.name] = self._change(x, t, y, u)
                ends = ends or x.event.stop
            elif isinstance(x, StopRelease):
                held.pop(x.number, None)
            else:
                met[x.number] = x.side
        self._close(changes, t, y, u)
        resting = {i: side for i, side in met.items() if self._impact(i, side, held, t, y)}
        resting = self._holdable(resting, held, y)
        for i, side in resting.items():
            if self._pushes(i, side, held | resting, t, y, u):
                held[i] = side
        return Reaction(ends, held)

    def _mask(self, held: Iterable[int]) -> Mask:
        """Degrees of freedom whose motion is prescribed, or which these stops hold."""
        out = np.zeros(self.system.nv, dtype=np.bool_)
        out[[*self.system.inputs.motions, *(self.speeds[j] for j in held)]] = True
        return out

    def _holdable(self, resting: dict[int, float], held: dict[int, float], y: Vector) -> dict[int, float]:
        """Joints at rest that stops can hold: not those which can no longer move when the others are held."""
        if self.system.model.loops is None:
            return resting
        out: dict[int, float] = {}
        for i, side in resting.items():
            at = y[: self.system.nq], self.speeds[i], self._mask([*held, *out])
            if impulse_at(self.system.model.floating_frames("a stop"), *at) is not None:
                out[i] = side
        return out

    def _close(self, changes: dict[str, set[int]], t: float, y: Vector, u: Vector) -> None:
        """Close the loops again that events have opened, at these places of the state."""
        s = self.system
        places = set().union(*changes.values())
        if not places or s.model.loops is None:
            return
        q, v = s.settled(np.array([t]), y[None], u[None], 0)
        try:
            y[: s.nq], y[s.nq : s.nq + s.nv] = closed_again(
                s.model.floating_frames("a closed loop"), q, v, s.prescribed, places
            )
        except AssemblyError as error:
            names = [*s.model.coordinates, *(f"rate({name})" for name in s.model.speeds)]
            what = ", ".join(names[place] for place in sorted(places))
            raise SimulationError(
                f"event {', '.join(map(repr, changes))} at t = {t:.6g} s: the loops cannot be closed with the new "
                f"{what}: {error}"
            ) from None

    def _impact(self, i: int, side: float, held: dict[int, float], t: float, y: Vector) -> bool:
        """A joint thrown back by its stop; whether it comes to rest there.

        Joints that the impulse pulls off their stops are no longer held.
        """
        limit, speed = self.limits[i], self.speeds[i]
        model, nq = self.system.model, self.system.nq
        v = y[nq : nq + self.system.nv]
        y[model.q_of_speed[speed]] = limit.upper if side > 0 else limit.lower
        if model.loops is not None:
            y[:nq] = model.loops.project(y[None, :nq], v[None], self._mask([*held, i]))[0][0]
        if v[speed] * side < -REST:  # an impulse on another joint has turned it round
            return False
        back = limit.restitution if abs(v[speed]) > REST else 0.0
        while True:
            found = impulse_at(model.floating_frames("a stop"), y[:nq], speed, self._mask(held))
            if found is None and abs(v[speed]) <= REST:  # what holds the others holds it too
                return False
            if found is None:
                raise SimulationError(
                    f"limit of {limit.coordinate!r}: at t = {t:.6g} s the joint meets its stop, which cannot hold it: "
                    "prescribed motions, other stops and the closed loops leave it no other way"
                )
            change, impulse = (-(1.0 + back) * v[speed] * x for x in found)
            pulled = [j for j, other in held.items() if other * impulse[self.speeds[j]] > 0]
            if not pulled:
                break
            for j in pulled:
                del held[j]
        v += change
        if not back:
            v[speed] = 0.0
        return not back

    def _pushes(self, i: int, side: float, held: dict[int, float], t: float, y: Vector, u: Vector) -> bool:
        """Whether the stop has to push to hold the joint."""
        s = self.system.locked(frozenset(self.speeds[j] for j in (*held, i)))
        s.call(t, y, u)
        tau = s.motion(np.array([t]), y[None], u[None])[1][0]
        return bool(side * (tau[self.speeds[i]] - s.unlocked(t, y, u)[self.speeds[i]]) < 0)

    def _change(self, crossing: EventCrossing, t: float, y: Vector, u: Vector) -> set[int]:
        """What an event does to the state and the variables; gives the places of y that it has changed."""
        s, event, where = self.system, crossing.event, crossing.where
        places: set[int] = set()
        if event.change:
            new = self._new_values(crossing).evaluate(t=[t], y=y, u=u)["x"]
            for name, x in zip(event.change, new, strict=True):
                if not np.isfinite(x):
                    raise SimulationError(f"{where}: change: {name!r} would become {x} at t = {t:.6g} s")
                kind, place = changed(s.model, s.inputs, name, where)
                (y if kind == "y" else u)[place] = x
                places |= {place} if kind == "y" else set()
        return places | self._act(crossing, t, y)

    def _act(self, crossing: EventCrossing, t: float, y: Vector) -> set[int]:
        """The state that an event's function gives, into y; gives the places that it has changed."""
        s, action, where = self.system, crossing.event.action, crossing.where
        if action is None:
            return set()
        answer = action(t, y[: s.nq].copy(), y[s.nq : s.nq + s.nv].copy())
        try:
            q, v = (np.asarray(x, dtype=float) for x in answer)
        except (TypeError, ValueError):
            raise StateError(f"{where}: action: expected the state (q, v), got {answer!r}") from None
        if q.shape != (s.nq,) or v.shape != (s.nv,):
            raise StateError(
                f"{where}: action: expected q and v of shapes ({s.nq},) and ({s.nv},), got {q.shape}, {v.shape}"
            )
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise SimulationError(f"{where}: action: expected finite numbers, got others at t = {t:.6g} s")
        new = np.concatenate([q, v])
        places = {int(n) for n in np.flatnonzero(new != y[: s.nq + s.nv])}
        y[: s.nq + s.nv] = new
        return places

    def _new_values(self, crossing: EventCrossing) -> Function:
        """The new values of an event's changes, all from the state before it."""
        i, event, where = crossing.number, crossing.event, crossing.where
        if i not in self._changes:
            e = DrivenEquations(self.system.model, self.system.inputs)
            at = e.settled()
            nodes = [at.formula(x, f"{where}: {name!r}") for name, x in event.change.items()]
            self._changes[i] = Function("change", at.graph, e.inputs, {"x": np.array(nodes, dtype=object)})
        return self._changes[i]
