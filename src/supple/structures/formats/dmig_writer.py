"""Bulk data of Nastran: a body as a superelement by DMIG matrices KAAX, MAAX and BAAX, with grids and scalar points.

The root is grid 1, further frames are grids 2, 3, ..., modal coordinates are scalar points from 1001 on. MUG1 has the
motion of the grids, by rows, for unit motions of root and scalar points, by columns in that order. A number has 16
columns, which is 10 to 12 digits: OP4 files have all.
"""

from __future__ import annotations

import os

import numpy as np

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.root_superelement import root_superelement
from supple.structures.formats.text_files import write_lines

FIRST_POINT = 1001
SYMMETRIC, RECTANGULAR = 6, 9
Dof = tuple[int, int]


def write_dmig(data: ModalData, path: str | os.PathLike[str]) -> None:
    """Write grids, scalar points and matrices of a body."""
    made = root_superelement(data)
    n, k = len(data.coordinates), len(made.labels)
    if k >= FIRST_POINT:
        raise ModelError(f"nodes: expected fewer than {FIRST_POINT} for DMIG, got {k}; name those to keep, or use OP4")
    lines = ["$ written by supple; SI units"]
    for i, (label, x) in enumerate(zip(made.labels, made.positions, strict=True), start=1):
        lines += [f"$ grid {i}: {label}", f"GRID*   {i:16d}{'':16}{real(x[0])}{real(x[1])}", f"*       {real(x[2])}"]
    lines += [f"SPOINT  {FIRST_POINT + r:8d}" for r in range(n)]
    dofs = [*((1, c) for c in range(1, 7)), *((FIRST_POINT + r, 0) for r in range(n))]
    for name, matrix in (("KAAX", made.stiffness), ("MAAX", made.mass), ("BAAX", made.damping)):
        lines += matrix_lines(name, matrix, SYMMETRIC, dofs, dofs)
    grids = [(i, c) for i in range(1, k + 1) for c in range(1, 7)]
    lines += matrix_lines("MUG1", made.recovery, RECTANGULAR, grids, [(j + 1, 0) for j in range(6 + n)])
    write_lines(path, lines)


def matrix_lines(name: str, matrix: Floats, form: int, rows: list[Dof], columns: list[Dof]) -> list[str]:
    """Entries that are not zero, of a symmetric matrix those on and below the diagonal."""
    count = f"{len(columns):8d}" if form == RECTANGULAR else ""
    out = [f"DMIG    {name:<8}{0:8d}{form:8d}{2:8d}{0:8d}{'':16}{count}".rstrip()]
    for j, (grid, component) in enumerate(columns):
        used = np.flatnonzero(matrix[:, j])
        used = used[used >= j] if form == SYMMETRIC else used
        if len(used):
            out.append(f"DMIG*   {name:<16}{grid:16d}{component:16d}")
            out += [f"*       {rows[i][0]:16d}{rows[i][1]:16d}{field(float(matrix[i, j]))}" for i in used]
    return out


def field(x: float) -> str:
    """A number in double precision with as many digits as 16 columns hold."""
    return real(x).replace("E", "D")


def real(x: float) -> str:
    """A number with as many digits as 16 columns hold; three of exponent still leave nine."""
    made = ((f"{x:.{digits}E}".split("E")) for digits in range(13, 7, -1))
    texts = (f"{mantissa}E{int(exponent):+d}" for mantissa, exponent in made)
    return f"{next(text for text in texts if len(text) <= 16):>16}"
