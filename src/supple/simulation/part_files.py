"""The directory that holds a run while it goes on: files that are whole or not there, and one process at a time.

Every file is written under a temporary name (`.draft`), brought to the disk, and only then given its own. It ends in
the SHA-256 digest of all that comes before, 32 bytes that HDF5 does not look at, so damage is found before HDF5 reads.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from supple.errors import ResultsError
from supple.input_files import open_regular

try:
    import fcntl
except ImportError:  # Windows: two runs at once are not noticed
    fcntl = None  # type: ignore[assignment]

DIGEST = hashlib.sha256().digest_size
DRAFT = ".draft"
BLOCK = 2**20


class PartFiles:
    """The files of a run that goes on, or was interrupted.

    Parameters
    ----------
    target : Path
        Where the results will be at the end; the directory is beside it.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.directory = target.with_name(f"{target.name}.parts")
        self.manifest = self.directory / "manifest.nc"
        self.result = self.directory / "result.nc"
        self.lock = self.directory / "lock"

    def part(self, number: int) -> Path:
        """The file of one part; parts are counted from zero."""
        return self.directory / f"{number:05d}.nc"

    def numbers(self) -> list[int]:
        """The numbers of the parts that are there, in order."""
        names = os.listdir(self.directory) if self.directory.is_dir() else []
        return sorted(int(name[:-3]) for name in names if re.fullmatch(r"\d{5,}\.nc", name))

    def sound(self) -> tuple[list[Path], str]:
        """The parts up to the first that is damaged or missing, and what is wrong with that one, if anything."""
        numbers = self.numbers()
        files: list[Path] = []
        for expected, number in enumerate(numbers):
            if number != expected:
                return files, f"{self.part(expected)} is missing"
            if not intact(self.part(number)):
                return files, f"{self.part(number)} is damaged: its checksum does not fit its content"
            files.append(self.part(number))
        return files, ""

    def settle(self) -> None:
        """Complete what a process was killed at: without a manifest the run is over, and only its result counts."""
        if self.manifest.exists():
            return
        if self.result.exists():
            self.result.replace(self.target)
        self.drop(0)

    def drop(self, first: int) -> None:
        """Remove the parts from one on, the last first, so that what is left is always a beginning."""
        for number in reversed(self.numbers()):
            if number >= first:
                self.part(number).unlink()

    def empty(self) -> None:
        """Remove all but the lock; the result before the manifest, since with no manifest it would count."""
        for file in (self.result, self.manifest, *self.directory.glob(f"*{DRAFT}")):
            file.unlink(missing_ok=True)
        self.drop(0)
        sync(self.directory)

    def remove(self, release: Callable[[], None]) -> None:
        """Remove the directory, unless there is something in it that is not ours.

        Windows does not remove a file that is open: there the lock is released first.
        """
        self.empty()
        if fcntl is None:
            release()
        self.lock.unlink(missing_ok=True)
        with suppress(OSError):
            self.directory.rmdir()


def intact(file: Path) -> bool:
    """Whether a file of the directory fits its digest; it is read block by block."""
    found = hashlib.sha256()
    with open_regular(file) as stream:
        left = os.fstat(stream.fileno()).st_size - DIGEST
        while left > 0:
            block = stream.read(min(BLOCK, left))
            if not block:
                return False
            found.update(block)
            left -= len(block)
        return left == 0 and stream.read() == found.digest()


def content(file: Path) -> bytes | None:
    """What a file of the directory holds, without its digest; None if that does not fit."""
    with open_regular(file) as stream:
        data = stream.read()
    body, digest = data[:-DIGEST], data[-DIGEST:]
    return body if hashlib.sha256(body).digest() == digest else None


def write(file: Path, image: bytes | memoryview) -> None:
    """Write a file with its digest: at every moment it is whole, or as it was before."""

    def fill(stream: BinaryIO) -> None:
        stream.write(image)
        stream.write(hashlib.sha256(image).digest())

    write_by(file, fill)


def write_by(file: Path, fill: Callable[[BinaryIO], None]) -> None:
    """Write a file by a function that is given its stream: at every moment it is whole, or as it was before."""
    draft = file.with_name(file.name + DRAFT)
    try:
        with open(draft, "w+b") as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    sync(file.parent)


def sync(directory: Path) -> None:
    """Bring the names in a directory to the disk."""
    if os.name == "posix":  # elsewhere directories cannot be opened
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def locked(file: Path) -> int | None:
    """A descriptor that holds the lock on a file until it is closed or the process ends, however that may be.

    None if this process cannot have it. Where the system or the file system has no locks, everybody can.
    """
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                os.close(descriptor)
                return None
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL):
                os.close(descriptor)
                raise
        # The run that had it may have removed the file in between: then this is a lock on nothing.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(file)):
                return descriptor
        os.close(descriptor)


@contextmanager
def failures(file: Path, deed: str, kept: str = "") -> Iterator[None]:
    """Turn errors of the system into a `ResultsError` that says which file and what was kept."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ResultsError(f"{file}: cannot be {deed}: {reason}{f'; {kept}' if kept else ''}") from None
