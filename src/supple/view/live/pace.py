"""Keeping a simulation in step with the clock."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

FRAME = 1.0 / 30.0
"""Seconds of real time that a frame should take."""
SHORTEST, LONGEST = FRAME / 16.0, FRAME * 4.0
"""Frames that are computed at a time when that takes long, s of real time."""
MANY = 200
"""Steps in `FRAME` beyond which shorter frames cost less; with fewer the price of one is mostly the call itself."""
LAG = 0.1
"""Delay that is made up for, s; a longer one is forgotten."""


class Pace:
    """How long frames are, when the next is due, and how fast time has gone lately.

    A frame of many steps that takes too long is followed by shorter ones, so that pictures keep coming; one of few
    steps by longer ones, so that time keeps going.

    Parameters
    ----------
    clock : function
        Seconds of real time.

    Attributes
    ----------
    frame : float
        Real time that the next frame stands for, s.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.frame = FRAME
        self._due = self._began = clock()
        self._marks: deque[tuple[float, float, float]] = deque(maxlen=31)

    @property
    def achieved(self) -> float | None:
        """Simulated over real time of the last second or so; None when that is not known yet."""
        if len(self._marks) < 3:
            return None
        (wall0, t0, _), (wall1, t1, _) = self._marks[0], self._marks[-1]
        return (t1 - t0) / (wall1 - wall0) if wall1 > wall0 else None

    def pause(self) -> None:
        """Forget what was: nothing is due."""
        self._marks.clear()

    def begin(self, t: float, speed: float) -> None:
        """Note that a frame begins at the simulated time t."""
        self._began = self._clock()
        if self._marks and (t < self._marks[-1][1] or speed != self._marks[-1][2]):
            self._marks.clear()
        if not self._marks:
            self._due = self._began
            self._marks.append((self._began, t, speed))

    def end(self, t: float, speed: float, steps: int) -> float:
        """Note that it has ended at the simulated time t after some steps; the seconds to wait before the next."""
        now = self._clock()
        cost, stood_for = now - self._began, max(t - self._marks[-1][1], 0.0) / speed
        self._marks.append((now, t, speed))
        dense = steps * FRAME > MANY * self.frame
        if dense and cost > 2.0 * FRAME:
            self.frame = max(self.frame / 2.0, SHORTEST)
        elif not dense and cost > self.frame:
            self.frame = min(self.frame * 2.0, LONGEST)
        elif self.frame < FRAME and cost < 0.75 * FRAME:
            self.frame *= 2.0
        elif self.frame > FRAME and cost < 0.4 * self.frame:
            self.frame /= 2.0
        self._due += stood_for
        if self._due < now - LAG:
            self._due = now
        return max(0.0, self._due - now)
