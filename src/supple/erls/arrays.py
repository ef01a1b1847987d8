"""Small steps on arrays that hold floats, complex numbers or graph nodes, with any leading axes.

Twists are six numbers, rotation then displacement (or angular then linear velocity), as everywhere in supple. All that
is done is matrix products with constants, sums and broadcasting, so that zeros of constant arrays vanish from a graph
and batches of states cost one call.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats

Numbers = NDArray[Any]

SKEW: Floats = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    SKEW[_i, _k, _j], SKEW[_i, _j, _k] = 1.0, -1.0
"""SKEW[k] = e_k~: the A_k of Vidoni et al. (2015), (83)."""
SINGULAR = 1e-13
"""Minimum eigenvalue of a regular mass matrix whose diagonal is scaled to 1."""
_TO_SKEW = SKEW.reshape(3, 9)
_TO_AXIAL = -SKEW.reshape(3, 9).T


class Singular(ArithmeticError):
    """A matrix (..., n, n) that had to be solved with has no inverse."""

    def __init__(self, matrix: Numbers) -> None:
        super().__init__("a singular matrix")
        self.matrix = matrix


def skew(a: Numbers) -> Numbers:
    """a~ (..., 3, 3) of (..., 3): a~ b = a x b."""
    return matvec(_TO_SKEW.T, a).reshape((*a.shape[:-1], 3, 3))


def axial(A: Numbers) -> Numbers:
    """ax(A) (..., 3) of (..., 3, 3): sum a x b where A = sum a b*."""
    return matvec(_TO_AXIAL.T, A.reshape((*A.shape[:-2], 9)))


def matvec(A: Numbers, x: Numbers) -> Numbers:
    """A x: (..., m, n) with (..., n)."""
    if x.shape[-1] == 0:
        return np.zeros((*np.broadcast_shapes(A.shape[:-2], x.shape[:-1]), A.shape[-2]), x.dtype)
    return (A @ x[..., None])[..., 0]


def matmul(A: Numbers, B: Numbers) -> Numbers:
    """A B, also where there is nothing to sum (numpy leaves objects undefined then)."""
    if A.shape[-1] == 0:
        shape = (*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), A.shape[-2], B.shape[-1])
        return np.zeros(shape, np.result_type(A, B))
    return A @ B


def transposed(A: Numbers) -> Numbers:
    """A* (..., n, m); never conjugated."""
    return A.swapaxes(-1, -2)


def dot(a: Numbers, b: Numbers) -> Numbers:
    """a* b (...) of (..., n)."""
    return (a[..., None, :] @ b[..., :, None])[..., 0, 0]


def weighted(weight: Numbers, x: Numbers) -> Numbers:
    """A number for each state (...) times a vector (n,), or one of each state (..., n)."""
    return np.asarray(weight)[..., None] * x


def inertia_of(S: Numbers) -> Numbers:
    """tr(S) I - S* (..., 3, 3): the matrix of e -> int b x (e x a) where S = int b a*; an inertia if a = b."""
    trace = S[..., 0, 0] + S[..., 1, 1] + S[..., 2, 2]
    return np.asarray(trace)[..., None, None] * np.eye(3) - transposed(S)


def twist_cross(A: Floats) -> Floats:
    """The constant (6, 6) matrix of x -> A x x for twists: d/dt of a twist that is carried along A."""
    turn, move = np.tensordot(A[:3], SKEW, 1), np.tensordot(A[3:], SKEW, 1)
    return np.block([[turn, np.zeros((3, 3))], [move, turn]])


def moved(position: Floats) -> Floats:
    """The constant (6, 6) matrix that moves a twist's point of reference to `position`."""
    out = np.eye(6)
    out[3:, :3] = -np.tensordot(position, SKEW, 1)
    return out


def solve(A: Numbers, B: Numbers, symmetric: bool = True) -> Numbers:
    """A^-1 B for A (..., n, n) and B (..., n, k); on nodes half of a symmetric A is enough."""
    if A.dtype != object and B.dtype != object:
        try:
            return np.linalg.solve(A, B)
        except np.linalg.LinAlgError:
            raise Singular(A) from None
    return _eliminated(A.astype(object), B.astype(object), symmetric)


def _eliminated(A: Numbers, B: Numbers, symmetric: bool) -> Numbers:
    """The same on nodes: one division for each unknown, the last unknown first, as outer joints are cheapest."""
    n = len(A)
    inverse = {}
    for k in reversed(range(n)):
        inverse[k] = 1.0 / A[k, k]
        for i in range(k):
            factor = A[i, k] * inverse[k]
            B[i] = B[i] - factor * B[k]
            for j in range(i + 1 if symmetric else k):
                A[i, j] = A[i, j] - factor * A[k, j]
                if symmetric:
                    A[j, i] = A[i, j]
    for k in range(n):
        for i in range(k):
            B[k] = B[k] - A[k, i] * B[i]
        B[k] = B[k] * inverse[k]
    return B


def check_definite(mass: Numbers) -> None:
    """Raise `Singular` if one of the symmetric matrices (..., n, n) is singular to rounding."""
    if mass.size and np.linalg.eigvalsh(_scaled(mass))[..., 0].min() < SINGULAR:
        raise Singular(mass)


def loosest(mass: Numbers) -> tuple[int, Floats]:
    """Which of the symmetric matrices is closest to being singular, and the size of the entries of its null vector."""
    values, vectors = np.linalg.eigh(_scaled(mass).reshape(-1, *mass.shape[-2:]))
    worst = int(np.argmin(values[:, 0]))
    return worst, np.abs(vectors[worst, :, 0])


def _scaled(mass: Numbers) -> Floats:
    """Real part with a unit diagonal."""
    size = np.sqrt(np.abs(np.diagonal(mass, axis1=-2, axis2=-1).real))
    size = np.where(size > 0, size, 1.0)
    return mass.real / (size[..., :, None] * size[..., None, :])
