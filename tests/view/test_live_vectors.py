"""The live page of systems of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.files import read
from supple.view.live.pace import FRAME
from supple.view.live.session import LiveSession

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["bicycle", "vehicle_with_suspension"])
def test_a_system_of_vectors_moves_on_the_page(name: str) -> None:
    contents = read(EXAMPLES / f"{name}.toml")
    session = LiveSession(contents.model, contents.run_arguments())
    handles = [x.name for x in session.configuration.sliders]
    assert "time" not in handles
    assert {"lean"} <= set(handles) or {"heave"} <= set(handles)
    assert "grips" not in session.data
    session.live.advance()
    assert session.live.error == ""
    assert session.live.t == FRAME
    first = session.live.motion.file_start[0]
    later = contents.model.integrate(first, np.ones(contents.model.nv), 0.1)
    shown = session.drawn(np.stack([first, later]))
    assert shown.shape == (2, session.stage.model.nq)
    assert np.abs(shown[1] - shown[0]).max() > 0.01
    assert np.isfinite(session.stage.joints(shown)).all()
