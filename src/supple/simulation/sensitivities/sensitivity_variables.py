"""Sensitivities as variables of results, with names and units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.model.model import Model
from supple.simulation.result_variables import AXES, TimeSeries, along, names, variable
from supple.simulation.samples import Samples
from supple.simulation.sensitivities.run_parameters import RunParameters
from supple.simulation.sensitivities.start_tangents import unit_tangents

Vector = NDArray[np.float64]
PARAMETER = "parameter"
PER = "per unit of the parameter"


def sensitivities(model: Model, parameters: RunParameters, frames: Sequence[str], x: Samples) -> dict[str, TimeSeries]:
    """q_sensitivity (time, coordinate, parameter), v_sensitivity and a_sensitivity (time, speed, parameter), those of
    the energies (time, parameter), and position_sensitivity (time, frame, axis, parameter).

    Of a quaternion the four components are differentiated, at unit length: each change is at right angles to it.
    """
    nq, nv, count = model.nq, model.nv, len(x)
    whole = x.tangents.reshape(count, -1, parameters.count) / parameters.scales
    dq = np.array([unit_tangents(model, q, d) for q, d in zip(x.q, whole[:, :nq], strict=True)])
    parts = np.split(whole, np.cumsum([nq, nv, nv, 1, 1]), axis=1)
    own = {
        PARAMETER: names(parameters.names),
        "parameter_value": (PARAMETER, parameters.values),
        "parameter_unit": along(PARAMETER, parameters.units),
    }

    def made(values: Vector, dims: tuple[str, ...], units: str, what: str) -> TimeSeries:
        return variable(values, (*dims, PARAMETER), f"{units} {PER}", f"derivative of {what} by parameters", own)

    out = {
        "q_sensitivity": made(dq.reshape(count, nq, -1), ("coordinate",), "coordinate_unit", "coordinates"),
        "v_sensitivity": made(parts[1], ("speed",), "speed_unit", "speeds"),
        "a_sensitivity": made(parts[2], ("speed",), "acceleration_unit", "accelerations"),
        "kinetic_energy_sensitivity": made(parts[3][:, 0], (), "J", "the kinetic energy"),
        "potential_energy_sensitivity": made(parts[4][:, 0], (), "J", "the potential energy"),
    }
    if frames:
        positions = parts[5].reshape(count, len(frames), len(AXES), -1)
        what = "positions of frames, ground frame,"
        out["position_sensitivity"] = made(positions, ("frame", "axis"), "m", what)
    return out
