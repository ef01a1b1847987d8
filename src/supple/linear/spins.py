"""Joints that turn at constant speed: their names, their speeds, and the model without gravity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import is_number
from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.linear.start import Floats
from supple.model.model import Model

MOST_SPEEDS = 10_000
"""Speeds of a sweep."""
EXAMPLE = "such as 0:400:41"


def spin_places(model: Formulation, names: Iterable[str]) -> dict[str, int]:
    """Speeds of the model, by name, that turn when these joints spin, and their places in v.

    A joint is named by its coordinate ("hub.angle"), or by its body where it has no other degree of freedom.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise StateError(f"spin: expected speeds by the names of joints, got {names!r}")
    out: dict[str, int] = {}
    for name in names:
        place = _place(model, name)
        if model.speeds[place] in out:
            raise StateError(f"spin: {model.speeds[place]!r} is given twice")
        out[model.speeds[place]] = place
    if not out:
        raise StateError("spin: expected the speed of at least one joint, got none")
    return out


def _place(model: Formulation, name: Any) -> int:
    """Place in v of the angle that a joint turns by."""
    if name in model.bodies:
        places = model.joint_speeds(name)
        if len(places) != 1:
            angles = ", ".join(repr(model.speeds[i]) for i in places if _turns(model, i))
            hint = f"; name the one that turns: {angles}" if angles else ""
            what = f"{len(places)} degrees of freedom{hint}" if places else "none"
            raise StateError(f"spin: {name!r}: expected a joint with one degree of freedom, an angle; it has {what}")
        place = places[0]
    elif name in model.speeds:
        place = model.speeds.index(name)
    else:
        turning = [model.speeds[i] for i in range(model.nv) if _turns(model, i)]
        raise StateError(f"spin: no joint {name!r}{nearest(str(name), {*turning, *map(model.body_of_state, turning)})}")
    if not _turns(model, place):
        raise StateError(
            f"spin: {name!r}: expected a joint that turns about one axis, got a speed in {model.speed_units[place]}"
            f"{', of deformation' if model.is_mode[place] else ''}"
            f"{', which is the rate of no coordinate' if model.q_of_speed[place] < 0 else ''}"
        )
    return place


def _turns(model: Formulation, place: int) -> bool:
    """Whether a speed is the rate of an angle of a joint."""
    return bool(model.speed_units[place] == "rad/s" and model.q_of_speed[place] >= 0 and not model.is_mode[place])


def turns(model: Formulation, name: str) -> bool:
    """Whether a name is that of a speed which a steady rotation can have."""
    return name in model.speeds and _turns(model, model.speeds.index(name))


def spin_speeds(model: Formulation, spin: Mapping[str, float]) -> Floats:
    """Speeds (nv,) of a model of which only some joints turn, rad/s."""
    if not isinstance(spin, Mapping):
        raise StateError(f"spin: expected a mapping of joints to speeds, rad/s, got {spin!r}")
    places = spin_places(model, spin)
    v = np.zeros(model.nv)
    for name, place, speed in zip(spin, places.values(), spin.values(), strict=True):
        if not is_number(speed):
            raise StateError(f"spin: {name!r}: expected a finite number of rad/s, got {speed!r}")
        v[place] = speed
    return v


def spin_sweep(model: Formulation, spin: Mapping[str, ArrayLike]) -> tuple[dict[str, int], Floats]:
    """Places in v of joints, and their speeds (speeds, joints), rad/s, those of the first joint ascending."""
    if not isinstance(spin, Mapping):
        raise StateError(f"spin: expected a mapping of joints to arrays of speeds, rad/s, got {spin!r}")
    places = spin_places(model, spin)
    columns = [_column(name, values) for name, values in spin.items()]
    first = next(iter(spin))
    for name, column in zip(spin, columns, strict=True):
        if len(column) != len(columns[0]):
            raise StateError(
                f"spin: {name!r}: expected as many speeds as for {first!r}, {len(columns[0])}, got {len(column)}"
            )
    if (np.diff(columns[0]) <= 0).any():
        raise StateError(f"spin: {first!r}: expected ascending speeds")
    return places, np.stack(columns, axis=1)


def _column(name: str, values: ArrayLike) -> Floats:
    try:
        x = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        raise StateError(f"spin: {name!r}: expected speeds, rad/s, got {values!r}") from None
    if x.ndim != 1 or not 1 <= len(x) <= MOST_SPEEDS:
        raise StateError(f"spin: {name!r}: expected 1 to {MOST_SPEEDS:,} speeds in a row, got shape {x.shape}")
    if not np.isfinite(x).all():
        raise StateError(f"spin: {name!r}: expected finite speeds, got {x[~np.isfinite(x)][0]}")
    return x


def read_spin(text: str) -> tuple[str, Floats]:
    """A joint and its speeds, rad/s, from "hub=0:400:41": from 0 to 400 rad/s in 41 equal steps, ends included.

    "hub=300" is one speed.

    >>> read_spin("hub=0:400:3")
    ('hub', array([  0., 200., 400.]))
    """
    name, equals, values = text.partition("=")
    name, words = name.strip(), values.split(":")
    if not (name and equals):
        raise StateError(f"spin: expected JOINT=start:stop:count, {EXAMPLE}, got {text!r}")
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise StateError(f"spin: {name!r}: expected numbers, start:stop:count, {EXAMPLE}, got {values!r}") from None
    if not np.isfinite(numbers).all() or len(numbers) not in (1, 3):
        raise StateError(f"spin: {name!r}: expected start:stop:count, {EXAMPLE}, got {values!r}")
    if len(numbers) == 1:
        return name, np.array(numbers)
    start, stop, count = numbers
    if count != int(count) or not 2 <= count <= MOST_SPEEDS:
        raise StateError(f"spin: {name!r}: expected a count from 2 to {MOST_SPEEDS:,}, got {words[2]!r}")
    if start == stop:
        raise StateError(f"spin: {name!r}: expected two different speeds, start:stop:count, got {values!r}")
    return name, np.linspace(start, stop, int(count))


def without_gravity(model: Formulation) -> Formulation:
    """The model in the same formulation, with all its loads but gravity."""
    mech = model.description.copy()
    mech.gravity = np.zeros(3)
    return type(model).restored(Model(mech), model.formulation_settings())
