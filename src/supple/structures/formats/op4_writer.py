"""OUTPUT4 files of Nastran in ASCII: matrices KXX, MXX, BXX and MUG1 of a body as a superelement.

A matrix has a line of columns, rows, form, type, name and format, then for each column that is not empty a line with
its number, its first row and the number of words, and the values; a column after the last ends it.
"""

from __future__ import annotations

import os

import numpy as np

from supple.checks import Floats
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.root_superelement import root_superelement
from supple.structures.formats.text_files import write_lines

RECTANGULAR, SYMMETRIC = 2, 6
REAL_DOUBLE = 2


def write_op4(data: ModalData, path: str | os.PathLike[str]) -> None:
    """Write stiffness, mass, damping and recovery of a body."""
    made = root_superelement(data)
    lines = []
    for name, matrix in (("KXX", made.stiffness), ("MXX", made.mass), ("BXX", made.damping)):
        lines += matrix_lines(name, matrix, SYMMETRIC)
    write_lines(path, [*lines, *matrix_lines("MUG1", made.recovery, RECTANGULAR)])


def matrix_lines(name: str, matrix: Floats, form: int) -> list[str]:
    """One matrix of real numbers in double precision."""
    rows, columns = matrix.shape
    out = [f"{columns:8d}{rows:8d}{form:8d}{REAL_DOUBLE:8d}{name:<8}1P,3E23.16"]
    for j in range(columns):
        used = np.flatnonzero(matrix[:, j])
        if len(used):
            first, last = int(used[0]), int(used[-1]) + 1
            out += _column(j + 1, first + 1, [float(x) for x in matrix[first:last, j]])
    return [*out, *_column(columns + 1, 1, [1.0])]


def _column(number: int, row: int, values: list[float]) -> list[str]:
    words = [f"{x:23.16E}" for x in values]
    return [
        f"{number:8d}{row:8d}{len(values):8d}",
        *("".join(words[i : i + 3]) for i in range(0, len(words), 3)),
    ]
