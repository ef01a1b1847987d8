"""One mechanism in both formulations: floating frames beside equivalent rigid links with more and more elastic modes.

What sections 6.1 to 6.3 of Vidoni et al. (2015) show: motions that come together as modes are added, spectra with their
peaks at the natural frequencies, and what it costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy

from supple.checks import Floats
from supple.lazy import LazyModule
from supple.model.model import Model

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

SHOWN_FREQUENCIES = 8
SHOWN_PEAKS = 6
PROMINENT = 1.0
"""Decades by which a peak of a spectrum stands above what is around it."""
Table = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Names of columns, and rows."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """A motion in both formulations; made by `compare`, `print` shows its tables.

    Attributes
    ----------
    model : Model
        The floating-frame model.
    motion : xarray.Dataset
        What `supple.simulate` gave for it.
    frame : str
        Whose motion is compared.
    deflection : float
        The largest distance of the frame from where undeformed links would have it at the same joint positions, m.
    data : xarray.Dataset
        Over `run`, "floating frame" first and then the equivalent rigid links: position and acceleration of the frame
        (run, time, axis), gap to the floating frame as a share of the deflection (run, time), amplitude of the
        acceleration (run, frequency, axis), natural_frequency (run, mode), elastic, degrees of freedom, evaluations,
        operations, microseconds and drift (run).
    """

    model: Model
    motion: xr.Dataset
    frame: str
    deflection: float
    data: xr.Dataset

    @property
    def runs(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(str(name) for name in self.data["run"].values)

    def peaks(self, run: str, axis: str | None = None, count: int = SHOWN_PEAKS) -> Floats:
        """Frequencies of the highest peaks in the spectrum of the frame's acceleration, Hz, slowest first.

        Parameters
        ----------
        run : str
        axis : str, optional
            "x", "y" or "z" of the ground; all three together if not given.
        count : int
            How many at most.
        """
        f, spectra = self.data["frequency"].values, self.data["amplitude"].sel(run=run)
        chosen = spectra if axis is None else spectra.sel(axis=[axis])
        size = np.log10(np.linalg.norm(chosen.values, axis=-1) + 1e-300)
        found, _ = scipy.signal.find_peaks(size, prominence=PROMINENT)
        if not len(found):
            return np.zeros(0)
        highest = np.sort(found[np.argsort(-size[found])[:count]])
        below, at, above = size[highest - 1], size[highest], size[highest + 1]
        # between the lines of the spectrum: a parabola through three of them
        return np.asarray(f[highest] + (f[1] - f[0]) * 0.5 * (below - above) / (below - 2.0 * at + above))

    @cached_property
    def tables(self) -> dict[str, Table]:
        """By title: names of columns and rows, a row for each run."""
        natural = self.data["natural_frequency"].values[:, :SHOWN_FREQUENCIES]
        return {
            f"{self.frame}, which deflects by {1e3 * self.deflection:.4g} mm": self._differences(),
            "Natural frequencies of the settled start configuration, Hz": _numbered(self.runs, natural),
            "Peaks of the acceleration, Hz": _numbered(self.runs, [self.peaks(run) for run in self.runs]),
            "Forward dynamics in machine code": self._costs(),
        }

    def _differences(self) -> Table:
        gap, elastic, drift = (
            x.values for x in (self.data["gap"].max("time"), self.data["elastic"], self.data["drift"])
        )
        rows = []
        for i, run in enumerate(self.runs):
            apart: tuple[str, ...] = (f"{1e3 * self.deflection * gap[i]:.3g}", f"{100 * gap[i]:.3g}") if i else ("", "")
            rows.append((run, str(elastic[i]), *apart, f"{drift[i]:.1e}"))
        columns: tuple[str, ...] = ("formulation", "elastic", "gap mm", "of deflection %", "energy drift")
        return columns, rows

    def _costs(self) -> Table:
        keys = ("dofs", "operations", "microseconds", "evaluations")
        digits = (0, 0, 2, 0)
        values = np.stack([self.data[key].values for key in keys], axis=1)
        rows = [
            (run, *(f"{x:,.{n}f}" if np.isfinite(x) else "" for x, n in zip(row, digits, strict=True)))
            for run, row in zip(self.runs, values, strict=True)
        ]
        return ("formulation", *keys), rows

    def __str__(self) -> str:
        lines = [f"{self.model.name}: {float(self.motion['time'][-1]):g} s in both formulations"]
        for title, (columns, rows) in self.tables.items():
            widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
            lines += ["", title]
            for row in (columns, *rows):
                cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
                lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)


def _numbered(runs: Sequence[str], values: Iterable[Floats]) -> Table:
    """Frequencies of the runs in numbered columns."""
    rows = [[f"{x:.4g}" for x in row if np.isfinite(x)] for row in values]
    width = max(map(len, rows), default=0)
    columns = ("formulation", *(str(i + 1) for i in range(width)))
    return columns, [(run, *row, *[""] * (width - len(row))) for run, row in zip(runs, rows, strict=True)]
