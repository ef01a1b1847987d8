"""Unit loads of a held structure: its own inertia in all motions of its frame, and forces and moments at its frames.

In a frame that moves in any way the inertia forces of a rigid body are -rho (a + A x), with a (3,) and A (3, 3)
functions of time: 3 unit loads f_a = int e_a and 9 unit loads f_ab = int x_b e_a. Angular acceleration is the skew part
of A, spin the symmetric one. Moments from the rotary inertia of sections and nodes about their own centres are left
out: a slender beam answers them like forces at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.held import Held, frame_rows
from supple.structures.integration import linear_integrals
from supple.structures.load_cases import case_names, combinations
from supple.structures.stress import INERTIA

if TYPE_CHECKING:
    from supple.structures.structure import Structure

COUPLED = 1e-11
"""Loads do no more work than this, relatively, on each other's displacements if the structure does not couple them."""
EQUAL = 1e-6
"""Relative difference in what the chosen loads leave of two others below which these count as equal."""
DEPENDENT = 1e-10
"""Share of a load's work that is left by the other loads of which it is a combination."""


@dataclass(frozen=True, eq=False)
class UnitLoads:
    """m unit loads on a structure that is held at its root, in the degrees of freedom of the condensed structure.

    Attributes
    ----------
    frames : tuple of str
        Where forces and moments act.
    cases : tuple of str
        Load cases that are made of them.
    shares : (m, cases) array
        How much of each load a case has.
    kinds : (m,) array of int
        Loads that come with each other, in comparable sizes, have the same number.
    forces, displacements : (size, m) arrays
        Of all loads: the 12 inertia loads of `stress.INERTIA`, then moments about and forces along x, y, z at each
        frame; or those of which the stresses are known.
    """

    frames: tuple[str, ...]
    cases: tuple[str, ...]
    shares: Floats
    kinds: Ints
    forces: Floats
    displacements: Floats

    @property
    def work(self) -> Floats:
        """(m, m) of each load on the displacements of each."""
        W = self.forces.T @ self.displacements
        return (W + W.T) / 2.0

    def compliance(self) -> Floats:
        """(frames, 6) rotation about and motion in each direction for a unit moment and force there."""
        return np.diagonal(self.work)[INERTIA:].reshape(-1, 6)

    def families(self) -> list[Ints]:
        """Loads that work on each other; loads that do nothing are in none."""
        W = self.work
        d = np.sqrt(np.maximum(np.diagonal(W), 0.0))
        used = np.flatnonzero(d > 0.0)
        scaled = np.abs(W[np.ix_(used, used)]) / np.outer(d[used], d[used])
        count, label = scipy.sparse.csgraph.connected_components(scaled > COUPLED, directed=False)
        return [used[label == i] for i in range(count)]

    def independent(self, family: Ints) -> Floats:
        """(family, k) combinations of the loads of a family whose displacements are orthonormal with the stiffness.

        Of loads with the same displacements the last stands for all: a force at a frame rather than one of inertia.
        """
        W = self.work[np.ix_(family, family)]
        d = np.sqrt(np.diagonal(W))
        rest = W / np.outer(d, d)
        chosen: list[int] = []
        while len(chosen) < len(family):
            left = np.diagonal(rest)
            i = int(np.flatnonzero(left >= (1.0 - EQUAL) * left.max())[-1])
            if rest[i, i] < DEPENDENT:
                break
            chosen.append(i)
            rest = rest - np.outer(rest[:, i], rest[i]) / rest[i, i]
            rest[i] = rest[:, i] = 0.0
        scaled = (W / np.outer(d, d))[np.ix_(chosen, chosen)]
        out = np.zeros((len(family), len(chosen)))
        out[chosen] = np.linalg.inv(np.linalg.cholesky(scaled)).T
        return out / d[:, None]


def unit_loads(structure: Structure, held: Held) -> UnitLoads:
    """Inertia loads seen from the root, and loads at all frames but the root."""
    small = structure.condensed
    origin = small.layout.points[held.point]
    names = tuple(name for name in structure.frames if small.frames.get(name) != held.point)
    every = scipy.sparse.csr_array(scipy.sparse.eye_array(small.size))
    _, E, X = linear_integrals(small.mass.centres(), every, small.layout, origin)
    ends = [frame_rows(structure, name)[1].toarray().T for name in names]
    F = np.concatenate([E, X.swapaxes(1, 2).reshape(-1, 9), *ends], axis=1)
    U = np.zeros_like(F)
    U[held.free] = held.solve(F[held.free])
    kinds = np.array([0] * 3 + [1] * 9 + ([2] * 3 + [3] * 3) * len(names), np.int64)
    return UnitLoads(names, case_names(names), combinations(names), kinds, F, U)
