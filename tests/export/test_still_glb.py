"""Models that stand still as glTF files."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple

CART = Path(__file__).parents[2] / "examples" / "cart_pendulum.toml"


def document(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    size = struct.unpack("<I", content[12:16])[0]
    found: dict[str, Any] = json.loads(content[20 : 20 + size])
    return found


def test_bodies_stand_where_the_run_starts(tmp_path: Path) -> None:
    model = supple.files.read(CART).model
    found = document(supple.export.glb(model, tmp_path / "cart.glb", {"q": {"arm.angle": 0.7, "cart.position": 0.2}}))
    assert "animations" not in found
    nodes = {node["name"]: node for node in found["nodes"]}
    R, p = model.pose([0.2, 0.7], "arm")
    np.testing.assert_allclose(nodes["arm"]["translation"], p, atol=1e-12)
    np.testing.assert_allclose(Rotation.from_quat(nodes["arm"]["rotation"]).as_matrix(), R, atol=1e-12)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    model = supple.files.read(CART).model
    with pytest.raises(supple.StateError, match=r"export: expected a name that ends in \.glb, got"):
        supple.export.glb(model, tmp_path / "cart.png")
    with pytest.raises(supple.ResultsError, match=r"cart\.glb: cannot be written: No such file"):
        supple.export.glb(model, tmp_path / "nowhere" / "cart.glb")
    (tmp_path / "folder.glb").mkdir()
    with pytest.raises(supple.ResultsError, match=r"folder\.glb: cannot be written: Is a directory"):
        supple.export.glb(model, tmp_path / "folder.glb")
