"""Natural frequencies of the whole system, as marks in the spectra of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.formulations import Formulation
from supple.model.model import Model
from supple.model.oscillations import oscillations_about
from supple.view.plots.groups import groups

if TYPE_CHECKING:
    import xarray as xr

MOST_SPEEDS = 300
"""Larger systems would take longer to linearize than to plot."""
NEAR = 0.5
"""Angles that stay within this range, rad, and quaternions within half of it, are close to their mean."""
SLOW_SPIN = 0.5
"""A mode is marked when every joint turns, on average, at less than this share of its frequency."""


@dataclass(frozen=True)
class SystemModes:
    """Marks at the frequencies of the system, Hz, and a sentence: what they are, or why there are none."""

    note: str
    marks: list[dict[str, Any]] = field(default_factory=list)


def _unmarked(reason: str) -> SystemModes:
    return SystemModes(f"The modes of the system are not marked: {reason}.")


def system_modes(model: Formulation, result: xr.Dataset) -> SystemModes:
    """The oscillations of the system about the mean of its configuration where it stays near, else about its start."""
    if model.nv == 0:
        return SystemModes("")
    if not isinstance(model, Model) or model.loops is not None:
        what = "its loops are closed" if isinstance(model, Model) else "it is an equivalent rigid-link system"
        return _unmarked(f"{what}, and only trees of floating frames are linearized here")
    if model.nv > MOST_SPEEDS:
        return _unmarked(f"it has {model.nv} speeds, more than the {MOST_SPEEDS} that are linearized here")
    configuration, where = _configuration(model, result["q"].values)
    oscillations = oscillations_about(model, configuration)
    if oscillations is None:
        return _unmarked("it could not be linearized: nothing resists some of its speeds")
    turns, names = oscillations
    spin, joint = _spin(model, result["v"].values)
    clear = [i for i, turn in enumerate(turns) if spin < SLOW_SPIN * turn]
    if len(turns) and not clear:
        return _unmarked(
            f"{joint} turns at {spin:.3g} rad/s on average, too fast for small motions about one configuration"
        )
    marks = [{"x": float(turns[i] / (2 * np.pi)), "label": names[i]} for i in clear]
    marks.sort(key=lambda mark: float(str(mark["x"])))
    return SystemModes(f"Dashed: modes of the system about {where}." if marks else "", marks)


def _configuration(model: Model, q: Floats) -> tuple[Floats, str]:
    """Where to linearize, and how to call that."""
    for (modal, unit), columns in groups(model, "q", model.coordinate_units).items():
        allowed = {"rad": NEAR, "1": NEAR / 2.0}.get(unit, np.inf)
        if not modal and np.ptp(q[:, columns], axis=0).max(initial=0.0) > allowed:
            return q[0], "its configuration at the start"
    return model.normalize(q.mean(axis=0)), "its mean configuration"


def _spin(model: Model, v: Floats) -> tuple[float, str]:
    """The maximum mean angular speed of a joint, rad/s, and its name."""
    turning = groups(model, "v", model.speed_units).get((False, "rad/s"))
    if not turning:
        return 0.0, ""
    mean = np.abs(v[:, turning].mean(axis=0))
    return float(mean.max()), model.speeds[turning[int(mean.argmax())]]
