"""Draw the pictures of the README and the docs; Debian's chromium must be there.

python -m pip install matplotlib playwright && python docs/make_pictures.py
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from playwright.sync_api import sync_playwright

import supple
from supple import structures
from supple.view import write_report

mpl.use("Agg")
ROOT = Path(__file__).resolve().parents[1]


def falling() -> tuple[supple.Model, xr.Dataset]:
    """Three links of rubber let go from the horizontal."""
    rubber = structures.Material(E=1e7, nu=0.45, rho=1100.0)
    link = structures.beam(0.4, structures.Rectangle(0.03, 0.03), rubber, elements=12)
    body = link.reduce("craig-bampton", modes=2, interfaces=["end"], damping=0.01)
    mech = supple.Mechanism("rubber chain")
    mech.add_body("link1", body, joint=supple.Revolute("y"))
    mech.add_body("link2", body, parent="link1", joint=supple.Revolute("y"), at="end")
    mech.add_body("link3", body, parent="link2", joint=supple.Revolute("y"), at="end")
    model = mech.build()
    return model, supple.simulate(model, 1.2, samples=601)


def rubber_chain(model: supple.Model, result: xr.Dataset) -> None:
    """How they fall and bend, and their energy."""
    figure = plt.figure(figsize=(11, 4.6), dpi=110)
    plane = figure.add_subplot(1, 2, 1)
    shown = np.arange(0, 301, 20)
    for i, s in enumerate(shown):
        color = plt.get_cmap("viridis")(i / len(shown))
        for name in model.bodies:
            nodes = [model.pose(result.q.values[s], f"{name}/{j}")[1] for j in range(13)]
            plane.plot(*np.array(nodes)[:, [0, 2]].T, color=color, linewidth=3, solid_capstyle="round")
    tip = model.pose(result.q.values[:301], "link3/end")[1]
    plane.plot(*tip[:, [0, 2]].T, color="0.4", linewidth=0.8)
    plane.set_aspect("equal")
    plane.set_xlabel("x, m")
    plane.set_ylabel("z, m")
    plane.set_title("rubber chain: the first 0.6 s, a posture every 0.04 s", fontsize=9)

    energy = figure.add_subplot(1, 2, 2)
    strain = 0.5 * (result.q.values**2 @ model.tree.stiffness)
    energy.plot(result.time, result.kinetic_energy, label="kinetic")
    energy.plot(result.time, result.potential_energy - strain, label="weight")
    energy.plot(result.time, 20 * strain, label="strain, times 20")
    energy.plot(
        result.time, result.kinetic_energy + result.potential_energy, "k", label="total, falling by modal damping"
    )
    energy.set_xlabel("time, s")
    energy.set_ylabel("energy, J")
    energy.grid(alpha=0.3)
    energy.legend(frameon=False, loc="upper right")
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "images" / "rubber_chain.png")


def report_page(model: supple.Model, result: xr.Dataset) -> None:
    """The page that `supple run` writes, in a browser, at 0.74 s."""
    with TemporaryDirectory() as folder, sync_playwright() as browsers:
        page_file = write_report(model, result, Path(folder) / "page.html")
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 860})
        page.goto(page_file.resolve().as_uri())
        moved = "e => { e.value = 0.62 * e.max; e.dispatchEvent(new Event('input', {bubbles: true})) }"
        page.locator("input[type=range]").first.evaluate(moved)
        page.wait_for_timeout(500)
        page.screenshot(path=ROOT / "docs" / "images" / "report.png")
        browser.close()


if __name__ == "__main__":
    rubber_chain(*falling())
    report_page(*falling())
