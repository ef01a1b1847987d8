"""What a motion is differentiated by: numbers of model and laws, variables, stops, and the start, all by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.inputs.events import limit_speed
from supple.inputs.inputs import Inputs
from supple.inputs.lifted_laws import law_numbers
from supple.model.gradients import number_slopes
from supple.model.model import Model
from supple.model.moved_trace import NumberDirections
from supple.model.parameters import parameter_values
from supple.model.recorded_trace import model_numbers
from supple.model.structural_slopes import structural_parameters, structural_slopes
from supple.simulation.sensitivities.parameter_units import parameter_unit
from supple.simulation.sensitivities.tangent_kernel import Directions

Vector = NDArray[np.float64]
START = "start"
"""Stands for all coordinates and speeds at the start."""
STOPS = ("lower", "upper", "restitution")


@dataclass(frozen=True)
class RunParameters:
    """The parameters of a run's sensitivities.

    Attributes
    ----------
    names : tuple of str
    values, scales : (P,) arrays
        Their numbers, and what tangents are scaled by: the size of the number, 1 if it is zero.
    directions : Directions
        What they change in model and laws; scaled.
    q, v, u : (nq, P), (nv, P), (k, P) arrays
        What they change in the start as it was given, and in held values; scaled.
    stops : dict of (int, str) to (P,) array
        What they change in limits, by their number and "lower", "upper" or "restitution"; scaled.
    units : tuple of str
        Empty where a unit follows from a law.
    """

    names: tuple[str, ...]
    values: Vector
    scales: Vector
    directions: Directions
    q: Vector
    v: Vector
    u: Vector
    stops: dict[tuple[int, str], Vector] = field(default_factory=dict)

    units: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """P."""
        return len(self.names)

    def stop(self, limit: int, what: str) -> Vector:
        """(P,) how a number of a stop changes."""
        return self.stops.get((limit, what), np.zeros(self.count))


def run_parameters(
    model: Model,
    inputs: Inputs,
    limits: Sequence[Limit],
    start: tuple[Vector, Vector],
    wanted: Sequence[str],
) -> RunParameters:
    """The parameters of these names.

    Parameters
    ----------
    model : Model
    inputs : Inputs
    limits : sequence of Limit
    start : q and v
        As they are at the start.
    wanted : sequence of str
        Numbers of the model ("arm.mass", see `parameter_names`), of the laws ("arm.angle.kp"), variables, stops
        ("arm.angle.upper"), of the beam that a flexible body was reduced from ("boom.E", "boom.length"), or the start:
        "q.arm.angle", "v.arm.angle", and "start" for all of these.

    Raises
    ------
    StateError
        If there is none of a name.
    """
    if isinstance(wanted, str) or not all(isinstance(x, str) for x in wanted):
        raise StateError(f"sensitivities: expected a list of names of parameters, got {wanted!r}")
    begin = {f"q.{name}": float(x) for name, x in zip(model.coordinates, start[0], strict=True)}
    begin |= {f"v.{name}": float(x) for name, x in zip(model.speeds, start[1], strict=True)}
    names = [y for x in wanted for y in (begin if x == START else [x])]
    own, laws, stops = parameter_values(model), law_numbers(model, inputs), _stops(model, limits)
    values: dict[str, float] = {}
    structural = structural_parameters(model)
    known = {name: x for name, (x, _, _) in structural.items()}
    known |= {**begin, **{name: x for name, (x, _, _) in stops.items()}, **laws, **inputs.variables, **own}
    for name in names:
        if name not in known:
            raise StateError(f"sensitivities: model {model.name!r}: no parameter {name!r}{nearest(name, known)}")
        if name in values:
            raise StateError(f"sensitivities: {name!r} stands twice")
        values[name] = known[name]
    count, numbers = len(names), np.array(list(values.values()))
    scales = np.where(numbers != 0.0, np.abs(numbers), 1.0)
    units = dict(zip(names, np.diag(scales), strict=True))
    of_model = [name for name in names if name in own]
    of_laws = {name: units[name] for name in names if name in laws and name not in own}
    q, v = (np.array([units.get(f"{what}.{x}", np.zeros(count)) for x in of]).reshape(-1, count)
            for what, of in (("q", model.coordinates), ("v", model.speeds)))  # fmt: skip
    u = np.zeros((len(inputs.held), count))
    for i, name in enumerate(inputs.variables):
        if name in units and name not in own and name not in laws:
            u[i] = units[name]
    moved = {(i, what): units[name] for name, (_, i, what) in stops.items() if name in units}
    of_structures = [name for name in names if name in structural and name not in own]
    numbers_moved = _directions(model, of_model, of_structures, units, count)
    directions = Directions(numbers_moved, of_laws, laws)
    of_units = tuple(parameter_unit(model, name) for name in names)
    return RunParameters(tuple(names), numbers, scales, directions, q, v, u, moved, of_units)


def _stops(model: Model, limits: Sequence[Limit]) -> dict[str, tuple[float, int, str]]:
    """Numbers of stops by name, with the number of the limit and which one it is."""
    out: dict[str, tuple[float, int, str]] = {}
    for i, limit in enumerate(limits):
        for what in STOPS:
            x = getattr(limit, what)
            if x is not None and limit_speed(model, limit) >= 0:
                out[f"{limit.coordinate}.{what}"] = float(x), i, what
    return out


def _directions(
    model: Model, names: Sequence[str], structural: Sequence[str], units: Mapping[str, Vector], count: int
) -> NumberDirections:
    """How numbers of the model move with some of the parameters."""
    slopes = np.zeros((len(model_numbers(model).values()), count))
    if names:
        found = number_slopes(model, names)[0]
        np.add.at(slopes, found.places, found.slopes @ np.array([units[name] for name in names]))
    for name in structural:
        slopes += np.outer(structural_slopes(model, name), units[name] != 0.0)
    moved = np.flatnonzero((slopes != 0.0).any(axis=1))
    return NumberDirections(moved, slopes[moved])
