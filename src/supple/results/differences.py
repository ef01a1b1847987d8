"""How far two runs are apart, signal by signal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.errors import StateError
from supple.results.signals import Signal

SAME = 1e-9
"""Times are the same that differ by no more than this share of the common span."""
ENOUGH = 0.5
"""Share of the sparser run's samples that both must have for nothing to be interpolated."""


@dataclass(frozen=True, eq=False)
class Instants:
    """Where two runs are compared.

    Attributes
    ----------
    t : (n,) array
        s.
    first, second : (n,) array of int, or None
        The samples of each run at these times; None for a run that is interpolated.
    """

    t: Floats
    first: Ints | None
    second: Ints | None

    @property
    def interpolated(self) -> bool:
        """Whether one of the runs has no samples at these times."""
        return self.first is None or self.second is None


@dataclass(frozen=True, eq=False)
class Difference:
    """A signal of a run less that of the run it is compared with.

    Attributes
    ----------
    name, unit : str
    t, values : (n,) array
    largest : float
        The largest absolute value.
    at : float
        When, s.
    share : float
        The same, as a share of the range of both runs; 0 where they are equal.
    """

    name: str
    unit: str
    t: Floats
    values: Floats
    largest: float
    at: float
    share: float

    @property
    def words(self) -> str:
        """The largest difference in words.

        >>> Difference("q.arm.angle", "rad", np.zeros(1), np.zeros(1), 0.25, 1.5, 0.1).words
        'at most 0.25 rad, at t = 1.5 s; 10 % of the range'
        """
        if not np.isfinite(self.largest):
            return "no numbers to compare"
        if self.largest == 0:
            return "no difference"
        unit = f" {self.unit}" if self.unit else ""
        return f"at most {self.largest:.4g}{unit}, at t = {self.at:.6g} s; {100 * self.share:.3g} % of the range"


def common_instants(first: Floats, second: Floats) -> Instants:
    """The times at which two runs, sampled at `first` and `second`, are compared: those that both have.

    If these are few, all times of the sparser run in the span that both cover; the other one is then interpolated.
    """
    if not (len(first) and len(second)):
        raise StateError("expected runs with times, got one without")
    start, end = max(first[0], second[0]), min(first[-1], second[-1])
    if not start < end:
        raise StateError(
            f"expected runs with a common span of time, got {first[0]:g} to {first[-1]:g} s and "
            f"{second[0]:g} to {second[-1]:g} s"
        )
    room = SAME * (end - start)
    inside = [np.flatnonzero((t >= start - room) & (t <= end + room)) for t in (first, second)]
    near = np.clip(np.searchsorted(second, first[inside[0]] - room), 0, len(second) - 1)
    same = np.abs(second[near] - first[inside[0]]) <= room
    if same.sum() >= max(2, ENOUGH * min(map(len, inside))):
        return Instants(first[inside[0]][same], inside[0][same], near[same])
    if len(inside[0]) <= len(inside[1]):
        return Instants(first[inside[0]], inside[0], None)
    return Instants(second[inside[1]], None, inside[1])


def difference(instants: Instants, first: tuple[Floats, Signal], second: tuple[Floats, Signal]) -> Difference:
    """The second of two signals, each with its times, less the first."""
    (t1, a), (t2, b) = first, second
    x, y = _at(instants.t, instants.first, t1, a.values), _at(instants.t, instants.second, t2, b.values)
    gap = y - x
    size = np.abs(gap)
    known = np.isfinite(size)
    if not known.any():
        return Difference(a.name, a.unit, instants.t, gap, np.nan, np.nan, np.nan)
    i = int(np.argmax(np.where(known, size, -1.0)))
    both = np.concatenate([x[known], y[known]])
    span = max(float(np.ptp(both)), float(np.finfo(float).tiny))
    share = float(size[i]) / span if size[i] else 0.0
    return Difference(a.name, a.unit, instants.t, gap, float(size[i]), float(instants.t[i]), share)


def _at(t: Floats, samples: Ints | None, own: Floats, values: Floats) -> Floats:
    """A signal at some times: its samples there, or a cubic spline through all of them."""
    if samples is not None:
        return values[samples]
    kept = np.concatenate([[True], np.diff(own) > 0])  # an event may be sampled twice
    return np.asarray(scipy.interpolate.CubicSpline(own[kept], values[kept])(t))
