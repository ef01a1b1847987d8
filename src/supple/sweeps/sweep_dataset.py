"""The results of a sweep as a dataset over its cases, in memory: what all sinks and stores have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.errors import ResultsError
from supple.lazy import LazyModule
from supple.sampling.distributions import Column
from supple.sweeps.case_blocks import NOT_RUN, STATUS_MEANINGS, Block, Trajectory
from supple.sweeps.plan import SweepPlan
from supple.version import VERSION

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

CASE = "case"
STATUS_ATTRS = {
    "long_name": "what came of the case",
    "flag_values": list(range(len(STATUS_MEANINGS))),
    "flag_meanings": " ".join(STATUS_MEANINGS),
}
MESSAGE_ATTRS = {"long_name": "why it failed, or which event stopped it"}
TIME_ATTRS = {"long_name": "time the case took", "units": "s"}
MOST_MEMORY = 512 * 2**20
"""Bytes of trajectories that are kept without a store."""


def plan_attributes(plan: SweepPlan) -> dict[str, str]:
    """What is said of a sweep as a whole."""
    return {
        "title": plan.runner.source.title,
        "sweep": json.dumps(plan.described),
        "model_file": plan.runner.source.text,
        "supple_version": VERSION,
        "hash": plan.hash,
    }


def measure_attributes(plan: SweepPlan, units: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Formula of each measure, and its unit where it is known."""
    formulas = plan.described["measures"]
    return {
        name: {"formula": formulas[name]} | ({"units": units[name]} if units.get(name) else {})
        for name in plan.measures
    }


def coordinate(values: Column) -> Any:
    """Values of a path as a coordinate: numbers, or texts (lists as JSON)."""
    if values.dtype != object:
        return values
    return np.array([x if isinstance(x, str) else json.dumps(x) for x in values], dtype=object)


class MemorySink:
    """Keeps blocks in memory.

    Parameters
    ----------
    plan : SweepPlan
    """

    def __init__(self, plan: SweepPlan) -> None:
        n = plan.count
        self.plan = plan
        self.status = np.full(n, NOT_RUN, dtype=np.int8)
        self.message = [""] * n
        self.wall_time = np.full(n, np.nan)
        self.measures = {name: np.full(n, np.nan) for name in plan.measures}
        self.units: dict[str, str] = {}
        self.times: Floats | None = None
        self.trajectories: dict[str, Trajectory] = {}

    def write(self, block: Block) -> None:
        """Keep a block."""
        self.status[block.cases] = block.status
        self.wall_time[block.cases] = block.wall_time
        for name, x in block.measures.items():
            self.measures[name][block.cases] = x
        self.units |= block.units
        for k, case in enumerate(block.cases.tolist()):
            self.message[case] = block.message[k]
            for name, trajectory in block.trajectories[k].items() if block.trajectories else ():
                self._keep(case, name, trajectory)
        if block.times is not None:
            self.times = block.times

    def _keep(self, case: int, name: str, x: Trajectory) -> None:
        if name not in self.trajectories:
            size = self.plan.count * x.values.nbytes
            if size > MOST_MEMORY:
                raise ResultsError(
                    f"trajectories: {name!r} of {self.plan.count} cases takes {size / 2**20:,.0f} MB; "
                    f"expected a store for more than {MOST_MEMORY >> 20} MB"
                )
            every = np.full((self.plan.count, *x.values.shape), np.nan)
            self.trajectories[name] = Trajectory(every, ("case", *x.dims), x.labels, x.attrs)
        self.trajectories[name].values[case] = x.values

    def dataset(self) -> xr.Dataset:
        """The results."""
        attrs = measure_attributes(self.plan, self.units)
        data: dict[str, Any] = {
            "status": (CASE, self.status, STATUS_ATTRS),
            "message": (CASE, np.array(self.message, dtype=object), MESSAGE_ATTRS),
            "wall_time": (CASE, self.wall_time, TIME_ATTRS),
            **{name: (CASE, x, attrs[name]) for name, x in self.measures.items()},
        }
        coords: dict[str, Any] = {CASE: np.arange(self.plan.count)}
        coords |= {path: (CASE, coordinate(x)) for path, x in self.plan.values.items()}
        for name, x in self.trajectories.items():
            data[name] = (x.dims, x.values, x.attrs)
            coords |= {dim: np.array(labels, dtype=object) for dim, labels in x.labels.items()}
        if self.times is not None:
            coords["time"] = ("time", self.times, {"units": "s"})
        return xr.Dataset(data, coords, plan_attributes(self.plan))
