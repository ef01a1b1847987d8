"""What a fit found: values with their uncertainty, what is left, and what the data cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.stats

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError
from supple.formulations import Formulation
from supple.html_tables import html_table, text_table
from supple.identification.identifiability import Combination, Information, information
from supple.identification.measurements import Measurements
from supple.identification.weighted_fit import Solution, Unknowns
from supple.sweeps.case_derivatives import CaseDerivatives
from supple.sweeps.case_sources import CaseSource

if TYPE_CHECKING:
    import xarray as xr

COLUMNS = ("parameter", "start>", "fitted>", "std. deviation>", "%>", "95 % from>", "to>")
CLOSE = 1e-9
"""A value is at its bound that is closer than this, against its scale."""


@checked
@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters of a model, fitted to measurements.

    Attributes
    ----------
    model : Model
        With the fitted numbers.
    result : xarray.Dataset
        Its motion.
    data : Measurements
    unknowns : Unknowns
        Names, start, bounds, scales and priors.
    solution : Solution
        Of the least squares.
    case : CaseDerivatives
        The fitted motion with its derivatives.
    source : CaseSource
        What motions are made from.
    """

    model: Formulation
    result: xr.Dataset
    data: Measurements
    unknowns: Unknowns
    solution: Solution
    case: CaseDerivatives
    source: CaseSource

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names, in the order of `covariance`."""
        return self.unknowns.names

    @property
    def values(self) -> dict[str, float]:
        """Fitted numbers by name."""
        return self._by_name(self.solution.values)

    @property
    def converged(self) -> bool:
        """Whether the search ended at a minimum; `message` says how it ended."""
        return self.solution.converged

    @property
    def message(self) -> str:
        """How the search ended."""
        return self.solution.message

    @cached_property
    def _information(self) -> Information:
        return information(self.solution.jacobian, self._sizes(), self.parameters)

    def _sizes(self) -> Floats:
        """Sizes of the parameters: their values, and where these are zero their scales."""
        values = np.abs(self.solution.values)
        return np.where(values > CLOSE * self.unknowns.scale, values, self.unknowns.scale)

    @property
    def covariance(self) -> Floats:
        """(P, P); variances are infinite for what the data do not determine."""
        return self._information.covariance

    @property
    def standard_deviations(self) -> dict[str, float]:
        """By name."""
        return self._by_name(np.sqrt(np.diag(self.covariance)))

    @property
    def correlation(self) -> Floats:
        """(P, P); not a number for what the data do not determine."""
        s = np.sqrt(np.diag(self.covariance))
        s = np.where(np.isfinite(s) & (s > 0), s, np.nan)
        return self.covariance / np.outer(s, s)

    @property
    def condition(self) -> float:
        """Of the Jacobian by relative changes of the parameters."""
        return self._information.condition

    @property
    def unidentified(self) -> tuple[Combination, ...]:
        """Combinations of parameters that the data determine not at all, or to less than 100 %."""
        return self._information.unidentified

    @property
    def degrees_of_freedom(self) -> int:
        """Measured samples and priors, less the parameters that they determine."""
        unseen = sum(np.isinf(x.deviation) for x in self.unidentified)
        return len(self.solution.residuals) - len(self.parameters) + int(unseen)

    @property
    def chi_square(self) -> float:
        """Sum of squares of the residuals, each over its noise level; close to `degrees_of_freedom` if all is right.

        Where noise levels are estimated it says nothing: they are what makes it so.
        """
        return float(self.solution.residuals @ self.solution.residuals)

    @property
    def noise(self) -> dict[str, float]:
        """Noise levels by signal, given or estimated: root mean squares over the samples."""
        return {name: float(np.sqrt(np.mean(x**2))) for name, x in self.solution.levels.items()}

    @property
    def residuals(self) -> dict[str, Floats]:
        """Fitted less measured by signal (n,), in its unit; not a number where nothing was measured."""
        found = self.solution.signals
        return {
            name: np.where(self.data.present[name], found[name][0] - x, np.nan) for name, x in self.data.signals.items()
        }

    @property
    def at_bounds(self) -> tuple[str, ...]:
        """Parameters that ended at a bound: their deviations are those of a fit without it."""
        u, x = self.unknowns, self.solution.values
        held = np.minimum(np.abs(x - u.lower), np.abs(u.upper - x)) <= CLOSE * u.scale
        return tuple(name for name, h in zip(self.parameters, held, strict=True) if h)

    def confidence(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Intervals by name that hold the true values with this probability; Student's t where noise is estimated."""
        if not 0 < level < 1:
            raise StateError(f"level: expected a probability between 0 and 1, got {level!r}")
        tail = 0.5 + 0.5 * level
        free = max(self.degrees_of_freedom, 1)
        reach = scipy.stats.t.ppf(tail, free) if self.solution.estimated else scipy.stats.norm.ppf(tail)
        deviations = self.standard_deviations
        return {name: (x - reach * deviations[name], x + reach * deviations[name]) for name, x in self.values.items()}

    def _by_name(self, x: Floats) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.parameters, x, strict=True)}

    # ------------------------------------------------------------ shown

    def rows(self) -> list[tuple[str, ...]]:
        """Of the table, under `COLUMNS`."""
        deviations, intervals = self.standard_deviations, self.confidence()
        rows = []
        for (name, x), start in zip(self.values.items(), self.unknowns.start, strict=True):
            share = 100 * deviations[name] / abs(x) if x else np.inf
            shown = (f"{start:.6g}", f"{x:.8g}", f"{deviations[name]:.3g}", f"{share:.3g}")
            rows.append((name, *shown, *(f"{end:.6g}" for end in intervals[name])))
        return rows

    def remarks(self) -> list[str]:
        """What to know beside the table, a line each."""
        quality = f"chi-square {self.chi_square:.4g} for {self.degrees_of_freedom:,} degrees of freedom"
        if self.solution.estimated:
            levels = ", ".join(f"{name} {x:.3g}" for name, x in self.noise.items())
            quality = f"noise levels, estimated: {levels}; {self.degrees_of_freedom:,} degrees of freedom"
        lines = [quality, f"condition {self.condition:.3g}; {self.solution.runs} runs; {self.message}"]
        if not self.converged:
            lines.append("the search did not converge: start closer, or give bounds")
        if not self.case.exact.all():
            names = [name for name, x in zip(self.parameters, self.case.exact, strict=True) if not x]
            why = f" ({self.case.reason})" if self.case.reason else ""
            lines.append(f"derivatives by differences of runs: {', '.join(names)}{why}")
        lines += [f"not identified: {x}" for x in self.unidentified]
        if self.at_bounds:
            lines.append(f"at a bound: {', '.join(self.at_bounds)}")
        return lines

    def __str__(self) -> str:
        return "\n".join([text_table(COLUMNS, self.rows()), *self.remarks()])

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} = {x:.6g}" for name, x in self.values.items())
        return f"<supple fit of {self.model.name!r}: {shown}>"

    def _repr_html_(self) -> str:
        return html_table(f"Fit of {self.model.name}", COLUMNS, self.rows(), "; ".join(self.remarks()))
