"""The errors of a file, collected so that one reading finds as many of them as possible."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.linalg import LinAlgError

from supple.errors import FileFormatError, ModelError, PhysicsWarning, SuppleError, nearest


class ReportedError(ModelError):
    """Something cannot be made because of an error that is in the list already; it is not added again."""


@contextmanager
def computed() -> Iterator[None]:
    """Make what numbers of absurd size lead to inside (overflow, no convergence, no memory) an error of the model."""
    try:
        yield
    except (ArithmeticError, LinAlgError, MemoryError) as error:
        if isinstance(error, SuppleError):
            raise
        what = f"{type(error).__name__}: {error}"
        raise ModelError(f"cannot be computed, some number is far too large or too small: {what}") from None


class ErrorList:
    """The errors and warnings of one file, in the order in which they were found.

    A reader that finds an error adds it, continues with something harmless in its place, and calls `raise_any` before
    it returns, so that nothing built on an error leaves it.

    Parameters
    ----------
    path : Path
        The file; every message starts with it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[str] = []
        self.warnings: list[str] = []

    def add(self, place: str, message: str) -> None:
        """Add an error: `place` is where in the file, `message` what was expected and what is there."""
        self.lines.append(f"{self.path}: {place}: {message}" if place else f"{self.path}: {message}")

    @contextmanager
    def collected(self, place: str, prefix: str = "") -> Iterator[None]:
        """Add an error of the model that is raised inside, and continue after the block.

        `prefix` is what the message starts with that `place` says already.
        """
        try:
            with computed():
                yield
        except ReportedError:
            pass
        except ModelError as error:
            self.add(place, str(error).removeprefix(prefix))

    @contextmanager
    def collected_warnings(self, place: str, prefix: str = "") -> Iterator[None]:
        """Add what the model warns of inside; place and prefix as in `collected`."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PhysicsWarning)
            yield
        for warning in caught:
            if issubclass(warning.category, PhysicsWarning):
                self.warnings.append(f"{place}: {str(warning.message).removeprefix(prefix)}")
            else:
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)

    def warn(self) -> None:
        """Issue all warnings as one: what is wrong in real files but can still be read."""
        if self.warnings:
            # The caller of `load`: behind it are the reader of all formats, that of one format, and this.
            warnings.warn(f"{self.path}: read with warnings: {'; '.join(self.warnings)}", PhysicsWarning, stacklevel=5)

    def raise_any(self) -> None:
        """Raise all errors as one error, a line each, if there are any."""
        if self.lines:
            raise FileFormatError("\n".join(self.lines))


def lines_of(error: Exception) -> list[str]:
    """The errors that a message lists; indented lines, which show the place in a formula, go with the one before.

    Examples
    --------
    >>> lines_of(ModelError("a: wrong\\n    2*x\\n      ^\\nb: wrong"))
    ['a: wrong\\n    2*x\\n      ^', 'b: wrong']
    """
    return re.split(r"\n(?! )", str(error))


MOST_BODIES = 10_000
"""Of a file: some seconds of reading."""
LARGEST = 32 * 2**20
"""Bytes of a file of text: a model of tens of thousands of bodies."""


def as_path(path: Any, what: str = "path") -> Path:
    """The path of a file, or a `FileFormatError` if this is none."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise FileFormatError(f"{what}: expected the path of a file, got {path!r}")
    return Path(path)


def require_file(path: Path) -> None:
    """Raise a `FileFormatError` if there is no such file."""
    try:
        directory, there = path.is_dir(), path.exists()
    except OSError as error:  # a name that is too long, say
        name = str(path) if len(str(path)) < 200 else f"{str(path)[:200]}..."
        raise FileFormatError(f"{name}: cannot be read: {error.strerror}") from None
    if directory:
        raise FileFormatError(f"{path}: expected a file, got a directory")
    if not there:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FileFormatError(f"{path}: no such file{nearest(path.name, beside) if beside else ''}")


def read_bytes(path: Path) -> bytes:
    """The content of a file of text, or a `FileFormatError` that says why there is none."""
    require_file(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise FileFormatError(f"{path}: expected a file of at most {LARGEST >> 20} MB, got a larger one")
    return content
