"""Values over time from a table: linear between its times, smooth, or held."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import interpolate

from supple.errors import StateError
from supple.symbolic.graph import Expr

Floats = NDArray[np.float64]
KINDS = ("linear", "cubic", "hold")


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A function of time given by points; before the first and after the last the value stays.

    Parameters
    ----------
    times : (n,) array_like
        Increasing, s.
    values : (n,) array_like
    kind : str
        "linear"; "cubic", a spline that is at rest at both ends; "hold", each value until the next time.
    """

    times: ArrayLike
    values: ArrayLike
    kind: str = "linear"

    def __post_init__(self) -> None:
        times, values = (np.array(x, dtype=float, ndmin=1) for x in (self.times, self.values))
        if times.ndim != 1 or times.shape != values.shape or len(times) < 2:
            raise StateError(f"table: expected as many values as times, two or more, got {values.shape}, {times.shape}")
        if not (np.isfinite(times).all() and np.isfinite(values).all()):
            raise StateError("table: expected finite numbers, got NaN or infinity")
        if not (np.diff(times) > 0).all():
            i = int(np.flatnonzero(np.diff(times) <= 0)[0])
            raise StateError(f"table: expected increasing times, got {times[i + 1]:g} after {times[i]:g}")
        if self.kind not in KINDS:
            raise StateError(f"table: kind: expected one of {', '.join(KINDS)}, got {self.kind!r}")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        content = np.stack([np.asarray(self.times), np.asarray(self.values)]).tobytes()
        return f"Table({len(self.breaks)} points, {self.kind!r}, {hashlib.sha256(content).hexdigest()[:16]})"

    @property
    def breaks(self) -> Floats:
        """Times at which a derivative jumps."""
        return np.asarray(self.times)

    def polynomial(self) -> interpolate.PPoly:
        """The function between the first and the last time, piece by piece."""
        t, x = np.asarray(self.times), np.asarray(self.values)
        if self.kind == "cubic":
            return interpolate.CubicSpline(t, x, bc_type="clamped")
        slope = np.diff(x) / np.diff(t) if self.kind == "linear" else np.zeros(len(t) - 1)
        return interpolate.PPoly(np.stack([slope, x[:-1]]), t)

    def node(self, t: Expr, derivative: int = 0) -> Expr:
        """The value, or a derivative by time, as a node.

        A piece adds its own growth while t passes it, and nothing after: x_0 + sum of p_i(clip(t - t_i, 0, h_i)). Where
        the derivative jumps from piece to piece, the jump is added when its time has come.
        """
        graph = t.graph
        pieces = self.polynomial().derivative(derivative) if derivative else self.polynomial()
        least = 1e-12 * max(np.abs(pieces.c[-1]).max(), 1e-300)
        end = 0.0 if derivative else float(pieces.c[-1, 0])  # nothing moves before the first time
        total = graph.constant(end)
        for start, h, c in zip(pieces.x, np.diff(pieces.x), pieces.c.T, strict=False):
            if abs(c[-1] - end) > least:
                total = total + (c[-1] - end) * _passed(t - start)
            s = graph.function("min", graph.function("max", t - start, graph.zero), graph.constant(h))
            growth = graph.zero
            for factor in c[:-1]:
                growth = (growth + factor) * s
            total = total + growth
            end = float(np.polyval(c, h))
        last = 0.0 if derivative else float(np.asarray(self.values)[-1])
        return total + (last - end) * _passed(t - pieces.x[-1]) if abs(last - end) > least else total


def _passed(x: Expr) -> Expr:
    """0 before x = 0, 1 from there on."""
    sign = x.graph.function("sign", x)
    return x.graph.function("min", 1 + sign, x.graph.one)
