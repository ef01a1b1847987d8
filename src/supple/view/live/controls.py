"""What a reader can set by slider or number on the live page: forces, set points, variables, parameters, joints.

Each has a name, by which the page, files (`[live.sliders]`) and results know it: a force has the name of its speed, a
set point that name and ".target", variables and parameters have their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from supple.checks import Floats
from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.linear.small_motions import force_unit
from supple.model.model import Model
from supple.model.parameters import parameter_values
from supple.simulation.sensitivities.parameter_units import parameter_unit
from supple.view.live.inputs import AdjustableInputs
from supple.view.plots.groups import groups

FORCE, TARGET, VARIABLE, PARAMETER, JOINT = "force", "target", "variable", "parameter", "configuration"
Range = tuple[float, float]
Ranges = Mapping[str, Range]
LOWEST, HIGHEST = 0.2, 2.0
"""Shares of a number of the model that its slider reaches: not zero, which would be another structure."""
OFFERED = ("mass", "stiffness", "damping", "length", "pitch")
"""Numbers of the model that have sliders without being asked for, if they are not zero; and gravity."""
WEIGHT_SHARE = 2.0
"""Generalized forces reach this many times what holds the weight in the worst of the configurations."""
ACCELERATION = 2.0
"""And at least what gives this acceleration to the joint by itself, rad/s^2 or m/s^2."""


@dataclass(frozen=True)
class Slider:
    """A number that can be set: what it is, its name, unit, range and value at the start.

    One that is `added` is added to a target; one that is `fixed` is only shown.
    """

    kind: str
    name: str
    unit: str
    low: float
    high: float
    value: float = 0.0
    added: bool = False
    fixed: bool = False


def live_controls(
    model: Model, hand: AdjustableInputs, limits: Sequence[Limit], configurations: Floats, reach: float, asked: Ranges
) -> list[Slider]:
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
    found = {x.name: x for x in force_sliders(model, hand, configurations)}
    found |= {x.name: x for x in _targets(model, hand, limits, reach)}
    found |= {x: Slider(VARIABLE, x, "", *_around(hand.variables[x]), hand.variables[x]) for x in hand.own}
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


def force_sliders(model: Model, hand: AdjustableInputs, configurations: Floats) -> list[Slider]:
    """Forces of joints whose motion is not prescribed; they hold what carries the weight in configurations (n, nq)."""
    given = np.array([hand.variables[hand.forces[x]] if x in hand.forces else 0.0 for x in model.speeds])
    weight = np.abs(model.bias_forces(configurations, np.zeros(model.nv))).max(axis=0)
    inertia = np.diagonal(model.mass_matrix(configurations), axis1=-2, axis2=-1).max(axis=0)
    need = np.maximum.reduce([WEIGHT_SHARE * weight, ACCELERATION * inertia, WEIGHT_SHARE * np.abs(given)])
    out = []
    for name in hand.joint_speeds():
        i = model.speeds.index(name)
        far = rounded_up(need[i])
        out.append(Slider(FORCE, name, force_unit(model, i), -far, far, float(given[i])))
    return out


def _targets(model: Model, hand: AdjustableInputs, limits: Sequence[Limit], reach: float) -> list[Slider]:
    """Set points of controllers; what is added to a formula or table goes half as far either way."""
    stops = {x.coordinate: x for x in limits}
    out = []
    for name, x in hand.targets.items():
        place = int(model.q_of_speed[model.speeds.index(x.speed)])
        coordinate, unit = model.coordinates[place], model.coordinate_units[place]
        far = np.pi if unit == "rad" else reach
        value = hand.variables[x.variable]
        if x.added:
            out.append(Slider(TARGET, name, unit, -far / 2, far / 2, value, added=True))
            continue
        stop = stops.get(coordinate)
        low = -far if stop is None or stop.lower is None else stop.lower
        high = far if stop is None or stop.upper is None else stop.upper
        out.append(Slider(TARGET, name, unit, min(low, value), max(high, value), value))
    return out


def _parameters(model: Model) -> tuple[dict[str, Slider], dict[str, Slider]]:
    """Numbers of the model that are not zero and are worth a slider; and all others, for who asks."""
    if not isinstance(model, Model):
        return {}, {}
    modes = {x for x, modal in zip(model.speeds, model.is_mode, strict=True) if modal}
    offered: dict[str, Slider] = {}
    hidden: dict[str, Slider] = {}
    for name, value in parameter_values(model).items():
        owner, _, what = name.rpartition(".")
        if owner in modes:
            continue
        control = Slider(PARAMETER, name, parameter_unit(model, name), *_of_a_number(name, value), value)
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


class ConfigurationSliders:
    """The coordinates of the joints as numbers that can be set one by one.

    Angles and positions are themselves; a quaternion is the three components of its rotation vector, rad.

    Parameters
    ----------
    model : Model
    reach : float
        How far positions can be moved, m.
    limits : sequence of Limit
        Stops: coordinates stay between them.
    prescribed : collection of str
        Speeds whose motion is prescribed; their coordinates cannot be set.
    """

    def __init__(
        self, model: Model, reach: float, limits: Sequence[Limit] = (), prescribed: Collection[str] = ()
    ) -> None:
        self.model = model
        self.sliders: list[Slider] = []
        self._places: list[tuple[int, int | None]] = []
        kinds = groups(model, "q", model.coordinate_units)
        plain = {
            i: unit for (modal, unit), columns in kinds.items() if not modal and unit not in ("1", "s") for i in columns
        }
        quaternions = set(model.quaternions)
        stops = {x.coordinate: x for x in limits}
        fixed = {int(model.q_of_speed[model.speeds.index(name)]) for name in prescribed}
        for i, name in enumerate(model.coordinates):
            if i in plain:
                far = np.pi if plain[i] == "rad" else reach
                low, high = -far, far
                if stop := stops.get(name):
                    low = low if stop.lower is None else stop.lower
                    high = high if stop.upper is None else stop.upper
                self._add(Slider(JOINT, name, plain[i], low, high, fixed=i in fixed), i, None)
            elif i in quaternions:
                body = name.rsplit(".", 1)[0]
                for j, axis in enumerate("xyz"):
                    self._add(Slider(JOINT, f"{body}.turn_{axis}", "rad", -np.pi, np.pi), i, j)

    def _add(self, slider: Slider, place: int, axis: int | None) -> None:
        self.sliders.append(slider)
        self._places.append((place, axis))

    def values(self, q: Floats) -> list[float]:
        """The numbers of all sliders in a configuration (nq,)."""
        return [
            float(q[i] if axis is None else scipy.spatial.transform.Rotation.from_quat(q[i : i + 4]).as_rotvec()[axis])
            for i, axis in self._places
        ]

    def moved(self, q: Floats, changes: Mapping[str, float]) -> Floats:
        """The configuration with some numbers changed, by the names of sliders."""
        names = [x.name for x in self.sliders]
        out = q.copy()
        for name, value in changes.items():
            if name not in names:
                raise StateError(f"configuration: no {name!r}{nearest(name, names)}")
            i, axis = self._places[names.index(name)]
            if self.sliders[names.index(name)].fixed:
                raise StateError(f"configuration: the motion of {name!r} is prescribed, so it cannot be set")
            if axis is None:
                out[i] = value
            else:
                turn = scipy.spatial.transform.Rotation.from_quat(out[i : i + 4]).as_rotvec()
                turn[axis] = value
                out[i : i + 4] = scipy.spatial.transform.Rotation.from_rotvec(turn).as_quat()
        return out


def rounded_up(x: float) -> float:
    """The next of 1, 2, 5, 10, ...

    >>> rounded_up(3.2), rounded_up(0.0)
    (5.0, 1.0)
    """
    if not x > 0:
        return 1.0
    decade = 10.0 ** np.floor(np.log10(x))
    return float(next(m * decade for m in (1, 2, 5, 10) if m * decade >= x * (1 - 1e-9)))
