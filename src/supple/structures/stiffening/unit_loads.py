"""Unit loads of a held structure: its own inertia in all motions of its frame, and forces and moments at its frames.

In a frame that moves in any way the inertia forces of a rigid body are -rho (a + A x), with a (3,) and A (3, 3)
functions of time: 3 unit loads f_a = int e_a and 9 unit loads f_ab = int x_b e_a. Angular acceleration is the skew part
of A, spin the symmetric one. Moments from the rotary inertia of sections and nodes about their own centres are left
out: a slender beam answers them like forces at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.errors import ModelError
from supple.structures.body.integration import linear_integrals
from supple.structures.discretization.clamping import Clamped, frame_rows
from supple.structures.discretization.discretization import Discretization
from supple.structures.eigen.lowest_modes import canonical_rotation
from supple.structures.elements.stressed_state import INERTIA
from supple.structures.stiffening.load_cases import case_names, combinations

COUPLED = 1e-11
"""Loads do no more work than this, relatively, on each other's displacements if the structure does not couple them."""
EQUAL = 1e-6
"""Relative difference in what the chosen loads leave of two others below which these count as equal."""
STIFF = 1e-2
"""Compliance in a direction, relative to the largest, below which loads in other directions hide what it does."""
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
        Of all loads: the 12 inertia loads of `INERTIA`, then moments about and forces along x, y, z at each
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
        if not np.isfinite(W).all():  # of numbers far too large
            raise np.linalg.LinAlgError("the work of unit loads overflows")
        d = np.sqrt(np.maximum(np.diagonal(W), 0.0))
        used = np.flatnonzero(d > 0.0)
        scaled = np.abs(W[np.ix_(used, used)]) / np.outer(d[used], d[used])
        count, label = scipy.sparse.csgraph.connected_components(scaled > COUPLED, directed=False)
        return [used[label == i] for i in range(count)]

    def principal(self) -> Floats:
        """(m, m) orthogonal: combinations of the loads along axes that show where the structure is stiff.

        A straight beam is `STIFF` along its axis, however it lies in the structure's axes: loads along these would all
        bend it. So of three loads that differ in their direction alone, with the work W on each other, those along the
        eigenvectors of W are taken. The inertia loads f_ab turn with the axes of f_a in both indices. Loads stay as
        they are where the structure is stiff in no direction, and where another program has their stresses.
        """
        turn = np.eye(len(self.kinds))
        if len(turn) != INERTIA + 6 * len(self.frames):
            return turn
        W = self.work
        for first in (0, *range(INERTIA, len(turn), 3)):
            own = slice(first, first + 3)
            turn[own, own] = _own_axes(W[own, own])
        R = turn[:3, :3]
        turn[3:INERTIA, 3:INERTIA] = np.kron(R, R)
        return turn

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


def unit_loads(structure: Discretization, clamped: Clamped) -> UnitLoads:
    """Inertia loads seen from the root, and loads at all frames but the root."""
    small = structure.condensed
    origin = small.layout.points[clamped.point]
    names = tuple(name for name in structure.frames if small.frames.get(name) != clamped.point)
    every = scipy.sparse.csr_array(scipy.sparse.eye_array(small.size))
    _, E, X = linear_integrals(small.mass.centres(), every, small.layout, origin)
    ends = [frame_rows(structure, name)[1].toarray().T for name in names]
    F = np.concatenate([E, X.swapaxes(1, 2).reshape(-1, 9), *ends], axis=1)
    U = np.zeros_like(F)
    U[clamped.free] = clamped.solve(F[clamped.free])
    kinds = np.array([0] * 3 + [1] * 9 + ([2] * 3 + [3] * 3) * len(names), np.int64)
    return UnitLoads(names, case_names(names), combinations(names), kinds, F, U)


def known_loads(structure: Discretization, clamped: Clamped, unit: UnitLoads) -> UnitLoads:
    """Return the loads whose stresses the elements know, of all unit loads: of matrices those that come with them."""
    elements = structure.elements
    assert elements is not None
    if elements.load_cases is None:
        return unit
    apart = [name for node, name in elements.clamped.items() if structure.condensed.point_of[node] != clamped.point]
    if apart:
        raise ModelError(
            f"geometric_stiffness: {apart[0]}, which is not in the root, is held in the given tangents "
            f"({len(apart)} such nodes); hold the root's nodes in both"
        )
    cases = elements.load_cases
    expand = structure.layout.motion.T @ structure.condensed.motion
    F = np.zeros((len(unit.forces), len(cases)))
    U = np.zeros_like(F)
    for i, case in enumerate(cases):
        if not isinstance(case, str):
            F[:, i] = expand.T @ case
            U[clamped.free, i] = clamped.solve(F[clamped.free, i])
        elif case in unit.cases:
            shares = unit.shares[:, unit.cases.index(case)]
            F[:, i], U[:, i] = unit.forces @ shares, unit.displacements @ shares
        else:
            raise ModelError(f"geometric_stiffness: {case!r}: the root is held, so no load there stresses anything")
    labels = tuple(case if isinstance(case, str) else f"load {i + 1}" for i, case in enumerate(cases))
    return UnitLoads(unit.frames, labels, np.eye(len(labels)), np.arange(len(labels)), F, U)


def _own_axes(W: Floats) -> Floats:
    """(3, 3) eigenvectors of the work of three loads, by increasing work; the given axes where these do."""
    d = np.sqrt(np.maximum(np.diagonal(W), 0.0))
    w, V = np.linalg.eigh(W)
    if w[0] > STIFF * w[2] or (np.abs(W - np.diag(np.diagonal(W))) <= COUPLED * np.outer(d, d)).all():
        return np.eye(3)
    first = [0, *(i for i in range(1, 3) if w[i] - w[i - 1] > EQUAL * w[i]), 3]
    for i, j in pairwise(first):  # of equal directions the choice must not be left to rounding
        V[:, i:j] = V[:, i:j] @ canonical_rotation(V[:, i:j])
    return np.asarray(V)
