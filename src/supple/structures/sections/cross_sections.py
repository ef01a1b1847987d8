"""Cross sections of beams: area, second moments, torsion constant and shear factors.

A section lies in the y-z plane of its beam; y and z are its principal axes and its centroid is on the beam's axis.
Iy = int z^2 dA resists bending in z, Iz = int y^2 dA bending in y. Shear factors are those of Cowper (1966).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import cos, pi, sin, sqrt, tanh
from typing import Any

from supple.call_checks import checked
from supple.checks import number, size
from supple.errors import ModelError
from supple.structures.sections.stress_points import SectionPoint, i_beam, rectangle, ring

SKEWED = 1e-6
"""Product of inertia, relative to the polar moment, below which axes are principal ones."""
AROUND = 12
"""Corners of the polygon that a round section is drawn as."""


class CrossSection(ABC):
    """What a beam needs to know of its section.

    Attributes
    ----------
    A : float
        Area, m^2.
    Iy, Iz : float
        int z^2 dA and int y^2 dA, m^4.
    J : float
        Torsion constant, m^4: the polar moment for round sections only.
    """

    A: float
    Iy: float
    Iz: float
    J: float

    @abstractmethod
    def shear_factors(self, nu: float) -> tuple[float, float]:
        """Share of the area that carries shear in y and in z, for Poisson's ratio `nu`."""

    def fibres(self) -> dict[str, tuple[float, float]]:
        """Places (y, z) of the section's farthest fibres, m, by name; none where its outline is not known."""
        return {}

    def stress_points(self) -> list[SectionPoint]:
        """Points where stresses are largest; none where its outline is not known."""
        return []

    def outline(self) -> list[tuple[float, float]]:
        """Corners (y, z) of its outer edge, m, against the clock; of constants alone the rectangle that has them."""
        thick_z, thick_y = (sqrt(12.0) * radius for radius in self.gyration_radii)
        return _edge(thick_y, thick_z)

    def hole(self) -> list[tuple[float, float]]:
        """Corners (y, z) of its inner edge, m, one for each of the outline; none of a section without a hole."""
        return []

    @property
    def polar(self) -> float:
        """Polar second moment Iy + Iz, m^4."""
        return self.Iy + self.Iz

    @property
    def gyration_radii(self) -> tuple[float, float]:
        """Radii of gyration sqrt(Iy / A) and sqrt(Iz / A), m."""
        return sqrt(self.Iy / self.A), sqrt(self.Iz / self.A)

    def _set(self, A: float, Iy: float, Iz: float, J: float) -> None:
        for name, value in (("A", A), ("Iy", Iy), ("Iz", Iz), ("J", J)):
            object.__setattr__(self, name, value)


@checked
@dataclass(frozen=True)
class Section(CrossSection):
    """A section by its constants.

    Parameters
    ----------
    A : float
        Area, m^2.
    Iy, Iz : float
        Principal second moments int z^2 dA and int y^2 dA, m^4.
    J : float
        Torsion constant, m^4.
    shear : (float, float)
        Shear factors in y and z, used by shear-flexible beams only.

    Examples
    --------
    >>> Section(A=1e-4, Iy=8e-10, Iz=8e-10, J=1.4e-9).polar
    1.6e-09
    """

    A: float
    Iy: float
    Iz: float
    J: float
    shear: tuple[float, float] = (5.0 / 6.0, 5.0 / 6.0)

    def __post_init__(self) -> None:
        for name, power in (("A", 2), ("Iy", 4), ("Iz", 4), ("J", 4)):
            size(getattr(self, name), f"section: {name}", power)
        for factor in self.shear:
            size(factor, "section: shear factor")

    @classmethod
    def of(cls, analysis: Any) -> Section:
        """Return the section of an outline that sectionproperties has analysed, in metres and of one material.

        Parameters
        ----------
        analysis : sectionproperties.analysis.Section
            After `calculate_geometric_properties` and `calculate_warping_properties`. Its x and y are y and z of the
            beam if they are principal axes; otherwise its axes 11 and 22 are, `analysis.get_phi()` degrees from x.
        """
        try:
            if analysis.is_composite():
                raise ModelError("section: expected an outline of one material, got several; give the constants")
            A, J, (Iy, Iz, mixed) = analysis.get_area(), analysis.get_j(), analysis.get_ic()
            shear = analysis.get_as()
            if abs(mixed) > SKEWED * (Iy + Iz):
                (Iy, Iz), shear = analysis.get_ip(), analysis.get_as_p()
        except AttributeError:
            raise ModelError(f"section: expected a Section of sectionproperties, got {analysis!r}") from None
        except RuntimeError as error:
            raise ModelError(f"section: expected results of all analyses; sectionproperties: {error}") from None
        return cls(float(A), float(Iy), float(Iz), float(J), (float(shear[0] / A), float(shear[1] / A)))

    def shear_factors(self, nu: float) -> tuple[float, float]:
        """As given."""
        return self.shear


@checked
@dataclass(frozen=True)
class Rectangle(CrossSection):
    """A full rectangle, `width` along y and `height` along z, m; its torsion constant is Saint-Venant's series.

    Examples
    --------
    >>> round(Rectangle(0.1, 0.1).J / 0.1**4, 6)
    0.140577
    """

    width: float
    height: float

    def __post_init__(self) -> None:
        w = size(self.width, "rectangle: width")
        h = size(self.height, "rectangle: height")
        a, b = max(w, h), min(w, h)
        series = sum(tanh(n * pi * a / (2.0 * b)) / n**5 for n in range(999, 0, -2))
        J = a * b**3 / 3.0 * (1.0 - 192.0 / pi**5 * b / a * series)
        self._set(w * h, w * h**3 / 12.0, h * w**3 / 12.0, J)

    def shear_factors(self, nu: float) -> tuple[float, float]:
        """Cowper's 10 (1 + nu) / (12 + 11 nu), both ways."""
        factor = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
        return factor, factor

    def fibres(self) -> dict[str, tuple[float, float]]:
        """The four corners: no fibre is strained more."""
        return _corners(self.width, self.height)

    def stress_points(self) -> list[SectionPoint]:
        """Corners and middles of the sides."""
        return rectangle(self.width, self.height, self.J)


@checked
@dataclass(frozen=True)
class Circle(CrossSection):
    """A full circle of this radius, m."""

    radius: float

    def __post_init__(self) -> None:
        r = size(self.radius, "circle: radius")
        self._set(pi * r**2, pi * r**4 / 4.0, pi * r**4 / 4.0, pi * r**4 / 2.0)

    def shear_factors(self, nu: float) -> tuple[float, float]:
        """Cowper's 6 (1 + nu) / (7 + 6 nu), both ways."""
        factor = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu)
        return factor, factor

    def outline(self) -> list[tuple[float, float]]:
        """Of a polygon."""
        return _polygon(self.radius)

    def fibres(self) -> dict[str, tuple[float, float]]:
        """The ends of the diameters along y and z; in skew bending one between them is strained most."""
        return _round(self.radius)

    def stress_points(self) -> list[SectionPoint]:
        """Points around the rim."""
        return ring(self.radius, 0.0, self.J, self.A)


@checked
@dataclass(frozen=True)
class Tube(CrossSection):
    """A round tube: outer radius and either the inner radius or the wall's thickness, m.

    Examples
    --------
    >>> Tube(0.05, thickness=0.01) == Tube(0.05, 0.04)
    True
    """

    radius: float
    inner: float

    def __init__(self, radius: float, inner: float | None = None, thickness: float | None = None) -> None:
        a = size(radius, "tube: radius")
        if (inner is None) == (thickness is None):
            raise ModelError(
                f"tube: expected the inner radius or the thickness, got inner={inner}, thickness={thickness}"
            )
        b = a - number(thickness, "tube: thickness") if inner is None else number(inner, "tube: inner")
        if not 0.0 <= b < a:
            raise ModelError(f"tube: expected an inner radius from 0 to below the outer one {a:g}, got {b:g}")
        object.__setattr__(self, "radius", a)
        object.__setattr__(self, "inner", b)
        I = pi * (a**4 - b**4) / 4.0
        self._set(pi * (a**2 - b**2), I, I, 2.0 * I)

    def shear_factors(self, nu: float) -> tuple[float, float]:
        """Cowper's formula for the hollow circle, both ways."""
        m = (self.inner / self.radius) ** 2
        s = (1.0 + m) ** 2
        factor = 6.0 * (1.0 + nu) * s / ((7.0 + 6.0 * nu) * s + (20.0 + 12.0 * nu) * m)
        return factor, factor

    def outline(self) -> list[tuple[float, float]]:
        """Of a polygon."""
        return _polygon(self.radius)

    def hole(self) -> list[tuple[float, float]]:
        """Of a polygon."""
        return _polygon(self.inner) if self.inner > 0 else []

    def fibres(self) -> dict[str, tuple[float, float]]:
        """The ends of the outer diameters along y and z; in skew bending one between them is strained most."""
        return _round(self.radius)

    def stress_points(self) -> list[SectionPoint]:
        """Points around the outer rim."""
        return ring(self.radius, self.inner, self.J, self.A)


@checked
@dataclass(frozen=True)
class IBeam(CrossSection):
    """An I: web upright along z, flanges along y, sharp corners; torsion as for thin open walls, sum b t^3 / 3.

    Parameters
    ----------
    width : float
        Of the flanges, m.
    height : float
        Over all, m.
    flange, web : float
        Their thicknesses, m.
    """

    width: float
    height: float
    flange: float
    web: float

    def __post_init__(self) -> None:
        b, h = size(self.width, "I: width"), size(self.height, "I: height")
        tf, tw = size(self.flange, "I: flange"), size(self.web, "I: web")
        hw = h - 2.0 * tf
        if hw <= 0 or tw >= b:
            raise ModelError(
                f"I: expected two flanges below the height and a web below the width, got flange {tf:g} of "
                f"height {h:g}, web {tw:g} of width {b:g}"
            )
        self._set(
            2.0 * b * tf + hw * tw,
            (b * h**3 - (b - tw) * hw**3) / 12.0,
            (2.0 * tf * b**3 + hw * tw**3) / 12.0,
            (2.0 * b * tf**3 + (h - tf) * tw**3) / 3.0,
        )

    def shear_factors(self, nu: float) -> tuple[float, float]:
        """In z Cowper's formula for thin webs and flanges; in y five sixths of the flanges."""
        h = self.height - self.flange
        n2, m = (self.width / h) ** 2, 2.0 * self.width * self.flange / (h * self.web)
        below = (
            12.0 + 72.0 * m + 150.0 * m**2 + 90.0 * m**3
            + nu * (11.0 + 66.0 * m + 135.0 * m**2 + 90.0 * m**3)
            + 30.0 * n2 * (m + m**2) + 5.0 * nu * n2 * (8.0 * m + 9.0 * m**2)
        )  # fmt: skip
        in_y = 5.0 / 6.0 * 2.0 * self.width * self.flange / self.A
        return in_y, 10.0 * (1.0 + nu) * (1.0 + 3.0 * m) ** 2 / below

    def outline(self) -> list[tuple[float, float]]:
        """Twelve corners."""
        b, h, web, rise = self.width / 2.0, self.height / 2.0, self.web / 2.0, self.height / 2.0 - self.flange
        right = [(b, -h), (b, -rise), (web, -rise), (web, rise), (b, rise), (b, h)]
        return [*right, *((-y, z) for y, z in reversed(right))]

    def fibres(self) -> dict[str, tuple[float, float]]:
        """The four outer corners of the flanges: no fibre is strained more."""
        return _corners(self.width, self.height)

    def stress_points(self) -> list[SectionPoint]:
        """Corners and middles of the flanges, ends and middle of the web."""
        return i_beam(self.width, self.height, self.flange, self.web, self.J, self.Iy)


def _corners(width: float, height: float) -> dict[str, tuple[float, float]]:
    y, z = width / 2.0, height / 2.0
    return {"+y+z": (y, z), "+y-z": (y, -z), "-y+z": (-y, z), "-y-z": (-y, -z)}


def _edge(width: float, height: float) -> list[tuple[float, float]]:
    y, z = width / 2.0, height / 2.0
    return [(-y, -z), (y, -z), (y, z), (-y, z)]


def _polygon(radius: float) -> list[tuple[float, float]]:
    angles = (2.0 * pi * i / AROUND for i in range(AROUND))
    return [(radius * cos(a), radius * sin(a)) for a in angles]


def _round(radius: float) -> dict[str, tuple[float, float]]:
    return {"+y": (radius, 0.0), "-y": (-radius, 0.0), "+z": (0.0, radius), "-z": (0.0, -radius)}
