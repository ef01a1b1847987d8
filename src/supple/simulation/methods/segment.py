"""What every integrator gets and gives: a segment of time without a jump, and the motion in it.

A run is a sequence of segments. One ends where a law or a held value jumps, at the end of a part that is written to
disk, or at an event. All that goes from one to the next is the state and the integrator's small `memory` (a step
length, accelerations), so a run can be taken up again from what is on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.engines.plain import plain
from supple.errors import SimulationError
from supple.simulation.driven_system import DrivenSystem
from supple.stepping import native_loop

Vector = NDArray[np.float64]
Memory = dict[str, Vector]
CALLED = 50_000
"""Operations that take as long as a call of a Python function."""


@dataclass
class Watch:
    """Functions of the state whose changes of sign end a segment.

    Attributes
    ----------
    values : function of (t, y, u)
        Gives (e,).
    address : int
        Of the same in machine code, 0 if it is not.
    directions : (e,) array
        1 rising, -1 falling, 0 both.
    signs : (e,) array
        Of the values so far; 0 where a function starts from zero and has no side yet.
    longest : float
        Step after which to look at them, at the latest.
    """

    values: Callable[[float, Vector, Vector], Vector]
    address: int
    directions: Vector
    signs: Vector
    longest: float = np.inf

    def crossed(self, g: Vector) -> NDArray[np.int64]:
        """Functions that have changed their sign the way that counts."""
        found = [plain(native_loop.crossed)(*x) for x in zip(g, self.signs, self.directions, strict=True)]
        return np.flatnonzero(found)

    def passed(self, g: Vector) -> None:
        """Take note of the signs."""
        noted = [plain(native_loop.noted_sign)(*x) for x in zip(g, self.signs, strict=True)]
        self.signs = np.array(noted, dtype=float)

    def look(self, t: float, y: Vector, u: Vector, g: Vector) -> None:
        """Values here into `g` (see `Task.signs`), and the signs where nothing happened; as the native loops do it."""
        g[2] = self.values(t, y, u)
        if not len(self.crossed(g[2])):
            self.passed(g[2])
            g[0] = self.signs


@dataclass(frozen=True, eq=False)
class Task:
    """What a method is asked for: the motion from (t, y) to `end`, or to an event before it.

    `Simulator` makes one for each segment; n is the size of the state, m the number of output times.

    Attributes
    ----------
    t : float
        Where the segment begins, s: where the one before ended.
    y : (n,) array
        The state there (see `driven_system`), from the segment before and what happened at its end. Not changed.
    end : float
        Where it ends at the latest, s: the next jump, or the last output time of a part; the simulator's choice.
    times : (m,) array
        Output times in (t, end], s; the simulator's.
    u : (k,) array
        Held values, one for each name in `Inputs.held`: the system's at the start, then as ticks and events leave them.
        Constant in a segment but for functions that are called, which write theirs.
    memory : dict of name to array
        What the method has noted in segments before, in any shape; made and changed by the method. After an event it
        is empty, after a jump there are only the step length "h" and the "sizes" of the motion.
    watch : Watch, optional
        What may end the segment before `end`; made by `EventHandler.watch`. The method keeps its signs up to date.
    out : (m, n) array
        Room for the states at the output times; made by the simulator, full of nan. The method writes one after the
        other: what is there when it fails is kept.
    tell : function of t
        Shows how far the run is; the user's, called by the method now and then.
    """

    t: float
    y: Vector
    end: float
    times: Vector
    u: Vector
    memory: Memory
    watch: Watch | None
    out: Vector
    tell: Callable[[float], None]

    @property
    def last(self) -> float:
        """The last time before `end`: laws are asked no later, for what jumps at `end` belongs to the next segment."""
        return float(np.nextafter(self.end, self.t))

    @property
    def goals(self) -> list[float]:
        """Times to come to one after another: the output times, and the end."""
        times = [float(t) for t in self.times]
        return times if times and times[-1] == self.end else [*times, self.end]

    @property
    def native(self) -> bool:
        """Whether machine code can watch: all that is watched is in machine code, or nothing is watched."""
        return self.watch is None or self.watch.address != 0

    @property
    def address(self) -> int:
        """Of what is watched, for the native loops; 0 if nothing is."""
        return 0 if self.watch is None else self.watch.address

    def signs(self) -> Vector:
        """(3, e) array for the native loops: signs so far, directions that count, room for values; e functions."""
        if self.watch is None:
            return np.zeros((3, 0))
        return np.stack([self.watch.signs, self.watch.directions, self.watch.signs])

    def upto(self, t: float) -> int:
        """How many output times there are up to a time."""
        return int(np.searchsorted(self.times, t, side="right"))


@dataclass
class Segment:
    """The motion in a segment.

    Attributes
    ----------
    states : (m, n) array
        At the output times up to `t`.
    t, y : float, array
        Where it ended.
    events : list of int
        What happened there.
    """

    states: Vector
    t: float
    y: Vector
    events: list[int] = field(default_factory=list)


@dataclass
class Effort:
    """What an integration has cost so far."""

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    longest: float = 0.0
    """Longest of steps of fixed length, s."""

    def add(self, later: Effort, earlier: Effort) -> None:
        """Add what came between two."""
        for key in ("steps", "rejected", "evaluations"):
            setattr(self, key, getattr(self, key) + getattr(later, key) - getattr(earlier, key))
        self.longest = max(self.longest, later.longest)


class Method(Protocol):
    """An integrator for one system.

    Attributes
    ----------
    name : str
    one_step : bool
        Whether it can be started again without loss, so that loops can be closed at every output time. Others close
        them after their own steps, or run on: the loops of the states at which rates are taken are closed anyway.
    counts_rejected : bool
        Whether it knows how many steps it has rejected.
    """

    name: str
    one_step: bool
    counts_rejected: bool
    system: DrivenSystem
    effort: Effort

    def run(self, task: Task) -> Segment:
        """The motion that is asked for."""
        ...

    def attributes(self) -> dict[str, Any]:
        """Settings, for the results."""
        ...


def locate(
    watch: Watch, crossed: NDArray[np.int64], t: float, h: float, u: Vector, state: Callable[[float], Vector]
) -> tuple[float, list[int]]:
    """Fraction of the step (t, t + h] of the first event, and all that happen there; `state` gives y at a fraction.

    The fraction is the end of the root's bracket that lies behind the event.
    """
    first: dict[int, float] = {}
    for i in crossed:

        def side(x: float, i: int = int(i)) -> float:
            return float(watch.values(t + x * h, state(x), u)[i])

        sign, low = watch.signs[i], 0.0
        if side(0.0) * sign <= 0:  # it starts from zero, or behind it by rounding: a short way round, or at once
            inside = (x for x in 0.5 ** np.arange(1, 40) if side(x) * sign > 0)
            low = float(next(inside, 1.0))
        if low == 1.0:
            first[int(i)] = 0.0
            continue
        x = float(scipy.optimize.brentq(side, low, 1.0, xtol=1e-15, rtol=1e-14))
        step = 1e-15
        while side(x) * sign > 0 and x < 1.0:
            x, step = min(x + step, 1.0), 2 * step
        first[int(i)] = x
    least = min(first.values())
    return least, [i for i, x in first.items() if x <= least + 1e-12]


def cut_at_event(
    task: Task, values: Vector, step: tuple[float, float], written: int, state: Callable[[float], Vector]
) -> Segment:
    """The segment up to the event in its last step.

    Parameters
    ----------
    task : Task
        With a watch.
    values : (e,) array
        Of what is watched, at the end of the step.
    step : tuple of float
        Begin and length of the step, s.
    written : int
        Output times that are done.
    state : function of a fraction of the step
        Gives y.
    """
    assert task.watch is not None
    t, h = step
    x, events = locate(task.watch, task.watch.crossed(values), t, h, task.u, state)
    reached = t + x * h
    upto = task.upto(reached)
    for i in range(written, upto):
        task.out[i] = state((task.times[i] - t) / h)
    return Segment(task.out[:upto], reached, state(x), events)


class LoopEnd(NamedTuple):
    """Where a native loop has stopped.

    Attributes
    ----------
    status : int
        One of those of `native_loop`.
    clock : array
        Time, end, next step length; time and length of the last step.
    y : (n,) array
        The state.
    g : (3, e) array
        See `Task.signs`.
    written : int
        Output times that are done.
    """

    status: int
    clock: Vector
    y: Vector
    g: Vector
    written: int


def ended(
    task: Task,
    at: LoopEnd,
    failure: Callable[[float, float, Vector, Vector], SimulationError],
    event: Callable[[Task, LoopEnd], Segment],
) -> Segment:
    """What a native loop has come to: its segment, cut at an event, or the error of (t, h, y, u) raised."""
    if task.watch is not None:
        task.watch.signs = at.g[0].copy()
    if at.status == native_loop.FAILED:
        raise failure(float(at.clock[0]), float(at.clock[2]), at.y, task.u)
    if at.status == native_loop.EVENT:
        return event(task, at)
    return Segment(task.out[: at.written], float(at.clock[0]), at.y)


def diverged(system: DrivenSystem, name: str, t: float, y: Vector, rate: Vector | None, why: str) -> SimulationError:
    """The error of an integration that cannot go on: when, what coordinate, likely reasons."""
    model = system.model
    names = [*model.coordinates, *(f"rate of {n}" for n in model.speeds), *system.inputs.integrals]
    bad = np.flatnonzero(~np.isfinite(y))
    if len(bad):
        what = f"{names[bad[0]]!r} is not finite"
    elif rate is not None and np.isfinite(rate).all():
        what = f"{names[int(np.argmax(np.abs(rate[: model.nq + model.nv])))]!r} changes fastest"
    elif rate is not None:
        what = f"the rate of {names[int(np.flatnonzero(~np.isfinite(rate))[0])]!r} is not finite"
    else:
        what = f"{names[int(np.argmax(np.abs(y)))]!r} is largest"
    return SimulationError(f"model {model.name!r}: {name} stopped at t = {t:.6g} s: {why}; {what}")
