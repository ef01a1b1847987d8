"""What laws make of a state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Nodes
from supple.expressions.graph import Expr


def none() -> Nodes:
    """No nodes."""
    return np.zeros(0, dtype=object)


@dataclass(frozen=True)
class Applied:
    """What the laws make of a state, as nodes.

    Attributes
    ----------
    q, v : arrays
        The state, prescribed entries replaced by what they must be.
    drive : array (nv,)
        Forces, or accelerations where `given`.
    given : array (nv,) of bool
    z_rate : array (nz,)
        Rates of the integrals, without that of the work.
    unlocked : array (nv,)
        Forces of the laws also where a degree of freedom is locked.
    wrench : array (6 m,)
        Wrenches at frames, along the axes of their laws.
    pull : array (nv,)
        What they do to the speeds, J* F, which is part of `drive` and `unlocked`; none before they act.
    on_bodies : array (6 bodies,)
        What they do to each body, in its axes at its origin; none before they act.
    ticks : dict of float to dict of int to Expr
        For each sample rate what the held values become at a tick.
    """

    q: Nodes
    v: Nodes
    drive: Nodes
    given: NDArray[np.bool_]
    z_rate: list[Expr]
    unlocked: Nodes
    wrench: Nodes
    pull: Nodes = field(default_factory=none)
    on_bodies: Nodes = field(default_factory=none)
    ticks: dict[float, dict[int, Expr]] = field(default_factory=dict)

    def acting(self, pull: Nodes, on_bodies: Nodes) -> Applied:
        """The same with the wrenches at work."""
        drive = np.where(self.given, self.drive, self.drive + pull)
        return replace(self, drive=drive, unlocked=self.unlocked + pull, pull=pull, on_bodies=on_bodies.reshape(-1))
