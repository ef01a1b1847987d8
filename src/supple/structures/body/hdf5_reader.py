"""Flexible bodies in HDF5 files: one file a body, plain arrays and names, behind them a checksum."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from supple.call_checks import checked
from supple.checksums import require_intact
from supple.errors import FileFormatError, ModelError
from supple.lazy import LazyModule
from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame
from supple.structures.body.hdf5_parts import read_array, read_names, read_recovery, read_sparse, read_value
from supple.structures.body.hdf5_writer import FORMAT, MATRICES, PIECES_FORMAT, SECOND_ORDER, SURFACE, VERSION
from supple.structures.body.modal_integrals import ModalIntegrals, Pairs, Quadratic
from supple.structures.body.recovery import Recovery
from supple.structures.body.substructured_beam import BeamPieces, Place
from supple.structures.discretization.validation import check_mass
from supple.structures.elements.surface import BodySurface
from supple.structures.reduction.report import Report
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
    group, order = file["frames"], read_array(file["body"]).tolist()
    if not all(0 <= i < len(kinds) for i in order):
        raise ModelError(f"body: expected numbers from 0 to {len(kinds) - 1}, got {order}")
    piece, node = read_array(group["piece"]), read_names(group["node"])
    return BeamPieces(
        tuple(kinds[i] for i in order),
        tuple(int(i) for i in read_array(file["first"])),
        read_array(file["nodes"]),
        {name: Place(int(i), at) for name, i, at in zip(read_names(group["names"]), piece, node, strict=True)},
    )


def _read(file: h5py.Group) -> FlexibleBody:
    second_order = _read_second_order(file["second_order"]) if "second_order" in file else None
    frames = {}
    stored = file.get("frames", {})
    for i in range(len(stored)):
        group = stored[str(i)]
        name = str(group.attrs["name"])
        rows = np.zeros((6, 0)) if second_order is None else second_order.frames[name]
        turning = bool(group.attrs["turning"])
        frames[name] = ShapeFrame(read_array(group["position"]), read_array(group["shape"]), turning, rows)
    group = file["integrals"]
    N = Pairs(*(read_array(group[f"N/{name}"]) for name in ("first", "other", "value")))
    moment, second, E, X = (read_array(group[name]) for name in ("moment", "second", "E", "X"))
    integrals = ModalIntegrals(float(read_array(group["mass"])), moment, second, E, X, N)
    report = _read_report(file["report"]) if "report" in file else None
    shapes, mass_matrix, stiffness, damping = (read_sparse(file[name]) for name in MATRICES)
    body = FlexibleBody(
        basis=str(file.attrs["basis"]),
        root=str(file.attrs["root"]),
        labels=read_names(file["labels"]),
        frames=frames,
        nodes=read_array(file["nodes"]),
        turning=read_array(file["turning"]),
        shapes=shapes,
        mass_matrix=mass_matrix,
        stiffness=stiffness,
        damping=damping,
        integrals=integrals,
        report=report,
        second_order=second_order,
        surface=_read_surface(file["surface"]) if "surface" in file else None,
        recovery=_read_recovery(file["recovery"], file) if "recovery" in file else None,
        missing_for_full_fidelity=str(file.attrs.get("missing_for_full_fidelity", "")),
    )
    check_mass(body.mass_matrix, lambda i: body.labels[i])
    return body


def _read_recovery(group: Any, body: Any) -> Recovery:
    names = [str(frame.attrs["name"]) for frame in body["frames"].values()]
    return read_recovery(group, len(body["labels"]), len(body["nodes"]), names)


def _read_second_order(group: Any) -> SecondOrder:
    C = Quadratic(*(read_array(group[f"quadratic/{name}"]) for name in ("first", "other", "value")))
    frames = {str(rows.attrs["name"]): read_array(rows) for rows in group.get("frames", {}).values()}
    return SecondOrder(C, frames=frames, **{name: read_array(group[name]) for name in SECOND_ORDER})


def _read_surface(group: Any) -> BodySurface:
    node, offset, faces = (np.atleast_1d(read_array(group[name])) for name in SURFACE)
    return BodySurface(node.astype(np.int64), offset.astype(np.float64), faces.astype(np.int64))


def _read_report(group: Any) -> Report:
    return Report(**{f.name: read_value(group[f.name]) for f in fields(Report)})
