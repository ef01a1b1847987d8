"""Child processes that are interrupted: they get SIGINT's default handling, whatever this process has."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


def interruptible() -> None:
    """To be called between fork and exec: a background shell lets its commands, and theirs, ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def in_the_background() -> Iterator[None]:
    """Ignore SIGINT as a command of a background shell does."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
