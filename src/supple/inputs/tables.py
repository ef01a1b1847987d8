"""Values over time from a table: linear between its times, smooth, or held.

A run stops at every time of a table. So its equations know one piece alone, a polynomial whose coefficients are held
values that change at those times: tables may be long, and other numbers need no other code.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.errors import PhysicsWarning, StateError, warn
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr

Floats = NDArray[np.float64]
KINDS = ("linear", "cubic", "pchip", "hold")
OVERSHOOT = 0.1
"""Overshoot of a cubic between two values, relative to the range of all, that is worth a warning."""


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A function of time given by points; before the first and after the last the value stays.

    Parameters
    ----------
    times : (n,) array_like
        Increasing, s.
    values : (n,) array_like
    kind : str
        "linear"; "pchip", a smooth curve that is at rest at both ends and never leaves the range of neighbouring
        values, with accelerations that jump; "cubic", a spline that is at rest there too, with continuous
        accelerations, which may go beyond the values; "hold", each value until the next time.

    Warns
    -----
    PhysicsWarning
        Where a cubic goes far beyond the values on both sides.
    """

    times: ArrayLike
    values: ArrayLike
    kind: str = "linear"

    def __post_init__(self) -> None:
        try:
            times, values = (np.array(x, dtype=float, ndmin=1) for x in (self.times, self.values))
        except (TypeError, ValueError, OverflowError):
            raise StateError("table: expected numbers as times and values, got others") from None
        if times.ndim != 1 or times.shape != values.shape or len(times) < 2:
            raise StateError(f"table: expected as many values as times, two or more, got {values.shape}, {times.shape}")
        if not (np.isfinite(times).all() and np.isfinite(values).all()):
            raise StateError("table: expected finite numbers, got NaN or infinity")
        if not (np.diff(times) > 0).all():
            i = int(np.flatnonzero(np.diff(times) <= 0)[0])
            raise StateError(f"table: expected increasing times, got {times[i + 1]:g} after {times[i]:g}")
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise StateError(f"table: kind: expected one of {', '.join(KINDS)}, got {self.kind!r}")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)
        if self.kind == "cubic":
            self._warn_of_overshoot(times, values)

    def _warn_of_overshoot(self, times: Floats, values: Floats) -> None:
        """Warn if the spline goes far beyond the values on both sides."""
        spline = self.polynomial()
        extremes = spline.derivative().roots(extrapolate=False)
        extremes = extremes[np.isfinite(extremes)]
        if not len(extremes):
            return
        i = np.clip(np.searchsorted(times, extremes, side="right") - 1, 0, len(times) - 2)
        low, high = np.minimum(values[i], values[i + 1]), np.maximum(values[i], values[i + 1])
        reached = spline(extremes)
        beyond = np.maximum(reached - high, low - reached)
        worst = int(beyond.argmax())
        if beyond[worst] > OVERSHOOT * np.ptp(values):
            between = f"between {values[i[worst]]:g} at {times[i[worst]]:g} s and {values[i[worst] + 1]:g}"
            warn(
                f"table: the cubic goes to {reached[worst]:.4g} at {extremes[worst]:.4g} s, {between} at "
                f"{times[i[worst] + 1]:g} s; kind 'pchip' stays between the values",
                PhysicsWarning,
            )

    def __repr__(self) -> str:
        content = np.stack([np.asarray(self.times), np.asarray(self.values)]).tobytes()
        return f"Table({len(self.breaks)} points, {self.kind!r}, {hashlib.sha256(content).hexdigest()[:16]})"

    @property
    def breaks(self) -> Floats:
        """Times at which a derivative jumps."""
        return np.asarray(self.times)

    def polynomial(self) -> scipy.interpolate.PPoly:
        """The function between the first and the last time, piece by piece."""
        t, x = np.asarray(self.times), np.asarray(self.values)
        if self.kind == "cubic":
            return scipy.interpolate.CubicSpline(t, x, bc_type="clamped")
        if self.kind == "pchip":
            slopes = scipy.interpolate.PchipInterpolator(t, x).derivative()(t)
            slopes[[0, -1]] = 0.0  # the values outside stay; a piece with one slope zero is still monotone
            return scipy.interpolate.CubicHermiteSpline(t, x, slopes)
        slope = np.diff(x) / np.diff(t) if self.kind == "linear" else np.zeros(len(t) - 1)
        return scipy.interpolate.PPoly(np.stack([slope, x[:-1]]), t)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of what a piece is given by: its first time, and the coefficients, highest power first."""
        return "start", *(f"c{i}" for i in reversed(range(self.order)))

    @property
    def order(self) -> int:
        """Coefficients of a piece."""
        return {"linear": 2, "cubic": 4, "pchip": 4, "hold": 1}[self.kind]

    @cached_property
    def pieces(self) -> Floats:
        """(n + 1, 1 + order): the numbers of every piece, the constant ones before and after included."""
        p = self.polynomial()
        out = np.zeros((len(p.x) + 1, 1 + self.order))
        out[:, 0] = [p.x[0], *p.x]
        out[1:-1, 1:] = p.c[-self.order :].T
        out[[0, -1], -1] = np.asarray(self.values)[[0, -1]]
        return out

    def piece(self, t: float) -> Floats:
        """The numbers of the piece that begins at or before a time."""
        found: Floats = self.pieces[int(np.searchsorted(self.breaks, t, side="right"))]
        return found

    def written_out(self, t: Expr, derivative: int = 0) -> Expr:
        """The value, or a derivative by time, as a node of the time alone: all pieces in one sum.

        Each piece adds what it changes, and nothing more once it is over. Derivatives that jump have the mean of both
        sides where they do.
        """
        g, total = t.graph, t.graph.constant(float(self.pieces[0, -1]) if derivative == 0 else 0.0)
        x, begun = np.asarray(self.times), [g.sign(t - float(b)) for b in self.breaks]
        if self.kind == "hold":
            changes = np.diff(np.asarray(self.values)) if derivative == 0 else ()
            return sum((0.5 * float(c) * (1 + step) for c, step in zip(changes, begun[1:], strict=False)), total)
        for i, piece in enumerate(self.pieces[1:-1]):
            inside = g.function("min", g.function("max", t, g.constant(x[i])), g.constant(x[i + 1]))
            c = [g.constant(v) for v in (*piece[:-1], piece[-1] if derivative else 0.0)]
            own = self.node(inside, np.array(c, dtype=object), derivative)
            total = total + (own if derivative == 0 else 0.5 * (begun[i] - begun[i + 1]) * own)
        return total

    def node(self, t: Expr, piece: Nodes, derivative: int = 0) -> Expr:
        """The value, or a derivative by time, as a node of the time and the numbers of the piece that holds now."""
        s = t - piece[0]
        total: Expr = t.graph.zero
        for power, c in zip(reversed(range(self.order)), piece[1:], strict=True):
            if power >= derivative:
                total = total * s + math.perm(power, derivative) * c
        return total
