"""Nastran, by way of pyyeti: external superelements of EXTSEOUT, DMIG punch files, matrices on OP4.

EXTSEOUT(ASMBULK, EXTBULK, EXTID = n, MATOP4 = unit) writes `kxx`, `mxx` and the recovery `mug1` to an OP4 file, the
boundary grids with their axes to `.asm`, and which rows `mug1` has to `.pch`. PARAM, EXTOUT, DMIGPCH punches KAAX and
MAAX. Matrices of a whole model are those of the grids of a bulk data file, six degrees of freedom each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.structures.formats.file_set import FileSet, head
from supple.structures.formats.pyyeti_files import careful, dense, pyyeti
from supple.structures.formats.raw_superelement import RawInterior, RawSuperelement

BULK = (".bdf", ".dat", ".blk", ".nas")
STIFFNESS, MASS = ("kxx", "kaax", "kaa", "kgg"), ("mxx", "maax", "maa", "mgg")
"""Names of matrices, in the order in which they are looked for."""


def is_nastran(files: FileSet) -> bool:
    """An OP4 file, the grids of a superelement, or matrices punched as DMIG."""
    return bool(files.ending(".op4", ".asm")) or any(b"DMIG" in head(p) for p in files.ending(".pch", *BULK))


def read_nastran(files: FileSet) -> RawSuperelement:
    """Boundary grids or all grids, in basic axes, with their matrices."""
    return careful(files, lambda: _read(pyyeti(), files))


def _read(nastran: Any, files: FileSet) -> RawSuperelement:
    op4_files = files.beside(".op4")
    uset, grids_from = _uset(nastran, files)
    recovery = None
    if op4_files:
        found = {k.lower(): v for k, v in nastran.op4.read(str(op4_files[0]), into="dct").items()}
        K, M = (_named(found, names, op4_files[0]) for names in (STIFFNESS, MASS))
        source = op4_files[0]
    else:
        source = files.beside(".pch", *BULK)[0]
        K, M = _punched(nastran, source, uset)
        found = {}
    if K.shape != M.shape or K.shape[0] != len(uset):
        raise FileFormatError(
            f"{source}: expected matrices of {len(uset)} rows, as {grids_from.name} has them, got {K.shape[0]} and "
            f"{M.shape[0]}"
        )
    labels, dofs = (np.array(uset.index.get_level_values(i), dtype=np.int64) for i in range(2))
    rigid = nastran.n2p.rbgeom_uset(uset)
    x = uset[["x", "y", "z"]].to_numpy(dtype=np.float64)
    position = {int(labels[row]): x[row] for row in np.flatnonzero(dofs == 1)}
    if op4_files and np.size(found.get("mug1", ())) > 1:
        recovery = _recovery(nastran, files, found["mug1"], len(uset))
    paths = tuple(dict.fromkeys([*files.paths, source, grids_from]))
    return RawSuperelement("Nastran", paths, labels, dofs, position, rigid[:, :3], K, M, recovery)


def _uset(nastran: Any, files: FileSet) -> tuple[Any, Path]:
    """Rows of the matrices, from the boundary grids of a superelement or from all grids of a bulk data file."""
    boundary = files.beside(".asm")
    if boundary:
        return nastran.bulk.asm2uset(str(boundary[0]))[0], boundary[0]
    decks = files.beside(*BULK)
    if not decks:
        raise FileFormatError(f"{files.first}: expected a file .asm or bulk data with its grids, got none")
    return nastran.bulk.bulk2uset(str(decks[0]))[0], decks[0]


def _named(found: dict[str, Any], names: tuple[str, ...], path: Path) -> Floats:
    for name in names:
        if name in found and np.ndim(found[name]) == 2 and np.shape(found[name])[0] > 1:
            return dense(found[name])
    raise FileFormatError(f"{path}: expected a matrix {' or '.join(names)}, got {', '.join(found)}")


def _punched(nastran: Any, path: Path, uset: Any) -> tuple[Floats, Floats]:
    """Stiffness and mass of a DMIG punch, in the rows of the uset."""
    tables = {k.lower(): v for k, v in nastran.bulk.rddmig(str(path), square=True).items()}
    out = []
    for names in (STIFFNESS, MASS):
        table = next((tables[name] for name in names if name in tables), None)
        if table is None:
            raise FileFormatError(f"{path}: expected a DMIG {' or '.join(names)}, got {', '.join(tables)}")
        unknown = [x for x in table.index if x not in uset.index]
        if unknown:
            raise FileFormatError(f"{path}: no grid {unknown[0][0]} among the grids that are given")
        full = table.reindex(index=uset.index, columns=uset.index, fill_value=0.0).to_numpy(dtype=np.float64)
        out.append(full)
    return out[0], out[1]


def _recovery(nastran: Any, files: FileSet, matrix: Floats, size: int) -> RawInterior | None:
    """Motion of the grids inside, if both their rows and their positions are known."""
    punched = files.beside(".pch")
    decks = files.beside(*BULK)
    if not punched or not decks or matrix.shape[1] != size:
        return None
    rows: Ints = np.asarray(nastran.bulk.rddtipch(str(punched[0]), "TUG1"), dtype=np.int64)
    uset = nastran.bulk.bulk2uset(str(decks[0]))[0]
    labels = np.unique(rows[rows[:, 1] > 0, 0])
    known = set(uset.index.get_level_values(0))
    labels = np.array([x for x in labels if x in known], dtype=np.int64)
    if not len(labels):
        return None
    grids = uset.loc[labels]
    rigid = nastran.n2p.rbgeom_uset(grids)
    places = {(int(i), int(d)): row for row, (i, d) in enumerate(rows)}
    index = [(int(i), d) for i in labels for d in range(1, 7)]
    if any(key not in places for key in index):
        return None
    x = grids[["x", "y", "z"]].to_numpy()[::6]
    return RawInterior(labels, x, matrix[[places[key] for key in index]], rigid[:, :3])
