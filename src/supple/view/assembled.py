"""Natural frequencies of the whole system, as marks in the spectra of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr
from scipy.linalg import LinAlgError

from supple.errors import SuppleError
from supple.linear import modes
from supple.model.checks import Floats
from supple.model.model import Model
from supple.view.groups import groups

MOST_SPEEDS = 300
"""Larger systems would take longer to linearize than to plot."""
NEAR = 0.5
"""Angles that stay within this range, rad, and quaternions within half of it, are close to their mean."""
SLOW_SPIN = 0.5
"""A mode is marked when every joint turns, on average, at less than this share of its frequency."""


@dataclass(frozen=True)
class Assembled:
    """Marks at the frequencies of the system, Hz, and a sentence: what they are, or why there are none."""

    note: str
    marks: list[dict[str, Any]] = field(default_factory=list)


def _unmarked(reason: str) -> Assembled:
    return Assembled(f"The modes of the system are not marked: {reason}.")


def assembled(model: Model, result: xr.Dataset) -> Assembled:
    """The oscillations of the system about the mean of its posture where it stays near, else about its start."""
    if model.nv == 0:
        return Assembled("")
    if model.nv > MOST_SPEEDS:
        return _unmarked(f"it has {model.nv} speeds, more than the {MOST_SPEEDS} that are linearized here")
    posture, where = _posture(model, result["q"].values)
    try:
        found = modes(model, posture)
    except (SuppleError, LinAlgError) as error:
        return _unmarked(f"it could not be linearized ({error})")
    spin, joint = _spin(model, result["v"].values)
    turns = found.eigenvalues.imag
    shaking = [int(i) for i in np.flatnonzero(turns > 0)]
    clear = [i for i in shaking if spin < SLOW_SPIN * turns[i]]
    if shaking and not clear:
        return _unmarked(f"{joint} turns at {spin:.3g} rad/s on average, too fast for small motions about one posture")
    marks = [{"x": float(turns[i] / (2 * np.pi)), "label": found.freedom(i)} for i in clear]
    marks.sort(key=lambda mark: float(str(mark["x"])))
    return Assembled(f"Dashed: modes of the system about {where}." if marks else "", marks)


def _posture(model: Model, q: Floats) -> tuple[Floats, str]:
    """Where to linearize, and how to call that."""
    for (modal, unit), columns in groups(model, "q", model.coordinate_units).items():
        allowed = {"rad": NEAR, "1": NEAR / 2.0}.get(unit, np.inf)
        if not modal and np.ptp(q[:, columns], axis=0).max(initial=0.0) > allowed:
            return q[0], "its posture at the start"
    return model.normalize(q.mean(axis=0)), "its mean posture"


def _spin(model: Model, v: Floats) -> tuple[float, str]:
    """The greatest mean angular speed of a joint, rad/s, and its name."""
    turning = groups(model, "v", model.speed_units).get((False, "rad/s"))
    if not turning:
        return 0.0, ""
    mean = np.abs(v[:, turning].mean(axis=0))
    return float(mean.max()), model.speeds[turning[int(mean.argmax())]]
