"""How a recursion is compiled: the two decorators that all number-generic functions carry.

A `step` is plain Python over numbers, tuples and arrays; a `sweep` is a loop of steps over the bodies. A sweep is
compiled, its steps written out in it, the first time it is called with arguments of some types (float64, complex128)
and kept on disk. The plain Python twins stay reachable, so the same source also runs on any other number type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from supple.engines.sweeps.sweep import Sweep

F = TypeVar("F", bound=Callable[..., Any])


class Step:
    """A function that is written out in every sweep that calls it, and not callable by itself.

    Attributes
    ----------
    py_func : function
        Its plain Python twin.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__


def step(function: F) -> F:
    """Return `function` as a part of every sweep that calls it. Its plain Python twin is `function.py_func`."""
    return cast(F, Step(function))


def sweep(function: F) -> F:
    """Return `function` compiled on first use for the types it is called with, and kept on disk.

    When the cache directory cannot be written the code is compiled anew in each process.
    """
    return cast(F, Sweep(function))
