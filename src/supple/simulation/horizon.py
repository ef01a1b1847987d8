"""How long a run is expected to be, and how often it is looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import is_number
from supple.errors import StateError
from supple.inputs.run_requirements import CLOSE

MAX_SAMPLES = 1_000_000_000
"""Output times that fit into memory as numbers."""


@checked
@dataclass(frozen=True)
class Horizon:
    """The expected duration of a run and its output times.

    A simulator chooses its integrator by it, looks for events at least once an output interval, and takes times that
    differ by 1e-12 of the duration for one. It may be advanced beyond.

    Parameters
    ----------
    duration : float
        Seconds.
    samples : int
        Output times, both ends included.

    Examples
    --------
    >>> Horizon(2.0, samples=5).times()
    array([0. , 0.5, 1. , 1.5, 2. ])
    """

    duration: float = 10.0
    samples: int = 201

    def __post_init__(self) -> None:
        if not (is_number(self.duration) and self.duration > 0):
            raise StateError(f"duration: expected a positive number, got {self.duration!r}")
        whole = isinstance(self.samples, int | np.integer) and not isinstance(self.samples, bool)
        if not whole or self.samples < 2:
            raise StateError(f"samples: expected at least 2, got {self.samples!r}")
        if self.samples > MAX_SAMPLES:
            raise StateError(f"samples: expected at most {MAX_SAMPLES:,}, got {self.samples!r:.60}")

    @property
    def interval(self) -> float:
        """Between output times, s."""
        return self.duration / (self.samples - 1)

    @property
    def close(self) -> float:
        """Times that differ by no more are one, s."""
        return CLOSE * self.duration

    def times(self) -> NDArray[np.float64]:
        """Output times (samples,), s."""
        return np.linspace(0.0, self.duration, self.samples)
