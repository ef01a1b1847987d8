"""What a user asks to happen during a run: events and stops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked, require_signature
from supple.checks import is_number
from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.inputs.driven import law_leaves
from supple.inputs.inputs import Inputs

Vector = NDArray[np.float64]
DIRECTIONS = {"rising": 1.0, "falling": -1.0, "both": 0.0}


@checked
@dataclass(frozen=True)
class Event:
    """Something that happens when a quantity passes zero.

    Parameters
    ----------
    name : str
    when : formula, or function of (t, q, v)
        What is watched. It is looked at after every step, none longer than the output interval: what passes zero and
        comes back within a step is not seen. What starts from zero has not passed it.
    direction : str
        "rising", "falling" or "both".
    stop : bool
        Ends the run.
    change : mapping of name to number or formula
        New values of variables, coordinates or speeds (as "rate(arm.angle)", or by their own name).
    action : function of (t, q, v), optional
        Gives the state (q, v) after the event.

    Notes
    -----
    Closed loops are closed again after what happens at one instant: coordinates and speeds that were changed stay, the
    others follow.
    """

    name: str
    when: str | Callable[[float, Vector, Vector], float]
    direction: str = "both"
    stop: bool = False
    change: Mapping[str, float | str] = field(default_factory=dict)
    action: Callable[[float, Vector, Vector], tuple[Any, Any]] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.direction, str) or self.direction not in DIRECTIONS:
            raise StateError(
                f"event {self.name!r}: direction: expected one of {', '.join(DIRECTIONS)}, got {self.direction!r}"
            )
        if not (isinstance(self.when, str) or callable(self.when)):
            raise StateError(
                f"event {self.name!r}: when: expected a formula or a function of (t, q, v), got {self.when!r}"
            )
        if callable(self.when):
            require_signature(self.when, "t, q, v", f"event {self.name!r}: when")
        if callable(self.action):
            require_signature(self.action, "t, q, v", f"event {self.name!r}: action")
        if not (self.action is None or callable(self.action)):
            raise StateError(f"event {self.name!r}: action: expected a function of (t, q, v), got {self.action!r}")
        if not isinstance(self.change, Mapping):
            raise StateError(f"event {self.name!r}: change: expected new values by name, got {self.change!r}")
        for name, x in self.change.items():
            if not (isinstance(x, str) or is_number(x)):
                raise StateError(
                    f"event {self.name!r}: change: {name!r}: expected a finite number or a formula, got {x!r}"
                )


def limit_speed(model: Formulation, limit: Limit) -> int:
    """The speed whose coordinate has stops."""
    place = model.coordinate_index(limit.coordinate)
    found = np.flatnonzero(model.q_of_speed == place)
    if not len(found) or model.is_mode[found[0]]:
        raise StateError(f"limit of {limit.coordinate!r}: expected a joint coordinate with a rate of its own")
    return int(found[0])


def require_sound(
    model: Formulation, inputs: Inputs, events: Sequence[Event], limits: Sequence[Limit], q: Vector | None = None
) -> None:
    """Refuse laws, events and stops that do not fit the model, and a start q (nq,) beyond a stop."""
    at = law_leaves(model, inputs)
    x = inputs.applied(at)
    at = replace(at, q=x.q, v=x.v)
    for event in events:
        where = f"event {event.name!r}"
        if isinstance(event.when, str):
            at.formula(event.when, where)
        for name, new in event.change.items():
            kind, place = changed(model, inputs, name, where)
            inputs.require_changeable(name, f"{where}: change")
            if kind == "y" and place in prescribed_places(model, inputs):
                raise StateError(f"{where}: change: the motion of {name!r} is prescribed, so it cannot be changed")
            at.formula(new, f"{where}: {name!r}")
    for limit in limits:
        speed = limit_speed(model, limit)
        if speed in inputs.motions:
            raise StateError(f"limit of {limit.coordinate!r}: its motion is prescribed, so it has no stops")
        if sum(x.coordinate == limit.coordinate for x in limits) > 1:
            raise StateError(f"limit of {limit.coordinate!r}: expected one for each coordinate, got several")
        if q is not None:
            require_within(limit, q[model.q_of_speed[speed]])


def require_within(limit: Limit, start: float) -> None:
    """Raise if a coordinate starts beyond its stops."""
    low, high = (-np.inf if limit.lower is None else limit.lower), (np.inf if limit.upper is None else limit.upper)
    if not low <= start <= high:
        raise StateError(f"limit of {limit.coordinate!r}: expected a start between {low:g} and {high:g}, got {start:g}")


def prescribed_places(model: Formulation, inputs: Inputs) -> set[int]:
    """Places in the state that motions prescribe."""
    out = set()
    for speed, motion in inputs.motions.items():
        if motion.acceleration is None:
            out.add(model.nq + speed)
        if motion.position is not None:
            out.add(int(model.q_of_speed[speed]))
    return out


def changed(model: Formulation, inputs: Inputs, name: str, where: str) -> tuple[str, int]:
    """What an event changes: "u" or "y" and the place there."""
    rate = name[5:-1] if name.startswith("rate(") and name.endswith(")") else None
    if rate is not None and rate in model.speeds:
        return "y", model.nq + model.speeds.index(rate)
    if name in inputs.variables:
        return "u", list(inputs.variables).index(name)
    if name in model.coordinates:
        return "y", model.coordinates.index(name)
    if name in model.speeds:
        return "y", model.nq + model.speeds.index(name)
    known = [*inputs.variables, *model.coordinates, *model.speeds]
    raise StateError(f"{where}: change: no variable or coordinate {name!r}{nearest(name, known)}")
