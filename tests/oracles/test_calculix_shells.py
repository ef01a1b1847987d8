"""A stiffened panel and a curved one, as shells of the real CalculiX and as ours."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple.checks import Floats, Ints
from supple.structures import Attach, Material, Part, Weld, assemble, plate, shell

CCX = shutil.which("ccx")
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700.0)
DECK = """*MATERIAL, NAME=AL
*ELASTIC
70e9, 0.3
*DENSITY
2700.
*SHELL SECTION, ELSET=EALL, MATERIAL=AL
{thickness}
*BOUNDARY
ROOT, 1, 6
*STEP
*FREQUENCY
6
*END STEP
"""

pytestmark = pytest.mark.skipif(CCX is None, reason="CalculiX (ccx) is not installed")


def grid(n: int, m: int) -> tuple[Floats, Floats, Ints]:
    """Parameters (k,) of the nodes and quadrilaterals of eight nodes over the unit square, as S8R has them."""
    u, v = (x.ravel() for x in np.meshgrid(np.linspace(0, 1, 2 * n + 1), np.linspace(0, 1, 2 * m + 1)))
    w = 2 * n + 1
    i = (2 * w * np.arange(m)[:, None] + 2 * np.arange(n)).ravel()
    return u, v, np.stack([i, i + 2, i + 2 + 2 * w, i + 2 * w, i + 1, i + 2 + w, i + 1 + 2 * w, i + w], axis=1)


def calculix(folder: Path, parts: list[tuple[Floats, Ints]], thickness: float) -> Floats:
    """Frequencies in Hz, clamped at x = 0; nodes at the same place are one."""
    nodes = np.concatenate([x for x, _ in parts])
    starts = np.cumsum([0, *(len(x) for x, _ in parts)])
    elements = np.concatenate([table + start for (_, table), start in zip(parts, starts[:-1], strict=True)])
    _, first, which = np.unique(np.round(nodes, 9), axis=0, return_index=True, return_inverse=True)
    elements, which = which.reshape(-1)[elements], which.reshape(-1)
    nodes = nodes[first]
    used = np.unique(elements)
    lines = ["*NODE", *(f"{i + 1}, {nodes[i, 0]:.9g}, {nodes[i, 1]:.9g}, {nodes[i, 2]:.9g}" for i in used)]
    lines += ["*ELEMENT, TYPE=S8R, ELSET=EALL"]
    lines += [f"{e + 1}, " + ", ".join(str(i + 1) for i in table) for e, table in enumerate(elements)]
    lines += ["*NSET, NSET=ROOT", *(f"{i + 1}," for i in used if nodes[i, 0] < 1e-9)]
    (folder / "panel.inp").write_text("\n".join(lines) + "\n" + DECK.format(thickness=thickness))
    assert CCX is not None
    subprocess.run([CCX, "panel"], cwd=folder, check=True, capture_output=True, timeout=120)
    printed = re.findall(r"^\s+\d+\s+(\S+)\s+\S+\s+(\S+)", (folder / "panel.dat").read_text(), re.MULTILINE)
    return np.array([float(cycles) for _, cycles in printed[:6]])


def test_a_stiffened_panel(tmp_path: Path) -> None:
    u, v, table = grid(14, 8)
    skin = np.stack([u, 0.6 * (v - 0.5), 0.0 * u], axis=1)
    a, b, upright = grid(14, 1)
    web = np.stack([a, 0.0 * a, -0.06 * b], axis=1)
    expected = calculix(tmp_path, [(skin, table), (web, upright)], 0.004)
    panel = plate((1.0, 0.6), 0.004, ALUMINIUM, elements=(14, 8), frames={"start": "x_min"})
    rib = plate((1.0, 0.06), 0.004, ALUMINIUM, elements=(14, 1), frames={"root": "x_min"})
    below = Part(rib, at=(0, 0, -0.03), rotation=Rotation.from_euler("x", 90, degrees=True))
    made = assemble(
        {"panel": panel, "web": below},
        [Attach("web", to="panel"), Weld(["panel.start", "web.root"])],
        frames={"start": "panel.start"},
    )
    ours = np.sqrt(made.reduce("cantilever", 6).stiffness.diagonal()) / (2 * np.pi)
    np.testing.assert_allclose(ours[:5], expected[:5], rtol=0.015)


def test_a_curved_panel(tmp_path: Path) -> None:
    """A quarter of a tube, clamped at one end."""
    n, m, R, L, t = 16, 16, 0.3, 0.8, 0.003
    u, v, table = grid(n, m)
    angle = np.pi / 2 * v
    nodes = np.stack([L * u, R * np.cos(angle), R * np.sin(angle)], axis=1)
    expected = calculix(tmp_path, [(nodes, table)], t)
    corners = table[:, :4]
    used, numbers = np.unique(corners, return_inverse=True)
    made = shell(nodes[used], numbers.reshape(-1, 4), t, ALUMINIUM, frames={"start": lambda x: x[0] < 1e-9})
    ours = np.sqrt(made.reduce("cantilever", 6).stiffness.diagonal()) / (2 * np.pi)
    np.testing.assert_allclose(ours[:5], expected[:5], rtol=0.01)
