"""Influence matrices of CDI: one block for each body, in its row and in the column of its parent.

Phi_A carries a vector from parent to child through the block A of the child, Psi_A = (I - Phi_A)^-1. With A = X*
(parent's motion seen at the child) they are the transposes of E_Phi and Phi of (3.20), (3.21), which carry forces
inward. Sets of bodies are counted from 1 and named as in CDI, figure 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import StateError
from supple.model.operators.linear_operator import Identity, Invertible, Numbers, Operator, common_type


class Influence(Operator):
    """Phi_A of CDI (Def. 1): block (i, parent of i) is A_i, all others are zero.

    Parameters
    ----------
    parents : (n,) sequence of int
        Number of each body's parent, smaller than its own; -1 for a root.
    blocks : sequence of n matrices
        A_i, with as many rows as body i has and as many columns as its parent; of a root only the rows matter.
    transposed : bool
        Whether this is Phi_A* (Def. 2).
    columns : sequence of n int, optional
        Columns that each body has, where they are not as many as its rows.

    Examples
    --------
    >>> chain = Influence([-1, 0, 1], np.ones((3, 1, 1)))
    >>> chain.dense()[2]
    array([0., 1., 0.])
    >>> chain.nilpotency()
    3
    >>> print(chain.resolvent().printed())
    e
    A_2      e
    A_3 A_2  A_3  e
    """

    def __init__(
        self,
        parents: ArrayLike,
        blocks: Sequence[Numbers] | Numbers,
        transposed: bool = False,
        columns: Sequence[int] | None = None,
    ) -> None:
        self.parents = np.asarray(parents, dtype=np.int64)
        self.blocks = [np.asarray(b) for b in blocks]
        self.transposed, self.columns = transposed, columns
        if np.any(self.parents >= np.arange(len(self.parents))) or np.any(self.parents < -1):
            raise StateError("parents: expected each number to be smaller than the body's own, or -1")
        rows = [len(b) for b in self.blocks]
        self._first: list[int] = np.cumsum([0, *rows]).tolist()
        self._first_column: list[int] = np.cumsum([0, *(rows if columns is None else columns)]).tolist()
        shape = self._first[-1], self._first_column[-1]
        super().__init__(shape[::-1] if transposed else shape)

    def apply(self, x: Numbers) -> Numbers:
        """z_i = A_i x_parent (P1); transposed, the sum of A_j* x_j over the children j (P2)."""
        z = np.zeros((self.shape[0], x.shape[1]), np.result_type(x, common_type(self.blocks)))
        if self.transposed:
            for outer, inner, A in self._steps:
                z[inner] += A.T @ x[outer]
        else:
            for outer, inner, A in self._steps:
                z[outer] = A @ x[inner]
        return z

    @cached_property
    def _steps(self) -> list[tuple[slice, slice, Numbers]]:
        """Where a body and its parent stand, and the block, in the order of `joined`."""
        first, column = self._first, self._first_column
        return [(slice(first[i], first[i + 1]), slice(column[p], column[p + 1]), A) for i, p, A in self.joined()]

    def joined(self) -> Iterator[tuple[int, int, Numbers]]:
        """Number, parent and block of all bodies that are no roots, children first if transposed."""
        order = range(len(self.parents) - 1, -1, -1) if self.transposed else range(len(self.parents))
        return ((i, int(self.parents[i]), self.blocks[i]) for i in order if self.parents[i] >= 0)

    @property
    def T(self) -> Influence:
        return type(self)(self.parents, self.blocks, not self.transposed, self.columns)

    def nilpotency(self) -> int:
        """The least power of Phi_A that is zero: the number of bodies on the longest branch."""
        depth = np.zeros(len(self.parents), dtype=int)
        for i, p in enumerate(self.parents):
            depth[i] = 1 if p < 0 else depth[p] + 1
        return int(depth.max(initial=0))

    def resolvent(self) -> Resolvent:
        """Psi_A = (I - Phi_A)^-1 = I + Phi_A + Phi_A^2 + ..., with the same transposition."""
        return Resolvent(self.parents, self.blocks, self.transposed)

    def path(self, j: int) -> list[int]:
        """Return {i <= j}: body j, its parent, ... to the root; bodies are counted from 1."""
        self._require_body(j)
        out = []
        while j > 0:
            out.append(j)
            j = int(self.parents[j - 1]) + 1
        return out

    def children(self, j: int) -> list[int]:
        """Return the bodies whose parent is body j; all are counted from 1, and 0 is the ground."""
        self._require_body(j, 0)
        return [int(i) + 1 for i in np.flatnonzero(self.parents == j - 1)]

    def branch(self, j: int) -> list[int]:
        """Return {i >= j}: body j and all bodies outboard of it, in order; bodies are counted from 1."""
        self._require_body(j)
        inside = {j}
        for i, p in enumerate(self.parents, start=1):
            if p + 1 in inside:
                inside.add(i)
        return sorted(inside)

    def _require_body(self, j: int, first: int = 1) -> None:
        """Raise if there is no body j."""
        if isinstance(j, bool) or not isinstance(j, int | np.integer) or not first <= j <= len(self.parents):
            raise StateError(f"body: expected an integer from {first} to {len(self.parents)}, got {j!r}")

    def printed(self, name: str = "A") -> str:
        """The matrix as CDI prints it: names of blocks, 0 for zero, e for the identity, nothing beyond the diagonal."""
        n = len(self.parents)
        rows = [[self._entry(name, i, j) for j in range(1, i + 1)] for i in range(1, n + 1)]
        if self.transposed:
            rows = [[*("" for _ in range(i)), *(rows[j][i] for j in range(i, n))] for i in range(n)]
        widths = [max(len(row[j]) for row in rows if j < len(row)) for j in range(n)]
        lines = ("  ".join(x.ljust(w) for x, w in zip(row, widths, strict=False)) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    def _entry(self, name: str, i: int, j: int) -> str:
        """The block in row i and column j <= i, counted from 1; of a transposed matrix that in row j and column i."""
        return self._product(name, [i]) if self.parents[i - 1] == j - 1 else "0"

    def _product(self, name: str, path: list[int]) -> str:
        """The product of the blocks along a path, outer ones first."""
        return (
            " ".join(f"{name}_{k}*" for k in path[::-1]) if self.transposed else " ".join(f"{name}_{k}" for k in path)
        )


class Resolvent(Influence):
    """Psi_A of CDI: block (i, j) is the product of the A on the path from j out to i."""

    def apply(self, x: Numbers) -> Numbers:
        """z_i = x_i + A_i z_parent, parents first; transposed, x_i and the A_j* z_j of the children j, these first."""
        z = np.array(x, np.result_type(x, common_type(self.blocks)))
        if self.transposed:
            for outer, inner, A in self._steps:
                z[inner] += A.T @ z[outer]
        else:
            for outer, inner, A in self._steps:
                z[outer] += A @ z[inner]
        return z

    def inverse(self) -> Invertible:
        """I - Phi_A."""
        backward = Identity(self.shape[0]) - Influence(self.parents, self.blocks, self.transposed)
        return Invertible(backward, self)

    def _entry(self, name: str, i: int, j: int) -> str:
        if i == j:
            return "e"
        path = self.path(i)
        if j not in path:
            return "0"
        return self._product(name, path[: path.index(j)])
