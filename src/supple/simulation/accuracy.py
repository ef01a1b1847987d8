"""How accurate a run is: its distance from the same run with finer steps, which stands for the true motion.

The distance is an estimate of the error of the coarser run as far as the finer one is much better. Where motions part
for ever, in chaos or by an event that one run sees and the other does not, it says so by its size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SimulationError
from supple.integrators import finer
from supple.simulation.run import Progress
from supple.simulation.simulator import Simulator

if TYPE_CHECKING:
    import xarray as xr

Vector = NDArray[np.float64]
ESTIMATED = "estimated_error"
"""Attribute of results: see `Accuracy.attributes`."""
MEMORY = "accuracy"


class Accuracy:
    """A run with finer steps, and how far another one is from it.

    Parameters
    ----------
    reference : Simulator
        At the start, with finer steps.
    progress : function of a float, optional
        Called now and then with the simulated time of the finer run.

    Attributes
    ----------
    largest : (nq, 2) array
        Largest distance of each coordinate so far, and its time.
    """

    def __init__(self, reference: Simulator, progress: Progress | None = None) -> None:
        self.model, self._options = reference.model, reference.choice.options
        self._stopped = ""
        times = reference.horizon.times()
        try:
            found = reference.advance_to(float(times[-1]), times, progress)
        except SimulationError as error:
            found, self._stopped = reference.gathered, str(error)
        self._t, self._q = found.t, found.q
        self.largest = np.zeros((reference.model.nq, 2))

    @classmethod
    def of(cls, simulator: Simulator, options: Mapping[str, Any], progress: Progress | None = None) -> Accuracy:
        """The same run as that of a simulator with these arguments, finer."""
        return cls(Simulator(**{**options, "integrator": finer(simulator.choice.options)}), progress)

    def add(self, motion: xr.Dataset) -> None:
        """Look at the next samples of the coarser run; times that the finer one did not come to are left out."""
        t, q = motion["time"].values, motion["q"].values
        place = np.searchsorted(self._t, t)
        known = np.flatnonzero((place < len(self._t)) & (self._t[np.minimum(place, len(self._t) - 1)] == t))
        if not len(known):
            return
        away = np.abs(q[known] - self._q[place[known]])
        for first in self.model.quaternions:  # q and -q are the same rotation
            turned = np.abs(q[known, first : first + 4] + self._q[place[known], first : first + 4])
            nearer = turned.max(axis=1) < away[:, first : first + 4].max(axis=1)
            away[nearer, first : first + 4] = turned[nearer]
        worst = away.argmax(axis=0)
        found = np.stack([away[worst, range(away.shape[1])], t[known][worst]], axis=1)
        further = found[:, 0] > self.largest[:, 0]
        self.largest[further] = found[further]

    def attributes(self) -> dict[str, str]:
        """What is to be said with the results.

        JSON: `errors`, for each unit the largest distance so far with its coordinate and time; `reference`, what it is
        the distance from.
        """
        units, errors = np.array(self.model.coordinate_units), []
        for unit in dict.fromkeys(self.model.coordinate_units):
            own = np.flatnonzero(units == unit)
            i = int(own[self.largest[own, 0].argmax()])
            value, t = self.largest[i].tolist()
            errors.append({"value": value, "unit": unit, "coordinate": self.model.coordinates[i], "time": t})
        stopped = f", which stopped: {self._stopped}" if self._stopped else ""
        return {ESTIMATED: json.dumps({"errors": errors, "reference": f"{self._options}{stopped}"})}

    def memory(self) -> dict[str, Vector]:
        """What `restore` needs to go on in another process."""
        return {MEMORY: self.largest}

    def restore(self, memory: Mapping[str, Any]) -> None:
        """Go on from the `memory` of an earlier one, if there was one."""
        if MEMORY in memory:
            self.largest = np.array(memory[MEMORY], dtype=float)


def estimated_error(result: xr.Dataset) -> str:
    """One line on the accuracy of a run that was made with `check=True`; empty for others."""
    if ESTIMATED not in result.attrs:
        return ""
    found = json.loads(result.attrs[ESTIMATED])
    parts = [f"{x['value']:.1e} {x['unit']} ({x['coordinate']}, t = {x['time']:.4g} s)" for x in found["errors"]]
    return f"estimated error: {', '.join(parts) or 'none'}; distance from {found['reference']}"
