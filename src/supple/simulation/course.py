"""The course of a run: stretches between jumps, ticks of clocks and events, gathered in parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.description.limits import Limit
from supple.errors import SimulationError, SingularError, StateError
from supple.inputs.controllers import Sampled
from supple.inputs.events import Event
from supple.inputs.inputs import WORK
from supple.model.loops.partitioning import condition, partition
from supple.simulation.choice import Choice
from supple.simulation.methods.segment import Effort, Memory, Method, Task
from supple.simulation.situation import Situation
from supple.simulation.system import System

Vector = NDArray[np.float64]
MOST_EVENTS = 10_000
"""In one output interval: more are a model that chatters."""
CLOSE = 1e-12
"""Times as close as this, relative to the duration, are one."""
WORTH_WRITING = 0.2
"""Seconds of work, by a rough guess, that are worth a part of their own: writing it takes some hundredths of one. By a
guess and not by the clock, so that a run that was interrupted comes to the same parts as one that was not."""
OPEN = 5e-9
"""Error of a condition, relative to its typical size, with which a run does not go on."""
WORN = 0.1
"""Share of its condition when it was made, below which a choice of independent speeds is made anew."""


@dataclass
class Part:
    """Samples of the motion: times (n,), states, accelerations, generalized forces (n, ...), integrals by name."""

    t: Vector
    q: Vector
    v: Vector
    a: Vector
    tau: Vector
    z: Vector

    def __getitem__(self, which: slice) -> Part:
        return Part(*(getattr(self, key)[which] for key in KEYS))

    @staticmethod
    def joined(parts: Sequence[Part]) -> Part:
        """One after another."""
        return Part(*(np.concatenate([getattr(x, key) for x in parts]) for key in KEYS))


KEYS = tuple(field.name for field in fields(Part))


Key = tuple[tuple[tuple[int, float], ...], tuple[int, ...]]


class Course:
    """A run that goes from part to part.

    Parameters
    ----------
    system : System
    events, limits : sequences
    duration : float
    samples : int
        Output times, both ends included.
    progress : function of t, optional
    partitioned : bool
        Keep loops closed in independent coordinates.
    """

    choice: Choice

    def __init__(
        self,
        system: System,
        events: Sequence[Event],
        limits: Sequence[Limit],
        duration: float,
        samples: int,
        progress: Callable[[float], None] | None,
        partitioned: bool = False,
    ) -> None:
        self._partitioned = partitioned
        self.system, self.events, self.limits = system, tuple(events), tuple(limits)
        self.times = np.linspace(0.0, duration, samples)
        self.duration = duration
        self._tell = progress or (lambda t: None)
        self.happened: list[tuple[float, str]] = []
        self.effort = Effort()
        self._written = 0
        self._guess = _seconds_of_an_evaluation(system, self.events)
        self.unfinished: list[Part] = []
        self._situations: dict[Key, Situation] = {}
        self._methods: dict[Key, Method] = {}
        self._breaks = system.inputs.breaks
        self.ended = False

    def start(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Take the state at the start; give y and u."""
        s = self.system
        self._t, self._done, self._held = 0.0, 0, dict[int, float]()
        self._y = np.concatenate([*s.start_state(q, v), s.z_0])
        self._u = s.u_0.copy()
        self._ticks = dict.fromkeys(s.inputs.sample_rates, 0)
        self._memory: Memory = {}
        self._signs = np.zeros(0)
        self.choices: list[tuple[float, list[int]]] = []
        self._condition = 0.0
        self._choose()
        s.begin(0.0, self._y, self._u)
        for rate in self._ticks:
            self._ticks[rate] = 1
        self._first = self._y.copy(), self._u.copy()
        return self._y, self._u

    # ------------------------------------------------------------ what goes to disk and back

    def memory(self) -> dict[str, Vector]:
        """All that the next part depends on."""
        held, ticks = sorted(self._held.items()), list(self._ticks.values())
        words = json.dumps([self.happened, held, ticks, vars(self.effort), self.choices, self._condition])
        return {
            "t": np.array([self._t]),
            "y": self._y.copy(),
            "u": self._u.copy(),
            "done": np.array([self._done, self.ended]),
            "signs": self._signs.copy(),
            "notes": np.frombuffer(words.encode(), dtype=np.uint8).copy(),
            **{f"method {key}": x.copy() for key, x in self._memory.items()},
        }

    def restore(self, memory: dict[str, Any]) -> None:
        """Go on from there."""
        self._t, self._y, self._u = float(memory["t"][0]), memory["y"].copy(), memory["u"].copy()
        self._done, self.ended = int(memory["done"][0]), bool(memory["done"][1])
        self._signs = memory["signs"].copy()
        happened, held, ticks, effort, choices, self._condition = json.loads(memory["notes"].tobytes().decode())
        self.happened = [(float(t), str(name)) for t, name in happened]
        self._held = {int(i): float(side) for i, side in held}
        self._ticks = dict(zip(self._ticks, map(int, ticks), strict=True))
        self.choices = [(float(t), [int(i) for i in chosen]) for t, chosen in choices]
        self.effort = Effort(**effort)
        self._written = self.effort.evaluations
        self._memory = {k.removeprefix("method "): x.copy() for k, x in memory.items() if k.startswith("method ")}

    def attributes(self) -> dict[str, Any]:
        """How the motion was found."""
        method = self._method()
        named = [(t, [self.system.model.speeds[i] for i in chosen]) for t, chosen in self.choices]
        return {
            "integrator": method.name,
            "reason": self.choice.reason,
            **method.attributes(),
            "steps": self.effort.steps,
            "rejected_steps": self.effort.refused,
            "evaluations": self.effort.evaluations,
            "engine": self.system.engine,
            "events": json.dumps(self.happened),
            **({"independent": json.dumps(named)} if named else {}),
        }

    # ------------------------------------------------------------ parts

    def parts(self, count: int) -> Iterator[Part]:
        """What is left of the run, in at most so many parts; each ends at an output time.

        The integration pauses so many times; what was soon found is put together to one part. Where the integration
        cannot go on, what it has found since the last part is in `unfinished`.
        """
        ends = np.unique(np.linspace(0, len(self.times) - 1, count + 1).round().astype(int))[1:]
        for last in ends:
            if self.ended or last < self._done:
                continue
            if self._done == 0:
                self.unfinished.append(self._samples(self.times[:1], self._y[None]))
                self._done = 1
            self._go(int(last))
            work = self._guess * (self.effort.evaluations - self._written)
            if work >= WORTH_WRITING or last == ends[-1] or self.ended:
                part, self.unfinished = Part.joined(self.unfinished), []
                self._written = self.effort.evaluations
                yield part

    def _go(self, last: int) -> None:
        """Up to an output time, or to the event that ends the run."""
        place, before = self._done, len(self.happened)
        while self._done <= last and not self.ended:
            self._segment(float(self.times[last]))
            if self._done > place:
                place, before = self._done, len(self.happened)
            elif len(self.happened) - before > MOST_EVENTS:
                raise SimulationError(
                    f"model {self.system.model.name!r}: more than {MOST_EVENTS} events up to t = {self._t:.6g} s since "
                    f"the last output time, the last of them {self.happened[-1][1]!r}: the model chatters"
                )
        self._tell(self._t if self.ended else float(self.times[last]))

    def _segment(self, goal: float) -> None:
        """To the next jump."""
        end = min(goal, self._next_jump())
        method = self._method()
        # A stretch ends with its loops closed, and with a look at the choice of independent speeds.
        if self.system.model.loops is not None and (method.one_step or self._partitioned):
            end = min(end, float(self.times[self._done]))
        # An output time that is the jump's but for rounding shows the state before the jump, as all others do.
        upto = int(np.searchsorted(self.times, end + CLOSE * self.duration, side="right"))
        watch = self._situation().watch(self._t, self._y, self._u, float(self.times[1]))
        if watch is not None and len(self._signs):
            watch.signs = np.where(self._signs != 0, self._signs, watch.signs)
        effort, memory = Effort(**vars(method.effort)), dict(self._memory)
        times = self.times[self._done : upto]
        out = np.full((len(times), len(self._y)), np.nan)
        within = np.minimum(times, end)
        task = Task(self._t, self._y, end, within, self._u, self._memory, watch, out, self._tell)
        try:
            found = method.run(task)
        except (SimulationError, SingularError, StateError) as error:  # the last from a function of the user's
            self._memory = memory
            kept = int(np.append(np.isfinite(out).all(axis=1), False).argmin())
            if kept:
                self.unfinished.append(self._samples(times[:kept], out[:kept]))
                self._done += kept
            if isinstance(error, SimulationError):
                raise
            reached = float(times[kept - 1]) if kept else self._t
            raise SimulationError(f"{method.name} stopped after t = {reached:.6g} s: {error}") from None
        finally:
            for key, x in vars(method.effort).items():
                setattr(self.effort, key, getattr(self.effort, key) + x - getattr(effort, key))
        count = len(found.states)
        system = self._situation().system
        if count:
            self.unfinished.append(self._samples(times[:count], system.project(found.states)))
            self._done += count
        self._t, self._y = found.t, system.project(found.y[None])[0]
        self._require_closed()
        met = self.times[self._done : self._done + 1]
        if found.events and len(met) and met[0] <= found.t + CLOSE * self.duration:  # an event at an output time
            self.unfinished.append(self._samples(met, found.y[None]))
            self._done += 1
        # What is zero at the end of a stretch has passed zero in the next: sides go from one to the other.
        self._signs = np.zeros(0) if watch is None or found.events else watch.signs.copy()
        if found.events:
            self._react(found.events)
        if not self.ended and self._is_jump(self._t):
            self._jump()
        if self._partitioned:
            self._choose()

    def _require_closed(self) -> None:
        """Refuse a state whose loops projection has not closed."""
        loops = self.system.model.loops
        if loops is None:
            return
        error = np.where(loops.holonomic, np.abs(loops.errors(self._y[: self.system.nq])[0]), 0.0)
        share = error / loops.scales.rows
        if not share.max(initial=0.0) <= OPEN:
            worst = int(share.argmax())
            name, row = loops.rows[worst]
            given = [self.system.model.speeds[i] for i in np.flatnonzero(self.system.given)]
            why = f"the prescribed motions of {', '.join(given)} contradict it, or " if given else ""
            raise SimulationError(
                f"model {self.system.model.name!r}: constraint {name!r}: {row.label} is off by {error[worst]:.3g} "
                f"(m or rad) at t = {self._t:.6g} s: {why}the steps were too long, or the configuration is singular"
            )

    def _choose(self) -> None:
        """Independent speeds for the next stretch: those so far, unless they have become a bad choice."""
        loops = self.system.model.loops
        if loops is None or not self._partitioned:
            return
        q, given = self._y[: self.system.nq], self._situation().system.given
        if self.choices and condition(loops, q, given, self._mask()) >= WORN * self._condition:
            return
        free = partition(loops, q, given).moving.tolist()
        if not self.choices or free != self.choices[-1][1]:
            self.choices.append((self._t, free))
        self._condition = condition(loops, q, given, self._mask())

    def _mask(self) -> NDArray[np.bool_]:
        """Independent speeds."""
        out = np.zeros(self.system.nv, dtype=bool)
        out[self.choices[-1][1]] = True
        return out

    def _samples(self, t: Vector, y: Vector) -> Part:
        """States, accelerations and forces at output times."""
        s = self._situation().system
        u = np.repeat(self._u[None], len(t), axis=0)
        if s.inputs.calls:
            for i in range(len(t)):
                s.call(float(t[i]), y[i], u[i])
        q, v = s.settled(t, y, u)
        a, tau = s.motion(t, y, u)
        return Part(t, q, v, a, tau, y[:, s.nq + s.nv :])

    # ------------------------------------------------------------ jumps and events

    def _next_jump(self) -> float:
        """The next time at which a law is not smooth or a clock ticks."""
        later = self._breaks[self._breaks > self._t + CLOSE * self.duration]
        return min([np.inf, *later[:1], *(n / rate for rate, n in self._ticks.items())])

    def _is_jump(self, t: float) -> bool:
        near = CLOSE * self.duration
        ticks = any(abs(n / rate - t) <= near for rate, n in self._ticks.items())
        return ticks or bool((np.abs(self._breaks - t) <= near).any())

    def _jump(self) -> None:
        """Clocks that tick now, tables that turn; the method keeps step length and size of the motion, no more."""
        self.system.inputs.turn(self._t + CLOSE * self.duration, self._u)
        for rate, n in self._ticks.items():
            if n / rate <= self._t + CLOSE * self.duration:
                self.system.tick(rate, self._t, self._y, self._u)
                self._ticks[rate] = n + 1
        self._memory = {key: self._memory[key] for key in ("h", "sizes") if key in self._memory}

    def _react(self, events: list[int]) -> None:
        """What the events do."""
        situation = self._situation()
        self.happened += [(self._t, situation.label(n)) for n in events]
        self.ended, self._held = situation.happened(events, self._t, self._y, self._u)
        self._memory = {}
        if self.ended:
            self._end_here()

    def _end_here(self) -> None:
        """The state behind the last event as the last sample; it takes the place of one at the same time."""
        if self.unfinished and self.unfinished[-1].t[-1] >= self._t - CLOSE * self.duration:
            last = self.unfinished.pop()
            if len(last.t) > 1:
                self.unfinished.append(last[:-1])
        self.unfinished.append(self._samples(np.array([self._t]), self._y[None]))

    def _key(self) -> Key:
        """What is held by stops, and the independent speeds."""
        return tuple(sorted(self._held.items())), tuple(self.choices[-1][1] if self.choices else ())

    def _situation(self) -> Situation:
        key = self._key()
        if key not in self._situations:
            system = self.system.chosen(frozenset(key[1]))
            self._situations[key] = Situation(system, self.events, self.limits, dict(self._held))
        return self._situations[key]

    def _method(self) -> Method:
        key = self._key()
        if key not in self._methods:
            situation = self._situation()
            # From the first state, not this one: else a run that is resumed would have another.
            self._methods[key] = self.choice.method(situation.system, situation.native, *self._first)
        return self._methods[key]


def integral(part: Part, system: System, name: str = WORK) -> Vector | None:
    """One of the integrals over time, None if the run has none of that name."""
    names = system.inputs.integrals
    return part.z[:, names.index(name)] if name in names else None


def _seconds_of_an_evaluation(system: System, events: Sequence[Event]) -> float:
    """A rough guess; where functions of the user's take part, a careful one."""
    laws = [*system.inputs.laws.values(), system.inputs.whole]
    if system.inputs.calls or any(isinstance(x, Sampled) for x in laws) or any(callable(e.when) for e in events):
        return 1e-3
    return 1e-7 + 3e-10 * system.rough_operations if system.engine == "llvm" else 3e-5 + 1e-9 * system.rough_operations
