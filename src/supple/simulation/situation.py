"""What is watched while a model moves, and what happens then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from supple.description.limits import Limit
from supple.errors import AssemblyError, SimulationError, StateError
from supple.expressions.function import Function, Nodes
from supple.inputs.driven import DrivenEquations
from supple.inputs.events import DIRECTIONS, Event, changed, limit_speed
from supple.simulation.impacts import Mask, closed_again, impulse_at
from supple.simulation.methods.segment import Watch
from supple.simulation.system import System

Vector = NDArray[np.float64]
REST = 1e-3
"""Speed, rad/s or m/s, below which a joint that meets a stop with restitution stays there."""
AHEAD = 1e-9
"""Share of the longest step after which a function that is at zero shows its side."""

SLACK = 1e-12
"""How far beyond a stop a joint in a closed loop counts as there, rad or m: rounding moves one that others hold."""


class Situation:
    """A system with some joints held by their stops, and what is watched meanwhile.

    Parameters
    ----------
    system : System
        Of the run, nothing held.
    events, limits : sequences
    held : dict of int to float
        Numbers of limits whose joint is held, and the side: 1 at the upper stop, -1 at the lower.
    """

    def __init__(
        self, system: System, events: Sequence[Event], limits: Sequence[Limit], held: dict[int, float]
    ) -> None:
        self.events, self.limits, self.held = events, limits, held
        self.speeds = [limit_speed(system.model, limit) for limit in limits]
        self.system = system.locked(frozenset(self.speeds[i] for i in held)) if held else system
        self._kinds: list[tuple[str, int, float]] = [
            ("event", i, DIRECTIONS[e.direction]) for i, e in enumerate(events)
        ]
        for i, limit in enumerate(limits):
            if i in held:
                self._kinds.append(("release", i, held[i]))
            else:
                self._kinds += [("lower", i, -1.0)] if limit.lower is not None else []
                self._kinds += [("upper", i, 1.0)] if limit.upper is not None else []
        self._called = {n: e.when for n, e in enumerate(events) if callable(e.when)}
        self._calling = bool(held) and self.system.inputs.calls  # what a stop has to hold depends on their answers
        self.native = not self._called and not self._calling and (self.system.engine == "llvm" or not held)
        self._changes: dict[int, Function] = {}
        self._slack = 0.0 if system.model.loops is None else SLACK

    def watch(self, t: float, y: Vector, u: Vector, longest: float) -> Watch | None:
        """What is watched from a state on, in steps no longer than `longest`."""
        if not self._kinds:
            return None
        kernel = self.system.watch(self._nodes, len(self._kinds), self._name()) if self.native else None
        values = (lambda t, y, u: np.asarray(kernel(np.array([t]), y, u))) if kernel is not None else self._values
        inside = {"lower": 1.0, "upper": -1.0, "release": -1.0}
        # An event that has just happened is at zero, and what it changed may turn it back: its side is where it goes.
        h = AHEAD * longest
        soon = np.sign(values(t + h, y + h * self.system.rate(t, y, u), u))
        signs = np.array([inside.get(kind, soon[n]) for n, (kind, _, _) in enumerate(self._kinds)])
        directions = np.array([1.0 if kind == "release" else way for kind, _, way in self._kinds])
        return Watch(values, 0 if kernel is None else kernel.address, directions, signs, longest)

    def _name(self) -> str:
        whens = [e.when for e in self.events]
        return f"watch {(whens, self.limits, sorted(self.held.items()))!r}"

    def _nodes(self, e: DrivenEquations) -> Nodes:
        """All watched functions."""
        out = []
        tau = e.motion()[1] if self.held else None
        place = self.system.model.q_of_speed
        for kind, i, side in self._kinds:
            if kind == "event":
                when = self.events[i].when
                assert isinstance(when, str)
                out.append(e.settled().formula(when, f"event {self.events[i].name!r}"))
            elif kind == "release":
                assert tau is not None
                speed = self.speeds[i]
                out.append(side * (tau[speed] - e.applied.unlocked[speed]))
            else:
                out.append(e.at.q[place[self.speeds[i]]] - self._stop(i, side))
        return np.array(out, dtype=object)

    def _values(self, t: float, y: Vector, u: Vector) -> Vector:
        """The same by Python functions and the recursions."""
        s = self.system
        out = np.zeros(len(self._kinds))
        formulas = [n for n, (kind, i, _) in enumerate(self._kinds) if kind == "event" and i not in self._called]
        if formulas:
            texts = [str(self.events[self._kinds[n][1]].when) for n in formulas]
            names = [f"event {self.events[self._kinds[n][1]].name!r}" for n in formulas]

            def nodes(e: DrivenEquations) -> Nodes:
                return np.array([e.settled().formula(*x) for x in zip(texts, names, strict=True)], dtype=object)

            out[formulas] = s.watch(nodes, len(formulas), f"formulas {texts!r}")(np.array([t]), y, u)
        if self._calling:
            s.call(t, y, u)
        tau = s.motion(np.array([t]), y[None], u[None])[1][0] if self.held else np.zeros(0)
        unlocked = s.unlocked(t, y, u) if self.held else np.zeros(0)
        for n, (kind, i, side) in enumerate(self._kinds):
            if kind == "event" and i in self._called:
                out[n] = self._asked(i, t, y)
            elif kind == "release":
                out[n] = side * (tau[self.speeds[i]] - unlocked[self.speeds[i]])
            elif kind in ("lower", "upper"):
                out[n] = y[s.model.q_of_speed[self.speeds[i]]] - self._stop(i, side)
        return out

    def _stop(self, i: int, side: float) -> float:
        """Where a stop is watched."""
        place = self.limits[i].upper if side > 0 else self.limits[i].lower
        assert place is not None
        return place + side * self._slack

    def label(self, n: int) -> str:
        """Name of what happened."""
        kind, i, _ = self._kinds[n]
        return self.events[i].name if kind == "event" else f"{self.limits[i].coordinate} {kind}"

    def _asked(self, i: int, t: float, y: Vector) -> float:
        """What a function that is watched answers."""
        s = self.system
        answer = self._called[i](t, y[: s.nq].copy(), y[s.nq : s.nq + s.nv].copy())
        try:
            found = float(answer)
        except (TypeError, ValueError):
            raise StateError(f"event {self.events[i].name!r}: when: expected a number, got {answer!r}") from None
        if np.isnan(found):
            raise SimulationError(f"event {self.events[i].name!r}: when: expected a number, got nan at t = {t:.6g} s")
        return found

    def happened(self, happenings: Sequence[int], t: float, y: Vector, u: Vector) -> tuple[bool, dict[int, float]]:
        """Whether the run ends, and what is held from now on; y and u are changed."""
        held = dict(self.held)
        met: dict[int, float] = {}
        changes: dict[str, set[int]] = {}
        stop = False
        for kind, i, side in (self._kinds[n] for n in happenings):
            if kind == "event":
                changes[self.events[i].name] = self._change(i, t, y, u)
                stop = stop or self.events[i].stop
            elif kind == "release":
                held.pop(i, None)
            else:
                met[i] = side
        self._close(changes, t, y, u)
        resting = {i: side for i, side in met.items() if self._impulse(i, side, held, t, y)}
        resting = self._regularized(resting, held, y)
        for i, side in resting.items():
            if self._pushes(i, side, held | resting, t, y, u):
                held[i] = side
        return stop, held

    def _mask(self, held: Iterable[int]) -> Mask:
        """Degrees of freedom whose motion is prescribed, or which these stops hold."""
        given = np.zeros(self.system.nv, dtype=np.bool_)
        given[[*self.system.inputs.motions, *(self.speeds[j] for j in held)]] = True
        return given

    def _regularized(self, resting: dict[int, float], held: dict[int, float], y: Vector) -> dict[int, float]:
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
                s.model.floating_frames("a closed loop"), q, v, s.given, places
            )
        except AssemblyError as error:
            names = [*s.model.coordinates, *(f"rate({name})" for name in s.model.speeds)]
            what = ", ".join(names[place] for place in sorted(places))
            raise SimulationError(
                f"event {', '.join(map(repr, changes))} at t = {t:.6g} s: the loops cannot be closed with the new "
                f"{what}: {error}"
            ) from None

    def _impulse(self, i: int, side: float, held: dict[int, float], t: float, y: Vector) -> bool:
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

    def _change(self, i: int, t: float, y: Vector, u: Vector) -> set[int]:
        """What an event does to the state and the variables; gives the places of y that it has changed."""
        s, event = self.system, self.events[i]
        places: set[int] = set()
        where = f"event {event.name!r}"
        if event.change:
            new = self._values_of(i).evaluate(t=[t], y=y, u=u)["x"]
            for name, x in zip(event.change, new, strict=True):
                if not np.isfinite(x):
                    raise SimulationError(f"{where}: change: {name!r} would become {x} at t = {t:.6g} s")
                kind, place = changed(s.model, s.inputs, name, where)
                (y if kind == "y" else u)[place] = x
                places |= {place} if kind == "y" else set()
        if event.action is not None:
            q, v = event.action(t, y[: s.nq].copy(), y[s.nq : s.nq + s.nv].copy())
            q_, v_ = (np.asarray(x, dtype=float) for x in (q, v))
            if q_.shape != (s.nq,) or v_.shape != (s.nv,):
                raise StateError(
                    f"{where}: action: expected q and v of shapes ({s.nq},) and ({s.nv},), got {q_.shape}, {v_.shape}"
                )
            if not (np.isfinite(q_).all() and np.isfinite(v_).all()):
                raise SimulationError(f"{where}: action: expected finite numbers, got others at t = {t:.6g} s")
            new = np.concatenate([q_, v_])
            places |= {int(n) for n in np.flatnonzero(new != y[: s.nq + s.nv])}
            y[: s.nq + s.nv] = new
        return places

    def _values_of(self, i: int) -> Function:
        """The new values of an event's changes, all from the state before it."""
        if i not in self._changes:
            event = self.events[i]
            e = DrivenEquations(self.system.model, self.system.inputs)
            at, where = e.settled(), f"event {event.name!r}"
            nodes = [at.formula(x, f"{where}: {name!r}") for name, x in event.change.items()]
            self._changes[i] = Function("change", at.graph, e.inputs, {"x": np.array(nodes, dtype=object)})
        return self._changes[i]
