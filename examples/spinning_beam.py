"""A blade on a spinning hub: the pull along it raises its flapping frequency, as published tables say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

import supple
from supple import linear
from supple.structures import Material, Rectangle, beam

Floats = NDArray[np.float64]
E, RHO, LENGTH, WIDTH, HEIGHT = 70e9, 2700.0, 1.0, 0.02, 0.002
UNIT = np.sqrt(E * HEIGHT**2 / (12 * RHO)) / LENGTH**2  # sqrt(EI / (rho A L^4)), rad/s
# Wright, Smith, Thresher and Wang (1982): first flapping frequency over UNIT for spins of 0, 1, ... 4 times UNIT.
PUBLISHED = np.array([3.5160, 3.6816, 4.1373, 4.7973, 5.5850])


def by_finite_elements(spin: float, elements: int = 20) -> float:
    """The same number from cubic beam elements under the tension spin^2 (1 - x^2) / 2, all in the beam's own units."""
    h, size = 1 / elements, 2 * elements + 2
    K, M = np.zeros((size, size)), np.zeros((size, size))
    points, weights = np.polynomial.legendre.leggauss(5)
    for e in range(elements):
        part = np.s_[2 * e : 2 * e + 4, 2 * e : 2 * e + 4]
        for s, w in zip((points + 1) / 2, weights * h / 2, strict=True):
            shape = np.array([1 - 3 * s**2 + 2 * s**3, h * s * (1 - s) ** 2, 3 * s**2 - 2 * s**3, h * s**2 * (s - 1)])
            slope = np.array([6 * s * (s - 1) / h, 1 - 4 * s + 3 * s**2, 6 * s * (1 - s) / h, s * (3 * s - 2)])
            curve = np.array([12 * s - 6, h * (6 * s - 4), 6 - 12 * s, h * (6 * s - 2)]) / h**2
            tension = spin**2 * (1 - ((e + s) * h) ** 2) / 2
            K[part] += w * (np.outer(curve, curve) + tension * np.outer(slope, slope))
            M[part] += w * np.outer(shape, shape)
    return float(np.sqrt(linalg.eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True)[0]))


def cut(pieces: int) -> supple.Model:
    """The blade of the file in another number of pieces."""
    section, metal = Rectangle(WIDTH, HEIGHT), Material(E=E, nu=0.3, rho=RHO)
    mech = supple.Mechanism(f"blade in {pieces}", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(1.0), joint=supple.Revolute("z", inertia=10.0))
    mech.add_body("blade", beam(LENGTH, section, metal, elements=2 * pieces).pieces(pieces), "hub", supple.Fixed())
    return mech.build()


def flapping(model: supple.Model, spin: float) -> float:
    """First frequency out of the plane of rotation, over UNIT, with the hub turning at spin times UNIT."""
    found = linear.modes(model, v={"hub.angle": spin * UNIT}, fixed=["hub"])
    tip = np.abs(found.shape_at("blade/end"))
    out_of_plane = tip[5] > tip[4]  # z beside y
    return float(2 * np.pi * found.frequencies[out_of_plane][0] / UNIT)


def main() -> float:
    """Print and return the frequency at a spin of 4 units; check it against the table and finite elements."""
    eight, four, one = supple.files.read(Path(__file__).with_suffix(".toml")).model, cut(4), cut(1)
    assert eight.nv == 1 + 8 * 6
    print("spin   one body   4 pieces   8 pieces   finite elements   published")
    found = []
    for spin, published in enumerate(PUBLISHED):
        f1, f4, f8 = (flapping(model, spin) for model in (one, four, eight))
        expected = by_finite_elements(spin)
        print(f"{spin:4d} {f1:10.4f} {f4:10.4f} {f8:10.4f} {expected:17.4f} {published:11.4f}")
        assert np.isclose(expected, published, rtol=0, atol=6e-5)
        assert np.isclose(f8, expected, rtol=5e-5)
        assert np.isclose(f4, expected, rtol=5e-4)
        assert np.isclose(f1, expected, rtol=1e-2)  # of two elements and no modes but those of its ends
        found.append(f8)
    assert found[-1] > 1.5 * found[0]
    return found[-1]


if __name__ == "__main__":
    main()
