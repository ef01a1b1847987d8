"""What may end a segment of a run: events of the user, joints that meet their stops, stops that let go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.description.limits import Limit
from supple.errors import SimulationError, StateError
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.inputs.driven import DrivenEquations
from supple.inputs.events import DIRECTIONS, Event, limit_speed
from supple.simulation.driven_system import DrivenSystem

Vector = NDArray[np.float64]
SLACK = 1e-12
"""How far beyond a stop a joint in a closed loop counts as there, rad or m: rounding moves one that others hold."""


@dataclass(frozen=True)
class EventCrossing:
    """An event of the user: its quantity passes zero."""

    number: int
    event: Event

    @property
    def direction(self) -> float:
        """The way that counts: 1 rising, -1 falling, 0 both."""
        return DIRECTIONS[self.event.direction]

    @property
    def label(self) -> str:
        """Its name in results."""
        return self.event.name

    @property
    def where(self) -> str:
        """Its name in messages."""
        return f"event {self.event.name!r}"

    def node(self, e: DrivenEquations, tau: Nodes | None) -> Expr:
        """What is watched, on nodes."""
        assert isinstance(self.event.when, str)
        return e.settled().formula(self.event.when, self.where)

    def asked(self, t: float, q: Vector, v: Vector) -> float:
        """What a function that is watched answers."""
        assert callable(self.event.when)
        answer = self.event.when(t, q.copy(), v.copy())
        try:
            found = float(answer)
        except (TypeError, ValueError):
            raise StateError(f"{self.where}: when: expected a number, got {answer!r}") from None
        if np.isnan(found):
            raise SimulationError(f"{self.where}: when: expected a number, got nan at t = {t:.6g} s")
        return found


@dataclass(frozen=True)
class StopContact:
    """A joint meets its stop.

    Attributes
    ----------
    number : int
        Of the limit.
    speed, place : int
        Of the joint in v and q.
    side : float
        1 at the upper stop, -1 at the lower.
    stop : float
        Where it is watched, rad or m.
    """

    number: int
    limit: Limit
    speed: int
    place: int
    side: float
    stop: float

    @property
    def direction(self) -> float:
        """The way that counts."""
        return self.side

    @property
    def label(self) -> str:
        """Its name in results."""
        return f"{self.limit.coordinate} {'upper' if self.side > 0 else 'lower'}"

    def node(self, e: DrivenEquations, tau: Nodes | None) -> Expr:
        """What is watched, on nodes: how far beyond the stop the joint is."""
        beyond: Expr = e.at.q[self.place] - self.stop
        return beyond


@dataclass(frozen=True)
class StopRelease:
    """A stop that holds a joint would have to pull."""

    number: int
    limit: Limit
    speed: int
    side: float

    @property
    def direction(self) -> float:
        """The way that counts: from pushing to pulling."""
        return 1.0

    @property
    def label(self) -> str:
        """Its name in results."""
        return f"{self.limit.coordinate} release"

    def node(self, e: DrivenEquations, tau: Nodes | None) -> Expr:
        """What is watched, on nodes: the force of the stop."""
        assert tau is not None
        force: Expr = self.side * (tau[self.speed] - e.applied.unlocked[self.speed])
        return force


Watched = EventCrossing | StopContact | StopRelease


def watched_by(
    system: DrivenSystem, events: Sequence[Event], limits: Sequence[Limit], held: dict[int, float]
) -> list[Watched]:
    """All that is watched while some joints are held by their stops, in order."""
    model = system.model
    slack = 0.0 if model.loops is None else SLACK
    out: list[Watched] = [EventCrossing(i, event) for i, event in enumerate(events)]
    for i, limit in enumerate(limits):
        speed = limit_speed(model, limit)
        if i in held:
            out.append(StopRelease(i, limit, speed, held[i]))
            continue
        for side, stop in ((-1.0, limit.lower), (1.0, limit.upper)):
            if stop is not None:
                out.append(StopContact(i, limit, speed, int(model.q_of_speed[speed]), side, stop + side * slack))
    return out


def values_by_python(
    system: DrivenSystem, watched: Sequence[Watched], calling: bool
) -> Callable[[float, Vector, Vector], Vector]:
    """Gives all that is watched, (e,), at (t, y, u), by Python functions and the recursions.

    `calling`: what a stop has to hold depends on answers of functions, which are asked first.
    """
    crossings = [(n, x) for n, x in enumerate(watched) if isinstance(x, EventCrossing)]
    called = {n: x for n, x in crossings if callable(x.event.when)}
    formulas = {n: x for n, x in crossings if n not in called}
    contacts = {n: x for n, x in enumerate(watched) if isinstance(x, StopContact)}
    releases = {n: x for n, x in enumerate(watched) if isinstance(x, StopRelease)}
    texts = [x.event.when for x in formulas.values()]

    def nodes(e: DrivenEquations) -> Nodes:
        return on_nodes(e, formulas.values(), False)

    def values(t: float, y: Vector, u: Vector) -> Vector:
        out = np.zeros(len(watched))
        if formulas:
            out[list(formulas)] = system.watch(nodes, len(formulas), f"formulas {texts!r}")(np.array([t]), y, u)
        if calling:
            system.call(t, y, u)
        for n, x in called.items():
            out[n] = x.asked(t, y[: system.nq], y[system.nq : system.nq + system.nv])
        for n, contact in contacts.items():
            out[n] = y[contact.place] - contact.stop
        if releases:
            tau, unlocked = system.motion(np.array([t]), y[None], u[None])[1][0], system.unlocked(t, y, u)
            for n, release in releases.items():
                out[n] = release.side * (tau[release.speed] - unlocked[release.speed])
        return out

    return values


def on_nodes(e: DrivenEquations, watched: Iterable[Watched], held: bool) -> Nodes:
    """All that is watched, on nodes; `held`: stops hold joints, whose forces are needed."""
    tau = e.motion()[1] if held else None
    return np.array([x.node(e, tau) for x in watched], dtype=object)
