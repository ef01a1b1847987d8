"""Records in HDF5 files: fields of dataclasses as arrays, names, sparse matrices and groups of these."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import numpy as np
import scipy

from supple.errors import ModelError
from supple.lazy import LazyModule

if TYPE_CHECKING:
    import h5py
else:
    h5py = LazyModule("h5py")

SPARSE = ("data", "indices", "indptr")


def write_fields(group: Any, record: Any, without: Container[str] = ()) -> None:
    """Write the fields of a dataclass into a group."""
    for field in fields(record):
        if field.name not in without:
            write(group, field.name, getattr(record, field.name))


def write(group: Any, name: str, value: Any) -> None:
    """Write one value under a name; nothing if it is None."""
    if isinstance(value, str):
        group.attrs[name] = value
    elif isinstance(value, tuple):  # h5py takes no type from an empty one
        names = np.array(value, dtype=object)
        group.create_dataset(name, data=names, shape=(len(value),), dtype=h5py.string_dtype())
    elif isinstance(value, scipy.sparse.csr_array):
        own = group.create_group(name)
        own.attrs["shape"] = value.shape
        for part in SPARSE:
            own[part] = getattr(value, part)
    elif isinstance(value, Mapping):
        own = group.create_group(name)
        for i, (key, x) in enumerate(value.items()):
            write(own, str(i), x)
            own[str(i)].attrs["name"] = key
    elif is_dataclass(value):
        write_fields(group.create_group(name), value)
    elif value is not None:
        group[name] = value


def read_fields(group: Any, kind: type, without: Container[str] = ()) -> dict[str, Any]:
    """Return what `write_fields` wrote of a dataclass."""
    kinds = get_type_hints(kind)
    return {
        field.name: read(group, field.name, kinds[field.name]) for field in fields(kind) if field.name not in without
    }


def read(group: Any, name: str, kind: Any) -> Any:
    """Return what `write` wrote of a value of this type."""
    if NoneType in get_args(kind):
        if name not in group:
            return None
        (kind,) = (x for x in get_args(kind) if x is not NoneType)
    if kind is str:
        return str(group.attrs[name])
    own = group[name]
    if get_origin(kind) is tuple:
        return _names(own)
    if get_origin(kind) is dict:
        return {str(own[str(i)].attrs["name"]): read(own, str(i), get_args(kind)[1]) for i in range(len(own))}
    if get_origin(kind) is scipy.sparse.csr_array or kind is scipy.sparse.csr_array:
        return _sparse(own)
    if is_dataclass(kind) and isinstance(kind, type):
        return kind(**read_fields(own, kind))
    return kind(array(own)) if kind in (float, bool) else array(own)


def array(dataset: Any) -> Any:
    """Return an array of real numbers or booleans."""
    if dataset.dtype.kind not in "fiub":
        raise ModelError(f"{dataset.name.lstrip('/')}: expected real numbers, got {dataset.dtype}")
    return _content(dataset)


def _names(dataset: Any) -> tuple[str, ...]:
    if not h5py.check_string_dtype(dataset.dtype) or dataset.ndim != 1:
        raise ModelError(f"{dataset.name.lstrip('/')}: expected names, got {dataset.dtype} of shape {dataset.shape}")
    return tuple(x.decode() for x in _content(dataset).tolist())


def _content(dataset: Any) -> Any:
    """The content, unless it is larger than its file, which only damaged or hostile files have."""
    size = dataset.file.id.get_filesize()
    if dataset.nbytes > size:
        name = dataset.name.lstrip("/")
        raise ModelError(f"{name}: expected at most the {size:,} bytes of the file, got {dataset.nbytes:,}")
    return dataset[()]


def _sparse(group: Any) -> scipy.sparse.csr_array:
    rows, columns = (int(n) for n in group.attrs["shape"])
    parts = tuple(array(group[part]) for part in SPARSE)
    if (np.diff(parts[2]) < 0).any():  # scipy looks at this only where there are entries
        raise ModelError(f"{group.name}: indptr: expected numbers that do not decrease")
    matrix = scipy.sparse.csr_array(parts, shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix
