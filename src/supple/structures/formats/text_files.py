"""Text files of other programs: the place of what is wrong in them; written ones are whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from supple.checks import Floats
from supple.drafts import draft_of
from supple.errors import FileFormatError
from supple.input_files import read_bytes


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write lines to a file; a file of that name is replaced when the new one is complete."""
    try:
        with draft_of(Path(path)) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in lines)
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be written: {error.strerror or error}") from None


def table(values: Floats) -> list[str]:
    """Lines of 17 digits, one for each row of (rows, columns)."""
    return [" ".join(f"{x:.16e}" for x in row) for row in np.atleast_2d(values)]


MOST_BYTES = 2**31
"""Of a file of modal data."""


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """Lines of a text file."""
    return read_bytes(Path(path), MOST_BYTES).decode("utf-8", errors="replace").splitlines()


def wrong(path: str | os.PathLike[str], line: int, message: str) -> FileFormatError:
    """What to raise for a line, counted from 1."""
    return FileFormatError(f"{path}, line {line}: {message}")


def number(text: str) -> float:
    """A finite number, with the exponents of Fortran too; raises ValueError."""
    value = float(text.replace("D", "E").replace("d", "e"))
    if not np.isfinite(value):
        raise ValueError(text)
    return value


def numbers(path: str | os.PathLike[str], lines: Sequence[tuple[int, str]], what: str, count: int, at: int) -> Floats:
    """The numbers in some lines, which have to be so many; `at` is the line where they begin."""
    words = [word for _, line in lines for word in line.split()]
    if len(words) != count:
        last = lines[-1][0] if lines else at
        raise wrong(path, last, f"{what}: expected {count:,} numbers, got {len(words):,}")
    try:
        values = np.array(words, dtype=np.float64) if words else np.zeros(0)
        if np.isfinite(values).all():
            return values
    except ValueError:
        pass
    for line, text in lines:
        for word in text.split():
            try:
                number(word)
            except ValueError:
                raise wrong(path, line, f"{what}: expected a finite number, got {word[:40]!r}") from None
    return np.array([number(word) for word in words])
