"""Python functions where machine code is called by its address: an entry (see `entries`) that calls back."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

MOST_ROWS = 1000
"""Sets of arrays that are remembered: native loops call with the same ones again and again."""


class CalledBack:
    """A Python function of arrays for one state, called from native loops.

    Parameters
    ----------
    function : function of arrays
        Fills its last arrays, the outputs.
    lengths : sequence of int
        Of all arrays.
    outputs : int
        How many of them are filled. They become not a number if the function raises something.

    Attributes
    ----------
    address : int
        Of the record, valid as long as this object.
    error : BaseException, optional
        What the function has raised; it is not called again.
    """

    def __init__(self, function: Callable[..., None], lengths: Sequence[int], outputs: int) -> None:
        self.error: BaseException | None = None
        pointers = ctypes.c_void_p * len(lengths)
        known: dict[tuple[int | None, ...], list[Any]] = {}

        @ENTRY
        def entry(record: int, start: int, stop: int, arrays: int, strides: int) -> None:
            at = tuple(pointers.from_address(arrays))
            rows = known.get(at)
            if rows is None:
                if len(known) >= MOST_ROWS:
                    known.clear()
                rows = known[at] = [_row(x, n) for x, n in zip(at, lengths, strict=True)]
            if self.error is None:
                try:
                    function(*rows)
                except BaseException as error:  # nothing passes through machine code: raised behind it
                    self.error = error
            if self.error is not None:
                for row in rows[-outputs:]:
                    row[:] = np.nan

        self._entry = entry
        self._record = np.array([ctypes.cast(entry, ctypes.c_void_p).value], dtype=np.int64)
        self.address = int(self._record.ctypes.data)

    def require_sound(self) -> None:
        """Raise what the function has raised."""
        if self.error is not None:
            raise self.error


def _row(pointer: int | None, length: int) -> Any:
    """An array that machine code has."""
    if not length or pointer is None:
        return np.zeros(0)
    return np.ctypeslib.as_array((ctypes.c_double * length).from_address(pointer))
