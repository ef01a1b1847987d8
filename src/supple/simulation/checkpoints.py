"""What a simulator needs to go on from where it was, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any

from supple.errors import StateError


@dataclass(frozen=True)
class Checkpoint:
    """A simulator at one time; all of it can be written as JSON.

    Attributes
    ----------
    run : dict
        What makes it a checkpoint of one run and not of another.
    t, y, u : float, lists of float
        Time, state and held values.
    ended : bool
        Whether an event has ended the run.
    held : list of (int, float)
        Limits whose joint is held by a stop, and the side.
    ticks : list of int
        Number of the next tick, by clock.
    signs : list of float
        Sides on which the watched functions are.
    method : dict of name to list
        What the integrator keeps from segment to segment.
    first : list of two lists
        y and u from which the integrator was made.
    happened : list of (float, str)
        Events so far.
    effort : dict of name to int
        Steps and evaluations so far.
    partition : list, optional
        Choices of independent speeds so far, and the condition of the last.
    tangents : list
        How state and held values change with parameters; empty if that is not asked for.
    fmus : dict of name to dict
        States of FMUs by controller.
    still : list of int
        Events that have happened and whose functions stay at zero.
    """

    run: dict[str, Any]
    t: float
    y: list[float]
    u: list[float]
    ended: bool
    held: list[Any]
    ticks: list[int]
    signs: list[float]
    method: dict[str, list[float]]
    first: list[list[float]]
    happened: list[Any]
    effort: dict[str, int]
    partition: list[Any] | None
    tangents: list[Any]
    fmus: dict[str, Any]
    still: list[int] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)

    @classmethod
    def of(cls, x: Any) -> Checkpoint:
        """What `as_dict` gave, or the same read back from JSON."""
        names = {f.name for f in fields(cls)}
        needed = {f.name for f in fields(cls) if f.default_factory is MISSING}
        if not isinstance(x, Mapping) or not needed <= set(x) <= names:
            found = ", ".join(map(str, x)) if isinstance(x, Mapping) else type(x).__name__
            raise StateError(f"checkpoint: expected what Simulator.checkpoint gives, got {found}")
        return cls(**x)


def require_same_run(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse a checkpoint of another run."""
    for key, x in now.items():
        if earlier.get(key) != x:
            raise StateError(f"checkpoint: expected one of the same run: {key} was {earlier.get(key)!r}, is {x!r}")
