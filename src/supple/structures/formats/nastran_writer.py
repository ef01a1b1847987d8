"""A reduced body as an external superelement for Nastran: its root as a grid, its modes as scalar points.

With the root's motion u (displacement, then rotation, as Nastran has them) and modal coordinates eta, at rest:

    M = [[M_rr, M_rf], [M_fr, G]]     K = [[0, 0], [0, K]]     C likewise     motion of frames = [phi*, Psi] (u, eta)

OUTPUT4 files in ASCII hold KXX, MXX, BXX and MUG1. A matrix has a line of columns, rows, form, type, name and format,
then for each column that is not empty a line with its number, its first row and the number of words, and the values; a
column after the last ends it.

Bulk data hold DMIG matrices KAAX, MAAX and BAAX. The root is grid 1, further frames are grids 2, 3, ..., modal
coordinates are scalar points from 1001 on. MUG1 has the motion of the grids, by rows, for unit motions of root and
scalar points, by columns in that order. A number has 16 columns, which is 10 to 12 digits: OP4 files have all.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.formats.modal_data import ModalData
from supple.structures.formats.text_files import write_lines


@dataclass(frozen=True, eq=False)
class RootSuperelement:
    """Matrices over six degrees of freedom of the root and n modal coordinates.

    Attributes
    ----------
    stiffness, mass, damping : (6 + n, 6 + n) arrays
    recovery : (6 k, 6 + n) array
        Displacement and rotation of all nodes, the root's first.
    labels : tuple of str
        Of the nodes.
    positions : (k, 3) array
    """

    stiffness: Floats
    mass: Floats
    damping: Floats
    recovery: Floats
    labels: tuple[str, ...]
    positions: Floats


def root_superelement(data: ModalData) -> RootSuperelement:
    """Of a body whose first node is its root and the origin of its frame."""
    own, n = data.integrals, len(data.coordinates)
    m, h, J, E, F = own.mass, cross_matrix(own.moment), own.J_0, own.E, own.F_0
    M = np.block([[m * np.eye(3), -h, E.T], [h, J, F.T], [E, F, data.mass_matrix]])
    K, C = (np.pad(x, ((6, 0), (6, 0))) for x in (data.stiffness, data.damping))
    k = len(data.labels)
    turn, eye = -cross_matrix(data.positions), np.broadcast_to(np.eye(3), (k, 3, 3))
    rows = np.concatenate(
        [
            np.concatenate([eye, turn, data.shapes[:, 3:]], axis=2),
            np.concatenate([np.zeros((k, 3, 3)), eye, data.shapes[:, :3]], axis=2),
        ],
        axis=1,
    )
    return RootSuperelement(K, M, C, rows.reshape(6 * k, 6 + n), data.labels, data.positions)


RECTANGULAR, SYMMETRIC, DMIG_RECTANGULAR = 2, 6, 9
REAL_DOUBLE = 2


def write_op4(data: ModalData, path: str | os.PathLike[str]) -> None:
    """Write stiffness, mass, damping and recovery of a body."""
    made = root_superelement(data)
    lines = []
    for name, matrix in (("KXX", made.stiffness), ("MXX", made.mass), ("BXX", made.damping)):
        lines += _op4_lines(name, matrix, SYMMETRIC)
    write_lines(path, [*lines, *_op4_lines("MUG1", made.recovery, RECTANGULAR)])


def _op4_lines(name: str, matrix: Floats, form: int) -> list[str]:
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


FIRST_POINT = 1001
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
        lines += _dmig_lines(name, matrix, SYMMETRIC, dofs, dofs)
    grids = [(i, c) for i in range(1, k + 1) for c in range(1, 7)]
    lines += _dmig_lines("MUG1", made.recovery, DMIG_RECTANGULAR, grids, [(j + 1, 0) for j in range(6 + n)])
    write_lines(path, lines)


def _dmig_lines(name: str, matrix: Floats, form: int, rows: list[Dof], columns: list[Dof]) -> list[str]:
    """Entries that are not zero, of a symmetric matrix those on and below the diagonal."""
    count = f"{len(columns):8d}" if form == DMIG_RECTANGULAR else ""
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
