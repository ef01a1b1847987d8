"""Sizes of a benchmark: with `--small` it runs once on small cases, to see that it works; times say nothing then."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from supple import bench

SMALL = "--small" in sys.argv
ARGUMENTS = [word for word in sys.argv[1:] if word != "--small"]


def best_time(call: Callable[[], Any], seconds: float = 0.3) -> float:
    """The shortest of as many runs as fit into the time, in seconds; of one run if sizes are small."""
    return bench.best_time(call, 0.0 if SMALL else seconds)
