"""Text files that are whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from supple.checks import Floats
from supple.drafts import draft_of
from supple.errors import FileFormatError


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
