"""Which speeds stay as they are when closed loops are kept closed in independent coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.model.loops.loops import Loops
from supple.model.loops.partitioning import condition, partition

Vector = NDArray[np.float64]
WORN = 0.1
"""Share of its condition when it was made, below which a choice of independent speeds is made anew."""


class IndependentSpeeds:
    """The choice of independent speeds, made anew where it has become a bad one.

    Parameters
    ----------
    loops : Loops

    Attributes
    ----------
    choices : list of (float, list of int)
        Times at which a choice was made, and the speeds.
    condition : float
        Of the last choice when it was made.
    """

    def __init__(self, loops: Loops) -> None:
        self._loops = loops
        self.choices: list[tuple[float, list[int]]] = []
        self.condition = 0.0

    def on(self, loops: Loops) -> IndependentSpeeds:
        """The same choices for loops with other numbers."""
        out = IndependentSpeeds(loops)
        out.choices, out.condition = self.choices, self.condition
        return out

    @property
    def present(self) -> tuple[int, ...]:
        """The speeds of the last choice."""
        return tuple(self.choices[-1][1] if self.choices else ())

    def update(self, t: float, q: Vector, prescribed: NDArray[np.bool_]) -> None:
        """Keep the choice, unless it has become a bad one at this configuration."""
        if self.choices and condition(self._loops, q, prescribed, self._mask()) >= WORN * self.condition:
            return
        free = partition(self._loops, q, prescribed).moving.tolist()
        if not self.choices or free != self.choices[-1][1]:
            self.choices.append((t, free))
        self.condition = condition(self._loops, q, prescribed, self._mask())

    def _mask(self) -> NDArray[np.bool_]:
        out = np.zeros(self._loops.model.nv, dtype=bool)
        out[list(self.present)] = True
        return out
