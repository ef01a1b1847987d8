"""One case of a sweep: from its values to its measures. All engines run cases by this."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.errors import AssemblyWarning, OmissionWarning, PerformanceWarning, PhysicsWarning, StateError, SuppleError
from supple.inputs.measure_formulas import MeasureFormula
from supple.results.signals import TIME, find_signal, signals, times_of
from supple.sampling.distributions import case_seed
from supple.simulation.horizon import Horizon
from supple.simulation.simulate import simulate, start_results
from supple.sweeps.case_blocks import FAILED, FINISHED, STOPPED, Outcome, Trajectory
from supple.sweeps.case_measures import CaseRun, Measure, measured, needs_motion
from supple.sweeps.case_sources import CaseSource

if TYPE_CHECKING:
    import xarray as xr

LONGEST_MESSAGE = 2000
CLOSE = 1e-9
"""Share of the duration by which a sample may be off an output time."""


@dataclass(frozen=True, eq=False)
class CaseRunner:
    """Everything that a process needs to run cases; small, so that it can be sent to it.

    Attributes
    ----------
    source : CaseSource
    measures : mapping of str to Measure
    trajectories : tuple of str
        Variables or signals of the results to keep.
    seed : int
        Of the sweep.
    """

    source: CaseSource
    measures: Mapping[str, Measure]
    trajectories: tuple[str, ...] = ()
    seed: int = 0

    @property
    def moves(self) -> bool:
        """Whether motions are simulated: not if only frequencies are asked for."""
        return bool(self.trajectories) or not self.measures or any(map(needs_motion, self.measures.values()))

    def require_names(self, changes: Mapping[str, Any]) -> None:
        """Raise if measures or trajectories name signals that the motion of a case does not have.

        They are looked up in its results at time 0. A case that cannot start says so itself.
        """
        formulas = {name: x for name, x in self.measures.items() if isinstance(x, MeasureFormula) and x.needs_motion}
        if not formulas and not self.trajectories:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model, settings = self.source.made(changes)
                start = start_results(model, settings)
            except Exception:  # of whatever kind: the case will have it as its message
                return
            run = CaseRun(model, start, settings)
            for name, formula in formulas.items():
                try:
                    formula.value(run)
                except StateError as error:
                    raise StateError(f"measure {name!r}: {error}") from None
        every = signals(start)
        for name in self.trajectories:
            if name not in start.data_vars:
                try:
                    find_signal(every, name)
                except StateError as error:
                    raise StateError(f"trajectories: {error}") from None

    def run(self, case: int, changes: Mapping[str, Any]) -> Outcome:
        """What comes of a case; what goes wrong is its message."""
        started = time.perf_counter()
        try:
            found = self._found(case, changes)
        except Exception as error:  # of whatever kind: it must not end the other cases
            found = Outcome(case, FAILED, words(error))
        spent = time.perf_counter() - started
        return Outcome(
            case, found.status, found.message, spent, found.measures, found.units, found.trajectories, found.times
        )

    def _found(self, case: int, changes: Mapping[str, Any]) -> Outcome:
        with warnings.catch_warnings():
            for kind in (PhysicsWarning, OmissionWarning, PerformanceWarning, AssemblyWarning):
                warnings.simplefilter("ignore", kind)
            model, settings = self.source.made(changes)
            if not self.moves:
                values, units = measured(self.measures, CaseRun(model, None, settings))
                return Outcome(case, FINISHED, "", np.nan, values, units)
            if "duration" not in settings:
                raise StateError("no duration: expected [simulation] duration in the file, or duration=")
            result = simulate(model, parts=True, **settings)  # as `supple run` takes them
            result.attrs |= {"case": case, "seed": case_seed(self.seed, case)}
            values, units = measured(self.measures, CaseRun(model, result, settings))
        horizon = Horizon(settings["duration"], settings.get("samples", Horizon.samples))
        stop = _stop(result, horizon)
        grid = horizon.times() if self.trajectories else None
        kept = {} if grid is None else trajectories_of(result, self.trajectories, grid)
        return Outcome(case, STOPPED if stop else FINISHED, stop, np.nan, values, units, kept, grid)


def trajectories_of(result: xr.Dataset, names: Sequence[str], times: Floats) -> dict[str, Trajectory]:
    """Variables of a result, or single signals, at its output times."""
    t = times_of(result)
    at = np.maximum(np.searchsorted(t, times * (1 + CLOSE), side="right") - 1, 0)
    known = np.abs(t[at] - times) <= CLOSE * times[-1]
    out, every = {}, None
    for name in names:
        if name in result.data_vars and TIME in result[name].dims:
            x = result[name].transpose(TIME, ...)
            labels = {str(dim): [str(y) for y in x.coords[dim].values] for dim in x.dims[1:] if dim in x.coords}
            values, dims = np.asarray(x.values, dtype=np.float64)[at], tuple(map(str, x.dims))
            attrs = {"units": str(x.attrs["units"])} if "units" in x.attrs else {}
        else:
            every = signals(result) if every is None else every
            signal = find_signal(every, name)
            name, values, dims, labels, attrs = signal.name, signal.values[at], (TIME,), {}, {"units": signal.unit}
        values = np.where(known.reshape(-1, *(1,) * (values.ndim - 1)), values, np.nan)
        out[name] = Trajectory(values, dims, labels, attrs)
    return out


def _stop(result: xr.Dataset, horizon: Horizon) -> str:
    """Which event ended the run before its time; nothing if it went on to its end."""
    end = float(times_of(result)[-1])
    if end >= horizon.duration * (1 - CLOSE):
        return ""
    t, name = json.loads(result.attrs["events"])[-1]
    return f"stopped by {name} at t = {t:.6g} s"


def words(error: Exception) -> str:
    """An error in one line."""
    text = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
    text = text if isinstance(error, SuppleError) else f"{type(error).__name__}: {text}"
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}..."
