"""What to look at before an imported structure is used: its mass, frequencies, residuals, and what seems wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Floats, freeze
from supple.html_tables import html_table
from supple.structures.body.integration import totals
from supple.structures.builders.from_matrices import speed_of_sound
from supple.structures.discretization.dof_map import extent
from supple.structures.discretization.validation import RIGID_NAMES, rigid_resistance
from supple.structures.eigen.free_frequencies import free_frequencies, held_modes
from supple.structures.formats.units import Units, likely_units

if TYPE_CHECKING:
    from supple.structures.formats.imported import ImportedStructure

FREQUENCIES = 10
"""Of the free structure, that are listed."""
ROUGH = 1e-8
"""Force against a rigid motion, relative to its terms, of matrices that were printed with few digits."""
UNEQUAL = 1e-12
"""Relative difference of the triangles of a matrix that is worth a word."""


@dataclass(frozen=True, eq=False)
class ImportReport:
    """Figures of an imported structure, in SI; `print(structure.report)` shows them.

    Attributes
    ----------
    program : str
    files : tuple of str
    nodes, dofs : int
    units : Units
        By which the files were read.
    guess : tuple of Units
        Systems of units in which the files' numbers look like those of a body, the likeliest first.
    mass : float
        kg.
    com : (3,) array
        Centre of mass, m.
    inertia : (3, 3) array
        About the centre of mass, kg m^2.
    density : float
        kg/m^3 of solid elements; zero where their volume is not known.
    frequencies : (n,) array
        Of the free structure without its rigid motions, Hz, the lowest.
    residual : (6,) array
        Largest force against rigid rotations about x, y, z and motions in x, y, z, relative to its terms.
    asymmetry : (float, float)
        Of stiffness and mass as the files have them, relative.
    interfaces : dict of str to (int, (3,) array)
        Frames: their number of nodes and their middle, m.
    root : str
        The frame that is held for `held_frequencies` and `effective`; "" if no frame can be.
    held_frequencies : (m,) array
        Hz.
    effective : (m, 6) array
        Effective inertia about the axes of the root (kg m^2) and mass in x, y, z (kg) of each mode.
    warnings : tuple of str
        What looks wrong, with its likely cause.
    """

    program: str
    files: tuple[str, ...]
    nodes: int
    dofs: int
    units: Units
    guess: tuple[Units, ...]
    mass: float
    com: Floats
    inertia: Floats
    density: float
    frequencies: Floats
    residual: Floats
    asymmetry: tuple[float, float]
    interfaces: dict[str, tuple[int, Floats]]
    root: str
    held_frequencies: Floats
    effective: Floats
    warnings: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self, "com", "inertia", "frequencies", "residual", "held_frequencies", "effective")

    def __str__(self) -> str:
        lines = [f"{self.program}: {', '.join(self.files)}"]
        lines += [f"{name}: {value}" for name, value in self._figures()]
        for name, (count, middle) in self.interfaces.items():
            lines.append(f"frame {name}: {count} node{'s' if count > 1 else ''}, at {_vector(middle)} m")
        if len(self.effective):
            lines.append(f"modes with {self.root!r} held: frequency/Hz, effective mass/kg in x, y, z")
            for f, row in zip(self.held_frequencies, self._shown(), strict=True):
                lines.append(f"  {f:12.6g}   " + " ".join(f"{v:9.3g}" for v in row))
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])

    def _repr_html_(self) -> str:
        rows = [*self._figures(), *(("warning", text) for text in self.warnings)]
        title = f"Import: {self.program}, {', '.join(self.files)}"
        frames = [(name, count, *(f"{x:.5g}" for x in middle)) for name, (count, middle) in self.interfaces.items()]
        modes = [
            (f"{f:.6g}", *(f"{v:.3g}" for v in row))
            for f, row in zip(self.held_frequencies, self._shown(), strict=True)
        ]
        tables = [
            html_table(title, ("", ""), rows),
            html_table("Frames", ("frame", "nodes>", "x, m>", "y, m>", "z, m>"), frames) if frames else "",
            html_table(
                f"Modes with {self.root!r} held",
                ("frequency, Hz>", "effective mass x, kg>", "y, kg>", "z, kg>"),
                modes,
            )
            if modes
            else "",
        ]
        return "".join(tables)

    def _shown(self) -> Floats:
        """(m, 3) effective masses, rounding as zero."""
        part = self.effective[:, 3:]
        return np.where(part > 1e-9 * self.mass, part, 0.0)

    def _figures(self) -> list[tuple[str, str]]:
        worst = int(np.argmax(self.residual))
        listed = ", ".join(f"{f:.6g}" for f in self.frequencies) or "none"
        guess = "; ".join(map(str, self.guess[:3])) or "none that is usual"
        figures = [
            ("nodes, degrees of freedom", f"{self.nodes:,}, {self.dofs:,}"),
            ("units read as", f"{self.units}; the numbers look like {guess}"),
            ("mass", f"{self.mass:.7g} kg" + (f", {self.density:.4g} kg/m^3" if self.density > 0 else "")),
            ("centre of mass", f"{_vector(self.com)} m"),
            ("principal inertia", f"{_vector(np.asarray(np.linalg.eigvalsh(self.inertia), np.float64))} kg m^2"),
            ("free-free frequencies", f"{listed} Hz"),
            ("force against rigid motion", f"{self.residual[worst]:.1e} of its terms ({RIGID_NAMES[worst]})"),
        ]
        if max(self.asymmetry) > 0.0:
            stiffness, mass = self.asymmetry
            figures.append(("asymmetry", f"stiffness {stiffness:.1e}, mass {mass:.1e}"))
        return figures


def import_report(structure: ImportedStructure) -> ImportReport:
    """The figures of a structure, of which one factorisation with a frame held is the cost."""
    source = structure.source
    mass, moment, second = totals(structure.masses, structure.layout, np.zeros(3))
    com = moment / mass
    about = np.trace(second) * np.eye(3) - second
    root = _root(structure)
    squares, effective = held_modes(structure, root, FREQUENCIES) if root else (np.zeros(0), np.zeros((0, 6)))
    residual = rigid_resistance(structure.stiffness, structure.layout)
    guess = _guess(structure, mass)
    density = mass / source.volume if source.volume > 0 else 0.0
    grain = 1e-12 * extent(structure.nodes)
    return ImportReport(
        program=source.program,
        files=tuple(path.name for path in source.files),
        nodes=len(structure.nodes),
        dofs=structure.layout.size,
        units=source.units,
        guess=guess,
        mass=mass,
        com=com,
        inertia=about - mass * (float(com @ com) * np.eye(3) - np.outer(com, com)),
        density=density,
        frequencies=free_frequencies(structure, FREQUENCIES, root),
        residual=residual,
        asymmetry=source.asymmetry,
        interfaces={
            name: (len(numbers), np.round(structure.nodes[list(numbers)].mean(axis=0) / grain) * grain)
            for name, numbers in structure.frames.items()
        },
        root=root,
        held_frequencies=np.sqrt(squares) / (2.0 * np.pi),
        effective=effective,
        warnings=tuple(_warnings(structure, guess, density, residual)),
    )


def _root(structure: ImportedStructure) -> str:
    """The first frame that can be held."""
    small = structure.condensed
    return next((name for name, point in small.frames.items() if small.layout.turning[point]), "")


def _guess(structure: ImportedStructure, mass: float) -> tuple[Units, ...]:
    """Units of the file, from its numbers."""
    units, source = structure.source.units, structure.source
    sizes = np.ptp(structure.nodes, axis=0)
    in_box = source.volume <= 0.0
    volume = float(np.prod(np.maximum(sizes, 1e-3 * extent(structure.nodes)))) if in_box else source.volume
    density = mass / volume / units.kilogram * units.metre**3
    return likely_units(density, in_box, speed_of_sound(structure) / units.metre * units.second)


def _warnings(structure: ImportedStructure, guess: tuple[Units, ...], density: float, residual: Floats) -> list[str]:
    source = structure.source
    out = list(source.remarks)
    if source.units not in guess:
        shown = f"units={str(guess[0]).replace(', ', '-')!r}" if guess else "other units"
        what = f"a density of {density:.3g} kg/m^3 and " if density > 0 else ""
        out.append(
            f"{what}a speed of sound of about {speed_of_sound(structure):.2g} m/s are those of no body; read the file "
            f"with {shown}, or mend lengths, masses or stiffnesses that are in different units"
        )
    if residual.max() > ROUGH:
        turning = residual[:3].max() > 10.0 * residual[3:].max()
        cause = (
            "nodes in axes of their own, rounded coordinates" if turning else "a weak spring to the ground, few digits"
        )
        out.append(
            f"{RIGID_NAMES[int(np.argmax(residual))]} needs {residual.max():.1e} of the forces it is the sum of; "
            f"likely cause: {cause}"
        )
    for what, value in zip(("stiffness", "mass"), source.asymmetry, strict=True):
        if value > UNEQUAL:
            out.append(
                f"the triangles of the {what} differ by {value:.1e}; likely cause: few digits, or follower loads"
            )
    lumped = structure.masses.matrix.nnz <= structure.layout.size
    if lumped and not structure.turning.any():
        out.append(
            "the mass matrix is lumped: frequencies are somewhat low; ask the program for a consistent one if it has it"
        )
    return out


def _vector(x: Floats) -> str:
    size = float(np.abs(x).max(initial=0.0))
    return ", ".join(f"{v if abs(v) > 1e-12 * size else 0.0:.6g}" for v in x)
