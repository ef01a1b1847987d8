"""The errors of a file, collected so that one reading finds as many of them as possible."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from supple.checks import computed
from supple.errors import FileFormatError, ModelError, PhysicsWarning, warn


class ReportedError(ModelError):
    """Something cannot be made because of an error that is in the list already; it is not added again."""


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
        """Add an error: `place` is where in the file, `message` what was expected and what is there.

        Raises a `FileFormatError` with all of them where there are too many: to look for similar names takes its time.
        """
        if len(self.lines) >= MOST_ERRORS:
            raise FileFormatError("\n".join([*self.lines, f"{self.path}: more than {MOST_ERRORS} errors"]))
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
            more = len(self.warnings) - MOST_WARNINGS
            shown = [*self.warnings[:MOST_WARNINGS], *([f"{more:,} more"] if more > 0 else [])]
            warn(f"{self.path}: read with warnings: {'; '.join(shown)}", PhysicsWarning)

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


MOST_ERRORS, MOST_WARNINGS = 100, 50
"""Limits for a file: errors that are collected, warnings that are shown."""
MOST_BODIES = 10_000
"""Of a file: some seconds of reading."""


def as_path(path: Any, what: str = "path") -> Path:
    """The path of a file, or a `FileFormatError` if this is none."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise FileFormatError(f"{what}: expected the path of a file, got {path!r}")
    return Path(path)
