"""Stops of joints."""

from __future__ import annotations

from dataclasses import dataclass

from supple.call_checks import checked
from supple.checks import is_number
from supple.errors import StateError


@checked
@dataclass(frozen=True)
class Limit:
    """Stops of a joint: its coordinate stays between them.

    A joint that meets a stop is thrown back with `restitution` times its speed, by an impulse that all bodies feel.
    Where it comes to rest it is held by the stop as long as the stop pushes. Closed loops stay closed in an impulse.

    Parameters
    ----------
    coordinate : str
    lower, upper : float, optional
    restitution : float
        0 ... 1.
    """

    coordinate: str
    lower: float | None = None
    upper: float | None = None
    restitution: float = 0.0

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "restitution"):
            x = getattr(self, name)
            if not (is_number(x) or (x is None and name != "restitution")):
                raise StateError(f"limit of {self.coordinate!r}: {name}: expected a finite number, got {x!r}")
        if self.lower is None and self.upper is None:
            raise StateError(f"limit of {self.coordinate!r}: expected lower, upper or both, got neither")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise StateError(f"limit of {self.coordinate!r}: expected lower < upper, got {self.lower}, {self.upper}")
        if not 0 <= self.restitution <= 1:
            raise StateError(
                f"limit of {self.coordinate!r}: restitution: expected a number from 0 to 1, got {self.restitution}"
            )
