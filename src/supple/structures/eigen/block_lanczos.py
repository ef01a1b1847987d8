"""Lowest modes of sparse structures by a block Lanczos method: few passes through the factors of the stiffness.

To solve with one vector takes hardly less time than to solve with ten, since the factors must be read from memory
either way. Cullum and Donath's block Lanczos method (1974) therefore asks for blocks. All vectors are kept and made
orthogonal to each other twice, so none comes back, and equal frequencies are found up to the size of a block.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.checks import Floats
from supple.errors import SuppleError

SMALLEST, LARGEST = 12, 24
"""Vectors in a block."""
CONVERGED = 1e-10
"""Residual of a mode, in the norm of the mass, relative to its eigenvalue, which is then right to the square of it."""
DEPENDENT = 1e-26
"""Square of what is left of a vector, relative to the largest of its block, that rounding may have left."""
WELL_CONDITIONED = 1e-6
"""Lowest eigenvalue of W* M W, its diagonal being 1, from which on a Cholesky factor of it is exact enough."""
ROUNDING = 1e-15
"""Size of a vector, relative to the largest eigenvalue, that is rounding."""
NO_MASS = 1e-13
"""Share of the largest M / K below which a shape has no mass."""

Product = Callable[[Floats], Floats]
"""From (n, m) arrays to (n, m) arrays."""


class NoConvergenceError(SuppleError, ArithmeticError):
    """Modes were not found in as many steps as were allowed."""


def block_lanczos(
    solve: Product, mass: Product, size: int, count: int, most: int | None = None
) -> tuple[Floats, Floats]:
    """The modes K phi = w^2 M phi of lowest frequency: w^2 (m,), increasing, and phi (n, m) with phi* M phi = I.

    Fewer than `count` if there is no more mass.

    Parameters
    ----------
    solve, mass : function
        From (n, m) arrays x to K^-1 x and M x. K is positive definite, M is semidefinite.
    size : int
        n.
    count : int
        How many modes.
    most : int, optional
        Vectors that are kept at most; a `NoConvergenceError` is raised if these do not suffice.
    """
    block = int(np.clip(2 * count, SMALLEST, LARGEST))
    most = min(size, 12 * count + 40 * block) if most is None else most
    start = np.random.default_rng(0).standard_normal((size, min(block, size)))
    new, M_new, R = _orthonormal(solve(mass(start)), mass)
    Q, M_Q, H = np.zeros((size, 0)), np.zeros((size, 0)), np.zeros((0, 0))  # H = Q* M K^-1 M Q
    while True:
        Q, M_Q = np.concatenate([Q, new], axis=1), np.concatenate([M_Q, M_new], axis=1)
        W = solve(M_new)
        k, m = Q.shape[1], new.shape[1]
        column = np.zeros((k, m))
        for _ in range(2):
            share = M_Q.T @ W
            W -= Q @ share
            column += share
        H = np.block([[H, column[: k - m]], [column[: k - m].T, (column[k - m :] + column[k - m :].T) / 2.0]])
        mu, y = np.linalg.eigh(H)
        new, M_new, R = _orthonormal(W, mass, (Q, M_Q), ROUNDING * float(mu[-1]))
        mu, y = mu[::-1], y[:, ::-1]
        wanted = min(count, k)
        residual = np.linalg.norm(R @ y[k - m :, :wanted], axis=0)
        if new.shape[1] == 0 or (k >= count and (residual <= CONVERGED * mu[:wanted]).all()):
            kept = np.flatnonzero(mu[:wanted] > NO_MASS * mu.max(initial=0.0))
            return 1.0 / mu[kept], Q @ y[:, kept]
        if k + new.shape[1] > most:
            raise NoConvergenceError(f"modes: {count} did not converge with {k} vectors; request fewer")


def _orthonormal(
    W: Floats, mass: Product, others: tuple[Floats, Floats] | None = None, floor: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """V, M V and R with W = V R, V* M V = I and Q* M V = 0 for `others` (Q, M Q).

    Vectors that depend on others, that move no mass, or that are smaller than `floor`, are left out. Small ones among
    them have lost digits: all is done twice, the second time with vectors of unit size.
    """
    V, M_V, R = _once_orthonormal(W, mass(W), floor)
    if others is not None:
        Q, M_Q = others
        V = V - Q @ (M_Q.T @ V)
    V, M_V, R_again = _once_orthonormal(V, mass(V), 0.0)
    return V, M_V, R_again @ R


def _once_orthonormal(W: Floats, M_W: Floats, floor: float) -> tuple[Floats, Floats, Floats]:
    """As `_orthonormal`, once: by a Cholesky factor of W* M W where it loses few digits."""
    G = W.T @ M_W
    d = np.sqrt(np.maximum(np.diagonal(G), 0.0))
    if not (len(d) and d.min() > floor and np.linalg.eigvalsh(G / np.outer(d, d))[0] > WELL_CONDITIONED):
        return _gram_schmidt(W, M_W, floor)
    L: Floats = np.asarray(np.linalg.cholesky((G + G.T) / 2.0), dtype=np.float64)
    inverse = np.linalg.inv(L.T)
    return W @ inverse, M_W @ inverse, L.T


def _gram_schmidt(W: Floats, M_W: Floats, floor: float) -> tuple[Floats, Floats, Floats]:
    """The modified Gram-Schmidt method in the norm of the mass, the largest vector first; as `_orthonormal`."""
    W, M_W = W.T.copy(), M_W.T.copy()  # rows are contiguous
    V, M_V, R = [], [], []
    limit = floor**2
    for _ in range(len(W)):
        squares = np.einsum("ij,ij->i", W, M_W)
        pivot = int(np.argmax(squares))
        if squares[pivot] <= limit:
            break
        limit = max(limit, DEPENDENT * float(squares[pivot]))
        length = np.sqrt(squares[pivot])
        V.append(W[pivot] / length)
        M_V.append(M_W[pivot] / length)
        R.append(W @ M_V[-1])
        W -= np.outer(R[-1], V[-1])
        M_W -= np.outer(R[-1], M_V[-1])
    b, n = W.shape
    k = len(V)
    return np.reshape(V, (k, n)).T, np.reshape(M_V, (k, n)).T, np.reshape(R, (k, b))
