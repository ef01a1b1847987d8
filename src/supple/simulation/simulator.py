"""`supple.Simulator`: a model in motion, advanced from time to time.

A run is a sequence of segments: they end where a law jumps, a clock ticks, an event happens, or where the user wants to
look. All that goes from one to the next is in the checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.checks import is_number
from supple.description.limits import Limit
from supple.errors import SimulationError, SingularError, StateError, nearest
from supple.formulations import Formulation, require_formulation
from supple.inputs.controllers import Signal
from supple.inputs.events import Event, prescribed_places, require_sound
from supple.inputs.inputs import WORK, Inputs, Laws, Motion
from supple.integrators import GeneralizedAlpha, Integrator, resolved
from supple.model.inputs import named_vector
from supple.simulation.checkpoints import Checkpoint, require_same_run
from supple.simulation.choice import Choice, choose
from supple.simulation.clocks import Clocks
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.event_handling import EventHandler
from supple.simulation.horizon import Horizon
from supple.simulation.impacts import closed_again
from supple.simulation.independent_speeds import IndependentSpeeds
from supple.simulation.methods.segment import Effort, Memory, Method, Segment, Task
from supple.simulation.samples import Samples, State
from supple.simulation.start import LOOPS, Start, Values

Vector = NDArray[np.float64]
Progress = Callable[[float], None]
MOST_EVENTS = 10_000
"""In one output interval: more are a model that chatters."""
OPEN = 5e-9
"""Error of a constraint equation, relative to its typical size, with which a run does not go on."""
KEPT_AT_JUMPS = ("h", "sizes")
"""What a method keeps where a law jumps: step length and size of the motion."""
Key = tuple[tuple[tuple[int, float], ...], tuple[int, ...]]


class Simulator:
    """A model in motion: at a state, to be advanced, changed, kept and taken up again.

    Parameters
    ----------
    model : Model
        Or an equivalent rigid-link system.
    q, v : array_like or mapping of name to number, optional
        State at the start, as for `supple.simulate`.
    tau, motion, variables : optional
        Generalized forces, prescribed motions and variables, as for `supple.simulate`.
    guess : mapping of name to number, optional
        Coordinates from which closed loops are closed, besides those of q.
    events : sequence of Event
    limits : sequence of Limit
        Stops of joints, besides those of the model.
    loops : str
        How closed loops are kept closed: "projection" or "independent".
    integrator : str, type or one of `supple.integrators`
    horizon : Horizon, optional
        Expected duration and output times: "auto" chooses by them, and events are looked for once an output interval.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("block", gravity=(0, 0, 0))
    >>> mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    >>> simulator = supple.Simulator(mech.build(), tau={"block.position": "f"}, variables={"f": 4.0})
    >>> _ = simulator.advance_to(1.0)
    >>> simulator.set(variables={"f": 0.0})
    >>> _ = simulator.advance_to(2.0)
    >>> round(float(simulator.state.q[0]), 9)
    3.0
    """

    def __init__(
        self,
        model: Formulation,
        q: Values | None = None,
        v: Values | None = None,
        tau: Laws = None,
        *,
        motion: Mapping[str, Motion | Signal] | None = None,
        variables: Mapping[str, float] | None = None,
        guess: Mapping[str, float] | None = None,
        events: Sequence[Event] = (),
        limits: Sequence[Limit] = (),
        loops: str = LOOPS[0],
        integrator: str | type[Any] | Integrator = "auto",
        horizon: Horizon | None = None,
    ) -> None:
        require_formulation(model, "supple.Simulator")
        self.model, self.loops, self.horizon = model, loops, horizon or Horizon()
        wanted = resolved(integrator)
        _require_loops(model, loops)
        named = {x.coordinate for x in limits}
        self.events = tuple(events)
        self.limits = (*(x for x in model.description.limits if x.coordinate not in named), *limits)
        _require_possible(model, self.limits, wanted)
        inputs = Inputs(model, tau, motion, variables, stops=bool(self.limits))
        start = Start(q, v, guess)
        open_q, open_v = start.open_state(model)
        self.system = DrivenSystem(model, inputs, open_q, open_v)
        self.start = start.state(self.system, open_q, open_v)
        require_sound(model, inputs, self.events, self.limits, self.start[0])
        self._motion = motion
        self.ended = False
        self.happened: list[tuple[float, str]] = []
        self.effort = Effort()
        self.partition = IndependentSpeeds(model.loops) if loops == "independent" and model.loops is not None else None
        self._t, self._held, self._memory, self._signs = 0.0, dict[int, float](), Memory(), np.zeros(0)
        self._y = np.concatenate([*self.system.start_state(*self.start), self.system.z_0])
        self._u = self.system.u_0.copy()
        self._use(self.system)
        self._partition()
        self.system.begin(0.0, self._y, self._u)
        self._first = self._y.copy(), self._u.copy()
        self.choice: Choice = choose(wanted, self.system, self._y, self._u, self.horizon)

    def _use(self, system: DrivenSystem) -> None:
        """Take a system whose clocks tick now."""
        self.system = system
        self._handlers: dict[Key, EventHandler] = {}
        self._methods: dict[Key, Method] = {}
        self._clocks = Clocks(system, self._t, self.horizon.close)
        self._times, self._done = np.zeros(0), 0
        self._gathered: list[Samples] = []

    # ------------------------------------------------------------ looking at it and changing it

    @property
    def t(self) -> float:
        """The present time, s."""
        return self._t

    @property
    def state(self) -> State:
        """The present state, with accelerations, generalized forces and variables."""
        x = self._sampled(np.array([self._t]), self._y[None])
        return State(self._t, x.q[0], x.v[0], x.a[0], x.tau[0], self.variables)

    @property
    def variables(self) -> dict[str, float]:
        """The present values of the variables."""
        return dict(zip(self.system.inputs.variables, self._u.tolist(), strict=False))

    def set(
        self,
        *,
        q: Values | None = None,
        v: Values | None = None,
        variables: Mapping[str, float] | None = None,
        tau: Laws = None,
    ) -> None:
        """Change the present state, variables or generalized forces.

        Parameters
        ----------
        q, v : array_like or mapping of name to number, optional
            New coordinates and speeds; what is not named stays. Loops are closed again: what was changed keeps its
            value. Prescribed motions cannot be changed.
        variables : mapping of name to number, optional
        tau : as for `supple.simulate`, optional
            New laws for all generalized forces: controllers begin with no integral and a tick of their clocks. Where
            forces change often, formulas of variables are the cheaper way: they are compiled once.
        """
        if self.ended:
            raise StateError(f"set: the run has ended at t = {self._t:.6g} s; expected one that goes on")
        for name, x in (variables or {}).items():
            if name not in self.system.inputs.variables:
                raise StateError(f"variables: no {name!r}{nearest(name, tuple(self.system.inputs.variables))}")
            if not is_number(x):
                raise StateError(f"variables: {name!r}: expected a finite number, got {x!r}")
        y = self._y.copy()
        if q is not None or v is not None:
            y[: self.system.nq + self.system.nv] = np.concatenate(self._changed(q, v))
            require_sound(self.model, self.system.inputs, self.events, self.limits, y[: self.system.nq])
            self._held = {}  # a joint at its stop meets it again
        for name, x in (variables or {}).items():
            self._u[list(self.system.inputs.variables).index(name)] = float(x)
        self._y, self._memory, self._signs = y, Memory(), np.zeros(0)
        if tau is not None:
            self._change_laws(tau)
        self._partition()

    def _changed(self, q: Values | None, v: Values | None) -> tuple[Vector, Vector]:
        """Coordinates and speeds with changes, loops closed."""
        model, s = self.model, self._handler().system
        now = s.settled(np.array([self._t]), self._y[None], self._u[None], 0)
        names = model.coordinates, model.speeds
        given = [x if x is None else named_vector(names[i], x, "qv"[i], now[i]) for i, x in enumerate((q, v))]
        new = [old if x is None else x for x, old in zip(given, now, strict=True)]
        new[0] = model.normalize(new[0])
        places: list[int] = []
        for i, (x, first) in enumerate(((q, 0), (v, model.nq))):
            own = [names[i].index(name) for name in x] if isinstance(x, Mapping) else np.flatnonzero(new[i] != now[i])
            places += [first + int(place) for place in own]
        for place in set(places) & prescribed_places(model, self.system.inputs):
            name = (*model.coordinates, *model.speeds)[place]
            raise StateError(f"set: the motion of {name!r} is prescribed, so it cannot be changed")
        if model.loops is None:
            return new[0], new[1]
        return closed_again(model.floating_frames("a closed loop"), new[0], new[1], self.system.prescribed, places)

    def _change_laws(self, tau: Laws) -> None:
        """Take other laws; the variables and the work go on."""
        old, n = self.system.inputs, self.system.nq + self.system.nv
        inputs = Inputs(self.model, tau, self._motion, self.variables, stops=bool(self.limits))
        require_sound(self.model, inputs, self.events, self.limits)
        work = self._y[n + old.integrals.index(WORK)] if WORK in old.integrals else 0.0
        system = DrivenSystem(self.model, inputs, self._y[: self.system.nq], self._y[self.system.nq : n])
        z, self._u = system.z_0.copy(), system.u_0.copy()
        if WORK in inputs.integrals:
            z[inputs.integrals.index(WORK)] = work
        self._y = np.concatenate([self._y[:n], z])
        self._use(system)
        inputs.turn(self._t + self.horizon.close, self._u)
        system.begin(self._t, self._y, self._u)
        self._first = self._y.copy(), self._u.copy()

    # ------------------------------------------------------------ keeping it

    def checkpoint(self) -> dict[str, Any]:
        """All that the motion from here on depends on, as numbers, texts and lists: `json` can write it.

        A simulator that was made with the same arguments and that restores it goes on with the same motion, to the last
        bit.
        """
        partition = self.partition
        return Checkpoint(
            run=self._identity(),
            t=self._t,
            y=self._y.tolist(),
            u=self._u.tolist(),
            ended=self.ended,
            held=sorted(self._held.items()),
            ticks=list(self._clocks.ticks.values()),
            signs=self._signs.tolist(),
            method={key: x.tolist() for key, x in self._memory.items()},
            first=[x.tolist() for x in self._first],
            happened=list(self.happened),
            effort=dict(vars(self.effort)),
            partition=None if partition is None else [list(partition.choices), partition.condition],
        ).as_dict()

    def restore(self, checkpoint: Mapping[str, Any]) -> None:
        """Go back, or on, to where a checkpoint was made, by this simulator or one with the same arguments."""
        x = Checkpoint.of(checkpoint)
        require_same_run(x.run, self._identity())
        self._use(self.system)
        self._t, self.ended = x.t, x.ended
        self._y, self._u, self._signs = (np.array(values, dtype=float) for values in (x.y, x.u, x.signs))
        self._held = {int(i): float(side) for i, side in x.held}
        self._clocks.ticks = dict(zip(self._clocks.ticks, map(int, x.ticks), strict=True))
        self._memory = {key: np.array(values, dtype=float) for key, values in x.method.items()}
        self._first = np.array(x.first[0], dtype=float), np.array(x.first[1], dtype=float)
        self.happened = [(float(t), str(name)) for t, name in x.happened]
        self.effort = Effort(**x.effort)
        if self.partition is not None and x.partition is not None:
            choices, self.partition.condition = x.partition
            self.partition.choices = [(float(t), [int(i) for i in chosen]) for t, chosen in choices]

    def _identity(self) -> dict[str, Any]:
        """What makes a checkpoint one of this simulator."""
        return {
            "model": self.model.name,
            "formulation": self.model.formulation,
            "laws": self.system.digest,
            "events": [x.name for x in self.events],
            "limits": [x.coordinate for x in self.limits],
            "loops": self.loops,
            "integrator": str(self.choice.options),
        }

    # ------------------------------------------------------------ advancing

    def advance_to(self, t: float, times: ArrayLike = (), progress: Progress | None = None) -> Samples:
        """Move on to a time, or to the event before it that ends the run; give the motion at some times on the way.

        Parameters
        ----------
        t : float
            Not before the present time, s.
        times : (n,) array_like
            Output times from the present time to t, in order; none if not given.
        progress : function of a float, optional
            Called now and then with the simulated time; what it raises ends the call, and the state is that of the last
            jump or event before.

        Raises
        ------
        SimulationError
            When the integration cannot go on; `gathered` is the motion up to there.
        """
        goal, tell = self._goal(t), progress or (lambda t: None)
        self._times, self._done, self._gathered = self._output_times(times, goal), 0, []
        if not self.ended:
            self._sample_present()
            self._advance(goal, tell)
        return self.gathered

    @property
    def gathered(self) -> Samples:
        """The motion at the output times of the last `advance_to`."""
        if not self._gathered:
            return self._sampled(np.zeros(0), np.zeros((0, len(self._y))))
        return Samples.joined(self._gathered)

    def _goal(self, t: float) -> float:
        if not (is_number(t) and t >= self._t - self.horizon.close):
            raise StateError(f"advance_to: expected a time from {self._t:.6g} s on, got {t!r}")
        return float(t)

    def _output_times(self, times: ArrayLike, goal: float) -> Vector:
        out = np.array(times, dtype=float).reshape(-1)
        close = self.horizon.close
        if len(out) and not (out[0] >= self._t - close and out[-1] <= goal + close and (np.diff(out) > 0).all()):
            raise StateError(f"times: expected rising times from {self._t:.6g} s to {goal:.6g} s, got {times!r}")
        return out

    def _sample_present(self) -> None:
        """Samples of the present time, if it is an output time."""
        if len(self._times) and self._times[0] <= self._t + self.horizon.close:
            self._gathered.append(self._sampled(self._times[:1], self._y[None]))
            self._done = 1

    def _advance(self, goal: float, tell: Progress) -> None:
        """Segment by segment to a time, or to the event that ends the run."""
        mark, done, before = self._t, self._done, len(self.happened)
        while not self.ended and (self._done < len(self._times) or self._t < goal - self.horizon.close):
            self._segment(goal, tell)
            if self._done > done or self._t > mark + self.horizon.interval:
                mark, done, before = self._t, self._done, len(self.happened)
            elif len(self.happened) - before > MOST_EVENTS:
                raise SimulationError(
                    f"model {self.model.name!r}: more than {MOST_EVENTS} events up to t = {self._t:.6g} s since "
                    f"the last output time, the last of them {self.happened[-1][1]!r}: the model chatters"
                )
        tell(self._t if self.ended else goal)

    def _segment(self, goal: float, tell: Progress) -> None:
        """To the next jump or event, or to the goal."""
        method, handler = self._method(), self._handler()
        task = self._task(goal, method, tell)
        found = self._run(method, task)
        count, system = len(found.states), handler.system
        if count:
            self._gather(self._times[self._done : self._done + count], system.project(found.states))
        self._t, self._y = found.t, system.project(found.y[None])[0]
        self._require_closed()
        met = self._times[self._done : self._done + 1]
        if found.events and len(met) and met[0] <= found.t + self.horizon.close:  # an event at an output time
            self._gather(met, found.y[None])
        # What is zero at the end of a segment has passed zero in the next: sides go from one to the other.
        self._signs = np.zeros(0) if task.watch is None or found.events else task.watch.signs.copy()
        if found.events:
            self._react(handler, found.events)
        if not self.ended and self._clocks.is_jump(self._t):
            self._clocks.jump(self._t, self._y, self._u)
            self._memory = {key: self._memory[key] for key in KEPT_AT_JUMPS if key in self._memory}
        self._partition()

    def _task(self, goal: float, method: Method, tell: Progress) -> Task:
        """The next segment: to the next jump; where loops are closed, to the next output time."""
        end = min(goal, self._clocks.next_jump(self._t))
        # A segment ends with its loops closed, and with a look at the choice of independent speeds.
        if self.model.loops is not None and (method.one_step or self.partition is not None):
            following = self._times[self._done : self._done + 1]
            end = min(end, float(following[0]) if len(following) else self._t + self.horizon.interval)
        # An output time that is the jump's but for rounding shows the state before the jump, as all others do.
        upto = int(np.searchsorted(self._times, end + self.horizon.close, side="right"))
        watch = self._handler().watch(self._t, self._y, self._u, self.horizon.interval)
        if watch is not None and len(self._signs):
            watch.signs = np.where(self._signs != 0, self._signs, watch.signs)
        within = np.minimum(self._times[self._done : upto], end)
        out = np.full((len(within), len(self._y)), np.nan)
        return Task(self._t, self._y, end, within, self._u, dict(self._memory), watch, out, tell)

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
            reached = float(times[-1]) if kept else self._t
            raise SimulationError(f"{method.name} stopped after t = {reached:.6g} s: {error}") from None
        finally:
            self.effort.add(method.effort, before)
        self._memory = task.memory
        return found

    def _react(self, handler: EventHandler, events: list[int]) -> None:
        """What the events do."""
        self.happened += [(self._t, handler.label(n)) for n in events]
        self.ended, self._held = handler.react(events, self._t, self._y, self._u)
        self._memory = Memory()
        if self.ended and len(self._times):
            self._sample_end()

    def _sample_end(self) -> None:
        """The state behind the last event as the last sample; it takes the place of one at the same time."""
        if self._gathered and self._gathered[-1].t[-1] >= self._t - self.horizon.close:
            last = self._gathered.pop()
            if len(last) > 1:
                self._gathered.append(last[:-1])
        self._gathered.append(self._sampled(np.array([self._t]), self._y[None]))

    # ------------------------------------------------------------ states

    def _gather(self, t: Vector, y: Vector) -> None:
        """Samples of states (n, ...) at the next output times."""
        self._gathered.append(self._sampled(t, y))
        self._done += len(t)

    def _sampled(self, t: Vector, y: Vector) -> Samples:
        """States, accelerations and generalized forces of states (n, ...)."""
        s = self._handler().system
        u = np.repeat(self._u[None], len(t), axis=0)
        if s.inputs.calls:
            for i in range(len(t)):
                s.call(float(t[i]), y[i], u[i])
        q, v = s.settled(t, y, u)
        a, tau = s.motion(t, y, u)
        return Samples(t, q, v, a, tau, y[:, s.nq + s.nv :])

    def _require_closed(self) -> None:
        """Refuse a state whose loops projection has not closed."""
        loops = self.model.loops
        if loops is None:
            return
        error = np.where(loops.holonomic, np.abs(loops.errors(self._y[: self.system.nq])[0]), 0.0)
        share = error / loops.scales.rows
        if not share.max(initial=0.0) <= OPEN:
            worst = int(share.argmax())
            name, row = loops.rows[worst]
            moved = [self.model.speeds[i] for i in np.flatnonzero(self.system.prescribed)]
            why = f"the prescribed motions of {', '.join(moved)} contradict it, or " if moved else ""
            raise SimulationError(
                f"model {self.model.name!r}: constraint {name!r}: {row.label} is off by {error[worst]:.3g} "
                f"(m or rad) at t = {self._t:.6g} s: {why}the steps were too long, or the configuration is singular"
            )

    def _partition(self) -> None:
        """Independent speeds for the next segment."""
        if self.partition is not None:
            self.partition.update(self._t, self._y[: self.system.nq], self._handler().system.prescribed)

    def _key(self) -> Key:
        """What is held by stops, and the independent speeds."""
        return tuple(sorted(self._held.items())), () if self.partition is None else self.partition.present

    def _handler(self) -> EventHandler:
        key = self._key()
        if key not in self._handlers:
            system = self.system.chosen(frozenset(key[1]))
            self._handlers[key] = EventHandler(system, self.events, self.limits, dict(self._held))
        return self._handlers[key]

    def _method(self) -> Method:
        key = self._key()
        if key not in self._methods:
            handler = self._handler()
            # From the first state, not this one: else a run that is resumed would have another.
            self._methods[key] = self.choice.method(handler.system, handler.native, *self._first)
        return self._methods[key]

    @property
    def method(self) -> Method:
        """The integrator in use."""
        return self._method()


def _require_loops(model: Formulation, loops: str) -> None:
    """Refuse a way to keep loops closed that there is not, or a model that has none."""
    if loops not in LOOPS:
        raise StateError(f"loops: expected one of {', '.join(LOOPS)}, got {loops!r}{nearest(loops, LOOPS)}")
    if loops != LOOPS[0] and model.loops is None:
        raise StateError(f"loops: model {model.name!r} has no closed loops, got {loops!r}")


def _require_possible(model: Formulation, limits: Sequence[Limit], wanted: Integrator) -> None:
    """Refuse what a formulation, or a mechanism with loops, does not take."""
    if limits:
        model.floating_frames("a stop of joints")
    if isinstance(wanted, GeneralizedAlpha) and not model.implicit_steps:
        model.floating_frames(wanted.name)
        raise StateError(
            f"model {model.name!r} has closed loops, which {wanted.name} does not take; expected DOP853, Radau, BDF, "
            "CVODE, IDA, leapfrog, rk4 or another explicit method"
        )
