"""One step of the explicit integrators, by formulas that take nodes and numbers alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from supple.expressions.function import Nodes


class Stepping(Protocol):
    """What the formulas of a step ask for: of a trace on nodes, or of a model on numbers."""

    @property
    def model(self) -> Any:
        """Whose speeds are counted."""
        ...

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds."""
        ...

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        ...


Accelerate = Callable[[float, Nodes, Nodes], Nodes]
"""Rates of the speeds (and of what is integrated beside them) at a fraction of the step, for coordinates and speeds."""


def _semi_implicit_euler(t: Stepping, q: Nodes, w: Nodes, dt: Any, accelerate: Accelerate) -> tuple[Nodes, Nodes]:
    """Speeds first, then coordinates with the new speeds."""
    w = w + dt * accelerate(0.0, q, w)
    return t.advanced(q, w[: t.model.nv], dt), w


def _leapfrog(t: Stepping, q: Nodes, w: Nodes, dt: Any, accelerate: Accelerate) -> tuple[Nodes, Nodes]:
    """Half a step of the coordinates, a whole one of the speeds, the other half; of second order.

    The forces are those of the speeds in the middle, found in two rounds; what depends on the configuration alone is
    the same in both and there once. Stable up to a step of 2 over the highest angular frequency, at a third of the
    price of rk4.
    """
    n = t.model.nv
    q = t.advanced(q, w[:n], 0.5 * dt)
    middle = w + 0.5 * dt * accelerate(0.5, q, w)
    w = w + dt * accelerate(0.5, q, middle)
    return t.advanced(q, w[:n], 0.5 * dt), w


def _rk4(t: Stepping, q: Nodes, w: Nodes, dt: Any, accelerate: Accelerate) -> tuple[Nodes, Nodes]:
    """The classical step on coordinates and speeds; quaternions are brought back to unit length."""
    n, q_0, w_0 = t.model.nv, q, w
    slopes = []
    for fraction, weight in ((0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, None)):
        dq, dw = t.rates(q, w[:n]), accelerate(fraction, q, w)
        slopes.append((dq, dw))
        if weight is not None:
            q, w = q_0 + weight * dt * dq, w_0 + weight * dt * dw
    total_q, total_w = (a + 2 * (b + c) + d for a, b, c, d in zip(*slopes, strict=True))
    q, w = q_0 + dt / 6 * total_q, w_0 + dt / 6 * total_w
    for i in t.model.quaternions:
        length = np.sqrt(sum(x * x for x in q[i : i + 4]))
        q[i : i + 4] = q[i : i + 4] / length
    return q, w


STEPS = {"rk4": _rk4, "semi_implicit_euler": _semi_implicit_euler, "leapfrog": _leapfrog}
"""Integrators that are traced as one step."""
