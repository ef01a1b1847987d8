"""Which outputs of a graph depend on which inputs: where a Jacobian can be other than zero.

One sweep over the graph carries along the set of inputs that each node depends on, as the bits of a number. What counts
is the structure: an entry whose terms happen to cancel is there, one that no way through the graph leads to is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, order_of
from supple.expressions.operations import OPERATIONS

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SparsityPattern:
    """Places of the entries of a sparse matrix, row by row, columns rising within a row.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    starts : (rows + 1,) array of int
        Row i has the entries starts[i] ... starts[i + 1] - 1.
    columns : (entries,) array of int

    Examples
    --------
    >>> pattern = SparsityPattern((2, 3), np.array([0, 2, 3]), np.array([0, 2, 1]))
    >>> pattern.dense([5.0, 6.0, 7.0])
    array([[5., 0., 6.],
           [0., 7., 0.]])
    """

    shape: tuple[int, int]
    starts: Indices
    columns: Indices

    @staticmethod
    def of_rows(rows: Sequence[ArrayLike], columns: int) -> SparsityPattern:
        """The pattern whose rows have entries in these columns, given in rising order."""
        found = [np.asarray(row, dtype=np.intp) for row in rows]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in found], dtype=np.intp)])
        return SparsityPattern((len(found), columns), starts, np.concatenate([*found, np.empty(0, dtype=np.intp)]))

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.columns)

    @property
    def density(self) -> float:
        """Share of the matrix that its entries take; of an empty matrix all of it."""
        size = self.shape[0] * self.shape[1]
        return len(self) / size if size else 1.0

    @cached_property
    def rows(self) -> Indices:
        """(entries,) array: the row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    @cached_property
    def transposed(self) -> SparsityPattern:
        """The pattern of the transpose."""
        order = np.argsort(self.columns, kind="stable")
        counts = np.bincount(self.columns, minlength=self.shape[1])
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        return SparsityPattern((self.shape[1], self.shape[0]), starts, self.rows[order])

    def row(self, i: int) -> Indices:
        """Columns of the entries of a row."""
        return self.columns[self.starts[i] : self.starts[i + 1]]

    def dense(self, values: ArrayLike) -> NDArray[Any]:
        """Matrices (..., rows, columns) with these entries (..., entries), zero elsewhere."""
        x = np.asarray(values)
        out = np.zeros((*x.shape[:-1], *self.shape), dtype=x.dtype)
        out[..., self.rows, self.columns] = x
        return out

    def matrix(self, values: ArrayLike) -> scipy.sparse.csr_array:
        """The sparse matrix with these entries (entries,)."""
        return scipy.sparse.csr_array((np.asarray(values), self.columns, self.starts), shape=self.shape)


@checked
def sparsity(
    outputs: Nodes | Sequence[Any], inputs: Nodes | Sequence[Any], through_steps: bool = False
) -> SparsityPattern:
    """Where the derivatives of outputs by inputs can be other than zero.

    A sweep over all nodes that the outputs need: its time grows with nodes times inputs / 64.

    Parameters
    ----------
    outputs : array of Expr or numbers
        The rows, in the order of the flat array.
    inputs : array of Expr
        The columns.
    through_steps : bool
        Whether an output counts that changes with an input in jumps alone, as the sign of it does.

    Examples
    --------
    >>> from supple.symbolic import Graph
    >>> g = Graph()
    >>> x, y, z = (g.input(name) for name in "xyz")
    >>> pattern = sparsity([x * y, np.sin(z), 3.0], [x, y, z])
    >>> pattern.starts, pattern.columns
    (array([0, 2, 3, 3]), array([0, 1, 2]))
    """
    rows, leaves = np.asarray(outputs, dtype=object).ravel(), list(np.asarray(inputs, dtype=object).flat)
    sets = dependences(order_of(node for node in rows if isinstance(node, Expr)), leaves, through_steps)
    found = [members(sets.get(node.id, 0)) if isinstance(node, Expr) else () for node in rows]
    return SparsityPattern.of_rows(found, len(leaves))


def dependences(order: Iterable[Expr], leaves: Sequence[Expr], through_steps: bool = False) -> dict[int, int]:
    """On which leaves the nodes of an order depend, by their numbers: bit j for leaf j; those on none are left out."""
    own: dict[int, int] = {}
    for j, leaf in enumerate(leaves):
        own[leaf.id] = own.get(leaf.id, 0) | 1 << j
    found: dict[int, int] = {}
    for node in order:
        bits = own.get(node.id, 0)
        if node.args and (through_steps or not OPERATIONS[node.op].stepwise):
            for a in node.args:
                bits |= found.get(a.id, 0)
        if bits:
            found[node.id] = bits
    return found


def members(bits: int) -> Indices:
    """Numbers of the bits that are set, rising."""
    packed = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, bitorder="little"))
