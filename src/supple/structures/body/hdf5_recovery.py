"""Stresses, section forces and static shapes of a flexible body in its file."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import ModelError
from supple.structures.body.hdf5_parts import read_array, read_names, read_sparse, write_names, write_sparse
from supple.structures.body.recovery import Kind, MotionSet, Recovery
from supple.structures.elements.recovery_table import RecoveryTable
from supple.structures.reduction.residual_vectors import StaticShapes

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
