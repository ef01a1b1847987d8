"""From a mesh to a motion with the real CalculiX: it stores matrices, they are read, reduced and simulated."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.structures import ImportedStructure, read
from support.files.imported_files import unpacked

CCX = shutil.which("ccx")
CLAMPED = "*INCLUDE,INPUT=mesh.inp\n*BOUNDARY\nROOT,1,3\n*STEP\n*FREQUENCY\n6\n*END STEP\n"


def run(folder: Path, job: str) -> None:
    assert CCX is not None
    subprocess.run([CCX, job], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.mark.skipif(CCX is None, reason="CalculiX (ccx) is not installed")
def test_from_mesh_to_motion(tmp_path: Path) -> None:
    """The hinged block falls as a rigid pendulum does, but for its bending; clamped it has CalculiX's frequencies."""
    source = unpacked("calculix_block", tmp_path / "source")
    for name in ("mesh.inp", "free.inp"):
        shutil.copy(source / name, tmp_path)
    (tmp_path / "clamped.inp").write_text(CLAMPED)
    run(tmp_path, "free")
    run(tmp_path, "clamped")
    printed = [float(x) for x in re.findall(r"^\s+\d+\s+(\S+)", (tmp_path / "clamped.dat").read_text(), re.MULTILINE)]

    block = read(tmp_path / "free.inp", {"start": "ROOT", "tip": 128})
    assert isinstance(block, ImportedStructure)
    assert block.report.warnings == ()
    squares = (2.0 * np.pi * block.report.held_frequencies) ** 2
    np.testing.assert_allclose(squares[:6], printed[:6], rtol=2e-6)

    body = block.reduce("cantilever", 3)
    mech = supple.Mechanism("hinged block")
    mech.add_body("block", body, joint=supple.Revolute("y"))
    result = supple.simulate(mech.build(), 0.2, samples=5)
    arm = body.inertia[1, 1] + body.mass * 0.25
    rate = body.mass * 9.81 * 0.5 / arm
    assert float(result.q[-1, 0]) == pytest.approx(rate * 0.2**2 / 2.0, rel=0.01)
    assert 0.0 < np.abs(result.q[:, 1:]).max() < 0.01
