"""Sizes of a benchmark: with `--small` it runs once on small cases, to see that it works; times say nothing then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from supple import bench

SMALL = "--small" in sys.argv
ARGUMENTS = [word for word in sys.argv[1:] if word != "--small"]


def best_time(call: Callable[[], Any], seconds: float = 0.3) -> float:
    """The shortest of as many runs as fit into the time, in seconds; of one run if sizes are small."""
    return bench.best_time(call, 0.0 if SMALL else seconds)


def compile_at_once() -> None:
    """Time the code that long runs come to: blocks are compiled from the start, which would be interpreted at first.

    Small cases leave it as it is, and so does who has set `SUPPLE_OPTIMIZATION`.
    """
    if not SMALL:
        os.environ.setdefault("SUPPLE_OPTIMIZATION", "1")
