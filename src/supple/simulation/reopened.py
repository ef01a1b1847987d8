"""Results read from a file that is open only while it is read, so that another run may take its place.

Windows neither replaces nor removes a file that is open. Small results are read whole, larger ones variable by variable
as their values are requested.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.backends import BackendArray
from xarray.core import indexing

from supple.errors import ResultsError

WHOLE = 2**24
"""Bytes up to which results are read at once."""
Stamp = tuple[int, int, int]


class ReopenedArray(BackendArray):
    """Numbers of a variable in a file that is opened for every access.

    Parameters
    ----------
    path : Path
    stamp : tuple
        Of the file as it was when the results were opened; of another file nothing is read.
    name : str
    variable : xarray.Variable
        With its shape and type.
    """

    def __init__(self, path: Path, stamp: Stamp, name: str, variable: xr.Variable) -> None:
        self._path, self._stamp, self._name = path, stamp, name
        self.shape, self.dtype = variable.shape, variable.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        support = indexing.IndexingSupport.OUTER_1VECTOR
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._values)

    def _values(self, key: tuple[Any, ...]) -> NDArray[Any]:
        if not self._path.exists() or stamp_of(self._path) != self._stamp:
            raise ResultsError(f"{self._path}: the file has changed since it was opened; open it again")
        with h5py.File(self._path, "r", locking=False) as file:
            return np.asarray(file[self._name][key])


def stamp_of(path: Path) -> Stamp:
    """Return what tells a file from another one that has taken its place."""
    x = path.stat()
    return x.st_ino, x.st_size, x.st_mtime_ns


def reopened(path: Path, stored: xr.Dataset) -> xr.Dataset:
    """The same dataset without its file, which is closed."""
    stamp = stamp_of(path)
    with stored:
        if stored.nbytes <= WHOLE:
            return stored.load().copy()
        later: dict[Any, Any] = {}
        for name, x in stored.variables.items():
            if name in stored.indexes or not _plain(x):
                x.load()
                later[name] = x
            else:
                array = indexing.LazilyIndexedArray(ReopenedArray(path, stamp, str(name), x))
                kept = indexing.MemoryCachedArray(array)  # type: ignore[no-untyped-call]
                later[name] = xr.Variable(x.dims, kept, x.attrs)
        places = set(stored.coords)
        coordinates = {name: x for name, x in later.items() if name in places}
        data = {name: x for name, x in later.items() if name not in places}
        return xr.Dataset(data, coordinates, stored.attrs)


def _plain(x: xr.Variable) -> bool:
    """Whether the numbers of a variable are as they are in the file."""
    coded = {"scale_factor", "add_offset", "_FillValue", "missing_value"} & x.encoding.keys()
    return x.dtype.kind in "fiu" and not coded and x.encoding.get("dtype") == x.dtype
