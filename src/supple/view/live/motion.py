"""A run that is steered by hand: a simulator with all laws of the file, what a reader has set, and the mouse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from supple.checks import Floats
from supple.errors import SingularError, StateError, nearest
from supple.inputs.requests import Outputs
from supple.integrators import DOP853, GeneralizedAlpha, Integrator, Stepped, resolved
from supple.model.model import Model
from supple.model.parameters import parameter_names
from supple.simulation.horizon import Horizon
from supple.simulation.impacts import closed_again
from supple.simulation.run import Progress
from supple.simulation.samples import Samples
from supple.simulation.simulator import Simulator
from supple.view.live.inputs import AdjustableInputs
from supple.view.live.mouse_force import RATE, MouseForce, MouseSpring
from supple.view.live.pace import FRAME, MANY

STARTS = ("q", "v", "guess", "start")
KEPT = ("motion", "wrenches", "events", "limits", "loops")
"""Arguments of a run that all its simulators have."""
ARGUMENTS = ("duration", "tau", "variables", "outputs", "integrator", "rtol", "atol", "step", *STARTS, *KEPT)
"""All arguments of a run that are of use here."""
STIFF = 30_000
"""Steps a simulated second of explicit steps, beyond which implicit ones are taken."""
LONGEST_STEP = 2.0**-9
"""Of these, s. A power of two: then a frame is a whole number of steps of just this length, compiled once."""
State = tuple[Floats, Floats]


class Request(NamedTuple):
    """What a reader wants of the next frames: variables and numbers of the model to set, and the mouse."""

    variables: dict[str, float]
    parameters: dict[str, float]
    forces: dict[str, float]
    spring: MouseSpring | None


class LiveRun(NamedTuple):
    """A simulator, and the numbers of its model that are not those of the file."""

    simulator: Simulator
    numbers: dict[str, float]


@dataclass(frozen=True, eq=False)
class FrameBatch:
    """Some frames: the motion, the model with its numbers, energies (n, 2), J, and what the mouse did at the end."""

    model: Model
    samples: Samples
    energies: Floats
    pull: MouseForce | None


class LiveMotion:
    """A model in motion under its laws and a hand.

    Parameters
    ----------
    model : Model
    arguments : mapping
        Keyword arguments of `supple.simulate` that say how it starts and what acts on it, the integrator and what is
        recorded; `duration` is what the integrator is chosen for.

    Attributes
    ----------
    hand : AdjustableInputs
    outputs : Outputs
    steered : LiveRun
        What moves; another one after each restart.
    file_start, start : pairs of arrays
        q and v at time 0, as the file has them, and as the reader has.
    chosen : dict of str to float
        Numbers that the reader has set, by name.
    spring : MouseSpring or None
    """

    def __init__(self, model: Model, arguments: Mapping[str, Any]) -> None:
        given = dict(arguments)
        duration = float(given.get("duration", 10.0))
        self._model = model
        self._horizon = Horizon(duration, samples=max(2, 1 + round(duration / FRAME)))
        self._kept = {key: given[key] for key in KEPT if key in given}
        self.outputs: Outputs = given.get("outputs") or Outputs()
        self.hand = AdjustableInputs(model, given.get("tau"), given.get("motion"), given.get("variables"))
        first = {*self.hand.forces, *self.hand.targets, *self.hand.own}
        self._parameters = {*parameter_names(model)} - first if isinstance(model, Model) else set[str]()
        options = (given.get("integrator", "auto"), given.get("rtol"), given.get("atol"), given.get("step"))
        self._integrator: Integrator = resolved(*options)
        self._stiff = False
        self.chosen: dict[str, float] = {}
        self._pending: dict[str, float] = {}
        self.spring: MouseSpring | None = None
        start = {key: given[key] for key in STARTS if key in given}
        try:
            self.steered = self._made(**start)
        except SingularError:  # no integrator can be chosen there; the reader may set another configuration
            self._integrator = resolved(DOP853.name, *options[1:3])
            self.steered = self._made(**start)
        self._integrator = self.simulator.choice.options
        self.file_start = self.start = self.simulator.system.start_state(*self.simulator.start)

    @property
    def simulator(self) -> Simulator:
        """What moves."""
        return self.steered.simulator

    def _made(self, **start: Any) -> LiveRun:
        """A simulator at time 0, with what the reader has set."""
        hand, numbers = self.hand, self._numbers()
        model = self._model.with_parameters(numbers) if numbers else self._model
        variables = hand.variables | self._own() | self._targets() | hand.forced(self.forces)
        made = Simulator(
            model,
            tau=hand.tau,
            added=hand.added,
            variables=variables,
            integrator=self._integrator,
            horizon=self._horizon,
            **self._kept,
            **start,
        )
        return LiveRun(made, numbers)

    # ------------------------------------------------------------ what a reader wants

    def choose(self, values: Mapping[str, float]) -> None:
        """Set forces, set points, variables or numbers of the model; they act from the next frame on."""
        for name in values:
            known = {*self.hand.forces, *self.hand.targets, *self.hand.own, *self._parameters}
            if name not in known:
                raise StateError(f"no force, set point, variable or parameter {name!r}{nearest(name, sorted(known))}")
        chosen = self.chosen | {name: float(x) for name, x in values.items()}
        if any(name in self._parameters for name in values):
            self._model.with_parameters(self._numbers(chosen))  # refuses what no model has
        self.chosen = chosen
        self._pending |= {x: chosen[x] for x in values if x in self.hand.own}

    def _numbers(self, chosen: Mapping[str, float] | None = None) -> dict[str, float]:
        """Those of the model among what was chosen."""
        return {x: value for x, value in (chosen or self.chosen).items() if x in self._parameters}

    def _own(self) -> dict[str, float]:
        return {x: self.chosen[x] for x in self.hand.own if x in self.chosen}

    def _targets(self) -> dict[str, float]:
        return {x.variable: self.chosen[name] for name, x in self.hand.targets.items() if name in self.chosen}

    @property
    def forces(self) -> dict[str, float]:
        """Forces of the sliders by speed."""
        return {x: self.chosen.get(x, self.hand.variables[variable]) for x, variable in self.hand.forces.items()}

    def values(self, starts: Mapping[str, float]) -> dict[str, float]:
        """Present values by name, from those at the start; events may have changed variables."""
        now = self.simulator.variables
        own = {x: self._pending.get(x, now[x]) for x in self.hand.own}
        return {x: own[x] if x in own else self.chosen.get(x, start) for x, start in starts.items()}

    def request(self) -> Request:
        """What is wanted of the next frames; who asks has to see to it."""
        variables = self._targets() | self._pending
        self._pending = {}
        return Request(variables, self._numbers(), self.forces, self.spring)

    def restart(self, start: State | None = None, as_file: bool = False) -> None:
        """Go back to time 0; to another start if there is one, or to all that the file says."""
        if as_file:
            self.chosen, self.start = {}, self.file_start
        elif start is not None:
            self.start = start
        self._pending, self.spring = {}, None
        self.steered = self._made(q=self.start[0], v=self.start[1])

    def closed(self, q: Floats, v: Floats, places: list[int]) -> State:
        """A state with its loops closed; what is at some places of (q, v) keeps its value."""
        model = self.simulator.model
        if model.loops is None:
            return q, v
        floating = model.floating_frames("a configuration that is set by hand")
        return closed_again(floating, q, v, self.simulator.system.prescribed, places)

    # ------------------------------------------------------------ going on

    @property
    def method(self) -> str:
        """The integrator in use, in words."""
        options = self.simulator.choice.options
        name = options.name.replace("_", "-")
        if self._stiff and isinstance(options, GeneralizedAlpha):
            return f"{name}, steps of 1/{round(1 / options.step)} s: stiff model"
        if isinstance(options, Stepped):
            return f"{name}, steps of {options.step:g} s"
        return f"{name}, adaptive steps, tolerance {options.rtol:g}"

    def advance(self, steered: LiveRun, request: Request, span: float, pictures: int, tell: Progress) -> FrameBatch:
        """The next frames, so many of a span each, or fewer if an event ends the run."""
        simulator = steered.simulator
        self.apply(steered, request, span)
        if isinstance(step := self._step(simulator), float):
            span = step * max(1, round(span / step))
        # The first frames begin with the start.
        times = simulator.t + span * np.arange(0 if simulator.t == 0 else 1, pictures + 1, dtype=float)
        before, began, parts, pull = simulator.effort.steps, simulator.t, list[Samples](), None
        for goal, outputs in _stages(times, simulator.t, span, request.spring, step):
            if request.spring is not None:
                model = simulator.model.floating_frames("the mouse")
                pull = request.spring.pull(model, *simulator.state[1:3])
                simulator.set(variables=self.hand.forced(request.forces, pull.tau))
            parts.append(simulator.advance_to(goal, outputs, tell))
            if simulator.ended:
                break
        samples = Samples.joined(parts)
        self._judge(simulator, simulator.effort.steps - before, simulator.t - began)
        energies = simulator.system.sums(samples.q, samples.v)[0]
        return FrameBatch(simulator.model, samples, energies, pull)  # type: ignore[arg-type]

    def apply(self, steered: LiveRun, request: Request, span: float = FRAME) -> None:
        """Give the simulator what is new."""
        simulator, numbers = steered
        wanted, now = request.variables | self.hand.forced(request.forces), simulator.variables
        variables = {name: x for name, x in wanted.items() if now[name] != x}
        others = {name: x for name, x in request.parameters.items() if numbers.get(name) != x}
        integrator = None
        if self._stiff:
            step = GeneralizedAlpha(min(LONGEST_STEP, 2.0 ** float(np.floor(np.log2(span)))))
            integrator = step if simulator.choice.options != step else None
        if variables or others or integrator is not None:
            simulator.set(variables=variables, parameters=others, integrator=integrator)
            numbers.update(others)

    def _step(self, simulator: Simulator) -> float | None:
        options = simulator.choice.options
        return options.step if self._stiff and isinstance(options, GeneralizedAlpha) else None

    def _judge(self, simulator: Simulator, steps: int, span: float) -> None:
        """Take implicit steps from the next frame on where explicit ones are too many."""
        system = simulator.system
        if (
            isinstance(simulator.choice.options, DOP853)
            and steps > max(STIFF * span, MANY)
            and system.implicit_steps
            and system.model.loops is None
        ):
            self._stiff = True


def _stages(
    times: Floats, t: float, span: float, spring: MouseSpring | None, step: float | None
) -> Iterator[tuple[float, list[float]]]:
    """Where the motion is stopped on its way to output times, and the output times up to there."""
    if spring is None:
        yield float(times[-1]), times.tolist()
        return
    count = max(1, int(np.ceil(span * RATE)))
    for end in times:
        if end == t:
            yield t, [t]
            continue
        inner = np.linspace(end - span, end, count + 1)[1:-1]
        if step is not None:
            inner = np.unique(end - span + step * np.round((inner - end + span) / step))
        yield from ((float(x), []) for x in inner if t < x < end)
        yield float(end), [float(end)]
