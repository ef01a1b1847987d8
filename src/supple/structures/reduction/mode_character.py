"""What a mode is, in a word: where its kinetic energy sits."""

from __future__ import annotations

import numpy as np

from supple.checks import Floats
from supple.structures.discretization.mass import MassModel

SLENDER = 3.0
"""Longest over next size of a body whose modes are called axial, bending and torsion."""
SLABS = 32


def kinds(mass: MassModel, shapes: Floats) -> tuple[str, ...]:
    """A word for each shape (size, n).

    Of a slender body along x, y or z: "axial", "torsion", "bending y" and the like, by the motion of its slabs. Of any
    other: "in x", "in y", "in z" or "turning", by which motion of its points has most energy.
    """
    if shapes.shape[1] == 0:
        return ()
    weights = mass.weights.diagonal()
    centre = mass.counted
    scale = mass.mass / weights[centre].sum()  # the diagonal of a consistent matrix is less than its mass
    Pi = np.stack([P @ shapes for P in mass.motion])
    heavy = centre & (weights > 0)
    m, x, u = scale * weights[heavy], mass.positions[heavy], Pi[:, heavy]
    spread = np.einsum("ain,i->an", Pi[:, ~centre] ** 2, weights[~centre])
    sizes = np.ptp(x, axis=0)
    along = int(np.argmax(sizes))
    if sizes[along] <= SLENDER * np.sort(sizes)[1]:
        energies = [*np.einsum("ain,i->an", u**2, m), spread.sum(axis=0)]
        words = ["in x", "in y", "in z", "turning"]
    else:
        energies, words = _slender(m, x, u, spread, along)
    return tuple(words[i] for i in np.argmax(energies, axis=0))


def _slender(m: Floats, x: Floats, u: Floats, spread: Floats, along: int) -> tuple[list[Floats], list[str]]:
    """Energies of the slabs' mean motion along and across, and of their turn about the axis."""
    b, c = (along + 1) % 3, (along + 2) % 3
    place = (x[:, along] - x[:, along].min()) / np.ptp(x[:, along]) * SLABS
    slab = np.minimum(place.astype(np.int64), SLABS - 1)
    total = np.zeros((SLABS, len(m)))
    total[slab, np.arange(len(m))] = m
    masses = total.sum(axis=1)
    total, masses = total[masses > 0], masses[masses > 0]
    mean = np.einsum("si,ain->asn", total, u) / masses[:, None]
    middle = (total @ x) / masses[:, None]
    arm = x - middle[np.unique(slab, return_inverse=True)[1]]
    turn = total @ (arm[:, b, None] * u[c] - arm[:, c, None] * u[b])
    inertia = total @ (arm[:, b] ** 2 + arm[:, c] ** 2)
    round_ = inertia > 1e-12 * inertia.max(initial=0.0)
    torsion = np.sum(turn[round_] ** 2 / inertia[round_, None], axis=0) + spread[b] + spread[c]
    energies = [*np.einsum("asn,s->an", mean**2, masses), torsion]
    words = [f"bending {axis}" for axis in "xyz"]
    words[along] = "axial"
    return energies, [*words, "torsion"]
