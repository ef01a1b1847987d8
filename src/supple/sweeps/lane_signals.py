"""The results of many cases side by side: variables and signals by the names that results of one run have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats
from supple.errors import StateError
from supple.inputs.inputs import WORK
from supple.results.signals import Signal, find_signal, signals
from supple.simulation import result_variables
from supple.simulation.lane_runs import LaneMotion
from supple.simulation.result_variables import TimeSeries
from supple.simulation.samples import Samples
from supple.sweeps.case_blocks import Trajectory

if TYPE_CHECKING:
    import xarray as xr


class LaneSignals:
    """All that can be read of a motion of many cases; what is not asked for is not computed.

    Parameters
    ----------
    motion : LaneMotion
    """

    def __init__(self, motion: LaneMotion) -> None:
        self._motion = motion
        self._setup = motion.runs.setup
        self._values: dict[str, Floats] = {}
        self._found: dict[str, tuple[str, Floats, str]] = {}
        frames = {
            "position": lambda: motion.frames["p"],
            "orientation": self._orientation,
            "velocity": lambda: motion.frames["V"],
            "acceleration": lambda: motion.frames["A"],
        }
        self._makers: dict[str, Callable[[], Floats]] = {
            "q": lambda: motion.states[0],
            "v": lambda: motion.states[1],
            "a": lambda: motion.forces[0],
            "tau": lambda: motion.forces[1],
            "kinetic_energy": lambda: motion.sums["energy"][..., 0],
            "potential_energy": lambda: motion.sums["energy"][..., 1],
            "momentum": lambda: motion.sums["momentum"],
            "center_of_mass": lambda: motion.sums["moment"] / motion.runs.mass[:, None, None],
            WORK: lambda: motion.work if motion.work is not None else np.zeros(motion.y.shape[:2]),
            "applied_wrench": lambda: motion.wrenches["wrench"].reshape(*motion.y.shape[:2], -1, 6),
            **frames,
        }

    @property
    def t(self) -> Floats:
        """Times (samples,), s."""
        return self._motion.t

    def values(self, name: str) -> Floats:
        """A variable (cases, samples, ...)."""
        if name not in self._values:
            self._values[name] = self._makers[name]()
        return self._values[name]

    def _orientation(self) -> Floats:
        """Quaternions (cases, samples, frames, 4), without jumps of sign; not a number where there is no rotation."""
        R = self._motion.frames["R"]
        cases, samples, frames, _ = R.shape
        matrices = np.moveaxis(R.reshape(cases, samples, frames, 3, 3), 0, 1).reshape(samples, cases * frames, 3, 3)
        off = ~(np.abs(np.linalg.det(np.nan_to_num(matrices)) - 1.0) < 1e-3)
        found = result_variables.quaternions(np.where(off[..., None, None], np.eye(3), matrices))
        found[off] = np.nan
        return np.moveaxis(found.reshape(samples, cases, frames, 4), 0, 1)

    @cached_property
    def described(self) -> dict[str, TimeSeries]:
        """Dimensions, units and labels of all variables; each value is its own place among those of a time."""
        simulator, setup = self._setup.simulator, self._setup
        model, inputs = setup.model, simulator.system.inputs
        nq, nv = model.nq, model.nv
        n = len(inputs.wrenches)
        speeds = np.zeros((1, nv))
        x = replace(
            Samples.of(model, np.zeros(1), np.zeros((1, nq)), speeds, speeds, speeds), wrench=np.zeros((1, n, 6))
        )
        found = result_variables.states(model, x)
        found |= result_variables.sums(model, (np.zeros((1, 2)), np.zeros((1, 6)), np.zeros((1, 3))))
        if self._setup.outputs.frames:
            q = model.neutral()[None]
            named = {name: name for name in setup.outputs.frames}
            found |= result_variables.frames(model, named, (q, x.v, x.a), None)
        if WORK in inputs.integrals:
            found[WORK] = result_variables.variable(np.zeros(1), (), "J", "work of all inputs")
        if n:
            found["applied_wrench"] = result_variables.applied(inputs.wrenches, x)
        return {
            name: y._replace(values=np.arange(y.values.size, dtype=float).reshape(y.values.shape))
            for name, y in found.items()
        }

    @cached_property
    def _dataset(self) -> xr.Dataset:
        return result_variables.dataset(np.zeros(1), self.described, {})

    @cached_property
    def names(self) -> dict[str, Signal]:
        """All signals, whose value is the place among those of its variable."""
        return signals(self._dataset)

    def known(self, name: str) -> bool:
        """Whether there is a signal of this name, or one whose name ends so."""
        return name in self.names or any(x.endswith(f".{name}") for x in self.names)

    def signal(self, name: str) -> tuple[str, Floats, str]:
        """The full name of a signal, its values (cases, samples), and its unit."""
        if name not in self._found:
            found = find_signal(self.names, name)
            values = self.values(found.name.partition(".")[0])
            place = int(found.values[0])
            self._found[name] = found.name, np.ascontiguousarray(_flat(values)[:, :, place]), found.unit
        return self._found[name]

    def trajectories(self, names: tuple[str, ...], case: int) -> dict[str, Trajectory]:
        """Variables of one case, or single signals."""
        out = {}
        for name in names:
            if name in self.described:
                x = self._dataset[name]
                labels = {str(dim): [str(y) for y in x.coords[dim].values] for dim in x.dims[1:] if dim in x.coords}
                attrs = {"units": str(x.attrs["units"])} if "units" in x.attrs else {}
                out[name] = Trajectory(self.values(name)[case], tuple(map(str, x.dims)), labels, attrs)
            else:
                full, values, unit = self.signal(name)
                out[full] = Trajectory(values[case], ("time",), {}, {"units": unit})
        return out


class LaneCaseRun:
    """The motion of one case, as formulas of measures ask for it."""

    def __init__(self, of_all: LaneSignals, case: int) -> None:
        self._of_all, self._case = of_all, case

    @property
    def t(self) -> Floats:
        """Times (n,), s."""
        return self._of_all.t

    def known(self, name: str) -> bool:
        """Whether there is a signal of this name, or one whose name ends so."""
        return self._of_all.known(name)

    def signal(self, name: str) -> tuple[Floats, str]:
        """A signal and its unit."""
        _, values, unit = self._of_all.signal(name)
        return values[self._case], unit

    def of_model(self, what: str, number: int) -> float:
        """Not in lanes."""
        raise StateError(f"measure: {what}({number}): lanes have no modes of single models")

    def of_body(self, what: str, body: str) -> float:
        """Not in lanes."""
        raise StateError(f"measure: {what}({body}): lanes have no flexible bodies of single models")


def _flat(values: Floats) -> Floats:
    return values.reshape(*values.shape[:2], -1)
