"""Machine code that a driver walks for ranges of states, in memory of the thread that asks."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Words = NDArray[np.int64]
ALIGNED = 64
"""Bytes to which memory is aligned: the widest vector."""
DRIVER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 4)
"""void driver(words, start, stop, pointers, strides, memory, numbers)"""


class ThreadRoom(NamedTuple):
    """What one thread works in: its memory, pointers to the arrays of a call with their strides; addresses of these."""

    memory: Numbers
    pointers: Words
    strides: Words
    addresses: tuple[int, int, int]


class DrivenCode:
    """A program in words, and the driver that reads them.

    Parameters
    ----------
    words : array
        The program, as its driver reads it.
    driver : int
        Address.
    size : int
        Bytes of memory that it works in.
    """

    def __init__(self, words: Words, driver: int, size: int) -> None:
        self.words, self.driver, self._size = words, driver, size
        self._call, self._words_at = DRIVER(driver), words.ctypes.data
        self._local = threading.local()

    def memory(self) -> Numbers:
        """New cells, all zero, aligned."""
        raw = np.zeros((self._size + ALIGNED) // 8)
        first = -raw.ctypes.data % ALIGNED // 8
        return raw[first : first + self._size // 8]

    def run(self, start: int, stop: int, arrays: Sequence[Numbers], numbers: Numbers) -> None:
        """Evaluate the states start ... stop - 1: arrays (1 or states, n), inputs, outputs, Jacobians if it has any."""
        room = self._room(len(arrays))
        for i, x in enumerate(arrays):
            room.pointers[i], room.strides[i] = x.ctypes.data, 0 if len(x) == 1 else x.shape[1]
        self._call(self._words_at, start, stop, *room.addresses, numbers.ctypes.data)

    def _room(self, arrays: int) -> ThreadRoom:
        """That of this thread, made at its first call."""
        try:
            found: ThreadRoom = self._local.room
        except AttributeError:
            memory, pointers, strides = self.memory(), *np.zeros((2, arrays), dtype=np.int64)
            addresses = pointers.ctypes.data, strides.ctypes.data, memory.ctypes.data
            found = self._local.room = ThreadRoom(memory, pointers, strides, addresses)
        return found
