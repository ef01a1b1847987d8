"""Where compiled code is kept.

Machine code is executed as it is read, so a directory that others could have written to is not used at all.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from supple.errors import PerformanceWarning, warn

OTHERS_WRITE = 0o022
"""Mode bits: writable by the group, writable by everybody."""


def cache_directory() -> Path:
    """Directory of compiled code: `SUPPLE_CACHE_DIR`, else the user's cache directory."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "supple"


def directory_of(kind: str) -> Path | None:
    """The directory for one kind of code, made if there is none; None if it cannot be made or may not be used."""
    top = cache_directory()
    directory = top / kind
    try:
        for place in (top, directory):
            try:
                place.stat()
            except FileNotFoundError:
                place.mkdir(mode=0o700, parents=True, exist_ok=True)
            reason = reason_against(place)
            if reason:
                _warn(place, reason)
                return None
    except OSError:
        return None
    return directory


def reason_against(directory: Path) -> str | None:
    """Why code in a directory is not used, and what to do about it; None if it is: its user alone can write to it."""
    if os.name != "posix":  # no owners and modes to ask for
        return None
    status = directory.stat()
    if status.st_uid != os.geteuid():
        return "belongs to another user; set SUPPLE_CACHE_DIR to a directory of your own"
    if status.st_mode & OTHERS_WRITE:
        return "can be written by others; run chmod go-w on it"
    return None


@cache
def _warn(directory: Path, reason: str) -> None:
    text = f"{directory}: compiled code is not kept here, each process compiles anew: the directory {reason}"
    warn(text, PerformanceWarning)
