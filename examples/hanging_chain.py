"""A hanging chain of five strips that bend: its swing keeps the energy, and is slower than that of a rigid chain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import jn_zeros

import supple

Floats = NDArray[np.float64]
LINKS, LENGTH, GRAVITY = 5, 0.3, 9.81
E, RHO, WIDTH, HEIGHT = 3e9, 1200.0, 0.04, 0.004
LINE, EI = RHO * WIDTH * HEIGHT, E * WIDTH * HEIGHT**3 / 12


def rigid_chain() -> tuple[Floats, Floats]:
    """Small swings of rods, by hand: frequencies in rad/s, and shapes as angles from the vertical, a column each."""
    i, j = np.indices((LINKS, LINKS))
    below = LINKS - 1 - np.maximum(i, j)
    M = LINE * LENGTH**3 * (below + np.where(i == j, 1 / 3, 1 / 2))
    M += np.eye(LINKS) * RHO * WIDTH * HEIGHT**3 / 12 * LENGTH
    K = np.diag(LINE * LENGTH**2 * GRAVITY * (np.diag(below) + 1 / 2))
    squares, shapes = linalg.eigh(K, M)
    return np.sqrt(squares), shapes


def lower_by_bending(frequencies: Floats, shapes: Floats) -> Floats:
    """Share by which bending lowers each frequency: half of the strain energy over the energy of the swing.

    The loads of the rigid motion bend a link like a beam on two hinges: p = line (w^2 y - g angle), which is a straight
    line p_1 (1 - x) + p_2 x along it. The strain energy of that is L^5 (p_1^2 + 31/16 p_1 p_2 + p_2^2) / (945 EI).
    """
    y = np.cumsum(LENGTH * shapes, axis=0)
    upper, lower = (LINE * (frequencies**2 * end - GRAVITY * shapes) for end in (y - LENGTH * shapes, y))
    strain = LENGTH**5 * np.sum(upper**2 + 31 / 16 * upper * lower + lower**2, axis=0) / (945 * EI)
    swing = frequencies**2 / 2  # the shapes have unit mass
    return strain / swing / 2


def flexible_chain(model: supple.Model) -> Floats:
    """Small swings of the model about where it hangs: frequencies in rad/s."""
    q, still = model.neutral(), np.zeros(model.nv)
    K = model.bias_forces(q + 1e-20j * np.eye(model.nq), still).imag / 1e-20
    assert np.allclose(model.bias_forces(q, still), 0, atol=1e-12)
    return np.sqrt(linalg.eigh(K, model.mass_matrix(q), eigvals_only=True)[:LINKS])


def main() -> float:
    """Print and return the period of the slowest swing; check it against rigid rods that bend a little."""
    model = supple.files.read(Path(__file__).with_suffix(".toml")).model
    rigid, shapes = rigid_chain()
    flexible, share = flexible_chain(model), lower_by_bending(rigid, shapes)
    print("swing    rigid links   flexible links    lower by   estimated")
    for n in range(LINKS):
        numbers = f"{rigid[n]:7.4f} rad/s {flexible[n]:9.4f} rad/s {1 - flexible[n] / rigid[n]:12.3e} {share[n]:12.3e}"
        print(f"{n + 1:5d} {numbers}")
    assert np.allclose(
        1 - flexible / rigid, share, rtol=0.08
    )  # tension stiffens the links, which is not in the estimate
    rope = jn_zeros(0, 1)[0] / 2 * np.sqrt(GRAVITY / (LINKS * LENGTH))
    assert np.isclose(flexible[0], rope, rtol=2e-3)

    motion = supple.simulate(model, 1.5, q={"link1.angle": 0.5}, samples=151)
    energy = (motion.kinetic_energy + motion.potential_energy).values
    bend = np.abs(model.pose(motion.q.values, "link1/4")[1] - model.pose(motion.q.values, "link1/end")[1] / 2).max()
    period = float(2 * np.pi / flexible[0])
    print(f"period {period:.6f} s, of a rope {2 * np.pi / rope:.6f} s")
    moved = np.ptp(motion.kinetic_energy.values)
    print(
        f"swinging, the first link bends by {1e3 * bend:.2f} mm; of {moved:.4f} J energy is lost {np.ptp(energy):.1e} J"
    )
    assert np.ptp(energy) < 1e-9 * moved
    assert bend > 1e-4
    return period


if __name__ == "__main__":
    main()
