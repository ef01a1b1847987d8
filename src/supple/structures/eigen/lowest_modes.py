"""Eigenmodes of sparse symmetric pairs (K, M), one uncoupled part at a time.

Parts of the structure that do not couple (a straight beam's planes, say) are solved apart: shapes of one part are
exact zeros in the others, and equal frequencies of different parts never mix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.mass import Sparse
from supple.structures.eigen.blas_threads import one_blas_thread
from supple.structures.eigen.block_lanczos import NO_MASS, block_lanczos
from supple.structures.eigen.multifrontal import DissectedFactors

LARGE = 30_000
"""Rows of a matrix from which on it is factorised by nested dissection."""
DENSE = 400
"""Parts up to this size are solved by a dense method, larger ones by block Lanczos."""
CLUSTER = 1e-8
"""Squared frequencies closer than this, relatively, are one."""
CLUSTER_SIZE = 2
"""Modes beyond those asked for that are looked at, so that a cluster is not cut."""
SAFE_PIVOT = 1e-10
"""A scaled mass matrix with larger pivots is definite beyond doubt."""
NO_INERTIA = 1e-12
"""Share of its scaled inertia below which a rigid motion moves no mass."""


Solve = Callable[[Floats], Floats]
"""From right-hand sides to solutions."""


@dataclass(frozen=True, eq=False)
class Participation:
    """How a free root answers the motion of the rest: it takes M R (R* M R)^-1 R* M away from the mass matrix M.

    Attributes
    ----------
    momentum : (n, 6) array
        M R, with R the rigid motions of the structure; rows of the degrees of freedom that are not the root's.
    inertia : (6, 6) array
        R* M R.
    """

    momentum: Floats
    inertia: Floats

    def root(self, part: Ints, motions: Ints) -> Floats:
        """C (part, motions) with C C* = M R (R* M R)^-1 R* M in a part, which has only some of the rigid motions.

        Rigid motions that move no mass are left out.
        """
        A = self.inertia[np.ix_(motions, motions)]
        d = np.sqrt(np.where(np.diagonal(A) > 0, np.diagonal(A), 1.0))
        values, vectors = np.linalg.eigh(A / np.outer(d, d))
        kept = values > NO_INERTIA
        return self.momentum[np.ix_(part, motions)] / d @ vectors[:, kept] / np.sqrt(values[kept])


def lowest_modes(
    stiffness: Sparse,
    mass: Sparse,
    count: int,
    participation: Participation | None = None,
    solve: Solve | None = None,
) -> tuple[Floats, Floats]:
    """The modes K phi = w^2 M phi of lowest frequency.

    Parameters
    ----------
    stiffness, mass : (n, n) sparse arrays
        K is positive definite, M is semidefinite; shapes without mass are no modes.
    count : int
        How many; fewer are returned if there are no more.
    participation : Participation, optional
        The structure is free in space, and the shapes are seen from its root.
    solve : function, optional
        From f to K^-1 f, where the whole stiffness has been factorised already.

    Returns
    -------
    squares : (m,) array
        w^2 in increasing order, rad^2/s^2; equal ones in the order of their parts.
    shapes : (n, m) array
        Normalised to phi* M phi = 1.
    """
    n = stiffness.shape[0]
    squares, shapes, parts = [np.zeros(0)], [np.zeros((n, 0))], [np.zeros(0, dtype=np.int64)]
    for number, (part, motions) in enumerate(_uncoupled(stiffness, mass, participation)):
        C = np.zeros((len(part), 0)) if participation is None else participation.root(part, motions)
        own = solve if len(part) == n else None
        w2, phi = _part_modes(cut(stiffness, part), cut(mass, part), C, min(count + CLUSTER_SIZE, len(part)), own)
        kept = np.arange(min(count, len(w2)))
        full = np.zeros((n, len(kept)))
        full[part] = canonical(w2, phi)[:, kept]
        squares.append(w2[kept])
        shapes.append(full)
        parts.append(np.full(len(kept), number))
    w2 = np.concatenate(squares)
    order = _order(w2, np.concatenate(parts))[:count]
    return w2[order], np.concatenate(shapes, axis=1)[:, order]


def _uncoupled(K: Sparse, M: Sparse, participation: Participation | None) -> Iterator[tuple[Ints, Ints]]:
    """Parts that neither matrix nor the participation couples, by their first index, and their rigid motions."""
    n = K.shape[0]
    pattern = scipy.sparse.csr_array(abs(K) + abs(M))
    if participation is not None:
        B, A = (
            scipy.sparse.csr_array(np.abs(participation.momentum)),
            scipy.sparse.csr_array(np.abs(participation.inertia)),
        )
        pattern = scipy.sparse.csr_array(
            scipy.sparse.vstack([scipy.sparse.hstack([pattern, B]), scipy.sparse.hstack([B.T, A])])
        )
    if n == 0:
        return
    _, label = scipy.sparse.csgraph.connected_components(pattern, directed=False)
    order = np.argsort(label, kind="stable")
    for part in sorted(np.split(order, np.flatnonzero(np.diff(label[order])) + 1), key=lambda p: int(p[0])):
        if part[0] < n:
            yield part[part < n].astype(np.int64), (part[part >= n] - n).astype(np.int64)


def cut(matrix: Sparse, part: Ints) -> Sparse:
    """Rows and columns of a part."""
    return scipy.sparse.csr_array(matrix[part][:, part])


def solver(matrix: Sparse) -> Solve:
    """A function that solves with a positive definite matrix."""
    return DissectedFactors(matrix).solve if matrix.shape[0] > LARGE else factorised(matrix).solve


def factorised(matrix: Sparse) -> scipy.sparse.linalg.SuperLU:
    """Sparse factors of a symmetric matrix without exchange of rows: U's diagonal is D of L D L*.

    Raises
    ------
    LinAlgError
        If the matrix is singular to machine precision.
    """
    try:
        return scipy.sparse.linalg.splu(
            scipy.sparse.csc_matrix(matrix),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError as error:  # SuperLU's, which has no class of its own
        raise np.linalg.LinAlgError(str(error)) from None


def canonical(squares: Floats, shapes: Floats) -> Floats:
    """The shapes with those of equal frequency turned into one definite basis of their space.

    In each cluster the first shape takes all of the entry where the cluster is largest, the second all of what is
    left where that is largest, and so on.
    """
    out = shapes.copy()
    for cluster in _clusters(squares):
        if len(cluster) > 1:
            out[:, cluster] = out[:, cluster] @ canonical_rotation(out[:, cluster])
    return out


def canonical_rotation(shapes: Floats) -> Floats:
    """(k, k) the rotation of shapes (n, k) of one space into that basis which `canonical` describes."""
    V, turn = shapes.copy(), np.eye(shapes.shape[1])
    for i in range(shapes.shape[1] - 1):
        row = V[first_largest(np.linalg.norm(V[:, i:], axis=1)), i:]
        Q, _ = np.linalg.qr(np.column_stack([row, np.eye(len(row))]))
        for x in (V, turn):
            x[:, i:] = x[:, i:] @ Q[:, : len(row)]
    return turn


def first_largest(sizes: Floats) -> int:
    """Index of the largest, the first one among those that differ by rounding."""
    return int(np.argmax(sizes >= (1.0 - 1e-6) * sizes.max()))


def _part_modes(K: Sparse, M: Sparse, C: Floats, count: int, solve: Solve | None = None) -> tuple[Floats, Floats]:
    """Modes of one part with the mass M - C C*, in increasing order, fewer if it has no more mass."""
    n = K.shape[0]
    if count == 0 or M.nnz == 0:
        return np.zeros(0), np.zeros((n, 0))
    massive = np.flatnonzero(np.diff(M.indptr))
    if len(massive) <= DENSE < n:
        return _condensed_modes(K, M, C, massive, count)
    if n > DENSE and 3 * count < n:
        with one_blas_thread():
            return block_lanczos(solve or solver(K), lambda x: M @ x - C @ (C.T @ x), n, count)
    K_dense, M_dense = K.toarray(), M.toarray() - C @ C.T
    if 2 * count > n and _surely_definite(M_dense):
        w2, phi = scipy.linalg.eigh(K_dense, M_dense)
        return w2[:count], phi[:, :count]
    mu, phi = scipy.linalg.eigh(M_dense, K_dense, subset_by_index=[n - count, n - 1])
    kept = np.flatnonzero(mu > NO_MASS * mu[-1])[::-1]
    return 1.0 / mu[kept], phi[:, kept] / np.sqrt(mu[kept])


def _condensed_modes(K: Sparse, M: Sparse, C: Floats, massive: Ints, count: int) -> tuple[Floats, Floats]:
    """The same where few degrees of freedom have mass: exact static condensation onto those.

    With F = K^-1 E, the columns of the compliance for unit forces on them, and x their displacements, M K^-1 M phi =
    mu M phi becomes F_x M_x x = mu x, and phi = F M_x x / mu. A Krylov method cannot find more vectors than M has rank.
    """
    unit = np.zeros((K.shape[0], len(massive)))
    unit[massive, np.arange(len(massive))] = 1.0
    F = factorised(K).solve(unit)
    M_x = cut(M, massive).toarray() - C[massive] @ C[massive].T
    count = min(count, len(massive))
    mu, x = scipy.linalg.eigh(M_x, F[massive], type=3, subset_by_index=[len(massive) - count, len(massive) - 1])
    kept = np.flatnonzero(mu > NO_MASS * mu[-1])[::-1]
    return 1.0 / mu[kept], F @ (M_x @ x[:, kept]) / mu[kept] ** 1.5


def _surely_definite(M: Floats) -> bool:
    d = np.diagonal(M)
    if (d <= 0).any():
        return False
    try:
        L = np.linalg.cholesky(M / np.sqrt(np.outer(d, d)))
    except np.linalg.LinAlgError:
        return False
    return bool(np.diagonal(L).min() ** 2 > SAFE_PIVOT)


def _clusters(squares: Floats) -> list[Ints]:
    """Groups of consecutive equal entries of an increasing array."""
    if len(squares) == 0:
        return []
    gaps = np.diff(squares) > CLUSTER * np.abs(squares[1:])
    return [group.astype(np.int64) for group in np.split(np.arange(len(squares)), np.flatnonzero(gaps) + 1)]


def _order(squares: Floats, parts: Ints) -> Ints:
    """Increasing frequency; equal ones by part."""
    order = np.argsort(squares, kind="stable")
    groups = [order[g] for g in _clusters(squares[order])]
    return np.concatenate([np.zeros(0, np.int64), *[g[np.argsort(parts[g], kind="stable")] for g in groups]])
