"""Factors of small symmetric positive matrices that stand inside longer arrays, row by row.

Entry (i, j) of the matrix that begins at `o` is A[o + i m + j]; only the lower triangle is read and written.
"""

from __future__ import annotations

from supple.engines.kernels import step
from supple.recursions.tree import Array

DEPENDENT = 2e-15
"""Added to the pivot of a row that may depend on the rows before it, relative to its diagonal: more than rounding
leaves there, and no more than the compliance of that direction is known to."""
NOTHING = 1e-100
"""Added to the pivot of a row that may be zero."""


@step
def eliminate_column(A: Array, o: int, m: int, n: int, j: int) -> None:
    """Subtract what column j of n leaves of the columns behind it, and divide it by its pivot."""
    inverse = 1 / A[o + j * m + j]
    for i in range(j + 1, n):
        ratio = A[o + i * m + j] * inverse
        for p in range(j + 1, i + 1):
            A[o + i * m + p] -= ratio * A[o + p * m + j]
    for i in range(j + 1, n):
        A[o + i * m + j] *= inverse


@step
def factor(A: Array, o: int, m: int, n: int) -> None:
    """A = L D L*, L with a unit diagonal below that of D. Cost: n^3 / 6 products, n divisions."""
    for j in range(n):
        eliminate_column(A, o, m, n, j)


@step
def factor_semidefinite(A: Array, o: int, m: int, n: int, leading: int) -> None:
    """The same of a matrix whose rows from `leading` on may depend on the ones before, or be zero.

    It is the factor of A with `DEPENDENT` of these diagonal entries added.
    """
    for j in range(leading, n):
        A[o + j * m + j] += DEPENDENT * A[o + j * m + j] + NOTHING
    for j in range(n):
        eliminate_column(A, o, m, n, j)


@step
def solve(A: Array, o: int, m: int, n: int, x: Array) -> None:
    """Overwrite x (n,) by the solution. Given `factor`."""
    for i in range(n):
        for j in range(i):
            x[i] -= A[o + i * m + j] * x[j]
    for i in range(n):
        x[i] *= 1 / A[o + i * m + i]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= A[o + j * m + i] * x[j]
