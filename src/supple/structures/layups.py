"""Layers of plates: stiffness and mass per area of laminates and sandwich panels.

Classical lamination theory (Jones, Mechanics of Composite Materials, 1999) for A, B and D. The stiffness against
transverse shear comes from the shear stresses that balance the change of bending stresses along x, and along y, in
cylindrical bending (Whitney, Structural Analysis of Laminated Anisotropic Plates, 1987): 5/6 G t for one layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array, freeze, number, size
from supple.errors import ModelError
from supple.structures.materials import Material, density

DEFINITE = 1e-12
"""Lowest eigenvalue of a scaled stiffness, its diagonal being 1, that is positive and no rounding."""
SYMMETRIC = 1e-6
"""Difference between the halves of a matrix, relative to its largest entry, that printed digits may cause."""


@checked
@dataclass(frozen=True)
class Orthotropic:
    """A linear elastic material with three planes of symmetry, as thin layers need it.

    Parameters
    ----------
    E1, E2 : float
        Young's moduli along and across the fibres, Pa.
    nu12 : float
        Poisson's ratio: contraction across for a stretch along the fibres.
    G12 : float
        Shear modulus in the plane of the layer, Pa.
    rho : float
        Density, kg/m^3.
    G13, G23 : float, optional
        Transverse shear moduli along and across the fibres, Pa; G12 if left out.

    Examples
    --------
    >>> Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600).G23
    5000000000.0
    """

    E1: float
    E2: float
    nu12: float
    G12: float
    rho: float
    G13: float
    G23: float

    def __init__(
        self,
        E1: float,
        E2: float,
        nu12: float,
        G12: float,
        rho: float,
        G13: float | None = None,
        G23: float | None = None,
    ) -> None:
        given = {"E1": E1, "E2": E2, "G12": G12, "G13": G12 if G13 is None else G13, "G23": G12 if G23 is None else G23}
        for name, value in given.items():
            object.__setattr__(self, name, size(value, f"material: {name}"))
        limit = np.sqrt(E1 / E2)
        if abs(number(nu12, "material: nu12")) >= limit:
            raise ModelError(
                f"material: nu12: expected a number between -{limit:.4g} and {limit:.4g}, the root of E1 / E2, "
                f"got {nu12:g}"
            )
        object.__setattr__(self, "nu12", float(nu12))
        object.__setattr__(self, "rho", density(rho))


class PlaneStiffness(NamedTuple):
    """Of a layer, in the axes of the plate: plane stress Q (3, 3) and transverse shear G (2, 2), Pa."""

    Q: Floats
    G: Floats


@checked
@dataclass(frozen=True)
class Layer:
    """A layer of a plate.

    Parameters
    ----------
    thickness : float
        m.
    material : Material or Orthotropic
    angle : float
        From the plate's x to the fibres, towards y, rad.
    """

    thickness: float
    material: Material | Orthotropic
    angle: float = 0.0

    def __post_init__(self) -> None:
        size(self.thickness, "layer: thickness")
        if not isinstance(self.material, Material | Orthotropic):
            raise ModelError(f"layer: material: expected a Material or Orthotropic, got {self.material!r}")
        number(self.angle, "layer: angle")

    def stiffness(self) -> PlaneStiffness:
        """In the axes of the plate."""
        m = self.material
        if isinstance(m, Material):
            E1, E2, nu12, G12, G13, G23 = m.E, m.E, m.nu, m.G, m.G, m.G
        else:
            E1, E2, nu12, G12, G13, G23 = m.E1, m.E2, m.nu12, m.G12, m.G13, m.G23
        Q = np.linalg.inv(np.array([[1.0 / E1, -nu12 / E1, 0.0], [-nu12 / E1, 1.0 / E2, 0.0], [0.0, 0.0, 1.0 / G12]]))
        if isinstance(m, Material) or self.angle == 0.0:
            return PlaneStiffness(Q, np.diag([G13, G23]))
        T = self.to_fibres()
        c, s = np.cos(self.angle), np.sin(self.angle)
        turn = np.array([[c, s], [-s, c]])
        return PlaneStiffness(T.T @ Q @ T, turn.T @ np.diag([G13, G23]) @ turn)

    def to_fibres(self) -> Floats:
        """(3, 3) strains xx, yy, xy (changes of right angles) of the plate as strains 11, 22, 12 of the layer."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])


@checked
@dataclass(frozen=True, eq=False)
class Layup:
    """Stiffness and mass per area of a plate; of its layers, or by the matrices of another program (`from_abd`).

    Parameters
    ----------
    layers : sequence of Layer
        From the lower face, at z = -thickness / 2, to the upper.

    Attributes
    ----------
    A, B, D : (3, 3) arrays
        Resultants N and M for strains and curvatures of the middle plane: N = A e + B k, M = B e + D k, with e = (xx,
        yy, xy) and k alike; N/m, N, N m.
    shear : (2, 2) array
        Transverse shear forces xz, yz for mean shear strains, N/m.
    thickness : float
        m.
    mass, moment, inertia : float
        int rho, int rho z and int rho z^2 over the thickness; kg/m^2, kg/m, kg.

    Examples
    --------
    A sandwich panel of aluminium faces on a honeycomb:

    >>> face = Layer(0.0005, Material(E=70e9, nu=0.3, rho=2700))
    >>> core = Layer(0.02, Orthotropic(E1=1e6, E2=1e6, nu12=0.3, G12=1e6, G13=200e6, G23=100e6, rho=50))
    >>> panel = Layup([face, core, face])
    >>> round(panel.mass, 6), [round(x) for x in panel.shear.diagonal()]
    (3.7, [4203621, 2101942])
    """

    layers: tuple[Layer, ...]
    A: Floats = field(init=False)
    B: Floats = field(init=False)
    D: Floats = field(init=False)
    shear: Floats = field(init=False)
    thickness: float = field(init=False)
    mass: float = field(init=False)
    moment: float = field(init=False)
    inertia: float = field(init=False)

    def __init__(self, layers: Sequence[Layer]) -> None:
        if not isinstance(layers, Sequence) or not layers or not all(isinstance(one, Layer) for one in layers):
            raise ModelError(f"layup: expected a list of one Layer or more, got {layers!r}")
        t = np.array([one.thickness for one in layers])
        z = np.concatenate([[0.0], np.cumsum(t)]) - t.sum() / 2.0
        z[np.abs(z) < 1e-14 * t.sum()] = 0.0
        rho = np.array([one.material.rho for one in layers])
        Q = np.array([one.stiffness().Q for one in layers])
        moments = [np.diff(z**p) / p for p in (1, 2, 3)]
        A, B, D = (np.einsum("lij,l->ij", Q, m) for m in moments)
        B[np.abs(B) < 1e-14 * np.sqrt(A.max() * D.max())] = 0.0
        masses = [float(rho @ m) for m in moments]
        if abs(masses[1]) < 1e-14 * masses[0] * t.sum():
            masses[1] = 0.0
        self._set(tuple(layers), (A, B, D, _shear(layers, Q, z)), float(t.sum()), masses)

    @classmethod
    def from_abd(
        cls,
        A: ArrayLike,
        B: ArrayLike,
        D: ArrayLike,
        shear: ArrayLike,
        thickness: float,
        mass: float,
        moment: float = 0.0,
        inertia: float | None = None,
    ) -> Layup:
        """A layup from its matrices; strains of layers are then not known.

        Parameters
        ----------
        A, B, D : (3, 3) array_like
        shear : (2, 2) or (2,) array_like
            Two numbers are a diagonal.
        thickness : float
            m: what it is drawn with, and where its faces are.
        mass, moment, inertia : float
            As the attributes; the inertia by default that of a mass spread evenly over the thickness.
        """
        given = [array(x, (3, 3), f"layup: {name}") for x, name in ((A, "A"), (B, "B"), (D, "D"))]
        H = (
            np.diag(array(shear, (2,), "layup: shear"))
            if np.shape(shear) == (2,)
            else array(shear, (2, 2), "layup: shear")
        )
        for x, name in zip((*given, H), ("A", "B", "D", "shear"), strict=True):
            if np.abs(x - x.T).max() > SYMMETRIC * np.abs(x).max():
                raise ModelError(f"layup: {name}: expected a symmetric matrix, got {x.tolist()}")
        t = size(thickness, "layup: thickness")
        m = number(mass, "layup: mass", minimum=0.0) and size(mass, "layup: mass")
        first = number(moment, "layup: moment")
        second = m * t**2 / 12.0 if inertia is None else number(inertia, "layup: inertia")
        if second * m < first**2:
            raise ModelError(f"layup: inertia: expected at least moment^2 / mass = {first**2 / m:g}, got {second:g}")
        made = object.__new__(cls)
        made._set((), (*given, H), t, [m, first, second])
        return made

    def _set(
        self, layers: tuple[Layer, ...], matrices: tuple[Floats, ...], thickness: float, masses: Sequence[float]
    ) -> None:
        A, B, D, H = ((x + x.T) / 2.0 for x in matrices)
        if thickness <= 0:
            raise ModelError(f"layup: thickness: expected a positive number, got {thickness:g}")
        _check_definite(np.block([[A, B], [B, D]]), "A, B, D")
        _check_definite(H, "shear")
        names = ("layers", "A", "B", "D", "shear", "thickness", "mass", "moment", "inertia")
        for name, value in zip(names, (layers, A, B, D, H, thickness, *masses), strict=True):
            object.__setattr__(self, name, value)
        freeze(self, "A", "B", "D", "shear")

    @property
    def stiffness(self) -> Floats:
        """(8, 8): N, M and Q for strains, curvatures and transverse shear."""
        C = np.zeros((8, 8))
        C[:6, :6] = np.block([[self.A, self.B], [self.B, self.D]])
        C[6:, 6:] = self.shear
        return C


def _check_definite(matrix: Floats, what: str) -> None:
    d = np.diagonal(matrix)
    lowest = float(np.linalg.eigvalsh(matrix / np.sqrt(np.outer(d, d)))[0]) if d.min() > 0 else -1.0
    if lowest <= DEFINITE:
        raise ModelError(
            f"layup: {what}: expected a positive definite stiffness, got one that some deformation does no work "
            f"against, or less (diagonal {d.tolist()}, lowest eigenvalue with it scaled to 1: {lowest:.3g})"
        )


def _shear(layers: Sequence[Layer], Q: Floats, z: Floats) -> Floats:
    """(2, 2) transverse shear stiffness, N/m.

    In each direction 1 / H = int F^2 / G dz with F = int Q (z - z_n) dz / int Q (z - z_n)^2 dz, whose polynomials in z
    are integrated exactly layer by layer. Between the directions the factors' geometric mean.
    """
    G = np.array([one.stiffness().G for one in layers])
    plain = np.einsum("lab,l->ab", G, np.diff(z))
    x, w = np.polynomial.legendre.leggauss(3)
    H = np.zeros(2)
    for a in range(2):
        E = Q[:, a, a]
        neutral = (E @ np.diff(z**2) / 2.0) / (E @ np.diff(z))
        y = z - neutral
        bending = E @ np.diff(y**3) / 3.0
        before = np.concatenate([[0.0], np.cumsum(E * np.diff(y**2) / 2.0)])[:-1]
        middle, half = (y[1:] + y[:-1]) / 2.0, np.diff(y) / 2.0
        at = middle[:, None] + half[:, None] * x
        F = (before[:, None] + E[:, None] * (at**2 - y[:-1, None] ** 2) / 2.0) / bending
        H[a] = 1.0 / np.sum(F**2 * w * (half / G[:, a, a])[:, None])
    factor = np.sqrt(H / np.diagonal(plain))
    return plain * np.outer(factor, factor)
