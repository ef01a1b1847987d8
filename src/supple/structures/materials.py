"""Elastic materials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, number, size
from supple.errors import ModelError, PhysicsWarning, warn


def density(rho: float) -> float:
    """kg/m^3, zero or of a size that can be computed with."""
    return number(rho, "material: rho", minimum=0.0) and size(rho, "material: rho")


@checked
@dataclass(frozen=True)
class Material:
    """A linear elastic, isotropic material.

    Parameters
    ----------
    E : float
        Young's modulus, Pa.
    nu : float, optional
        Poisson's ratio; from E and G if left out.
    rho : float
        Density, kg/m^3; zero for elements whose mass is put on by hand.
    G : float, optional
        Shear modulus, Pa; E / (2 (1 + nu)) if left out.
    yield_strength : float, optional
        Stress at which it yields, Pa: what strains can be compared with; it changes no motion.

    Examples
    --------
    >>> Material(E=70e9, nu=0.25, rho=2700).G
    28000000000.0
    """

    E: float
    nu: float
    rho: float
    G: float
    yield_strength: float | None = None

    def __init__(
        self,
        E: float,
        nu: float | None = None,
        rho: float | None = None,
        G: float | None = None,
        yield_strength: float | None = None,
    ) -> None:
        E = size(E, "material: E")
        if rho is None:
            raise ModelError("material: rho: expected the density in kg/m^3, got nothing")
        if nu is None and G is None:
            raise ModelError("material: expected Poisson's ratio nu or the shear modulus G, got neither")
        if G is None:
            nu = number(nu, "material: nu")
        else:
            G = size(G, "material: G")
            nu = E / (2.0 * G) - 1.0 if nu is None else number(nu, "material: nu")
        if not -1.0 < nu < 0.5:
            raise ModelError(f"material: nu: expected a number between -1 and 0.5, got {nu:g}")
        if yield_strength is not None:
            yield_strength = size(yield_strength, "material: yield_strength")
        object.__setattr__(self, "yield_strength", yield_strength)
        object.__setattr__(self, "E", E)
        object.__setattr__(self, "nu", nu)
        object.__setattr__(self, "rho", density(rho))
        object.__setattr__(self, "G", G if G is not None else E / (2.0 * (1.0 + nu)))
        self._warn_of_units()

    @property
    def lame(self) -> tuple[float, float]:
        """Lame constants lambda and mu of the isotropic material, Pa."""
        return self.E * self.nu / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu)), self.E / (2.0 * (1.0 + self.nu))

    def stress(self, gradient: Floats) -> Floats:
        """Return the stress (..., 3, 3) for gradients (..., 3, 3) of a displacement."""
        lame, mu = self.lame
        volume = np.trace(gradient, axis1=-2, axis2=-1)[..., None, None]
        return np.asarray(lame * volume * np.eye(3) + mu * (gradient + gradient.swapaxes(-1, -2)))

    def _warn_of_units(self) -> None:
        if self.E < 1e7:
            warn(f"material: E = {self.E:g} Pa is very soft; is it in MPa?", PhysicsWarning)
        if 0.0 < self.rho < 1e-6:
            warn(f"material: rho = {self.rho:g} kg/m^3 is very light; is it in tonnes/mm^3?", PhysicsWarning)
        if self.rho > 1e5:
            warn(f"material: rho = {self.rho:g} kg/m^3 is heavier than any matter", PhysicsWarning)
