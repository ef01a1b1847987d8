"""The files of one import: which there are, what they begin with, and what stands beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.errors import FileFormatError, ModelError
from supple.input_files import open_regular, read_bytes, require_file, unreadable

HEAD = 65_536
"""Bytes by which a file is recognised."""
MOST_BYTES = 16 * 2**30
"""Of a file; matrices of some million degrees of freedom take less."""


@dataclass(frozen=True)
class FileSet:
    """Files that are read together.

    Attributes
    ----------
    paths : tuple of Path
        As the user named them.
    superelement : int, optional
        Number of the one that is wanted, where files hold several.
    """

    paths: tuple[Path, ...]
    superelement: int | None = None

    @property
    def first(self) -> Path:
        """The file that messages speak of."""
        return self.paths[0]

    def ending(self, *suffixes: str) -> list[Path]:
        """Named files with one of these endings, upper and lower case alike."""
        return [path for path in self.paths if path.name.lower().endswith(suffixes)]

    def beside(self, *suffixes: str) -> list[Path]:
        """Named files with one of these endings; if there are none, those of the first file's stem beside it."""
        found = self.ending(*suffixes)
        if found:
            return found
        stem = self.first.stem.lower()
        names = [f"{stem}{suffix}" for suffix in suffixes]
        return [_not_too_large(path) for path in _siblings(self.first) if path.name.lower() in names]

    def siblings(self) -> Iterator[Path]:
        """All files in the folder of the first, by name."""
        return _siblings(self.first)


def file_set(given: Any, superelement: int | None = None) -> FileSet:
    """One path or several, all of them there."""
    each: Sequence[Any] = [given] if isinstance(given, str | os.PathLike) else given
    if not isinstance(each, Sequence) or not each or not all(isinstance(x, str | os.PathLike) for x in each):
        raise ModelError(f"path: expected the path of a file or a list of paths, got {given!r}")
    paths = tuple(Path(x) for x in each)
    for path in paths:
        require_file(path)
        _not_too_large(path)
    return FileSet(paths, superelement)


def _not_too_large(path: Path) -> Path:
    if path.stat().st_size > MOST_BYTES:
        raise FileFormatError(f"{path}: expected at most {MOST_BYTES:,} bytes, got {path.stat().st_size:,}")
    return path


def head(path: Path) -> bytes:
    """The first bytes of a file."""
    try:
        with open_regular(path) as file:
            return file.read(HEAD)
    except OSError as error:
        raise unreadable(path, error) from None


def read_text(path: Path) -> str:
    """A whole file as text; every byte is a character."""
    return read_bytes(path, MOST_BYTES).decode("latin-1")


def is_text(path: Path) -> bool:
    """Whether a file begins with text."""
    return b"\0" not in head(path)


def _siblings(path: Path) -> Iterator[Path]:
    return (other for other in sorted(path.parent.iterdir()) if os.path.isfile(other))
