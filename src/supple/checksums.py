"""Checksums behind the data of HDF5 files, which HDF5 itself ignores.

HDF5 can hang or abort on damaged files, so the checksum is looked at before a file is opened. A file without one,
written by another program, is opened as it is, and so is one that would take long to read whole.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from supple.errors import FileFormatError
from supple.input_files import open_regular, unreadable

MARK = b"supple sha256 "
"""What stands between the data and the checksum."""
END = len(MARK) + hashlib.sha256().digest_size
LARGEST = 512 * 2**20
"""Bytes of a file whose checksum is looked at: some tenths of a second."""


def seal(path: Path) -> None:
    """Put a checksum behind the data of a file."""
    with path.open("r+b") as file:
        digest = _digest(path, path.stat().st_size)
        file.seek(0, os.SEEK_END)
        file.write(MARK + digest)
        file.flush()
        os.fsync(file.fileno())


def require_intact(path: Path) -> None:
    """Raise a `FileFormatError` if a file cannot be read, or has a checksum that is not that of its data."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(size - END, 0))
            end = file.read(END)
    except OSError as error:
        raise unreadable(path, error) from None
    if end.startswith(MARK) and size <= LARGEST and end != MARK + _digest(path, size - END):
        raise FileFormatError(f"{path}: damaged: its checksum does not fit its content")


def _digest(path: Path, count: int) -> bytes:
    """SHA-256 of the first bytes of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while count > 0 and (block := file.read(min(count, 2**20))):
            digest.update(block)
            count -= len(block)
    return digest.digest()
