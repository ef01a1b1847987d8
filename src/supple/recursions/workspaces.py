"""Working arrays, borrowed for the time of a computation and kept by each thread for the next one of the same size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from types import TracebackType
from typing import Any

from supple.recursions.tree import Sizes, Workspace, workspace

KEPT = 8
"""Sizes of model whose arrays a thread keeps."""

Key = tuple[Sizes, Any]
_local = threading.local()


class borrow:
    """Arrays for a model of this size, until the end of a block `with borrow(size, dtype) as ws:`.

    Results must be copied out before it ends. Nobody else has them meanwhile: a second block inside the first gets
    others. What the last borrower left in them is of no use to the next.

    Parameters
    ----------
    size : Sizes
    dtype : type
        np.float64 or np.complex128.
    """

    __slots__ = ("_held", "_key")

    def __init__(self, size: Sizes, dtype: Any) -> None:
        self._key: Key = (size, dtype)
        self._held: Workspace | None = None

    def __enter__(self) -> Workspace:
        self._held = _idle().pop(self._key, None) or workspace(*self._key)
        return self._held

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._held is not None
        idle = _idle()
        idle[self._key], self._held = self._held, None
        idle.move_to_end(self._key)
        if len(idle) > KEPT:
            idle.popitem(last=False)


def _idle() -> OrderedDict[Key, Workspace]:
    """This thread's arrays that nobody has borrowed, those used last at the end."""
    try:
        found: OrderedDict[Key, Workspace] = _local.idle
    except AttributeError:
        found = _local.idle = OrderedDict()
    return found
