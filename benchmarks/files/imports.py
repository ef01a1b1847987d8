"""From files of a finite-element program to a stored body: time and memory of each step, at 100,000 degrees of freedom.

python -m benchmarks.files.imports [--small]

A block of quadratic tetrahedra, 4 x 1 x 1 m, its matrices written as CalculiX writes them. Each step runs in the same
process; memory is the peak up to there. The first frequency is checked against that of a slender beam.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import scipy
import skfem
from rich.console import Console
from rich.table import Table

from supple.structures import ImportedStructure, Material, from_mesh, read
from supple.structures.body.hdf5_reader import load_body

STEEL = Material(E=2e11, nu=0.3, rho=7800.0)
LENGTH, WIDTH = 4.0, 1.0
MODES = 10
T = TypeVar("T")


def written(folder: Path, elements: tuple[int, int, int]) -> int:
    """Write deck and matrices of the block; return its number of degrees of freedom."""
    ticks = [np.linspace(0.0, size, n + 1) for size, n in zip((LENGTH, WIDTH, WIDTH), elements, strict=True)]
    mesh = skfem.MeshTet2.from_mesh(skfem.MeshTet.init_tensor(*ticks))
    block = from_mesh(mesh, STEEL, {})
    count = len(block.nodes)
    faces = {name: np.flatnonzero(np.isclose(block.nodes[:, 0], x)) + 1 for name, x in (("ROOT", 0.0), ("TIP", LENGTH))}
    lines = ["*NODE", *(f"{i + 1}, {x:.12g}, {y:.12g}, {z:.12g}" for i, (x, y, z) in enumerate(block.nodes))]
    for name, nodes in faces.items():
        lines += [f"*NSET, NSET={name}", *(f"{i}," for i in nodes)]
    (folder / "block.inp").write_text("\n".join(lines) + "\n")
    (folder / "block.dof").write_text("".join(f"{i + 1}.{d}\n" for i in range(count) for d in (1, 2, 3)))
    for suffix, matrix in (("sti", block.stiffness), ("mas", block.mass_matrix)):
        upper = scipy.sparse.coo_array(scipy.sparse.triu(matrix))
        with open(folder / f"block.{suffix}", "w") as file:
            for start in range(0, upper.nnz, 100_000):
                part = slice(start, start + 100_000)
                rows, columns = (upper.row[part] + 1).tolist(), (upper.col[part] + 1).tolist()
                values = upper.data[part].tolist()
                file.writelines(f"{i} {j} {v:.13e}\n" for i, j, v in zip(rows, columns, values, strict=True))
    return 3 * count


class Steps:
    """A table of steps with their time and the memory up to there."""

    def __init__(self, title: str) -> None:
        self.table = Table(title=title)
        for column in ("step", "seconds", "processor seconds", "peak MB"):
            self.table.add_column(column, justify="left" if column == "step" else "right")
        self.total = np.zeros(2)

    def timed(self, name: str, step: Callable[[], T]) -> T:
        """What a step gives."""
        begun = np.array([time.perf_counter(), time.process_time()])
        found = step()
        self.total += np.array([time.perf_counter(), time.process_time()]) - begun
        self.row(name, np.array([time.perf_counter(), time.process_time()]) - begun)
        return found

    def row(self, name: str, seconds: np.ndarray) -> None:
        """Add a line to the table."""
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.table.add_row(name, f"{seconds[0]:.2f}", f"{seconds[1]:.2f}", f"{memory:.0f}")


def main() -> None:
    """Print the table."""
    elements = (8, 2, 2) if "--small" in sys.argv else (32, 11, 11)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = written(folder, elements)
        steps = Steps(f"a block of {size:,} degrees of freedom, {MODES} modes and two rigid faces")
        block = steps.timed("read", lambda: read(folder / "block.inp", {"start": "ROOT", "end": "TIP"}))
        assert isinstance(block, ImportedStructure)
        report = steps.timed("check", lambda: block.report)
        body = steps.timed("reduce", lambda: block.reduce("craig-bampton", MODES))
        steps.timed("store", lambda: body.save(folder / "body.h5"))
        assert load_body(folder / "body.h5").modes == body.modes
    steps.row("all", steps.total)
    assert abs(block.mass / (STEEL.rho * LENGTH * WIDTH**2) - 1.0) < 1e-9
    slender = 1.875104**2 * np.sqrt(STEEL.E * WIDTH**2 / 12 / STEEL.rho / LENGTH**4) / (2 * np.pi)
    assert 0.9 < report.held_frequencies[0] / slender < 1.05  # shear makes it lower
    Console().print(steps.table)


if __name__ == "__main__":
    main()
