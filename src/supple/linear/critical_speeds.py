"""Speeds at which a mode has a whole multiple of the frequency of the rotation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from supple.linear.rotor_modes import RotorState, Sweep
from supple.linear.start import Floats
from supple.linear.tracking import Tracks
from supple.linear.whirl import Whirl

LOCKED = 1e-7
"""Difference from the multiple, relative to it, which is none."""
SAME = 1e-5
"""Difference of two critical speeds, relative to them, which is one of rounding: eigenvalues are near zero there."""
BISECTIONS = 30
EXACT = 1e-9
"""Length of an interval of speeds, as a share of a step of the sweep, that is not divided further."""


class Crossing(NamedTuple):
    """A critical speed: mode and order by number, speed in rad/s, sense of the whirl there."""

    mode: int
    order: int
    speed: float
    whirl: int


def critical_speeds(
    sweep: Sweep,
    states: Sequence[RotorState],
    tracks: Sequence[Tracks],
    frame: str,
    orders: Sequence[int],
    kept: Sequence[int],
) -> list[Crossing]:
    """Crossings of kept modes with multiples of the rotation, by order and speed; found again between the states.

    Where a mode stays on a multiple over a range of speeds, these are the ends of the range.
    """
    speeds = np.array([abs(sweep.speed(state)) for state in states])
    out = []
    for number, track in enumerate(kept):
        w = np.array([_frequency(state.whirl, frame, t.places[track]) for state, t in zip(states, tracks, strict=True)])
        for order in orders:
            side = _side(w, order * speeds)
            found: list[Crossing] = []
            for i in map(int, np.flatnonzero(side[1:] != side[:-1])):
                if np.isnan(side[i] + side[i + 1]) or (speeds[i] == 0 and w[i] == 0):
                    continue
                difference = _difference(sweep, states[i], tracks[i], track, frame, order)
                speed, sense = _refined(difference, i, side[i : i + 2])
                sense = sense or _sense(states[i].whirl, tracks[i].places[track])
                if found and speed - found[-1].speed < SAME * speed:  # a state of the sweep is just there
                    last = found.pop()
                    speed, sense = (speed + last.speed) / 2, sense or last.whirl
                found.append(Crossing(number, order, speed, sense))
            out += found
    return sorted(out, key=lambda c: (c.order, c.speed))


def _frequency(whirl: Whirl, frame: str, place: int) -> float:
    return float(getattr(whirl, frame)[place]) if place >= 0 else np.nan


def _sense(whirl: Whirl, place: int) -> int:
    return int(whirl.sense[place]) if place >= 0 else 0


def _side(w: Floats, multiple: Floats) -> Floats:
    """1 above the multiple, -1 below, 0 on it."""
    out: Floats = np.where(np.abs(w - multiple) <= LOCKED * multiple, 0.0, np.sign(w - multiple))
    return np.where(np.isnan(w), np.nan, out)


Difference = Callable[[float], tuple[float, float, int]]


def _difference(sweep: Sweep, state: RotorState, tracks: Tracks, track: int, frame: str, order: int) -> Difference:
    """Frequency less the multiple, speed and sense of the whirl as functions of the place along the sweep."""

    def at(place: float) -> tuple[float, float, int]:
        other = sweep.state(place, state.q) if place != state.at else state
        found = tracks if place == state.at else sweep.follow(tracks, state, other)
        i = int(found.places[track])
        speed = abs(sweep.speed(other))
        w = _frequency(other.whirl, frame, i)
        return w - order * speed, speed, _sense(other.whirl, i)

    return at


def _refined(f: Difference, first: int, sides: Floats) -> tuple[float, int]:
    """Speed and sense of a crossing: by false position where the sign changes, else by halving."""
    low, high = float(first), float(first + 1)
    (a, speed, sense), (b, last, _) = f(low), f(high)
    smooth, size = bool(sides.all()), max(speed, last)
    for i in range(BISECTIONS):
        if high - low < EXACT:
            break
        straight = smooth and i % 3 < 2 and a * b < 0
        middle = low - a * (high - low) / (b - a) if straight else (low + high) / 2
        c, speed, sense = f(middle)
        if smooth and abs(c) <= EXACT * size:
            break
        on_first = np.sign(c) == sides[0] if smooth else (abs(c) > LOCKED * speed) == bool(sides[0])
        if on_first:
            low, a = middle, c
        else:
            high, b = middle, c
    return speed, sense
