"""Flexible bodies in HDF5 files: one file a body, plain arrays and names, behind them a checksum."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.checksums import require_intact
from supple.errors import FileFormatError, ModelError
from supple.lazy import LazyModule
from supple.structures.body import FlexibleBody, ShapeFrame
from supple.structures.body_writer import FORMAT, MATRICES, SECOND_ORDER, VERSION
from supple.structures.integrals import ModalIntegrals, Pairs, Quadratic
from supple.structures.reduction_report import Report
from supple.structures.second_order import SecondOrder
from supple.structures.soundness import check_mass
from supple.structures.strains import Strains

if TYPE_CHECKING:
    import h5py
else:
    h5py = LazyModule("h5py")


def load_body(path: str | os.PathLike[str]) -> FlexibleBody:
    """Read a body that `save_body` wrote."""
    try:
        require_intact(Path(path))
        with h5py.File(path, "r") as file:
            if file.attrs.get("format") != FORMAT:
                raise FileFormatError(f"{path}: expected a file of format {FORMAT!r}, got {file.attrs.get('format')!r}")
            version = int(file.attrs["version"])
            if version != VERSION:
                raise FileFormatError(f"{path}: expected version {VERSION} of the format, got {version}")
            return _read(file)
    except FileNotFoundError:
        raise FileFormatError(f"{path}: there is no such file") from None
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(f"{path}: {error}") from None
    except Exception as error:  # damaged files without a checksum fail in h5py in many ways
        raise FileFormatError(
            f"{path}: expected a flexible body in HDF5, got a damaged or foreign file: {error}"
        ) from None


def _array(dataset: h5py.Dataset) -> Any:
    """An array, unless it is larger than its file, which only damaged or hostile files have."""
    size = dataset.file.id.get_filesize()
    if dataset.nbytes > size:
        name = dataset.name.lstrip("/")
        raise ModelError(f"{name}: expected at most the {size:,} bytes of the file, got {dataset.nbytes:,}")
    return dataset[()]


def _read(file: h5py.File) -> FlexibleBody:
    second_order = _read_second_order(file["second_order"]) if "second_order" in file else None
    frames = {}
    stored = file.get("frames", {})
    for i in range(len(stored)):
        group = stored[str(i)]
        name = str(group.attrs["name"])
        rows = np.zeros((6, 0)) if second_order is None else second_order.frames[name]
        turning = bool(group.attrs["turning"])
        frames[name] = ShapeFrame(_array(group["position"]), _array(group["shape"]), turning, rows)
    group = file["integrals"]
    N = Pairs(*(_array(group[f"N/{name}"]) for name in ("first", "other", "value")))
    moment, second, E, X = (_array(group[name]) for name in ("moment", "second", "E", "X"))
    integrals = ModalIntegrals(float(_array(group["mass"])), moment, second, E, X, N)
    report = _read_report(file["report"]) if "report" in file else None
    shapes, mass_matrix, stiffness, damping = (_read_sparse(file[name]) for name in MATRICES)
    body = FlexibleBody(
        basis=str(file.attrs["basis"]),
        root=str(file.attrs["root"]),
        labels=_value(file["labels"]),
        frames=frames,
        nodes=_array(file["nodes"]),
        turning=_array(file["turning"]),
        shapes=shapes,
        mass_matrix=mass_matrix,
        stiffness=stiffness,
        damping=damping,
        integrals=integrals,
        report=report,
        strains=_read_strains(file["strains"]) if "strains" in file else None,
        second_order=second_order,
    )
    check_mass(body.mass_matrix, lambda i: body.labels[i])
    return body


def _read_second_order(group: Any) -> SecondOrder:
    C = Quadratic(*(_array(group[f"quadratic/{name}"]) for name in ("first", "other", "value")))
    frames = {str(rows.attrs["name"]): _array(rows) for rows in group.get("frames", {}).values()}
    return SecondOrder(C, frames=frames, **{name: _array(group[name]) for name in SECOND_ORDER})


def _read_report(group: Any) -> Report:
    """Files of earlier versions say nothing of loads."""
    added = ("load_cases", "buckling", "southwell")
    return Report(**{f.name: _value(group[f.name]) for f in fields(Report) if f.name in group or f.name not in added})


def _read_strains(group: Any) -> Strains:
    places, quantities = _value(group["places"]), _value(group["quantities"])
    elasticity = _array(group["elasticity"]) if "elasticity" in group else np.zeros((0, 3))
    return Strains(places, quantities, _array(group["positions"]), _read_sparse(group["matrix"]), elasticity)


def _value(dataset: Any) -> Any:
    """Names as a tuple, one number as a float, or an array."""
    if h5py.check_string_dtype(dataset.dtype):
        return tuple(x.decode() for x in _array(dataset).tolist())
    value = _array(dataset)
    return float(value) if np.ndim(value) == 0 else value


def _read_sparse(group: Any) -> scipy.sparse.csr_array:
    rows, columns = (int(n) for n in group.attrs["shape"])
    parts = (_array(group["data"]), _array(group["indices"]), _array(group["indptr"]))
    if (np.diff(parts[2]) < 0).any():  # scipy looks at this only where there are entries
        raise ModelError(f"{group.name}: indptr: expected numbers that do not decrease")
    matrix = scipy.sparse.csr_array(parts, shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix
