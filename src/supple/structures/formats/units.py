"""Units of files: what their numbers are worth in metres, kilograms and seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from supple.errors import ModelError, nearest

LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
MASSES = {
    "kg": 1.0,
    "t": 1e3,
    "g": 1e-3,
    "lb": 0.45359237,
    "slug": 14.593902937206364,
    "lbf s^2/in": 175.12683524647636,
}
"""kg; that of 1 lbf s^2/in is 0.45359237 x 9.80665 / 0.0254."""
TIMES = {"s": 1.0, "ms": 1e-3}
GivenUnits: TypeAlias = "str | Mapping[str, str] | None"


@dataclass(frozen=True)
class Units:
    """Of the numbers in a file; forces are in mass x length / time^2.

    Attributes
    ----------
    length, mass, time : str
        Names among `LENGTHS`, `MASSES`, `TIMES`.
    """

    length: str = "m"
    mass: str = "kg"
    time: str = "s"

    @property
    def metre(self) -> float:
        """Metres in a unit of length."""
        return LENGTHS[self.length]

    @property
    def kilogram(self) -> float:
        """Kilograms in a unit of mass."""
        return MASSES[self.mass]

    @property
    def second(self) -> float:
        """Seconds in a unit of time."""
        return TIMES[self.time]

    def __str__(self) -> str:
        return f"{self.length}, {self.mass}, {self.time}"


def units_of(given: GivenUnits) -> Units:
    """Units from "mm-t-s", from {"length": "mm", "mass": "t"}, or SI.

    >>> units_of("mm-t-s")
    Units(length='mm', mass='t', time='s')
    """
    if given is None:
        return Units()
    if isinstance(given, str):
        parts = given.split("-")
        if len(parts) != 3:
            raise ModelError(f"units: expected length, mass and time such as 'mm-t-s', got {given!r}")
        named = dict(zip(("length", "mass", "time"), parts, strict=True))
    elif isinstance(given, Mapping):
        named = dict(given)
    else:
        raise ModelError(f"units: expected 'mm-t-s' or a dict of length, mass and time, got {given!r}")
    known = {"length": LENGTHS, "mass": MASSES, "time": TIMES}
    for key, name in named.items():
        if key not in known:
            raise ModelError(f"units: no {key!r}{nearest(str(key), known)}")
        if name not in known[key]:
            raise ModelError(f"units: {key}: no unit {name!r}; expected one of {', '.join(map(repr, known[key]))}")
    return Units(**named)


SYSTEMS = (
    Units("m", "kg", "s"),
    Units("mm", "t", "s"),
    Units("mm", "kg", "s"),
    Units("mm", "kg", "ms"),
    Units("mm", "g", "ms"),
    Units("cm", "g", "s"),
    Units("in", "lbf s^2/in", "s"),
    Units("ft", "slug", "s"),
)
"""In the order in which they are likely."""
SOUND = (3e2, 6e4)
"""m/s; the estimate is up to five times too high for coarse meshes."""
DENSITY = (2e2, 2.5e4)
"""kg/m^3 of what bodies are made of."""
IN_BOX = (1e-4, 2.5e4)
"""The same of a body in the box around it."""


def likely_units(density: float, in_box: bool, sound: float) -> tuple[Units, ...]:
    """Systems in which a file's density and speed of sound, in its own units, are those of a body.

    Parameters
    ----------
    density : float
        Mass / length^3.
    in_box : bool
        Whether its volume is that of the box around the body.
    sound : float
        Length / time; zero where it is not known.
    """
    low, high = IN_BOX if in_box else DENSITY
    found = []
    for units in SYSTEMS:
        rho = density * units.kilogram / units.metre**3
        c = sound * units.metre / units.second
        if low <= rho <= high and (sound == 0.0 or SOUND[0] <= c <= SOUND[1]):
            found.append(units)
    return tuple(found)
