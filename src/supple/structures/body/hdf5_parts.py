"""Arrays, names, sparse matrices and what is recovered of a body in HDF5 files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.errors import ModelError
from supple.lazy import LazyModule
from supple.structures.body.recovery import Kind, MotionSet, Recovery
from supple.structures.elements.recovery_table import RecoveryTable
from supple.structures.reduction.residual_vectors import StaticShapes

if TYPE_CHECKING:
    import h5py
else:
    h5py = LazyModule("h5py")


def write_names(group: Any, name: str, names: tuple[str, ...]) -> None:
    """Names as a dataset, also if there are none."""
    group.create_dataset(name, data=np.array(names, dtype=object), shape=(len(names),), dtype=h5py.string_dtype())


def write_sparse(group: Any, matrix: scipy.sparse.csr_array) -> None:
    """A sparse matrix as a group of its parts."""
    group.attrs["shape"] = matrix.shape
    for part in ("data", "indices", "indptr"):
        group[part] = getattr(matrix, part)


def read_array(dataset: Any) -> Any:
    """An array of real numbers or booleans."""
    if dataset.dtype.kind not in "fiub":
        raise ModelError(f"{dataset.name.lstrip('/')}: expected real numbers, got {dataset.dtype}")
    return _read(dataset)


def read_names(dataset: Any) -> tuple[str, ...]:
    """Names as a tuple."""
    if not h5py.check_string_dtype(dataset.dtype) or dataset.ndim != 1:
        raise ModelError(f"{dataset.name.lstrip('/')}: expected names, got {dataset.dtype} of shape {dataset.shape}")
    return tuple(x.decode() for x in _read(dataset).tolist())


def _read(dataset: Any) -> Any:
    """The content, unless it is larger than its file, which only damaged or hostile files have."""
    size = dataset.file.id.get_filesize()
    if dataset.nbytes > size:
        name = dataset.name.lstrip("/")
        raise ModelError(f"{name}: expected at most the {size:,} bytes of the file, got {dataset.nbytes:,}")
    return dataset[()]


def read_value(dataset: Any) -> Any:
    """Names as a tuple, one number as a float, or an array."""
    if h5py.check_string_dtype(dataset.dtype):
        return read_names(dataset)
    value = read_array(dataset)
    return float(value) if np.ndim(value) == 0 else value


def read_sparse(group: Any) -> scipy.sparse.csr_array:
    """What `write_sparse` wrote, checked."""
    rows, columns = (int(n) for n in group.attrs["shape"])
    parts = (read_array(group["data"]), read_array(group["indices"]), read_array(group["indptr"]))
    if (np.diff(parts[2]) < 0).any():  # scipy looks at this only where there are entries
        raise ModelError(f"{group.name}: indptr: expected numbers that do not decrease")
    matrix = scipy.sparse.csr_array(parts, shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix


STATIC = ("shapes", "E", "X", "mass_cross")
NAMES = ("places", "quantities", "elements")
POINTS = ("nodes", "positions", "material")
TABLES: dict[Kind, str] = {"strains": "", "stresses": "static_stresses", "section_forces": "static_forces"}
"""Tables of a body with the names of those for static shapes."""


def write_recovery(group: Any, recovery: Recovery) -> None:
    """Write what is known of a body's recovery; it is found now if it has not been requested."""
    if recovery.static is not None:
        own = group.create_group("static")
        for name in STATIC:
            own[name] = getattr(recovery.static, name)
        for i, (name, rows) in enumerate(recovery.static.frames.items()):
            own[f"frames/{i}"] = rows
            own[f"frames/{i}"].attrs["name"] = name
    for kind, static in TABLES.items():
        table: RecoveryTable | None = getattr(recovery, kind)
        if table is None:
            continue
        own = group.create_group(kind)
        for name in NAMES:
            write_names(own, name, getattr(table, name))
        for name in POINTS:
            own[name] = getattr(table, name)
        write_sparse(own.create_group("coordinates"), table.matrix)
        moved: RecoveryTable | None = getattr(recovery, static) if static else None
        if moved is not None:
            write_sparse(own.create_group("static"), moved.matrix)


def read_recovery(group: Any, coordinates: int, nodes: int, frames: list[str]) -> Recovery:
    """What `write_recovery` wrote, for a body with so many coordinates and nodes and these frames."""
    static = _read_static(group["static"]) if "static" in group else None
    if static is not None and (wrong := static.misfit(coordinates, nodes, frames)):
        raise ModelError(wrong)
    counts: dict[MotionSet, int] = {"coordinates": coordinates, "static": 0 if static is None else static.count}
    tables: dict[tuple[Kind, MotionSet], RecoveryTable] = {}
    for kind in TABLES:
        own = group.get(kind, {})
        try:
            tables |= {(kind, of): _read_table(own, of, count, nodes) for of, count in counts.items() if of in own}
        except ModelError as error:
            raise ModelError(f"{kind.replace('_', ' ')}: {error}") from None
    return Recovery(lambda kind, of: tables.get((kind, of)), lambda: static)


def _read_table(group: Any, of: MotionSet, columns: int, nodes: int) -> RecoveryTable:
    places, quantities, elements = (read_names(group[name]) for name in NAMES)
    numbers, positions, material = (read_array(group[name]) for name in POINTS)
    if len(numbers) and not -1 <= numbers.min() <= numbers.max() < nodes:
        raise ModelError(f"recovery: expected node numbers from 0 to {nodes - 1}, or -1 for none")
    matrix = read_sparse(group[of])
    if matrix.shape[1] != columns:
        raise ModelError(f"recovery: expected a matrix of {columns} columns, got {matrix.shape[1]}")
    return RecoveryTable(places, quantities, numbers, positions, matrix, material, elements)


def _read_static(group: Any) -> StaticShapes:
    frames = {str(rows.attrs["name"]): np.asarray(read_array(rows)) for rows in group.get("frames", {}).values()}
    shapes, E, X, cross = (np.asarray(read_array(group[name]), dtype=float) for name in STATIC)
    return StaticShapes(shapes, frames, E, X, cross)
