"""Linear maps that are applied, not stored: products, sums, transposes and inverses of them are such maps again.

An operator times a vector runs a recursion over the bodies and costs O(n); its matrix is formed only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import StateError

Numbers = NDArray[Any]


class Operator:
    """A linear map: `@`, `+`, `-`, `.T`, `.inverse()`, `.dense()`."""

    __array_ufunc__ = None

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape

    def apply(self, x: Numbers) -> Numbers:
        """This operator times the columns of x (columns of the operator, m)."""
        raise NotImplementedError

    @property
    def T(self) -> Operator:
        """The transpose."""
        raise NotImplementedError

    def inverse(self) -> Operator:
        """The inverse, applied at the same cost; refused where the operator has none that is known."""
        raise StateError(f"{self!r} has no inverse that can be applied by a recursion")

    @overload
    def __matmul__(self, other: Operator) -> Operator: ...

    @overload
    def __matmul__(self, other: ArrayLike) -> Numbers: ...

    def __matmul__(self, other: Operator | ArrayLike) -> Operator | Numbers:
        if isinstance(other, Operator):
            _require(self.shape[1] == other.shape[0], self, other.shape)
            return Product(self, other)
        x = np.asarray(other)
        _require(x.ndim in (1, 2) and x.shape[0] == self.shape[1], self, x.shape)
        return self.apply(x[:, None])[:, 0] if x.ndim == 1 else self.apply(x)

    def __add__(self, other: Operator) -> Operator:
        return Sum(self, other, 1.0)

    def __sub__(self, other: Operator) -> Operator:
        return Sum(self, other, -1.0)

    def dense(self) -> Numbers:
        """The matrix."""
        out: Numbers = self.apply(np.eye(self.shape[1]))
        return out

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.shape[0]} x {self.shape[1]}>"


def _require(fits: bool, operator: Operator, got: tuple[int, ...]) -> None:
    if not fits:
        raise StateError(f"{operator!r} @: expected something of length {operator.shape[1]}, got shape {got}")


class Identity(Operator):
    """The identity of n rows."""

    def __init__(self, n: int) -> None:
        super().__init__((n, n))

    def apply(self, x: Numbers) -> Numbers:
        return x

    @property
    def T(self) -> Identity:
        return self

    def inverse(self) -> Identity:
        """Itself."""
        return self


class Product(Operator):
    """Left times right."""

    def __init__(self, left: Operator, right: Operator) -> None:
        super().__init__((left.shape[0], right.shape[1]))
        self.left, self.right = left, right

    def apply(self, x: Numbers) -> Numbers:
        return self.left.apply(self.right.apply(x))

    @property
    def T(self) -> Product:
        return Product(self.right.T, self.left.T)

    def inverse(self) -> Product:
        """Inverse of the right times inverse of the left."""
        return Product(self.right.inverse(), self.left.inverse())


class Sum(Operator):
    """Left plus sign times right."""

    def __init__(self, left: Operator, right: Operator, sign: float) -> None:
        if left.shape != right.shape:
            raise StateError(f"{left!r} +-: expected the same shape, got {right.shape}")
        super().__init__(left.shape)
        self.left, self.right, self.sign = left, right, sign

    def apply(self, x: Numbers) -> Numbers:
        return self.left.apply(x) + self.sign * self.right.apply(x)

    @property
    def T(self) -> Sum:
        return Sum(self.left.T, self.right.T, self.sign)


class Invertible(Operator):
    """An operator of which the inverse is known.

    Parameters
    ----------
    forward, backward : Operator
        The operator, and its inverse.
    """

    def __init__(self, forward: Operator, backward: Operator) -> None:
        super().__init__(forward.shape)
        self.forward, self.backward = forward, backward

    def apply(self, x: Numbers) -> Numbers:
        return self.forward.apply(x)

    @property
    def T(self) -> Invertible:
        return Invertible(self.forward.T, self.backward.T)

    def inverse(self) -> Invertible:
        """The other of the two."""
        return Invertible(self.backward, self.forward)


class BlockDiagonal(Operator):
    """Blocks of any shapes along the diagonal.

    Parameters
    ----------
    blocks : sequence of arrays
    require : function, optional
        Raises an error if they have no inverse.
    """

    def __init__(self, blocks: Sequence[Numbers], require: Callable[[], None] = lambda: None) -> None:
        self._require = require
        self.blocks = [np.asarray(b) for b in blocks]
        self._rows = np.cumsum([0, *(b.shape[0] for b in self.blocks)])
        self._columns = np.cumsum([0, *(b.shape[1] for b in self.blocks)])
        super().__init__((int(self._rows[-1]), int(self._columns[-1])))

    @cached_property
    def _stacked(self) -> Numbers | None:
        """All blocks in one array, where they are of one shape: their products are then one of numpy's."""
        shapes = {b.shape for b in self.blocks}
        return np.stack(self.blocks) if len(shapes) == 1 else None

    def apply(self, x: Numbers) -> Numbers:
        if self._stacked is not None:
            count, _, columns = self._stacked.shape
            return (self._stacked @ x.reshape(count, columns, x.shape[1])).reshape(self.shape[0], x.shape[1])
        out = np.zeros((self.shape[0], x.shape[1]), np.result_type(x, common_type(self.blocks)))
        for k, block in enumerate(self.blocks):
            out[self._rows[k] : self._rows[k + 1]] = block @ x[self._columns[k] : self._columns[k + 1]]
        return out

    @property
    def T(self) -> BlockDiagonal:
        return BlockDiagonal([b.T for b in self.blocks])

    def inverse(self) -> BlockDiagonal:
        """Return the inverse, block by block."""
        self._require()
        return BlockDiagonal([np.linalg.inv(b) for b in self.blocks])

    def root(self) -> BlockDiagonal:
        """Return L, lower triangular in each block, with L L* = this; for symmetric positive blocks."""
        self._require()
        return BlockDiagonal([lower_factor(b) for b in self.blocks])


def common_type(blocks: Sequence[Numbers]) -> np.dtype[Any]:
    """Return the type of all blocks together; some may be real where others are complex."""
    return np.result_type(np.float64, *{b.dtype for b in blocks})


def lower_factor(D: Numbers) -> Numbers:
    """L of D = L L*; of a complex D the analytic continuation, without conjugates, as complex steps need it."""
    if not np.iscomplexobj(D):
        return np.asarray(np.linalg.cholesky(D))
    L = np.zeros_like(D)
    for i in range(len(D)):
        for j in range(i):
            L[i, j] = (D[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        L[i, i] = np.sqrt(D[i, i] - L[i, :i] @ L[i, :i])
    return L
