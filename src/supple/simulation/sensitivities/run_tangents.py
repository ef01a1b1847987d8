"""All functions of a run with their derivatives along its parameters, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Nodes
from supple.inputs import requests
from supple.inputs.driven import DrivenEquations
from supple.model.body_frames import frame_arrays
from supple.model.model import Model
from supple.model.moved_trace import MovedTrace
from supple.model.number_arrays import NumberArrays
from supple.model.parameters import parameter_values
from supple.model.structural_slopes import structural_change, structural_parameters
from supple.model.symbolic_tree import zeros
from supple.recursions.tree import Frames
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.event_handling import EventHandler
from supple.simulation.sensitivities.run_parameters import RunParameters
from supple.simulation.sensitivities.tangent_kernel import TangentKernel
from supple.simulation.watched import EventCrossing, on_nodes

Vector = NDArray[np.float64]
AXES = "xyz"
FRAMES = "output_frames"
"""The group of frames whose positions are outputs."""


class RunTangents:
    """Kernels by system and what they are of.

    Parameters
    ----------
    parameters : RunParameters

    Attributes
    ----------
    frames : sequence of str
        Frames whose positions are among the outputs.
    """

    def __init__(self, parameters: RunParameters) -> None:
        self.parameters = parameters
        self.frames: tuple[str, ...] = ()
        self._made: dict[tuple[int, str], tuple[DrivenSystem, TangentKernel]] = {}

    def _kernel(
        self,
        system: DrivenSystem,
        what: str,
        make: Callable[[DrivenEquations, MovedTrace], Nodes],
        written_out: bool = False,
        further: Sequence[str] = (),
        more: Mapping[str, tuple[Any, Vector]] | None = None,
    ) -> TangentKernel:
        key = id(system), what  # the system is kept, so that no other one has its id
        if key not in self._made:
            made = TangentKernel(system, self.parameters.directions, what, make, written_out, further, more)
            self._made[key] = system, made
        return self._made[key][1]

    def rates(self, system: DrivenSystem) -> TangentKernel:
        """dy/dt."""
        return self._kernel(system, "rate", lambda e, _: e.rate())

    def settled(self, system: DrivenSystem) -> TangentKernel:
        """q and v, prescribed ones as prescribed."""
        return self._kernel(system, "settled", lambda e, _: np.concatenate([e.applied.q, e.applied.v]))

    def closed(self, system: DrivenSystem) -> TangentKernel:
        """The state with its loops closed."""
        return self._kernel(system, "closed", lambda e, _: e.closed()["y"])

    def constraint_errors(self, system: DrivenSystem) -> TangentKernel:
        """Errors of the constraint equations, of positions and then of velocities."""

        def errors(e: DrivenEquations, t: MovedTrace) -> Nodes:
            cw = t.closing_steps(e.applied.q, e.applied.v, e.applied.given, t.workspace())[0]
            return np.concatenate([cw.position, cw.velocity])

        return self._kernel(system, "errors", errors)

    def outputs(self, system: DrivenSystem) -> TangentKernel:
        """q, v, a, kinetic and potential energy, and positions of frames, loops closed."""
        frames = self.frames

        def outputs(e: DrivenEquations, t: MovedTrace) -> Nodes:
            x = e.closed_state[0]
            a = t.hybrid_dynamics(x.q, x.v, x.drive, x.given)[0]
            positions = t.frame_positions(x.q, t.groups[FRAMES]).reshape(-1) if frames else zeros(0)
            return np.concatenate([x.q, x.v, a, t.energy(x.q, x.v), positions])

        what = f"outputs {len(frames)}"
        known = (id(system), what) in self._made or not frames
        more = {} if known else {FRAMES: self._frames(system)}
        return self._kernel(system, what, outputs, more=more)

    def _frames(self, system: DrivenSystem) -> tuple[Frames, Vector]:
        """The frames whose positions are wanted, and how their numbers move."""
        model, parameters = system.model.floating_frames("a sensitivity"), self.parameters

        def arrays(of: Model) -> Frames:
            return frame_arrays([requests.frame(of, name) for name in self.frames])

        def numbers(of: Model) -> Vector:
            return NumberArrays({FRAMES: arrays(of)}).values()

        slopes = np.zeros((len(numbers(model)), parameters.count))
        structural, own = structural_parameters(model), parameter_values(model)
        for j, (name, scale) in enumerate(zip(parameters.names, parameters.scales, strict=True)):
            frame, _, axis = name.rpartition(".")
            if name in own:
                if frame in self.frames and axis in AXES:  # the place of a frame itself
                    slopes[3 * self.frames.index(frame) + AXES.index(axis), j] = scale
            elif name in structural:
                slopes[:, j] = structural_change(model, name, numbers)
        return arrays(model), slopes

    def watched(self, handler: EventHandler) -> TangentKernel:
        """What events and stops look at."""
        held, watched = bool(handler.held), handler.watched
        what = f"watched {[repr(x) for x in watched]} of {self._names(handler.system)}"
        return self._kernel(handler.system, what, lambda e, _: on_nodes(e, watched, held))

    def change(self, system: DrivenSystem, crossing: EventCrossing) -> TangentKernel:
        """What an event's changes give."""
        change, where = crossing.event.change, crossing.where

        def new(e: DrivenEquations, _: MovedTrace) -> Nodes:
            at = e.settled()
            return np.array([at.formula(x, f"{where}: {name!r}") for name, x in change.items()], dtype=object)

        return self._kernel(system, f"change {change!r} of {self._names(system)}", new)

    def tick(self, system: DrivenSystem, rate: float) -> TangentKernel:
        """What held values become at a tick of a clock."""
        places = system.laws_equations.ticks[rate][0]

        def held(e: DrivenEquations, _: MovedTrace) -> Nodes:
            ticks = e.applied.ticks[rate]
            return np.array([ticks[i] for i in places], dtype=object)

        return self._kernel(system, f"tick {rate} {system.inputs.describe()!r}", held, written_out=True)

    def impact(self, system: DrivenSystem, speed: int, held: NDArray[np.bool_]) -> TangentKernel:
        """Speeds after the impact of a joint on its stop, whose restitution is one more argument."""

        def after(e: DrivenEquations, t: MovedTrace) -> Nodes:
            x, back = e.applied, e.inputs["back"][0]
            change = t.responses(x.q, [speed], held)[0]
            found: Nodes = x.v - (1.0 + back) * x.v[speed] / change[speed] * change
            return found

        return self._kernel(system, f"impact {speed} {held.tolist()}", after, further=("back",))

    @staticmethod
    def _names(system: DrivenSystem) -> str:
        """Names that formulas speak of: they are no part of the structure."""
        return repr([*system.model.coordinates, *system.model.speeds, *system.inputs.held])
