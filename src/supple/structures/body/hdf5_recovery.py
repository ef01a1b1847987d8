"""Stresses, section forces and static shapes of a flexible body in its file."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from supple.errors import ModelError
from supple.structures.body.hdf5_parts import read_array, read_names, read_sparse, write_names, write_sparse
from supple.structures.elements.section_forces import SectionForces
from supple.structures.elements.stresses import MotionSet, Recovery, Stresses
from supple.structures.reduction.residual_vectors import StaticShapes

STATIC = ("shapes", "E", "X", "mass_cross")
POINTS = ("nodes", "positions", "modulus", "strength")


def write_recovery(group: Any, recovery: Recovery) -> None:
    """Write what is known of a body's recovery; it is found now if it has not been asked for."""
    if recovery.static is not None:
        own = group.create_group("static")
        for name in STATIC:
            own[name] = getattr(recovery.static, name)
        for i, (name, rows) in enumerate(recovery.static.frames.items()):
            own[f"frames/{i}"] = rows
            own[f"frames/{i}"].attrs["name"] = name
    if recovery.stresses is not None:
        own = group.create_group("stresses")
        for name in ("places", "elements"):
            write_names(own, name, getattr(recovery.stresses, name))
        for name in POINTS:
            own[name] = getattr(recovery.stresses, name)
        _write_matrices(own, recovery.stresses.matrix, recovery.static_stresses)
    if recovery.section_forces is not None:
        own = group.create_group("section_forces")
        write_names(own, "places", recovery.section_forces.places)
        for name in POINTS[:2]:
            own[name] = getattr(recovery.section_forces, name)
        _write_matrices(own, recovery.section_forces.matrix, recovery.static_forces)


def read_recovery(group: Any, coordinates: int, nodes: int, frames: list[str]) -> Recovery:
    """What `write_recovery` wrote, for a body with so many coordinates and nodes and these frames."""
    static = _read_static(group["static"]) if "static" in group else None
    if static is not None and (wrong := static.misfit(coordinates, nodes, frames)):
        raise ModelError(wrong)
    counts: dict[MotionSet, int] = {"coordinates": coordinates, "static": 0 if static is None else static.count}
    stresses: dict[MotionSet, Stresses] = {}
    forces: dict[MotionSet, SectionForces] = {}
    for of, count in counts.items():
        if "stresses" in group and of in group["stresses"]:
            own = group["stresses"]
            points, positions, modulus, strength = (read_array(own[name]) for name in POINTS)
            names = (read_names(own["places"]), read_names(own["elements"]))
            stresses[of] = Stresses(*names, points, positions, _read_matrix(own[of], count), modulus, strength)
            _require_nodes(points, nodes)
        if "section_forces" in group and of in group["section_forces"]:
            own = group["section_forces"]
            points, positions = (read_array(own[name]) for name in POINTS[:2])
            forces[of] = SectionForces(read_names(own["places"]), points, positions, _read_matrix(own[of], count))
            _require_nodes(points, nodes)
    return Recovery(stresses.get, forces.get, lambda: static)


def _read_static(group: Any) -> StaticShapes:
    frames = {str(rows.attrs["name"]): np.asarray(read_array(rows)) for rows in group.get("frames", {}).values()}
    shapes, E, X, cross = (np.asarray(read_array(group[name]), dtype=float) for name in STATIC)
    return StaticShapes(shapes, frames, E, X, cross)


def _require_nodes(numbers: Any, nodes: int) -> None:
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < nodes:
        raise ModelError(f"recovery: expected node numbers from 0 to {nodes - 1}")


def _write_matrices(group: Any, own: scipy.sparse.csr_array, static: Stresses | SectionForces | None) -> None:
    for name, matrix in (("coordinates", own), ("static", None if static is None else static.matrix)):
        if matrix is not None:
            write_sparse(group.create_group(name), matrix)


def _read_matrix(group: Any, columns: int) -> scipy.sparse.csr_array:
    matrix = read_sparse(group)
    if matrix.shape[1] != columns:
        raise ModelError(f"recovery: expected a matrix of {columns} columns, got {matrix.shape[1]}")
    return matrix
