"""Files opened for reading: regular files only, of bounded size, with a message for whatever else a path leads to.

A named pipe or a device would keep its reader waiting for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, cast

from supple.errors import FileFormatError

LARGEST = 32 * 2**20
"""Bytes of a file of text: a model of tens of thousands of bodies."""
BLOCK = 2**24
"""Bytes that are read at a time."""
SHOWN = 200
"""Characters of a path that messages show."""


def open_regular(path: str | os.PathLike[str], mode: str = "rb") -> BinaryIO:
    """Open a regular file without buffering, or raise an `OSError`; nothing is waited for."""
    try:
        file = cast(BinaryIO, open(path, mode, buffering=0, opener=_without_waiting))  # noqa: SIM115
    except ValueError as error:  # a null character
        raise OSError(errno.EINVAL, str(error)) from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "expected a regular file, got a pipe or device")
    return file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def require_file(path: Path) -> None:
    """Raise a `FileFormatError` if a file cannot be opened for reading."""
    try:
        open_regular(path).close()
    except OSError as error:
        raise unreadable(path, error) from None


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """Return the content of a file, or raise a `FileFormatError` that says why there is none.

    Parameters
    ----------
    path : Path
    largest : int
        Bytes; a larger file is an error.
    """
    found = bytearray()
    try:
        with open_regular(path) as file:
            while len(found) <= largest and (block := file.read(min(BLOCK, largest + 1 - len(found)))):
                found += block
    except OSError as error:
        raise unreadable(path, error) from None
    if len(found) > largest:
        raise FileFormatError(f"{path}: expected a file of at most {largest >> 20:,} MB, got a larger one")
    return bytes(found)


def unreadable(path: Path, error: OSError | ValueError) -> FileFormatError:
    """Return the error that says why a file cannot be opened or read."""
    shown = str(path).replace("\0", "\\0")
    shown = shown if len(shown) < SHOWN else f"{shown[:SHOWN]}..."
    if isinstance(error, FileNotFoundError):
        return FileFormatError(f"{shown}: no such file{_similar(path)}")
    if isinstance(error, IsADirectoryError) or (isinstance(error, PermissionError) and path.is_dir()):  # on Windows
        return FileFormatError(f"{shown}: expected a file, got a directory")
    return FileFormatError(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}")


def _similar(path: Path) -> str:
    """A hint: the file of the same stem, or the one of the same kind whose name is almost the same."""
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return f"; there is no directory {path.parent}"
    stem, suffix = path.stem.casefold(), path.suffix.casefold()
    found = {name: Path(name.casefold()) for name in names}
    close = [name for name, other in found.items() if other.stem == stem]
    stems = {other.stem: name for name, other in found.items() if other.suffix == suffix}
    close += [stems[x] for x in get_close_matches(stem, stems, n=1)]
    return f"; did you mean {close[0]!r}?" if close else ""
