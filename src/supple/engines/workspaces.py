"""Working arrays, one set for each thread and size, kept from call to call."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from supple.recursions.tree import Sizes, Workspace, workspace

KEPT = 8
"""Sizes of model whose arrays a thread keeps."""

_local = threading.local()


def borrow(size: Sizes, dtype: Any) -> Workspace:
    """This thread's arrays for a model of this size. What is in them is of no use to the next borrower."""
    kept: OrderedDict[tuple[Sizes, Any], Workspace] | None = getattr(_local, "kept", None)
    if kept is None:
        kept = _local.kept = OrderedDict()
    key = (size, dtype)
    found = kept.get(key)
    if found is None:
        found = kept[key] = workspace(size, dtype)
        if len(kept) > KEPT:
            kept.popitem(last=False)
    else:
        kept.move_to_end(key)
    return found
