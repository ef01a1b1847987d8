"""Tables of numbers in text files, read fast; where a line is wrong, the message names it."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.input_files import read_bytes
from supple.structures.discretization.mass import Sparse
from supple.structures.formats.file_set import MOST_BYTES

LARGEST_WHOLE = 2.0**53
"""Beyond it not all whole numbers have a place of their own among those that are read."""
SEPARATORS = bytes.maketrans(b",;\tDd\r", b"   Ee ")
"""Commas and tabs are blanks; exponents of Fortran's double precision begin with D."""


def read_table(path: Path, columns: int, what: str, comment: bytes = b"*") -> Floats:
    """(lines, columns) numbers of a text file; lines that begin with `comment` are skipped.

    Parameters
    ----------
    what : str
        What stands in a line, for messages: "row, column and value".
    """
    return parsed_table(read_bytes(path, MOST_BYTES), path, columns, what, comment)


def parsed_table(content: bytes, path: Path, columns: int, what: str, comment: bytes = b"*") -> Floats:
    """The same from what a file holds."""
    if content and not content.endswith((b"\n", b"\r")):
        raise FileFormatError(f"{path}: line {_lines(content)}: expected a line break behind it; is the file complete?")
    lines = [] if comment not in content else content.splitlines()
    if lines:
        kept = [b"" if line.lstrip().startswith(comment) else line for line in lines]
        content = b"\n".join(kept)
    text = content.translate(SEPARATORS)
    solid = text.strip()
    count = sum(1 for line in solid.split(b"\n") if line.strip()) if b"\n\n" in solid else _lines(solid)
    numbers = _numbers(solid)
    if numbers is None or len(numbers) != columns * count or not np.isfinite(numbers).all():
        raise FileFormatError(f"{path}: {_wrong_line(text, columns, what)}")
    return numbers.reshape(-1, columns)


def _lines(text: bytes) -> int:
    stripped = text.rstrip()
    return stripped.count(b"\n") + bool(stripped)


def _numbers(text: bytes) -> Floats | None:
    """All numbers of a text; None if something else is among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.asarray(np.fromstring(text, dtype=np.float64, sep=" "))  # type: ignore[call-overload]
        except (ValueError, DeprecationWarning):
            return None


def _wrong_line(text: bytes, columns: int, what: str) -> str:
    """What is wrong in the first line that is not of so many finite numbers."""
    for number, line in enumerate(text.split(b"\n"), start=1):
        words = line.split()
        if not words:
            continue
        try:
            fits = len(words) == columns and np.isfinite([float(x) for x in words]).all()
        except ValueError:
            fits = False
        if not fits:
            shown = line.decode("latin-1").strip()[:60]
            return f"line {number}: expected {what}, got {shown!r}"
    return f"expected lines of {what}"


def whole(values: Floats, path: Path, what: str) -> Ints:
    """Numbers that are to be whole."""
    rows = values.reshape(len(values), -1)
    wrong = np.argwhere((np.abs(rows) >= LARGEST_WHOLE) | (np.floor(rows) != rows))
    if len(wrong):
        row, column = wrong[0]
        raise FileFormatError(f"{path}: entry {row + 1}: {what}: expected whole numbers, got {rows[row, column]:g}")
    return values.astype(np.int64)


def symmetric(path: Path, rows: Ints, columns: Ints, values: Floats, size: int) -> tuple[Sparse, float]:
    """A matrix from its entries, one triangle or both, and the relative difference of the two.

    Entries that stand there twice are refused, since programs mean different things by them.
    """
    key = rows * size + columns
    ordered = np.sort(key)
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(twice):
        row, column = divmod(int(ordered[twice[0]]), size)
        raise FileFormatError(f"{path}: expected each entry once, got row {row + 1}, column {column + 1} twice")
    below, above = bool((rows > columns).any()), bool((rows < columns).any())
    matrix = scipy.sparse.csr_array((values, (rows, columns)), shape=(size, size))
    if not (below and above):
        diagonal = scipy.sparse.diags_array(matrix.diagonal())
        return scipy.sparse.csr_array(matrix + matrix.T - diagonal), 0.0
    difference = abs(matrix - matrix.T)
    largest = float(abs(matrix).max()) if matrix.nnz else 0.0
    return matrix, float(difference.max()) / largest if difference.nnz and largest > 0.0 else 0.0


def coordinate_entries(path: Path) -> Floats:
    """(entries, 3) row, column and value of a matrix, rows and columns from 1."""
    table = read_table(path, 3, "row, column and value")
    whole(table[:, :2], path, "row and column")
    return table


def coordinate_matrix(
    path: Path, entries: Floats, size: int, source: str, massless: bool = False
) -> tuple[Sparse, float]:
    """A matrix of `size` rows, by the count in `source`, from its entries, and its asymmetry.

    With `massless` the last rows may be empty.
    """
    places = entries[:, :2].astype(np.int64) - 1
    wrong = np.flatnonzero((places < 0).any(axis=1) | (places >= size).any(axis=1))
    if len(wrong):
        row, column = places[wrong[0]] + 1
        raise FileFormatError(
            f"{path}: entry {int(wrong[0]) + 1}: expected rows and columns from 1 to {size}, as {source} has them, got "
            f"{row} and {column}"
        )
    largest = int(places.max()) + 1 if len(entries) else 0
    if largest < size and not massless:
        raise FileFormatError(f"{path}: expected {size} rows, as {source} has them, got {largest}; is it complete?")
    return symmetric(path, places[:, 0], places[:, 1], entries[:, 2], size)
