"""Matrices in exchange formats: Matrix Market and Harwell-Boeing, text without a mesh."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.errors import FileFormatError
from supple.structures.discretization.mass import Sparse
from supple.structures.formats.file_set import head, read_text
from supple.structures.formats.number_table import symmetric

MARKET = b"%%matrixmarket"
SPARSEST = 100
"""Rows for an entry of a matrix: a mass may have few, but not thousands of rows for one."""
KINDS = re.compile(rb"^[RP][SUZ]A\b")
"""Harwell-Boeing types of matrices that are real and assembled."""


def is_market(path: Path) -> bool:
    """Whether a file is in the Matrix Market format."""
    return head(path)[: len(MARKET)].lower() == MARKET


def is_harwell_boeing(path: Path) -> bool:
    """Whether the third line of a file names a type of Harwell-Boeing matrix."""
    lines = head(path).splitlines()
    return len(lines) > 3 and KINDS.match(lines[2][:3].upper()) is not None and lines[1][:14].strip().isdigit()


def market_matrix(path: Path) -> tuple[Sparse, float]:
    """A square matrix in the Matrix Market format, and its asymmetry."""
    return _square(path, scipy.sparse.coo_array(_market(path, "a matrix")))


def market_vector(path: Path) -> Floats:
    """Numbers of a Matrix Market array of one column."""
    found = _market(path, "a vector")
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64).ravel()


def _market(path: Path, what: str) -> Any:
    """Read a file whose head promises no more than the file can hold; most rows of a mesh have entries."""
    try:
        rows, columns, entries, *_ = scipy.io.mminfo(path)
        if entries > path.stat().st_size:
            raise FileFormatError(f"{path}: expected {entries:,} entries, got fewer; is it complete?")
        if max(rows, columns) > SPARSEST * max(entries, 1):
            raise FileFormatError(f"{path}: expected {what} of a mesh, got {entries:,} entries in {rows:,} rows")
        return scipy.io.mmread(path)
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path}: expected {what} in Matrix Market format, got another text: {error}") from None


def market_shape(path: Path) -> tuple[int, ...]:
    """Rows and columns, from the head of the file."""
    for line in head(path).splitlines()[1:]:
        if line.strip() and not line.startswith(b"%"):
            return tuple(int(word) for word in line.split()[:2] if word.isdigit())
    return ()


def harwell_boeing_matrix(path: Path) -> tuple[Sparse, float]:
    """A square matrix in the Harwell-Boeing format (Duff, Grimes and Lewis, 1989), and its asymmetry.

    Four lines of counts, a fifth if there are right-hand sides; then column pointers, row numbers and values, in
    Fortran formats whose fields are cut by their width.
    """
    lines = read_text(path).splitlines()
    try:
        counts = [int(lines[1][14 * i : 14 * i + 14] or 0) for i in range(min(5, (len(lines[1]) + 13) // 14))]
        kind = lines[2][:3].upper()
        rows, columns, entries = (int(x) for x in lines[2][14:].split()[:3])
        formats = [lines[3][16 * i : 16 * i + 16].strip() for i in range(2)] + [lines[3][32:52].strip()]
        start = 5 if len(counts) > 4 and counts[4] > 0 else 4
        parts = []
        for i, wanted in enumerate((columns + 1, entries, entries)):
            if kind[0] == "P" and i == 2:
                raise FileFormatError(f"{path}: expected the values of a matrix, got its pattern only")
            parts.append(_fields(lines[start : start + counts[i + 1]], formats[i], wanted))
            start += counts[i + 1]
    except (ValueError, IndexError):
        raise FileFormatError(
            f"{path}: expected a matrix in Harwell-Boeing format, got another or an incomplete one"
        ) from None
    first, row, value = parts[0].astype(np.int64) - 1, parts[1].astype(np.int64) - 1, parts[2]
    steps = np.diff(first)
    if first[0] != 0 or (steps < 0).any() or first[-1] != entries or not np.isfinite(value).all():
        raise FileFormatError(f"{path}: expected column pointers from 1 to {entries + 1} and finite values, got others")
    column = np.repeat(np.arange(columns), steps)
    if entries and not 0 <= row.min() <= row.max() < rows:
        raise FileFormatError(f"{path}: expected row numbers from 1 to {rows}, got {row.min() + 1} to {row.max() + 1}")
    return _square(path, scipy.sparse.coo_array((value, (row, column)), shape=(rows, columns)))


def _fields(lines: list[str], layout: str, wanted: int) -> Floats:
    """Numbers in fields such as (13I6) or (3D26.18)."""
    match = re.search(r"(\d*)[IDEFG](\d+)", layout.upper())
    if match is None:
        raise ValueError(layout)
    count, width = int(match[1] or 1), int(match[2])
    words = [line[i * width : (i + 1) * width].strip() for line in lines for i in range(count)]
    numbers = [float(word.upper().replace("D", "E")) for word in words if word]
    if len(numbers) != wanted:
        raise ValueError(layout)
    return np.array(numbers)


def _square(path: Path, found: scipy.sparse.coo_array) -> tuple[Sparse, float]:
    if found.shape[0] != found.shape[1]:
        raise FileFormatError(f"{path}: expected a square matrix, got {found.shape[0]} x {found.shape[1]}")
    if np.iscomplexobj(found.data):
        raise FileFormatError(f"{path}: expected real numbers, got complex ones")
    if not np.isfinite(found.data).all():
        raise FileFormatError(f"{path}: expected finite numbers")
    value = found.data.astype(np.float64)
    row, column = found.row.astype(np.int64), found.col.astype(np.int64)
    return symmetric(path, row, column, value, found.shape[0])
