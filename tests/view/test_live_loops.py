"""A closed mechanism moved by hand: its loops stay closed."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.checks import Floats
from supple.view.live.simulation import Live
from support.mechanisms.closed_mechanisms import slider_crank


def turned(angle: float) -> object:
    def change(q: Floats) -> Floats:
        return np.array([angle, *q[1:]])

    return change


def test_the_start_and_every_posture_are_closed() -> None:
    model = slider_crank()
    assert model.loops is not None
    live = Live(model, q={"crank.angle": 0.7}, v={"crank.angle": 2.0}, guess={"slider.position": 1.2})
    q, v = live.motion.file_start
    assert q[0] == 0.7
    assert v[0] == 2.0
    assert np.abs(model.loops.errors(q, v)).max() < 1e-9

    live.set_configuration(turned(1.9))  # type: ignore[arg-type]
    _, (frame,), _ = live.news(-1, -1, 0.0) or (0, [], {})
    assert frame.q[0] == pytest.approx(1.9)
    assert np.abs(model.loops.errors(frame.q)[0]).max() < 1e-9
    assert abs(frame.q[2] - q[2]) > 0.1

    live.run(True)
    live.advance()
    _, frames, status = live.news(-1, -1, 0.0) or (0, [], {})
    assert status["error"] == ""
    assert frames[-1].t > 0
    assert np.abs(model.loops.errors(frames[-1].q)[0]).max() < 1e-9


def test_a_posture_that_opens_the_loops_is_refused() -> None:
    live = Live(slider_crank(), guess={"slider.position": 1.2})
    with pytest.raises(supple.AssemblyError, match="'pin'"):
        live.set_configuration(lambda q: np.array([*q[:2], 5.0]))
