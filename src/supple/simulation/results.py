"""Results as a dataset with names and units."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supple.model.model import Model


def as_dataset(
    model: Model,
    times: NDArray[Any],
    q: NDArray[Any],
    v: NDArray[Any],
    energy: tuple[NDArray[Any], NDArray[Any]],
    attributes: dict[str, Any],
) -> xr.Dataset:
    """Coordinates, speeds and energies over time, with the names and units of the model."""
    kinetic, potential = energy
    return xr.Dataset(
        {
            "q": (("time", "coordinate"), q, {"long_name": "coordinates"}),
            "v": (("time", "speed"), v, {"long_name": "speeds"}),
            "kinetic_energy": ("time", kinetic, {"units": "J"}),
            "potential_energy": ("time", potential, {"units": "J"}),
        },
        {
            "time": ("time", times, {"units": "s"}),
            "coordinate": ("coordinate", np.array(model.coordinates)),
            "speed": ("speed", np.array(model.speeds)),
            "coordinate_unit": ("coordinate", np.array(model.coordinate_units)),
            "speed_unit": ("speed", np.array(model.speed_units)),
        },
        {"model": model.name, **attributes},
    )
