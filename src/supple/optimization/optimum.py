"""What an optimization found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats
from supple.formulations import Formulation
from supple.html_tables import html_table, text_table
from supple.identification.weighted_fit import Unknowns
from supple.optimization.constraint_formulas import ACTIVE, MeasureConstraint

if TYPE_CHECKING:
    import xarray as xr

COLUMNS = ("parameter", "start>", "optimum>", "lower>", "upper>", "slope>")


@dataclass(frozen=True, eq=False)
class Optimum:
    """Values for which a measure is smallest or largest.

    Attributes
    ----------
    measure : str
        Its formula.
    value, start_value : float
        At the optimum and at the start.
    values : dict of str to float
        Of what was varied.
    gradient : dict of str to float
        Derivatives of the measure there.
    constraints : dict of str to float
        Left less right side of each constraint, by name.
    model : Model
        With these values.
    result : xarray.Dataset
        Its motion.
    unknowns : Unknowns
        Names, start, bounds and scales.
    limits : tuple of MeasureConstraint
    exact : (P,) array of bool
        By which values derivatives are exact; others are differences.
    runs : int
        Runs that were made.
    converged : bool
    message : str
        How the search ended.
    """

    measure: str
    value: float
    start_value: float
    values: dict[str, float]
    gradient: dict[str, float]
    constraints: dict[str, float]
    model: Formulation
    result: xr.Dataset
    unknowns: Unknowns
    limits: tuple[MeasureConstraint, ...]
    exact: np.ndarray[tuple[int], np.dtype[np.bool_]]
    runs: int
    converged: bool
    message: str

    def active(self) -> list[str]:
        """Names of the constraints that hold with equality, and of values at their bounds."""
        u, x = self.unknowns, np.array(list(self.values.values()))
        found = [c.name for c in self.limits if abs(self.constraints[c.name]) <= ACTIVE * self._size(c)]
        near = np.minimum(np.abs(x - u.lower), np.abs(u.upper - x)) <= ACTIVE * u.scale
        return [*found, *(name for name, held in zip(u.names, near, strict=True) if held)]

    def violated(self) -> list[str]:
        """Names of the constraints that are broken."""
        return [c.name for c in self.limits if c.violation(self.constraints[c.name]) > ACTIVE * self._size(c)]

    def _size(self, c: MeasureConstraint) -> float:
        return max(1.0, abs(self.constraints[c.name]))

    def rows(self) -> list[tuple[str, ...]]:
        """Of the table, under `COLUMNS`."""
        u = self.unknowns
        return [
            (name, *(f"{y:.6g}" for y in (start, x, low, high, self.gradient[name])))
            for (name, x), start, low, high in zip(self.values.items(), u.start, u.lower, u.upper, strict=True)
        ]

    def remarks(self) -> list[str]:
        """What to know beside the table, a line each."""
        lines = [f"{self.measure}: {self.start_value:.8g} at the start, {self.value:.8g} at the optimum"]
        lines += [f"constraint {c.name}: {self.constraints[c.name]:.4g} from its limit" for c in self.limits]
        if self.active():
            lines.append(f"active: {', '.join(self.active())}")
        if self.violated():
            lines.append(f"violated: {', '.join(self.violated())}")
        if not self.exact.all():
            names = [name for name, x in zip(self.values, self.exact, strict=True) if not x]
            lines.append(f"derivatives by differences of runs: {', '.join(names)}")
        return [*lines, f"{self.runs} runs; {self.message}"]

    def __str__(self) -> str:
        return "\n".join([text_table(COLUMNS, self.rows()), *self.remarks()])

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} = {x:.6g}" for name, x in self.values.items())
        return f"<supple optimum of {self.model.name!r}: {self.measure} = {self.value:.6g} at {shown}>"

    def _repr_html_(self) -> str:
        return html_table(f"Optimum of {self.model.name}", COLUMNS, self.rows(), "; ".join(self.remarks()))


def by_name(names: tuple[str, ...], x: Floats) -> dict[str, float]:
    """Numbers by name."""
    return {name: float(value) for name, value in zip(names, x, strict=True)}
