"""What a reduction kept: modes with their effective masses, and how stiff the reduced body is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from supple.checks import Floats, freeze
from supple.structures.discretization.dof_map import COMPONENTS


@dataclass(frozen=True, eq=False)
class Report:
    """A table of modes and some checks; `print(body.report)` shows it.

    Attributes
    ----------
    kinds : tuple of str
        A word for each mode; empty in the nodal basis.
    frequencies : (n,) array
        Hz.
    effective : (n, 6) array
        Effective inertia about the axes of the root (kg m^2) and mass in x, y, z (kg) of each mode.
    total : (6,) array
        The whole body's.
    interface : (n,) array
        Share of the strain energy in constraint modes and residual vectors.
    resistance : (6,) array
        Largest force against rigid rotations about x, y, z and motions in x, y, z, relative to its terms.
    mass_error : float
        Relative difference of the mass that the mass matrix gives to a rigid motion and the mass of the body.
    loaded : tuple of str
        The frames other than the root.
    compliance, reduced_compliance : (frames, 6) arrays
        Rotation about and motion in each direction for a unit moment and force there: of the whole structure with its
        root held, and of the reduced body; rad/(N m) and m/N.
    load_cases : tuple of str
        Whose stresses are known: "acceleration x", "angular acceleration about x" and "spin about x" of the root,
        "force x at end", "moment x at end", ...
    buckling : (cases, 2) array
        Buckling factors of unit loads, along and against them: m/s^2, rad/s^2, (rad/s)^2, N or N m at which the body,
        as its coordinates see it, has no stiffness left; infinite where there is no such factor. Modes, and in the
        nodal basis static deflections, make it somewhat too high. Loads that bend the body beyond linear theory before
        they are critical are listed too.
    southwell : (n, 3) array
        What the stresses of a spin of 1 rad/s about x, y, z through the root add to the squared frequency of each mode;
        not a number where they are not known. In the plane of rotation inertia takes some of it away.
    """

    kinds: tuple[str, ...]
    frequencies: Floats
    effective: Floats
    total: Floats
    interface: Floats
    resistance: Floats
    mass_error: float
    loaded: tuple[str, ...]
    compliance: Floats
    reduced_compliance: Floats
    load_cases: tuple[str, ...] = ()
    buckling: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    southwell: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    def __post_init__(self) -> None:
        freeze(self, "frequencies", "effective", "total", "interface", "resistance", "compliance", "reduced_compliance")
        freeze(self, "buckling", "southwell")

    @property
    def participation(self) -> Floats:
        """(n, 6) share of the whole in all modes up to each."""
        return np.cumsum(self.effective, axis=0) / np.where(self.total > 0, self.total, 1.0)

    @property
    def static_share(self) -> Floats:
        """(frames, 6) the reduced body's deflection under unit loads over the whole structure's."""
        loose = self.compliance > 0
        return np.where(loose, self.reduced_compliance, 1.0) / np.where(loose, self.compliance, 1.0)

    def __str__(self) -> str:
        """The table and the checks."""
        return "\n".join([*self._modes(), *self._checks(), *self._stiffening()])

    def mode_table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Columns and rows of the modes; none in a nodal basis."""
        columns = ("mode>", "kind", "frequency, Hz>", "effective mass x, kg>", "y, kg>", "z, kg>")
        rows = []
        for i, kind in enumerate(self.kinds):
            masses = (f"{v if v > 1e-9 * self.total[3] else 0.0:.3g}" for v in self.effective[i, 3:])
            rows.append((str(i + 1), kind, f"{self.frequencies[i]:.6g}", *masses))
        return columns, rows

    def _modes(self) -> list[str]:
        if not self.kinds:
            return []
        head = "mode  kind         frequency/Hz   effective mass/kg: x, y, z      sum/%: rx, ry, rz, x, y, z"
        lines = [head + ("         interface/%" if self.interface.any() else "")]
        for i, kind in enumerate(self.kinds):
            masses = " ".join(f"{v if v > 1e-9 * self.total[3] else 0.0:9.3g}" for v in self.effective[i, 3:])
            sums = " ".join(f"{100 * v:6.1f}" for v in self.participation[i])
            share = f" {100 * self.interface[i]:6.1f}" if self.interface.any() else ""
            lines.append(f"{i + 1:4d}  {kind:10s} {self.frequencies[i]:14.6g}   {masses}   {sums}{share}")
        return lines

    def _checks(self) -> list[str]:
        lines = [
            f"force against rigid motion: {self.resistance.max():.1e} of its terms",
            f"mass by rigid motion: off by {self.mass_error:.1e}",
        ]
        lines += [] if not self.loaded else ["deflection under unit loads, % of the whole structure's:"]
        for name, shares in zip(self.loaded, self.static_share, strict=True):
            values = ", ".join(f"{c} {100 * share:.4g}" for c, share in zip(COMPONENTS, shares, strict=True))
            lines.append(f"  {name}: {values}")
        return lines

    def _stiffening(self) -> list[str]:
        lines = []
        if np.isfinite(self.buckling).any():
            lines.append("buckling factors of unit loads, along and against them:")
        for name, factors in zip(self.load_cases, self.buckling, strict=True):
            if np.isfinite(factors).any():
                along, against = (f"{v:.4g}" if np.isfinite(v) else "none" for v in factors)
                lines.append(f"  {name}: {along}, {against} {_unit(name)}")
        if np.isfinite(self.southwell).any() and np.nanmax(np.abs(self.southwell)) > 0.0:
            lines.append("Southwell coefficients (added to squared frequencies per squared spin about x, y, z):")
        else:
            return lines
        for i, row in enumerate(self.southwell):
            values = ", ".join("unknown" if np.isnan(v) else f"{v if abs(v) > 1e-9 else 0.0:.4g}" for v in row)
            lines.append(f"  mode {i + 1}: {values}")
        return lines


def _unit(case: str) -> str:
    """Of the factor of a load case."""
    units = {"acceleration": "m/s^2", "angular": "rad/s^2", "spin": "(rad/s)^2", "force": "N", "moment": "N m"}
    return units.get(case.split(" ")[0], "times the load")
