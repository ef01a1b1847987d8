"""What a reader can set by slider or number on the live page: forces, set points, variables, numbers of the model.

Each has a name, by which the page, files (`[live.sliders]`) and results know it: a force has the name of its speed, a
set point that name and ".target", variables and parameters have their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.checks import Floats
from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.model.model import Model
from supple.model.parameters import parameter_values
from supple.view.live.handles import Slider, force_sliders, rounded_up
from supple.view.live.inputs import AdjustableInputs

FORCE, TARGET, VARIABLE, PARAMETER = "force", "target", "variable", "parameter"
Range = tuple[float, float]
Ranges = Mapping[str, Range]
LOWEST, HIGHEST = 0.2, 2.0
"""Shares of a number of the model that its slider reaches: not zero, which would be another structure."""
OFFERED = ("mass", "stiffness", "damping", "length", "pitch")
"""Numbers of the model that have sliders without being asked for, if they are not zero; and gravity."""
UNITS = {
    "mass": "kg",
    "length": "m",
    "pitch": "m/rad",
    **{f"inertia.{x}": "kg m^2" for x in ("xx", "xy", "xz", "yy", "yz", "zz")},
    **{f"{what}.{c}": unit for what, unit in (("moment", "N m"), ("force", "N")) for c in "xyz"},
}
"""Of numbers of the model by the end of their names; the others are places, m, or belong to joints and springs."""
OF_SPEEDS = {
    "rad/s": {"stiffness": "N m/rad", "damping": "N m s/rad", "rest": "rad", "inertia": "kg m^2"},
    "m/s": {"stiffness": "N/m", "damping": "N s/m", "rest": "m", "inertia": "kg"},
}


@dataclass(frozen=True)
class Control:
    """A number that can be set: what it is, its name, unit, range and value at the start; `added` to a target."""

    kind: str
    name: str
    unit: str
    low: float
    high: float
    value: float
    added: bool = False


def live_controls(
    model: Model, hand: AdjustableInputs, limits: Sequence[Limit], configurations: Floats, reach: float, asked: Ranges
) -> list[Control]:
    """All controls of a run; what is asked for comes first in its kind.

    Parameters
    ----------
    model : Model
    hand : AdjustableInputs
    limits : sequence of Limit
        Stops: set points stay between them.
    configurations : (n, nq) array
        In which forces must carry the weight.
    reach : float
        How far set points of positions go, m.
    asked : mapping of name to range
        Of the file.
    """
    found = {x.name: x for x in _forces(model, hand, configurations)}
    found |= {x.name: x for x in _targets(model, hand, limits, reach)}
    found |= {x: Control(VARIABLE, x, "", *_around(hand.variables[x]), hand.variables[x]) for x in hand.own}
    offered, hidden = _parameters(model)
    found = offered | found
    for name in asked:
        if name not in found and name not in hidden:
            known = [*found, *hidden]
            raise StateError(
                f"live: sliders: no force, set point, variable or parameter {name!r}{nearest(name, known)}"
            )
        low, high = asked[name]
        found[name] = replace(found.get(name) or hidden[name], low=low, high=high)
    listed = sorted(found.values(), key=lambda x: x.name not in asked)
    return [x for kind in (VARIABLE, TARGET, FORCE, PARAMETER) for x in listed if x.kind == kind]


def _forces(model: Model, hand: AdjustableInputs, configurations: Floats) -> list[Control]:
    """Forces of joints whose motion is not prescribed."""
    given = np.array([hand.variables[hand.forces[x]] if x in hand.forces else 0.0 for x in model.speeds])
    handles = {x.name: x for x in force_sliders(model, configurations, given)}
    return [
        Control(FORCE, name, x.unit, x.low, x.high, float(given[model.speeds.index(name)]))
        for name in hand.joint_speeds()
        if (x := handles.get(name))
    ]


def _targets(model: Model, hand: AdjustableInputs, limits: Sequence[Limit], reach: float) -> list[Control]:
    """Set points of controllers; what is added to a formula or table goes half as far either way."""
    stops = {x.coordinate: x for x in limits}
    out = []
    for name, x in hand.targets.items():
        place = int(model.q_of_speed[model.speeds.index(x.speed)])
        coordinate, unit = model.coordinates[place], model.coordinate_units[place]
        far = np.pi if unit == "rad" else reach
        value = hand.variables[x.variable]
        if x.added:
            out.append(Control(TARGET, name, unit, -far / 2, far / 2, value, added=True))
            continue
        stop = stops.get(coordinate)
        low = -far if stop is None or stop.lower is None else stop.lower
        high = far if stop is None or stop.upper is None else stop.upper
        out.append(Control(TARGET, name, unit, min(low, value), max(high, value), value))
    return out


def _parameters(model: Model) -> tuple[dict[str, Control], dict[str, Control]]:
    """Numbers of the model that are not zero and are worth a slider; and all others, for who asks."""
    if not isinstance(model, Model):
        return {}, {}
    units = dict(zip(model.speeds, model.speed_units, strict=True))
    modes = {x for x, modal in zip(model.speeds, model.is_mode, strict=True) if modal}
    offered: dict[str, Control] = {}
    hidden: dict[str, Control] = {}
    for name, value in parameter_values(model).items():
        owner, _, what = name.rpartition(".")
        if owner in modes:
            continue
        if owner == "gravity":
            unit = "m/s^2"
        else:
            springs = {"stiffness": "N/m", "damping": "N s/m"}
            tail = ".".join(name.split(".")[-2:])
            known = OF_SPEEDS.get(units.get(owner, ""), {}).get(what) or UNITS.get(tail) or UNITS.get(what)
            unit = known or springs.get(what, "m")
        control = Control(PARAMETER, name, unit, *_of_a_number(name, value), value)
        offers = value != 0.0 and (what in OFFERED or owner == "gravity")
        (offered if offers else hidden)[name] = control
    return offered, hidden


def _of_a_number(name: str, x: float) -> Range:
    """A range without zero, but for gravity."""
    if name.startswith("gravity."):
        return _around(x)
    ends = sorted((LOWEST * x, HIGHEST * x))
    return (ends[0], ends[1]) if x else (-1.0, 1.0)


def _around(x: float) -> Range:
    far = rounded_up(2.0 * abs(x))
    return -far, far


def as_data(controls: Sequence[Control | Slider]) -> list[dict[str, object]]:
    """What the page is told of controls and handles."""
    return [dict(vars(x)) for x in controls]
