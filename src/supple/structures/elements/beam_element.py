"""One straight beam element in its own axes: stiffness, how its points move, and how it is strained.

Twelve degrees of freedom: rotation and displacement of the first end, then of the second. Cubic bending shapes with the
shear parameter Phi of Przemieniecki (1968): Phi = 12 E I / (kappa G A l^2), zero for Euler and Bernoulli's beam.
Planes that do not couple have exact zeros between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.checks import Floats
from supple.structures.materials import Material
from supple.structures.sections.cross_sections import CrossSection

RX, RY, RZ, UX, UY, UZ = range(6)
IN_Y = (UY, RZ, 6 + UY, 6 + RZ)
IN_Z = (UZ, RY, 6 + UZ, 6 + RY)
SIGN_Z = np.array([1.0, -1.0, 1.0, -1.0])
"""A positive rotation about y lowers the beam in z."""
GAUSS_POINTS = 4
"""Exact to degree 7; the square of a cubic has 6."""


@dataclass(frozen=True)
class Element:
    """Length (m), section and material of one element; `shear` makes it Timoshenko's."""

    length: float
    section: CrossSection
    material: Material
    shear: bool

    def shear_parameters(self) -> tuple[float, float]:
        """Phi of bending in y and in z."""
        if not self.shear:
            return 0.0, 0.0
        s, m = self.section, self.material
        in_y, in_z = s.shear_factors(m.nu)
        scale = 12.0 * m.E / (m.G * s.A * self.length**2)
        return scale * s.Iz / in_y, scale * s.Iy / in_z

    def stiffness(self) -> Floats:
        """(12, 12), N/m and N m."""
        s, m, l = self.section, self.material, self.length
        phi_y, phi_z = self.shear_parameters()
        K = np.zeros((12, 12))
        bar = np.array([[1.0, -1.0], [-1.0, 1.0]])
        K[np.ix_((UX, 6 + UX), (UX, 6 + UX))] = m.E * s.A / l * bar
        K[np.ix_((RX, 6 + RX), (RX, 6 + RX))] = m.G * s.J / l * bar
        K[np.ix_(IN_Y, IN_Y)] = _bending(m.E * s.Iz, l, phi_y)
        K[np.ix_(IN_Z, IN_Z)] = _bending(m.E * s.Iy, l, phi_z) * np.outer(SIGN_Z, SIGN_Z)
        return K

    def motion(self, along: Floats) -> tuple[Floats, Floats]:
        """Rotation and displacement (g, 3, 12) of the axis at `along` (g,), 0 to 1, for the element's dofs."""
        phi_y, phi_z = self.shear_parameters()
        turn, move = np.zeros((2, len(along), 3, 12))
        ends = np.stack([1.0 - along, along], axis=-1)
        move[:, 0, [UX, 6 + UX]] = ends
        turn[:, 0, [RX, 6 + RX]] = ends
        v, slope = _shapes(along, self.length, phi_y)
        move[:, 1, IN_Y], turn[:, 2, IN_Y] = v, slope
        v, slope = _shapes(along, self.length, phi_z)
        move[:, 2, IN_Z], turn[:, 1, IN_Z] = v * SIGN_Z, -slope * SIGN_Z
        return turn, move

    def slopes(self, along: Floats) -> Floats:
        """Slopes of the axis in y and in z (g, 2, 12) at `along` (g,); with shear they are not the section's turns."""
        phi_y, phi_z = self.shear_parameters()
        out = np.zeros((len(along), 2, 12))
        out[:, 0, IN_Y] = _slopes(along, self.length, phi_y)
        out[:, 1, IN_Z] = _slopes(along, self.length, phi_z) * SIGN_Z
        return out

    def strains(self, along: Floats) -> Floats:
        """Rates along the axis (g, 4, 12) at `along` (g,): of the displacement in x, and of the turns about x, y, z."""
        phi_y, phi_z = self.shear_parameters()
        out = np.zeros((len(along), 4, 12))
        out[:, 0, [UX, 6 + UX]] = out[:, 1, [RX, 6 + RX]] = np.array([-1.0, 1.0]) / self.length
        out[:, 3, IN_Y] = _curvatures(along, self.length, phi_y)
        out[:, 2, IN_Z] = -_curvatures(along, self.length, phi_z) * SIGN_Z
        return out


def gauss() -> tuple[Floats, Floats]:
    """Gauss points from 0 to 1 and their weights, enough for the mass matrix."""
    x, w = np.polynomial.legendre.leggauss(GAUSS_POINTS)
    return (x + 1.0) / 2.0, w / 2.0


def _bending(EI: float, l: float, phi: float) -> Floats:
    """For (v1, slope1, v2, slope2)."""
    a, b = (4.0 + phi) * l**2, (2.0 - phi) * l**2
    return (
        EI / ((1.0 + phi) * l**3)
        * np.array(
            [[12.0, 6.0 * l, -12.0, 6.0 * l], [6.0 * l, a, -6.0 * l, b],
             [-12.0, -6.0 * l, 12.0, -6.0 * l], [6.0 * l, b, -6.0 * l, a]]
        )
    )  # fmt: skip


def _shapes(s: Floats, l: float, phi: float) -> tuple[Floats, Floats]:
    """Deflection v and turn of the section (g, 4) for (v1, slope1, v2, slope2)."""
    v = [
        1.0 - 3.0 * s**2 + 2.0 * s**3 + phi * (1.0 - s),
        l * (s - 2.0 * s**2 + s**3 + phi / 2.0 * (s - s**2)),
        3.0 * s**2 - 2.0 * s**3 + phi * s,
        l * (s**3 - s**2 + phi / 2.0 * (s**2 - s)),
    ]
    slope = [
        6.0 / l * (s**2 - s),
        1.0 - 4.0 * s + 3.0 * s**2 + phi * (1.0 - s),
        6.0 / l * (s - s**2),
        3.0 * s**2 - 2.0 * s + phi * s,
    ]
    return np.stack(v, axis=-1) / (1.0 + phi), np.stack(slope, axis=-1) / (1.0 + phi)


def _slopes(s: Floats, l: float, phi: float) -> Floats:
    """Rates along the axis of the deflection v (g, 4), for (v1, slope1, v2, slope2)."""
    v = [
        (6.0 * (s**2 - s) - phi) / l,
        1.0 - 4.0 * s + 3.0 * s**2 + phi * (0.5 - s),
        (6.0 * (s - s**2) + phi) / l,
        3.0 * s**2 - 2.0 * s + phi * (s - 0.5),
    ]
    return np.stack(v, axis=-1) / (1.0 + phi)


def _curvatures(s: Floats, l: float, phi: float) -> Floats:
    """Rates along the axis of the section's turn (g, 4), for (v1, slope1, v2, slope2): linear in s."""
    rate = [6.0 / l * (2.0 * s - 1.0), 6.0 * s - 4.0 - phi, 6.0 / l * (1.0 - 2.0 * s), 6.0 * s - 2.0 + phi]
    return np.stack(rate, axis=-1) / ((1.0 + phi) * l)
