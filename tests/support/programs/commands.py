"""What the tests of the commands share."""

from __future__ import annotations

from collections.abc import Callable

Command = Callable[..., tuple[int, str, str]]
"""A command of `supple` in this process, by its arguments: exit code, output and error output."""


def cells_of(line: str) -> list[str]:
    """The cells of a row of a table, none of other lines."""
    return [cell.strip() for cell in line.split("\u2502")[1:-1]]
