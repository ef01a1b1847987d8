"""Datasets as images of netCDF files in memory, and many joined to one.

Images, not files, since HDF5 does not survive a full disk: it leaves handles that bring the process down. What is
written to disk is always plain bytes. Made by h5py itself, in the form that the netCDF-4 library reads (dimensions are
HDF5 dimension scales), an image takes a few milliseconds; through xarray it takes several times as long.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supple.errors import ResultsError

TIME = "time"
MEMORY = "memory"
"""The HDF5 group of arrays that are no part of the dataset."""

NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable.{:10d}"
"""The label of a dimension without values, a convention of the netCDF-4 library."""

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
    return xr.load_dataset(io.BytesIO(image), engine="h5netcdf", decode_times=False)


def memory_of(image: bytes) -> dict[str, NDArray[Any]]:
    """The arrays that were packed with a dataset."""
    with h5py.File(io.BytesIO(image), "r") as file:
        return {name: np.asarray(values[()]) for name, values in file.get(MEMORY, {}).items()}


def joined(files: Sequence[Path], also: xr.Dataset) -> memoryview:
    """The image of one dataset: those of all files one behind the other in time.

    Parameters
    ----------
    files : sequence of Path
        Files with images of datasets of one layout, at least one; what does not depend on time is taken from the
        first, attributes from the last.
    also : xarray.Dataset
        Variables and attributes to add.
    """
    first = unpacked(files[0].read_bytes())
    whole = first.assign(also.variables).assign_attrs(unpacked(files[-1].read_bytes()).attrs | also.attrs)
    timed = {str(name): v.dims.index(TIME) for name, v in first.variables.items() if TIME in v.dims}
    counts = [_count(path) for path in files]
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        made = _declared(file, whole, {**whole.sizes, TIME: sum(counts)})
        _fill(made, whole, [name for name in whole.variables if name not in timed])
        start = 0
        for path, count in zip(files, counts, strict=True):
            with _file(path) as part:
                for name, axis in timed.items():
                    made[name][(slice(None),) * axis + (slice(start, start + count),)] = part[name][()]
            start += count
    return buffer.getbuffer()


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


def _declared(file: Any, dataset: xr.Dataset, sizes: Mapping[Any, int]) -> dict[Any, Any]:
    """The HDF5 datasets of all variables, without values yet, with dimensions of these sizes."""
    made = {name: _created(file, name, variable, sizes) for name, variable in dataset.variables.items()}
    scales = {}
    for number, (dim, size) in enumerate(sizes.items()):
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
