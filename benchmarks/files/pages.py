"""Pages of long runs of many bodies: how large they are, how soon they open, how long a frame of the motion takes.

    python -m benchmarks.files.pages [--small]

Needs playwright and Debian's chromium. The motion is a smooth one that nobody has simulated. A frame is what the page
does in `viewer.seek`: bodies are placed, surfaces bent, symbols and marks of the plots drawn. "script" is its processor
time; "drawn" has the picture finished too, by a renderer in software, on a window of 1180 x 860 pixels.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL
from supple import structures
from supple.view import write_report

GL = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
SAMPLES = 400 if SMALL else 10_000
FRAMES = 2 if SMALL else 60
SIZE = (240, 180) if SMALL else (1180, 860)
SMOOTH = 33.0
"""Milliseconds of a frame, at most, that is smooth: thirty frames a second."""
ALLOWED = 2e-3
"""Of the size: how far a body on the page may be from where the model has it, between two of the frames it holds."""
FRAME = """([count, finish]) => {
  const { viewer } = window.report, { gl } = viewer.drawing, pixel = new Uint8Array(4);
  const spent = [];
  for (let i = 0; i < count; i++) {
    const before = performance.now();
    viewer.seek(viewer.motion.start + ((i + 0.37) / count) * (viewer.motion.stop - viewer.motion.start));
    if (finish) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    spent.push(performance.now() - before);
  }
  return spent.sort((a, b) => a - b)[Math.floor(count / 2)];
}"""
WHERE = """(time) => {
  const { viewer } = window.report;
  viewer.seek(time);
  return viewer.motion.poses.map(({ p }) => Array.from(p));
}"""


class Case(NamedTuple):
    """Bodies in a chain."""

    name: str
    rigid: int
    flexible: int


CASES = (
    [Case("both", 3, 2)]
    if SMALL
    else [Case("rigid chain", 100, 0), Case("flexible chain", 0, 20), Case("both", 90, 10)]
)


def chain(case: Case) -> supple.Model:
    """Rigid links, then beams with six modes each, all on hinges that lie across each other."""
    mech = supple.Mechanism(case.name)
    steel = structures.Material(E=2e11, nu=0.3, rho=7800.0)
    beam = structures.beam(0.5, structures.Tube(0.02, thickness=0.002), steel, 12).reduce("cantilever", modes=6)
    parent, at = "ground", ((0.0, 0.0, 0.0),)
    for i in range(case.rigid):
        body = supple.RigidBody(1.0, (0.25, 0, 0), (0.01, 0.05, 0.05))
        mech.add_body(f"link{i}", body, parent, supple.Revolute("yz"[i % 2]), at=at[0])
        parent, at = f"link{i}", ((0.5, 0.0, 0.0),)
    for i in range(case.flexible):
        mech.add_body(f"beam{i}", beam, parent, supple.Revolute("yz"[i % 2]), at="end" if i else at[0])
        parent = f"beam{i}"
    return mech.build()


def motion(model: supple.Model) -> xr.Dataset:
    """All coordinates swing, each at its own pace."""
    t = np.linspace(0.0, 20.0, SAMPLES)
    size = np.where(model.is_mode, 0.02, 0.15)
    pace = 1.0 + np.arange(model.nq) % 7 / 7.0
    q = size * np.sin(pace * t[:, None] + np.arange(model.nq))
    v = size * pace * np.cos(pace * t[:, None] + np.arange(model.nq))
    energy = 0.5 * (v**2).sum(axis=1)
    return xr.Dataset(
        {
            "q": (("time", "coordinate"), q),
            "v": (("time", "speed"), v),
            "kinetic_energy": ("time", energy),
            "potential_energy": ("time", -energy),
        },
        {"time": t, "coordinate": list(model.coordinates), "speed": list(model.speeds)},
    )


def row(browser: Any, folder: Path, case: Case) -> list[str]:
    """A line of the table; bodies are where the model has them, first."""
    model = chain(case)
    result = motion(model)
    begin = time.perf_counter()
    file = write_report(model, result, folder / "page.html")
    written = time.perf_counter() - begin
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    begin = time.perf_counter()
    page.goto(file.resolve().as_uri())
    opened = time.perf_counter() - begin
    at = 7.77
    q = np.array([np.interp(at, result.time, result.q[:, i]) for i in range(model.nq)])
    expected = model.poses(q)[1]
    error = np.abs(np.array(page.evaluate(WHERE, at)) - expected).max() / np.ptp(expected, axis=0).max()
    assert error < ALLOWED, f"{case.name}: bodies are {error:.1e} of the size from where they should be"
    script, drawn = (page.evaluate(FRAME, [FRAMES, finish]) for finish in (False, True))
    page.close()
    if script > SMOOTH and not SMALL:
        print(f"{case.name}: {script:.0f} ms of script a frame is not smooth", file=sys.stderr)
    size = file.stat().st_size / 1e6
    numbers = f"{len(model.bodies)}", f"{SAMPLES:,}", f"{size:.2f}", f"{written:.2f}", f"{opened:.2f}"
    return [case.name, *numbers, f"{script:.1f}", f"{drawn:.0f}"]


def main() -> None:
    """The table."""
    from playwright.sync_api import sync_playwright

    table = Table(title="Pages of long runs")
    for column in ("model", "bodies", "samples", "MB", "written, s", "opened, s", "script, ms a frame", "drawn, ms"):
        table.add_column(column, justify="right")
    with TemporaryDirectory() as folder, sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=GL)
        for case in CASES:
            table.add_row(*row(browser, Path(folder), case))
        browser.close()
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
