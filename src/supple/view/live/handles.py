"""What a reader can set by hand in the live page: coordinates of joints and generalized forces, each with its range."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats
from supple.description.limits import Limit
from supple.errors import StateError, nearest
from supple.linear.small_motions import force_unit
from supple.model.model import Model
from supple.view.plots.groups import groups

WEIGHT_SHARE = 2.0
"""Generalized forces reach this many times what holds the weight in the worst of the configurations."""
ACCELERATION = 2.0
"""And at least what gives this acceleration to the joint by itself, rad/s^2 or m/s^2."""


@dataclass(frozen=True)
class Slider:
    """A number that can be set: its name, unit and range; one that is `fixed` is only shown."""

    name: str
    unit: str
    low: float
    high: float
    fixed: bool = False


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
        self.handles: list[Slider] = []
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
                self._add(Slider(name, plain[i], low, high, i in fixed), i, None)
            elif i in quaternions:
                body = name.rsplit(".", 1)[0]
                for j, axis in enumerate("xyz"):
                    self._add(Slider(f"{body}.turn_{axis}", "rad", -np.pi, np.pi), i, j)

    def _add(self, handle: Slider, place: int, axis: int | None) -> None:
        self.handles.append(handle)
        self._places.append((place, axis))

    def values(self, q: Floats) -> list[float]:
        """The numbers of all handles in a configuration (nq,)."""
        return [
            float(q[i] if axis is None else scipy.spatial.transform.Rotation.from_quat(q[i : i + 4]).as_rotvec()[axis])
            for i, axis in self._places
        ]

    def moved(self, q: Floats, changes: Mapping[str, float]) -> Floats:
        """The configuration with some numbers changed, by the names of handles."""
        names = [handle.name for handle in self.handles]
        out = q.copy()
        for name, value in changes.items():
            if name not in names:
                raise StateError(f"configuration: no {name!r}{nearest(name, names)}")
            i, axis = self._places[names.index(name)]
            if self.handles[names.index(name)].fixed:
                raise StateError(f"configuration: the motion of {name!r} is prescribed, so it cannot be set")
            if axis is None:
                out[i] = value
            else:
                turn = scipy.spatial.transform.Rotation.from_quat(out[i : i + 4]).as_rotvec()
                turn[axis] = value
                out[i : i + 4] = scipy.spatial.transform.Rotation.from_rotvec(turn).as_quat()
        return out


def force_sliders(model: Model, configurations: Floats, given: Floats) -> list[Slider]:
    """Generalized forces of all joint dofs; the ranges hold what carries the weight in the configurations (n, nq).

    Parameters
    ----------
    given : (nv,) array
        Forces that must be within the ranges.
    """
    weight = np.abs(model.bias_forces(configurations, np.zeros(model.nv))).max(axis=0)
    inertia = np.diagonal(model.mass_matrix(configurations), axis1=-2, axis2=-1).max(axis=0)
    need = np.maximum.reduce([WEIGHT_SHARE * weight, ACCELERATION * inertia, WEIGHT_SHARE * np.abs(given)])
    kinds = groups(model, "v", model.speed_units)
    joints = sorted(i for (modal, _), columns in kinds.items() if not modal for i in columns)
    return [Slider(model.speeds[i], force_unit(model, i), -rounded_up(need[i]), rounded_up(need[i])) for i in joints]


def rounded_up(x: float) -> float:
    """The next of 1, 2, 5, 10, ...

    >>> rounded_up(3.2), rounded_up(0.0)
    (5.0, 1.0)
    """
    if not x > 0:
        return 1.0
    decade = 10.0 ** np.floor(np.log10(x))
    return float(next(m * decade for m in (1, 2, 5, 10) if m * decade >= x * (1 - 1e-9)))
