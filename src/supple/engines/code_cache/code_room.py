"""Room for compiled code: beyond a limit files are removed, of other versions first, then those unused for longest.

What is written is counted in a file that all processes append to, one mark a page. When it shows that an eighth of the
limit has been written, that process looks through the directory. No lock is needed: two that do so at once remove the
same files, and a file that is gone when it is wanted is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from supple.engines.code_cache.code_directory import cache_directory
from supple.engines.code_cache.code_origin import SOURCES, origin
from supple.errors import SuppleError
from supple.input_files import open_regular

MIB = 2**20
USUAL_LIMIT = 1024
"""MiB."""
PAGE = 4096
"""Bytes that files are counted in, as most disks do."""
SHARE = 8
"""The share of the limit, one in this many, that is written before the directory is looked through again."""
WRITTEN = ".supple_written"
"""The file of marks."""
ABANDONED = 3600.0
"""Seconds after which an unfinished file is one of a process that was killed."""
DRAFT = ".draft"
"""How the names of unfinished files end; they begin with a point."""
OURS = re.compile(r"([0-9a-f]{16}-)?[0-9a-f]{64}\.o|\.[a-z0-9_]{8}\.draft")
"""Names of files that are ours to remove."""


@dataclass(frozen=True)
class CodeFile:
    """A file of the cache.

    Attributes
    ----------
    path : path
    kind : str
        Of code; see `SOURCES`.
    size : int
        Bytes on disk, in whole pages.
    used : float
        When it was last used, to an hour, seconds.
    """

    path: Path
    kind: str
    size: int
    used: float

    @property
    def unfinished(self) -> bool:
        """Whether it is still being written, or was when its process was killed."""
        return self.path.suffix == DRAFT

    @property
    def current(self) -> bool:
        """Whether these sources, this compiler and this processor can use it."""
        return self.unfinished or self.path.name.startswith(_version(self.kind))


def file_name(kind: str, key: str) -> str:
    """The name of the file for a key; it begins with the version of what wrote it."""
    return f"{_version(kind)}{hashlib.sha256(key.encode()).hexdigest()}.o"


def cache_limit() -> int:
    """Most bytes that are kept: `SUPPLE_CACHE_SIZE` in MiB, else 1 GiB."""
    chosen = os.environ.get("SUPPLE_CACHE_SIZE") or str(USUAL_LIMIT)
    if not (chosen.isascii() and chosen.isdecimal() and int(chosen)):
        expected = f"expected a whole number of MiB, 1 or more, such as {USUAL_LIMIT}"
        raise SuppleError(f"environment variable SUPPLE_CACHE_SIZE: {expected}, got {chosen!r}")
    return int(chosen) * MIB


def code_files() -> list[CodeFile]:
    """All files of compiled code, of any version; others that lie in the directory are not among them."""
    found = []
    for kind in SOURCES:
        with suppress(OSError), os.scandir(cache_directory() / kind) as entries:
            for entry in entries:
                with suppress(OSError):
                    if OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        found.append(CodeFile(Path(entry.path), kind, _pages(status.st_size) * PAGE, status.st_mtime))
    return found


def make_room(size: int) -> bool:
    """Count a file that will be written, and evict others if it is time to; False if it is too large to be kept."""
    limit = cache_limit()
    if size > limit:
        return False
    with suppress(OSError):
        marks = cache_directory() / WRITTEN
        unknown = not marks.exists()
        with open_regular(marks, "ab") as file:
            file.write(b"." * _pages(size))
            written = os.fstat(file.fileno()).st_size * PAGE
        if unknown or written > limit // SHARE:
            os.truncate(marks, 0)
            evict(max(0, limit - limit // SHARE - size))
    return True


def evict(target: int) -> None:
    """Remove files until at most `target` bytes are left: of other versions first, then those unused for longest."""
    files = code_files()
    abandoned = [file for file in files if file.unfinished and time.time() - file.used > ABANDONED]
    surplus = _total(files) - _total(remove(abandoned)) - target
    if surplus > 0:
        for file in sorted((f for f in files if not f.unfinished), key=lambda f: (f.current, f.used)):
            surplus -= _total(remove([file]))
            if surplus <= 0:
                break


def remove(files: Iterable[CodeFile]) -> list[CodeFile]:
    """Remove some files, as far as they are there and can be; gives those that this has removed."""
    removed = []
    for file in files:
        with suppress(OSError):
            file.path.unlink()
            removed.append(file)
    return removed


def _total(files: Iterable[CodeFile]) -> int:
    return sum(file.size for file in files)


def _version(kind: str) -> str:
    return f"{origin(kind)[:16]}-"


def _pages(size: int) -> int:
    return -(-size // PAGE)
