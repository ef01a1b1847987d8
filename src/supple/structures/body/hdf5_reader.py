"""Flexible bodies in HDF5 files: one file a body, plain arrays and names, behind them a checksum."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checksums import require_intact
from supple.errors import FileFormatError, ModelError
from supple.lazy import LazyModule
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.hdf5_fields import array, read, read_fields
from supple.structures.body.hdf5_writer import APART, FORMAT, PIECES_FORMAT, TABLES, VERSION
from supple.structures.body.recovery import Kind, MotionSet, Recovery
from supple.structures.body.substructured_beam import BeamPieces, Place
from supple.structures.discretization.validation import MOST_ENTRY, check_mass
from supple.structures.elements.recovery_table import RecoveryTable
from supple.structures.reduction.residual_vectors import StaticShapes
from supple.structures.stiffening.second_order import SecondOrder

if TYPE_CHECKING:
    import h5py
else:
    h5py = LazyModule("h5py")


T = TypeVar("T")


@checked
def load_body(path: str | os.PathLike[str]) -> FlexibleBody:
    """Read a body that `save_body` wrote."""
    return _opened(path, {FORMAT: _read})


@checked
def load_pieces(path: str | os.PathLike[str]) -> BeamPieces:
    """Read a beam that `BeamPieces.save` wrote."""
    return _opened(path, {PIECES_FORMAT: _read_pieces})


def load_any(path: str | os.PathLike[str]) -> FlexibleBody | BeamPieces:
    """Read a body or a beam in pieces."""
    readers: dict[str, Callable[[h5py.File], FlexibleBody | BeamPieces]] = {FORMAT: _read, PIECES_FORMAT: _read_pieces}
    return _opened(path, readers)


def _opened(path: str | os.PathLike[str], readers: Mapping[str, Callable[[h5py.File], T]]) -> T:
    """What the reader for its format makes of a file."""
    try:
        require_intact(Path(path))
        with h5py.File(path, "r") as file:
            kind = file.attrs.get("format")
            if kind not in readers:
                raise FileFormatError(f"{path}: expected a file of format {next(iter(readers))!r}, got {kind!r}")
            if (version := int(file.attrs["version"])) != VERSION:
                older = "an older supple wrote it; reduce the structure and save it again"
                cure = older if version < VERSION else "a newer supple wrote it; update supple or save it again"
                raise FileFormatError(f"{path}: expected format {VERSION} of stored bodies, got {version}: {cure}")
            return readers[kind](file)
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(f"{path}: {error}") from None
    except Exception as error:  # damaged files without a checksum fail in h5py in many ways
        raise FileFormatError(
            f"{path}: expected a flexible body in HDF5, got a damaged or foreign file: {error}"
        ) from None


def _read_pieces(file: h5py.File) -> BeamPieces:
    kinds = [_read(file[f"bodies/{i}"]) for i in range(len(file["bodies"]))]
    group, order = file["frames"], array(file["body"]).tolist()
    if not all(0 <= i < len(kinds) for i in order):
        raise ModelError(f"body: expected numbers from 0 to {len(kinds) - 1}, got {order}")
    names, node = (read(group, name, tuple[str, ...]) for name in ("names", "node"))
    return BeamPieces(
        tuple(kinds[i] for i in order),
        tuple(int(i) for i in array(file["first"])),
        array(file["nodes"]),
        {name: Place(int(i), at) for name, i, at in zip(names, array(group["piece"]), node, strict=True)},
    )


def _read(file: h5py.Group) -> FlexibleBody:
    values = read_fields(file, FlexibleBody, APART)
    if values["second_order"] is not None:
        _require_masses(values["second_order"])
    recovery = _read_recovery(file["recovery"], values) if "recovery" in file else None
    body = FlexibleBody(**values, recovery=recovery)
    check_mass(body.mass_matrix, lambda i: body.labels[i])
    return body


def _require_masses(second: SecondOrder) -> None:
    masses = np.diagonal(second.mass_own)
    largest = max(np.abs(x).max(initial=0.0) for x in (second.mass_own, second.mass_cross))
    if not (masses >= 0.0).all() or not largest <= MOST_ENTRY:
        raise ModelError(f"second_order: expected masses from 0 to {MOST_ENTRY:g}, got {[*masses, largest]}")


def _read_recovery(group: h5py.Group, body: Mapping[str, Any]) -> Recovery:
    """What is recovered of a body with these fields."""
    coordinates, nodes = len(body["labels"]), len(body["nodes"])
    static: StaticShapes | None = read(group, "static", StaticShapes | None)
    if static is not None and (wrong := static.misfit(coordinates, nodes, list(body["frames"]))):
        raise ModelError(wrong)
    tables: dict[tuple[Kind, MotionSet], RecoveryTable] = {}
    for kind in [kind for kind in TABLES if kind in group]:
        try:
            own: RecoveryTable = read(group, kind, RecoveryTable)
            if len(own) and not -1 <= own.nodes.min() <= own.nodes.max() < nodes:
                raise ModelError(f"expected node numbers from 0 to {nodes - 1}, or -1 for none")
            tables[kind, "coordinates"] = _of_columns(own, coordinates)
            if static is not None and "static" in group[kind]:
                moved = own.in_motions(read(group[kind], "static", scipy.sparse.csr_array))
                tables[kind, "static"] = _of_columns(moved, static.count)
        except ModelError as error:
            raise ModelError(f"{kind.replace('_', ' ')}: {error}") from None
    return Recovery(lambda kind, of: tables.get((kind, of)), lambda: static)


def _of_columns(table: RecoveryTable, columns: int) -> RecoveryTable:
    if table.matrix.shape[1] != columns:
        raise ModelError(f"expected a matrix of {columns} columns, got {table.matrix.shape[1]}")
    return table
