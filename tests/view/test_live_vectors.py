"""The live page of systems of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.files import read
from supple.view.live_page import LivePage

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["bicycle", "vehicle_with_suspension"])
def test_a_system_of_vectors_moves_on_the_page(name: str) -> None:
    contents = read(EXAMPLES / f"{name}.toml")
    start = {key: x for key, x in contents.run_arguments().items() if key in ("q", "v")}
    page = LivePage(contents.model, start)
    try:
        handles = [handle.name for handle in page.configuration.handles]
        assert "time" not in handles
        assert {"lean"} <= set(handles) or {"heave"} <= set(handles)
        first = page.live.file_start.q
        later = contents.model.integrate(first, np.ones(contents.model.nv), 0.1)
        shown = page._drawn(np.stack([first, later]))
        assert shown.shape == (2, page.stage.model.nq)
        assert np.abs(shown[1] - shown[0]).max() > 0.01
        poses = page.stage.joints(shown)
        assert np.isfinite(poses).all()
    finally:
        page.close()
