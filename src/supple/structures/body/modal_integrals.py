"""Modal integrals: the constants from which the inertia of a deforming body is made (appendix B).

Every material point x of the body moves to x + Psi(x) eta, and Psi is linear in the coordinates eta; offset masses and
inertias of nodes are made of such points too. With the body's second moments

    S_0 = int x x*      X(r) = int x Psi_r*      N(s, r) = int Psi_s Psi_r*      (3 x 3, weighted by mass)

the integrals of (B.4) follow; a~ is the cross product matrix, ax(A) = (A_yz - A_zy, A_zx - A_xz, A_xy - A_yx):

    J_0 = tr(S_0) I - S_0         F_0(r) = ax(X(r))         J_1(r) = tr(X(r)) I - X(r)
    E(r) = m p_1(r) = int Psi_r   F_1(r, s) = ax(N(s, r))   J_2(r, s) = tr(N(r, s)) I - N(s, r)

so that F(r) = F_0(r) + F_1(r, s) eta(s) and J = J_0 + (J_1 + J_1*) eta + eta* J_2 eta as in (B.5).
docs/theory.md says where the source departs from this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints, freeze
from supple.structures.discretization.dof_map import cross_matrix


@dataclass(frozen=True, eq=False)
class Pairs:
    """3x3 blocks N(s, r) for those pairs of coordinates that have one, row by row: for each r the s.

    Attributes
    ----------
    first : (n + 1,) array
        Where the blocks of each r begin.
    other : (blocks,) array
        Their s.
    value : (blocks, 3, 3) array
        N(s, r) = int Psi_s Psi_r*.
    """

    first: Ints
    other: Ints
    value: Floats

    def __post_init__(self) -> None:
        freeze(self, "first", "other", "value")

    def dense(self) -> Floats:
        """N as (n, n, 3, 3): N[s, r]."""
        n = len(self.first) - 1
        out = np.zeros((n, n, 3, 3))
        out[self.other, np.repeat(np.arange(n), np.diff(self.first))] = self.value
        return out


@dataclass(frozen=True, eq=False)
class Quadratic:
    """Symmetric matrices C_k (n, n) by rows, with one pattern: for each r the s.

    Attributes
    ----------
    first : (n + 1,) array
        Where the entries of each r begin.
    other : (entries,) array
        Their s; both triangles are there.
    value : (entries, k) array
        C_k[r, s].
    """

    first: Ints
    other: Ints
    value: Floats

    def __post_init__(self) -> None:
        freeze(self, "first", "other", "value")

    @property
    def rows(self) -> Ints:
        """(entries,) the r of each entry."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first)).astype(np.int64)

    def amplitudes(self, eta: Any) -> Any:
        """xi_k = eta* C_k eta / 2 (..., k) for coordinates (..., n)."""
        r, s = self.rows, self.other
        return 0.5 * (eta[..., r] * eta[..., s]) @ self.value

    def combined(self, shares: Floats) -> Quadratic:
        """The matrices sum_k shares[j, k] C_k, symmetric to the last digit and zero where all of them are."""
        value = np.zeros((len(self.other), len(shares)))
        for j, k in np.argwhere(shares != 0.0):
            value[:, j] += shares[j, k] * self.value[:, k]
        return Quadratic(self.first, self.other, value)

    def matrix(self, k: int) -> scipy.sparse.csr_array:
        """C_k."""
        n = len(self.first) - 1
        return scipy.sparse.csr_array((self.value[:, k], self.other, self.first), shape=(n, n))

    def dense(self) -> Floats:
        """C as (k, n, n)."""
        n = len(self.first) - 1
        out = np.zeros((self.value.shape[1], n, n))
        out[:, self.rows, self.other] = self.value.T
        return out


@dataclass(frozen=True, eq=False)
class ModalIntegrals:
    """The integrals of one body in n coordinates, in its frame.

    Attributes
    ----------
    mass : float
        m, kg.
    moment : (3,) array
        m p_0 = int x, kg m.
    second : (3, 3) array
        S_0 = int x x*, kg m^2.
    E : (n, 3) array
        int Psi_r.
    X : (n, 3, 3) array
        int x Psi_r*.
    N : Pairs
        int Psi_s Psi_r*.
    """

    mass: float
    moment: Floats
    second: Floats
    E: Floats
    X: Floats
    N: Pairs

    def __post_init__(self) -> None:
        freeze(self, "moment", "second", "E", "X")

    def in_units(self, length: float, mass: float) -> ModalIntegrals:
        """The same in metres and kilograms, for units of so many of them; coordinates stay numbers."""
        line, plane = mass * length, mass * length**2
        N = Pairs(self.N.first, self.N.other, self.N.value * plane)
        return ModalIntegrals(
            self.mass * mass, self.moment * line, self.second * plane, self.E * line, self.X * plane, N
        )

    def in_coordinates(self, y: Floats) -> ModalIntegrals:
        """The same for coordinates z with eta = y z (n, m)."""
        N = pairs(np.einsum("si,rj,srab->ijab", y, y, self.N.dense()))
        return replace(self, E=y.T @ self.E, X=np.einsum("ri,rab->iab", y, self.X), N=N)

    def seen_from(self, x: Floats) -> ModalIntegrals:
        """The same in a frame at x (3,) with the same axes."""
        S = self.second - np.outer(x, self.moment) - np.outer(self.moment, x) + self.mass * np.outer(x, x)
        X = self.X - np.einsum("a,rb->rab", x, self.E)
        return replace(self, moment=self.moment - self.mass * x, second=S, X=X)

    @property
    def rigid(self) -> Floats:
        """(4, 4) the integrals of (1, x) (1, x)*."""
        return np.block([[np.full((1, 1), self.mass), self.moment[None]], [self.moment[:, None], self.second]])

    def estimated(self, mass_matrix: Floats) -> ModalIntegrals:
        """The same with an estimate of what mass matrices do not say: N, and the symmetric part of X.

        Each coordinate moves the points by its mean motion E / m + theta x (x - c), which has its momentum and angular
        momentum, and by a rest that is taken to be the same in all directions and not to depend on the place. M_ff =
        `mass_matrix` (n, n) is met, and there are masses that move so: the inertia is positive for all deformations.
        """
        n, m = len(self.E), self.mass
        c = self.moment / m
        S = self.second - m * np.outer(c, c)
        J = _inertia(S)
        theta = (self.F_0 - np.cross(c, self.E)) @ np.linalg.pinv(J, rcond=1e-12, hermitian=True)
        turn = cross_matrix(theta)
        X = c[:, None] * self.E[:, None, :] + S @ np.swapaxes(turn, 1, 2)
        N = np.einsum("sa,rb->srab", self.E, self.E) / m + np.einsum("sac,cd,rbd->srab", turn, S, turn)
        rest = (mass_matrix - np.trace(N, axis1=2, axis2=3)) / 3.0
        N = np.swapaxes(N + rest[:, :, None, None] * np.eye(3), 0, 1).reshape(-1, 3, 3)
        first, other = np.arange(n + 1, dtype=np.int64) * n, np.tile(np.arange(n, dtype=np.int64), n)
        return ModalIntegrals(m, self.moment, self.second, self.E, X, Pairs(first, other, N))

    @property
    def J_0(self) -> Floats:
        """Inertia of the undeformed body about its frame's origin (3, 3)."""
        return _inertia(self.second)

    @property
    def F_0(self) -> Floats:
        """(n, 3) angular momentum of each coordinate's unit speed."""
        return axial(self.X)

    @property
    def F_1(self) -> Floats:
        """(n, n, 3): F_1[r, s] = int Psi_s x Psi_r."""
        return axial(np.swapaxes(self.N.dense(), 0, 1))

    @property
    def J_1(self) -> Floats:
        """(n, 3, 3) first-order change of the inertia is J_1 + J_1*."""
        return _inertia(self.X)

    @property
    def J_2(self) -> Floats:
        """(n, n, 3, 3) second-order change of the inertia."""
        N = self.N.dense()
        return np.trace(N, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - np.swapaxes(N, 0, 1)


def axial(A: Floats) -> Floats:
    """ax(A) (..., 3) of (..., 3, 3): int a x b where A = int a b*."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return np.stack([A[..., i, j] - A[..., j, i] for i, j in pairs], axis=-1)


def _inertia(A: Floats) -> Floats:
    return np.trace(A, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - A


def pairs(N: Floats) -> Pairs:
    """The blocks of N (n, n, 3, 3) that are not zero: N[s, r]."""
    row, other = np.nonzero(np.swapaxes(N, 0, 1).any(axis=(2, 3)))
    first = np.searchsorted(row, np.arange(len(N) + 1)).astype(np.int64)
    return Pairs(first, other.astype(np.int64), N[other, row])


def no_pairs(n: int) -> Pairs:
    """Blocks that are all zero, of n coordinates."""
    return Pairs(np.zeros(n + 1, np.int64), np.zeros(0, np.int64), np.zeros((0, 3, 3)))


def quadratic(matrices: Sequence[scipy.sparse.csr_array], n: int) -> Quadratic:
    """Symmetric matrices (n, n) with one pattern."""
    keys, value = one_pattern(matrices, n)
    used = value.any(axis=1)
    rows, other = np.divmod(keys[used], max(n, 1))
    return Quadratic(np.searchsorted(rows, np.arange(n + 1)).astype(np.int64), other, value[used])


def one_pattern(matrices: Sequence[scipy.sparse.csr_array], n: int) -> tuple[Ints, Floats]:
    """Entries n row + column that any of the matrices has, and their values (entries, k)."""
    entries = [scipy.sparse.coo_array(m) for m in matrices]
    keys = [e.row.astype(np.int64) * n + e.col for e in entries]
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *keys]))
    value = np.zeros((len(every), len(matrices)))
    for k, (key, entry) in enumerate(zip(keys, entries, strict=True)):
        value[np.searchsorted(every, key), k] = entry.data
    return every, value
