"""Measures for sweeps that go wrong: they kill their process, always or once, raise, or never end.

They are found by their module in other processes, which have the same search path.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

KILLER, RAISER, ENDLESS = 3, 5, 7
"""Cases that always kill, always raise, never end."""


def last_angle(result: Any) -> float:
    """What a measure should be."""
    return float(result.q.values[-1, -1])


def troubled(result: Any) -> float:
    """Kills its process in one case, raises in another."""
    case = result.attrs["case"]
    if case == KILLER:
        os.kill(os.getpid(), signal.SIGKILL)
    if case == RAISER:
        raise ValueError("case five")
    return last_angle(result)


def endless(result: Any) -> float:
    """Never ends in one case."""
    while result.attrs["case"] == ENDLESS:
        time.sleep(60)
    return last_angle(result)


class KillsOnce:
    """Kills its process in some cases, the first time each is run: a file remembers."""

    def __init__(self, folder: Path, cases: tuple[int, ...]) -> None:
        self.folder, self.cases = str(folder), cases

    def __call__(self, result: Any) -> float:
        case = result.attrs["case"]
        mark = Path(self.folder, f"killed-{case}")
        if case in self.cases and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return troubled(result)
