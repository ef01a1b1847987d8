"""Cases from a table: a CSV file with a path at the head of each column and a case in each line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from supple.errors import FileFormatError
from supple.input_files import read_bytes
from supple.sampling.distributions import Column, column

LARGEST = 2**30
"""Bytes of a table."""


def read_cases(path: Path) -> dict[str, Column]:
    """Values (cases,) of every path; whole numbers, numbers, `true` and `false`, and texts."""
    try:
        lines = list(csv.reader(read_bytes(path, LARGEST).decode("utf-8-sig").splitlines()))
    except UnicodeDecodeError:
        raise FileFormatError(f"{path}: expected UTF-8 text, got other bytes") from None
    except csv.Error as error:
        raise FileFormatError(f"{path}: expected a CSV file, got another text: {error}") from None
    rows = [(i, [x.strip() for x in row]) for i, row in enumerate(lines, start=1) if any(map(str.strip, row))]
    if len(rows) < 2:
        raise FileFormatError(f"{path}: expected a line of paths and a line for each case, got {len(rows)} lines")
    head = rows[0][1]
    twice = [x for x in head if head.count(x) > 1 or not x]
    if twice:
        raise FileFormatError(f"{path}: line 1: expected a path of its own for each column, got {twice[0]!r} twice")
    for i, row in rows[1:]:
        if len(row) != len(head) or "" in row:
            raise FileFormatError(f"{path}: line {i}: expected {len(head)} values, got {len([x for x in row if x])}")
    return {name: column([_value(row[k]) for _, row in rows[1:]]) for k, name in enumerate(head)}


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)
