"""`supple.Simulator`: a model in motion, advanced from time to time.

A run is a sequence of segments: they end where a law jumps, a clock ticks, an event happens, or where the user wants to
look. All that goes from one to the next is in the checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked, require_mapping, sequence_of
from supple.checks import is_number
from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.formulations import Formulation, require_formulation
from supple.inputs.controllers import Signal
from supple.inputs.events import Event, prescribed_places, require_sound
from supple.inputs.inputs import WORK, Inputs, Laws, Motion
from supple.inputs.run_requirements import LOOPS, require_loops, require_possible, stops_of_run
from supple.inputs.wrenches import Wrench
from supple.integrators import Integrator, resolved
from supple.model.arguments import named_vector
from supple.model.compiled import model_key
from supple.simulation.checkpoints import Checkpoint, require_same_run
from supple.simulation.choice import Choice
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.horizon import Horizon
from supple.simulation.impacts import closed_again
from supple.simulation.independent_speeds import IndependentSpeeds
from supple.simulation.methods.segment import Effort, Method
from supple.simulation.run import Progress, Run, Setting
from supple.simulation.run_checks import require_inertia, require_steps
from supple.simulation.samples import Samples, State
from supple.simulation.sensitivities.run_parameters import run_parameters
from supple.simulation.sensitivities.run_tangents import RunTangents
from supple.simulation.sensitivities.sensitive_run import SensitiveRun, require_differentiable
from supple.simulation.sensitivities.start_tangents import start_tangents
from supple.simulation.start_state import STARTS, Start, Values

Vector = NDArray[np.float64]


@checked
class Simulator:
    """A model in motion: at a state, to be advanced, changed, kept and taken up again.

    Parameters
    ----------
    model : Model
        Or an equivalent rigid-link system.
    q, v : array_like or mapping of name to number, optional
        State at the start, as for `supple.simulate`.
    tau, motion, wrenches, variables : optional
        Generalized forces, prescribed motions, wrenches at frames and variables, as for `supple.simulate`.
    added : mapping of speed name to number or formula, optional
        Generalized forces beside those of `tau`, whatever laws these follow: a push on what a controller moves.
    guess : mapping of name to number, optional
        Coordinates from which closed loops are closed, besides those of q.
    start : str
        "given", "equilibrium" or "steady", as for `supple.simulate`.
    events : sequence of Event
    limits : sequence of Limit
        Stops of joints, besides those of the model.
    loops : str
        How closed loops are kept closed: "projection" or "independent".
    integrator : str, type or one of `supple.integrators`
    horizon : Horizon, optional
        Expected duration and output times: "auto" chooses by them, and events are looked for once an output interval.
    sensitivities : sequence of str
        Parameters by which the motion is differentiated, as for `supple.simulate`. Such a simulator is not changed on
        the way.

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
        wrenches: Sequence[Wrench] = (),
        variables: Mapping[str, float] | None = None,
        added: Mapping[str, float | str] | None = None,
        guess: Mapping[str, float] | None = None,
        start: str = STARTS[0],
        events: Sequence[Event] = (),
        limits: Sequence[Limit] = (),
        loops: str = LOOPS[0],
        integrator: str | type[Any] | Integrator = "auto",
        horizon: Horizon | None = None,
        sensitivities: Sequence[str] = (),
    ) -> None:
        require_formulation(model, "supple.Simulator")
        events, limits = sequence_of(Event, events, "events"), sequence_of(Limit, limits, "limits")
        for values, name in ((motion, "motion"), (variables, "variables"), (guess, "guess"), (added, "added")):
            require_mapping(values, name)
        if not (horizon is None or isinstance(horizon, Horizon)):
            raise StateError(f"horizon: expected a supple.Horizon, got {horizon!r}")
        self.model, self.loops, self.horizon = model, loops, horizon or Horizon()
        wanted = resolved(integrator)
        require_loops(model, loops)
        self.events = tuple(events)
        self.limits = stops_of_run(model, limits)
        require_possible(model, self.limits, wanted)
        inputs = Inputs(model, tau, motion, variables, bool(self.limits), wrenches, added)
        self._close_fmus = finalize(self, inputs.fmus.close)  # systems refer to each other: they may stay for a while
        wanted_start = Start(q, v, guess, start).bounded(model, self.limits)
        open_q, open_v = wanted_start.open_state(model)
        system = DrivenSystem(model, inputs, open_q, open_v)
        require_steps(system, wanted)
        self.start = wanted_start.state(system, open_q, open_v)
        require_sound(model, inputs, self.events, self.limits, self.start[0])
        self._motion, self._added = motion, added
        self.partition = IndependentSpeeds(model.loops) if loops == "independent" and model.loops is not None else None
        setting = Setting(self.events, self.limits, self.horizon, wanted)
        self.sensitivity: RunTangents | None = None
        self._resisted = False
        if len(sensitivities):
            self._run, self.sensitivity = self._sensitive(system, setting, wanted_start, sensitivities)
        else:
            try:
                self._run = Run(system, setting, *self.start, self.partition)
            except StateError:  # of equations that cannot be solved
                require_inertia(system, *self.start)
                raise

    def _sensitive(
        self, system: DrivenSystem, setting: Setting, start: Start, names: Sequence[str]
    ) -> tuple[Run, RunTangents]:
        """A run with derivatives by parameters of these names, and what makes them."""
        model = self.model.floating_frames("a sensitivity")
        require_differentiable(model, setting, system)
        parameters = run_parameters(model, system.inputs, self.limits, self.start, names)
        tangents = RunTangents(parameters)
        at_start = start_tangents(tangents, parameters, system, start, *self.start)
        return SensitiveRun(system, setting, *self.start, self.partition, tangents, at_start), tangents

    # ------------------------------------------------------------ looking at it and changing it

    @property
    def t(self) -> float:
        """The present time, s."""
        return self._run.t

    @property
    def ended(self) -> bool:
        """Whether an event has ended the run."""
        return self._run.ended

    @property
    def happened(self) -> list[tuple[float, str]]:
        """Times and names of the events so far."""
        return self._run.happened

    @property
    def effort(self) -> Effort:
        """Steps and evaluations so far."""
        return self._run.effort

    @property
    def choice(self) -> Choice:
        """The integrator with its options, and why it was taken."""
        return self._run.choice

    @property
    def method(self) -> Method:
        """The integrator at work."""
        return self._run.method()

    @property
    def system(self) -> DrivenSystem:
        """The model with all that acts on it."""
        return self._run.system

    @property
    def state(self) -> State:
        """The present state, with accelerations, generalized forces and variables."""
        x = self._run.sampled(np.array([self._run.t]), self._run.y[None])
        return State(self._run.t, x.q[0], x.v[0], x.a[0], x.tau[0], self.variables)

    @property
    def first(self) -> tuple[Vector, Vector]:
        """The whole state y at the start, see `driven_system`, and the held values u there."""
        return self._run.first

    @property
    def variables(self) -> dict[str, float]:
        """The present values of the variables."""
        return dict(zip(self.system.inputs.variables, self._run.u.tolist(), strict=False))

    def set(
        self,
        *,
        q: Values | None = None,
        v: Values | None = None,
        variables: Mapping[str, float] | None = None,
        tau: Laws = None,
        parameters: Mapping[str, float] | None = None,
        integrator: str | type[Any] | Integrator | None = None,
    ) -> None:
        """Change the present state, variables, generalized forces, numbers of the model or the integrator.

        Parameters
        ----------
        q, v : array_like or mapping of name to number, optional
            New coordinates and speeds; what is not named stays. Loops are closed again: what was changed keeps its
            value. Prescribed motions cannot be changed.
        variables : mapping of name to number, optional
        tau : as for `supple.simulate`, optional
            New laws for all generalized forces: controllers begin with no integral and a tick of their clocks. Where
            forces change often, formulas of variables are the cheaper way: they are compiled once.
        parameters : mapping of name to number, optional
            Other numbers of the model, by the names of `Model.with_parameters`. Nothing is compiled; laws, clocks and
            integrals of controllers go on. Loops are closed again.
        integrator : as for `supple.simulate`, optional
            What goes on from here.
        """
        if self.ended:
            raise StateError(f"set: the run has ended at t = {self._run.t:.6g} s; expected one that goes on")
        for name, x in (variables or {}).items():
            if name not in self.system.inputs.variables:
                raise StateError(f"variables: no {name!r}{nearest(name, tuple(self.system.inputs.variables))}")
            if not is_number(x):
                raise StateError(f"variables: {name!r}: expected a finite number, got {x!r}")
            self.system.inputs.require_changeable(name, "variables")
        if self.sensitivity is not None:
            raise StateError("set: a simulator with sensitivities is not changed on the way; expected events for that")
        wanted = None if integrator is None else resolved(integrator)
        if wanted is not None:
            require_possible(self.model, self.limits, wanted)
        model = self._renumbered(parameters or {})
        now = self.variables | {name: float(x) for name, x in (variables or {}).items()}
        inputs = None if tau is None else self._other_laws(tau, now)
        if model is not self.model:
            self._change_numbers(model)
        y = self._run.y.copy()
        if q is not None or v is not None:
            y[: self.system.nq + self.system.nv] = np.concatenate(self._changed(q, v))
            require_sound(self.model, self.system.inputs, self.events, self.limits, y[: self.system.nq])
            self._run.held = {}  # a joint at its stop meets it again
        self._run.u[: len(now)] = list(now.values())
        self._run.y = y
        self._run.interrupt(jump=q is None and v is None and tau is None)
        if inputs is not None:
            self._change_laws(inputs)
        self._run.choose_speeds()
        if wanted is not None:
            self._run.change_integrator(wanted)

    def _changed(self, q: Values | None, v: Values | None) -> tuple[Vector, Vector]:
        """Coordinates and speeds with changes, loops closed."""
        model, s = self.model, self._run.handler().system
        now = s.settled(np.array([self._run.t]), self._run.y[None], self._run.u[None], 0)
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

    def _renumbered(self, parameters: Mapping[str, float]) -> Formulation:
        """The model with other numbers."""
        if not parameters:
            return self.model
        return self.model.floating_frames("a change of its numbers in a run").with_parameters(parameters)

    def _change_numbers(self, model: Formulation) -> None:
        """Take a model that differs in its numbers alone."""
        y, nq, n = self._run.y.copy(), model.nq, model.nq + model.nv
        if model.loops is not None:
            closed = closed_again(model.floating_frames("a closed loop"), y[:nq], y[nq:n], self.system.prescribed, ())
            y[:nq], y[nq:n] = closed
            self._run.held = {}
        if self.partition is not None and model.loops is not None:
            self.partition = self._run.partition = self.partition.on(model.loops)
        self.model = model
        self.__dict__.pop("_numbers", None)
        self._run.take_over(self.system.on(model, y[:nq], y[nq:n]), y)

    def _other_laws(self, tau: Laws, variables: Mapping[str, float]) -> Inputs:
        """Inputs with other generalized forces, checked."""
        wrenches = self.system.inputs.wrenches
        inputs = Inputs(self.model, tau, self._motion, variables, bool(self.limits), wrenches, self._added)
        require_sound(self.model, inputs, self.events, self.limits)
        return inputs

    def _change_laws(self, inputs: Inputs) -> None:
        """Take other laws; the work goes on."""
        self._close_fmus()
        self._close_fmus = finalize(self, inputs.fmus.close)
        old, n = self.system.inputs, self.system.nq + self.system.nv
        work = self._run.y[n + old.integrals.index(WORK)] if WORK in old.integrals else 0.0
        system = DrivenSystem(self.model, inputs, self._run.y[: self.system.nq], self._run.y[self.system.nq : n])
        z, self._run.u = system.z_0.copy(), system.u_0.copy()
        if WORK in inputs.integrals:
            z[inputs.integrals.index(WORK)] = work
        self._run.y = np.concatenate([self._run.y[:n], z])
        self._run.use(system)
        inputs.turn(self._run.t + self.horizon.close, self._run.u)
        system.begin(self._run.t, self._run.y, self._run.u)
        self._run.first = self._run.y.copy(), self._run.u.copy()

    # ------------------------------------------------------------ keeping it

    def checkpoint(self) -> dict[str, Any]:
        """All that the motion from here on depends on, as numbers, texts and lists: `json` can write it.

        A simulator that was made with the same arguments and that restores it goes on with the same motion, to the last
        bit.
        """
        partition = self.partition
        return Checkpoint(
            run=self._identity(),
            t=self._run.t,
            y=self._run.y.tolist(),
            u=self._run.u.tolist(),
            ended=self.ended,
            held=sorted(self._run.held.items()),
            ticks=list(self._run.clocks.ticks.values()),
            signs=self._run.signs.tolist(),
            method={key: x.tolist() for key, x in self._run.memory.items()},
            first=[x.tolist() for x in self._run.first],
            happened=list(self.happened),
            effort=dict(vars(self.effort)),
            partition=None if partition is None else [list(partition.choices), partition.condition],
            tangents=[x.tolist() for x in self._run.tangent_state()],
            fmus=self.system.inputs.fmus.saved(),
            still=list(self._run.still),
        ).as_dict()

    def restore(self, checkpoint: Mapping[str, Any]) -> None:
        """Go back, or on, to where a checkpoint was made, by this simulator or one with the same arguments."""
        x = Checkpoint.of(checkpoint)
        require_same_run(x.run, self._identity())
        self.system.inputs.fmus.restore(x.fmus)
        self._run.use(self.system)
        self._run.t, self._run.ended = x.t, x.ended
        self._run.y, self._run.u, self._run.signs = (np.array(values, dtype=float) for values in (x.y, x.u, x.signs))
        self._run.held = {int(i): float(side) for i, side in x.held}
        self._run.still = [int(n) for n in x.still]
        self._run.clocks.ticks = dict(zip(self._run.clocks.ticks, map(int, x.ticks), strict=True))
        self._run.memory = {key: np.array(values, dtype=float) for key, values in x.method.items()}
        self._run.first = np.array(x.first[0], dtype=float), np.array(x.first[1], dtype=float)
        self._run.happened = [(float(t), str(name)) for t, name in x.happened]
        self._run.effort = Effort(**x.effort)
        self._run.restore_tangents([np.array(values, dtype=float) for values in x.tangents])
        if self.partition is not None and x.partition is not None:
            choices, self.partition.condition = x.partition
            self.partition.choices = [(float(t), [int(i) for i in chosen]) for t, chosen in choices]

    def _identity(self) -> dict[str, Any]:
        """What makes a checkpoint one of this simulator."""
        return {
            "model": self.model.name,
            "formulation": self.model.formulation,
            "numbers": self._numbers,
            "laws": self.system.digest,
            "events": [x.name for x in self.events],
            "limits": [x.coordinate for x in self.limits],
            "loops": self.loops,
            "integrator": str(self.choice.options),
            "sensitivities": [] if self.sensitivity is None else list(self.sensitivity.parameters.names),
        }

    @cached_property
    def _numbers(self) -> str:
        """Digest of all numbers of the model."""
        return model_key(self.model)

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
        goal = self._goal(t)
        if goal > self._run.t:
            self.require_inertia()
        self._run.advance(goal, self._output_times(times, goal), progress or (lambda t: None))
        return self.gathered

    def require_inertia(self) -> None:
        """Raise a `SingularError` if the run begins with a speed that has no inertia; asked once."""
        if not self._resisted:
            n = self.model.nq
            require_inertia(self.system, self._run.y[:n], self._run.y[n : n + self.model.nv])
            self._resisted = True

    @property
    def gathered(self) -> Samples:
        """The motion at the output times of the last `advance_to`."""
        return self._run.gathered

    def _goal(self, t: float) -> float:
        if not (is_number(t) and t >= self._run.t - self.horizon.close):
            raise StateError(f"advance_to: expected a time from {self._run.t:.6g} s on, got {t!r}")
        return float(t)

    def _output_times(self, times: ArrayLike, goal: float) -> Vector:
        out = np.array(times, dtype=float).reshape(-1)
        close = self.horizon.close
        if len(out) and not (out[0] >= self._run.t - close and out[-1] <= goal + close and (np.diff(out) > 0).all()):
            raise StateError(f"times: expected rising times from {self._run.t:.6g} s to {goal:.6g} s, got {times!r}")
        return out
