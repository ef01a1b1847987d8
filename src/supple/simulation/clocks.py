"""When laws jump: breaks of tables, and ticks of the clocks of sampled controllers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.simulation.driven_system import DrivenSystem

Vector = NDArray[np.float64]


class Clocks:
    """The times at which a law is not smooth.

    Parameters
    ----------
    system : DrivenSystem
    t : float
        The present time; all clocks have just ticked.
    close : float
        Times that differ by no more are one, s.

    Attributes
    ----------
    ticks : dict of float to int
        By sample rate, the number of the next tick.
    """

    def __init__(self, system: DrivenSystem, t: float, close: float) -> None:
        self._system, self._close = system, close
        self._breaks = system.inputs.breaks
        self.ticks = {rate: int(np.floor((t + close) * rate)) + 1 for rate in system.inputs.sample_rates}

    def next_jump(self, t: float) -> float:
        """The first jump after a time; infinite if there is none."""
        later = self._breaks[self._breaks > t + self._close]
        return min([np.inf, *later[:1], *(n / rate for rate, n in self.ticks.items())])

    def is_jump(self, t: float) -> bool:
        """Whether a law jumps at a time."""
        ticks = any(abs(n / rate - t) <= self._close for rate, n in self.ticks.items())
        return ticks or bool((np.abs(self._breaks - t) <= self._close).any())

    def jump(self, t: float, y: Vector, u: Vector) -> None:
        """Let tables turn and clocks tick at a time; held values go into u."""
        self._system.inputs.turn(t + self._close, u)
        for rate, n in self.ticks.items():
            if n / rate <= t + self._close:
                self._system.tick(rate, t, y, u)
                self.ticks[rate] = n + 1
