"""The programs of this process: in memory, on disk, or made, once for each key, whichever thread asks first."""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self, TypeVar

from supple.engines.code_cache import read_code, write_code

KEPT = 512
"""Programs that a process keeps."""
STORE = "programs"
"""Where they are kept on disk."""


class Stored(Protocol):
    """What can be written and read."""

    def written(self) -> bytes:
        """All of it."""
        ...

    @classmethod
    def read(cls, content: bytes) -> Self:
        """The one that was written."""
        ...


S = TypeVar("S", bound=Stored)
T = TypeVar("T")


class _Entry:
    """A program, or None as long as it is made by the thread that has the lock."""

    def __init__(self) -> None:
        self.lock, self.value = threading.RLock(), None


class ProgramCache:
    """Programs by key; those unused for longest go first.

    A thread that needs a program waits only for the thread that makes this one, and a recording may ask for others.

    Parameters
    ----------
    size : int
        Most programs.
    """

    def __init__(self, size: int = KEPT) -> None:
        self._size, self._lock = size, threading.Lock()
        self._entries: OrderedDict[tuple[Any, ...], _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return the program of a key.

        Parameters
        ----------
        key : tuple
            All that decides the program; the numbers that it loads are not among it.
        make : function
        """
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if len(self._entries) > self._size:
                self._entries.popitem(last=False)
        if entry.value is None:
            with entry.lock:
                if entry.value is None:
                    entry.value = made = make()  # type: ignore[assignment]
                    return made
        return entry.value

    def stored(self, kind: type[S], key: tuple[Any, ...], make: Callable[[], S]) -> S:
        """Return the program of a key of strings, numbers, and tuples of these, from disk if it is not in memory.

        Parameters
        ----------
        kind : class
            Of the program.
        key, make
            See `get`.
        """
        whole = (kind.__name__, *key)

        def found() -> S:
            content = read_code(STORE, repr(whole))
            if content is not None:
                return kind.read(content)
            with without_collection():
                made = make()
            write_code(STORE, repr(whole), made.written())
            return made

        return self.get(whole, found)


PROGRAMS = ProgramCache()
"""Those of this process: values, Jacobians, gradients."""
_recording = 0
_collection = threading.Lock()


@contextmanager
def without_collection() -> Iterator[None]:
    """Make no search for garbage among nodes, which live until the end of a recording: it takes a fifth of the time.

    What is left of them goes among the old objects without a look at each, unless somebody keeps objects frozen.
    """
    global _recording
    with _collection:
        counted = _recording > 0 or gc.isenabled()
        _recording += counted
        gc.disable()
    try:
        yield
    finally:
        with _collection:
            _recording -= counted
            if counted and not _recording:
                if not gc.get_freeze_count():
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()
