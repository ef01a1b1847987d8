"""Keeping a simulation in step with the clock."""

from __future__ import annotations

import pytest

from supple.view.live.pace import FRAME, LONGEST, MANY, SHORTEST, Pace


class Clock:
    """Real time that goes as the test says."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def played(pace: Pace, clock: Clock, cost: float, steps: int, frames: int) -> float:
    """Simulated over real time of some frames that cost so much each."""
    t, began = 0.0, clock.now
    for _ in range(frames):
        pace.begin(t, 1.0)
        clock.now += cost
        t += pace.frame
        clock.now += pace.end(t, 1.0, steps)
    return t / (clock.now - began)


def test_time_keeps_step_with_the_clock() -> None:
    pace = Pace(clock := Clock())
    assert played(pace, clock, 0.01, 5, 100) == pytest.approx(1.0, rel=0.01)
    assert pace.achieved == pytest.approx(1.0, rel=0.05)
    assert pace.frame == FRAME


def test_dear_frames_become_shorter_or_longer_by_what_makes_them_dear() -> None:
    pace = Pace(clock := Clock())
    played(pace, clock, 0.5, MANY + 1, 20)
    assert pace.frame == SHORTEST
    assert pace.achieved is not None
    assert pace.achieved < 0.1
    played(pace, clock, 0.001, MANY + 1, 20)
    assert pace.frame == FRAME
    assert played(pace, clock, 0.05, 1, 50) == pytest.approx(1.0, rel=0.1)
    assert FRAME < pace.frame <= LONGEST
