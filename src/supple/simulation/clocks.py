"""When laws jump: breaks of tables, jumps of formulas of the time, and ticks of the clocks of sampled controllers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.inputs.run_requirements import require_resolved_rates
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.horizon import Horizon
from supple.simulation.time_jumps import TimeJumps

Vector = NDArray[np.float64]


def jumps_with_time(system: DrivenSystem) -> bool:
    """Whether a formula of the laws may jump at a time, as that of step(t - 5) does."""
    return _formulas(system, Horizon()).found


def _formulas(system: DrivenSystem, horizon: Horizon) -> TimeJumps:
    return TimeJumps(system.laws_equations.function, system.inputs, horizon.interval)


class Clocks:
    """The times at which a law is not smooth.

    Parameters
    ----------
    system : DrivenSystem
    t : float
        The present time; all clocks have just ticked.
    horizon : Horizon
        Says which times are one, and how closely formulas of the time are looked at.

    Attributes
    ----------
    ticks : dict of float to int
        By sample rate, the number of the next tick.
    """

    def __init__(self, system: DrivenSystem, t: float, horizon: Horizon) -> None:
        require_resolved_rates(horizon.duration, system.inputs.sample_rates)
        self._system, self._close = system, horizon.close
        self._formulas = _formulas(system, horizon)
        self._formula_jump = np.inf
        self._breaks = system.inputs.breaks
        self.ticks = {rate: int(np.floor((t + self._close) * rate)) + 1 for rate in system.inputs.sample_rates}

    @property
    def jump_places(self) -> set[int]:
        """Places of the held values on which the times depend at which formulas jump."""
        return self._formulas.jump_places

    def begin(self, t: float, u: Vector) -> float:
        """Return the time from which to continue: where a formula jumps, just behind that."""
        return self._formulas.begin(t, u)

    def next_jump(self, t: float, u: Vector, goal: float = np.inf) -> float:
        """The first jump after a time, formulas followed up to a goal; infinite if there is none."""
        later = self._breaks[self._breaks > t + self._close]
        first = min([np.inf, *later[:1], *(n / rate for rate, n in self.ticks.items())])
        self._formula_jump = self._formulas.next(t, u, min(first, goal))
        return min(first, self._formula_jump)

    def is_jump(self, t: float) -> bool:
        """Whether a law jumps at a time."""
        ticks = any(abs(n / rate - t) <= self._close for rate, n in self.ticks.items())
        return ticks or t == self._formula_jump or bool((np.abs(self._breaks - t) <= self._close).any())

    def jump(self, t: float, y: Vector, u: Vector) -> None:
        """Let tables turn and clocks tick at a time; held values go into u."""
        self._system.inputs.turn(t + self._close, u)
        for rate, n in self.ticks.items():
            if n / rate <= t + self._close:
                self._system.tick(rate, t, y, u)
                self.ticks[rate] = n + 1
