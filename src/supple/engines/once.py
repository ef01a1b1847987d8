"""Values that are made once in a process, whichever thread asks first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> Callable[P, T]:
    """Return `function` with its results kept, for arguments that can be hashed, until the process ends.

    `functools.cache` lets two threads compute the same, and drops one of the results. That is no way to keep what
    machine code or Python point to: whoever was given the address of the one that was dropped would run freed memory.
    """
    kept, lock = cast(Any, cache(function)), threading.RLock()

    @wraps(function)
    def found(*args: P.args, **options: P.kwargs) -> T:
        with lock:
            return cast(T, kept(*args, **options))

    return found
