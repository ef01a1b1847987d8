"""Linear equations in symbols, solved with pivots that are not zero in disguise."""

from __future__ import annotations

import math
import random

import numpy as np

from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, order_of
from supple.expressions.operations import OPERATIONS

DISGUISED = 1e-10
"""Size, at random values of all symbols, relative to the largest entry, below which an expression is zero."""
NEARNESS = 0.1
"""Inputs are tried near zero: a pivot should not vanish in the nominal configuration."""


SEEDS, VANISHING = 3, 1e-12
"""Random values at which entries of a matrix are tried, and their size, relative to the diagonal, that is rounding."""


class Sample:
    """Values of expressions at random values of their symbols, the same for all expressions of one sample."""

    def __init__(self, seed: int = 0, nearness: float = NEARNESS) -> None:
        self._random, self._nearness = random.Random(seed), nearness
        self._known: dict[int, float] = {}

    def __call__(self, node: Expr) -> float:
        """The value of an expression."""
        if node.id not in self._known:
            for n in order_of([node]):
                if n.id not in self._known:
                    self._known[n.id] = (
                        self._drawn(n)
                        if not n.args
                        else OPERATIONS[n.op].on_floats(*(self._known[a.id] for a in n.args))
                    )
        return self._known[node.id]

    def size(self, node: Expr) -> float:
        """Its magnitude; where it has no value, as a root of lengths that do not fit, the least there is."""
        size = abs(self(node))
        return size if math.isfinite(size) else math.ulp(0.0)

    def vanishes(self, node: Expr, zero: float) -> bool:
        """Whether it has a value, and that is not above `zero`."""
        return abs(self(node)) <= zero

    def _drawn(self, leaf: Expr) -> float:
        if leaf.op == "constant":
            return float(leaf.value)
        return self._random.uniform(0.5, 1.5) * (self._nearness if leaf.op == "input" else 1.0)


def solve_general(A: Nodes, B: Nodes) -> Nodes:
    """X with A X = B, by elimination.

    Of the rows that could serve as a pivot the one is taken whose entry is a constant, else the largest at random
    values near the nominal configuration; two or three equations without a constant are solved by cofactors.

    Parameters
    ----------
    A : (n, n) array of Expr
    B : (n, m) array of Expr

    Raises
    ------
    ZeroDivisionError
        Where A cannot be inverted; its argument is the number of the unknown that nothing is left of.

    Examples
    --------
    >>> from supple.expressions.graph import Graph
    >>> g = Graph()
    >>> x = g.input("x")
    >>> solve_general(np.array([[g.zero, g.one], [x, x]]), np.array([[x], [x]]))[:, 0]
    array([sub(#1, #2), x], dtype=object)
    """
    A, B, value = A.copy(), B.copy(), Sample()
    n = len(A)
    zero = DISGUISED * max(map(value.size, A.flat), default=0.0)
    for k in range(n):
        best = max(range(k, n), key=lambda i: (_is_constant(A[i, k], value), value.size(A[i, k])))
        if value.vanishes(A[best, k], zero):
            raise ZeroDivisionError(k)
        if not _is_constant(A[best, k], value) and n - k in (2, 3):
            _solve_last(A, B, k, value, zero)
            break
        A[[k, best]], B[[k, best]] = A[[best, k]], B[[best, k]]
        inverse = 1 / A[k, k]
        A[k, k + 1 :], B[k] = A[k, k + 1 :] * inverse, B[k] * inverse
        for i in range(k + 1, n):
            _subtract_row(A, B, i, k)
    for k in range(n - 1, -1, -1):
        for i in range(k):
            B[i] = B[i] - A[i, k] * B[k]
    return B


def _subtract_row(A: Nodes, B: Nodes, i: int, k: int) -> None:
    """Take unknown k, whose equation is row k, out of row i."""
    if A[i, k] is not A[i, k].graph.zero:
        A[i, k + 1 :] = A[i, k + 1 :] - A[i, k] * A[k, k + 1 :]
        B[i] = B[i] - A[i, k] * B[k]


def _solve_last(A: Nodes, B: Nodes, k: int, value: Sample, zero: float) -> None:
    """Solve the last two or three equations by cofactors: their determinant may never vanish where a pivot does."""
    C = _cofactors(A[k:, k:])
    determinant = A[k, k:] @ C[0]
    if value.vanishes(determinant, zero ** (len(A) - k) / DISGUISED ** (len(A) - k - 1)):
        raise ZeroDivisionError(k)
    inverse = C.T * (1 / determinant)
    B[k:] = inverse @ B[k:]
    A[k:, k:] = A[k:, k:] * 0.0


def _cofactors(A: Nodes) -> Nodes:
    """Of a 2 x 2 or 3 x 3 matrix."""
    if len(A) == 2:
        return np.array([[A[1, 1], -A[1, 0]], [-A[0, 1], A[0, 0]]], dtype=object)
    C = np.empty((3, 3), dtype=object)
    for i in range(3):
        for j in range(3):
            C[i, j] = A[i - 2, j - 2] * A[i - 1, j - 1] - A[i - 2, j - 1] * A[i - 1, j - 2]
    return C


def _is_constant(node: Expr, value: Sample) -> bool:
    return node.op == "constant" and value(node) != 0.0


def zeros_seen(M: Nodes) -> Nodes:
    """Return a symmetric matrix with zero for every entry that vanishes identically, whatever its form.

    Such are entries whose terms cancel, as the coupling of a rotation with a translation through a composite mass
    centre. They are found at random values of all symbols, each judged by its row and its column of the diagonal.
    """
    nodes = [x for x in M.flat if isinstance(x, Expr)]
    if not nodes:
        return M
    g, out, n = nodes[0].graph, M.copy(), len(M)
    samples = [Sample(seed, nearness=1.0) for seed in range(SEEDS)]
    for i in range(n):
        for j in range(i):
            found = [[abs(sample(g.node(x))) for x in (M[i, j], M[i, i], M[j, j])] for sample in samples]
            if all(x <= VANISHING * math.sqrt(own * other) < math.inf for x, own, other in found):
                out[i, j] = out[j, i] = g.zero
    return out
