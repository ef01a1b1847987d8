"""Compiled code on disk: files that carry their key and checksum, in directories that only their user writes.

A file is used only if it is whole and was written for just this key; anything else (damaged, exchanged with another,
not a file at all) counts as absent, and the code is compiled again. Machine code is executed as it is read, so a
directory that others could have written to is not used at all.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

from supple.errors import PerformanceWarning

MAGIC = b"supple code 2\n"
HEAD = len(MAGIC) + 2 * 32
OTHERS_WRITE = 0o022
"""Mode bits: writable by the group, writable by everybody."""


def cache_directory() -> Path:
    """Directory of compiled code: `SUPPLE_CACHE_DIR`, else the user's cache directory."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "supple"


def read_code(directory: Path, key: str) -> bytes | None:
    """The code that was stored for this key; None if there is none, or what is there is not whole or not for this key.

    Parameters
    ----------
    directory : path
        One kind of code, in the cache directory.
    key : str
        Everything that decides the code.
    """
    path = _path(directory, key)
    if path is None:
        return None
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[HEAD:]
    return code if content[:HEAD] == _head(key, code) else None


def write_code(directory: Path, key: str, code: bytes) -> None:
    """Store the code whole or not at all; where that cannot be, it is compiled again next time."""
    path = _path(directory, key)
    if path is None:
        return
    with suppress(OSError):
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(_head(key, code) + code)
        try:
            os.replace(draft.name, path)
        except OSError:
            os.unlink(draft.name)


def _head(key: str, code: bytes) -> bytes:
    """What a file of this code begins with: format, key, checksum."""
    return MAGIC + hashlib.sha256(key.encode()).digest() + hashlib.sha256(code).digest()


def _path(directory: Path, key: str) -> Path | None:
    """The file for a key; None if its directory cannot be made or may not be used."""
    try:
        for place in (directory.parent, directory):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _private(place):
                return None
    except OSError:
        return None
    return directory / f"{hashlib.sha256(key.encode()).hexdigest()}.o"


def _private(directory: Path) -> bool:
    """Whether the directory belongs to this user and nobody else can write to it; if not, warn once."""
    if os.name != "posix":  # no owners and modes to ask for
        return True
    status = directory.stat()
    if status.st_uid != os.geteuid():
        _warn(directory, "belongs to another user; set SUPPLE_CACHE_DIR to a directory of your own")
    elif status.st_mode & OTHERS_WRITE:
        _warn(directory, "can be written by others; run chmod go-w on it")
    else:
        return True
    return False


@cache
def _warn(directory: Path, reason: str) -> None:
    text = f"{directory}: compiled code is not kept here, each process compiles anew: the directory {reason}"
    warnings.warn(text, PerformanceWarning, stacklevel=2)
