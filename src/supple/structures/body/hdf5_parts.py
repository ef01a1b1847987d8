"""Arrays, names and sparse matrices in HDF5 files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.errors import ModelError
from supple.lazy import LazyModule

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
