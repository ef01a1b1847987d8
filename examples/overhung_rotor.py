"""A disc at the end of a shaft: gyroscopic forces split its whirl; critical speeds beside those of beam elements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import supple
from supple import linear

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
E, RHO, RADIUS, LENGTH = 206e9, 7850.0, 0.012, 0.5
MASS, POLAR, DIAMETRAL = 6.0, 0.06, 0.03


def by_finite_elements(speed: float, elements: int = 8) -> Floats:
    """Angular velocities of whirl, rad/s, ascending: M z'' - i W G z' + K z = 0 of the shaft's two planes as one."""
    A, I, h, size = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4, LENGTH / elements, 2 * elements + 2
    K, M, G = (np.zeros((size, size)) for _ in range(3))
    points, weights = np.polynomial.legendre.leggauss(4)
    for e in range(elements):
        part = np.s_[2 * e : 2 * e + 4, 2 * e : 2 * e + 4]
        for s, w in zip((points + 1) / 2, weights * h / 2, strict=True):
            shape = np.array([1 - 3 * s**2 + 2 * s**3, h * s * (1 - s) ** 2, 3 * s**2 - 2 * s**3, h * s**2 * (s - 1)])
            slope = np.array([6 * s * (s - 1) / h, 1 - 4 * s + 3 * s**2, 6 * s * (1 - s) / h, s * (3 * s - 2)])
            curve = np.array([12 * s - 6, h * (6 * s - 4), 6 - 12 * s, h * (6 * s - 2)]) / h**2
            K[part] += w * E * I * np.outer(curve, curve)
            M[part] += w * RHO * (A * np.outer(shape, shape) + I * np.outer(slope, slope))
            G[part] += w * RHO * 2 * I * np.outer(slope, slope)
    M[-2:, -2:] += np.diag([MASS, DIAMETRAL])
    G[-1, -1] += POLAR
    K, M, G, n = K[2:, 2:], M[2:, 2:], G[2:, 2:], size - 2
    gyroscopic = 1j * speed * np.linalg.solve(M, G)
    states = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), gyroscopic]])
    return np.sort((np.linalg.eigvals(states) / 1j).real)


def diagram(model: supple.Model) -> xr.Dataset:
    """Its Campbell diagram."""
    return linear.campbell(model, {"shaft": np.linspace(0.0, 800.0, 41)}, count=5, orders=[1])


def main() -> float:
    """Print and return the first critical speed, rad/s; check whirl and critical speeds, and where it is unstable."""
    found = diagram(supple.files.read(FILE).model)
    print(linear.campbell_report(found))
    for i in (10, 20, 40):
        speed, senses = float(found.spin[i]), found.whirl.values[i]
        whirl = np.sort(2 * np.pi * (found.frequency.values[i] * senses)[senses != 0])
        elements = by_finite_elements(speed)
        expected = elements[np.argsort(np.abs(elements))[: len(whirl)]]
        assert np.allclose(whirl, np.sort(expected), rtol=2e-3)
    for speed, sense in zip(found.critical_speed.values, found.critical_whirl.values, strict=True):
        if sense:  # torsion is the third
            assert np.abs(by_finite_elements(speed) - sense * speed).min() < 2e-3 * speed
    first = float(found.critical_speed.values[found.critical_whirl.values == 1][0])
    grows = (found.growth.values > 1e-6).any(axis=1)
    assert (grows == (found.spin.values > first)).all()
    return first


if __name__ == "__main__":
    main()
