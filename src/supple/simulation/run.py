"""A run on its way: from segment to segment, through jumps, ticks of clocks, events and stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from supple.description.limits import Limit
from supple.errors import SimulationError, SingularError, StateError
from supple.inputs.events import Event
from supple.integrators import Integrator
from supple.simulation.choice import Choice, choose
from supple.simulation.clocks import Clocks
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.event_handling import EventHandler
from supple.simulation.horizon import Horizon
from supple.simulation.independent_speeds import IndependentSpeeds
from supple.simulation.methods.segment import Effort, Memory, Method, Segment, Task
from supple.simulation.samples import Samples

Vector = NDArray[np.float64]
Progress = Callable[[float], None]
MOST_EVENTS = 10_000
"""In one output interval: more are a model that chatters."""
CLOSE_EVENTS, CLOSE = 20, 1e-7
"""An event that happens so often within this share of an output interval undoes itself, or has no end."""
OPEN = 5e-9
"""Error of a constraint equation, relative to its typical size, with which a run does not go on."""
KEPT_AT_JUMPS = ("h", "sizes")
"""What a method keeps where a law jumps: step length and size of the motion."""
Key = tuple[tuple[tuple[int, float], ...], tuple[int, ...]]


@dataclass(frozen=True)
class Setting:
    """What stays the same in a run.

    Attributes
    ----------
    events, limits : tuples
    horizon : Horizon
    wanted : Integrator
        Asked for; what is taken is the run's choice.
    """

    events: tuple[Event, ...]
    limits: tuple[Limit, ...]
    horizon: Horizon
    wanted: Integrator


class Run:
    """A system in motion.

    Parameters
    ----------
    system : DrivenSystem
    setting : Setting
    q, v : (nq,), (nv,) arrays
        The state at the start, loops closed.
    partition : IndependentSpeeds, optional
        Where loops are kept closed in independent coordinates.

    Attributes
    ----------
    t, y, u : float, (n,) array, (k,) array
        Present time, state (see `driven_system`) and held values.
    held : dict of int to float
        Limits whose joint is held by a stop, and the side.
    signs : (e,) array
        Sides on which the watched functions are; empty if they are not known.
    still : list of int
        Events that have happened and whose functions stay at zero.
    memory : dict of name to array
        What the integrator keeps from segment to segment.
    first : two arrays
        y and u from which integrators are made: not those of a resumed run, which would have others.
    happened : list of (float, str)
        Events so far.
    effort : Effort
        Steps and evaluations so far.
    ended : bool
        Whether an event has ended the run.
    choice : Choice
        The integrator that was taken.
    """

    def __init__(
        self, system: DrivenSystem, setting: Setting, q: Vector, v: Vector, partition: IndependentSpeeds | None
    ) -> None:
        self.setting, self.horizon, self.partition = setting, setting.horizon, partition
        self.ended = False
        self.happened: list[tuple[float, str]] = []
        self.effort = Effort()
        self.t, self.held, self.signs = 0.0, dict[int, float](), np.zeros(0)
        self.memory: Memory = {}
        self.y, self.u = np.concatenate([*system.start_state(q, v), system.z_0]), system.u_0.copy()
        self.use(system)
        self.choose_speeds()
        system.begin(0.0, self.y, self.u)
        self.first = self.y.copy(), self.u.copy()
        self.choice: Choice = choose(setting.wanted, system, self.y, self.u, self.horizon)

    def use(self, system: DrivenSystem) -> None:
        """Take a system whose clocks tick now."""
        self.system = system
        self.still: list[int] = []
        self._handlers: dict[Key, EventHandler] = {}
        self._methods: dict[Key, Method] = {}
        self.clocks = Clocks(system, self.t, self.horizon)
        self._times, self._done = np.zeros(0), 0
        self._gathered: list[Samples] = []

    def take_over(self, system: DrivenSystem, y: Vector) -> None:
        """Go on with a system that differs in the model's numbers alone: clocks, held values and integrals stay."""
        ticks = self.clocks.ticks
        self.use(system)
        self.clocks.ticks = ticks
        self.y, self.first = y, (y.copy(), self.u.copy())

    def change_integrator(self, wanted: Integrator) -> None:
        """Go on with another integrator from here."""
        self.choice = choose(wanted, self.system, self.y, self.u, self.horizon)
        self._methods = {}
        self.interrupt()

    def interrupt(self, jump: bool = False) -> None:
        """Forget what the integrator and the watched functions have kept: the state was changed, or a law jumps."""
        self.memory = self._kept_at_jump() if jump else {}
        self.signs, self.still = np.zeros(0), []

    def _kept_at_jump(self) -> Memory:
        return {key: self.memory[key] for key in KEPT_AT_JUMPS if key in self.memory}

    def tangent_state(self) -> list[Vector]:
        """How state and held values change with parameters: nothing is asked for."""
        return []

    def restore_tangents(self, values: list[Vector]) -> None:
        """Take tangents of a checkpoint: there are none."""

    # ------------------------------------------------------------ advancing

    def advance(self, goal: float, times: Vector, tell: Progress) -> None:
        """Go to a time, or to the event before it that ends the run; gather the motion at some times."""
        self._times, self._done, self._gathered = times, 0, []
        if not self.ended:
            self._sample_present()
            self._advance(goal, tell)

    @property
    def gathered(self) -> Samples:
        """The motion at the output times of the last `advance`, as far as it came."""
        if not self._gathered:
            return self.sampled(np.zeros(0), np.zeros((0, len(self.y))))
        return Samples.joined(self._gathered)

    def _sample_present(self) -> None:
        """Samples of the present time, if it is an output time."""
        if len(self._times) and self._times[0] <= self.t + self.horizon.close:
            self._gathered.append(self.sampled(self._times[:1], self.y[None]))
            self._done = 1

    def _advance(self, goal: float, tell: Progress) -> None:
        """Segment by segment to a time, or to the event that ends the run."""
        mark, done, before = self.t, self._done, len(self.happened)
        while not self.ended and (self._done < len(self._times) or self.t < goal - self.horizon.close):
            self._segment(goal, tell)
            if self._done > done or self.t > mark + self.horizon.interval:
                mark, done, before = self.t, self._done, len(self.happened)
            elif len(self.happened) - before > MOST_EVENTS:
                raise SimulationError(
                    f"model {self.system.model.name!r}: more than {MOST_EVENTS} events up to t = {self.t:.6g} s since "
                    f"the last output time, the last of them {self.happened[-1][1]!r}: the model chatters"
                )
        tell(self.t if self.ended else goal)

    def _segment(self, goal: float, tell: Progress) -> None:
        """To the next jump or event, or to the goal."""
        method, handler = self.method(), self.handler()
        task = self._task(goal, method, tell)
        found = self._run(method, task)
        found.events, self.still = self._leaving_zero(handler, task, found)
        count, system = len(found.states), handler.system
        if count:
            self._gather(self._times[self._done : self._done + count], system.project(found.states))
        self.t, self.y = found.t, system.project(found.y[None])[0]
        self._require_closed()
        met = self._times[self._done : self._done + 1]
        if found.events and len(met) and met[0] <= found.t + self.horizon.close:  # an event at an output time
            self._gather(met, found.y[None])
        # What is zero at the end of a segment has passed zero in the next: sides go from one to the other.
        self.signs = np.zeros(0) if task.watch is None or found.events else task.watch.signs.copy()
        if found.events:
            self._react(handler, found.events)
        if not self.ended and self.clocks.is_jump(self.t):
            self._jump()
        self.choose_speeds()

    def _leaving_zero(self, handler: EventHandler, task: Task, found: Segment) -> tuple[list[int], list[int]]:
        """The events of a segment; and those that happened before and whose functions stay at zero but for rounding."""
        if not found.events or task.watch is None:
            return found.events, []
        names = {n: handler.label(n) for n in found.events if handler.is_event(n)}
        # The last ones first: what chatters is found at once, in a list of thousands.
        still = [n for n, label in names.items() if any(name == label for _, name in reversed(self.happened))]
        if not still:
            return found.events, []
        n = len(self.y)
        staying = handler.stays(task.watch, found.t, found.y[:n], task.u[: len(self.u)])
        still = [n for n in still if staying[n]]
        return [n for n in found.events if n not in still], still

    def _task(self, goal: float, method: Method, tell: Progress) -> Task:
        """The next segment: to the next jump; where loops are closed, to the next output time."""
        self.t = min(goal, self.clocks.begin(self.t, self.u))
        end = min(goal, self.clocks.next_jump(self.t, self.u, goal))
        # A segment ends with its loops closed, and with a look at the choice of independent speeds.
        if self.system.model.loops is not None and (method.one_step or self.partition is not None):
            following = self._times[self._done : self._done + 1]
            end = min(end, float(following[0]) if len(following) else self.t + self.horizon.interval)
        # An output time that is the jump's but for rounding shows the state before the jump, as all others do.
        upto = int(np.searchsorted(self._times, end + self.horizon.close, side="right"))
        watch = self.handler().watch(self.t, self.y, self.u, self.horizon.interval)
        if watch is not None and len(self.signs):
            watch.signs = np.where(self.signs != 0, self.signs, watch.signs)
        if watch is not None and self.still:
            watch.signs[self.still] = 0.0
        within = np.minimum(self._times[self._done : upto], end)
        out = np.full((len(within), len(self.y)), np.nan)
        return Task(self.t, self.y, end, within, self.u, dict(self.memory), watch, out, tell)

    def _run(self, method: Method, task: Task) -> Segment:
        """What a method makes of a task; where it fails, the states that it has found are gathered."""
        before = Effort(**vars(method.effort))
        try:
            found = method.run(task)
        except (SimulationError, SingularError, StateError) as error:  # the last from a function of the user's
            kept = int(np.append(np.isfinite(task.out).all(axis=1), False).argmin())
            times = self._times[self._done : self._done + kept]
            if kept:
                self._gather(times, task.out[:kept])
            if isinstance(error, SimulationError):
                raise
            reached = float(times[-1]) if kept else self.t
            raise SimulationError(f"{method.name} stopped after t = {reached:.6g} s: {error}") from None
        finally:
            self.effort.add(method.effort, before)
        self.memory = task.memory
        return found

    def _react(self, handler: EventHandler, events: list[int]) -> None:
        """What the events do."""
        self.happened += [(self.t, handler.label(n)) for n in events]
        self._require_progress()
        y, u = self.y.copy(), self.u.copy()
        self.ended, self.held = handler.react(events, self.t, self.y, self.u)
        self.memory = {}
        self._reacted(handler, events, y, u)
        if self.ended and len(self._times):
            self._sample_end()

    def _reacted(self, handler: EventHandler, events: list[int], y: Vector, u: Vector) -> None:
        """What else changes with events; y and u are those before."""

    def _jump(self) -> None:
        """Let the laws jump that do so now."""
        self.clocks.jump(self.t, self.y, self.u)
        self.memory = self._kept_at_jump()

    def _require_progress(self) -> None:
        """Refuse an event that follows itself ever faster or at once, so that time does not go on."""
        recent = takewhile(lambda x: x[0] >= self.t - CLOSE * self.horizon.interval, reversed(self.happened))
        times: dict[str, list[float]] = {}
        for t, name in recent:
            times.setdefault(name, []).append(t)
        for name, found in times.items():
            if len(found) >= CLOSE_EVENTS:
                raise SimulationError(
                    f"model {self.system.model.name!r}: {name!r} happened {len(found)} times within "
                    f"{found[0] - found[-1]:.1e} s before t = {self.t:.6g} s, {_without_end(-np.diff(found))}"
                )

    def _sample_end(self) -> None:
        """The state behind the last event as the last sample; it takes the place of one at the same time."""
        if self._gathered and self._gathered[-1].t[-1] >= self.t - self.horizon.close:
            last = self._gathered.pop()
            if len(last) > 1:
                self._gathered.append(last[:-1])
        self._gathered.append(self.sampled(np.array([self.t]), self.y[None]))

    # ------------------------------------------------------------ states

    def _gather(self, t: Vector, y: Vector) -> None:
        """Samples of states (n, ...) at the next output times."""
        self._gathered.append(self.sampled(t, y))
        self._done += len(t)

    def sampled(self, t: Vector, y: Vector) -> Samples:
        """States, accelerations and generalized forces of states (n, ...)."""
        s = self.handler().system
        u = np.repeat(self.u[None], len(t), axis=0)
        if s.inputs.calls:
            for i in range(len(t)):
                s.call(float(t[i]), y[i], u[i])
        q, v = s.settled(t, y, u)
        a, tau = s.motion(t, y, u, self.choice.asks_for_rates)
        n, z = len(t), y[:, s.nq + s.nv :]
        if not s.inputs.wrenches:
            return Samples(t, q, v, a, tau, z, np.zeros((n, 0, 6)), np.zeros((n, s.nv)), np.zeros((n, 0, 6)))
        wrench, pull, on_bodies, _ = s.wrenches(t[:, None], y, u)
        shapes = (n, len(s.inputs.wrenches), 6), (n, len(s.model.bodies), 6)
        return Samples(t, q, v, a, tau - pull, z, wrench.reshape(shapes[0]), pull, on_bodies.reshape(shapes[1]))

    def _require_closed(self) -> None:
        """Refuse a state whose loops projection has not closed."""
        loops = self.system.model.loops
        if loops is None:
            return
        error = np.where(loops.holonomic, np.abs(loops.errors(self.y[: self.system.nq])[0]), 0.0)
        share = error / loops.scales.rows
        if not share.max(initial=0.0) <= OPEN:
            worst = int(share.argmax())
            name, row = loops.rows[worst]
            moved = [self.system.model.speeds[i] for i in np.flatnonzero(self.system.prescribed)]
            why = f"the prescribed motions of {', '.join(moved)} contradict it, or " if moved else ""
            raise SimulationError(
                f"model {self.system.model.name!r}: constraint {name!r}: {row.label} is off by {error[worst]:.3g} "
                f"(m or rad) at t = {self.t:.6g} s: {why}the steps were too long, or the configuration is singular"
            )

    def choose_speeds(self) -> None:
        """Independent speeds for the next segment."""
        if self.partition is not None:
            self.partition.update(self.t, self.y[: self.system.nq], self.handler().system.prescribed)

    def _key(self) -> Key:
        """What is held by stops, and the independent speeds."""
        return tuple(sorted(self.held.items())), () if self.partition is None else self.partition.present

    def handler(self) -> EventHandler:
        key = self._key()
        if key not in self._handlers:
            system = self.system.chosen(frozenset(key[1]))
            self._handlers[key] = EventHandler(system, self.setting.events, self.setting.limits, dict(self.held))
        return self._handlers[key]

    def method(self) -> Method:
        key = self._key()
        if key not in self._methods:
            handler = self.handler()
            # From the first state, not this one: else a run that is resumed would have another.
            self._methods[key] = self.choice.method(handler.system, handler.native, *self.first)
        return self._methods[key]


def _without_end(gaps: Vector) -> str:
    """Why an event happens again and again, from the times between, the last one first."""
    if (gaps[1:] > 0).all() and (gaps[:-1] < gaps[1:]).all():
        return (
            f"each time after {gaps[0] / gaps[1]:.3g} of the time before: a sequence that has no end (Zeno). A stop "
            "with restitution (supple.Limit, [[limit]]) comes to rest"
        )
    return (
        "it chatters: what is changed makes it happen again at once. A gap between the values at which a change is "
        "made and undone (hysteresis) ends that"
    )
