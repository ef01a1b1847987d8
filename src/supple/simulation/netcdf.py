"""Datasets as images of netCDF files in memory, and many joined to one.

Images, not files, since HDF5 does not survive a full disk: it leaves handles that bring the process down. What is
written to disk is always plain bytes; where many files are joined to one that may be larger than the memory, the room
for it is taken on the disk before HDF5 begins. Made by h5py itself, in the form that the netCDF-4 library reads
(dimensions are HDF5 dimension scales), an image takes a few milliseconds; through xarray it takes several times as
long.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from supple.errors import ResultsError
from supple.lazy import LazyModule

if TYPE_CHECKING:
    import h5py
    import xarray as xr
else:
    h5py = LazyModule("h5py")
    xr = LazyModule("xarray")

TIME = "time"
BLOCK, SLACK = 2**24, 2**20
"""Bytes that are copied at a time; bytes of a file besides its values."""
MEMORY = "memory"
"""The HDF5 group of arrays that are no part of the dataset."""

NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable.{:10d}"
"""The label of a dimension without values, a convention of the netCDF-4 library."""

KEPT_BY_NETCDF = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid", "coordinates"}
"""Attributes that say which dimensions a variable has and which variables are coordinates."""

Memory = Mapping[str, NDArray[Any]]


def packed(dataset: xr.Dataset, memory: Memory | None = None) -> memoryview:
    """The image of a netCDF file with a dataset, and with the arrays of `memory` in a group."""
    buffer = io.BytesIO()
    try:
        with h5py.File(buffer, "w") as file:
            _fill(_declared(file, dataset, dataset.sizes), dataset, list(dataset.variables))
            for name, values in (memory or {}).items():
                file[f"{MEMORY}/{name}"] = np.asarray(values)
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise ResultsError(f"expected a dataset that netCDF can hold, got one that it cannot: {error}") from None
    return buffer.getbuffer()


def unpacked(image: bytes | memoryview) -> xr.Dataset:
    """The dataset of an image."""
    with h5py.File(io.BytesIO(image), "r") as file:
        return _dataset(file)


def memory_of(image: bytes) -> dict[str, NDArray[Any]]:
    """The arrays that were packed with a dataset."""
    with h5py.File(io.BytesIO(image), "r") as file:
        return {name: np.asarray(values[()]) for name, values in file.get(MEMORY, {}).items()}


def join(files: Sequence[Path], also: xr.Dataset, group: str, stream: BinaryIO) -> None:
    """Write one dataset to a stream: those of all files one behind the other in time, a block of them at a time.

    Parameters
    ----------
    files : sequence of Path
        Files with images of datasets of one layout, at least one; what does not depend on time is taken from the
        first, attributes from the last.
    also : xarray.Dataset
        Attributes to add, and variables for a group of their own.
    group : str
        Its name.
    stream : binary file
        New and empty, to be written and read.
    """
    with _file(files[0]) as part:
        first = _dataset(part, timed=False)
    with _file(files[-1]) as part:
        whole = first.assign_attrs(_attributes(part) | also.attrs)
    timed = {str(name): v.dims.index(TIME) for name, v in first.variables.items() if TIME in v.dims}
    counts = [_count(path) for path in files]
    size = sum(path.stat().st_size for path in files) + 2 * also.nbytes + SLACK
    with _Room(stream, size) as room, h5py.File(room, "w") as file:
        inner = also.drop_attrs(deep=False)
        within = _declared(file.create_group(group), inner, inner.sizes, len(whole.sizes))
        _fill(within, inner, list(inner.variables))
        made = _declared(file, whole, {**whole.sizes, TIME: sum(counts)})
        _fill(made, whole, [name for name in whole.variables if name not in timed])
        start = 0
        for path, count in zip(files, counts, strict=True):
            with _file(path) as part:
                for name, axis in timed.items():
                    _copy(part[name], made[name], axis, start)
            start += count


def _copy(source: Any, target: Any, axis: int, start: int) -> None:
    """All of one variable to a later place along an axis, some megabytes at a time."""
    count, before = source.shape[axis], (slice(None),) * axis
    rows = max(1, BLOCK * count // max(1, source.nbytes))
    for first in range(0, count, rows):
        last = min(count, first + rows)
        target[(*before, slice(start + first, start + last))] = source[(*before, slice(first, last))]


class _Room(io.RawIOBase):
    """A stream for HDF5 with room on the disk, so that it does not meet a full one; cut to its length at the end."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        super().__init__()
        self._stream, self._length, self._at = stream, 0, 0
        if isinstance(stream, io.BytesIO):
            return
        try:
            os.posix_fallocate(stream.fileno(), 0, size)
        except (AttributeError, OSError) as error:
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
                raise
            for first in range(0, size, BLOCK):  # a system or a file system that has no such call
                stream.write(bytes(min(BLOCK, size - first)))
            stream.flush()

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._length}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")[: max(0, self._length - self._at)]
        self._stream.seek(self._at)
        found = self._stream.read(len(view))
        view[: len(found)] = found
        self._at += len(found)
        return len(found)

    def write(self, data: Any) -> int:
        self._stream.seek(self._at)
        done = self._stream.write(data)
        self._at += done
        self._length = max(self._length, self._at)
        return done

    def truncate(self, size: int | None = None) -> int:
        self._length = self._at if size is None else size
        return self._length

    def close(self) -> None:
        if not self.closed:
            self._stream.truncate(self._length)
        super().close()


def layout(dataset: xr.Dataset) -> dict[str, str]:
    """Each variable's dimensions with their sizes, but that of time, and its type; the same for datasets to be joined.

    Examples
    --------
    >>> layout(xr.Dataset({"q": (("time", "coordinate"), np.zeros((5, 3)))}))
    {'q': 'float64(time, coordinate 3)'}
    """
    found = {}
    for name, variable in dataset.variables.items():
        dims = ", ".join(f"{d}" if d == TIME else f"{d} {n}" for d, n in variable.sizes.items())
        found[str(name)] = f"{'text' if variable.dtype.kind in 'UO' else variable.dtype}({dims})"
    return found


def _count(path: Path) -> int:
    with _file(path) as file:
        return int(file[TIME].shape[0])


def _file(path: Path) -> Any:
    # A part never changes once it has its name: no need of locks, which some file systems lack.
    return h5py.File(path, "r", locking=False)


def _dataset(file: Any, timed: bool = True) -> xr.Dataset:
    """What `_declared` and `_fill` have written; zeros that take no memory for what depends on time unless `timed`."""
    variables = {}
    for name, stored in file.items():
        if isinstance(stored, h5py.Dataset) and not stored.attrs.get("NAME", b"").startswith(NO_VARIABLE[:20].encode()):
            dims = [name] if stored.is_scale else [axis[0].name[1:] for axis in stored.dims]
            attributes = _attributes(stored)
            text, truth = h5py.check_string_dtype(stored.dtype) is not None, attributes.pop("dtype", "") == "bool"
            if timed or TIME not in dims:
                values = np.array(stored.asstr()[()] if text else stored[()], dtype=object if text else stored.dtype)
            else:
                values = np.broadcast_to(np.zeros((), dtype=stored.dtype), stored.shape)
            variables[name] = xr.Variable(dims, values.astype(bool) if truth else values, attributes)
    places = {*file.attrs.get("coordinates", "").split(), *(name for name, x in variables.items() if x.dims == (name,))}
    coordinates = {name: x for name, x in variables.items() if name in places}
    data = {name: x for name, x in variables.items() if name not in places}
    return xr.Dataset(data, coordinates, _attributes(file))


def _attributes(stored: Any) -> dict[str, Any]:
    """Attributes of a file or of a variable, without those by which netCDF keeps dimensions and coordinates."""
    return {name: value for name, value in stored.attrs.items() if name not in KEPT_BY_NETCDF}


def _declared(file: Any, dataset: xr.Dataset, sizes: Mapping[Any, int], first: int = 0) -> dict[Any, Any]:
    """The HDF5 datasets of all variables, without values yet, with dimensions of these sizes, numbered from `first`."""
    made = {name: _created(file, name, variable, sizes) for name, variable in dataset.variables.items()}
    scales = {}
    for number, (dim, size) in enumerate(sizes.items(), start=first):
        scales[dim] = made[dim] if dim in made else file.create_dataset(dim, (size,), "f4")
        scales[dim].make_scale(dim if dim in made else NO_VARIABLE.format(size))
        scales[dim].attrs["_Netcdf4Dimid"] = np.int32(number)
    for name, variable in dataset.variables.items():
        if name not in scales:
            for axis, dim in enumerate(variable.dims):
                made[name].dims[axis].attach_scale(scales[dim])
    file.attrs.update(dataset.attrs)
    places = [str(name) for name in dataset.coords if name not in scales]
    if places:
        file.attrs["coordinates"] = " ".join(places)
    return made


def _created(file: Any, name: Any, variable: xr.Variable, sizes: Mapping[Any, int]) -> Any:
    kind = variable.dtype.kind
    if kind not in "biufUO":
        raise TypeError(f"variable {name!r} is of type {variable.dtype}")
    dtype = h5py.string_dtype() if kind in "UO" else np.int8 if kind == "b" else variable.dtype
    made = file.create_dataset(name, tuple(sizes[dim] for dim in variable.dims), dtype)
    # netCDF has no truth values: xarray's convention for them.
    made.attrs.update(variable.attrs | ({"dtype": "bool"} if kind == "b" else {}))
    return made


def _fill(made: Mapping[Any, Any], dataset: xr.Dataset, names: Sequence[Any]) -> None:
    for name in names:
        values = dataset.variables[name].values
        made[name][...] = values.astype(object) if values.dtype.kind == "U" else values
