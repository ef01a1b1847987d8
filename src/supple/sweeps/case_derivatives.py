"""The motion of a case with its derivatives by the values that are varied.

They are exact, by sensitivities of the run, where a value is a parameter of the model or leads to such, and where
signals have them; else they are central differences of runs with other values.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.errors import PerformanceWarning, PhysicsWarning, SimulationError, StateError
from supple.formulations import Formulation
from supple.inputs.requests import Outputs
from supple.integrators import resolved
from supple.results.signals import TIME, Signal, find_signal, signals, times_of
from supple.simulation.datasets import run_dataset
from supple.simulation.horizon import Horizon
from supple.simulation.simulator import Simulator
from supple.sweeps.case_sources import CaseSource
from supple.sweeps.varied_numbers import VariedNumbers

if TYPE_CHECKING:
    import xarray as xr

SENSITIVITY = "_sensitivity"
POSITION = "position."
DIFFERENCE = 2e-4
"""Relative change of a value for central differences: their error is its square, and the error of runs, of about 1e-8,
over it."""
OPTIONS = ("integrator", "rtol", "atol", "step")
KEPT = [name for name in inspect.signature(Simulator).parameters if name not in ("model", "horizon", "integrator")]


@dataclass(frozen=True, eq=False)
class CaseDerivatives:
    """A motion and its derivatives.

    Attributes
    ----------
    model : Formulation
    settings : mapping of str to anything
        Of the run: arguments of `supple.simulate`.
    result : xarray.Dataset
    signals : dict of str to Signal
        Those that were asked for, by the names that were used.
    slopes : dict of str to (n, P) array
        Their derivatives by the varied values.
    exact : (P,) array of bool
        By which values they are exact; others are differences.
    reason : str
        Why, where sensitivities were refused.
    """

    model: Formulation
    settings: Mapping[str, Any]
    result: xr.Dataset
    signals: dict[str, Signal]
    slopes: dict[str, Floats]
    exact: np.ndarray[Any, np.dtype[np.bool_]]
    reason: str = ""


class DifferentiatedCases:
    """Motions of a source at given times, with derivatives of some of their signals.

    Parameters
    ----------
    source : CaseSource
    paths : sequence of str
        What is varied.
    names : sequence of str
        Signals, or the ends of their names; frames whose positions are among them are recorded.
    times : (n,) array, optional
        Output times; those of the source's settings if not given.
    """

    def __init__(
        self, source: CaseSource, paths: Sequence[str], names: Sequence[str], times: Floats | None = None
    ) -> None:
        self.source, self.paths, self.names, self.times = source, tuple(paths), tuple(names), times
        self._numbers = VariedNumbers(source, paths)
        self.runs = 0

    def __call__(self, values: Floats) -> CaseDerivatives:
        """At values (P,) of the paths."""
        given = dict(zip(self.paths, map(float, values), strict=True))
        with warnings.catch_warnings():
            for kind in (PhysicsWarning, PerformanceWarning):
                warnings.simplefilter("ignore", kind)
            return self._found(given, values)

    def _found(self, given: dict[str, float], values: Floats) -> CaseDerivatives:
        model, settings = self.source.made(given)
        number = self._numbers.slopes(model, settings, given)
        parameters, reason = (number.parameters if number.exact.any() else ()), ""
        try:
            result = self.run(model, settings, parameters)
        except StateError as error:
            if not parameters:
                raise
            parameters, reason, result = (), str(error), self.run(model, settings, ())
        known = signals(result)
        chosen = {name: find_signal(known, name) for name in self.names}
        slopes = {name: np.zeros((len(times_of(result)), len(self.paths))) for name in chosen}
        own = _sensitivities(result) if parameters else {}
        exact = number.exact & all(x.name in own for x in chosen.values())
        for name, x in chosen.items():
            if exact.any():
                slopes[name][:, exact] = own[x.name] @ number.slopes[:, exact]
        for i in np.flatnonzero(~exact):
            for name, slope in self._difference(given, self.paths[int(i)], chosen).items():
                slopes[name][:, int(i)] = slope
        return CaseDerivatives(model, settings, result, chosen, slopes, exact, reason)

    def _difference(self, given: dict[str, float], path: str, chosen: Mapping[str, Signal]) -> dict[str, Floats]:
        """Central differences of the signals by one value."""
        step = DIFFERENCE * (abs(given[path]) or 1.0)
        ends = []
        for sign in (1.0, -1.0):
            model, settings = self.source.made({**given, path: given[path] + sign * step})
            ends.append(signals(self.run(model, settings, ())))
        return {name: (ends[0][x.name].values - ends[1][x.name].values) / (2 * step) for name, x in chosen.items()}

    def run(self, model: Formulation, settings: Mapping[str, Any], parameters: Sequence[str] = ()) -> xr.Dataset:
        """One run, at the output times."""
        self.runs += 1
        outputs = self._outputs(settings.get("outputs") or Outputs())
        times = self._times(settings)
        options = {name: settings[name] for name in OPTIONS if name in settings}
        simulator = Simulator(
            model,
            **{name: x for name, x in settings.items() if name in KEPT},
            integrator=resolved(options.pop("integrator", "auto"), *(options.get(name) for name in OPTIONS[1:])),
            horizon=Horizon(float(times[-1]), len(times)),
            sensitivities=parameters,
        )
        if simulator.sensitivity is not None:
            simulator.sensitivity.frames = tuple(outputs.frames)
        found = simulator.advance_to(times[-1], times)
        result = run_dataset(simulator, found, outputs)
        if len(result[TIME]) != len(times) or not np.allclose(times_of(result), times, atol=simulator.horizon.close):
            end = float(result[TIME][-1])
            raise SimulationError(f"the run ended at t = {end:.6g} s, before {times[-1]:.6g} s: an event stopped it")
        return result

    def _times(self, settings: Mapping[str, Any]) -> Floats:
        if self.times is not None:
            return self.times
        if "duration" not in settings:
            raise StateError("no duration: expected [simulation] duration in the file, or duration=")
        return Horizon(settings["duration"], settings.get("samples", Horizon.samples)).times()

    def _outputs(self, outputs: Outputs) -> Outputs:
        """With the frames whose positions are asked for."""
        frames = [x.removeprefix(POSITION).rpartition(".")[0] for x in self.names if x.startswith(POSITION)]
        new = [x for x in dict.fromkeys(frames) if x not in outputs.frames]
        return replace(outputs, frames=(*outputs.frames, *new)) if new else outputs


def _sensitivities(result: xr.Dataset) -> dict[str, Floats]:
    """Derivatives (n, parameters) of all signals that have them, by the names of the signals."""
    found: dict[str, Floats] = {}
    for key in result.data_vars:
        name = str(key)
        if name.endswith(SENSITIVITY):
            x = result[name].transpose(TIME, ..., "parameter")
            for i in range(x.sizes["parameter"]):
                part = x.isel(parameter=i, drop=True).to_dataset(name=name.removesuffix(SENSITIVITY))
                for signal in signals(part).values():
                    found.setdefault(signal.name, np.zeros((x.sizes[TIME], x.sizes["parameter"])))[:, i] = signal.values
    return found
