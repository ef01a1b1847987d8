"""What stands for arrays while a recursion is recorded: cells of memory, and numbers of the model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.places import Place
from supple.expressions.graph import Expr

if TYPE_CHECKING:
    from supple.engines.blocks.block_recorder import BlockRecorder

ROW = 36
"""Longest row whose cells are addressed by the row and a fixed place in it."""


class Cells:
    """An array of cells: what stands for an array of the state or of a workspace while a recursion is recorded.

    Parameters
    ----------
    recorder : BlockRecorder
    shape : tuple of int
    initial : number or array, optional
        What is there at the start; without it, what the caller puts there.
    rows : bool
        Whether cells are addressed by the row that they are in and their place there, which suits rows that are read
        and written as a whole.
    first : int or Place, optional
        The first cell; new ones if not given.

    Attributes
    ----------
    extents : tuple of int
        The shape, for those who do not decide anything by it.
    """

    __slots__ = ("extents", "first", "recorder", "rows")

    def __init__(
        self,
        recorder: BlockRecorder,
        shape: tuple[int, ...],
        initial: NDArray[np.float64] | float | None = None,
        rows: bool = False,
        first: Any = None,
    ) -> None:
        self.recorder, self.extents, self.rows = recorder, shape, rows
        if first is None:
            first = recorder.allocate(self.size, None if initial is None else np.broadcast_to(initial, shape))
        self.first = first

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        self.recorder.measure()
        return self.extents

    @property
    def size(self) -> int:
        """Number of cells."""
        return math.prod(self.extents)

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for the same cells."""
        return (Cells, self.first, self.extents, self.rows)

    def _cell(self, key: Any) -> tuple[int, int, int]:
        """The address of a cell, that of its row, and the term that these follow from."""
        if type(key) is not tuple:
            if type(key) is Place and type(self.first) is int:
                at = self.first + key.value
                return at, at, key.term
            at = self.first + key
        elif self.rows and len(key) == 2 and type(key[1]) is int and type(self.first) is int:
            i, j = key
            width = self.extents[1]
            if type(i) is Place:
                row = self.first + i.value * width
                return row + j, row, i.origins.times(i.term, width)
            row = self.first + i * width
            return row + j, row, 0
        else:
            at = self.first + self._place(key)
        return (at, at, 0) if type(at) is int else (at.value, at.value, at.term)

    def _place(self, key: Any) -> Any:
        """Where a cell or a part begins, in cells or parts of that size."""
        place: Any = 0
        for n, i in zip(self.extents, key if type(key) is tuple else (key,), strict=False):
            place = place * n + i
        return place

    def __getitem__(self, key: Any) -> Any:
        axes = len(key) if type(key) is tuple else 1
        if axes == len(self.extents):
            at, row, term = self._cell(key)
            return self.recorder.read(at, row, term)
        shape = self.extents[axes:]
        first = self.first + self._place(key) * math.prod(shape)
        return Cells(self.recorder, shape, None, self.rows and len(shape) > 1, first)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            for i in range(*key.indices(len(self))):
                self[i] = value
        elif (len(key) if type(key) is tuple else 1) < len(self.extents):
            self[key][:] = value
        else:
            self.recorder.write(*self._cell(key), value)


class ModelNumbers:
    """An array of the model's numbers while a recursion is recorded.

    Zeros belong to the structure, in arrays of directions ones too; all others are loaded.

    Parameters
    ----------
    recorder : BlockRecorder
    values : array of one or two axes
    first : int
        Where the array begins among the numbers.
    folded : tuple of float
        Values that belong to the structure.
    """

    __slots__ = ("extents", "first", "recorder")
    rows = True
    """Numbers are addressed by the row that they are in, if it is no long one."""

    def __init__(
        self, recorder: BlockRecorder, values: NDArray[np.float64], first: int, folded: tuple[float, ...]
    ) -> None:
        self.recorder, self.extents, self.first = recorder, values.shape, first
        recorder.fold(first, values, folded)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        self.recorder.measure()
        return self.extents

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return math.prod(self.extents)

    def __getitem__(self, key: Any) -> Expr:
        if type(key) is Place:
            at = self.first + key.value
            return self.recorder.number(at, at, key.term)
        if type(key) is not tuple:
            at = self.first + key
        else:
            i, j = key
            width = self.extents[1]
            if width <= ROW and type(j) is int:
                if type(i) is Place:
                    row = self.first + i.value * width
                    return self.recorder.number(row + j, row, i.origins.times(i.term, width))
                row = self.first + i * width
                return self.recorder.number(row + j, row, 0)
            at = self.first + i * width + j
        if type(at) is Place:
            return self.recorder.number(at.value, at.value, at.term)
        return self.recorder.number(at, at, 0)
