"""Nastran, by way of pyyeti: the pair of OP2 and OP4 files that the DMAP alter NAS2CAM writes, with all superelements.

The OP2 file has the sets and coordinate systems of each superelement; the OP4 file has a matrix SE_START for each, and
behind it `kaa`, `maa` and what else was asked for, such as the constraint modes `got` and the normal modes `goq`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import FileFormatError, ModelError
from supple.structures.formats.file_set import FileSet, head
from supple.structures.formats.pyyeti_files import careful, dense, pyyeti
from supple.structures.formats.raw_superelement import RawInterior, RawSuperelement

START = b"SE_START"
RESIDUAL = 0
"""Number of the residual structure."""


def is_nas2cam(files: FileSet) -> bool:
    """An OP4 file that begins with a superelement, and an OP2 file."""
    return bool(files.beside(".op2")) and any(START in head(path)[:256].upper() for path in files.beside(".op4"))


def read_nas2cam(files: FileSet) -> RawSuperelement:
    """The a-set of one superelement, in basic axes, with its matrices and the motion of its other grids."""
    return careful(files, lambda: _read(pyyeti(), files))


def _read(nastran: Any, files: FileSet) -> RawSuperelement:
    op2, op4 = files.beside(".op2")[0], files.beside(".op4")[0]
    found = nastran.op2.rdnas2cam(str(op2), str(op4))
    number = _chosen(found, files.superelement, op4)
    uset = found["uset"][number]
    inside = nastran.n2p.mksetpv(uset, "g", "a")
    rows = uset[inside]
    K, M = (dense(found[name][number]) for name in ("kaa", "maa"))
    if K.shape != M.shape or K.shape[0] != len(rows):
        raise FileFormatError(
            f"{op4}: superelement {number}: expected matrices of {len(rows)} rows, as the a-set in {op2.name} has, got "
            f"{K.shape[0]} and {M.shape[0]}"
        )
    labels, dofs = (np.array(rows.index.get_level_values(i), dtype=np.int64) for i in range(2))
    x = uset[["x", "y", "z"]].to_numpy(dtype=np.float64)
    place = {key: row for row, key in enumerate(uset.index)}
    position = {int(i): x[place[int(i), 1]] for i in dict.fromkeys(labels[dofs > 0].tolist())}
    axes = nastran.n2p.rbgeom_uset(uset)[:, :3]
    known = number != RESIDUAL and number in found.get("got", {})
    recovery = _recovery(nastran, found, number, axes) if known else None
    return RawSuperelement("Nastran", (op2, op4), labels, dofs, position, axes[inside], K, M, recovery)


def _chosen(found: dict[str, Any], wanted: int | None, path: Path) -> int:
    """The superelement that is asked for, or the only one."""
    known = [int(i) for i in found["selist"][:, 0] if all(int(i) in found.get(name, {}) for name in ("kaa", "maa"))]
    listed = ", ".join(map(str, known))
    if not known:
        raise FileFormatError(
            f"{path}: expected matrices kaa and maa of a superelement, got none; ask NAS2CAM for them"
        )
    if wanted is None:
        upstream = [i for i in known if i != RESIDUAL] or known
        if len(upstream) > 1:
            raise ModelError(f"superelement: expected one of {listed}, which {path.name} has, got none")
        return upstream[0]
    if wanted not in known:
        raise ModelError(f"superelement: expected one of {listed}, which {path.name} has, got {wanted}")
    return wanted


def _recovery(nastran: Any, found: dict[str, Any], number: int, axes: Floats) -> RawInterior | None:
    """Motion of the grids that are not in the a-set and that are free in all six directions."""
    uset = found["uset"][number]
    inside = nastran.n2p.mksetpv(uset, "g", "a")
    labels, dofs = (np.array(uset.index.get_level_values(i), dtype=np.int64) for i in range(2))
    clamped = labels[nastran.n2p.mksetpv(uset, "g", "s")]  # in some directions, or without stiffness there
    others = np.setdiff1d(labels[~inside & (dofs > 0)], np.concatenate([labels[inside], clamped]))
    if not len(others):
        return None
    rows: Ints = np.flatnonzero(np.isin(labels, others))
    matrix, _ = nastran.n2p.formtran(found, number, np.column_stack([labels[rows], dofs[rows]]))
    x = uset[["x", "y", "z"]].to_numpy(dtype=np.float64)
    return RawInterior(others, x[rows[dofs[rows] == 1]], dense(matrix), axes[rows])
