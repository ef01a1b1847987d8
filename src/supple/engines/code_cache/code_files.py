"""Compiled code in files that carry their key and checksum.

A file is used only if it is whole and was written for just this key, by these sources and this compiler; anything else
(damaged, exchanged with another, not a file at all) counts as absent, and the code is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from supple.engines.code_cache.code_directory import directory_of
from supple.engines.code_cache.code_origin import origin
from supple.engines.code_cache.code_room import DRAFT, file_name, make_room
from supple.input_files import open_regular

MAGIC = b"supple code 4\n"
HEAD = len(MAGIC) + 32
HOUR = 3600.0
"""Seconds within which a file is not marked as used again, to save writes."""


def read_code(kind: str, key: str) -> bytes | None:
    """The code that was stored for this key; None if there is none, or what is there is not whole or not for this key.

    Parameters
    ----------
    kind : str
        One of `code_origin.SOURCES`.
    key : str
        Everything that decides the code, but for its sources, the compiler and the processor.
    """
    directory = directory_of(kind)
    if directory is None:
        return None
    path = directory / file_name(kind, key)
    try:
        with open_regular(path) as file:
            content, used = file.read(), os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    code = content[HEAD:]
    if content[:HEAD] != _head(kind, key, code):
        return None
    if time.time() - used > HOUR:
        with suppress(OSError):
            os.utime(path)
    return code


def has_code(kind: str, key: str) -> bool:
    """Whether there is a file for this key; what it holds only `read_code` tells."""
    directory = directory_of(kind)
    return directory is not None and (directory / file_name(kind, key)).is_file()


def write_code(kind: str, key: str, code: bytes) -> None:
    """Store the code whole or not at all; where that cannot be, it is compiled again next time."""
    directory = directory_of(kind)
    content = _head(kind, key, code) + code
    if directory is None or not make_room(len(content)):
        return
    with suppress(OSError):
        _write(directory / file_name(kind, key), content)


def _write(path: Path, content: bytes) -> None:
    """Write a file under another name, which nobody else can open, and give it its own."""
    handle, draft = tempfile.mkstemp(prefix=".", suffix=DRAFT, dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def _head(kind: str, key: str, code: bytes) -> bytes:
    """What a file of this code begins with: format, and a checksum of whole key and code."""
    whole = f"{kind} {origin(kind)} {key}"
    return MAGIC + hashlib.sha256(hashlib.sha256(whole.encode()).digest() + code).digest()
