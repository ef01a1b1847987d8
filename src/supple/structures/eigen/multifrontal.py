"""Cholesky factors of large sparse matrices by nested dissection: dense fronts, one separator at a time.

George's nested dissection (1973) orders the unknowns: a separator splits the graph in two, the halves are split
again. Duff and Reid's multifrontal method (1983) then eliminates the separators, innermost first, each in a dense front
that takes what its halves leave on it. For solid meshes that takes a fraction of the time and memory of orderings by
minimum degree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.engines.llvm.batches import CORES
from supple.structures.discretization.mass import Sparse
from supple.structures.eigen.blas_threads import one_blas_thread
from supple.structures.eigen.nested_dissection import dissected

WORTH_THREADS = 10_000
"""Unknowns from which on threads take less time than they cost."""

P = TypeVar("P")
T = TypeVar("T")
Update = tuple[Ints, Floats]
"""What the elimination of some unknowns leaves on others, and their places."""


@dataclass(frozen=True, eq=False)
class _Front:
    """Unknowns from `first` to `last` that are eliminated and `rest` that they act on, by their places in a piece.

    `inverse` is L^-1 of the former, by which solving is a product, `below` is L of the latter.
    """

    first: int
    last: int
    rest: Ints
    inverse: Floats
    below: Floats

    def moved(self, by: int, rest: Ints) -> _Front:
        """The same by other places."""
        return _Front(self.first - by, self.last - by, rest, self.inverse, self.below)


@dataclass(frozen=True, eq=False)
class _Piece:
    """A part of the order that can be eliminated by itself: its unknowns, then those of the top that it acts on.

    Attributes
    ----------
    unknowns : slice
        Its own, by their places in the order.
    top : array of int
        Those of the top, by their places there.
    fronts : list of _Front
    """

    unknowns: slice
    top: Ints
    fronts: list[_Front]

    def forward(self, x: Floats) -> Floats:
        """Solve with L for its own unknowns, in place; what that takes away from those of the top."""
        n = self.unknowns.stop - self.unknowns.start
        y = np.concatenate([x[self.unknowns], np.zeros((len(self.top), x.shape[1]))])
        forward(self.fronts, y)
        x[self.unknowns] = y[:n]
        return y[n:]

    def backward(self, x: Floats, top: Floats) -> None:
        """Solve with L* for its own unknowns, in place."""
        y = np.concatenate([x[self.unknowns], top[self.top]])
        backward(self.fronts, y)
        x[self.unknowns] = y[: self.unknowns.stop - self.unknowns.start]


class NotPositiveError(ArithmeticError):
    """A matrix is not positive definite.

    Attributes
    ----------
    unknown : int
        One of those among which this was found.
    """

    def __init__(self, unknown: int) -> None:
        super().__init__(f"not positive definite at unknown {unknown}")
        self.unknown = unknown


class DissectedFactors:
    """L L* of a positive definite matrix.

    Parameters
    ----------
    matrix : (n, n) sparse array
        Symmetric. A `NotPositiveError` is raised if it is not positive definite.
    """

    def __init__(self, matrix: Sparse) -> None:
        self.size = int(matrix.shape[0])
        blocks, parents, pieces = dissected(matrix)
        self.order: Ints = np.concatenate(blocks)
        ordered = scipy.sparse.csc_array(scipy.sparse.csr_array(matrix)[self.order][:, self.order])
        ends = np.cumsum([0, *map(len, blocks)]).tolist()
        with one_blas_thread():
            self._eliminate(_Elimination(ordered, self.order, ends, parents), pieces)

    @property
    def fronts(self) -> list[_Front]:
        """All of them."""
        return [front for piece in self.pieces for front in piece.fronts] + self.top

    @property
    def lowest_pivot(self) -> tuple[float, int]:
        """The smallest diagonal entry of D in L D L*, and the unknown that it belongs to."""
        found = []
        starts = [(piece.unknowns.start, piece.fronts) for piece in self.pieces] + [(self.above, self.top)]
        for start, front in ((start, front) for start, fronts in starts for front in fronts):
            inverse = np.diagonal(front.inverse)
            found.append((float(inverse.max()) ** -2, start + front.first + int(np.argmax(inverse))))
        lowest, at = min(found)
        return lowest, int(self.order[at])

    def solve(self, right: Floats) -> Floats:
        """x with A x = right (n,) or (n, m)."""
        x = np.array(right, dtype=np.float64).reshape(self.size, -1)[self.order]
        top = x[self.above :]
        with one_blas_thread():
            for piece, taken in zip(self.pieces, self._side_by_side(lambda p: p.forward(x), self.pieces), strict=True):
                top[piece.top] += taken
            forward(self.top, top)
            backward(self.top, top)
            self._side_by_side(lambda piece: piece.backward(x, top), self.pieces)
        out = np.empty_like(x)
        out[self.order] = x
        return out.reshape(np.shape(right))

    def _eliminate(self, elimination: _Elimination, lengths: list[int]) -> None:
        """Pieces of so many blocks one after the other, then the rest, the top."""
        starts = np.cumsum([0, *lengths]).tolist()
        self.above = elimination.ends[starts[-1]]
        found = self._side_by_side(lambda blocks: elimination.fronts(*blocks), list(pairwise(starts)))
        self.pieces: list[_Piece] = []
        updates: list[tuple[int, Update]] = []
        for (start, stop), (fronts, left) in zip(pairwise(starts), found, strict=True):
            first, last = elimination.ends[start], elimination.ends[stop]
            beyond = [front.rest[front.rest >= last] for front in fronts]
            top = np.unique(np.concatenate([np.zeros(0, np.int64), *beyond]))
            own = [x.moved(first, _places(x.rest, first, last, top)) for x in fronts]
            self.pieces.append(_Piece(slice(first, last), top - self.above, own))
            updates += left
        fronts, _ = elimination.fronts(starts[-1], len(elimination.ends) - 1, updates)
        self.top = [x.moved(self.above, x.rest - self.above) for x in fronts]

    def _side_by_side(self, work: Callable[[P], T], parts: Sequence[P]) -> list[T]:
        """What is made of each part, in threads."""
        threads = min(CORES, len(parts))
        if threads < 2 or self.size < WORTH_THREADS:
            return [work(x) for x in parts]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, parts))


def forward(fronts: Iterable[_Front], x: Floats) -> None:
    """Solve with L, in place."""
    for front in fronts:
        own = slice(front.first, front.last)
        x[own] = front.inverse @ x[own]
        x[front.rest] -= front.below @ x[own]


def backward(fronts: Sequence[_Front], x: Floats) -> None:
    """Solve with L*, in place."""
    for front in reversed(fronts):
        own = slice(front.first, front.last)
        x[own] = front.inverse.T @ (x[own] - front.below.T @ x[front.rest])


@dataclass(frozen=True, eq=False)
class _Elimination:
    """Blocks of an ordered matrix between `ends`, children first; each hands what is left to its parent."""

    matrix: scipy.sparse.csc_array
    order: Ints
    ends: list[int]
    parents: list[int]

    def fronts(
        self, start: int, stop: int, updates: Iterable[tuple[int, Update]] = ()
    ) -> tuple[list[_Front], list[tuple[int, Update]]]:
        """Fronts of some blocks, given what others have left on them; and what they leave on blocks beyond."""
        A = self.matrix
        waiting: dict[int, list[Update]] = {}
        for parent, own in updates:
            waiting.setdefault(parent, []).append(own)
        found: list[_Front] = []
        space = np.empty(0)
        for number in range(start, stop):
            first, last = self.ends[number], self.ends[number + 1]
            given = waiting.pop(number, [])
            entries = slice(A.indptr[first], A.indptr[last])
            rows, values = np.asarray(A.indices[entries], dtype=np.int64), A.data[entries]
            columns = np.repeat(np.arange(last - first), np.diff(A.indptr[first : last + 1]))
            near = np.concatenate([rows, *(at for at, _ in given)])
            rest: Ints = np.unique(near[near >= last])
            n, size = last - first, last - first + len(rest)
            if size**2 > len(space):  # used again by each front: fresh memory costs more than the sums in it
                space = np.empty(size**2)
            F = space[: size**2].reshape(size, size)
            F[:] = 0.0
            kept = rows >= first
            F[_places(rows[kept], first, last, rest), columns[kept]] = values[kept]
            for at, update in given:
                place = _places(at, first, last, rest)
                F[np.ix_(place, place)] += update
            L, wrong = scipy.linalg.lapack.dpotrf(F[:n, :n].T, lower=0, clean=1)  # L* of the lower triangle
            if wrong:
                raise NotPositiveError(int(self.order[first + min(wrong, n) - 1]))
            inverse = np.ascontiguousarray(scipy.linalg.lapack.dtrtri(L, lower=0)[0].T)
            below = F[n:, :n] @ inverse.T
            found.append(_Front(first, last, rest, inverse, below))
            if len(rest):
                left = below @ below.T
                waiting.setdefault(self.parents[number], []).append((rest, np.subtract(F[n:, n:], left, out=left)))
        return found, [(parent, x) for parent, own in waiting.items() for x in own]


def _places(unknowns: Ints, first: int, last: int, rest: Ints) -> Ints:
    """Rows of unknowns in a front."""
    return np.where(unknowns < last, unknowns - first, last - first + np.searchsorted(rest, unknowns))
