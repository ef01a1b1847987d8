"""Which units the numbers of a file look like: by the density and the speed of sound."""

from __future__ import annotations

from supple.structures.formats.units import Units

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
