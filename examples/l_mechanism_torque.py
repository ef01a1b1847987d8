"""The L-shaped mechanism under a torque: the elbow rings at the natural frequencies, in both formulations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from supple import linear
from supple.compare import formulations
from supple.files import read
from supple.structures import Material, Rectangle, beam_path

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
ROTOR, ELBOW, BALANCE = 0.0043 + 0.001269, 0.017, 0.50846
# Read off a spectrum by Vidoni, Gallina, Boscariol, Gasparetto and Giovagnoni (2015), Hz.
PUBLISHED = (11.0, 31.0, 113.0, 171.0)


def by_finite_elements(elements: int = 10) -> tuple[Floats, Floats]:
    """Frequencies of the rods on their hinge, Hz, and how far the elbow moves across their plane in each mode."""
    points = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.5, 0.5, 0.0)]
    rods = beam_path(points, Rectangle(0.008, 0.008), Material(E=7e10, nu=0.33, rho=2700.0), elements)
    rods = rods.with_mass("corner1", ELBOW)
    K, M = rods.stiffness.toarray(), rods.mass_matrix.toarray()
    M[1, 1] += ROTOR  # turning about y
    free = [1, *range(6, len(K))]
    squares, shapes = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])
    (elbow,) = rods.frames["corner1"]
    across = np.abs(shapes[1 + 6 * (elbow - 1) + 5])  # z of the elbow
    return np.sqrt(squares[1:9]) / (2 * np.pi), across[1:9]


def main() -> float:
    """Print the frequencies; return the first that the torque excites, of equivalent rigid links, Hz."""
    contents = read(FILE)
    model, settings = contents.model, contents.run_arguments()
    rest = linear.equilibrium(model, settings["q"], tau={"L.angle": BALANCE})
    assert abs(np.degrees(rest.q[0]) - 135) < 0.5
    found = formulations(model, modes=[12], frame="L/corner1", **settings | {"q": rest.q})
    links, floating = (found.data.natural_frequency.sel(run=run).values for run in (found.runs[1], found.runs[0]))
    exact, across = by_finite_elements()
    print("finite elements  floating frame  rigid links   elbow moves across")
    # A pendulum comes first, on which the gravity of the balanced configuration acts.
    for i, f in enumerate(exact):
        print(f"{f:12.3f} Hz {floating[i + 1]:12.3f} Hz {links[i + 1]:9.3f} Hz {across[i] / across.max():14.3f}")
    assert np.allclose(links[1:9], exact, rtol=1e-2)
    assert np.allclose(links[1:9], floating[1:9], rtol=2e-3)

    excited = across > 0.003 * across.max()
    for run in found.runs:
        peaks = found.peaks(run, axis="z", count=12)
        near = [peaks[np.argmin(np.abs(peaks - f))] for f in exact[excited]]
        print(f"{run:15s} rings at " + ", ".join(f"{f:.2f}" for f in near) + " Hz")
        assert np.allclose(near, exact[excited], rtol=5e-3)
    print("published:      about " + ", ".join(f"{f:.0f}" for f in PUBLISHED) + " Hz")
    early = found.data.gap[1].sel(time=slice(0.0, 0.2))
    print(f"elbows apart by {100 * float(early.max()):.1f} % of {1e3 * found.deflection:.1f} mm within 0.2 s,", end=" ")
    print(f"by {100 * float(found.data.gap[1].max()):.0f} % within 2 s, as 30.90 and 30.94 Hz run apart")
    assert float(early.max()) < 0.05
    return float(links[2])


if __name__ == "__main__":
    main()
