"""Dynamic stress of a solid beside CalculiX: the same elements under a force that jumps, there by modal dynamics."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.checks import Floats
from supple.structures import Material, Structure, from_mesh

LENGTH, WIDTH, HEIGHT = 0.4, 0.04, 0.03
METAL = Material(E=70e9, nu=0.3, rho=2700)
FORCE, STEP, STEPS, MODES = 100.0, 2e-4, 60, 12
EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
"""Corners between which CalculiX has the middle nodes of a tetrahedron, in its order."""


def tetrahedra() -> tuple[Structure, Floats, Any]:
    """A bar of quadratic tetrahedra, its nodes, and the ten nodes of each element as CalculiX numbers them, from 0."""
    skfem = pytest.importorskip("skfem", reason="scikit-fem makes the mesh")
    ticks = np.linspace(0, LENGTH, 9), np.linspace(-WIDTH / 2, WIDTH / 2, 2), np.linspace(-HEIGHT / 2, HEIGHT / 2, 2)
    mesh = skfem.MeshTet2.from_mesh(skfem.MeshTet.init_tensor(*ticks))
    ends = {"start": lambda x: x[0] < 1e-9, "end": lambda x: x[0] > LENGTH - 1e-9}
    structure = from_mesh(mesh, METAL, ends)
    place = {tuple(np.round(x, 9)): i for i, x in enumerate(structure.nodes)}
    corners = mesh.t.T[:, :4].copy()
    x = structure.nodes[corners]
    turned = np.linalg.det(x[:, 1:] - x[:, :1]) < 0
    corners[turned] = corners[turned][:, [0, 2, 1, 3]]
    middles = [
        [place[tuple(np.round(structure.nodes[[c[a], c[b]]].mean(axis=0), 9))] for a, b in EDGES] for c in corners
    ]
    return structure, structure.nodes, np.concatenate([corners, middles], axis=1)


def calculix(nodes: Floats, elements: Any, folder: Path) -> Floats:
    """Times and stress xx (steps, 2) at the top of mid-length."""
    clamped, end = (np.flatnonzero(np.isclose(nodes[:, 0], x)) + 1 for x in (0.0, LENGTH))
    deck = ["*NODE, NSET=ALL", *(f"{i + 1}, {x:.12g}, {y:.12g}, {z:.12g}" for i, (x, y, z) in enumerate(nodes))]
    deck += ["*ELEMENT, TYPE=C3D10, ELSET=BAR"]
    deck += [f"{i + 1}, " + ", ".join(str(n + 1) for n in row) for i, row in enumerate(elements)]
    deck += [f"*MATERIAL, NAME=METAL\n*ELASTIC\n{METAL.E}, {METAL.nu}\n*DENSITY\n{METAL.rho}"]
    deck += ["*SOLID SECTION, ELSET=BAR, MATERIAL=METAL", "*BOUNDARY", *(f"{n}, 1, 3" for n in clamped)]
    deck += [f"*STEP\n*FREQUENCY, STORAGE=YES\n{MODES}\n*END STEP", "*STEP\n*MODAL DYNAMIC, SOLVER=SPOOLES"]
    deck += [f"{STEP}, {STEP * STEPS}\n*CLOAD", *(f"{n}, 3, {FORCE / len(end)}" for n in end)]
    deck += ["*NODE FILE, FREQUENCY=1\nU\n*EL FILE, FREQUENCY=1\nS\n*END STEP", ""]
    (folder / "bar.inp").write_text("\n".join(deck))
    done = subprocess.run([str(shutil.which("ccx")), "bar"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    chosen, found, time, inside = top(nodes) + 1, [], 0.0, False
    for line in (folder / "bar.frd").read_text().splitlines():
        if line.startswith("  100C"):
            time = float(line[12:24])
        elif line.startswith(" -4"):
            inside = "STRESS" in line
        elif inside and line.startswith(" -1") and int(line[3:13]) == chosen:
            found.append((time, float(line[13:25])))
    return np.array(found[-STEPS:])


def top(nodes: Floats) -> int:
    return int(np.argmin(np.linalg.norm(nodes - [LENGTH / 2, 0.0, HEIGHT / 2], axis=1)))


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX (ccx) is not installed")
def test_stress_after_a_jump_of_the_load(tmp_path: Path) -> None:
    """At mid-length, over the first vibrations. CalculiX loads nodes of the end evenly, here the end face is rigid."""
    structure, nodes, elements = tetrahedra()
    peer = calculix(nodes, elements, tmp_path)
    assert len(peer) == STEPS
    mech = supple.Mechanism("bar", gravity=(0, 0, 0))
    body = structure.reduce("cantilever", modes=MODES)
    mech.add_body("bar", body, joint=supple.Fixed(), fidelity="ruthless")
    mech.add_wrench("jump", "bar/end", force=(0, 0, FORCE), axes="ground")
    wanted = supple.Outputs(stresses=f"bar/{top(nodes)}", recovery="acceleration")
    result = supple.simulate(mech.build(), STEP * STEPS, samples=STEPS + 1, outputs=wanted)
    own = np.interp(peer[:, 0], result.time, result.stress.sel(stress_component="xx").values[:, 0])
    static = FORCE * LENGTH / 2 * HEIGHT / 2 / (WIDTH * HEIGHT**3 / 12)
    assert np.abs(peer[:, 1]).max() > 1.7 * static  # it overshoots to nearly twice the static stress
    assert np.abs(own - peer[:, 1]).max() < 0.05 * np.abs(peer[:, 1]).max()
    assert np.sqrt(np.mean((own - peer[:, 1]) ** 2)) < 0.02 * np.abs(peer[:, 1]).max()
