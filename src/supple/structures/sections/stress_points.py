"""Stresses of cross sections: the points where they are largest, and the shear stress there for unit forces.

At a point (y, z) the stress along the beam is N/A + z My/Iy - y Mz/Iz. Shear stresses are those of Saint-Venant's
torsion (Timoshenko and Goodier, *Theory of Elasticity*, article 109; thin open walls: article 114) and of Zhuravskii's
formula V Q / (I b) for shear forces. Warping of thin walls that is held back is left out.
"""

from __future__ import annotations

from math import cos, cosh, pi, sin, tanh
from typing import NamedTuple

RIM = 24
"""Points around a round section: the largest bending stress is between two of them, less than 0.9 % above theirs."""
TERMS = range(1, 200, 2)
"""Of the series of a rectangle's torsion."""
Shear = tuple[tuple[float, float, float], tuple[float, float, float]]
NONE: Shear = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class SectionPoint(NamedTuple):
    """A point of a section.

    Attributes
    ----------
    name : str
        "+y-z", "+y", "30 deg" from y towards z, ...
    y, z : float
        m.
    shear : ((float, float, float), (float, float, float))
        Shear stresses xy and xz for a unit torsional moment (Pa per N m) and for unit shear forces in y and z (1/m^2).
    """

    name: str
    y: float
    z: float
    shear: Shear = NONE


def rectangle(width: float, height: float, J: float) -> list[SectionPoint]:
    """Corners, which bend most and do not shear, and the middles of the sides, which shear most."""
    y, z = width / 2.0, height / 2.0
    in_y, in_z = _torsion(width, height) / J, _torsion(height, width) / J
    mean = 1.5 / (width * height)
    sides = [
        SectionPoint("+y", y, 0.0, ((0.0, 0.0, 0.0), (in_y, 0.0, mean))),
        SectionPoint("-y", -y, 0.0, ((0.0, 0.0, 0.0), (-in_y, 0.0, mean))),
        SectionPoint("+z", 0.0, z, ((-in_z, mean, 0.0), (0.0, 0.0, 0.0))),
        SectionPoint("-z", 0.0, -z, ((in_z, mean, 0.0), (0.0, 0.0, 0.0))),
    ]
    return [*_corners(y, z), *sides]


def _torsion(across: float, along: float) -> float:
    """Shear stress over G theta' at the middle of a side that is `across` / 2 from the centre."""
    a, b = across / 2.0, along / 2.0
    if a <= b:
        near = sum(1.0 / (n**2 * cosh(min(n * pi * b / (2.0 * a), 700.0))) for n in TERMS)
        return 2.0 * a * (1.0 - 8.0 / pi**2 * near)
    far = sum((-1.0) ** ((n - 1) // 2) * tanh(n * pi * a / (2.0 * b)) / n**2 for n in TERMS)
    return 16.0 * b / pi**2 * far


def ring(radius: float, inner: float, J: float, area: float) -> list[SectionPoint]:
    """Points of the outer rim of a tube, or of a full circle whose inner radius is zero.

    Shear forces make a stress along the rim, with the cosine of the angle from the diameter that it is largest on.
    """
    most = 4.0 / (3.0 * area) * (radius**2 + radius * inner + inner**2) / (radius**2 + inner**2)
    named = {0: "+y", RIM // 4: "+z", RIM // 2: "-y", 3 * RIM // 4: "-z"}
    points = []
    for i in range(RIM):
        c, s = cos(2.0 * pi * i / RIM), sin(2.0 * pi * i / RIM)
        along = (radius / J, -most * s, most * c)  # towards growing angles, for T, Vy and Vz
        shear: Shear = ((-s * along[0], -s * along[1], -s * along[2]), (c * along[0], c * along[1], c * along[2]))
        points.append(SectionPoint(named.get(i, f"{360 * i // RIM} deg"), radius * c, radius * s, shear))
    return points


def i_beam(width: float, height: float, flange: float, web: float, J: float, Iy: float) -> list[SectionPoint]:
    """Corners of the flanges, their middles, the ends of the web, and its middle.

    The web carries the shear force along it, the flanges the one across; shear along flanges of a force in the web,
    which is smaller, is left out.
    """
    z, rise = height / 2.0, height / 2.0 - flange
    moment = width * flange * (height - flange) / 2.0
    at_end, at_middle = moment / (Iy * web), (moment + web * rise**2 / 2.0) / (Iy * web)
    across, twist, turn = 1.5 / (2.0 * width * flange), flange / J, web / J
    points = _corners(width / 2.0, z)
    for name, sign in (("+z", 1.0), ("-z", -1.0)):
        points.append(SectionPoint(name, 0.0, sign * z, ((-sign * twist, across, 0.0), (0.0, 0.0, 0.0))))
    for side, sign in (("+y", 1.0), ("-y", -1.0)):
        y = sign * web / 2.0
        points.append(SectionPoint(f"web {side}", y, 0.0, ((0.0, 0.0, 0.0), (sign * turn, 0.0, at_middle))))
        for end, at in (("+z", rise), ("-z", -rise)):
            shear: Shear = ((0.0, 0.0, 0.0), (sign * turn, 0.0, at_end))
            points.append(SectionPoint(f"web {side}{end}", y, at, shear))
    return points


def _corners(y: float, z: float) -> list[SectionPoint]:
    return [
        SectionPoint("+y+z", y, z),
        SectionPoint("+y-z", y, -z),
        SectionPoint("-y+z", -y, z),
        SectionPoint("-y-z", -y, -z),
    ]
