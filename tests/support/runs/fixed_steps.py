"""Integration in a given number of steps: a motion that goes wrong ends as soon as one that goes right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def runge_kutta(slope: Callable[[Floats], Floats], start: Floats, step: float, steps: int) -> Floats:
    """States (steps + 1, n) of y' = slope(y), by the classical method of fourth order."""
    y = [np.asarray(start, dtype=float)]
    for _ in range(steps):
        k_1 = slope(y[-1])
        k_2 = slope(y[-1] + step / 2 * k_1)
        k_3 = slope(y[-1] + step / 2 * k_2)
        k_4 = slope(y[-1] + step * k_3)
        y.append(y[-1] + step / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4))
    return np.array(y)
