"""What is measured of a case: formulas on its signals, its modes and its flexible bodies, and functions of users."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.errors import StateError
from supple.formulations import Formulation
from supple.inputs.measure_formulas import MeasureFormula
from supple.linear.vibration import Modes
from supple.linear_theory.linear_range import ROTATION, SOFTENING, STRAIN
from supple.linear_theory.validity import Validity, validity
from supple.results.signals import Signal, find_signal, signals, times_of
from supple.simulation.run_laws import start_modes
from supple.simulation.stress_peaks import stress_peaks

if TYPE_CHECKING:
    import xarray as xr

Measure = MeasureFormula | Callable[..., float]
PEAKS = {"rotation": ROTATION, "strain": STRAIN, "buckling": SOFTENING}
"""Functions of formulas, and what `supple.validity` calls the same."""


class CaseRun:
    """The motion of a case, as formulas ask for it; what takes long is found once, when it is asked for.

    Parameters
    ----------
    model : Formulation
    result : xarray.Dataset or None
        None if no measure needs a motion.
    settings : mapping of str to anything
        Of the run: arguments of `supple.simulate`.
    """

    def __init__(self, model: Formulation, result: xr.Dataset | None, settings: Mapping[str, Any]) -> None:
        self.model, self._result, self._settings = model, result, settings

    @property
    def result(self) -> xr.Dataset:
        """The motion."""
        if self._result is None:
            raise StateError("measure: expected a motion, got none")
        return self._result

    @cached_property
    def t(self) -> Floats:
        """Times (n,), s."""
        return times_of(self.result)

    @cached_property
    def signals(self) -> dict[str, Signal]:
        """By name."""
        return signals(self.result)

    def known(self, name: str) -> bool:
        """Whether there is a signal of this name, or one whose name ends so."""
        return name in self.signals or any(x.endswith(f".{name}") for x in self.signals)

    def signal(self, name: str) -> tuple[Floats, str]:
        """A signal and its unit."""
        found = find_signal(self.signals, name)
        return found.values, found.unit

    @cached_property
    def modes(self) -> Modes:
        """About the start of the run, under its laws, as `supple modes FILE` shows them."""
        return start_modes(self.model, self._settings)

    @cached_property
    def validity(self) -> Validity:
        """How far flexible bodies went."""
        return validity(self.model, self.result)

    def of_model(self, what: str, number: int) -> float:
        """Frequency, Hz, or damping ratio of a mode, counted from one."""
        found = self.modes.frequencies if what == "frequency" else self.modes.damping
        if number > len(found):
            raise StateError(f"measure: {what}({number}): model {self.model.name!r} has {len(found)} modes")
        return float(found[number - 1])

    def of_body(self, what: str, body: str) -> float:
        """Margin, stress, rotation, strain or share of the buckling load of a flexible body."""
        if what == "stress":
            return float(np.max(stress_peaks(self.model, self.result, body).von_mises.values))
        if body not in self.validity.peaks:
            known = ", ".join(map(repr, self.validity.peaks)) or "none"
            raise StateError(f"measure: {what}({body}): no flexible body {body!r}; there are {known}")
        if what == "margin":
            return self.validity.margin(body)
        peak = self.validity.peaks[body].get(PEAKS[what])
        return np.nan if peak is None else float(peak.value)


def read_measures(measures: Mapping[str, Any]) -> dict[str, Measure]:
    """Measures by name, formulas parsed."""
    out: dict[str, Measure] = {}
    for name, x in measures.items():
        if not isinstance(name, str) or not name or set(name) & set("/."):
            raise StateError(f"measure: expected a name without '/' and '.', got {name!r}")
        if name in ("case", "time", "status", "message", "wall_time"):
            raise StateError(f"measure {name!r}: the results of sweeps have a variable of this name; choose another")
        if isinstance(x, str):
            out[name] = MeasureFormula(x, f"measure {name!r}")
        elif callable(x):
            out[name] = x
        else:
            raise StateError(f"measure {name!r}: expected a formula or a function of the result, got {x!r}")
    return out


def needs_motion(measure: Measure) -> bool:
    """Whether a run must be made for a measure."""
    return measure.needs_motion if isinstance(measure, MeasureFormula) else True


def measured(measures: Mapping[str, Measure], run: CaseRun) -> tuple[dict[str, float], dict[str, str]]:
    """All measures of a case, and their units where they are known."""
    values, units = {}, {}
    for name, measure in measures.items():
        if isinstance(measure, MeasureFormula):
            values[name], units[name] = measure.value(run)
        else:
            values[name] = _called(name, measure, run)
    return values, units


def _called(name: str, function: Callable[..., float], run: CaseRun) -> float:
    """What a function of a user says: of (result) or of (result, model)."""
    try:
        count = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        count = 1
    found = function(run.result, run.model) if count > 1 else function(run.result)
    try:
        return float(found)
    except (TypeError, ValueError):
        raise StateError(f"measure {name!r}: expected a number, got {found!r}") from None
