"""Events: what is watched while a model moves, and what happens then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError, nearest
from supple.inputs.inputs import Inputs
from supple.model.model import Model
from supple.simulation.methods.stretch import Watch
from supple.simulation.system import Equations, System
from supple.symbolic.function import Nodes

Vector = NDArray[np.float64]
DIRECTIONS = {"rising": 1.0, "falling": -1.0, "both": 0.0}
REST = 1e-3
"""Speed, rad/s or m/s, below which a joint that meets a stop with restitution stays there."""


@dataclass(frozen=True)
class Event:
    """Something that happens when a quantity passes zero.

    Parameters
    ----------
    name : str
    when : formula, or function of (t, q, v)
        What is watched.
    direction : str
        "rising", "falling" or "both".
    stop : bool
        Ends the run.
    change : mapping of name to number or formula
        New values of variables, coordinates or speeds (as "rate(arm.angle)", or by their own name).
    action : function of (t, q, v), optional
        Gives the state (q, v) after the event.
    """

    name: str
    when: str | Callable[[float, Vector, Vector], float]
    direction: str = "both"
    stop: bool = False
    change: Mapping[str, float | str] = field(default_factory=dict)
    action: Callable[[float, Vector, Vector], tuple[Any, Any]] | None = None

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise StateError(
                f"event {self.name!r}: direction: expected one of {', '.join(DIRECTIONS)}, got {self.direction!r}"
            )


@dataclass(frozen=True)
class Limit:
    """Stops of a joint: its coordinate stays between them.

    A joint that meets a stop is thrown back with `restitution` times its speed, by a blow that all bodies feel. Where
    it comes to rest it is held by the stop as long as the stop pushes.

    Parameters
    ----------
    coordinate : str
    lower, upper : float, optional
    restitution : float
        0 ... 1.
    """

    coordinate: str
    lower: float | None = None
    upper: float | None = None
    restitution: float = 0.0

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise StateError(f"limit of {self.coordinate!r}: expected lower, upper or both, got neither")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise StateError(f"limit of {self.coordinate!r}: expected lower < upper, got {self.lower}, {self.upper}")
        if not 0 <= self.restitution <= 1:
            raise StateError(
                f"limit of {self.coordinate!r}: restitution: expected a number from 0 to 1, got {self.restitution}"
            )


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
        self.native = not self._called and (self.system.engine == "llvm" or not held)

    def watch(self, t: float, y: Vector, u: Vector) -> Watch | None:
        """What is watched from a state on."""
        if not self._kinds:
            return None
        kernel = self.system.watch(self._nodes, len(self._kinds), self._name()) if self.native else None
        values = (lambda t, y, u: np.asarray(kernel(np.array([t]), y, u))) if kernel is not None else self._values
        inside = {"lower": 1.0, "upper": -1.0, "release": -1.0}
        now = np.sign(values(t, y, u))
        signs = np.array([inside.get(kind, now[n]) for n, (kind, _, _) in enumerate(self._kinds)])
        directions = np.array([1.0 if kind == "release" else way for kind, _, way in self._kinds])
        return Watch(values, 0 if kernel is None else kernel.address, directions, signs)

    def _name(self) -> str:
        whens = [e.when for e in self.events]
        return f"watch {repr((whens, self.limits, sorted(self.held.items()))).replace(' ', '')}"

    def _nodes(self, e: Equations) -> Nodes:
        """All watched functions."""
        out = []
        tau = e.motion()[1] if self.held else None
        place = self.system.model.tree.q_of_speed
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
                out.append(e.at.q[place[self.speeds[i]]] - getattr(self.limits[i], kind))
        return np.array(out, dtype=object)

    def _values(self, t: float, y: Vector, u: Vector) -> Vector:
        """The same by Python functions and the recursions."""
        s = self.system
        out = np.zeros(len(self._kinds))
        formulas = [n for n, (kind, i, _) in enumerate(self._kinds) if kind == "event" and i not in self._called]
        if formulas:
            texts = [str(self.events[self._kinds[n][1]].when) for n in formulas]
            names = [f"event {self.events[self._kinds[n][1]].name!r}" for n in formulas]

            def nodes(e: Equations) -> Nodes:
                return np.array([e.settled().formula(*x) for x in zip(texts, names, strict=True)], dtype=object)

            out[formulas] = s.watch(nodes, len(formulas), f"formulas {texts!r}".replace(" ", ""))(np.array([t]), y, u)
        tau = s.motion(np.array([t]), y[None], u[None])[1][0] if self.held else np.zeros(0)
        unlocked = s.unlocked(t, y, u) if self.held else np.zeros(0)
        for n, (kind, i, side) in enumerate(self._kinds):
            if kind == "event" and i in self._called:
                out[n] = float(self._called[i](t, y[: s.nq].copy(), y[s.nq : s.nq + s.nv].copy()))
            elif kind == "release":
                out[n] = side * (tau[self.speeds[i]] - unlocked[self.speeds[i]])
            elif kind in ("lower", "upper"):
                out[n] = y[s.model.tree.q_of_speed[self.speeds[i]]] - getattr(self.limits[i], kind)
        return out

    def label(self, n: int) -> str:
        """Name of what happened."""
        kind, i, _ = self._kinds[n]
        return self.events[i].name if kind == "event" else f"{self.limits[i].coordinate} {kind}"

    def happened(self, n: int, t: float, y: Vector, u: Vector) -> tuple[bool, dict[int, float]]:
        """Whether the run ends, and what is held from now on; y and u are changed."""
        kind, i, side = self._kinds[n]
        held = dict(self.held)
        if kind == "event":
            self._change(self.events[i], t, y, u)
            return self.events[i].stop, held
        if kind == "release":
            held.pop(i)
            return False, held
        if self._blow(i, kind, y) and self._pushes(i, side, t, y, u):
            held[i] = side
        return False, held

    def _blow(self, i: int, kind: str, y: Vector) -> bool:
        """A joint thrown back by its stop; whether it comes to rest there."""
        s, limit, speed = self.system, self.limits[i], self.speeds[i]
        v = y[s.nq : s.nq + s.nv]
        back = limit.restitution if abs(v[speed]) > REST else 0.0
        v += -(1.0 + back) * v[speed] * s.blow(y[: s.nq], speed)
        y[s.model.tree.q_of_speed[speed]] = getattr(limit, kind)
        if not back:
            v[speed] = 0.0
        return not back

    def _pushes(self, i: int, side: float, t: float, y: Vector, u: Vector) -> bool:
        """Whether the stop has to push to hold the joint."""
        trial = self.system.locked(frozenset(self.speeds[j] for j in (*self.held, i)))
        tau = trial.motion(np.array([t]), y[None], u[None])[1][0]
        return bool(side * (tau[self.speeds[i]] - trial.unlocked(t, y, u)[self.speeds[i]]) < 0)

    def _change(self, event: Event, t: float, y: Vector, u: Vector) -> None:
        s, model = self.system, self.system.model
        new = {name: s.value(x, t, y, u, f"event {event.name!r}: {name!r}") for name, x in event.change.items()}
        for name, x in new.items():
            kind, place = _changed(model, s.inputs, name, f"event {event.name!r}")
            (y if kind == "y" else u)[place] = x
        if event.action is not None:
            q, v = event.action(t, y[: s.nq].copy(), y[s.nq : s.nq + s.nv].copy())
            q_, v_ = (np.asarray(x, dtype=float) for x in (q, v))
            if q_.shape != (s.nq,) or v_.shape != (s.nv,):
                raise StateError(
                    f"event {event.name!r}: action: expected q and v of shapes ({s.nq},) and ({s.nv},), "
                    f"got {q_.shape}, {v_.shape}"
                )
            y[: s.nq], y[s.nq : s.nq + s.nv] = q_, v_


def limit_speed(model: Model, limit: Limit) -> int:
    """The speed whose coordinate has stops."""
    place = model.coordinate_index(limit.coordinate)
    found = np.flatnonzero(model.tree.q_of_speed == place)
    if not len(found) or model._is_mode[found[0]]:
        raise StateError(f"limit of {limit.coordinate!r}: expected a joint coordinate with a rate of its own")
    return int(found[0])


def require_sound(model: Model, inputs: Inputs, events: Sequence[Event], limits: Sequence[Limit]) -> None:
    """Refuse laws, events and stops that do not fit the model."""
    e = Equations(model, inputs)
    at = e.settled()
    for event in events:
        where = f"event {event.name!r}"
        if isinstance(event.when, str):
            at.formula(event.when, where)
        for name, x in event.change.items():
            _changed(model, inputs, name, where)
            at.formula(x, f"{where}: {name!r}")
    for limit in limits:
        speed = limit_speed(model, limit)
        if speed in inputs.motions:
            raise StateError(f"limit of {limit.coordinate!r}: its motion is prescribed, so it has no stops")


def _changed(model: Model, inputs: Inputs, name: str, where: str) -> tuple[str, int]:
    """What an event changes: "u" or "y" and the place there."""
    rate = name[5:-1] if name.startswith("rate(") and name.endswith(")") else None
    if rate is not None and rate in model.speeds:
        return "y", model.nq + model.speeds.index(rate)
    if name in inputs.variables:
        return "u", list(inputs.variables).index(name)
    if name in model.coordinates:
        return "y", model.coordinates.index(name)
    if name in model.speeds:
        return "y", model.nq + model.speeds.index(name)
    known = [*inputs.variables, *model.coordinates, *model.speeds]
    raise StateError(f"{where}: change: no variable or coordinate {name!r}{nearest(name, known)}")
