"""Measures of the motions of a source with their derivatives by what is varied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.errors import StateError, SuppleError
from supple.optimization.measure_slopes import DifferentiableMeasure, MovedRun
from supple.results.signals import times_of
from supple.sweeps.case_derivatives import DIFFERENCE, CaseDerivatives, DifferentiatedCases
from supple.sweeps.case_measures import CaseRun
from supple.sweeps.case_sources import CaseSource


@dataclass(frozen=True, eq=False)
class MeasuredCase:
    """Measures at one set of values.

    Attributes
    ----------
    values : (m,) array
    slopes : (m, P) array
    case : CaseDerivatives
    """

    values: Floats
    slopes: Floats
    case: CaseDerivatives


class _AskedRun(CaseRun):
    """A motion that notes which signals formulas ask for."""

    def __init__(self, model: Any, result: Any, settings: Any) -> None:
        super().__init__(model, result, settings)
        self.asked: list[str] = []

    def signal(self, name: str) -> tuple[Floats, str]:
        self.asked.append(name)
        return super().signal(name)


class MeasuredCases:
    """Measures of motions, and their derivatives; the last motion is kept.

    Parameters
    ----------
    source : CaseSource
    paths : sequence of str
    measures : sequence of DifferentiableMeasure
    """

    def __init__(self, source: CaseSource, paths: Sequence[str], measures: Sequence[DifferentiableMeasure]) -> None:
        self.source, self.paths, self.measures = source, tuple(paths), tuple(measures)
        self._cases = DifferentiatedCases(source, paths, ())
        self._asked = False
        self._last: tuple[Floats, MeasuredCase] | None = None

    @property
    def runs(self) -> int:
        """Runs so far."""
        return self._cases.runs

    def __call__(self, x: Floats) -> MeasuredCase:
        """At values (P,)."""
        if self._last is None or not np.array_equal(self._last[0], x):
            self._last = (x.copy(), self._found(x))
        return self._last[1]

    def _found(self, x: Floats) -> MeasuredCase:
        try:
            if not self._asked:
                self._ask(x)
            case = self._cases(x)
            values = self._values(case.model, case.result, case.settings)
        except SuppleError as error:
            where = ", ".join(f"{path} = {value:.6g}" for path, value in zip(self.paths, x, strict=True))
            raise type(error)(f"{error}; at {where}: bounds keep values where there is a motion") from None
        if not np.isfinite(values).all():
            name = self.measures[int(np.flatnonzero(~np.isfinite(values))[0])].text
            raise StateError(f"{name!r}: expected a finite number, got {values[~np.isfinite(values)][0]}")
        return MeasuredCase(values, self._slopes(x, case), case)

    def _ask(self, x: Floats) -> None:
        """Find out which signals the measures need."""
        plain = DifferentiatedCases(self.source, (), ())
        model, settings = self.source.made(dict(zip(self.paths, map(float, x), strict=True)))
        run = _AskedRun(model, plain.run(model, settings), settings)
        for measure in self.measures:
            measure.value(run)
        self._cases.names, self._asked = tuple(dict.fromkeys(run.asked)), True

    def _values(self, model: Any, result: Any, settings: Any) -> Floats:
        run = CaseRun(model, result, settings)
        return np.array([measure.value(run)[0] for measure in self.measures])

    def _slopes(self, x: Floats, case: CaseDerivatives) -> Floats:
        out = np.zeros((len(self.measures), len(self.paths)))
        t = times_of(case.result)
        analytic = [i for i, measure in enumerate(self.measures) if measure.analytic]
        for j in range(len(self.paths)):
            moved = MovedRun(t, case.signals, {name: slope[:, j] for name, slope in case.slopes.items()})
            for i in analytic:
                out[i, j] = self.measures[i].slope(moved)
        rest = [i for i in range(len(self.measures)) if i not in analytic]
        if rest:
            out[rest] = self._differences(x)[rest]
        return out

    def _differences(self, x: Floats) -> Floats:
        """Central differences (m, P) of all measures: for those that are found of modes, stresses and strains."""
        out = np.zeros((len(self.measures), len(self.paths)))
        for j, value in enumerate(x):
            step = DIFFERENCE * (abs(value) or 1.0)
            ends = []
            for sign in (1.0, -1.0):
                given = dict(zip(self.paths, map(float, x), strict=True)) | {self.paths[j]: float(value + sign * step)}
                model, settings = self.source.made(given)
                ends.append(self._values(model, self._cases.run(model, settings), settings))
            out[:, j] = (ends[0] - ends[1]) / (2 * step)
        return out
