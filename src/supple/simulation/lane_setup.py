"""A run as a lane takes it: all its numbers in one row, and what has to be the same in every lane.

Lanes take steps of one length side by side, so that they differ in numbers alone: those of the model, of flexible
bodies and laws, the state at the start, the variables. What a lane cannot do is said by name.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.inputs import requests
from supple.inputs.requests import FIRST, Outputs
from supple.integrators import FixedStep
from supple.model.body_frames import frame_arrays
from supple.model.model import Model
from supple.model.number_arrays import NumberArrays, flat
from supple.recursions.frame_paths import FramePaths, frame_paths
from supple.simulation.clocks import jumps_with_time
from supple.simulation.simulate import simulator_arguments
from supple.simulation.simulator import Simulator
from supple.simulation.state_kernel import LAWS, WRENCHES

Vector = NDArray[np.float64]
MODEL = ("tree", "flex", "closures")
"""Groups of numbers of the model, in the order in which programs load them."""
FRAMES = "frames"
"""The group of the frames whose motion is wanted."""
RESULTS = ("outputs", "check", "parts", "progress", "file", "resume", "overwrite")
"""Arguments of `supple.simulate` that no simulator takes."""
OTHERS = ("stresses", "worst_stresses", "section_forces", "euler")
"""What else results may be asked for that lanes do not give."""


def lane_refusal(simulator: Simulator, arguments: Mapping[str, Any]) -> str:
    """Why a run cannot be a lane, in words; empty if it can."""
    model, inputs, options = simulator.model, simulator.system.inputs, simulator.choice.options
    outputs = arguments.get("outputs") or Outputs()
    asked = [key for key in (*FIRST[1:], *OTHERS) if getattr(outputs, key)]
    reasons = {
        f"the formulation {model.formulation!r}": not isinstance(model, Model),
        "closed loops": model.loops is not None,
        "events": bool(simulator.events),
        "stops of joints": bool(simulator.limits),
        "Python functions that are called": inputs.calls,
        "sampled controllers": bool(inputs.sample_rates),
        "formulas that jump with the time": jumps_with_time(simulator.system),
        f"steps of {options.name} that are not of fixed length": not isinstance(options, FixedStep),
        "an estimate of the error (check)": bool(arguments.get("check")),
        "sensitivities": bool(arguments.get("sensitivities")),
        f"the outputs {', '.join(asked)}": bool(asked),
        f"velocities along the axes of the {outputs.velocity_axes}": outputs.velocity_axes != "ground",
    }
    found = [words for words, is_so in reasons.items() if is_so]
    return f"lanes cannot have {', '.join(found)}" if found else ""


@dataclass(frozen=True, eq=False)
class LaneSetup:
    """A run in numbers.

    Attributes
    ----------
    simulator : Simulator
        At its start.
    outputs : Outputs
    """

    simulator: Simulator
    outputs: Outputs

    @staticmethod
    def of(model: Any, arguments: Mapping[str, Any]) -> LaneSetup:
        """From a model and keyword arguments of `supple.simulate`.

        Raises
        ------
        StateError
            If it cannot be a lane, by name.
        """
        own = {key: x for key, x in arguments.items() if key not in RESULTS}
        simulator = Simulator(**simulator_arguments(model=model, **own))
        why = lane_refusal(simulator, arguments)
        if why:
            raise StateError(f"model {model.name!r}: {why}")
        return LaneSetup(simulator, arguments.get("outputs") or Outputs())

    @property
    def model(self) -> Model:
        """The model, which is one of floating frames."""
        return self.simulator.model.floating_frames("lanes")

    @cached_property
    def paths(self) -> FramePaths | None:
        """The frames whose motion is wanted."""
        if not self.outputs.frames:
            return None
        places = [requests.frame(self.model, name) for name in self.outputs.frames]
        return frame_paths(self.model.tree.parent, frame_arrays(places))

    @cached_property
    def groups(self) -> dict[str, Any]:
        """All arrays by group: of the model, of the laws, of the frames of wrenches, of frames that are wanted."""
        system = self.simulator.system
        found: dict[str, Any] = {"tree": self.model.tree, "flex": self.model.flex, "closures": None}
        found[LAWS] = system.laws_equations.lifted.numbers
        if system.inputs.frame_wrenches is not None:
            found[WRENCHES] = system.inputs.frame_wrenches
        return found | {FRAMES: self.paths}

    @cached_property
    def segments(self) -> tuple[Vector, Vector]:
        """Times (s + 1,) between which no table of the laws jumps, and the held values (s, k) there."""
        simulator = self.simulator
        horizon, inputs = simulator.horizon, simulator.system.inputs
        inner = inputs.breaks
        inner = inner[(inner > horizon.close) & (inner < horizon.duration - horizon.close)]
        held = [simulator.first[1]]
        for t in inner:
            u = held[-1].copy()
            inputs.turn(t + horizon.close, u)
            held.append(u)
        return np.array([0.0, *inner, horizon.duration]), np.array(held)

    @cached_property
    def values(self) -> Vector:
        """All numbers: of the groups, the state at the start, the held values of all segments."""
        return np.concatenate([NumberArrays(self.groups).values(), self.simulator.first[0], self.segments[1].ravel()])

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Equal for runs that may be lanes side by side."""
        simulator, system, model = self.simulator, self.simulator.system, self.model
        integers = [(name, x.tobytes()) for g, a in self._arrays() for name, x in flat(a, g) if x.dtype.kind != "f"]
        shapes = [(name, x.shape) for g, a in self._arrays() for name, x in flat(a, g)]
        return (
            repr(shapes),
            tuple(integers),
            system.laws_equations.structure,
            (model.coordinates, model.speeds, tuple(system.inputs.held), tuple(system.inputs.integrals)),
            (str(simulator.choice.options), simulator.horizon, self.outputs.frames),
            self.segments[0].tobytes(),
        )

    def _arrays(self) -> list[tuple[str, Any]]:
        return [(name, x) for name, x in self.groups.items() if x is not None]

    def split(self, values: Vector) -> tuple[dict[str, Vector], Vector, Vector]:
        """Rows (cases, n) of `values` apart: numbers by group, states at the start, held values (segments, cases, k).

        What has no numbers is there with none.
        """
        sizes = {name: NumberArrays({name: x}).values().size for name, x in self.groups.items()}
        ends = np.cumsum([*sizes.values(), len(self.simulator.first[0])])
        *numbers, y, held = np.split(values, ends, axis=1)
        segments, k = self.segments[1].shape
        u = np.moveaxis(held.reshape(len(values), segments, k), 1, 0)
        return dict(zip(sizes, numbers, strict=True)), y, u


def structure_of(groups: Mapping[str, Any], values: Mapping[str, Vector]) -> dict[str, Any]:
    """The groups with numbers that stand for those of all lanes, (lanes, n) by group.

    What is the same in all lanes is as it is; for what differs there is a number that is neither zero nor one, so that
    it is loaded. A program for these numbers then serves all lanes.
    """
    found = dict(groups)
    for name, x in values.items():
        first = x[0]
        same = (x == first).all(axis=0)
        found[name] = _filled(groups[name], np.where(same, first, np.pi), 0)[0] if groups[name] is not None else None
    return found


def _filled(arrays: Any, values: Vector, first: int) -> tuple[Any, int]:
    """Arrays like these with other numbers, which begin at `first`, and the next one after them."""
    if hasattr(arrays, "_asdict"):
        parts = {}
        for name, x in arrays._asdict().items():
            parts[name], first = _filled(x, values, first)
        return type(arrays)(**parts), first
    if arrays.dtype.kind != "f":
        return arrays, first
    return values[first : first + arrays.size].reshape(arrays.shape), first + arrays.size


def span_of(arrays: Any, name: str) -> slice:
    """Where the numbers of one array stand among those of its group."""
    first = 0
    for other, x in flat(arrays):
        if other == name:
            return slice(first, first + x.size)
        first += x.size if x.dtype.kind == "f" else 0
    raise KeyError(name)


def like_model(model: Model, groups: Mapping[str, Any]) -> Model:
    """A model of the same names with other arrays: for the structure of programs alone."""
    other = copy.copy(model)
    other.tree, other.flex = groups["tree"], groups["flex"]
    return other
