"""Mesh files of real robots beside trimesh: bounds, area, volume, time to read; and how large pages of robots are.

    python -m benchmarks.files.meshes [--small]

Every STL, OBJ and COLLADA file of `example-robot-data` is read by both. Volumes are those of trimesh's own triangles,
as many meshes are open. An error of a volume is relative to the volume, or to 1e-3 of area times size where that is
more.
"""

from __future__ import annotations

import contextlib
import io
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import trimesh
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL
from supple.shapes.readers.mesh_file import read_mesh
from supple.shapes.triangle_mesh import joined
from supple.view import write_report
from support.files.robots import robot_directory

KINDS = (".stl", ".obj", ".dae")
ALLOWED = 1e-6
THIN = 1e-3
ROBOTS = ("panda",) if SMALL else ("panda", "ur5_robot", "talos_reduced")
MEGABYTES = {"panda": 1.5, "talos_reduced": 2.0}
"""Most that a page of a robot may take."""


class Compared(NamedTuple):
    """Errors of bounds, area and volume, and the seconds of both."""

    errors: tuple[float, float, float]
    own: float
    theirs: float


def compared(path: Path) -> Compared | None:
    """One mesh by both; None if trimesh finds nothing in it."""
    begin = time.perf_counter()
    own = joined([part.mesh for part in read_mesh(path)])
    middle = time.perf_counter()
    with contextlib.redirect_stderr(io.StringIO()):
        other: Any = trimesh.load(path, process=False, force="mesh")
    end = time.perf_counter()
    if not len(other.triangles):
        return None
    corners = np.asarray(other.triangles)
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    size = float(np.ptp(other.bounds, axis=0).max())
    bounds = float(np.abs(own.bounds - other.bounds).max()) / size
    area = abs(own.area - float(other.area)) / float(other.area)
    return Compared(
        (bounds, area, abs(own.volume - volume) / max(abs(volume), THIN * own.area * size)),
        middle - begin,
        end - middle,
    )


def meshes() -> Table:
    """All meshes of each kind."""
    table = Table(title="Meshes of example-robot-data beside trimesh")
    for column in ("kind", "files", "largest error of bounds", "area", "volume", "s", "trimesh, s", "not compared"):
        table.add_column(column, justify="right")
    for kind in KINDS:
        files = sorted(x for x in robot_directory().rglob("*") if x.suffix.lower() == kind)
        found = {x: compared(x) for x in (files[:3] if SMALL else files)}
        both = [x for x in found.values() if x is not None]
        worst = np.max([x.errors for x in both], axis=0)
        assert (worst < ALLOWED).all(), f"{kind}: {worst}"
        seconds = sum(x.own for x in both), sum(x.theirs for x in both)
        left = ", ".join(x.name for x, y in found.items() if y is None)
        table.add_row(
            kind, str(len(both)), *(f"{x:.0e}" for x in worst), f"{seconds[0]:.1f}", f"{seconds[1]:.1f}", left or "-"
        )
    return table


def pages() -> Table:
    """Pages of robots that stand still, with their meshes."""
    table = Table(title="Pages of robots, MB")
    for column in ("robot", "page"):
        table.add_column(column, justify="right")
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # limits and mimic joints: nothing moves; robots are heavy, and fall
        for name in ROBOTS:
            model = supple.load(next(robot_directory().rglob(f"{name}.urdf")))
            result = supple.simulate(model, 0.1, samples=11)
            size = write_report(model, result, Path(folder) / "page.html").stat().st_size / 1e6
            assert size < MEGABYTES.get(name, 2.0), f"{name}: {size} MB"
            table.add_row(name, f"{size:.2f}")
    return table


if __name__ == "__main__":
    console = Console(width=120)
    console.print(meshes())
    console.print(pages())
