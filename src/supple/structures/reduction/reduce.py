"""From a structure to a flexible body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.errors import ModelError, PhysicsWarning, warn
from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame
from supple.structures.body.integration import modal_integrals
from supple.structures.body.modal_integrals import ModalIntegrals
from supple.structures.body.recovery import recovery
from supple.structures.damping import damping_matrix
from supple.structures.discretization.clamping import Clamped, clamp, frame_rows, place
from supple.structures.discretization.couplings import Condensed
from supple.structures.discretization.discretization import Discretization
from supple.structures.discretization.dof_map import extent
from supple.structures.discretization.mass import Sparse
from supple.structures.discretization.validation import check_mass, check_sizes, rigid_resistance
from supple.structures.eigen.lowest_modes import LARGE, cut
from supple.structures.reduction.bases import ModalBasis, cantilever, craig_bampton, free_free, orthogonal
from supple.structures.reduction.mode_character import kinds
from supple.structures.reduction.mode_selection import Modes, checked_modes
from supple.structures.reduction.reduction import Reduction
from supple.structures.reduction.report import Report
from supple.structures.reduction.residual_vectors import residual_cases, residual_shapes, static_shapes
from supple.structures.stiffening.buckling import Prestress, prestress
from supple.structures.stiffening.geometric_stiffness import StressedLoads, stressed_loads
from supple.structures.stiffening.second_order import SecondOrder, second_order
from supple.structures.stiffening.unit_loads import UnitLoads, known_loads, unit_loads

ILL_CONDITIONED = 1e-10
"""Lowest pivot of a beam of 3,400 elements; its first frequency is right to about 1e-5."""


class ReducedCoordinates(NamedTuple):
    """What the deformation is expressed in.

    Attributes
    ----------
    shapes : (size, n) array
        Motion of all degrees of freedom for unit coordinates.
    mass, stiffness : (n, n) sparse arrays
    labels : tuple of str
    modal : ModalBasis or None
        The modes; None if the coordinates are those of nodes.
    """

    shapes: Floats | Sparse
    mass: Sparse
    stiffness: Sparse
    labels: tuple[str, ...]
    modal: ModalBasis | None


def reduce(structure: Discretization, wanted: Reduction) -> FlexibleBody:
    """See `Structure.reduce`."""
    wanted.require_basis()
    basis, modes, root, residual = wanted.basis, wanted.modes, wanted.root, wanted.residual
    check_sizes(structure.stiffness, "stiffness")
    check_sizes(structure.masses.weights if structure.masses.given is None else structure.masses.given, "mass")
    if structure.mass <= 0:
        raise ModelError("structure: expected some mass, got none; give the material a density or add masses")
    small = structure.condensed
    clamped = clamp(structure, root)
    origin = small.layout.points[clamped.point]
    loads = unit_loads(structure, clamped)
    cases = residual_cases(residual, loads, root)
    if basis == "nodal":
        if cases:
            raise ModelError(f"residual: the nodal basis leaves nothing of any deflection, got {list(residual)!r}")
        x = _nodal_coordinates(structure, modes, clamped)
    else:
        made = _modal(structure, wanted, clamped)
        x = _modal_coordinates(_with_residual(structure, made, residual_shapes(loads, made, cases)) if cases else made)
    known, stressed = _stressed(structure, clamped, x, loads)
    second, found = None, Prestress()
    if stressed is not None:
        second = second_order(structure, clamped, x.shapes, known, stressed)
        found = prestress(known, stressed, second, 0 if x.modal is None else len(x.labels))
    frames = _frames(structure, x.shapes, origin, second)
    integrals = modal_integrals(small.mass, x.shapes, small.layout, origin)
    motion: Any = small.motion @ scipy.sparse.csr_array(x.shapes)
    motion = scipy.sparse.csr_array(motion)
    return FlexibleBody(
        basis=basis,
        root=root,
        labels=x.labels,
        frames=frames,
        nodes=structure.nodes - origin,
        turning=small.turning,
        shapes=motion,
        mass_matrix=x.mass,
        stiffness=x.stiffness,
        damping=damping_matrix(wanted.damping, x.mass, x.stiffness, None if x.modal is None else x.modal.squares),
        integrals=integrals,
        report=_report(structure, clamped, x.modal, integrals, frames, loads, found),
        second_order=second,
        surface=structure.surface,
        recovery=recovery(
            structure.elements,
            motion,
            origin,
            lambda: None if x.modal is None else static_shapes(structure, origin, loads, x.modal),
        ),
    )


def _with_residual(structure: Discretization, made: ModalBasis, vectors: Floats) -> ModalBasis:
    """Modes with residual vectors (size, r) beside them."""
    if vectors.shape[1] == 0:
        return made
    small = structure.condensed
    scales = small.layout.scales(extent(small.layout.points))
    span = np.concatenate([vectors, made.shapes], axis=1)
    both = orthogonal(span, small.stiffness, small.mass.matrix, scales, vectors.shape[1])
    parts = made.shapes.T @ (small.stiffness @ both.shapes)
    kept = (made.interface / made.squares) @ parts**2 / both.squares
    return replace(both, interface=both.interface + kept)


def _nodal_coordinates(structure: Discretization, modes: Modes | None, clamped: Clamped) -> ReducedCoordinates:
    """All degrees of freedom but the root's."""
    if modes is not None:
        raise ModelError(f"modes: the nodal basis keeps all degrees of freedom, got modes={modes}")
    small = structure.condensed
    kept = _banded(small, clamped.point)
    shapes = scipy.sparse.csr_array(scipy.sparse.eye_array(small.size, format="csc")[:, kept])
    G, K = cut(small.mass.matrix, kept), cut(small.stiffness, kept)
    check_mass(G, lambda i: small.name_of(int(kept[i])))
    return ReducedCoordinates(shapes, G, K, tuple(small.name_of(int(i)) for i in kept), None)


def _modal_coordinates(made: ModalBasis) -> ReducedCoordinates:
    """Modal coordinates, whose matrices are diagonal."""
    n = len(made.squares)
    G, K = (
        scipy.sparse.csr_array(scipy.sparse.eye_array(n)),
        scipy.sparse.csr_array(scipy.sparse.diags_array(made.squares)),
    )
    return ReducedCoordinates(made.shapes, G, K, tuple(f"mode{i + 1}" for i in range(n)), made)


def _modal(structure: Discretization, wanted: Reduction, clamped: Clamped) -> ModalBasis:
    basis, modes = wanted.basis, checked_modes(wanted.modes, wanted.basis)
    if clamped.pivot < ILL_CONDITIONED:
        warn(
            f"stiffness: the structure is so finely divided (lowest pivot {clamped.pivot:.1g} of the diagonal) that "
            "rounding shows in its lowest frequencies; use fewer elements",
            PhysicsWarning,
        )
    small = structure.condensed
    K, M = small.stiffness, small.mass.matrix
    scales = small.layout.scales(extent(small.layout.points))
    rigid = small.layout.rigid_motions(small.layout.points[clamped.point])
    if basis == "cantilever":
        return cantilever(K, M, clamped.fixed, rigid, scales, modes, clamped.solve)
    if basis == "free-free":
        return free_free(K, M, clamped.fixed, rigid, scales, modes, clamped.solve)
    names = list(structure.frames) if wanted.interfaces is None else wanted.interfaces
    points = dict.fromkeys(place(structure, name, "interface") for name in names)
    points.pop(clamped.point, None)
    solve = clamped.solve if small.size > LARGE else None  # small ones part by part, which keeps their zeros
    return craig_bampton(K, M, (clamped.fixed, small.layout.of(points)), rigid, scales, modes, solve)


def _banded(small: Condensed, root: int) -> Ints:
    """All degrees of freedom but the root's, point by point, the points in an order of small bandwidth."""
    layout = small.layout
    pattern = scipy.sparse.coo_array(abs(small.stiffness) + abs(small.mass.matrix))
    i, j = layout.point[pattern.row], layout.point[pattern.col]
    points = np.flatnonzero(np.arange(len(layout.points)) != root)
    place = np.full(len(layout.points), -1)
    place[points] = np.arange(len(points))
    used = (place[i] >= 0) & (place[j] >= 0)
    i, j = place[i[used]], place[j[used]]
    graph = scipy.sparse.csr_array((np.ones(len(i)), (i, j)), shape=(len(points), len(points)))
    order = np.asarray(scipy.sparse.csgraph.reverse_cuthill_mckee(graph, symmetric_mode=True))[::-1]
    rank = np.argsort(order)
    if np.abs(rank[i] - rank[j]).max(initial=0) < np.abs(i - j).max(initial=0):
        points = points[order]
    return layout.of(points)


def _stressed(
    structure: Discretization, clamped: Clamped, x: ReducedCoordinates, loads: UnitLoads
) -> tuple[UnitLoads, StressedLoads | None]:
    """Loads of which the stresses are known, and what these do to the coordinates."""
    if structure.elements is None or not structure.elements.stiffens or len(x.labels) == 0:
        return loads, None
    known = known_loads(structure, clamped, loads)
    return known, stressed_loads(structure, clamped, known, x.shapes, x.stiffness)


def _frames(
    structure: Discretization, shapes: Floats | Sparse, origin: Floats, second: SecondOrder | None
) -> dict[str, ShapeFrame]:
    out = {}
    for name in structure.frames:
        position, rows, turns = frame_rows(structure, name)
        moved = rows @ shapes
        dense = moved.toarray() if scipy.sparse.issparse(moved) else np.asarray(moved)
        out[name] = ShapeFrame(
            position - origin, dense, turns, np.zeros((6, 0)) if second is None else second.frames[name]
        )
    return out


def _report(
    structure: Discretization,
    clamped: Clamped,
    made: ModalBasis | None,
    integrals: ModalIntegrals,
    frames: Mapping[str, ShapeFrame],
    loads: UnitLoads,
    found: Prestress,
) -> Report:
    """Effective masses are squares of the momentum of each mode's unit speed, G being I."""
    small = structure.condensed
    compliance = loads.compliance()
    reduced = compliance.copy()
    if made is not None:
        for i, name in enumerate(loads.frames):
            reduced[i] = np.sum(frames[name].shape ** 2 / made.squares, axis=1)
    masses = np.zeros((0, 6)) if made is None else np.hstack([integrals.F_0, integrals.E]) ** 2
    rigid = small.layout.rigid_motions(small.layout.points[clamped.point])[:, 3:]
    moved = float(np.einsum("ia,ia->", rigid, small.mass.matrix @ rigid)) / 3.0
    return Report(
        kinds=() if made is None else kinds(small.mass, made.shapes),
        frequencies=np.zeros(0) if made is None else np.sqrt(made.squares) / (2.0 * np.pi),
        effective=masses,
        total=np.concatenate([np.diagonal(integrals.J_0), np.full(3, integrals.mass)]),
        interface=np.zeros(0) if made is None else made.interface,
        resistance=rigid_resistance(small.stiffness, small.layout),
        mass_error=abs(moved / integrals.mass - 1.0),
        loaded=loads.frames,
        compliance=compliance,
        reduced_compliance=reduced,
        load_cases=found.cases,
        buckling=found.buckling,
        southwell=found.southwell,
    )
