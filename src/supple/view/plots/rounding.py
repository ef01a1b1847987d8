"""What is zero but for rounding: sizes against which quantities are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.formulations import Formulation
from supple.recursions.closures import ANGLE
from supple.view.scene.sampling import evenly

if TYPE_CHECKING:
    import xarray as xr

ROUNDING = 1e-12
"""Share of a quantity's size below which it is rounding; the sums behind it have thousands of terms."""
CONFIGURATIONS = 9
"""From which the extent of a mechanism is measured."""


def sizes(model: Formulation, result: xr.Dataset) -> dict[tuple[str, str], float]:
    """Sizes by variable and unit of what may be a difference of larger numbers, and then is not measured by itself.

    Momentum against that of all mass at the kinetic energy's speed, |p| <= sqrt(2 m T); positions and errors of
    constraints against the extent of the mechanism, angles against one radian.
    """
    kinetic = float(np.abs(result["kinetic_energy"].values).max())
    momentum = float(np.sqrt(2.0 * model.mass * kinetic))
    extent = _extent(model, result)
    out = {("momentum", "kg m/s"): momentum, ("momentum", "kg m^2/s"): momentum * extent}
    out |= {("q", "rad"): 1.0, ("q", "1"): 1.0, ("q", "m"): extent, ("center_of_mass", "m"): extent}
    if model.loops is not None:
        turning = any(row.kind == ANGLE for _, row in model.loops.rows)
        reach = max(extent, 1.0) if turning else extent
        fastest = {unit: 0.0 for unit in model.speed_units}
        for i, unit in enumerate(model.speed_units):
            fastest[unit] = max(fastest[unit], float(np.abs(result["v"].values[:, i]).max()))
        rate = max(fastest.get("rad/s", 0.0) * reach, fastest.get("m/s", 0.0))
        out |= {("constraint_error", "m or rad"): reach, ("constraint_rate", "m/s or rad/s"): rate}
    return out


def _extent(model: Formulation, result: xr.Dataset) -> float:
    """How far origins of bodies are from that of the ground at most, m."""
    at = evenly(result.sizes["time"], CONFIGURATIONS)
    q = np.ascontiguousarray(result["q"].values[at], dtype=float)
    still = np.zeros((len(at), model.nv))
    q, _, _ = model.display_state(q, still)
    return float(np.linalg.norm(model.display.poses(q)[1], axis=-1).max())
